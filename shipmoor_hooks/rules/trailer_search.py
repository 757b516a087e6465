"""Our lines in commit messages: those that git reads as trailers, and those that stand where it reads none. Pure."""

from __future__ import annotations

import re

from shipmoor_hooks.model import Code, CommitMessage, DisclosureLine, Finding, Trailer
from shipmoor_hooks.rules.trailer_lines import divide, malformed, told

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KEYS = {t.value.lower(): t for t in Trailer}
_IN_BODY = re.compile(rf"^([ \t>*-]*)({'|'.join(_KEYS)})[ \t]*:[ \t]*(.*)$", re.IGNORECASE)


def ours(commits: Sequence[CommitMessage]) -> tuple[DisclosureLine, ...]:
    """Our trailers among those that git reads, in the order given; keys in any case, each of several with one key."""
    return tuple(
        DisclosureLine(commit.commit, _KEYS[key.strip().lower()], _one_line(value))
        for commit in commits
        for key, value in commit.trailers
        if key.strip().lower() in _KEYS
    )


def misplaced(commits: Sequence[CommitMessage]) -> tuple[DisclosureLine, ...]:
    """Well-formed lines in a message where git reads no trailer: the subject, prose, the body that a squash leaves."""
    found: list[DisclosureLine] = []
    for commit in commits:
        read = {(line.trailer, line.value) for line in ours([commit])}
        for trailer, value in _lines_of(commit.message):
            line = DisclosureLine(commit.commit, trailer, value)
            if (trailer, value) not in read and malformed(line) is None:
                found.append(line)
    return tuple(found)


def misplaced_notes(lines: Sequence[DisclosureLine]) -> tuple[Finding, ...]:
    """A DISCLOSURE_MISPLACED note for each line."""
    return tuple(
        Finding(
            Code.DISCLOSURE_MISPLACED,
            f"{told(line, _name(line))} does not count: it stands where git reads no trailers.",
            "Move the line to the last paragraph of the commit message, which holds nothing but trailers.",
        )
        for line in lines
    )


def _name(line: DisclosureLine) -> str:
    return divide(line.value, lambda _: False)[0]


def _one_line(value: str) -> str:
    return " ".join(filter(None, (part.strip() for part in value.split("\n"))))


def _lines_of(message: str) -> Iterator[tuple[Trailer, str]]:
    """Whatever looks like one of our trailers, anywhere, also indented or behind a bullet; deeper lines go on."""
    lines = message.split("\n")  # as git does: other line ends are part of a value
    for number, line in enumerate(lines):
        if start := _IN_BODY.match(line):
            value = start[3]
            for following in lines[number + 1 :]:
                depth = len(following) - len(following.lstrip(" \t"))
                if not following.strip() or depth <= len(start[1]) or _IN_BODY.match(following):
                    break
                value += "\n" + following
            yield _KEYS[start[2].lower()], _one_line(value)
