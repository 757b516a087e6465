"""Receipts: a push past the hook shows afterwards, and a push that only pretends leaves nothing."""

from __future__ import annotations

import contextlib
import io
import json
import time
from pathlib import Path

import pytest
from gate_world import GateWorld, said
from repo_builder import RepoBuilder
from test_attestation import faults

from shipmoor_hooks import place
from shipmoor_hooks.cli.context import Call
from shipmoor_hooks.cli.judgement_view import answered
from shipmoor_hooks.quick.push_caller import is_dry_run, pretends, push_options
from shipmoor_hooks.receipts import Judgement, Standing, judged
from shipmoor_hooks.sharing.foreign import foreign_dir
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Receipt

# ---------------------------------------------------------------- what the command line of git says


@pytest.mark.parametrize(
    ("line", "dry"),
    [
        pytest.param("git push", False, id="nothing said"),
        pytest.param("git push origin main", False, id="a remote and a ref"),
        pytest.param("git push -- -n", False, id="a remote named like the flag"),
        pytest.param("git push -o n origin", False, id="a push option named like the flag"),
        pytest.param("git push -on origin", False, id="a push option joined to its letter"),
        pytest.param("git push --repo --dry-run origin", False, id="a value that looks like the flag"),
        pytest.param("git push --dry-run --no-dry-run", False, id="taken back"),
        pytest.param("git push --delete origin x", False, id="another long option with d"),
        pytest.param("git push -n", True, id="the short flag"),
        pytest.param("git push -fn origin", True, id="the short flag beside another"),
        pytest.param("git push -no x origin", True, id="the short flag before one that takes a value"),
        pytest.param("git push --dry-run origin main", True, id="the long flag"),
        pytest.param("git push origin main --dry", True, id="shortened, behind the refs"),
        pytest.param("git -C x -c a=b --no-pager push -n", True, id="behind git's own options"),
        pytest.param("/usr/lib/git-core/git push -n origin", True, id="an alias started it"),
        pytest.param("/usr/lib/git-core/git-push -n", True, id="the dashed form"),
    ],
)
def test_a_dry_run_is_seen_in_the_words(line: str, dry: bool) -> None:
    options = push_options(line.split(" "))
    assert options is not None
    assert pretends(options) is dry


@pytest.mark.parametrize("line", ["git fetch -n", "sh -c push", "git", "", "mygit push -n", "git -C push status -n"])
def test_other_commands_are_no_push(line: str) -> None:
    assert push_options(line.split(" ")) is None


def test_the_processes_above_are_asked() -> None:
    assert is_dry_run() is False  # whatever started the tests, it was no `git push`
    assert is_dry_run(2**30) is False  # no such process


# ---------------------------------------------------------------- real pushes


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    return GateWorld.create(repo, installed_python)


def receipts(world: GateWorld) -> tuple[Receipt, ...]:
    return records.every(str(world.repo.path / ".git"), Receipt)[0]


def judgement(world: GateWorld, revision: str = "HEAD") -> Judgement:
    return judged(place.find(str(world.repo.path), world.repo.env), revision)


def test_a_dry_run_is_judged_and_leaves_no_receipt(world: GateWorld) -> None:
    world.branch("work", ["a"])
    for words in (["--dry-run", "origin", "work"], ["-n", "origin", "work"]):
        done = world.push(*words)
        assert done.returncode == 1
        assert "CASE_REMOVED" in said(done)
    assert receipts(world) == ()
    assert world.repo.process(["git", "-c", "alias.try=push -n", "try", "origin", "work"]).returncode == 1
    assert world.repo.process(["sh", "-c", "git push --dry-run origin work; true"]).returncode == 0
    assert receipts(world) == ()


def test_a_push_leaves_one_that_says_what_was_judged(world: GateWorld) -> None:
    base = world.repo.sha()
    tip = world.branch("work", ["a", "b", "c"])
    before = time.time()
    assert world.push("origin", "work").returncode == 0
    (receipt,) = receipts(world)
    assert (receipt.commit, receipt.tree, receipt.bases) == (tip, world.repo.sha(f"{tip}^{{tree}}"), (base,))
    assert (receipt.ref, receipt.verdict, receipt.codes) == ("refs/heads/work", "allowed", ("CASE_ADDED",))
    assert before <= receipt.recorded <= time.time()
    assert judgement(world).standing is Standing.JUDGED
    assert judgement(world).on == ("origin/work",)


