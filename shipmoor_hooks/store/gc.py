"""`gc`: let go of old runs, never of evidence that something still stands on (design, 10.25 and 10.38).

Kept whatever their age: the last complete run of each suite and variant on a tree that some branch or tag can reach (or on
its scoped tree), the first complete run of each version of an eval suite and of each (case, expectation), a run that a clearing
named, and every entry that cannot be read (it may be a newer version's). Records beside runs (proofs, re-grades) are not
looked at. Traces go with their runs, but for those of a planted fault and those that a person labelled.
"""

from __future__ import annotations

import contextlib
import os

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Run
from shipmoor_hooks.store import entry, envelope, gc_keep
from shipmoor_hooks.store.spool import BEGUN_SUFFIX, Spool

DAY = 86400.0
DEFAULT_DAYS = 90


@dataclass(frozen=True, slots=True)
class Collection:
    """What `gc` drops: paths of entries, of inventories that nothing names any more, of files that a crash left, and of
    traces whose run is gone."""

    entries: tuple[str, ...]
    inventories: tuple[str, ...]
    leftovers: tuple[str, ...]
    traces: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return self.entries + self.inventories + self.leftovers + self.traces


def collect(spool: Spool, git: Git, now: float, days: float) -> Collection:
    """Drop what `plan` finds, with every writer kept out meanwhile. Raises GitFault, EnvironmentFault."""
    with spool.alone():
        found = plan(spool, git, now, days)
        _let_go(spool, found)
        drop(found)
    return found


def _let_go(spool: Spool, found: Collection) -> None:
    """Say so in the chain before anything is dropped; else `verify` would miss it."""
    try:
        spool.let_go(path for path in found.entries if os.path.lexists(path))
    except OSError as error:
        raise EnvironmentFault(
            f"{spool.root} cannot be written: {error.strerror or error}", "free some space"
        ) from error


def plan(spool: Spool, git: Git, now: float, days: float) -> Collection:
    """What would be dropped. `now` is POSIX seconds; entries younger than `days` stay."""
    limit = now - days * DAY
    entries = [(path, *_summary(path)) for path in spool.paths()]  # newest first
    whole = [run for path, run, _ in entries if run is not None and not path.endswith(BEGUN_SUFFIX)]
    common_dir = os.path.dirname(spool.root)
    held = gc_keep.held(git, common_dir, whole)
    newest: set[tuple[str, ...]] = set()
    drop: list[str] = []
    used: set[str] = set()
    kept: set[str] = set()
    for path, run, inventory in entries:
        if run is None or run.recorded >= limit or run.id in held.runs or _stands_on(run, path, held, newest):
            used |= {inventory}
            kept.add(run.id if run is not None else _id_of(path))
        else:
            drop.append(path)
            drop += [twin for twin in spool.twins(path) if twin not in drop]
    unreadable = any(run is None for _, run, _ in entries)
    # An entry that a newer version wrote names an inventory that cannot be seen from here.
    lists = [] if unreadable else spool.inventory_paths()
    unused = [p for p in lists if os.path.basename(p) not in used and _older(p, now - DAY)]
    traces = gc_keep.loose_traces(common_dir, kept, limit)
    leftovers = tuple(p for p in spool.leftovers() if _older(p, now - DAY))
    return Collection(tuple(drop), tuple(unused), leftovers, tuple(traces))


def _id_of(path: str) -> str:
    """A run's id as its entry's name has it: an entry that cannot be read keeps its traces, too."""
    return os.path.basename(path).partition("-")[2].partition(".")[0]


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


def _stands_on(run: Run, path: str, held: gc_keep.Held, newest: set[tuple[str, ...]]) -> bool:
    """Is this the last complete run of its suite and variant on a tree, or a scoped tree, that history still reaches?"""
    if path.endswith(BEGUN_SUFFIX) or not run.is_complete:
        return False
    # A stranger's newer run does not stand for one of ours.
    keys = {(tree, run.suite, str(run.variant), str(run.shard), run.key) for tree in held.places(run)}
    is_last = bool(keys - newest)
    newest |= keys
    return is_last


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


def _older(path: str, limit: float) -> bool:
    try:
        return os.lstat(path).st_mtime < limit
    except OSError:
        return False
