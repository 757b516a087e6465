"""Runs that were measured elsewhere, as the gate takes them: by what stands behind them at the base.

A fetched run, or one published to this very server, counts when it is signed by a key that the base's `allowed_signers`
names: the file stands beside the policy and, like it, is read from the base. Any other is shown with its key and counts
for nothing: `SEAL_FOREIGN` where no other run stands.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import TypeVar

from shipmoor_hooks import history
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.model import Code, Problem, Run, Sealing
from shipmoor_hooks.place import Place
from shipmoor_hooks.seals import key_ring
from shipmoor_hooks.sharing import foreign
from shipmoor_hooks.store import entry, envelope, records
from shipmoor_hooks.store.record_model import Record
from shipmoor_hooks.store.spool import Broken, Found

ALLOWED_SIGNERS = (".shipmoor-hooks/allowed_signers", "allowed_signers")


_Kind = TypeVar("_Kind", bound=Record)
Inventory = Callable[[str], IdList | bytes | None]


def has_news(git: Git, remote: str) -> bool:
    """Has the remote runs that were not fetched? False where it does not answer within a few seconds."""
    if remote not in history.remotes(git):
        return False
    from shipmoor_hooks.sharing.published import RUNS_REF, tracking_ref  # it is asked where a run is missing

    value = history.published_by_remote(git, remote, RUNS_REF)
    return bool(value) and git.try_text("rev-parse", "--verify", "--quiet", tracking_ref(remote)) != value


class SharedRuns:
    """The runs of others in this repository. `base` is the commit whose allowed signers count (None: nobody's do)."""

    def __init__(self, place: Place, base: str | None) -> None:
        self.place = place
        self.base = base

    def at_tree(self, tree: str, *, scoped: bool) -> Found:
        """Every run of others for a tree: those that count as they are, the others with why they do not."""
        found = Found()
        if foreign.any_fetched(self.place.spool_home):
            for stored in foreign.at_tree(self.place.spool_home, tree, scoped=scoped):
                found += self._read(stored, lambda d: foreign.inventory(foreign.foreign_dir(self.place.spool_home), d))
        if self._here is not None:
            for stored in self._published(self._here, tree):
                run = self._read(stored, self._published_list)
                # One file stands for both trees: by its full tree it is asked for as well.
                found += run if scoped or any(r.tree == tree for r in run.runs) or run.broken else Found()
        return found

    def records(self, kind: type[_Kind], sort: str, folder: str) -> tuple[_Kind, ...]:
        """The fetched records of a kind that somebody stands behind who may, below a case or a key (see records.py)."""
        found = []
        for stored in foreign.records_at(self.place.spool_home, records.KINDS[kind], sort, folder):
            if not self._distrust(stored):
                with suppress(envelope.Unreadable):
                    found.append(records.decode(kind, stored.data))
        return tuple(found)

    @cached_property
    def _here(self) -> str | None:
        """The runs that were published to this repository itself; only a bare one is a server."""
        if not self.place.is_bare:
            return None
        from shipmoor_hooks.sharing.published import RUNS_REF

        return self.place.git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", RUNS_REF)

    def _published(self, commit: str, tree: str) -> list[foreign.Stored]:
        from shipmoor_hooks.sharing import published
        from shipmoor_hooks.sharing.published import Sort

        there = published.read_tree(self.place.git, commit, tree)
        data = dict(published.contents(self.place.git, {b.oid: b.size for b in there.blobs.values()}))
        found = []
        for path, blob in there.blobs.items():
            if blob.sort is Sort.RUN:
                beside = [b for p, b in there.blobs.items() if b.sort is Sort.SIGNATURE and p.startswith(f"{path}.")]
                found.append(
                    foreign.Stored(path.rpartition("/")[2], data[blob.oid], tuple(data[b.oid] for b in beside))
                )
        return found

    def _published_list(self, digest: str) -> bytes | None:
        from shipmoor_hooks.sharing.published import RUNS_REF, inventory_path

        git = self.place.git
        name = git.try_text(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{RUNS_REF}:{inventory_path(digest)}"
        )
        return None if name is None or not digest.isalnum() else git.output("cat-file", "blob", name)

    def _read(self, stored: foreign.Stored, inventory: Inventory) -> Found:
        try:
            # A second clone of the same person: what their own key sealed needs nobody else's word.
            opened = envelope.opened(
                entry.PAYLOAD_TYPE, entry.VERSION, stored.data, key_ring.Checker(self.place.git.environ)
            )
            run = entry.decode_fields(opened.fields, inventory(entry.inventory_name(opened.fields)))
        except envelope.Unreadable as reason:
            return Found(broken=(Broken(stored.name, reason.code, reason.text),))
        if opened.sealing is Sealing.SEALED:
            return Found(runs=(replace(run, sealing=opened.sealing, key=opened.key),))
        return Found(runs=(self._judged(run, stored),))

    def _judged(self, run: Run, stored: foreign.Stored) -> Run:
        """The run where somebody who may stands behind it, else the same with why it counts for nothing."""
        why = self._distrust(stored)
        if not why:
            return replace(run, sealing=Sealing.SIGNED)
        return replace(run, problems=(Problem(Code.SEAL_FOREIGN, why), *run.problems), sealing=Sealing.FOREIGN)

    def _distrust(self, stored: foreign.Stored) -> str:
        """Why a run of others does not count; "" when it does."""
        keys = ", ".join(envelope.key_ids(stored.data))
        told = f"a run that was measured elsewhere stands on this tree ({f'seal key {keys}' if keys else 'unsealed'})"
        if not stored.signatures:
            return f"{told}, and nobody signed it"
        if self._allowed is None:
            return f"{told}, and the base names no allowed_signers"
        from shipmoor_hooks.sharing import ssh_signatures  # of runs that were fetched

        try:
            signer = ssh_signatures.signer_of(stored.data, stored.signatures, self._allowed, self.place.git.environ)
        except EnvironmentFault as fault:
            return f"{told}, and its signature cannot be checked: {fault.message}"
        return "" if signer else f"{told}, and the base's allowed_signers names none of its signers"

    @cached_property
    def _allowed(self) -> bytes | None:
        """The base's file of allowed signers; None where it has none."""
        for path in ALLOWED_SIGNERS if self.base else ():
            name = f"{self.base}:{path}"
            done = self.place.git.run("cat-file", "blob", name)
            if done.returncode == 0:
                return done.stdout
        return None
