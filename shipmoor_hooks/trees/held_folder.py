"""Private folders that live as long as the process that holds them, and are cleared away by the next one after a kill.

Each folder has a lock file beside it that its process keeps locked (flock): a lock that can be taken belongs to a
process that is gone, whatever its number. Scratch worktrees and temporary indexes lie in such folders.
"""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import contextmanager, suppress

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.state import private_folder

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOCK_SUFFIX = ".lock"
_DIGITS = 16
_LETTERS, _HEX = frozenset("abcdefghijklmnopqrstuvwxyz-"), frozenset("0123456789abcdef")


@contextmanager
def held_folder(root: str, prefix: str) -> Iterator[str]:
    """A new folder in `root`, 0700, named `prefix` and 16 random hex digits; gone when the block is left.

    Raises EnvironmentFault when it cannot be made.
    """
    remove_dead(root)
    try:
        folder, lock = _take_new(root, prefix)
    except OSError as refused:
        raise EnvironmentFault(f"{root}: no folder can be made in it: {refused.strerror}", "free space") from refused
    try:
        try:
            os.mkdir(folder, 0o700)
        except OSError as refused:
            raise EnvironmentFault(f"{folder} cannot be made: {refused.strerror}", "free space") from refused
        yield folder
    finally:
        remove_tree(folder)
        _unlink(folder + LOCK_SUFFIX)
        os.close(lock)


def remove_dead(root: str) -> None:
    """Clear away the folders in `root` whose process is gone; whatever resists is left for the next time."""
    try:
        names = os.listdir(root)
    except OSError:
        return
    for name in names:
        if is_lock(name):
            path = os.path.join(root, name)
            try:
                lock = _take(path, 0)
            except OSError:
                continue
            if lock is not None:
                remove_tree(path.removesuffix(LOCK_SUFFIX))
                _unlink(path)
                os.close(lock)


def is_lock(name: str) -> bool:
    """Whether this is the name of a lock of ours: nothing else is ever cleared away, whatever else lies in the folder."""
    prefix, dash, digits = name.removesuffix(LOCK_SUFFIX).rpartition("-")
    is_ours = name.endswith(LOCK_SUFFIX) and dash and prefix and len(digits) == _DIGITS
    return bool(is_ours) and _LETTERS.issuperset(prefix) and _HEX.issuperset(digits)


def throwaway_root(environ: Mapping[str, str], outside: str, last: str) -> str:
    """A folder for throw-away data that does not lie in the worktree `outside`, where git would list it as untracked.

    TMPDIR, then the system's usual places; `last` (the git directory, which git never lists) where none will do.
    """
    barrier = os.path.join(os.path.realpath(outside), "")
    for base in (environ.get("TMPDIR", ""), "/tmp", "/var/tmp"):  # noqa: S108 - the folder below it is private and owner-checked
        if (
            os.path.isabs(base)
            and os.path.isdir(base)
            and not os.path.join(os.path.realpath(base), "").startswith(barrier)
        ):
            try:
                return private_folder(os.path.join(base, f"shipmoor-hooks-{os.geteuid()}"), may_be_link=False)
            except EnvironmentFault:
                continue
    return private_folder(os.path.join(last, "shipmoor-hooks-throwaway"))


def remove_tree(path: str) -> None:
    """Remove a folder whatever modes a test left in it; no link is followed, and what resists stays."""
    _remove(path)
    if os.path.isdir(path) and not os.path.islink(path):
        _open(path)
        for folder, names, _ in os.walk(path):
            for name in names:
                _open(os.path.join(folder, name))
        _remove(path)


def _remove(path: str) -> None:
    """As `shutil.rmtree` does, whose import costs a commit hook more than the removal."""
    with suppress(OSError):
        for _, folders, files, handle in os.fwalk(path, topdown=False):
            for name in (*files, *folders):  # a link to a folder is listed as a folder
                with suppress(OSError):
                    if stat.S_ISDIR(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
                        os.rmdir(name, dir_fd=handle)
                    else:
                        os.unlink(name, dir_fd=handle)
        os.rmdir(path)


def _open(folder: str) -> None:
    if not os.path.islink(folder):
        with suppress(OSError):
            os.chmod(folder, 0o700)


def _take_new(root: str, prefix: str) -> tuple[str, int]:
    """A name in `root` that nobody else has, and its lock. Raises OSError."""
    while True:
        folder = os.path.join(root, prefix + os.urandom(_DIGITS // 2).hex())
        lock = _take(folder + LOCK_SUFFIX, os.O_CREAT | os.O_EXCL)
        # Another process may clear the file away between its making and its locking, as if it were a dead one's.
        if lock is not None:
            return folder, lock


def _take(path: str, flags: int) -> int | None:
    """The locked file at `path`, or None when it is held or was replaced meanwhile. Raises OSError."""
    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | flags, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
