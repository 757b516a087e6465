"""`demo --evals`: the whole story is played, in a folder of its own, and nothing of it is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shipmoor_hooks import demo_evals
from shipmoor_hooks.errors import EnvironmentFault

ROOT = Path(__file__).parent.parent


@pytest.mark.matrix
def test_the_story_of_an_eval_suite(tmp_path: Path) -> None:
    """Five runs of a suite: a minute on a busy machine."""
    environ = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "shipmoor_hooks", "demo", "--evals"]
    done = subprocess.run(words, env=environ, cwd=tmp_path, capture_output=True, check=False, timeout=400)
    said = done.stdout.decode()
    assert done.returncode == 0, said + done.stderr.decode()
    in_order = [
        "evals  8 of 8", "FIRST_YARDSTICK",
        "✗ names-rule", "evals  7 of 8", "refused: 1 case turned red", "CASE_RED",
        "evals  8 of 8", "refused: 1 expectation is weaker", "EXPECTATION_WEAKENED",
        "✗ brief-required", "refused: 1 case turned red",
        "run --suite evals --at main", "allowed: evals 7 of 8", "CLEARED plan-requires-brief",
    ]  # fmt: skip
    at = 0
    for words_said in in_order:
        found = said.find(words_said, at)
        assert found >= 0, f"{words_said!r} is not said behind {said[:at][-200:]!r}"
        at = found
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("shipmoor-hooks")] == []


def test_an_installation_without_the_example_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_evals, "__file__", str(tmp_path / "package" / "demo_evals.py"))
    with pytest.raises(EnvironmentFault, match="comes with the source"):
        demo_evals.example_folder()


def test_the_extra_is_named_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(EnvironmentFault) as told:
        demo_evals.play({}, print)
    assert told.value.next_step == 'pip install "shipmoor-hooks[evals]"'
