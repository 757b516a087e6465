"""What is measured on: report files, repositories, filled spools. Made below one folder that goes when the run ends."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import time
from collections.abc import Sequence

from benchmarks.measure import Command
from shipmoor_hooks.model import CaseList, Evidence, Run
from shipmoor_hooks.store.spool import Spool

POLICY = '[gate]\ntarget = "origin/HEAD"\n\n[suite.unit]\ncommand = ["pytest", "-q"]\n'
CHANCE = 20_261_130


def git_environ(home: str) -> dict[str, str]:
    """An environment in which git knows nothing of the machine's own configuration."""
    kept = {k: v for k, v in os.environ.items() if k.partition("_")[0] not in ("GIT", "PRE", "SHIPMOOR")}
    values = {"NAME": "Bench", "EMAIL": "bench@example.org", "DATE": "2026-01-01T00:00:00Z"}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in values.items()}
    return {**kept, **who, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def git(folder: str, *words: str, stdin: str = "") -> str:
    environ = git_environ(folder)
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environ, input=stdin, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def report(path: str, number: int) -> str:
    """A JUnit file as pytest writes it: 3 of 100 cases failed, 4 skipped, 5 with output, 40 to a class; 145 MB a million."""
    if os.path.exists(path):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest">')
        out.writelines(_case(i) for i in range(number))
        out.write("</testsuite></testsuites>")
    return path


def _case(i: int) -> str:
    head = f'<testcase classname="{_class(i)}" name="{_name(i)}" time="0.0{i % 97:02d}"'
    lot = i * 2654435761 % 100
    if lot < 3:
        text = f"def test():\n&gt; assert {i} == {i + 1}\nE AssertionError: {'x' * 200}"
        return f'{head}><failure message="assert {i} == {i + 1}">{text}</failure></testcase>'
    if lot < 7:
        return f'{head}><skipped type="pytest.skip" message="no network">tests/x.py:3: no network</skipped></testcase>'
    return f"{head}><system-out>one line\nand another\n</system-out></testcase>" if lot < 12 else f"{head} />"


def _class(i: int) -> str:
    return f"tests.unit.pkg{i // 40 % 37:02d}.test_module_{i // 40:05d}.TestThing"


def _name(i: int) -> str:
    return f"test_behaviour_{i % 40:03d}[case{i % 7}-value{i:07d}]"


@functools.lru_cache(maxsize=1)
def _every(number: int) -> list[str]:
    return sorted(f"tests/unit/test_module_{i // 40:05d}.py::TestThing::{_name(i)}" for i in range(number))


def ids(number: int, gone: int = 0) -> list[str]:
    """Sorted ids of `number` cases, the first `gone` of them left out."""
    return _every(number)[gone:]


@functools.lru_cache(maxsize=1)
def _drawn(number: int) -> bytes:
    return bytes(random.Random(CHANCE).choices(b"pfs", (93, 3, 4), k=number))  # noqa: S311  (the same every time)


def letters(number: int, worse: int = 0) -> bytes:
    """Outcome letters, 7 of 100 red or skipped, in any order; of those that passed the first `worse` are red."""
    drawn = _drawn(number)
    return drawn.replace(b"p", b"f", worse)


class Repository:
    """A repository with a policy and a bare remote; `measure` stores a run without running anything."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "work")
        self.remote = os.path.join(folder, "remote.git")
        os.makedirs(self.folder)
        git(folder, "init", "-q", "--bare", "-b", "main", self.remote)
        git(self.folder, "init", "-q", "-b", "main")
        git(self.folder, "remote", "add", "origin", self.remote)
        # Beside the worktree: the seal key lies at home, and what lies in the worktree is part of its tree.
        self.environ = git_environ(os.path.join(folder, "home")) | {"SHIPMOOR_HOOKS_SEAL": "file"}
        os.makedirs(self.environ["HOME"])
        self.number = 0
        self.write("shipmoor-hooks.toml", POLICY)
        self.write(".gitignore", "build/\n")
        self.commit("Add the policy")

    def write(self, path: str, text: str) -> None:
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w") as out:
            out.write(text)

    def commit(self, message: str = "Change") -> str:
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", message)
        return git(self.folder, "rev-parse", "HEAD")

    def push(self) -> None:
        git(self.folder, "push", "-q", "--no-verify", "-u", "origin", "main")
        git(self.folder, "remote", "set-head", "origin", "main")

    def command(self, words: Sequence[str], stdin: bytes = b"", code: int | None = 0) -> Command:
        """These words, said in the worktree."""
        return Command(words, self.folder, self.environ, stdin, code=code)

    def measure(self, cases: CaseList, commit: str = "HEAD", worktree: str = "main", runs: int = 1) -> None:
        tree = git(self.folder, "rev-parse", f"{commit}^{{tree}}")
        for _ in range(runs):
            self.number += 1
            now = time.time() - 1000 + self.number / 1000
            Spool(os.path.join(self.folder, ".git"), worktree, self.environ).finish(
                Run(f"{self.number:032x}", "unit", tree, tree, Evidence.OBSERVED, now, now, cases, first_tree=tree)
            )


def gate_world(
    folder: str, number: int, *, worse: int = 0, gone: int = 0, other: bool = True
) -> tuple[Repository, bytes]:
    """A measured and pushed main, a measured branch on top, and git's line to the hook for pushing the branch."""
    repository = Repository(folder)
    base = git(repository.folder, "rev-parse", "HEAD")
    repository.push()
    outcomes = letters(number).replace(b"f", b"p")  # a red is told at every push; who pushes often has none
    repository.measure(CaseList(ids(number), outcomes, {}))
    git(repository.folder, "switch", "-q", "-c", "topic")
    if other:
        repository.write("src/cart.py", "total = 0\n")
    tip = repository.commit()
    repository.measure(CaseList(ids(number, gone), outcomes.replace(b"p", b"f", worse)[gone:], {}))
    zeros = "0" * len(base)
    return repository, f"refs/heads/topic {tip} refs/heads/topic {zeros}\n".encode()


def repository_of_files(folder: str, number: int) -> Sequence[str]:
    """A repository with one packed commit of `files`, made in `folder`; nothing repacks it behind a benchmark's back."""
    os.makedirs(folder)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "gc.auto", "0")
    paths = files(folder, number)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Files")
    git(folder, "repack", "-adq")
    git(folder, "update-index", "-q", "--refresh")
    return paths


def files(folder: str, number: int, seed: int = CHANCE) -> Sequence[str]:
    """`number` small files, 15 to a folder, three to five folders deep; their paths."""
    chance = random.Random(seed)  # noqa: S311
    paths = []
    for i in range(number):
        group = i // 15
        parts = [f"d{group % 7}", f"e{group // 7 % 11}", f"f{group}", *(["g"] if group % 3 else []), f"file{i:06d}.txt"]
        paths.append("/".join(parts))
    for path in paths:
        whole = os.path.join(folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w") as out:
            out.write(f"{chance.random()}\n" * 20)
    return paths
