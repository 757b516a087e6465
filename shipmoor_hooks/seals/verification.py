"""`verify`: are the stored runs whole, whose seals do they carry, and is one missing from the chain (design, section 9)?

What is found broken is moved to the quarantine. A seal says that a process of this user wrote the entry, never that a test
ran; so nothing here is called verified.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import EnvironmentFault, EvidenceFault
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.model import CaseList, Code, Run, Sealing
from shipmoor_hooks.seals import chain, quarantine
from shipmoor_hooks.seals.chain import Link
from shipmoor_hooks.store import entry, envelope, id_lists
from shipmoor_hooks.store.spool import Broken, Found, Spool
from shipmoor_hooks.whole_files import names, read_bytes


@dataclass(slots=True)
class Examined:
    """What `verify` saw. `gaps` are full sentences; `seals` counts entries; `set_aside` was moved now, `earlier` before."""

    entries: int = 0
    seals: dict[Sealing, int] = field(default_factory=lambda: dict.fromkeys(Sealing, 0))
    runs: list[Run] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return not (self.broken or self.gaps)


def verify(spool: Spool, prefixes: Sequence[str] = ()) -> Examined:
    """Every entry, its seal and the chains, with writers kept out; `prefixes` names runs by the first digits of their ids.

    Raises EnvironmentFault where the spool cannot be locked, and for a key file that others can use.
    """
    seen = Examined(earlier=quarantine.paths(spool.root))
    if not os.path.lexists(spool.root):
        return seen
    with spool.alone():
        for path in spool.paths():
            if prefixes and not os.path.basename(path).partition("-")[2].startswith(tuple(prefixes)):
                continue
            for one in (path, *spool.twins(path)):
                found = spool.read(one)
                if not _has_forged_list(seen, spool, one, found):
                    _take(seen, found, counted=one == path)
        if not prefixes:
            for worktree in spool.worktrees():
                _Chain(spool, worktree, seen).walk()
        try:
            seen.set_aside = quarantine.move(spool.root, [b.path for b in seen.broken if b.itself])
        except OSError as error:
            raise EnvironmentFault(f"{spool.root} cannot be written: {error.strerror or error}") from error
    return seen


def _take(seen: Examined, found: Found, *, counted: bool) -> None:
    seen.broken += found.broken
    for run in (*found.runs, *found.begun, *found.foreign) if counted else ():
        seen.entries += 1
        seen.seals[run.sealing] += 1
        seen.runs.append(run)


def _has_forged_list(seen: Examined, spool: Spool, path: str, found: Found) -> bool:
    """Does a block of ids not hold what its name says? Others see that where they look into it; here all are looked into."""
    for run in (*found.runs, *found.begun, *found.foreign):
        ids = CaseList.of(run.cases).ids
        try:
            ids[:]
        except EvidenceFault as fault:
            seen.broken.append(Broken(path, Code.SEAL_BROKEN, fault.message))
            if isinstance(ids, IdList):
                id_lists.distrust(os.path.join(spool.root, "inventories"), ids.name)
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Member:
    """An entry of a chain: its own link, those that it names, the start entry that it ends ("" for none)."""

    link: Link
    previous: tuple[Link, ...]
    began: str

    @property
    def run(self) -> str:
        return self.link.name.rpartition(".")[0]


class _Chain:
    """The chain of one worktree, read from its entries."""

    def __init__(self, spool: Spool, worktree: str, seen: Examined) -> None:
        self.folder = os.path.join(spool.root, "runs", worktree)
        self.keys = spool.keys
        self.worktree = worktree
        self.seen = seen
        self.digests: set[str] = set()
        self.members: list[_Member] = []
        for path in chain.entries(self.folder):
            self._read(path)
        self.dropped = chain.dropped(os.path.join(self.folder, chain.DROPPED), self.keys)
        top = os.path.join(spool.root, quarantine.FOLDER, worktree, "trees")
        self.broken = {os.path.basename(b.path) for b in seen.broken} | {
            n for tree in names(top) for n in names(os.path.join(top, tree))
        }

    def _read(self, path: str) -> None:
        """One entry; one from before there were chains, or broken, is there and is no member."""
        try:
            stored = read_bytes(path)
            self.digests.add(chain.digest_of(stored))
            fields = envelope.fields_of(entry.PAYLOAD_TYPE, entry.VERSION, stored)
            links = fields[chain.FIELD]
            own = Link(int(fields["sequence"]), os.path.basename(path), chain.digest_of(stored))
            if fields["worktree"] == self.worktree:
                previous = tuple(map(chain.link_of, links["previous"]))
                self.members.append(_Member(own, previous, str(links["began"] or "")))
        except (envelope.Unreadable, OSError, KeyError, TypeError, ValueError):
            return

    def walk(self) -> None:
        there = self.digests | {m.began for m in self.members} | {d.began for d in self.dropped.values()}
        follows: dict[str, _Member] = {}
        for one in sorted(self.members, key=lambda m: m.link.number):
            for before in one.previous or (None,):
                self._fork(follows, one, before)
                if before is not None:
                    self._look_for(before, there, f"{one.link.name} follows it")
                    if before.number >= one.link.number:
                        self._gap(f"{one.link.name} has number {one.link.number}, and follows number {before.number}")
        for gone in self.dropped.values():
            for before in gone.previous:
                self._look_for(before, there, "an entry that was dropped followed it")
        self._head(there)

    def _fork(self, follows: dict[str, _Member], one: _Member, before: Link | None) -> None:
        """Two entries after one: what stood between them was taken away, and the head with it."""
        other = follows.setdefault(before.digest if before else "", one)
        if other.run != one.run:
            what = before.name if before else "no other"
            self._gap(f"{other.link.name} and {one.link.name} both follow {what}: the spool was set back in between")

    def _look_for(self, link: Link, there: set[str], why: str) -> None:
        if link.digest in there:
            return
        if link.digest in self.dropped:
            if self.dropped[link.digest].sealing is Sealing.UNSEALED:
                self.seen.notes.append(
                    f"{self.worktree}: entry {link.number} was dropped by a command that seals nothing"
                )
            return
        if link.name in self.broken:
            return  # named as broken
        self._gap(f"entry {link.number} ({link.name}) is gone or was replaced: {why}")

    def _head(self, there: set[str]) -> None:
        """The newest entry is known by the head's file alone."""
        try:
            handle = os.open(os.path.join(self.folder, chain.HEAD), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            if self.members:
                self._gap("the file that names the newest entry is missing")
            return
        try:
            head = chain.read_head(handle)
        finally:
            os.close(handle)
        if head is None:
            self._gap("the file that names the newest entry is damaged")
            return
        if head.last is not None:
            self._look_for(head.last, there, "it was the newest one")
        newest = max((m.link.number for m in self.members), default=0)
        if newest > head.number:
            self._gap(
                f"the newest entry has number {newest}, but only {head.number} were given: the spool was set back"
            )

    def _gap(self, text: str) -> None:
        self.seen.gaps.append(f"{self.worktree}: {text}")


def codes(seen: Examined) -> list[str]:
    """One line for each entry that cannot be used, and for each that was set aside earlier."""
    rows = [f"{b.code.value}  {b.path}: {b.text}" for b in seen.broken]
    return rows + [f"{Code.SEAL_BROKEN.value}  {path}: set aside earlier" for path in seen.earlier]
