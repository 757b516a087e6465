"""Names that a tool has mangled: put together again, or rid of a number that only says when the test ran."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from shipmoor_hooks.model import Outcome, Record, RecordKind

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


def without_running_numbers(records: list[Record]) -> list[Record]:
    """TAP converters number the tests of a suite, and a removed one renumbers the rest.

    The number goes only when all names of the suite are numbered 1 to n, in any order; a test without a description
    keeps its number.
    """
    by_suite: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, record in enumerate(records):
        by_suite[*record.suites, record.classname].append(position)
    changed = list(records)
    for positions in by_suite.values():
        found = [_NUMBERED.match(records[p].name) for p in positions]
        numbers = sorted(int(m.group(1)) for m in found if m is not None)
        if numbers == list(range(1, len(positions) + 1)):
            for position, match in zip(positions, found, strict=True):
                if match is not None and match.end() < len(records[position].name):
                    changed[position] = replace(records[position], name=records[position].name[match.end() :])
    return changed


def without_subtests(records: list[Record]) -> list[Record]:
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
