"""`disclose` writes trailers into HEAD's message and touches nothing else (design, sections 4 and 7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_world import GateWorld, said
from repo_builder import RepoBuilder

from shipmoor_hooks import disclose
from shipmoor_hooks.errors import GitFault, UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Decision, Disclosure, Finding, Revision, Trailer, Verdict

NOWHERE = Revision(None, None)
LINES = ["Test-Removed: a -- gone (#1)", "Test-Removed: b -- gone (#1)", "Test-Skipped: c -- slow (#2)"]


def finding(case: str, code: Code = Code.CASE_REMOVED, **how: object) -> Finding:
    return Finding(code, "It is gone.", suite="unit", case=case, **how)  # type: ignore[arg-type]


def verdict(*findings: Finding) -> Verdict:
    return Verdict(Decision.REFUSED, True, NOWHERE, NOWHERE, (), findings)


# ---------------------------------------------------------------- which findings, which lines


def test_only_what_words_can_disclose_and_none_does_yet() -> None:
    disclosed = finding("b", disclosed=Disclosure("c0ffee", Trailer.REMOVED, "gone"))
    red, note = finding("c", Code.CASE_RED), finding("d", Code.CASE_ADDED)
    assert disclose.open_findings(verdict(disclosed, red, note)) == []
    assert disclose.open_findings(verdict(finding("a"), disclosed, red, note, finding("a"))) == [finding("a")]


def test_a_reason_becomes_one_line() -> None:
    lines = disclose.trailers_for([finding("t.py::a")], lambda _: "  it\n moved\taway ")
    assert lines == ["Test-Removed: t.py::a -- it moved away"]


@pytest.mark.parametrize("reason", ["", "  ", "\n\t"])
def test_an_empty_reason_is_none(reason: str) -> None:
    with pytest.raises(UsageFault, match="needs a reason"):
        disclose.trailers_for([finding("a")], lambda _: reason)


# ---------------------------------------------------------------- the amend


@pytest.fixture
def git(repo: RepoBuilder) -> Git:
    repo.commit("First", files={"a.txt": "1\n"})
    return Git(str(repo.path), repo.env)


def trailers(repo: RepoBuilder) -> list[str]:
    return repo.git("-c", "trailer.separators=:", "log", "-1", "--format=%(trailers:only)").splitlines()


def test_the_trailers_are_added_and_the_tree_stays(git: Git, repo: RepoBuilder) -> None:
    repo.commit("Second\n\nBody with a\nline of dashes\n---\nbelow", ["Signed-off-by: Ada <a@example.org>"])
    repo.write("staged.txt", "x")
    repo.git("add", "staged.txt")
    repo.write("a.txt", "edited\n")
    before = (repo.sha("HEAD^{tree}"), repo.git("status", "--porcelain"), repo.sha("HEAD^"))
    disclose.amend(git, LINES)
    assert (repo.sha("HEAD^{tree}"), repo.git("status", "--porcelain"), repo.sha("HEAD^")) == before
    assert trailers(repo) == ["Signed-off-by: Ada <a@example.org>", *LINES]
    assert repo.git("log", "-1", "--format=%B").startswith("Second\n\nBody with a\nline of dashes\n---\nbelow\n\n")


@pytest.mark.parametrize("setting", ["trailer.ifexists=replace", "trailer.ifmissing=doNothing", "trailer.where=start",
                                     "trailer.separators=#", "commit.verbose=true"])  # fmt: skip
def test_the_user_s_settings_lose_no_line(git: Git, repo: RepoBuilder, setting: str) -> None:
    repo.git("config", *setting.split("=", 1))
    disclose.amend(git, LINES)
    assert trailers(repo) == LINES


def test_a_line_that_stands_there_already_is_not_said_twice(git: Git, repo: RepoBuilder) -> None:
    disclose.amend(git, LINES)
    disclose.amend(git, LINES[:1])
    assert trailers(repo) == LINES


def test_a_hook_that_refuses_the_commit_is_heard(git: Git, repo: RepoBuilder) -> None:
    hook = repo.path / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no Fridays' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = repo.sha()
    with pytest.raises(GitFault, match="no Fridays"):
        disclose.amend(git, LINES)
    assert repo.sha() == before


# ---------------------------------------------------------------- the command


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    world = GateWorld.create(repo, installed_python, cases=("a", "b", "c"))
    world.branch("work", ["a"])
    return world


def test_one_reason_for_all_and_the_gate_is_content(world: GateWorld) -> None:
    assert world.repo.tool("gate").returncode == 1
    shown = world.repo.tool("disclose", "--dry-run", "--reason", "the endpoint is gone (#212)")
    assert shown.returncode == 0, said(shown)
    assert trailers(world.repo) == []
    done = world.repo.tool("disclose", "--reason", "the endpoint is gone (#212)")
    assert done.returncode == 0, said(done)
    assert done.stdout == shown.stdout
    assert trailers(world.repo) == [
        f"Test-Removed: tests/test_set.py::test_{c} -- the endpoint is gone (#212)" for c in "bc"
    ]
    assert world.repo.tool("gate").returncode == 0
    again = world.repo.tool("disclose", "--reason", "again")
    assert (again.returncode, b"nothing that a trailer could disclose" in again.stderr) == (0, True)


def test_several_reasons_are_taken_in_turn(world: GateWorld) -> None:
    done = world.repo.tool("disclose", "--reason", "first (#1)", "--reason", "second (#2)")
    assert done.returncode == 0, said(done)
    assert [t.partition(" -- ")[2] for t in trailers(world.repo)] == ["first (#1)", "second (#2)"]


def test_too_few_reasons_and_nobody_to_ask(world: GateWorld) -> None:
    before = world.repo.sha()
    done = world.repo.tool("disclose")
    assert done.returncode == 2
    assert b"--reason" in done.stderr
    assert world.repo.sha() == before
