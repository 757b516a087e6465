"""The files of the spool: where a repository keeps its runs (design, sections 2 and 9).

    <common dir>/shipmoor-hooks/
      inventories/<digest>                     case ids, compressed, a mark behind them, stored once
      runs/<worktree>/trees/<tree>/<name>.run  one sealed-shape file a run, in the folder of the tree that was tested
      reports/<digest>.<mtime>                 the tree that a report file is bound to
      lock                                     shared by writers, taken alone by whoever drops files
      runs/<worktree>/trees/<tree>/<name>.begun  a run that began and did not (yet) end
      runs/<worktree>/scoped/<tree>/<name>.run   the same file again, where the suite excludes paths
      quarantine/<worktree>/...                  entries that were found broken, at the place that they had

A name starts with the run's start in milliseconds, so that names sort by time. Files appear whole or not at all: written
beside their place, synced, renamed, the folder synced. Nothing here is ever overwritten.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.model import ReportFile, Run, Sealing
from shipmoor_hooks.seals import chain, key_ring, quarantine
from shipmoor_hooks.seals.chain import Head, Link
from shipmoor_hooks.seals.key_ring import Sealer
from shipmoor_hooks.store import entry, id_lists, stored_runs
from shipmoor_hooks.store.stored_runs import BEGUN_SUFFIX as BEGUN_SUFFIX
from shipmoor_hooks.store.stored_runs import RUN_SUFFIX as RUN_SUFFIX
from shipmoor_hooks.store.stored_runs import SUFFIXES, folder_of, name_of
from shipmoor_hooks.store.stored_runs import UNBOUND as UNBOUND
from shipmoor_hooks.store.stored_runs import Broken as Broken
from shipmoor_hooks.store.stored_runs import Found as Found
from shipmoor_hooks.whole_files import lock, names, read_bytes, real_folder, write_whole

FOLDER = "shipmoor-hooks"
LOCK_SECONDS = 10.0  # a writer holds its chain for some milliseconds
_MOST_CHAINS = 4
_MOST_LISTS = 4  # of case ids, kept while a spool is read


class Spool:
    """The spool of the repository whose common git directory is `common_dir`; `worktree` names the folder to write to.

    `environ` (the process's own when it is left out) says where the user's seal keys are and whether new entries are sealed.
    `seal_note` tells, after a run was stored, what is to be said about its seal.
    """

    def __init__(self, common_dir: str, worktree: str, environ: Mapping[str, str] | None = None) -> None:
        self.common_dir = common_dir
        self.root = os.path.join(common_dir, FOLDER)
        self.worktree = worktree
        self.environ = os.environ if environ is None else environ
        self.keys = key_ring.Checker(self.environ)
        self.seal_note = ""
        self._lists: dict[str, IdList] = {}

    # ---------------------------------------------------------------- reading

    def at_tree(self, tree: str, *, scoped: bool = False) -> Found:
        """Every entry for a tree, from every worktree; `scoped` looks under the scoped tree's name."""
        found = Found()
        kind = "scoped" if scoped else "trees"
        for worktree in self.worktrees():
            found += self._read_folder(self._path("runs", worktree, kind, tree))
        found += Found(broken=quarantine.at(self.root, kind, tree))
        return found.settled

    def paths(self) -> list[str]:
        """The paths of all entries (runs and unfinished ones), newest first, each once."""
        found = []
        for worktree in self.worktrees():
            trees = self._path("runs", worktree, "trees")
            for tree in names(trees):
                folder = os.path.join(trees, tree)
                found += [os.path.join(folder, n) for n in names(folder) if n.endswith(SUFFIXES)]
        return sorted(found, key=os.path.basename, reverse=True)

    def recent(self, number: int) -> Found:
        """The newest entries of all worktrees, newest first, at most `number`."""
        found = Found()
        for path in self.paths()[:number]:
            found += self.read(path)
        return found.settled

    def report_tree(self, file: ReportFile) -> str | None:
        """The tree that a report file of this digest and mtime is bound to (UNBOUND: to none); None: never captured."""
        try:
            return read_bytes(self._path("reports", _report_name(file))).decode("ascii", "replace")
        except OSError:
            return None

    def by_id(self, prefix: str) -> Found:
        """The entries whose run id starts with `prefix`."""
        found = Found()
        for path in self.paths():
            if os.path.basename(path).partition("-")[2].startswith(prefix):
                found += self.read(path)
        return found.settled

    def twins(self, path: str) -> list[str]:
        """The same entry under its scoped tree, where there is one."""
        top = os.path.dirname(os.path.dirname(os.path.dirname(path)))
        scoped = os.path.join(top, "scoped")
        name = os.path.basename(path)
        paths = (os.path.join(scoped, tree, name) for tree in names(scoped))
        return [p for p in paths if os.path.lexists(p)]

    def inventory_paths(self) -> list[str]:
        folder = self._path("inventories")
        return [os.path.join(folder, n) for n in names(folder) if not n.startswith(".")]

    def leftovers(self) -> list[str]:
        """Temporary files that a killed writer left behind."""
        found: list[str] = []
        if os.path.islink(self.root):
            return found
        for folder, _, files in os.walk(self.root):
            found += [os.path.join(folder, n) for n in files if n.startswith(".") and n.endswith(".tmp")]
        return found

    def worktrees(self) -> list[str]:
        """The worktrees that have runs here. Links are not followed: what they lead to is not ours."""
        if os.path.islink(self.root):
            return []
        runs = self._path("runs")
        parts = ("", "trees", "scoped")
        return [
            n for n in names(runs) if not any(os.path.islink(os.path.join(runs, n, p).rstrip(os.sep)) for p in parts)
        ]

    def _read_folder(self, folder: str) -> Found:
        found = Found()
        for name in sorted(names(folder)):
            found += self.read(os.path.join(folder, name))
        return found

    def read(self, path: str) -> Found:
        """One entry by the path of its file."""
        return stored_runs.read(path, self._inventory, self.keys)

    def _inventory(self, digest: str) -> IdList | None:
        """A list of case ids by its name. Runs mostly share one: the last ones are kept, as far as they were read."""
        if digest not in self._lists:
            found = id_lists.read(self._path("inventories"), digest)
            if found is None:
                return None
            self._lists = {**dict(list(self._lists.items())[-_MOST_LISTS + 1 :]), digest: found}
        return self._lists[digest]

    # ---------------------------------------------------------------- writing

    def begin(self, run: Run) -> Run:
        """Store the start of a run. The run with its sequence. Raises EnvironmentFault."""
        return self._store(run, BEGUN_SUFFIX)

    def finish(self, run: Run) -> Run:
        """Store a finished run and let go of its start entry. The run with its sequence. Raises EnvironmentFault."""
        stored = self._store(run, RUN_SUFFIX)
        if stored.worktree == self.worktree:  # a chain beside it does not end this chain's start entry
            with contextlib.suppress(OSError):
                os.unlink(self._begun_path(run))
        return stored

    def withdraw(self, run: Run) -> None:
        """Let go of a run's start entry: its command could not be started at all."""
        with contextlib.suppress(OSError, EnvironmentFault):
            self.let_go([self._begun_path(run)])
            os.unlink(self._begun_path(run))

    def let_go(self, paths: Iterable[str]) -> None:
        """Write down that these entries are dropped on purpose, before they are. Raises OSError, EnvironmentFault."""
        gone: dict[str, list[bytes]] = {}
        for path in paths:
            worktree, kind = path.split(os.sep)[-4:-2]
            if kind == "trees":
                gone.setdefault(worktree, []).append(read_bytes(path))
        key = key_ring.of(self.environ).sealer().key if gone else None
        for worktree, entries in gone.items():
            chain.drop(self._folder("runs", worktree, chain.DROPPED), entries, key)

    def _begun_path(self, run: Run) -> str:
        return self._path("runs", self.worktree, "trees", folder_of(run), name_of(run) + BEGUN_SUFFIX)

    def bind_report(self, file: ReportFile, tree: str) -> None:
        """Remember which tree a report file is bound to. Raises EnvironmentFault."""
        try:
            path = self._folder("reports") + "/" + _report_name(file)
            if not os.path.lexists(path):
                write_whole(path, tree.encode("ascii"))
        except OSError as error:
            raise EnvironmentFault(f"{self.root} cannot be written: {error.strerror or error}") from error

    def _store(self, run: Run, suffix: str) -> Run:
        """Store an entry in this worktree's chain, or in one beside it while a stopped process holds the lock."""
        for number in range(1, _MOST_CHAINS + 1):
            try:
                return self._store_in(self.worktree if number == 1 else f"{self.worktree}~{number}", run, suffix)
            except BlockingIOError as held:
                if number == _MOST_CHAINS or os.path.basename(str(held.filename)) != chain.HEAD:
                    raise EnvironmentFault(
                        f"the run could not be stored below {self.root}: {held.strerror}",
                        "end that command, then capture again",
                    ) from held
        raise AssertionError("the last chain is given up above")

    def _store_in(self, worktree: str, run: Run, suffix: str) -> Run:
        from shipmoor_hooks.sharing import redact

        try:
            sealer = self._sealer(run, suffix)
            run = replace(redact.run(run, self.environ), worktree=worktree)
            with self._locked(worktree) as (handle, head):
                damaged = self._damaged(run)
                stored = self._written(run, suffix, sealer, handle, head)
                quarantine.move(self.root, damaged)
            self.seal_note = sealer.note or sealer.why_not
            return stored
        except BlockingIOError:
            raise
        except OSError as error:
            raise EnvironmentFault(
                f"the run could not be stored below {self.root}: {error.strerror or error}",
                "free some space or mend the permissions, then capture again",
            ) from error

    def _written(self, run: Run, suffix: str, sealer: Sealer, handle: int, head: Head) -> Run:
        """Number, link, seal and write one entry; `handle` is the locked file of the head."""
        key = sealer.key
        run = replace(run, sequence=head.number + 1, key=key.id if key else "")
        encoded = entry.encode(run, self._links(run, suffix, head), key)
        folder, name = folder_of(run), name_of(run) + suffix
        # The number is taken before anything is stored: a killed writer leaves a gap, never the same number twice.
        chain.write_head(handle, Head(run.sequence, head.last, f"trees/{folder}/{name}"))
        if encoded.ids:
            id_lists.store(self._folder("inventories"), encoded.ids, encoded.blocks)
        write_whole(self._folder("runs", run.worktree, "trees", folder) + "/" + name, encoded.envelope)
        if suffix == RUN_SUFFIX and run.scoped_tree and run.scoped_tree != run.tree:
            write_whole(self._folder("runs", run.worktree, "scoped", run.scoped_tree) + "/" + name, encoded.envelope)
        chain.write_head(handle, Head(run.sequence, Link(run.sequence, name, chain.digest_of(encoded.envelope))))
        return replace(run, sealing=Sealing.SEALED if key else Sealing.UNSEALED)

    def _sealer(self, run: Run, suffix: str) -> Sealer:
        """The seal for a new entry. A run that has begun is stored in any case: nobody measures an hour for nothing."""
        try:
            return key_ring.of(self.environ).sealer()
        except EnvironmentFault as fault:
            if suffix == BEGUN_SUFFIX or not os.path.lexists(self._begun_path(run)):
                raise
            return Sealer(None, f"{fault.message}; so the run is stored unsealed and counts as imported")

    def _links(self, run: Run, suffix: str, head: Head) -> dict[str, object]:
        """The link to the entry before this one, and the start entry that goes when this one has come."""
        start = b""
        if suffix == RUN_SUFFIX:
            with contextlib.suppress(FileNotFoundError):
                start = read_bytes(self._begun_path(run))
        return chain.fields(head.last, start)

    def _damaged(self, run: Run) -> list[str]:
        """The entries beside a run's own, in every worktree, that were touched and whose own bytes are at fault."""
        places = (("trees", folder_of(run)), ("scoped", run.scoped_tree or UNBOUND))
        folders = [self._path("runs", worktree, *place) for worktree in self.worktrees() for place in places]
        paths = [path for folder in folders for path in stored_runs.touched(folder)]
        return [path for path in paths if stored_runs.is_damaged(path, self.keys)]

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every writer out, so that what was found to be unused stays so. Raises EnvironmentFault."""
        try:
            with lock(self._folder() + "/lock", fcntl.LOCK_EX):
                yield
        except OSError as error:
            raise EnvironmentFault(f"{self.root} cannot be locked: {error.strerror or error}") from error

    @contextlib.contextmanager
    def _locked(self, worktree: str) -> Iterator[tuple[int, Head]]:
        """Hold a chain's lock (the kernel lets go of it when the process dies); its open file and the head in it."""
        folder = self._folder("runs", worktree)
        held = f"{folder}/{chain.HEAD}"
        with lock(self.root + "/lock", fcntl.LOCK_SH), lock(held, fcntl.LOCK_EX, LOCK_SECONDS) as handle:
            head = chain.read_head(handle)
            yield handle, chain.settled(head, folder) if head is not None else chain.rebuilt(folder)

    def _path(self, *parts: str) -> str:
        return os.path.join(self.root, *parts)

    def _folder(self, *parts: str) -> str:
        """The folder, made if it is missing. Raises EnvironmentFault when a link or a file stands in its place."""
        return real_folder(self.root, *parts)


def _report_name(file: ReportFile) -> str:
    return f"{file.sha256}.{file.mtime_ns}"
