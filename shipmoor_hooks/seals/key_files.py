"""Private files: the key file, the record beside it and the session's copy, read as ssh reads a private key (design, 10.21).

A file that others could have written or read is refused with the line that mends it. Nothing follows a link.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import stat

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.whole_files import sync_folder

_MOST = 1 << 20  # bytes: a file of keys has some hundred


def read_private(path: str) -> bytes | None:
    """The content of a file that is ours alone; None when there is none. Raises EnvironmentFault for one that is not."""
    try:
        _check_folder(os.path.dirname(path))
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise EnvironmentFault(f"{path} is a link, so it is not used", f"rm {shlex.quote(path)}") from error
        raise EnvironmentFault(f"{path} cannot be read: {error.strerror}", "mend its permissions") from error
    try:
        found = os.fstat(handle)
        _check_file(path, found)
        return os.read(handle, min(found.st_size, _MOST))
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be read: {error.strerror}") from error
    finally:
        os.close(handle)


def _check_folder(folder: str) -> None:
    found = os.stat(folder)
    quoted = shlex.quote(folder)
    if found.st_uid != os.geteuid():
        raise EnvironmentFault(f"{folder} belongs to another user", f"sudo chown {os.geteuid()} {quoted}")
    if stat.S_IMODE(found.st_mode) & 0o022:
        raise EnvironmentFault(f"others can write in {folder}, where the seal key lies", f"chmod 700 {quoted}")


def _check_file(path: str, found: os.stat_result) -> None:
    quoted = shlex.quote(path)
    if not stat.S_ISREG(found.st_mode):
        raise EnvironmentFault(f"{path} is not a plain file, so it is not used", f"rm {quoted}")
    if found.st_uid != os.geteuid():
        raise EnvironmentFault(f"{path} belongs to another user", f"sudo chown {os.geteuid()} {quoted}")
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        raise EnvironmentFault(f"the permissions of {path} are {mode:04o}: others can use it", f"chmod 600 {quoted}")
    if found.st_nlink != 1:
        raise EnvironmentFault(
            f"{path} has {found.st_nlink} names (hard links), so others may hold it", f"ls -i {quoted}"
        )


def write_private(path: str, data: bytes) -> None:
    """Make the file (0600) appear whole, durable, under its name. Raises EnvironmentFault; then nothing of it stays."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                os.fchmod(stream.fileno(), 0o600)
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.rename(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        sync_folder(folder)
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error.strerror or error}", "free some space") from error
