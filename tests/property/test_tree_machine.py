"""A worktree edited at random, its tree compared with git's after each step."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from repo_builder import RepoBuilder
from tree_oracle import tree_by_git

from shipmoor_hooks import place
from shipmoor_hooks.trees import tree, tree_in_memory

# More of them for a long look: TREE_MACHINE_EXAMPLES=500 pytest tests/property/test_tree_machine.py
EXAMPLES = int(os.environ.get("TREE_MACHINE_EXAMPLES", "6"))

# Few names, so that files, folders and links collide; contents that line ends, keywords and filters change.
NAMES = st.sampled_from(["a", "b.txt", "d", "d/x", "d/y.txt", "d/e/z", "d.x", "ä", "n\nl", '"q'])
CONTENTS = st.sampled_from(
    [b"", b"one\n", b"two\n", b"one\r\n", b"one\r\ntwo\n", b"\0one\r\n", b"$Id$\n", b"$Id: x $\n"]
)
ATTRIBUTES = st.sampled_from(
    ["", "* text=auto\n", "*.txt text\n", "* ident\n", "* -text\n", "* eol=crlf\n", "a filter=up\n", "d/* text=auto\n"]
)
IGNORES = st.sampled_from(["", "*.txt\n", "d/\n", "a\n", "/*\n!a\n", "d/*\n!d/x\n", "*/\n"])


class Worktree(RuleBasedStateMachine):
    """One repository; `environment` is set by the test."""

    environment: dict[str, str]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.repo = RepoBuilder.create(Path(self.folder, "repo"), self.environment)
        self.repo.git("config", "filter.up.clean", "tr a-z A-Z")
        self.place = place.find(str(self.repo.path), self.repo.env)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def clear(self, path: Path) -> None:
        """Whatever stands at `path` or in place of one of its folders goes."""
        for there in (*reversed(path.parents), path):
            if there.is_relative_to(self.repo.path) and there != self.repo.path and os.path.lexists(there):
                if there.is_symlink() or not there.is_dir():
                    there.unlink()
                elif there == path:
                    shutil.rmtree(there)

    @initialize(born=st.booleans())
    def start(self, born: bool) -> None:
        self.repo.write("a", "one\n")
        self.repo.write("d/x", "one\n")
        if born:
            self.repo.commit("First")

    @rule(name=NAMES, content=CONTENTS, executable=st.booleans())
    def write(self, name: str, content: bytes, executable: bool) -> None:
        self.clear(self.repo.path / name)
        self.repo.write(name, content, 0o755 if executable else None)

    @rule(name=NAMES, content=CONTENTS)
    def write_in_place(self, name: str, content: bytes) -> None:
        path = self.repo.path / name
        if path.is_file() and not path.is_symlink():
            path.write_bytes(content)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        if (self.repo.path / name).parent.is_dir():
            self.clear(self.repo.path / name)

    @rule(name=NAMES, to=NAMES)
    def link(self, name: str, to: str) -> None:
        self.clear(self.repo.path / name)
        (self.repo.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.repo.path / name).symlink_to(to)

    @rule(name=NAMES, other=NAMES)
    def rename(self, name: str, other: str) -> None:
        old, new = self.repo.path / name, self.repo.path / other
        if os.path.lexists(old) and not new.is_relative_to(old) and not old.is_relative_to(new):
            moved = Path(self.folder, "moved")
            old.rename(moved)
            self.clear(new)
            new.parent.mkdir(parents=True, exist_ok=True)
            moved.rename(new)

    @rule(name=NAMES)
    def flip_the_executable_bit(self, name: str) -> None:
        path = self.repo.path / name
        if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ stat.S_IXUSR)

    @rule(text=ATTRIBUTES, where=st.sampled_from([".git/info/attributes"] * 4 + [".gitattributes", "d/.gitattributes"]))
    def set_attributes(self, text: str, where: str) -> None:
        self.clear(self.repo.path / where)
        self.repo.write(where, text)

    @rule(text=IGNORES)
    def set_ignores(self, text: str) -> None:
        self.clear(self.repo.path / ".gitignore")
        self.repo.write(".gitignore", text)

    @rule(value=st.sampled_from(["true", "input", "false"]))
    def set_line_ends(self, value: str) -> None:
        self.repo.git("config", "core.autocrlf", value)

    @rule(
        name=NAMES, how=st.sampled_from([("add", "-f"), ("add", "-N"), ("rm", "-rqf", "--cached"), ("checkout", "-q")])
    )
    def stage(self, name: str, how: tuple[str, ...]) -> None:
        self.repo.process(["git", "--literal-pathspecs", *how, "--", name])

    @rule(
        name=NAMES,
        how=st.sampled_from(["--assume-unchanged", "--no-assume-unchanged", "--skip-worktree", "--no-skip-worktree"]),
    )
    def hide(self, name: str, how: str) -> None:
        self.repo.process(["git", "update-index", how, "--", name])

    @rule(everything=st.booleans())
    def commit(self, everything: bool) -> None:
        self.repo.process(["git", "commit", "-q", "--allow-empty", "-m", "Change", *(["-a"] if everything else [])])

    @invariant()
    def tree_is_gits(self) -> None:
        before = stored(self.repo)
        found = tree.capture(self.place)
        assert stored(self.repo) == before
        lines = self.repo.git("ls-files", "-v", "-z").split("\0")[:-1]
        hidden = [line[2:] for line in lines if line[0] in "Ssh"]
        present = [path for path in hidden if os.path.lexists(self.repo.path / path)]
        assert found.tree == tree_by_git(self.repo, clear=present), found


def stored(repo: RepoBuilder) -> tuple[bytes, list[str]]:
    index = repo.path / ".git/index"
    objects = [name for _, _, names in os.walk(repo.path / ".git/objects") for name in names]
    return index.read_bytes() if index.exists() else b"", sorted(objects)


def run(environment: dict[str, str], examples: int, *phases: Phase) -> None:
    Worktree.environment = environment
    run_state_machine_as_test(
        Worktree,
        settings=settings(
            max_examples=examples,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            phases=phases or tuple(Phase),
        ),
    )


def test_every_step_has_gits_tree(environment: dict[str, str]) -> None:
    run(environment, EXAMPLES)


def test_a_forgotten_change_would_be_found(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Known positive: one change is left out of the tree, and the machine falls."""
    honest = tree_in_memory.composed
    monkeypatch.setattr(tree_in_memory, "composed", lambda git, commit, changes: honest(git, commit, changes[1:]))
    with pytest.raises(AssertionError):
        run(environment, 50, Phase.generate)
