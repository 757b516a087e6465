"""What was fetched from elsewhere: a spool of its own beside ours, laid out alike (design, section 9).

    <common dir>/shipmoor-hooks/foreign/shipmoor-hooks/
      runs/fetched/trees/<tree>/<name>.run       and <name>.run.<key>.sig, SSH signatures of that file
      runs/fetched/scoped/<tree>/<name>.run      the same again, where the suite excludes paths
      inventories/<digest>, records/<kind>/...   as in ours

Nothing of ours is ever written there, and nothing that was fetched lies among ours: the place tells which is which. Files
keep the very bytes that were published, so that seals and signatures can be checked whenever they are needed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.store import id_lists
from shipmoor_hooks.store.spool import FOLDER, RUN_SUFFIX
from shipmoor_hooks.whole_files import names, read_bytes, real_folder, write_whole

FETCHED = "fetched"  # stands where a worktree's name does
SIGNATURE_SUFFIX = ".sig"
RECORDS = "records"
RECORD_SUFFIX = ".record"


@dataclass(frozen=True, slots=True)
class Stored:
    """A run's file as it was published, and the signatures beside it."""

    name: str
    data: bytes
    signatures: tuple[bytes, ...] = ()


def foreign_dir(common_dir: str) -> str:
    """What stands in for the common git directory where fetched entries are read and written."""
    return os.path.join(common_dir, FOLDER, "foreign")


def any_fetched(common_dir: str) -> bool:
    return os.path.isdir(root(common_dir))


def at_tree(common_dir: str, tree: str, *, scoped: bool) -> list[Stored]:
    """The fetched runs of a tree, unread. What cannot be opened is left out: it is no evidence."""
    return _stored(os.path.join(root(common_dir), "runs", FETCHED, "scoped" if scoped else "trees", tree), RUN_SUFFIX)


def records_at(common_dir: str, kind: str, sort: str, folder: str) -> list[Stored]:
    """The fetched records of a kind below a case or a key (`sort`: `cases` or `keys`), unread."""
    return _stored(os.path.join(root(common_dir), RECORDS, kind, sort, folder), RECORD_SUFFIX)


def _stored(folder: str, suffix: str) -> list[Stored]:
    present = sorted(names(folder))
    found = []
    for name in present:
        if not name.endswith(suffix):
            continue
        beside = [n for n in present if n.startswith(f"{name}.") and n.endswith(SIGNATURE_SUFFIX)]
        data, *signatures = (_read(os.path.join(folder, n)) for n in (name, *beside))
        if data is not None:
            found.append(Stored(name, data, tuple(s for s in signatures if s is not None)))
    return found


def inventory(common_dir: str, digest: str) -> IdList | None:
    """A list of case ids by its digest, ours (with the common directory itself) or a fetched one (with `foreign_dir`)."""
    return id_lists.read(os.path.join(common_dir, FOLDER, "inventories"), digest)


def stored_names(common_dir: str) -> dict[str, str]:
    """The files of fetched runs and signatures, each below its full tree: name to path."""
    trees = os.path.join(root(common_dir), "runs", FETCHED, "trees")
    return {name: os.path.join(trees, tree, name) for tree in names(trees) for name in names(os.path.join(trees, tree))}


def record_names(common_dir: str) -> set[str]:
    """The names of fetched records and of their signatures."""
    top = os.path.join(root(common_dir), RECORDS)
    kinds = [os.path.join(top, kind, "cases") for kind in names(top)]
    return {name for kind in kinds for folder in names(kind) for name in names(os.path.join(kind, folder))}


def folders_with(common_dir: str, name: str) -> list[tuple[str, ...]]:
    """The folders, as their parts below the root, that hold a file of this name."""
    found: list[tuple[str, ...]] = []
    for parts in (("runs", FETCHED, "trees"), ("runs", FETCHED, "scoped")):
        top = os.path.join(root(common_dir), *parts)
        found += [(*parts, tree) for tree in names(top) if os.path.lexists(os.path.join(top, tree, name))]
    top = os.path.join(root(common_dir), RECORDS)
    for kind in names(top):
        for sort in ("cases", "keys"):
            under = os.path.join(top, kind, sort)
            beside = (folder for folder in names(under) if os.path.lexists(os.path.join(under, folder, name)))
            found += [(RECORDS, kind, sort, folder) for folder in beside]
    return found


def keep(common_dir: str, name: str, data: bytes, folders: Sequence[tuple[str, ...]]) -> None:
    """Write a file below each of these folders, where it is not there yet. The parts are checked by whoever calls.

    Raises EnvironmentFault where a link stands in the way, OSError.
    """
    for parts in folders:
        folder = real_folder(_made_root(common_dir), *parts)
        path = os.path.join(folder, name)
        if not os.path.lexists(path):
            write_whole(path, data)


def lock_path(common_dir: str) -> str:
    return os.path.join(_made_root(common_dir), "lock")


def _made_root(common_dir: str) -> str:
    """The folder, each step of it made where it is missing and no link."""
    real_folder(os.path.join(common_dir, FOLDER))
    return real_folder(foreign_dir(common_dir), FOLDER)


def root(common_dir: str) -> str:
    return os.path.join(foreign_dir(common_dir), FOLDER)


def _read(path: str) -> bytes | None:
    try:
        return read_bytes(path)
    except OSError:
        return None
