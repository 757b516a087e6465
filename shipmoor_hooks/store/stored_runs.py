"""One stored run: its file's name and place, and what reading it gives (design, sections 2, 9 and 10.8).

A run whose seal is foreign, or does not fit, or that lies in the place of another, is told apart from one that is missing.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.model import Code, Run, Sealing
from shipmoor_hooks.store import entry, envelope
from shipmoor_hooks.whole_files import name_by_time, read_bytes
from shipmoor_hooks.whole_files import touched as touched

UNBOUND = "unbound"
RUN_SUFFIX = ".run"
BEGUN_SUFFIX = ".begun"
SUFFIXES = (RUN_SUFFIX, BEGUN_SUFFIX)


@dataclass(frozen=True, slots=True)
class Broken:
    """A stored entry that cannot be used, and why. `itself`: its own bytes are at fault, so it may be set aside."""

    path: str
    code: Code
    text: str
    itself: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What the spool holds for a tree: finished runs (oldest first), unfinished ones, what cannot be read, and finished
    runs under the seal of a key that is not known here."""

    runs: tuple[Run, ...] = ()
    begun: tuple[Run, ...] = ()
    broken: tuple[Broken, ...] = ()
    foreign: tuple[Run, ...] = ()

    def __add__(self, other: Found) -> Found:
        return Found(
            self.runs + other.runs,
            self.begun + other.begun,
            self.broken + other.broken,
            self.foreign + other.foreign,
        )

    @property
    def settled(self) -> Found:
        """The same; a writer that was killed between the two leaves a start entry beside the finished run, which has ended."""
        finished = {run.id for run in (*self.runs, *self.foreign)}
        return replace(self, begun=tuple(run for run in self.begun if run.id not in finished))


def read(path: str, inventory: Callable[[str], IdList | None], keys: envelope.Keys) -> Found:
    """The entry in a file; nothing for a file that is none or gone. `inventory` gives a list of case ids by its digest."""
    if not path.endswith(SUFFIXES):
        return Found()
    try:
        told = envelope.opened(entry.PAYLOAD_TYPE, entry.VERSION, read_bytes(path), keys)
    except envelope.Unreadable as reason:
        return Found(broken=(Broken(path, reason.code, reason.text, reason.code is not Code.ENTRY_NEWER),))
    except FileNotFoundError:
        return Found()
    except OSError as error:
        return Found(broken=(Broken(path, Code.SEAL_BROKEN, f"it cannot be read: {error.strerror}"),))
    ids = inventory(entry.inventory_name(told.fields))
    try:
        run = replace(entry.decode_fields(told.fields, ids), sealing=told.sealing, key=told.key)
    except envelope.Unreadable as reason:
        return Found(broken=(Broken(path, reason.code, reason.text, ids is not None),))
    if not _belongs(run, path):
        return Found(broken=(Broken(path, Code.SEAL_BROKEN, "it lies in the place of another run or tree", True),))
    if path.endswith(BEGUN_SUFFIX):
        return Found(begun=(run,))
    return Found(foreign=(run,)) if run.sealing is Sealing.FOREIGN else Found(runs=(run,))


def is_damaged(path: str, keys: envelope.Keys) -> bool:
    """Is the file an entry whose seal, digest or form is wrong? Cheaper than reading it: no case is looked at."""
    if not path.endswith(SUFFIXES):
        return False
    try:
        envelope.opened(entry.PAYLOAD_TYPE, entry.VERSION, read_bytes(path), keys)
    except envelope.Unreadable as reason:
        return reason.code is not Code.ENTRY_NEWER
    except (OSError, EnvironmentFault):  # it cannot be read, or the key of its seal cannot
        return False
    return False


def folder_of(run: Run) -> str:
    """The name of the folder in which a run lies: the tree that it was measured on, else the one that it began on."""
    return run.tree or run.first_tree or UNBOUND


def name_of(run: Run) -> str:
    """The name of a run's file without its suffix: names sort by the time of the start."""
    return name_by_time(run.started, run.id)


def _belongs(run: Run, path: str) -> bool:
    """Does the entry lie under its own name, in the folder of the tree that it says it was measured on?"""
    folder, name = os.path.split(path)
    kind, tree = folder.split(os.sep)[-2:]
    own = run.scoped_tree if kind == "scoped" else folder_of(run)
    return tree == own and name in (name_of(run) + RUN_SUFFIX, name_of(run) + BEGUN_SUFFIX)
