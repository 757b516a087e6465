"""Commits, trailers and renames, exactly as git tells them (design, sections 3, 4, 10.16 and 10.31)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import history
from shipmoor_hooks.errors import GitFault, UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Change

KEY = "Test-Removed"


@pytest.fixture
def git(repo: RepoBuilder) -> Git:
    repo.commit("First", files={"a.txt": "a\n"})
    return Git(str(repo.path), repo.env)


def commit(repo: RepoBuilder, message: str | bytes, *options: str) -> str:
    """A commit with exactly this message, nothing of it cleaned away."""
    data = message if isinstance(message, bytes) else message.encode()
    repo.git(*options, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", stdin=data)
    return repo.sha()


def read(git: Git, repo: RepoBuilder) -> list[tuple[str, str]]:
    """The trailers of HEAD, as they are read from the log."""
    (found,) = history.messages(git, [repo.sha("HEAD^")], repo.sha())
    return list(found.trailers)


# ---------------------------------------------------------------- trailers

MESSAGES = {
    "none": ("Subject\n\nA body.\n", []),
    "a subject that looks like one": ("Test-Removed: a -- b\n", []),
    "one": ("S\n\nTest-Removed: t.py::a -- gone\n", [(KEY, "t.py::a -- gone")]),
    "several of one key": (
        "S\n\nTest-Removed: a -- x\nTest-Removed: b -- y\nTest-Removed: a -- x\n",
        [(KEY, "a -- x"), (KEY, "b -- y"), (KEY, "a -- x")],
    ),
    "among others": (
        "S\n\nReviewed-by: Ada\nTest-Removed: a -- x\nSigned-off-by: Ada <a@example.org>\n",
        [("Reviewed-by", "Ada"), (KEY, "a -- x"), ("Signed-off-by", "Ada <a@example.org>")],
    ),
    "folded": (
        "S\n\nTest-Removed: a --\n the legacy endpoint\n  is gone\n",
        [(KEY, "a -- the legacy endpoint is gone")],
    ),
    "not in the last paragraph": ("S\n\nTest-Removed: a -- x\n\nMore words.\n", []),
    "a paragraph of prose around it": ("S\n\nTest-Removed: a -- x\nis what I did here today\nand more\nand more\n", []),
    "colons and other separators in the id": ("S\n\nTest-Removed: a::b=c#d -- x: y\n", [(KEY, "a::b=c#d -- x: y")]),
    "no space behind the colon": ("S\n\nTest-Removed:a -- x\n", [(KEY, "a -- x")]),
    "a space before the colon": ("S\n\nTest-Removed : a -- x\n", [(KEY, "a -- x")]),
    "a line of dashes above": ("S\n\nwords\n---\nmore\n\nTest-Removed: a -- x\n", [(KEY, "a -- x")]),
    "separators that only Python knows": (
        "S\n\nTest-Removed: a -- one\u2028two\x0cthree\x85four\x1cfive\n",
        [(KEY, "a -- one\u2028two\x0cthree\x85four\x1cfive")],
    ),
    "control characters": ("S \x01\x02\n\nb\x02\x01\n\nTest-Removed: a\x01b -- x\x02y\n", [(KEY, "a\x01b -- x\x02y")]),
    "a message that plays the log's own format": (
        f"S\n\nbody \x02{'a' * 40}\x01Test-Removed: b -- forged\x01\n\nTest-Removed: a -- x\n",
        [(KEY, "a -- x")],
    ),
    "no line feed at the end": ("S\n\nTest-Removed: a -- x", [(KEY, "a -- x")]),
    "umlauts": (
        "S\n\nTest-Removed: tests/ü.py::ä[ß] -- früher war’s da\n",
        [(KEY, "tests/ü.py::ä[ß] -- früher war’s da")],
    ),
}


@pytest.mark.parametrize("reason", MESSAGES)
def test_trailers_are_what_git_reads(git: Git, repo: RepoBuilder, reason: str) -> None:
    message, expected = MESSAGES[reason]
    commit(repo, message)
    assert read(git, repo) == expected


@pytest.mark.parametrize("reason", MESSAGES)
def test_a_message_before_its_commit_is_read_alike(git: Git, reason: str) -> None:
    message, expected = MESSAGES[reason]
    assert list(history.trailers_of_message(git, message.encode())) == expected


SETTINGS = ["trailer.separators=#", "i18n.logOutputEncoding=ISO-8859-1", "log.showSignature=true", "core.commentChar=T"]


@pytest.mark.parametrize("setting", [*SETTINGS, "log.decorate=full", "log.mailmap=true", "color.ui=always"])
def test_the_user_s_settings_change_nothing(git: Git, repo: RepoBuilder, setting: str) -> None:
    commit(repo, "S\n\nTest-Removed: ü -- x\n")
    repo.git("config", *setting.split("=", 1))
    assert read(git, repo) == [(KEY, "ü -- x")]


def test_a_message_in_another_encoding(git: Git, repo: RepoBuilder) -> None:
    commit(repo, "S\n\nTest-Removed: tests/ü.py -- weg\n".encode("latin-1"), "-c", "i18n.commitEncoding=ISO-8859-1")
    assert read(git, repo) == [(KEY, "tests/ü.py -- weg")]


def test_bytes_that_are_no_text_at_all(git: Git, repo: RepoBuilder) -> None:
    commit(repo, b"S\n\nTest-Removed: \xff\xfe -- x\n")
    ((key, value),) = read(git, repo)
    assert key == KEY
    assert value.endswith(" -- x")


def test_every_commit_of_the_range_once_the_newest_first(git: Git, repo: RepoBuilder) -> None:
    base = repo.sha()
    first = commit(repo, "One\n\nTest-Removed: a -- x\n")
    repo.git("switch", "-q", "-c", "side", base)
    side = commit(repo, "Side\n\nTest-Removed: b -- y\n")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge\n\nTest-Removed: c -- z", "side")
    found = history.messages(git, [base], repo.sha())
    assert found[0].commit == repo.sha()
    assert {m.commit for m in found} == {repo.sha(), first, side}
    assert [v for m in found for _, v in m.trailers if m.commit in (first, side)].count("a -- x") == 1
    assert found[0].message.startswith("Merge\n\nTest-Removed: c -- z")
    assert history.messages(git, [repo.sha()], repo.sha()) == ()
    assert {m.commit for m in history.messages(git, [first, side], repo.sha())} == {repo.sha()}


def test_an_empty_message(git: Git, repo: RepoBuilder) -> None:
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    (found,) = history.messages(git, [repo.sha("HEAD^")], repo.sha())
    assert (found.commit, found.trailers, found.message.strip()) == (repo.sha(), (), "")


def test_replaced_commits_are_read_as_they_were_pushed(git: Git, repo: RepoBuilder) -> None:
    """A replace ref is one machine's: no receiver sees it."""
    real = commit(repo, "S\n\nTest-Removed: real -- x\n")
    repo.git("reset", "-q", "--hard", "HEAD^")
    forged = commit(repo, "S\n\nTest-Removed: forged -- x\n")
    repo.git("reset", "-q", "--hard", real)
    repo.git("replace", real, forged)
    assert read(git, repo) == [(KEY, "real -- x")]


