"""The user's seal keys for the quick paths of the hooks, as `key_ring` finds them: read, never made and never asked for.

A key in a file of ours, or in the session's copy of a key store's. Files are checked as `key_files` does; one that does not
pass, or anything else out of the ordinary, gives None: the long way says what is wrong.
"""

from __future__ import annotations

import binascii
import os
import stat

from shipmoor_hooks.digest import sha256
from shipmoor_hooks.quick.lean_envelope import parsed

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

_SIZE = 32  # bytes of a key
_MOST = 1 << 20


class Keys:
    """The keys of one environment. `record` is what is written down of them, None where there is nothing (usable)."""

    def __init__(self, environ: Mapping[str, str], folder: str) -> None:
        self._environ = environ
        self._folder = folder
        text = _private(os.path.join(folder, "seal.json"))
        record = None if text is None else parsed(text.strip())
        self.record = record if record is not None and record["version"] == 1 else None

    def secret(self, key_id: str) -> bytes | None:
        """The key of an id that is ours; None for any other, and where it is not at hand."""
        record = self.record
        if record is None or key_id not in (record["key"], *record["retired"], *record["imported"]):
            return None
        if record["backend"] == "file":
            text = _private(os.path.join(self._folder, "keys", f"{key_id}.key"))
        else:
            runtime = self._environ.get("XDG_RUNTIME_DIR", "")
            text = _private(os.path.join(runtime, "shipmoor-hooks", "session.keys")) if runtime[:1] == "/" else None
        found = (_key(line, key_id) for line in (text or "").splitlines())
        return next((key for key in found if key is not None), None)

    def for_new(self) -> tuple[str, bytes | None] | None:
        """What a new entry is sealed with: id and key, ("", None) where nothing is to be; None: the long way must tell."""
        wanted = self._environ.get("SHIPMOOR_HOOKS_SEAL", "")
        in_ci = self._environ.get("CI", "").lower() not in ("", "0", "false", "no")
        if wanted == "off" or (not wanted and in_ci):
            return "", None
        if self.record is None:
            return None
        held = "file" if self.record["backend"] == "file" else "keyring"
        if wanted not in ("", "auto", held):
            return None
        secret = self.secret(self.record["key"])
        return None if secret is None else (self.record["key"], secret)


def _key(line: str, key_id: str) -> bytes | None:
    """The key of a line `sm1.<id>.<base64url of the key>`."""
    prefix, _, rest = line.strip().partition(".")
    named, _, text = rest.partition(".")
    if prefix != "sm1" or named != key_id or not text.replace("-", "a").replace("_", "a").isalnum():
        return None
    secret = binascii.a2b_base64(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))
    is_it = len(secret) == _SIZE and sha256(b"shipmoor-keyid-v1" + secret).hex()[:16] == key_id
    return secret if is_it else None


def _private(path: str) -> str | None:
    """The text of a file that is ours alone, in a folder that nobody else writes to; None for any other."""
    try:
        folder = os.stat(os.path.dirname(path))
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        alone = stat.S_ISREG(found.st_mode) and not found.st_mode & 0o077 and found.st_nlink == 1
        ours = found.st_uid == folder.st_uid == os.geteuid() and not folder.st_mode & 0o022
        return os.read(handle, _MOST).decode("ascii") if alone and ours else None
    finally:
        os.close(handle)
