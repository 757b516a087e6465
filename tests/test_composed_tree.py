"""A tree named from the bytes of its folders, beside libgit2's and git's own, and the names that are left to those."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.git_values import Change
from shipmoor_hooks.repo import compose_tree
from shipmoor_hooks.trees.composed_tree import composed

NAMES = [
    "a",
    "a.b",
    "a0",
    "b/c",
    "b/d/e",
    "b/d/f",
    "b.txt",
    "z",
    "\u00e4/x y",
    "a/deep/er",
    '"q',
    ".github/x",
    "b/.gitignore",
]
THERE = ["a", "a.b", "b/c", "b/d/e", "b/d.x", "z/y/x", "\u00e4/x y"]
CONTENT = st.none() | st.tuples(st.sampled_from(["100644", "100755", "120000"]), st.integers(1, 3))
CHANGES = st.dictionaries(st.sampled_from(NAMES), CONTENT, max_size=6)


def changes_of(told: dict[str, tuple[str, int] | None]) -> tuple[Change, ...]:
    rows = ((path, (None, None) if what is None else (what[0], f"{what[1]}" * 40)) for path, what in told.items())
    return tuple(Change(path, *content) for path, content in sorted(rows))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(CHANGES)
def test_it_is_the_tree_that_libgit2_makes(repo: RepoBuilder, told: dict[str, tuple[str, int] | None]) -> None:
    if not repo.git("for-each-ref"):
        repo.commit(
            files={"a": "1", "a.b": "2", "b/c": "3", "b/d/e": "4", "b/d.x": "5", "z/y/x": "6", "\u00e4/x y": "7"}
        )
    here = place.find(str(repo.path), repo.env)
    changes = changes_of(told)
    paths = [change.path for change in changes if change.oid is not None]
    if any(one.startswith(f"{other}/") for one in paths for other in paths):
        return  # no worktree holds both
    if any(change.oid is None and change.path not in THERE for change in changes):
        return  # what HEAD does not have is not gone
    ours = composed(here.git, repo.sha(), changes)
    assert ours == compose_tree(f"{here.common_dir}/objects", repo.sha(), changes)


@pytest.mark.parametrize(
    "path",
    [".git", "a/.GIT/b", ".git ", "git~1", "a/GIT~2", ".g\u200cit", "a:b", "a\\b", "a//b", "/a", "a/../b", "./a", "n\nl",
    ".gitmodules",
     ".git\u200c"],
)  # fmt: skip
def test_a_name_that_git_may_refuse_is_left_to_it(repo: RepoBuilder, path: str) -> None:
    repo.commit(files={"a": "1"})
    git = place.find(str(repo.path), repo.env).git
    assert composed(git, repo.sha(), [Change(path, "100644", "1" * 40)]) is None
    assert composed(git, repo.sha(), [Change("b", "160000", "1" * 40)]) is None


def test_all_files_gone_is_the_empty_tree(repo: RepoBuilder) -> None:
    repo.commit(files={"a": "1", "b/c": "2"})
    git = place.find(str(repo.path), repo.env).git
    empty = repo.git("hash-object", "-t", "tree", "--stdin")
    assert composed(git, repo.sha(), [Change("a", None, None), Change("b/c", None, None)]) == empty


def test_it_asks_git_once_and_writes_nothing(repo: RepoBuilder) -> None:
    repo.commit(files={f"d{n}/e/f": str(n) for n in range(9)})
    git = place.find(str(repo.path), repo.env).git
    before = repo.objects()
    asked = []
    real = git.output
    git.output = lambda *words, **how: (asked.append(words), real(*words, **how))[1]  # type: ignore[method-assign]
    assert composed(git, repo.sha(), [Change(f"d{n}/e/g", "100644", "2" * 40) for n in range(9)])
    assert len(asked) == 1
    assert repo.objects() == before