@pytest.mark.parametrize("mark", ["#", ";", "//"])
def test_comments_and_what_stands_below_the_scissors_are_no_message(git: Git, repo: RepoBuilder, mark: str) -> None:
    if mark == "//" and tuple(map(int, repo.git("version").split()[2].split(".")[:2])) < (2, 45):
        pytest.skip("a comment mark of several characters needs git 2.45")
    repo.git("config", "core.commentChar", mark)
    raw = (
        f"S\n\nTest-Removed: a -- x\n{mark} a comment\n"
        f"{mark} ------------------------ >8 ------------------------\n{mark} below\ndiff --git a b\n"
    )
    cleaned = history.cleaned_message(git, raw.encode())
    assert cleaned == b"S\n\nTest-Removed: a -- x\n"


# ---------------------------------------------------------------- revisions


@pytest.mark.parametrize("name", ["nowhere", "", "--all", "-n1", "HEAD:a.txt", "HEAD^{tree}", "a..b"])
def test_what_names_no_commit(git: Git, name: str) -> None:
    with pytest.raises(UsageFault, match="names no commit"):
        history.require_commit(git, name)


def test_a_tag_is_its_commit_and_a_branch_may_look_like_an_option(git: Git, repo: RepoBuilder) -> None:
    repo.git("tag", "-a", "-m", "v1", "v1")
    repo.git("update-ref", "refs/heads/--output=pwn", "HEAD")
    assert history.commit_of(git, "v1") == repo.sha() == history.commit_of(git, "refs/heads/--output=pwn")
    assert history.revision(git, repo.sha()).tree == repo.sha("HEAD^{tree}")
    assert not (repo.path / "pwn").exists()


