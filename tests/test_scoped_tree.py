"""Trees without the excluded paths: git's own matching, one name for equal content, nothing written."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.errors import GitFault, UsageFault
from shipmoor_hooks.trees import scoped_tree
from shipmoor_hooks.trees.scoped_tree import scoped, scoped_revision
from shipmoor_hooks.trees.tree import capture

FILES = {
    "README.md": "r\n", "docs/a.md": "a\n", "docs/deep/b.txt": "b\n", "src/docs/c.py": "c\n", "src/x.py": "x\n",
    "src/[a].md": "1\n", "src/a.md": "2\n", "#hash": "h\n", "trail ": "t\n", "ü/ä.md": "u\n",
}  # fmt: skip


@pytest.fixture
def here(repo: RepoBuilder) -> place.Place:
    repo.commit("First", files=FILES)
    (repo.path / "link.md").symlink_to("README.md")
    repo.commit("Second")
    return place.find(str(repo.path), repo.env)


@pytest.mark.parametrize(
    ("exclude", "gone"),
    [
        ([], ()),
        (["nothing/**", "*.rst"], ()),
        (["README.md"], ("README.md",)),
        (["/README.md"], ("README.md",)),
        (["docs/"], ("docs/a.md", "docs/deep/b.txt", "src/docs/c.py")),
        (["/docs/**"], ("docs/a.md", "docs/deep/b.txt")),
        (["docs/**"], ("docs/a.md", "docs/deep/b.txt")),
        (["*.md"], ("README.md", "docs/a.md", "link.md", "src/[a].md", "src/a.md", "ü/ä.md")),
        (["src/\\[a\\].md"], ("src/[a].md",)),
        (["src/[a].md"], ("src/a.md",)),
        (["**/deep/*"], ("docs/deep/b.txt",)),
        (["\\#hash"], ("#hash",)),
        (["# a comment"], ()),
        (["trail\\ "], ("trail ",)),
        (["README.MD", "SRC/"], ()),
        (["*"], (*FILES, "link.md")),
    ],
    ids=str,
)
def test_what_the_patterns_take_out(
    repo: RepoBuilder, here: place.Place, exclude: list[str], gone: tuple[str, ...]
) -> None:
    repo.git("config", "core.ignoreCase", "true")  # no machine matches otherwise than another
    before = repo.objects(), repo.index_bytes()
    found = scoped_revision(here.git, "HEAD", exclude)
    assert (repo.objects(), repo.index_bytes()) == before
    if not gone:
        assert found == repo.sha("HEAD^{tree}")
    for path in gone:
        repo.git("rm", "-q", "--cached", "--", f":(literal){path}")
    assert found == repo.git("write-tree")


def test_a_worktree_and_its_commit_have_one_scoped_tree(repo: RepoBuilder, here: place.Place) -> None:
    repo.write("src/x.py", "edited\n")
    repo.write("docs/new.md", "new\n")
    repo.write("tests/test_x.py", "new\n")
    (repo.path / "docs/a.md").unlink()
    (repo.path / "src/docs/c.py").unlink()
    exclude = ["docs/**", "*.md"]
    found = capture(here)
    assert found.way == "memory"
    of_worktree = scoped(here.git, found, exclude)
    repo.commit("Third")
    assert of_worktree == scoped_revision(here.git, "HEAD", exclude)
    repo.commit("Docs alone", files={"docs/more.md": "m\n", "README.md": None})
    assert of_worktree == scoped_revision(here.git, "HEAD", exclude) == scoped(here.git, capture(here), exclude)
    repo.commit("More than docs", files={"src/x.py": "again\n"})
    assert of_worktree != scoped_revision(here.git, "HEAD", exclude)


def test_files_and_folders_that_change_places(repo: RepoBuilder, here: place.Place) -> None:
    (repo.path / "README.md").unlink()
    repo.write("README.md/inner", "x")
    repo.process(["rm", "-r", "ü"])
    repo.write("ü", "a file\n")
    found = scoped(here.git, capture(here), ["docs/"])
    repo.commit("Third")
    assert found == scoped_revision(here.git, "HEAD", ["docs/"])


def test_an_unborn_head(repo: RepoBuilder) -> None:
    repo.write("a.py", "a\n")
    repo.write("b.md", "b\n")
    here = place.find(str(repo.path), repo.env)
    found = scoped(here.git, capture(here), ["*.md"])
    repo.commit("First")
    assert found == scoped_revision(here.git, "HEAD", ["*.md"])


def test_a_capture_without_a_tree_has_no_scoped_one(repo: RepoBuilder, here: place.Place) -> None:
    (repo.path / "README.md").unlink()
    os.mkfifo(repo.path / "README.md")
    assert scoped(here.git, capture(here), ["*.md"]) is None


def test_submodules_and_missing_blobs_stay_by_name(repo: RepoBuilder, here: place.Place) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sm")
    repo.git("commit", "-q", "-m", "Submodule")
    assert scoped_revision(here.git, "HEAD", ["*.rst"]) == repo.sha("HEAD^{tree}")
    assert scoped_revision(here.git, "HEAD", ["sm/"]) == repo.sha("HEAD~1^{tree}")


def test_in_a_bare_repository(repo: RepoBuilder, here: place.Place) -> None:
    expected = scoped_revision(here.git, "HEAD", ["docs/"])
    repo.git("clone", "-q", "--bare", ".", "../bare.git")
    bare = place.find(str(repo.path.parent / "bare.git"), repo.env)
    assert scoped_revision(bare.git, "main", ["docs/"]) == expected


def test_what_is_checked_out_does_not_count(repo: RepoBuilder, here: place.Place) -> None:
    expected = scoped_revision(here.git, "HEAD", ["docs/", "README.md/"])
    repo.process(["rm", "-r", "docs", "README.md"])
    repo.write("docs", "a file\n")
    repo.write("README.md/inner", "x")
    assert scoped_revision(here.git, "HEAD", ["docs/", "README.md/"]) == expected


def test_the_ignore_files_of_the_worktree_do_not_count(repo: RepoBuilder, here: place.Place) -> None:
    expected = scoped_revision(here.git, "HEAD", ["docs/"])
    repo.write(".gitignore", "*.py\n!docs/\n")
    repo.write(".git/info/exclude", "*\n")
    assert scoped_revision(here.git, "HEAD", ["docs/"]) == expected


@pytest.mark.parametrize("pattern", ["!docs/", "a\nb", "a\0b"], ids=["negation", "line feed", "zero byte"])
def test_patterns_that_cannot_be_used(here: place.Place, pattern: str) -> None:
    with pytest.raises(UsageFault, match="exclude"):
        scoped_revision(here.git, "HEAD", ["*.md", pattern])


@pytest.mark.parametrize("exclude", [[], ["*.md"]], ids=["nothing excluded", "something excluded"])
@pytest.mark.parametrize("revision", ["nowhere", "--help"])
def test_no_such_revision(here: place.Place, exclude: list[str], revision: str) -> None:
    with pytest.raises(GitFault):
        scoped_revision(here.git, revision, exclude)


NAMES = st.sampled_from(["a.py", "b.md", "d/a.py", "d/b.md", "d/e/c.txt", "x y.md"])
PATTERNS = st.sampled_from(["*.md", "d/", "d/**", "/a.py", "**/e/", "x*", "e", "*.t?t"])


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=st.dictionaries(NAMES, st.sampled_from(["1\n", "2\n"])), exclude=st.lists(PATTERNS, min_size=1, max_size=3))
def test_what_is_excluded_never_matters(
    tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str], kept: dict[str, str], exclude: list[str]
) -> None:
    """Law: adding files that the patterns take out, and only those, leaves the scoped tree as it is."""
    repo = RepoBuilder.create(tmp_path_factory.mktemp("law") / "repo", environment)
    here = place.find(str(repo.path), repo.env)
    repo.commit("First", files=kept)
    before = scoped_revision(here.git, "HEAD", exclude)
    repo.commit("Second", files={"m.md": "x\n", "d/n": "x\n", "x": "x\n", "e": "x\n"})
    added = [name for name, pattern in (("m.md", "*.md"), ("d/n", "d/"), ("x", "x*"), ("e", "e")) if pattern in exclude]
    for name in {"m.md", "d/n", "x", "e"} - set(added):
        (repo.path / name).unlink()
    repo.commit("Third")
    assert scoped_revision(here.git, "HEAD", exclude) == before


def test_the_law_falls_when_patterns_are_forgotten(
    repo: RepoBuilder, here: place.Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = scoped_revision(here.git, "HEAD", ["*.md", "docs/"])
    repo.commit("Docs", files={"docs/z": "z\n"})
    assert scoped_revision(here.git, "HEAD", ["*.md", "docs/"]) == before
    honest = scoped_tree._drop
    monkeypatch.setattr(scoped_tree, "_drop", lambda temporary, tree, exclude: honest(temporary, tree, exclude[:1]))
    assert scoped_revision(here.git, "HEAD", ["*.md", "docs/"]) != before
