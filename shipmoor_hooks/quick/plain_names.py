"""Test ids and words from which nothing has to be taken, for the pytest plugin's short way. Pure.

Both questions are answered on the careful side: a no says only that `case_id` or `sharing.redact` must look, each of which
loads more than a session of one test can bear. tests/test_plain_names.py holds them to those.
"""

from __future__ import annotations

import base64
import re

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

LONGEST = 4096  # characters of an id; `case_id` takes more
# What differs from run to run on one tree stands in no id without one of these (`case_id` takes it out).
HINT = r"0x|@[0-9a-f]|-4\w\w\w-|:\d\d:|/tmp/|/var/"
_HINTS = ("0x", "@", "-4", "/tmp/", "/var/")  # noqa: S108  (looked for, never used)
_PATH = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/")
# How the names of secrets begin, without dashes: `redact` asks for more.
_SECRET = ("token", "secret", "passw", "passphrase", "apikey", "privatekey", "accesskey", "credential", "jwt")
_SHORTEST = 8  # characters of a secret value


def are_plain_ids(nodeids: Sequence[str], files: Container[str], dotted: str, root: str) -> bool:
    """Whether pytest's node ids are the ids of their cases, none twice: each in a Python file of the tested tree.

    `files` are the tree's paths, `dotted` is what `dotted_paths` makes of them; `root` the worktree's absolute path.
    """
    if len(set(nodeids)) < len(nodeids) or not all(len(nodeid) < LONGEST for nodeid in nodeids):
        return False
    text = "\n".join(nodeids)
    if "\0" in text or "::::" in text or "::\n" in f"{text}\n" or root in text or _holds_hint(text):
        return False
    # A dot behind the file would be one of a class's name, which a dotted name hides.
    places = {nodeid.partition("[")[0].rpartition("::")[0] for nodeid in nodeids}
    if not all(place.count(".") == 1 for place in places):
        return False
    return all(_is_module(path, files, dotted) for path in {place.partition("::")[0] for place in places})


def _holds_hint(text: str) -> bool:
    """Compiling the expression costs more than a session of one test can bear; nearly no id needs it."""
    is_plain = not any(word in text for word in _HINTS) and ":" not in text.replace("::", "")
    return not is_plain and re.search(HINT, text) is not None


def dotted_paths(files: Iterable[str]) -> str:
    """All paths as Python names, a NUL before and behind each."""
    return "\0" + "\0".join(files).replace("/", ".") + "\0"


def _is_module(path: str, files: Container[str], dotted: str) -> bool:
    """Is the path the only file of the tree that its name as a module could mean, also with classes behind it?"""
    stem = path.removesuffix(".py")
    if stem == path or path not in files or not _PATH.issuperset(stem):
        return False
    return dotted.count("\0" + stem.replace("/", ".") + ".") == 1


def hold_no_secret(said: Iterable[str], environ: Mapping[str, str]) -> bool:
    """Whether there is surely nothing to redact in what is said."""
    text = "\n".join(said)
    if not text.isascii() or "://" in text or any(word in _folded(text) for word in _SECRET):
        return False
    values = (value for name, value in environ.items() if len(value) >= _SHORTEST and _is_secret(name))
    return not any(form in text for value in values for form in _forms(value))


def _is_secret(name: str) -> bool:
    folded = _folded(name)
    return not name.isascii() or any(word in folded for word in _SECRET)


def _folded(text: str) -> str:
    return text.lower().replace("-", "").replace("_", "")


def _forms(value: str) -> tuple[str, str, str]:
    """A secret value as it is, and how a URL and base64 spell it."""
    data = value.encode("utf-8", "surrogateescape")
    plain = [chr(b) if (chr(b).isalnum() and b < 128) or chr(b) in "-._~" else f"%{b:02X}" for b in data]
    return value, "".join(plain), base64.b64encode(data).decode("ascii").rstrip("=")
