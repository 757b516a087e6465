"""Files that appear whole or not at all, and locks that die with their process: what the spool is made of (design, section 9).

Nothing here follows a link, and what was written is on the disk when a function returns. The quick paths of the hooks load
this: so no `contextlib`, no `secrets`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from itertools import islice

from shipmoor_hooks.errors import EnvironmentFault

PATIENCE = 60.0  # seconds: `verify` of a large spool keeps writers out for some
_MOST_ASKED = 64  # files of a folder
_TICK = 20_000_000  # nanoseconds: two ticks of the clock for file times; a renamed file's may lie before its folder's
_BETWEEN = 0.005  # seconds between two tries at a lock


def names(folder: str) -> list[str]:
    """The names in a folder; none when it is missing, no folder, or a link."""
    try:
        if stat.S_ISLNK(os.lstat(folder).st_mode):
            return []
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def touched(folder: str) -> list[str]:
    """The files of a folder that changed after one last came or went there, by their times: none is opened.

    Whoever adds an entry looks at these first. So that one more run costs the same however many lie there, no more than
    64 are asked for their time; what is behind those, or hidden by a set-back clock, is found by whoever reads the entry.
    """
    try:
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode):
            return []
        with os.scandir(folder) as files:
            since, some = status.st_mtime_ns - _TICK, islice(files, _MOST_ASKED)
            return [file.path for file in some if file.stat(follow_symlinks=False).st_ctime_ns >= since]
    except FileNotFoundError:
        return []


def name_by_time(seconds: float, name: str) -> str:
    """A file's name that sorts by its time (POSIX seconds): milliseconds, a dash, and what tells it from others."""
    return f"{max(0, int(seconds * 1000)):013d}-{name}"


def read_bytes(path: str) -> bytes:
    """The content of a plain file. Raises OSError, also for whatever else stands under the name; a pipe is not waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a plain file", path)
    with os.fdopen(handle, "rb") as stream:
        return stream.read()


def write_whole(path: str, data: bytes, mode: int = 0o666) -> None:
    """Make the file appear whole, durable, under its name; on any error nothing of it stays. `mode` is before the umask."""
    folder, name = os.path.split(path)
    # Not the process's number: containers give the same one again and again, and a killed writer's file would be in the way.
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(temporary, path)
    except BaseException:
        try:  # noqa: SIM105
            os.unlink(temporary)
        except OSError:
            pass
        raise
    sync_folder(folder)


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable."""
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def real_folder(root: str, *parts: str) -> str:
    """The folder below `root`, made if it is missing. Raises EnvironmentFault when a link or a file stands in its place."""
    path = root
    for part in ("", *parts):
        path = os.path.join(path, part) if part else path
        if not stat.S_ISDIR(_status(path).st_mode):
            raise EnvironmentFault(
                f"{path} is not a folder but a link or a file, so nothing is written there", f"rm {path}"
            )
    return path


def _status(path: str) -> os.stat_result:
    """What stands under the name of a folder, which is made where nothing does."""
    try:
        return os.lstat(path)
    except FileNotFoundError:
        try:
            os.mkdir(path)
            sync_folder(os.path.dirname(path))
        except FileExistsError:
            pass
        return os.lstat(path)


class Lock:
    """A file, locked (flock) for as long as the block runs; made when it is missing, never through a link.

    The kernel lets go of a dead process's lock; a process that is stopped while it holds one keeps nobody waiting for more
    than `seconds` (PATIENCE). Raises OSError; BlockingIOError when the lock is still held then.
    """

    __slots__ = ("_handle", "_how", "_path", "_seconds")

    def __init__(self, path: str, how: int, seconds: float | None) -> None:
        self._path, self._how, self._handle = path, how, -1
        self._seconds = PATIENCE if seconds is None else seconds

    def __enter__(self) -> int:
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            _take(self._handle, self._how, self._path, time.monotonic() + self._seconds)
        except BaseException:
            os.close(self._handle)
            raise
        return self._handle

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def lock(path: str, how: int, seconds: float | None = None) -> Lock:
    """The file at `path` to be locked by a `with` statement, which gives its handle; `how` is one of flock's."""
    return Lock(path, how, seconds)


def _take(handle: int, how: int, path: str, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise BlockingIOError(errno.EAGAIN, f"another command has held {path} for too long", path) from None
            time.sleep(_BETWEEN)