def test_a_push_past_the_hook_shows_afterwards(world: GateWorld) -> None:
    world.branch("work", ["a"])
    assert world.push("--no-verify", "origin", "work").returncode == 0
    past = judgement(world)
    assert (past.standing, past.on) == (Standing.NOT_JUDGED, ("origin/work",))


def test_a_push_that_was_refused_and_then_forced_past_the_hook_shows_too(world: GateWorld) -> None:
    world.branch("work", ["a"])
    assert world.push("origin", "work").returncode == 1
    assert world.push("--no-verify", "origin", "work").returncode == 0
    told = judgement(world)
    assert (told.standing, told.allowed) == (Standing.JUDGED, False)
    assert told.receipts[0].codes == ("CASE_REMOVED",)


def test_commits_that_a_judged_push_brought_along_are_judged_with_its_tip(world: GateWorld) -> None:
    world.branch("work", ["a", "b"])
    middle = world.repo.sha()
    tip = world.commit(["a", "b", "c"])
    assert world.push("origin", "work").returncode == 0
    told = judgement(world, middle)
    assert (told.standing, told.within) == (Standing.JUDGED, tip)
    assert judgement(world, "main").standing is Standing.NOT_JUDGED


def test_an_amended_message_keeps_its_judgement(world: GateWorld) -> None:
    world.branch("work", ["a", "b", "c"])
    assert world.push("origin", "work").returncode == 0
    world.repo.git("commit", "-q", "--amend", "-m", "Say it better")
    assert judgement(world).standing is Standing.JUDGED


def test_a_receipt_that_was_fetched_is_from_elsewhere(world: GateWorld) -> None:
    tip = world.branch("work", ["a", "b", "c"])
    assert world.push("origin", "work").returncode == 0
    common = world.repo.path / ".git"
    (receipt,) = receipts(world)
    (common / "shipmoor-hooks" / "records").rename(common / "shipmoor-hooks" / "aside")
    Path(foreign_dir(str(common))).mkdir()
    records.write(foreign_dir(str(common)), receipt)
    told = judgement(world, tip)
    assert (told.standing, told.receipts) == (Standing.ELSEWHERE, (receipt,))


def test_a_receipt_that_cannot_be_kept_stops_no_push(world: GateWorld) -> None:
    world.branch("work", ["a", "b", "c"])
    (world.repo.path / ".git" / "shipmoor-hooks" / "records").symlink_to(world.repo.path.parent)
    done = world.push("origin", "work")
    assert done.returncode == 0
    assert "no receipt of this verdict was kept" in said(done)


def test_deletions_and_tags_leave_none(world: GateWorld) -> None:
    world.repo.git("tag", "v1")
    assert world.push("origin", "v1").returncode == 0
    assert world.push("origin", ":v1").returncode == 0
    assert receipts(world) == ()


# ---------------------------------------------------------------- what is said about a commit


def told(world: GateWorld, revision: str, output: str = "text") -> tuple[int | None, str]:
    call = Call(str(world.repo.path), world.repo.env, quiet=False, verbose=False)
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = answered(call, place.find(str(world.repo.path), world.repo.env), [revision], output)
    return code, text.getvalue()


def test_a_commit_is_told_to_be_judged_refused_or_unseen(world: GateWorld) -> None:
    world.branch("good", ["a", "b", "c"])
    world.branch("bad", ["a"])
    world.branch("past", ["a"], at="bad")
    world.repo.git("commit", "-q", "--allow-empty", "-m", "Alone")
    world.repo.commit("More", files={"x": "y"})
    assert world.push("origin", "good").returncode == 0
    assert world.push("origin", "bad").returncode == 1
    assert world.push("--no-verify", "origin", "bad", "past").returncode == 0
    code, text = told(world, "good")
    assert (code, "judged" in text, "allowed against" in text) == (0, True, True)
    code, text = told(world, "bad")
    assert (code, "refused against" in text, "past the hook" in text) == (1, True, True)
    code, text = told(world, "past")
    assert (code, "not judged" in text, "past the hook, or from elsewhere" in text) == (3, True, True)
    assert told(world, "no-such-commit") == (None, "")
    for name in ("good", "bad", "past"):
        assert faults("judgement-1", json.loads(told(world, name, "json")[1].split("\n  next:")[0])) == []
