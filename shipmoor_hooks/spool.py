"""The files of the spool: where a repository keeps its runs (design, sections 2 and 9).

    <common dir>/shipmoor-hooks/
      inventories/<digest>                     case ids, compressed, a mark behind them, stored once
      runs/<worktree>/trees/<tree>/<name>.run  one sealed-shape file a run, in the folder of the tree that was tested
      reports/<digest>.<mtime>                 the tree that a report file is bound to
      lock                                     shared by writers, taken alone by whoever drops files
      runs/<worktree>/trees/<tree>/<name>.begun  a run that began and did not (yet) end
      runs/<worktree>/scoped/<tree>/<name>.run   the same file again, where the suite excludes paths

A name starts with the run's start in milliseconds, so that names sort by time. Files appear whole or not at all: written
beside their place, synced, renamed, the folder synced. Nothing here is ever overwritten.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from shipmoor_hooks import entry, envelope
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.model import Code, ReportFile, Run
from shipmoor_hooks.whole_files import lock, names, read_bytes, real_folder, write_whole

FOLDER = "shipmoor-hooks"
UNBOUND = "unbound"
RUN_SUFFIX = ".run"
BEGUN_SUFFIX = ".begun"
_MARK = 32  # bytes


@dataclass(frozen=True, slots=True)
class Broken:
    """A stored entry that cannot be used, and why."""

    path: str
    code: Code
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """What the spool holds for a tree: finished runs (oldest first), unfinished ones, and what cannot be read."""

    runs: tuple[Run, ...] = ()
    begun: tuple[Run, ...] = ()
    broken: tuple[Broken, ...] = ()

    def __add__(self, other: Found) -> Found:
        return Found(self.runs + other.runs, self.begun + other.begun, self.broken + other.broken)


class Spool:
    """The spool of the repository whose common git directory is `common_dir`; `worktree` names the folder to write to."""

    def __init__(self, common_dir: str, worktree: str) -> None:
        self.root = os.path.join(common_dir, FOLDER)
        self.worktree = worktree

    # ---------------------------------------------------------------- reading

    def at_tree(self, tree: str, *, scoped: bool = False) -> Found:
        """Every entry for a tree, from every worktree; `scoped` looks under the scoped tree's name."""
        found = Found()
        for worktree in self._worktrees():
            found += self._read_folder(self._path("runs", worktree, "scoped" if scoped else "trees", tree))
        return _without_finished(found)

    def paths(self) -> list[str]:
        """The paths of all entries (runs and unfinished ones), newest first, each once."""
        found = []
        for worktree in self._worktrees():
            trees = self._path("runs", worktree, "trees")
            for tree in names(trees):
                folder = os.path.join(trees, tree)
                found += [os.path.join(folder, n) for n in names(folder) if n.endswith((RUN_SUFFIX, BEGUN_SUFFIX))]
        return sorted(found, key=os.path.basename, reverse=True)

    def recent(self, number: int) -> Found:
        """The newest entries of all worktrees, newest first, at most `number`."""
        found = Found()
        for path in self.paths()[:number]:
            found += self._read(path)
        return _without_finished(found)

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
                found += self._read(path)
        return _without_finished(found)

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

    def _worktrees(self) -> list[str]:
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
            found += self._read(os.path.join(folder, name))
        return found

    def _read(self, path: str) -> Found:
        if not path.endswith((RUN_SUFFIX, BEGUN_SUFFIX)):
            return Found()
        try:
            fields = entry.payload_of(read_bytes(path))
            run = entry.decode_fields(fields, self._inventory(entry.inventory_name(fields)))
        except envelope.Unreadable as reason:
            return Found(broken=(Broken(path, reason.code, reason.text),))
        except FileNotFoundError:
            return Found()
        except OSError as error:
            return Found(broken=(Broken(path, Code.SEAL_BROKEN, f"it cannot be read: {error.strerror}"),))
        if not _belongs(run, path):
            return Found(broken=(Broken(path, Code.SEAL_BROKEN, "it lies in the place of another run or tree"),))
        return Found(begun=(run,)) if path.endswith(BEGUN_SUFFIX) else Found(runs=(run,))

    def _inventory(self, digest: str) -> bytes | None:
        if not digest.isalnum():
            return None
        try:
            return zlib.decompressobj().decompress(read_bytes(self._path("inventories", digest)))
        except (OSError, zlib.error):
            return None

    # ---------------------------------------------------------------- writing

    def begin(self, run: Run) -> Run:
        """Store the start of a run. The run with its sequence. Raises EnvironmentFault."""
        return self._store(run, BEGUN_SUFFIX)

    def finish(self, run: Run) -> Run:
        """Store a finished run and let go of its start entry. The run with its sequence. Raises EnvironmentFault."""
        stored = self._store(run, RUN_SUFFIX)
        self.withdraw(run)
        return stored

    def withdraw(self, run: Run) -> None:
        """Let go of a run's start entry: the run is stored, or its command could not be started at all."""
        begun = self._path("runs", self.worktree, "trees", _folder_of(run), _name_of(run) + BEGUN_SUFFIX)
        with contextlib.suppress(OSError):
            os.unlink(begun)

    def bind_report(self, file: ReportFile, tree: str) -> None:
        """Remember which tree a report file is bound to. Raises EnvironmentFault."""
        try:
            path = self._folder("reports") + "/" + _report_name(file)
            if not os.path.lexists(path):
                write_whole(path, tree.encode("ascii"))
        except OSError as error:
            raise EnvironmentFault(f"{self.root} cannot be written: {error.strerror or error}") from error

    def _store(self, run: Run, suffix: str) -> Run:
        try:
            with self._locked() as sequence:
                stored = replace(run, worktree=self.worktree, sequence=sequence)
                encoded = entry.encode(stored)
                if encoded.inventory:
                    self._store_inventory(encoded.inventory_digest, encoded.inventory)
                name = _name_of(run) + suffix
                path = self._folder("runs", self.worktree, "trees", _folder_of(run)) + "/" + name
                write_whole(path, encoded.envelope)
                if suffix == RUN_SUFFIX and run.scoped_tree and run.scoped_tree != run.tree:
                    write_whole(
                        self._folder("runs", self.worktree, "scoped", run.scoped_tree) + "/" + name, encoded.envelope
                    )
                return stored
        except OSError as error:
            raise EnvironmentFault(
                f"the run could not be stored below {self.root}: {error.strerror or error}",
                "free some space or mend the permissions, then capture again",
            ) from error

    def _store_inventory(self, digest: str, inventory: bytes) -> None:
        """Write the ids unless they are there; a damaged list is found and written again.

        A mark behind the compressed list tells that it is whole, and under its own name, without taking it apart.
        """
        path = self._folder("inventories") + "/" + digest
        try:
            stored = read_bytes(path)
        except OSError:
            stored = b""
        if stored[-_MARK:] != _mark(digest, stored[:-_MARK]):
            packed = zlib.compress(inventory, 1)
            write_whole(path, packed + _mark(digest, packed))

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every writer out, so that what was found to be unused stays so. Raises EnvironmentFault."""
        try:
            with lock(self._folder() + "/lock", fcntl.LOCK_EX):
                yield
        except OSError as error:
            raise EnvironmentFault(f"{self.root} cannot be locked: {error.strerror or error}") from error

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        """Hold this worktree's lock (the kernel lets go of it when the process dies) and give the next sequence number.

        The number is taken before anything is stored: a killed writer leaves a gap, never the same number twice.
        """
        folder = self._folder("runs", self.worktree)
        with lock(self.root + "/lock", fcntl.LOCK_SH), lock(folder + "/sequence", fcntl.LOCK_EX) as handle:
            text = os.pread(handle, 32, 0).strip()
            number = int(text) + 1 if text.isdigit() else 1
            os.pwrite(handle, b"%-20d\n" % number, 0)
            yield number

    def _path(self, *parts: str) -> str:
        return os.path.join(self.root, *parts)

    def _folder(self, *parts: str) -> str:
        """The folder, made if it is missing. Raises EnvironmentFault when a link or a file stands in its place."""
        return real_folder(self.root, *parts)


def _mark(digest: str, packed: bytes) -> bytes:
    """What stands behind a list of ids: it fits this list under this name alone."""
    return hashlib.sha256(digest.encode("ascii") + packed).digest()


def _without_finished(found: Found) -> Found:
    """A writer that was killed between the two leaves the start entry beside the finished run: that run has ended."""
    finished = {run.id for run in found.runs}
    return Found(found.runs, tuple(run for run in found.begun if run.id not in finished), found.broken)


def _belongs(run: Run, path: str) -> bool:
    """Does the entry lie under its own name, in the folder of the tree that it says it was measured on?"""
    folder, name = os.path.split(path)
    kind, tree = folder.split(os.sep)[-2:]
    own = run.scoped_tree if kind == "scoped" else _folder_of(run)
    return tree == own and name in (_name_of(run) + RUN_SUFFIX, _name_of(run) + BEGUN_SUFFIX)


def _folder_of(run: Run) -> str:
    return run.tree or run.first_tree or UNBOUND


def _name_of(run: Run) -> str:
    return f"{max(0, int(run.started * 1000)):013d}-{run.id}"


def _report_name(file: ReportFile) -> str:
    return f"{file.sha256}.{file.mtime_ns}"
