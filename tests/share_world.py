"""Clones that share one bare remote, and what stands in a ref's tree: for tests of publish, fetch and the server."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate_world import GateWorld
from repo_builder import RepoBuilder

from shipmoor_hooks.cli import main
from shipmoor_hooks.error_handler import guarded

REF = "refs/shipmoor-hooks/runs"


@dataclass
class Key:
    """An SSH key without a passphrase."""

    file: Path

    @classmethod
    def create(cls, file: Path) -> Key:
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)]
        subprocess.run(words, check=True, capture_output=True)
        return cls(file)

    def line(self, principal: str) -> str:
        """A line of a file of allowed signers."""
        return f'{principal} namespaces="shipmoor-hooks" {self.file.with_suffix(".pub").read_text()}'


def clone(world: GateWorld, name: str) -> GateWorld:
    """Another clone of the same remote, at main, without runs and without hooks, of another user with another home."""
    home = world.repo.path.parent / f"home of {name}"
    home.mkdir()
    (home / "gitconfig").touch()
    env = world.repo.env | {"HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / "gitconfig")}
    env |= {f"XDG_{sort}_HOME": str(home / sort.lower()) for sort in ("CONFIG", "DATA", "STATE", "CACHE")}
    path = world.repo.path.parent / name
    world.repo.git("clone", "-q", str(world.remote), str(path), cwd=world.repo.path.parent)
    return GateWorld(RepoBuilder(path, env, world.repo.clock), world.remote)


def published(world: GateWorld) -> dict[str, str]:
    """The files in the remote's ref: path to object name."""
    done = world.repo.process(["git", "ls-tree", "-r", REF], cwd=world.remote)
    rows = (line.split("\t") for line in done.stdout.decode().splitlines())
    return {path: said.split(" ")[2] for said, path in rows}


def runs(paths: Sequence[str] | Mapping[str, str]) -> list[str]:
    return [path for path in paths if path.endswith(".run")]


def state_of(repo: RepoBuilder) -> tuple[bytes, str, str, str]:
    """Index, HEAD, status and branches: what publishing must leave alone."""
    return (
        repo.index_bytes(),
        repo.sha(),
        repo.git("status", "--porcelain", "-uall"),
        repo.git("for-each-ref", "refs/heads", "refs/remotes", "refs/tags", "refs/stash"),
    )


def files_below(folder: Path) -> dict[str, str]:
    """Every file and link below a folder, by what it holds: to prove what was written and what was not."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = f"-> {path.readlink()}"
        elif path.is_file():
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def cli(repo: RepoBuilder, *words: str) -> subprocess.CompletedProcess[bytes]:
    """The command line in this process, in the repository and environment of `repo`: a process each would cost seconds."""
    kept = dict(os.environ)
    out, err = io.StringIO(), io.StringIO()
    try:
        os.environ.clear()
        os.environ.update(repo.env)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = guarded(lambda: main.run(["-C", str(repo.path), *words]), os.environ)
    finally:
        os.environ.clear()
        os.environ.update(kept)
    return subprocess.CompletedProcess(words, code, out.getvalue().encode(), err.getvalue().encode())
