"""Secrets that a command line carries are not stored with its run (design, section 9): a run's entry can be published.

What counts as one: the value of an environment variable whose name says so, a password in a URL, the value of an option whose
name ends like one (`--api-key`). Case ids are left as they are: they are what is compared.
"""

from __future__ import annotations

import base64
import re
import string
from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Run

HIDDEN = "***"
_SHORTEST = 8  # characters: a shorter value stands in too many words that are none
_PLAIN = frozenset(string.ascii_letters + string.digits + "-._~")
_WORD = r"(?:token|secret|passw(?:or)?d|passphrase|api[-_]?key|private[-_]?key|access[-_]?key|credentials?|jwt)"
_SECRET_NAME = re.compile(_WORD, re.IGNORECASE)
_OPTION = re.compile(rf"--?[\w-]*{_WORD}", re.IGNORECASE)
_ASSIGNED = re.compile(rf"((?<!\S)(?:--?[\w-]*{_WORD}[= ]|[\w-]*{_WORD}=))(?!-)(\S+)", re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)([^\s/@:]*):[^\s/@]+@")


def run(stored: Run, environ: Mapping[str, str]) -> Run:
    """The run without the secrets in its command, its conditions and the sentences about them."""
    values = _values(environ)
    return replace(
        stored,
        command=command(stored.command, values),
        conditions=tuple((name, text(value, values)) for name, value in stored.conditions),
        problems=tuple(
            replace(p, message=text(p.message, values), next_step=text(p.next_step, values)) for p in stored.problems
        ),
    )


def command(words: Sequence[str], values: Sequence[str]) -> tuple[str, ...]:
    """The words of a command; one that follows the name of a secret option is one whole."""
    found: list[str] = []
    before = ""
    for word in words:
        is_value = _OPTION.fullmatch(before) and not word.startswith("-")
        found.append(HIDDEN if is_value else text(word, values))
        before = word
    return tuple(found)


def text(said: str, values: Sequence[str]) -> str:
    """A line without these values, without passwords in URLs, without what is assigned to a secret name."""
    for value in values:
        said = said.replace(value, HIDDEN)
    return _ASSIGNED.sub(rf"\g<1>{HIDDEN}", _IN_URL.sub(rf"\g<1>:{HIDDEN}@", said))


def _values(environ: Mapping[str, str]) -> list[str]:
    """The secret values of an environment, also as a URL and base64 spell them; the longest first."""
    secret = {v for name, v in environ.items() if len(v) >= _SHORTEST and _SECRET_NAME.search(name)}
    coded = {base64.b64encode(v.encode("utf-8", "surrogateescape")).decode("ascii").rstrip("=") for v in secret}
    return sorted(secret | coded | {_in_url(v) for v in secret}, key=len, reverse=True)


def _in_url(value: str) -> str:
    """The value as a URL spells it."""
    spelled = (chr(b) if chr(b) in _PLAIN else f"%{b:02X}" for b in value.encode("utf-8", "surrogateescape"))
    return "".join(spelled)
