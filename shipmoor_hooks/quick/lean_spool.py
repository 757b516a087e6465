"""Adding a run to the spool as `store.spool` does, for the pytest plugin's short way: what it knows is the plain case.

The chain is new or has a head, and nobody was killed while writing it; nothing that was touched beside the run is damaged;
the seal key is at hand, or none is wanted. Where that is not so `add` gives None before it writes, and the spool does it.
"""

from __future__ import annotations

import fcntl
import json
import os

from shipmoor_hooks import state
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.quick.lean_envelope import RUN_TYPE, opened, wrapped
from shipmoor_hooks.quick.lean_keys import Keys
from shipmoor_hooks.seals.chain_head import HEAD, Head, Link, digest_of, links_behind, read_head, told, write_head
from shipmoor_hooks.store import id_lists
from shipmoor_hooks.store.payload import PlainCases, PlainRun, fields_of
from shipmoor_hooks.whole_files import lock, name_by_time, names, read_bytes, real_folder, touched, write_whole

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "shipmoor-hooks"
RUN, BEGUN = ".run", ".begun"
_SECONDS = 10.0  # for the lock of the chain, as the spool waits


class Added:
    """An entry that was stored: its bytes, its path, and its links, which the entry that ends it takes over."""

    __slots__ = ("links", "path", "stored")

    def __init__(self, stored: bytes, path: str, links: list[Link]) -> None:
        self.stored, self.path, self.links = stored, path, links


class LeanSpool:
    """The spool below a common git directory, and the worktree's folder in it that is written to."""

    def __init__(self, common_dir: str, worktree: str, environ: Mapping[str, str]) -> None:
        self._root = os.path.join(common_dir, FOLDER)
        self._worktree = worktree
        self._keys = Keys(environ, state.state_path(environ))

    def add(self, run: PlainRun, cases: PlainCases, suffix: str, begun: Added | None = None) -> Added | None:
        """Store a run that is bound to `run.tree`, and let go of the start entry that it ends.

        Raises EnvironmentFault once something may have been written; before that OSError, ValueError and their like where
        the spool is not as it should be.
        """
        key = self._keys.for_new()
        if key is None:
            return None
        folder = real_folder(self._root, "runs", self._worktree)
        with (
            lock(self._root + "/lock", fcntl.LOCK_SH),
            lock(f"{folder}/{HEAD}", fcntl.LOCK_EX, _SECONDS) as handle,
        ):
            head = read_head(handle)
            if head is None and not names(f"{folder}/trees"):
                head = Head()
            if head is None or head.writing or not self._is_sound(run.tree):
                return None
            if begun is not None and read_bytes(begun.path) != begun.stored:
                return None
            try:
                added = self._write(run, cases, suffix, begun, head, handle, *key)
            except OSError as error:
                raise EnvironmentFault(
                    f"the run could not be stored below {self._root}: {error.strerror or error}",
                    "free some space or mend the permissions, then capture again",
                ) from error
        if begun is not None:
            try:  # noqa: SIM105
                os.unlink(begun.path)
            except OSError:
                pass
        return added

    def _is_sound(self, tree: str) -> bool:
        """Whether everything beside the run that was touched has its seal and digest."""
        beside = [
            path
            for worktree in names(f"{self._root}/runs")
            for path in touched(f"{self._root}/runs/{worktree}/trees/{tree}")
            if path.endswith((RUN, BEGUN))
        ]
        return all(opened(RUN_TYPE, read_bytes(path), self._keys.secret) is not None for path in beside)

    def _write(
        self, run: PlainRun, cases: PlainCases, suffix: str, begun: Added | None, head: Head, handle: int, key_id: str,
        secret: bytes | None,
    ) -> Added:  # fmt: skip
        """Number, link, seal and write the entry, in the order that `store.spool` keeps."""
        run.sequence, run.worktree, run.key = head.number + 1, self._worktree, key_id
        ended = digest_of(begun.stored) if begun is not None else None
        links = links_behind(head.last, ended, begun.links if begun is not None else ())
        blocks = id_lists.cut(cases.ids)
        fields = fields_of(run, cases, blocks.name) | {"chain": told(links, ended)}
        payload = json.dumps(fields, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        stored = wrapped(RUN_TYPE, payload, key_id, secret)
        name = name_by_time(run.started, run.id) + suffix
        write_head(handle, Head(run.sequence, head.last, f"trees/{run.tree}/{name}"))
        if cases.ids:
            id_lists.store(real_folder(self._root, "inventories"), cases.ids, blocks)
        path = real_folder(self._root, "runs", self._worktree, "trees", run.tree) + "/" + name
        write_whole(path, stored)
        write_head(handle, Head(run.sequence, Link(run.sequence, name, digest_of(stored))))
        return Added(stored, path, links)
