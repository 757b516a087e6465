"""Short wordings that the page, the text and the Markdown share. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.model import Outcome
from shipmoor_hooks.report.pages import CaseChange
from shipmoor_hooks.rules.wording import several


def turned(changes: Sequence[CaseChange]) -> dict[str, int]:
    """How many cases were removed, added, turned red, turned green, skipped, or something else."""
    found = dict.fromkeys(("removed", "added", "red", "skipped", "green", "other"), 0)
    for change in changes:
        found[kind_of(change)] += 1
    return found


def kind_of(change: CaseChange) -> str:
    """What became of a case, in a word."""
    if change.before is None or change.after is None:
        return "added" if change.before is None else "removed"
    if change.after.is_red and not change.before.is_red:
        return "red"
    if change.after.is_skip and not change.before.is_skip:
        return "skipped"
    return "green" if change.after.is_green else "other"


_CHIPS = {
    "removed": ("{} removed", "is-bad"),
    "red": ("{} red", "is-bad"),
    "skipped": ("{} skipped", "is-warn"),
    "added": ("{} added", "is-good"),
    "green": ("{} green again", "is-good"),
    "other": ("{} otherwise", "is-calm"),
}


def change_words(changes: Sequence[CaseChange]) -> list[tuple[str, str]]:
    """`2 removed` and the like, each with the shade of the page that goes with it; nothing for what did not happen."""
    numbers = turned(changes)
    return [(words.format(numbers[kind]), shade) for kind, (words, shade) in _CHIPS.items() if numbers[kind]]


def one_change(change: CaseChange) -> str:
    """`removed`, `added (failed)`, `passed, now failed`."""
    if change.before is None:
        told = "" if change.after is Outcome.PASSED or change.after is None else f" ({change.after.value})"
        return f"added{told}"
    if change.after is None:
        return "removed" + ("" if change.before is Outcome.PASSED else f" (was {change.before.value})")
    return f"{change.before.value}, now {change.after.value}"


def otherwise(number: int) -> str:
    """`1 case stands otherwise`, `3 cases stand otherwise`."""
    return f"{several(number)} {'stands' if number == 1 else 'stand'} otherwise"
