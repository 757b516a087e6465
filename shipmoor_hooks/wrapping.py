"""A sentence in lines of a width. Pure.

As `textwrap.wrap` does it without breaking words, hyphens or runs of blanks (tests/test_render.py asks both); that module
brings regular expressions along, which the hook path does without.
"""

from __future__ import annotations


def wrapped(text: str, width: int, indent: str, further: str) -> list[str]:
    """The lines, the first behind `indent`, the others behind `further`; only blanks part words."""
    lines: list[str] = []
    line, gap, room = "", -1, width - len(indent)
    for word in text.split(" "):
        gap += 1
        if not word:
            continue
        longer = f"{line}{' ' * gap}{word}"
        if len(longer) <= room:
            line = longer
        else:
            if line:
                lines.append(line)
                room = width - len(further)
            line = word
        gap = 0
    if line:
        lines.append(line)
    return [f"{further if number else indent}{told}" for number, told in enumerate(lines)]
