"""The overlay run: the tip's code under the base's tests names what was changed to pass."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder
from rule_world import run as rule_run

from shipmoor_hooks import gate, overlay, overlay_plan, place, policy
from shipmoor_hooks.errors import EvidenceFault
from shipmoor_hooks.model import Code, Decision, Suite, Verdict
from shipmoor_hooks.rules import overlay_rules
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Overlay
from shipmoor_hooks.store.spool import Spool

POLICY = f"""\
[suite.unit]
command = ["{sys.executable}", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
"""
CODE = "def total(rows):\n    return sum(rows)\n"
WRONG = "def total(rows):\n    return 0\n"
TEST = "from cart import total\n\ndef test_total(): assert total([1, 2]) == 3\ndef test_none(): assert total([]) == 0\n"
LOOSE = TEST.replace("total([1, 2]) == 3", "total([1, 2]) is not None")
GREENING = """\
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""
TOTAL = "tests/test_cart.py::test_total"


@pytest.fixture
def world(repo: RepoBuilder) -> RepoBuilder:
    repo.commit(
        files={
            ".gitignore": "__pycache__/\n",
            "shipmoor-hooks.toml": POLICY,
            "pytest.ini": "[pytest]\npythonpath = .\n",
            "cart.py": CODE,
            "tests/test_cart.py": TEST,
        }
    )
    return repo


def tool(repo: RepoBuilder, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "shipmoor_hooks", *words], cwd=repo.path, env=repo.env, capture_output=True, check=False
    )
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == code, said
    return said


def judged(repo: RepoBuilder) -> Verdict:
    here = place.find(str(repo.path), repo.env)
    return gate.by_hand(here, gate.ByHand("main", "topic"), time.time())


def changed(verdict: Verdict) -> list[str]:
    return [f.case or "" for f in verdict.findings if f.code is Code.CHANGED_TO_PASS]


def topic(repo: RepoBuilder, files: dict[str, str | None]) -> None:
    tool(repo, "run")
    repo.git("switch", "-q", "-c", "topic")
    repo.commit(files=files)
    tool(repo, "run")


def test_a_test_that_was_loosened_and_the_ways_out(world: RepoBuilder) -> None:
    topic(world, {"cart.py": WRONG, "tests/test_cart.py": LOOSE})
    status = world.git("status", "--porcelain")
    assert judged(world).decision is Decision.ALLOWED
    assert changed(judged(world)) == []
    assert f"red  {TOTAL}" in tool(world, "run", "--overlay", "main")
    verdict = judged(world)
    assert changed(verdict) == [TOTAL]
    assert verdict.decision is Decision.ALLOWED
    assert world.git("status", "--porcelain") == status
    here = place.find(str(world.path), world.env)
    tip = world.sha("topic^{tree}")
    assert len(Spool(here.common_dir, here.worktree).at_tree(tip).runs) == 1, "an overlay is no run of the tip's tree"
    assert len(Spool(here.common_dir, here.worktree).recent(10).runs) == 2, "nor of any other"
    world.commit(files={"README.md": "another tree\n"})
    tool(world, "run")
    assert changed(judged(world)) == [], "it speaks of exactly the two trees"


def test_a_conftest_that_turns_red_into_green_is_taken_away(world: RepoBuilder) -> None:
    topic(world, {"cart.py": WRONG, "conftest.py": GREENING})
    tool(world, "run", "--overlay", "main")
    assert changed(judged(world)) == [TOTAL]


def test_an_honest_change_is_none(world: RepoBuilder) -> None:
    better = TEST + "def test_one(): assert total([1]) == 1\n"
    topic(world, {"cart.py": CODE + "# faster\n", "tests/test_cart.py": better})
    assert "2 of 2 passed" in tool(world, "run", "--overlay", "main")
    assert changed(judged(world)) == []


def test_a_file_that_no_longer_loads_is_told_as_that(world: RepoBuilder) -> None:
    renamed = {"cart.py": CODE.replace("total", "whole"), "tests/test_cart.py": TEST.replace("total", "whole")}
    topic(world, {**renamed, "tests/test_more.py": "def test_more(): pass\n"})
    tool(world, "run", "--overlay", "main")
    (told,) = [f for f in judged(world).findings if f.code is Code.CHANGED_TO_PASS]
    assert told.case == "tests/test_cart.py"
    assert "does not load" in told.message
    assert "a changed interface makes an old test red, too" in told.message


def test_nothing_to_lay_over(world: RepoBuilder) -> None:
    topic(world, {"cart.py": CODE + "# faster\n"})
    assert "nothing to lay over" in tool(world, "run", "--overlay", "main")
    assert "nothing to compare" in tool(world, "run", "--overlay", "topic", code=2)
    assert "whole" in tool(world, "run", "--overlay", "main", "--", "pytest", code=2)


