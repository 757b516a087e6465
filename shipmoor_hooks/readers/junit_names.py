"""Names that a tool has mangled: put together again, or rid of a number that only says when the test ran."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Outcome, Record, RecordKind
from shipmoor_hooks.report_records import Part

_NUMBERED = re.compile(r"#?(\d{1,7})(?: - | |\Z)")
_SUBTEST = re.compile(r"([A-Za-z_]\w*) (?=[(\[]).*[)\]]\Z", re.DOTALL)
_ATTEMPT = re.compile(r" \((?:attempt|repetition) (\d{1,4}) of \d{1,4}\)\Z")


def with_attempt_number(record: Record) -> Record:
    """PHPUnit writes the final attempt alone and its number into the name: the ones before it failed."""
    found = _ATTEMPT.search(record.name)
    if found is None:
        return record
    failed = (Outcome.FAILED,) * (int(found.group(1)) - 1) if "attempt" in found.group() else ()
    return replace(record, name=record.name[: found.start()], attempts=failed)


def rejoined(record: Record) -> Record:
    """nose2 splits a test's id at its last dot, also inside of a subtest's parameters: split before the bracket."""
    if "(" not in record.classname:
        return record
    whole = f"{record.classname}.{record.name}"
    before, bracket, inside = whole.partition("(")
    classname, _, name = before.rpartition(".")
    return replace(record, classname=classname, name=f"{name}{bracket}{inside}")


def without_running_numbers(parts: list[Part]) -> list[Part]:
    """TAP converters number the tests of a suite, and a removed one renumbers the rest.

    The number goes only when all names of the suite are numbered 1 to n, in any order; a test without a description
    keeps its number.
    """
    by_suite: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, part in enumerate(parts):
        shared = part if isinstance(part, Record) else part.shared
        by_suite[*shared.suites, shared.classname].append(position)
    changed = list(parts)
    for positions in by_suite.values():
        if all(_NUMBERED.match(_names(parts[p])[0]) for p in positions) and _are_numbered(parts[p] for p in positions):
            for position in positions:
                changed[position] = _without_number(parts[position])
    return changed


def _names(part: Part) -> Sequence[str]:
    return (part.name,) if isinstance(part, Record) else part.names


def _are_numbered(parts: Iterable[Part]) -> bool:
    found = [_NUMBERED.match(name) for part in parts for name in _names(part)]
    numbers = sorted(int(m.group(1)) for m in found if m is not None)
    return numbers == list(range(1, len(found) + 1))


def _without_number(part: Part) -> Part:
    names = [name[m.end() :] if (m := _NUMBERED.match(name)) and m.end() < len(name) else name for name in _names(part)]
    return replace(part, name=names[0]) if isinstance(part, Record) else replace(part, names=names)


def without_subtests(records: Iterable[Record]) -> list[Record]:
    """unittest's subtests are no cases: one that fails stands there in the place of its test (`test_a (i=1)`, `test_a [msg]`).

    Subtests that pass leave the test's own record. So that a test which turns red is not one that is gone, its failing
    subtests become one record under its name; the worst outcome wins.
    """
    kept: list[Record] = []
    positions: dict[tuple[str, str], int] = {}
    of_subtests: set[int] = set()  # positions of records that no test has claimed yet
    for record in records:
        found = _SUBTEST.match(record.name) if record.kind is RecordKind.CASE else None
        key = (record.classname, found.group(1) if found else record.name)
        position = positions.setdefault(key, len(kept))
        if position == len(kept) or (found is None and position not in of_subtests):
            of_subtests.update([len(kept)] if found else [])
            kept.append(replace(record, name=key[1]))
        else:
            of_subtests.difference_update([] if found else [position])
            worst = max(kept[position], record, key=lambda r: r.outcome.badness)
            kept[position] = replace(kept[position], outcome=worst.outcome)
    return kept
