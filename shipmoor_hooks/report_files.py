"""Report files on disk: opened safely, read once, known by digest and mtime (design, 10.4, 10.19 and 10.20)."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence

from shipmoor_hooks.errors import EvidenceFault, ReportFault
from shipmoor_hooks.model import ReportFile

MAX_BYTES = 512 * 1024 * 1024
_PIECE = 64 * 1024


class Opened:
    """A report file that is open: its bytes in pieces, from the beginning as often as somebody asks for them, and what
    they were. Only the bytes of the last reading count, and it binds them: what is hashed is what was handed out."""

    def __init__(self, handle: int, name: str, shown: str) -> None:
        self.name, self._handle, self._shown = name, handle, shown
        self._status = os.fstat(handle)
        self._read: hashlib._Hash | None = None  # of a reading that came to the end

    def pieces(self) -> Iterator[bytes]:
        """The bytes, at most 64 KiB at a time. Raises ReportFault: an error, more than the cap."""
        self._read = None
        digest, size = hashlib.sha256(), 0
        try:
            while piece := os.pread(self._handle, _PIECE, size):
                digest.update(piece)
                size += len(piece)
                if size > MAX_BYTES:
                    raise ReportFault(f"{self._shown}: it is larger than the limit of {MAX_BYTES} bytes for one report")
                yield piece
        except OSError as error:
            raise ReportFault(f"{self._shown}: the report cannot be read ({error.strerror})") from error
        self._read = digest

    def file(self) -> ReportFile:
        """What was read, by digest; read now where nobody read it to the end."""
        if self._read is None:
            for _ in self.pieces():
                pass
        assert self._read is not None  # noqa: S101  (a reading that came to the end)
        return ReportFile(self.name, self._read.hexdigest(), self._status.st_mtime_ns)


@contextlib.contextmanager
def opened(path: str, top: str | None, *, name: str = "", inside: bool = False) -> Iterator[Opened]:
    """Open a report file. Raises ReportFault for whatever is not a plain file, a link that leaves its worktree, or a cap.

    `inside` asks that the file lies in the worktree `top` (for a policy's globs); a file that a person named may lie
    anywhere. Nothing is waited for: a pipe is refused before it is read.
    """
    shown = name or path
    handle = _handle(path, top, shown, inside)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise ReportFault(f"{shown}: it is not a plain file but {_kind(status.st_mode)}")
        if status.st_size > MAX_BYTES:
            raise ReportFault(f"{shown}: {status.st_size} bytes are more than the limit of {MAX_BYTES} for one report")
        yield Opened(handle, _stored_name(path, top), shown)
    finally:
        os.close(handle)


def _handle(path: str, top: str | None, shown: str, inside: bool) -> int:
    real_top = os.path.realpath(top) + os.sep if top else ""
    try:
        link = stat.S_ISLNK(os.lstat(path).st_mode)
        if (link or inside) and not os.path.realpath(path).startswith(real_top or "\0"):
            raise ReportFault(f"{shown}: it leads out of the worktree, so it is not read")
        # What was looked at is what is opened: a link put there meanwhile is not followed.
        target = os.path.realpath(path) if link else path
        return os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError as error:
        raise ReportFault(f"{shown}: there is no such report file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ReportFault(f"{shown}: the report cannot be opened ({reason})") from error


def known(path: str, top: str | None, *, inside: bool = False) -> ReportFile:
    """What a report file is now, by digest and mtime. Raises ReportFault as `opened`."""
    with opened(path, top, inside=inside) as report:
        return report.file()


def _kind(mode: int) -> str:
    for test, word in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return word
    return "a device"


def _stored_name(path: str, top: str | None) -> str:
    """Relative inside the worktree, else the last part: an entry tells no folder of this machine."""
    absolute = os.path.abspath(path)
    if top and absolute.startswith(os.path.abspath(top) + os.sep):
        return os.path.relpath(absolute, top).replace(os.sep, "/")
    return os.path.basename(absolute)


def expand(patterns: Sequence[str], top: str) -> list[str]:
    """The files below `top` that a policy's globs name, sorted, each once; links and folders are left to `opened`."""
    found: dict[str, None] = {}
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(glob.escape(top), pattern), recursive=True)):
            if not os.path.isdir(path):
                found[path] = None
    return list(found)


def snapshot(patterns: Sequence[str], top: str) -> dict[str, tuple[str, int]]:
    """Digest and mtime of each report that a glob names now, to see afterwards which of them are new."""
    taken = {}
    for path in expand(patterns, top):
        try:
            file = known(path, top, inside=True)
        except EvidenceFault:
            continue
        taken[path] = (file.sha256, file.mtime_ns)
    return taken


def newest(top: str, paths: Sequence[str]) -> tuple[int, str]:
    """The newest mtime (nanoseconds) among files of the worktree, and that file's path; (0, "") when there are none."""
    found = (0, "")
    for path in paths:
        with contextlib.suppress(OSError):  # deleted in the working tree: it has no time
            found = max(found, (os.lstat(os.path.join(top, path)).st_mtime_ns, path))
    return found
