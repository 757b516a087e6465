"""The tree of the working tree against git itself, one test a situation, and what the captures say about each other."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from repo_builder import RepoBuilder
from tree_oracle import tree_by_git
from tree_situations import SITUATIONS, Situation, some_files

from shipmoor_hooks import git_process, place
from shipmoor_hooks.errors import GitFault, RepositoryFault
from shipmoor_hooks.trees import git_status, held_folder, temporary_index, tree
from shipmoor_hooks.trees.git_status import Status, read_status
from shipmoor_hooks.trees.tree import TreeCapture, TreeDifference, capture, difference


def captured(repo: RepoBuilder, cwd: Path | None = None, **env: str) -> TreeCapture:
    return capture(place.find(str(cwd or repo.path), repo.env | env))


def untouched(repo: RepoBuilder) -> tuple[object, ...]:
    """What a capture must not change: the index and its time, the object store, refs, files beside the index."""
    index = Path(repo.git("rev-parse", "--path-format=absolute", "--git-path", "index"))
    common = repo.git("rev-parse", "--path-format=absolute", "--git-common-dir")
    stat = (index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino) if index.exists() else None
    return stat, repo.objects(), repo.git("for-each-ref"), sorted(os.listdir(common)), sorted(os.listdir(index.parent))


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda s: s.name)
def test_tree_is_what_git_would_add(situation: Situation, repo: RepoBuilder, tmp_path: Path) -> None:
    built = situation.build(repo)
    before = untouched(repo)
    found = captured(repo, **(dict(built.env) if built else {}))
    assert untouched(repo) == before
    assert found.way == situation.way, found.why
    if situation.reason:
        assert found.tree is None
        assert situation.reason in " ".join(found.reasons)
        assert all(reason.endswith(".") for reason in found.reasons)
        if situation.git_refuses:
            with pytest.raises(AssertionError):
                tree_by_git(repo)
        return
    assert found.reasons == ()
    assert bool(found.why) == (situation.way == "index")
    nested = built.nested if built else ()
    assert found.nested == nested
    for number, path in enumerate(nested):
        os.rename(repo.path / path, tmp_path / f"away-{number}")
    assert found.tree == tree_by_git(repo, env=built.env if built else {}, clear=built.clear if built else ())
    assert (found.head is None) == ("unborn" in situation.name)


# ---------------------------------------------------------------- what a capture says beside the tree


def test_changes_are_what_differs_from_head(repo: RepoBuilder) -> None:
    some_files(repo, **{"gone.txt": "x", "back.txt": "x"})
    (repo.path / "gone.txt").unlink()
    repo.git("rm", "-q", "--cached", "back.txt")
    repo.write("a.txt", "changed\n")
    repo.write("new/x.py", "x", 0o755)
    memory = captured(repo)
    assert [(c.path, c.mode) for c in memory.changes] == [
        ("a.txt", "100644"),
        ("gone.txt", None),
        ("new/x.py", "100755"),
    ]
    assert memory.changes[0].oid == repo.git("hash-object", "a.txt")
    assert memory.changes[1].oid is None
    assert memory.untracked == ("back.txt", "new/x.py")
    assert memory.added == {"new/x.py"}
    assert memory.head == repo.sha()


def test_both_ways_say_the_same(repo: RepoBuilder) -> None:
    some_files(repo, **{"gone.txt": "x"})
    (repo.path / "gone.txt").unlink()
    repo.write("a.txt", "changed\n")
    repo.write("new/x.py", "x")
    memory = captured(repo)
    repo.git("config", "core.ignoreCase", "true")
    index = captured(repo)
    assert (memory.way, index.way) == ("memory", "index")
    assert [(c.tree, c.head, c.changes, c.untracked, c.added) for c in (memory, index)] == [
        (memory.tree, memory.head, memory.changes, memory.untracked, memory.added)
    ] * 2


# Each costs what a tenth of git's status of 10,000 files does, or more; they are what a clean tree could do without.
HEAVY = {
    "pygit2",
    "platformdirs",
    "typer",
    "keyring",
    "subprocess",
    "re",
    "typing",
    "enum",
    "contextlib",
    "dataclasses",
}


def test_a_clean_tree_loads_nothing_heavy(repo: RepoBuilder) -> None:
    some_files(repo)
    code = "import os, sys; from shipmoor_hooks import place; from shipmoor_hooks.trees import tree"
    code += "; print(tree.capture(place.find('.', os.environ)).way)"
    code += f"; print(sorted(({HEAVY!r} | {{'shipmoor_hooks.model'}}) & set(sys.modules)))"
    root = str(Path(place.__file__).parent.parent)
    # Without site, which may load some of them for a library of the user's.
    done = repo.process([sys.executable, "-S", "-c", code], env={"PYTHONPATH": root})
    assert done.stdout.decode() == "head\n[]\n", done.stderr


@pytest.mark.parametrize(
    ("change", "most"),
    [({}, 3), ({"a.txt": "changed\n", "new.txt": "new\n"}, 7)],
    ids=["clean: entries, status, HEAD", "changed: settings, attributes, names, folders too"],
)
def test_a_tree_takes_few_processes(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch, change: dict[str, str], most: int
) -> None:
    some_files(repo)
    for path, text in change.items():
        repo.write(path, text)
    here = place.find(str(repo.path), repo.env)
    started: list[object] = []
    run = git_process.run
    monkeypatch.setattr(git_process, "run", lambda *told, **how: started.append(told[0]) or run(*told, **how))
    assert capture(here).tree == tree_by_git(repo)
    assert len(started) == most, started


@pytest.mark.parametrize("hidden", [b"pygit2", b""], ids=["pygit2 missing: git answers", "pygit2 there (no-op)"])
def test_without_pygit2_the_answer_is_the_same(repo: RepoBuilder, hidden: bytes) -> None:
    some_files(repo)
    repo.write("a.txt", "changed\n")
    repo.write("a:b", "a name that is left to pygit2\n")
    code = f"import os, sys; sys.modules[{hidden.decode()!r}] = None\n"
    code += "from shipmoor_hooks import place; from shipmoor_hooks.trees import tree"
    code += "; c = tree.capture(place.find('.', os.environ)); print(c.way, c.tree)"
    root = str(Path(place.__file__).parent.parent)
    done = repo.process([sys.executable, "-c", code], env={"PYTHONPATH": root})
    assert done.stdout.decode().split() == ["index" if hidden else "memory", tree_by_git(repo)], done.stderr


def test_a_bare_repository_has_no_tree(repo: RepoBuilder) -> None:
    repo.bare_remote()
    with pytest.raises(RepositoryFault, match="bare"):
        captured(repo, repo.path.parent / "origin.git")


def test_a_damaged_index_is_an_error_and_not_a_tree(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / ".git/index").write_bytes(b"DIRC" + b"\0" * 40)
    with pytest.raises(GitFault):
        captured(repo)


def test_temporary_files_stay_out_of_a_worktree_that_holds_tmpdir(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "tmp").mkdir()
    repo.write(".gitattributes", "*.txt text\n")
    found = captured(repo, TMPDIR=str(repo.path / "tmp"))
    assert (found.way, found.untracked) == ("index", (".gitattributes",))
    assert found.tree == tree_by_git(repo)


@pytest.mark.parametrize("commits", [0, 1, 3], ids=["none (no-op)", "one", "at every look"])
def test_a_commit_while_git_looks_is_noticed(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    some_files(repo)
    repo.write("a.txt", "changed\n")
    looks = []

    def looking(git: place.Git) -> Status:
        found = read_status(git)
        if len(looks) < commits:
            repo.commit("Meanwhile", files={"src/b.py": f"{len(looks)}\n"})
        looks.append(found)
        return found

    monkeypatch.setattr(tree, "read_status", looking)
    if commits == 3:
        with pytest.raises(GitFault, match="HEAD kept moving"):
            captured(repo)
        return
    found = captured(repo)
    assert (found.tree, found.head) == (tree_by_git(repo), repo.sha())
    assert len(looks) == commits + 1


# ---------------------------------------------------------------- A13: edits in the second of the index


@pytest.mark.parametrize("way", ["memory", "index", "index after clearing bits"])
def test_equal_size_edits_right_after_a_commit_are_seen(repo: RepoBuilder, way: str) -> None:
    some_files(repo, **{"racy.txt": "0000\n"})
    if way != "memory":
        repo.git("config", "core.ignoreCase", "true")
    for number in range(1, 16):
        repo.write("racy.txt", f"{number:04}\n")
        repo.git("commit", "-q", "-a", "-m", "Racy")
        if way == "index after clearing bits":
            repo.git("update-index", "--assume-unchanged", "racy.txt", "a.txt")
        repo.write("racy.txt", f"{number + 5000:04}\n")
        found = captured(repo)
        assert [(c.path, c.oid) for c in found.changes] == [("racy.txt", repo.git("hash-object", "racy.txt"))]
        assert found.way == way[:6].strip()
        repo.git("update-index", "--no-assume-unchanged", "racy.txt", "a.txt")


# ---------------------------------------------------------------- two captures


def test_nothing_happened(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("a.txt", "changed\n")
    assert difference(captured(repo), captured(repo)) == TreeDifference((), ())


def test_what_changed_vanished_and_appeared(repo: RepoBuilder) -> None:
    some_files(repo, **{"gone.txt": "x", "dirty.txt": "x", "reverted.txt": "x"})
    repo.write("dirty.txt", "1\n")
    repo.write("reverted.txt", "1\n")
    repo.write("new-gone.txt", "1\n")
    repo.write("new-same.txt", "1\n")
    before = captured(repo)
    repo.write("a.txt", "2\n")
    repo.write("dirty.txt", "2\n")
    repo.write("reverted.txt", "x")
    (repo.path / "gone.txt").unlink()
    (repo.path / "new-gone.txt").unlink()
    repo.write("appeared.txt", "x")
    repo.write("staged.txt", "x")
    repo.git("add", "staged.txt")
    found = difference(before, captured(repo))
    assert found.vanished_or_changed == ("a.txt", "dirty.txt", "gone.txt", "new-gone.txt", "reverted.txt")
    assert found.appeared == ("appeared.txt", "staged.txt")
    assert not found.keeps_first


def test_files_that_only_appear_keep_the_first_tree(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "src/b.py").unlink()
    before = captured(repo)
    repo.write("report.xml", "x")
    repo.write("src/b.py", "back again\n")
    found = difference(before, captured(repo))
    assert (found.appeared, found.keeps_first) == (("report.xml", "src/b.py"), True)


def test_a_commit_in_between_changes_nothing_by_itself(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("a.txt", "2\n")
    repo.write("new.txt", "2\n")
    before = captured(repo)
    repo.commit("Second")
    assert difference(before, captured(repo)) == TreeDifference((), ())


def test_a_commit_and_an_edit_in_between(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("a.txt", "2\n")
    before = captured(repo)
    repo.commit("Second", files={"src/b.py": "2\n", "new.txt": "2\n", "src/deep/c.py": None})
    repo.write("tool", "edited\n")
    repo.write("newer.txt", "3\n")
    found = difference(before, captured(repo))
    assert found.vanished_or_changed == ("src/b.py", "src/deep/c.py", "tool")
    assert found.appeared == ("new.txt", "newer.txt")


def test_the_first_commit_in_between(repo: RepoBuilder) -> None:
    repo.write("a.txt", "1\n")
    before = captured(repo)
    repo.commit("First", files={"b.txt": "1\n", "a.txt": "2\n"})
    found = difference(before, captured(repo))
    assert (found.vanished_or_changed, found.appeared) == (("a.txt",), ("b.txt",))
    back = difference(captured(repo), before)
    assert (back.vanished_or_changed, back.appeared) == (("a.txt", "b.txt"), ())


def test_a_capture_without_a_tree_compares_with_nothing(repo: RepoBuilder) -> None:
    some_files(repo)
    before = captured(repo)
    (repo.path / "a.txt").unlink()
    os.mkfifo(repo.path / "a.txt")
    found = difference(before, captured(repo))
    assert "a.txt" in found.reasons[0]
    assert not found.keeps_first


# ---------------------------------------------------------------- known positives: the checks above would fall


def test_the_comparison_falls_for_a_copied_index_without_its_time(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_files(repo, **{"racy.txt": "0000\n"})
    repo.git("config", "core.ignoreCase", "true")
    while time.time() % 1 > 0.3:  # the commit and the edit have to fall into one second
        time.sleep(0.01)
    repo.write("racy.txt", "1111\n")
    repo.git("commit", "-q", "-a", "-m", "Racy")
    repo.write("racy.txt", "2222\n")
    assert captured(repo).tree == tree_by_git(repo) != repo.sha("HEAD^{tree}")
    keep = os.utime
    monkeypatch.setattr(temporary_index.os, "utime", lambda file, ns: keep(file, ns=(ns[0], ns[1] + 2_000_000_000)))
    assert captured(repo).tree == repo.sha("HEAD^{tree}")


def test_the_comparison_falls_for_blobs_without_filters(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    some_files(repo, **{".gitattributes": "*.txt text\n"})
    repo.write("a.txt", "one\r\n")
    assert captured(repo).tree == tree_by_git(repo)
    honest = place.Git.run

    def unfiltered(git: place.Git, *arguments: str, **how: Any) -> Any:
        plain = ["--no-filters"] if "hash-object" in arguments else []
        return honest(git, *arguments, *plain, **how)

    monkeypatch.setattr(place.Git, "run", unfiltered)
    assert captured(repo).tree != tree_by_git(repo)


@pytest.mark.parametrize("at", range((1 << 16) - 6, (1 << 16) + 6))
def test_the_mode_of_a_submodule_is_seen_wherever_it_stands(tmp_path: Path, at: int) -> None:
    (tmp_path / "index").write_bytes(b"\1" * at + b"\0\0\xe0\0" + b"\1" * 70_000)
    assert git_status.may_hold_submodules(str(tmp_path))
    (tmp_path / "index").write_bytes(b"\1" * (at + 70_000))
    assert not git_status.may_hold_submodules(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("index-0123456789abcdef.lock", True),
        ("scratch-tree-0123456789abcdef.lock", True),
        ("index-0123456789abcdef", False),
        ("index-0123456789abcdeg.lock", False),
        ("index-0123456789abcde.lock", False),
        ("-0123456789abcdef.lock", False),
        ("0123456789abcdef.lock", False),
        ("Index-0123456789abcdef.lock", False),
        ("index_1-0123456789abcdef.lock", False),
        ("index-0123456789ABCDEF.lock", False),
        ("index.lock", False),
    ],
)
def test_nothing_is_cleared_away_but_what_is_named_as_ours(name: str, ours: bool) -> None:
    assert held_folder.is_lock(name) is ours