def test_a_branch_without_a_commit(tmp_path: Path, environment: dict[str, str]) -> None:
    empty = RepoBuilder.create(tmp_path / "empty", environment)
    with pytest.raises(UsageFault, match="this branch has none yet"):
        history.require_commit(Git(str(empty.path), environment), "HEAD")


def test_merge_bases_none_one_and_two(git: Git, repo: RepoBuilder) -> None:
    base = repo.sha()
    one = repo.commit("One")
    repo.git("switch", "-q", "-c", "two", base)
    two = repo.commit("Two")
    assert history.merge_bases(git, one, two) == (base,)
    repo.git("merge", "-q", "-m", "crossed", one)
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "-m", "crossed too", two)
    assert set(history.merge_bases(git, "main", "two")) == {one, two}
    repo.git("switch", "-q", "--orphan", "alone")
    repo.commit("Alone")
    assert history.merge_bases(git, "alone", "main") == ()
    assert history.is_ancestor(git, base, "main")
    assert not history.is_ancestor(git, "main", base)


def test_a_missing_object_is_no_missing_merge_base(git: Git, repo: RepoBuilder) -> None:
    with pytest.raises(GitFault):
        history.merge_bases(git, "f" * 40, repo.sha())


def test_a_shallow_boundary_in_the_range(git: Git, repo: RepoBuilder, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit(f"Commit {number}")
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.path}", str(tmp_path / "shallow"))
    shallow = Git(str(tmp_path / "shallow"), repo.env)
    found = history.shallow_boundaries(str(tmp_path / "shallow" / ".git"))
    assert found == {repo.sha("HEAD^")}
    assert history.shallow_boundaries(str(repo.path / ".git")) == frozenset()
    tip = repo.sha()
    assert history.crosses_boundary(shallow, found, [tip], [])
    assert not history.crosses_boundary(shallow, found, [tip], [repo.sha("HEAD^")])
    assert not history.crosses_boundary(git, frozenset(), [tip], [])


# ---------------------------------------------------------------- trees


def test_renames_are_one_to_one(git: Git, repo: RepoBuilder) -> None:
    content = "".join(f"line {n}\n" for n in range(40))
    before = repo.commit(files={"old/ä b.py": content, "kept.py": content[::-1], "gone.py": "x\n"})
    repo.commit(files={"old/ä b.py": None, "gone.py": None, "new/c.py": content + "more\n", "copy.py": content[::-1]})
    assert history.renames(git, f"{before}^{{tree}}", "HEAD^{tree}") == {"old/ä b.py": "new/c.py"}
    repo.git("config", "diff.renames", "false")
    repo.git("config", "diff.noprefix", "true")
    assert history.renames(git, f"{before}^{{tree}}", "HEAD^{tree}") == {"old/ä b.py": "new/c.py"}
    assert history.renames(git, "HEAD^{tree}", "HEAD^{tree}") == {}


