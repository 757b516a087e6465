"""Captured results of evals: expectations, first runs, cases that are missing, and results that are not of this tree."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from capture_world import CaptureWorld
from eval_world import MANIFEST, POLICY, SAYS, EvalSpec, files, result, written

from shipmoor_hooks.capture import Captured
from shipmoor_hooks.eval_model import EvalRun
from shipmoor_hooks.model import Code
from shipmoor_hooks.trees.folder_tree import below, listing, tree_name

PLAN, CHECK = EvalSpec("plan"), EvalSpec("check")


class EvalCaptureWorld(CaptureWorld):
    """`of` captures a result of these cases, measured `age` seconds ago."""

    def start(self, cases: Sequence[EvalSpec], more: dict[str, str] | None = None) -> str:
        made = self.repo.commit("The suite", files=MANIFEST | files(cases) | (more or {}))
        self.settle()
        return made

    def of(self, cases: Sequence[EvalSpec], *, age: float = 60.0, name: str = "r", **how: Any) -> Captured:
        tree = {k: how.pop(k) for k in ("tree", "partial") if k in how}
        document = result(cases, self.now - age, **{"root": str(self.repo.path)} | how)
        path = self.report(f"build/{name}.json", written(document).decode(), age=age)
        where = self.place
        from shipmoor_hooks import capture, policy

        rules = policy.load_worktree(where)
        assert rules is not None
        suite = rules.suites["evals"]
        return capture.import_reports(where, rules, suite, [str(path)], environ=self.repo.env, now=self.now, **tree)


@pytest.fixture
def world(repo: Any) -> EvalCaptureWorld:
    return EvalCaptureWorld.create(repo, POLICY)  # type: ignore[return-value]


def evals_of(captured: Captured) -> EvalRun:
    assert captured.run.evals is not None
    return captured.run.evals


def codes(captured: Captured) -> list[Code]:
    return [p.code for p in captured.run.problems]


# ---------------------------------------------------------------- expectations


def test_the_expectation_is_gits_name_of_the_folders_tree(world: EvalCaptureWorld) -> None:
    world.start([PLAN, CHECK])
    done = world.of([PLAN, CHECK])
    assert codes(done) == []
    assert str(done.run.count) == "2 of 2"
    for case in evals_of(done).cases:
        assert case.expectation == world.repo.sha(f"HEAD:{case.dir}")
        assert case.registered is True


def test_a_folder_that_is_not_committed_gets_the_name_that_git_will_give_it(world: EvalCaptureWorld) -> None:
    world.start([PLAN])
    for path, text in files([CHECK]).items():
        world.repo.write(path, text)
    world.settle()
    done = world.of([PLAN, CHECK])
    world.repo.commit("The case, afterwards")
    found = {c.id: c for c in evals_of(done).cases}
    assert found["check"].expectation == world.repo.sha("HEAD:evals/check")
    assert (found["check"].registered, found["plan"].registered) == (False, True)


def test_a_first_run_before_the_commit_is_not_undone_by_a_later_one(world: EvalCaptureWorld) -> None:
    world.start([PLAN])
    for path, text in files([CHECK]).items():
        world.repo.write(path, text)
    world.settle()
    world.of([PLAN, CHECK], age=120)
    world.repo.commit("The case, afterwards")
    world.settle()
    again = world.of([PLAN, CHECK], age=60, name="again")
    assert {c.id: c.registered for c in evals_of(again).cases} == {"plan": True, "check": False}


def test_a_changed_expectation_has_a_first_run_of_its_own(world: EvalCaptureWorld) -> None:
    world.start([PLAN])
    for path, text in files([CHECK]).items():
        world.repo.write(path, text)
    world.settle()
    world.of([PLAN, CHECK], age=120)
    other = EvalSpec("check", prompt="Say it again.")
    world.start([PLAN, other])
    done = world.of([PLAN, other], age=60, name="again")
    assert all(c.registered for c in evals_of(done).cases)


def test_a_run_without_a_valid_sample_is_no_first_run(world: EvalCaptureWorld) -> None:
    world.start([PLAN])
    for path, text in files([CHECK]).items():
        world.repo.write(path, text)
    world.settle()
    world.of([PLAN, EvalSpec("check", "E", runs=1)], age=120)
    world.repo.commit("The case, afterwards")
    world.settle()
    assert all(c.registered for c in evals_of(world.of([PLAN, CHECK], age=60, name="again")).cases)


def test_tree_names_are_gits_own(repo: Any) -> None:
    repo.commit(
        files={
            "a/z.txt": "1",
            "a/z/b": "2",
            "a/z.d/c": "3",
            "a/z0": "4",
            "a/\u00e9 x": "5",
            "b": "6",
        }
    )
    os.symlink("z.txt", repo.path / "a" / "link")
    repo.write("a/run.sh", "x", mode=0o755)
    repo.commit("more")
    from shipmoor_hooks import place

    entries = listing(place.find(str(repo.path), repo.env).git, "HEAD")
    for folder in ("a", "a/z", "a/z.d"):
        assert tree_name(below(entries, folder)) == repo.sha(f"HEAD:{folder}")
    assert tree_name(entries) == repo.sha("HEAD^{tree}")
    assert tree_name(below(entries, "nothing")) is None


# ---------------------------------------------------------------- missing cases


BROKEN = {"evals/broken/case.yaml": 'schema_version: "1.1"\nname: broken\nexecution: {prompt: x}\ngraders: []\n'}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        pytest.param(BROKEN, "graders: Array must contain at least 1 element", id="no-grader"),
        pytest.param({"evals/broken/case.yaml": "a: [\n"}, "YAML", id="broken-yaml"),
    ],
)
def test_a_case_that_does_not_load_is_named_and_the_run_stands(
    world: EvalCaptureWorld, more: dict[str, str], says: str
) -> None:
    """The program leaves it out at every run of this tree; that it is gone is for the gate to tell (10.17)."""
    world.start([PLAN], more)
    done = world.of([PLAN])
    assert codes(done) == []
    assert any("evals/broken" in text and says in text for text in done.warnings)
    assert [name.removesuffix("/case.yaml") for name, _ in evals_of(done).missing] == ["evals/broken"]


def test_a_case_that_loads_and_that_the_result_does_not_hold_is_missing(world: EvalCaptureWorld) -> None:
    world.start([PLAN], files([EvalSpec("other")]))
    done = world.of([PLAN])
    assert codes(done) == [Code.RUN_INCOMPLETE]
    assert "it loads" in done.run.problems[0].message


def test_a_selection_lacks_nothing(world: EvalCaptureWorld) -> None:
    world.start([PLAN, CHECK])
    done = world.of([PLAN], suite={"caseFilter": "plan"})
    assert codes(done) == [Code.RUN_PARTIAL]
    assert evals_of(done).alone
    assert evals_of(world.of([PLAN], name="by-hand", age=50, partial=True)).alone


def test_a_single_case_that_says_nothing_of_it_is_no_whole_suite(world: EvalCaptureWorld) -> None:
    world.start([PLAN, CHECK])
    done = world.of([PLAN])
    assert codes(done) == [Code.RUN_INCOMPLETE]
    assert "evals/check" in done.run.problems[0].message


@pytest.mark.parametrize(
    ("more", "says"),
    [
        pytest.param({"evals/case.yml": "x"}, "case.yml", id="a-name-that-is-not-seen"),
        pytest.param(
            {"evals/plan/graders/forgotten.md": "no front matter"}, "forgotten.md", id="a-grader-without-frontmatter"
        ),
        pytest.param({"evals/plan/inner/case.yaml": "x: 1\n"}, "inner", id="a-case-that-another-swallows"),
    ],
)
def test_what_the_program_reads_over_is_told(world: EvalCaptureWorld, more: dict[str, str], says: str) -> None:
    world.start([PLAN], more)
    assert any(says in warning for warning in world.of([PLAN]).warnings)


# ---------------------------------------------------------------- is it about this tree


def test_a_checkout_elsewhere_is_this_tree_by_its_folders(world: EvalCaptureWorld) -> None:
    world.start([PLAN])
    assert codes(world.of([PLAN], root="/nowhere/at/all")) == []


def test_a_plugin_below_the_top_is_found_from_elsewhere(world: EvalCaptureWorld) -> None:
    inner = EvalSpec("plan", dir="plugins/a/evals/plan")
    world.repo.commit(files={"plugins/a/.claude-plugin/plugin.json": "{}", **inner.files()})
    world.settle()
    done = world.of([PLAN], root="/nowhere/plugins/a")
    assert codes(done) == []
    assert evals_of(done).cases[0].dir == "plugins/a/evals/plan"


@pytest.mark.parametrize(
    ("suite", "says"),
    [
        pytest.param({"plugins": []}, "no plugin was loaded", id="no-plugin"),
        pytest.param(
            {"plugins": [{"name": "other", "version": "1", "path": "/elsewhere"}]}, "other", id="another-plugin"
        ),
    ],
)
def test_another_plugin_makes_the_run_incomplete(world: EvalCaptureWorld, suite: dict[str, object], says: str) -> None:
    world.start([PLAN])
    done = world.of([PLAN], suite=suite)
    assert codes(done) == [Code.RUN_INCOMPLETE]
    assert says in done.run.problems[0].message


def test_a_root_that_is_another_folder_here_makes_the_run_incomplete(world: EvalCaptureWorld, tmp_path: Path) -> None:
    world.start([PLAN])
    (tmp_path / "elsewhere").mkdir()
    done = world.of([PLAN], root=str(tmp_path / "elsewhere"))
    assert codes(done) == [Code.RUN_INCOMPLETE]
    assert "elsewhere" in done.run.problems[0].message
    assert str(tmp_path) not in json.dumps([p.message for p in done.run.problems]), (
        "no folder of this machine is stored"
    )


def test_a_case_whose_folder_the_tree_does_not_have(world: EvalCaptureWorld) -> None:
    world.start([PLAN])
    done = world.of([PLAN, CHECK])
    assert codes(done) == [Code.RUN_INCOMPLETE]
    assert "evals/check" in done.run.problems[0].message


# ---------------------------------------------------------------- conditions


def test_conditions_of_an_import(world: EvalCaptureWorld) -> None:
    world.start([PLAN])
    assert dict(world.of([PLAN]).run.conditions) == {
        "ablation": "none",
        "dialect": "plugin-eval",
        "judge": "none",
        "plugins": "this plugin",
        "threshold": "1",
        "tool": "2.1.328",
    }


def test_what_is_stored_comes_back(world: EvalCaptureWorld) -> None:
    world.start([EvalSpec("plan", "PFE", graders=(SAYS, {**SAYS, "name": "twice", "weight": 2}))])
    spec = EvalSpec("plan", "PFE", graders=(SAYS, {**SAYS, "name": "twice", "weight": 2}))
    done = world.of([spec])
    assert world.found().runs == (done.run,)
