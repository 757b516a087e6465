"""Files that appear whole or not at all, and locks that die with their process: what the spool is made of (design, section 9).

Nothing here follows a link, and what was written is on the disk when a function returns.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator

from shipmoor_hooks.errors import EnvironmentFault

PATIENCE = 60.0  # seconds: `verify` of a large spool keeps writers out for some
_BETWEEN = 0.005  # seconds between two tries at a lock


def names(folder: str) -> list[str]:
    """The names in a folder; none when it is missing, no folder, or a link."""
    try:
        if stat.S_ISLNK(os.lstat(folder).st_mode):
            return []
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


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
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
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
        with contextlib.suppress(FileExistsError):
            os.mkdir(path)
            sync_folder(os.path.dirname(path))
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise EnvironmentFault(
                f"{path} is not a folder but a link or a file, so nothing is written there", f"rm {path}"
            )
    return path


@contextlib.contextmanager
def lock(path: str, how: int, seconds: float | None = None) -> Iterator[int]:
    """The file, locked (flock) for as long as the block runs; made when it is missing, never through a link.

    The kernel lets go of a dead process's lock; a process that is stopped while it holds one keeps nobody waiting for more
    than `seconds` (PATIENCE). Raises OSError; BlockingIOError when the lock is still held then.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        _take(handle, how, path, time.monotonic() + (PATIENCE if seconds is None else seconds))
        yield handle
    finally:
        os.close(handle)


def _take(handle: int, how: int, path: str, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise BlockingIOError(errno.EAGAIN, f"another command has held {path} for too long", path) from None
            time.sleep(_BETWEEN)
