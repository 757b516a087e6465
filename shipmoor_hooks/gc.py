"""`gc`: let go of old runs, never of evidence that something still stands on (design, 10.25 and 10.38).

Kept whatever their age: the last complete run of each suite and variant on a tree that some branch or tag can reach, every
entry that cannot be read (it may be a newer version's), and unfinished runs younger than the limit.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from shipmoor_hooks import entry, envelope
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Run
from shipmoor_hooks.spool import BEGUN_SUFFIX, Spool

DAY = 86400.0
DEFAULT_DAYS = 90


@dataclass(frozen=True, slots=True)
class Collection:
    """What `gc` drops: paths of entries, of inventories that nothing names any more, and of files that a crash left."""

    entries: tuple[str, ...]
    inventories: tuple[str, ...]
    leftovers: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return self.entries + self.inventories + self.leftovers


def collect(spool: Spool, git: Git, now: float, days: float) -> Collection:
    """Drop what `plan` finds, with every writer kept out meanwhile. Raises GitFault, EnvironmentFault."""
    with spool.alone():
        found = plan(spool, git, now, days)
        drop(found)
    return found


def plan(spool: Spool, git: Git, now: float, days: float) -> Collection:
    """What would be dropped. `now` is POSIX seconds; entries younger than `days` stay."""
    limit = now - days * DAY
    held = _held_trees(git)
    newest: set[tuple[str, str, str | None, str]] = set()
    drop: list[str] = []
    used: set[str] = set()
    unreadable = False
    for path in spool.paths():  # newest first
        run, inventory = _summary(path)
        unreadable = unreadable or run is None
        if run is None or run.recorded >= limit or _stands_on(run, path, held, newest):
            used |= {inventory}
        else:
            drop.append(path)
            drop += [twin for twin in spool.twins(path) if twin not in drop]
    # An entry that a newer version wrote names an inventory that cannot be seen from here.
    lists = [] if unreadable else spool.inventory_paths()
    unused = [p for p in lists if os.path.basename(p) not in used and _older(p, now - DAY)]
    return Collection(tuple(drop), tuple(unused), tuple(p for p in spool.leftovers() if _older(p, now - DAY)))


def drop(collection: Collection) -> None:
    """Remove what `plan` found."""
    for path in collection.paths:
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        except OSError as error:
            raise EnvironmentFault(f"{path} cannot be dropped: {error.strerror}", "mend its permissions") from error
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(path))


def _stands_on(run: Run, path: str, held: frozenset[str], newest: set[tuple[str, str, str | None, str]]) -> bool:
    """Is this the last complete run of its suite and variant on a tree that history still reaches?"""
    if path.endswith(BEGUN_SUFFIX) or not run.is_complete or run.tree not in held:
        return False
    key = (run.tree or "", run.suite, run.variant, str(run.shard))
    if key in newest:
        return False
    newest.add(key)
    return True


def _summary(path: str) -> tuple[Run | None, str]:
    """An entry without its cases, and the digest of its inventory; None for what cannot be read."""
    try:
        with open(path, "rb") as stream:
            fields = entry.payload_of(stream.read())
        inventory = str(fields["cases"]["inventory"])
        fields["cases"] = {"number": 0}
        return entry.decode_fields(fields), inventory
    except (OSError, envelope.Unreadable, KeyError, TypeError):
        return None, ""


def _held_trees(git: Git) -> frozenset[str]:
    """The trees of every commit that a branch, a tag or a worktree's HEAD reaches. Raises GitFault: then nothing is dropped."""
    listed = git.output("worktree", "list", "--porcelain").decode("utf-8", "surrogateescape").splitlines()
    heads = {line.removeprefix("HEAD ") for line in listed if line.startswith("HEAD ")}
    there = sorted(h for h in heads if h.strip("0"))
    out = git.output("log", "--format=%T", "--branches", "--tags", "--remotes", *there, "--")
    return frozenset(out.decode("ascii", "replace").split())


def _older(path: str, limit: float) -> bool:
    try:
        return os.lstat(path).st_mtime < limit
    except OSError:
        return False
