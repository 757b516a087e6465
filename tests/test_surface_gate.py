"""The gate shows what changed in the test surface, and refuses what provably selects less."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from gate_world import GateWorld
from repo_builder import RepoBuilder

from shipmoor_hooks import gate, place, surface_changes
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Decision, Verdict

FILES = {
    "pytest.ini": "[pytest]\naddopts = -q\n",
    "pyproject.toml": "[project]\nname = 'cart'\nversion = '1'\n",
    "tests/conftest.py": "import os\n",
    "src/cart.py": "x = 1\n",
}


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    for name, content in FILES.items():
        repo.write(name, content)
    return GateWorld.create(repo, installed_python)


def judged(world: GateWorld, files: dict[str, str | None], *trailers: str) -> Verdict:
    """The verdict on a branch of main that changes these files, measured with the same cases."""
    world.repo.git("switch", "-q", "-C", "topic", "main")
    world.repo.commit("Work", trailers, files=files)
    world.measure({"a": "passed", "b": "passed"})
    here = place.find(str(world.repo.path), world.repo.env)
    return gate.by_hand(here, gate.ByHand("main", "topic"), time.time())


def told(verdict: Verdict) -> dict[Code, list[str]]:
    rows: dict[Code, list[str]] = {}
    for finding in verdict.findings:
        rows.setdefault(finding.code, []).append(f"{finding.case or ''} {finding.message}")
    return rows


# reason: files of the change, what the note says ("": there is none), which keys are loosened
CHANGES: dict[str, tuple[dict[str, str | None], str, list[str]]] = {
    "only-the-code": ({"src/cart.py": "x = 2\n"}, "", []),
    "a-file-that-pytest-does-not-read": ({"web/jest.config.js": "module.exports = {}\n"}, "", []),
    "another-part-of-a-shared-file": ({"pyproject.toml": "[project]\nname = 'cart'\nversion = '2'\n"}, "", []),
    "a-conftest": ({"tests/conftest.py": "import os\nimport sys\n"}, "tests/conftest.py (+1 -0)", []),
    "a-conftest-that-is-gone": ({"tests/conftest.py": None}, "tests/conftest.py (gone, +0 -1)", []),
    "what-the-ci-runs": ({".github/workflows/test.yml": "on: push\n"}, ".github/workflows/test.yml (new, +1 -0)", []),
    "the-policy": ({"allowed_signers": "# nobody\n"}, "allowed_signers (new, +1 -0)", []),
    "snapshots-are-one": (
        {f"tests/__snapshots__/{n}.ambr": "1\n2\n" for n in range(20)}, "20 snapshots (+40 -0)", [],
    ),
    "a-configuration-that-selects-nothing-less": ({"pytest.ini": "[pytest]\naddopts = -v\n"}, "pytest.ini (+1 -1)", []),
    "a-configuration-that-selects-less": (
        {"pytest.ini": "[pytest]\naddopts = -q -k a\n"}, "pytest.ini (+1 -1)", ["suite.unit.surface:pytest.ini"],
    ),
    "a-stronger-file-that-selects-less": (
        {"pytest.toml": '[pytest]\ntestpaths = ["tests/fast"]\n'},
        "pytest.toml (new, +2 -0)",
        ["suite.unit.surface:pytest.toml"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "note", "keys"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_the_surface(world: GateWorld, files: dict[str, str | None], note: str, keys: list[str]) -> None:
    verdict = judged(world, files)
    rows = told(verdict)
    assert bool(rows.get(Code.SURFACE_CHANGED)) is bool(note)
    assert note in "".join(rows.get(Code.SURFACE_CHANGED, []))
    assert [r.split(" ")[0] for r in rows.get(Code.POLICY_LOOSENED, [])] == keys
    assert verdict.decision is (Decision.REFUSED if keys else Decision.ALLOWED)


def test_the_line_that_the_verdict_offers_discloses_it(world: GateWorld) -> None:
    files: dict[str, str | None] = {"pytest.ini": "[pytest]\naddopts = -q -k a\n"}
    refused = next(f for f in judged(world, files).findings if f.code is Code.POLICY_LOOSENED)
    offered = [line for line in refused.next_step.splitlines() if line.startswith("Test-Policy:")]
    assert offered
    verdict = judged(world, files, offered[0].replace("<reason>", "the slow ones run at night (#7)"))
    assert verdict.decision is Decision.ALLOWED


def test_an_unchanged_surface_costs_one_process_and_no_table_of_runners(
    world: GateWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.repo.git("switch", "-q", "-C", "topic", "main")
    world.repo.commit(files={"src/cart.py": "x = 3\n"})
    asked: list[tuple[object, ...]] = []
    real = Git.run

    def run(self: Git, *words: str | bytes, **how: object) -> object:
        asked.append(words)
        return real(self, *words, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "run", run)
    here = place.find(str(world.repo.path), world.repo.env)
    asked.clear()
    trees = world.repo.sha("main^{tree}"), world.repo.sha("topic^{tree}")
    assert surface_changes.findings(here.git, *trees, {}) == []
    assert len(asked) == 1
    assert surface_changes.findings(here.git, trees[0], trees[0], {}) == []
    assert len(asked) == 1