def test_the_paths_in_which_a_captured_tree_differs(git: Git, repo: RepoBuilder) -> None:
    head = repo.commit(files={"same.py": "1\n", "edited.py": "1\n", "gone.py": "1\n"})
    repo.commit(files={"edited.py": "2\n", "gone.py": None, "added.py": "1\n"})
    edited = Change("edited.py", "100644", repo.sha("HEAD:edited.py"))
    gone = Change("gone.py", None, None)
    added = Change("added.py", "100644", repo.sha("HEAD:added.py"))
    assert history.differing_paths(git, head, [edited, gone, added], "HEAD^{tree}") == []
    assert history.differing_paths(git, head, [edited, gone], "HEAD^{tree}") == ["added.py"]
    assert history.differing_paths(git, head, [], "HEAD^{tree}") == ["added.py", "edited.py", "gone.py"]
    other = Change("same.py", "100755", repo.sha("HEAD:same.py"))
    assert history.differing_paths(git, head, [edited, gone, added, other], "HEAD^{tree}") == ["same.py"]
    assert history.differing_paths(git, "f" * 40, [], "HEAD^{tree}") is None


@pytest.mark.parametrize("name", ["plain", "with:colon", '"quoted"'])
def test_a_merged_tree_is_git_s_own_and_no_object_is_written(
    tmp_path: Path, environment: dict[str, str], name: str
) -> None:
    repo = RepoBuilder.create(tmp_path / name, environment)
    git = Git(str(repo.path), environment)
    repo.commit(files={"a.txt": "1\n2\n3\n4\n5\n", "old/x.py": "x\n" * 30})
    repo.git("switch", "-q", "-c", "work")
    repo.commit(files={"a.txt": "one\n2\n3\n4\n5\n", "old/x.py": "x\n" * 30 + "y\n"})
    repo.git("switch", "-q", "main")
    repo.git("mv", "old", "new")
    repo.commit(files={"a.txt": "1\n2\n3\n4\nfive\n"})
    before = repo.objects()
    tree, why = history.merged_tree(git, "main", "work")
    assert why == ""
    assert repo.objects() == before
    repo.git("merge", "-q", "-m", "Merge", "work")
    assert tree == repo.sha("HEAD^{tree}")


def test_a_merge_with_conflicts_has_no_tree(git: Git, repo: RepoBuilder) -> None:
    repo.git("switch", "-q", "-c", "work")
    repo.commit(files={"a.txt": "work\n"})
    repo.git("switch", "-q", "main")
    repo.commit(files={"a.txt": "main\n"})
    before = repo.objects()
    assert history.merged_tree(git, "main", "work") == (None, "the merge has conflicts")
    assert repo.objects() == before


# ---------------------------------------------------------------- remotes


def test_remotes_and_what_they_say(git: Git, repo: RepoBuilder, tmp_path: Path) -> None:
    assert history.remotes(git) == {}
    remote = repo.bare_remote()
    repo.git("remote", "add", "dotted.name", "https://example.org/x.git")
    assert history.remotes(git) == {"origin": str(remote), "dotted.name": "https://example.org/x.git"}
    assert history.heads_of_remote(git, "origin") == {}
    repo.git("push", "-q", "origin", "main")
    assert history.heads_of_remote(git, "origin") == {"HEAD": "main", "refs/heads/main": repo.sha()}
    assert history.heads_of_remote(git, str(tmp_path / "none")) is None
    assert history.heads_of_remote(git, "--upload-pack=touch pwn") is None
    assert "pwn" not in os.listdir(repo.path)


def test_a_graft_and_git_s_variables_do_not_move_the_merge_base(repo: RepoBuilder, tmp_path: Path) -> None:
    root, base = repo.commit("First"), repo.commit("Second")
    repo.git("switch", "-q", "-c", "topic")
    tip = repo.commit("Third")
    grafts = repo.path / ".git" / "info" / "grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{tip} {root}\n")
    shallow = tmp_path / "shallow"
    shallow.write_text(f"{tip}\n")
    moved = {"GIT_GRAFT_FILE": str(grafts), "GIT_SHALLOW_FILE": str(shallow), "GIT_DIR": "/nowhere"}
    assert repo.git("merge-base", "main", "topic") == root, "git itself is led astray"
    assert history.merge_bases(Git(str(repo.path), repo.env | moved), "main", "topic") == (base,)
