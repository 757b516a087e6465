"""What the tree should be, found the plain way: a copy of the index, `git add -A`, `git write-tree`."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from repo_builder import RepoBuilder

CHECKS = ("core.fsmonitor=false", "core.trustctime=true", "core.checkStat=default", "core.safecrlf=false")
FLAGS = tuple(word for check in CHECKS for word in ("-c", check))


def tree_by_git(
    repo: RepoBuilder, *, cwd: Path | None = None, env: Mapping[str, str] | None = None, clear: Sequence[str] = ()
) -> str:
    """The tree of the worktree at `cwd`; `clear` are paths whose hiding bits are taken off first. Leaves no object."""
    index = Path(repo.git("rev-parse", "--path-format=absolute", "--git-path", "index", cwd=cwd))
    objects = repo.git("rev-parse", "--path-format=absolute", "--git-path", "objects", cwd=cwd)
    with tempfile.TemporaryDirectory() as folder:
        own = dict(env or {}) | {
            "GIT_INDEX_FILE": os.path.join(folder, "index"),
            "GIT_OBJECT_DIRECTORY": os.path.join(folder, "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
        }
        os.mkdir(own["GIT_OBJECT_DIRECTORY"])
        if index.exists():
            shutil.copy2(index, own["GIT_INDEX_FILE"])
        for path in clear:
            repo.git(*FLAGS, "update-index", "--no-assume-unchanged", path, env=own, cwd=cwd)
            repo.git(*FLAGS, "update-index", "--no-skip-worktree", path, env=own, cwd=cwd)
        repo.git(*FLAGS, "-c", "core.splitIndex=false", "add", "-A", "--sparse", env=own, cwd=cwd)
        return repo.git("-c", "core.splitIndex=false", "write-tree", env=own, cwd=cwd)