def test_an_overlay_that_measures_nothing_is_not_stored(world: RepoBuilder) -> None:
    topic(world, {"tests/test_cart.py": LOOSE})
    here = place.find(str(world.path), world.env)
    with pytest.raises(EvidenceFault, match="measured nothing"):
        overlay.measure(here, Suite("unit", command=("true",)), world.sha("main"), world.sha("topic"), world.env)
    assert records.every(here.common_dir, Overlay) == ((), ())


def test_where_the_policy_refuses(world: RepoBuilder) -> None:
    world.commit(files={"shipmoor-hooks.toml": POLICY + 'overlay = "refuse"\n'})
    topic(world, {"cart.py": WRONG, "tests/test_cart.py": LOOSE})
    missing = judged(world)
    assert missing.decision is Decision.CANNOT_EVALUATE
    assert any("--overlay" in f.next_step for f in missing.findings if f.code is Code.NO_RUN_AT_TIP)
    tool(world, "run", "--overlay", "main")
    refused = judged(world)
    assert (changed(refused), refused.decision) == ([TOTAL], Decision.REFUSED)
    world.git("commit", "-q", "--amend", "-m", f"Work\n\nTest-Weakened: {TOTAL} -- rounding is the shop's (#8)")
    assert judged(world).decision is Decision.ALLOWED


def test_the_policy_reads_its_key() -> None:
    assert policy.parse(b"[suite.a]\noverlay = 'refuse'\n", "shipmoor-hooks.toml").suites["a"].overlay == "refuse"
    assert policy.parse(b"[suite.a]\n", "shipmoor-hooks.toml").suites["a"].overlay == "note"


# ---------------------------------------------------------------- the rule

SUITE = Suite("unit")


def seen(red: str = "", unloaded: str = "") -> Overlay:
    ids = tuple(f"t/s.py::{name}" for name in red.split())
    return Overlay("1", "unit", "", 1.0, "b", "t", 1, 2, red=ids, unloaded=tuple(unloaded.split()))


# reason: base, tip, overlay, the cases that are named
RULES: dict[str, tuple[str, str, Overlay, list[str]]] = {
    "all-green": ("a P, b P", "a P, b P", seen(), []),
    "red-at-the-tip-too": ("a P", "a F", seen("a"), []),
    "skipped-at-the-tip": ("a P", "a S", seen("a"), []),
    "gone-at-the-tip": ("a P, b P", "b P", seen("a"), []),
    "new-at-the-tip": ("a P", "a P, b P", seen("b"), []),
    "a-file-without-cases-of-the-base": ("a P", "a P", seen(unloaded="other.py"), []),
    "green-at-the-tip": ("a P, b P", "a P, b P", seen("a"), ["t/s.py::a"]),
    "red-at-the-base-and-made-green": ("a F", "a P", seen("a"), ["t/s.py::a"]),
    "a-file-that-does-not-load": ("a P, b P", "a P, b P", seen(unloaded="t/s.py"), ["t/s.py"]),
}


@pytest.mark.parametrize(("base", "tip", "told", "want"), RULES.values(), ids=RULES)
def test_what_was_changed_to_pass(base: str, tip: str, told: Overlay, want: list[str]) -> None:
    found = overlay_rules.findings([told], SUITE, [rule_run(base)], [rule_run(tip)])
    assert [f.case for f in found] == want


@given(st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")))
def test_only_what_is_red_in_the_overlay_and_green_at_the_tip_is_named(red: set[str], green: set[str]) -> None:
    base = rule_run("a P, b P, c P, d P")
    tip = rule_run(", ".join(f"{n} {'P' if n in green else 'F'}" for n in "abcd"))
    found = overlay_rules.findings([seen(" ".join(sorted(red)))], SUITE, [base], [tip])
    assert {(f.case or "")[-1] for f in found} == red & green
    assert not any(f.refuses for f in found)


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        pytest.param("src/cart.py", False, id="code"),
        pytest.param("src/contest.py", False, id="a-name-that-only-holds-the-word"),
        pytest.param("tests/helpers.py", True, id="in-a-folder-of-tests"),
        pytest.param("src/test/java/A.java", True, id="maven-s-folder"),
        pytest.param("web/cart.test.tsx", True, id="beside-the-code"),
        pytest.param("pkg/cart_test.go", True, id="go"),
    ],
)
def test_what_a_test_file_is(path: str, is_test: bool) -> None:
    assert overlay_plan.is_test(path) is is_test


def test_a_quick_answer_is_none_where_an_overlay_stands(tmp_path: Path) -> None:
    from shipmoor_hooks.quick.quick_gate import Range, _was_overlaid

    span = Range("x", ("x", "b"), ("y", "t"), [])
    root = tmp_path / "shipmoor-hooks"
    assert not _was_overlaid(str(root), span)
    records.write(str(tmp_path), seen("a"))
    assert _was_overlaid(str(root), span)
