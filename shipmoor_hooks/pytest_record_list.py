"""What `pytest_records` collected, as the records of a report, in the names of pytest's own XML with the file beside them.

So a case has one id whether it came by the plugin or by a report file. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from shipmoor_hooks.case_list import OF_LETTER, Outcome
from shipmoor_hooks.model import Record, RecordKind
from shipmoor_hooks.pytest_records import Records, dotted, split
from shipmoor_hooks.report_records import Alike, Part, RecordList

if TYPE_CHECKING:
    from shipmoor_hooks.pytest_records import Finished, Locate


def record_list(seen: Records) -> RecordList:
    """The records of a session so far: files that do not load or skip themselves, then the tests."""
    told = [_record(nodeid, letter, "", seen.locate, RecordKind.FILE) for nodeid, letter in seen.files]
    return RecordList([*told, *_ended(seen.tests, seen.locate)])


def _ended(tests: Iterable[Finished], locate: Locate) -> Iterator[Part]:
    """The tests; those of one place that passed one after the other together."""
    row: Alike | None = None
    names: list[str] = []
    place = ""  # of the row, as its node ids begin
    for one in tests:
        if not isinstance(one, str):
            row = None
            yield _record(*one, locate)
            continue
        before, _, name = one.rpartition("::")
        if row is not None and name and before == place and "[" not in one:
            names.append(name)
            continue
        record = _record(one, Outcome.PASSED.letter, "", locate)
        same = row is not None and (row.shared.classname, row.shared.file) == (record.classname, record.file)
        if same and record.name:
            names.append(record.name)
        elif record.name:
            names, place = [record.name], before
            row = Alike(Record("", record.classname, record.file), names)
            yield row
        else:
            row = None
            yield record


def _record(nodeid: str, letter: str, attempts: str, locate: Locate, kind: RecordKind = RecordKind.CASE) -> Record:
    path, names = split(nodeid)
    path = locate(path)
    *classes, name = [dotted(path), *names]
    before = tuple(OF_LETTER[ord(one)] for one in attempts)
    return Record(name, ".".join(classes), path, (), OF_LETTER[ord(letter)], before, kind)
