"""Cases and records in few bytes: the same as a tuple of objects to whoever looks, and small (design, section 2)."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks import intake
from shipmoor_hooks.model import Case, CaseList, Outcome, Record, RecordKind
from shipmoor_hooks.report_records import Alike, RecordList
from shipmoor_hooks.store import inventory

CASE = st.builds(
    Case,
    id=st.sampled_from(["a", "b", "c"]),
    outcome=st.sampled_from(list(Outcome)),
    count=st.integers(1, 2),
    passed=st.integers(0, 1),
    samples=st.integers(1, 2),
    kind=st.sampled_from(list(RecordKind)),
    covers=st.sampled_from(["", "a::"]),
    raws=st.sampled_from([(), ("A",)]),
)


@given(st.lists(CASE, max_size=6).map(tuple))
def test_a_list_of_cases_is_the_tuple_of_them(cases: tuple[Case, ...]) -> None:
    compact = CaseList.of(cases)
    assert compact == cases
    assert cases == compact
    assert tuple(compact) == cases
    assert compact == CaseList(list(compact.ids), compact.letters, dict(compact.others))
    assert hash(compact) == hash(cases)
    assert len(compact) == len(cases)
    assert compact[1:] == cases[1:]
    assert compact.has_red == any(case.outcome.is_red for case in cases)
    assert sum(compact.counts().values()) == sum(case.kind is not RecordKind.RUN for case in cases)
    assert CaseList.of(compact) is compact


def test_a_list_of_cases_differs_where_a_tuple_would() -> None:
    case = Case("a", Outcome.PASSED, passed=1)
    assert CaseList.of([case]) != (Case("a", Outcome.FAILED),)
    assert CaseList.of([case]) != CaseList.of([Case("a", Outcome.PASSED, count=2, passed=2, samples=2)])
    assert CaseList.of([case]) != [case]
    with pytest.raises(IndexError):
        CaseList.of([case])[1]


def test_a_list_of_records_is_the_tuple_of_them() -> None:
    failed = Record("c", "T", outcome=Outcome.FAILED)
    records = RecordList([Alike(Record("", "T"), ["a", "b"]), failed])
    whole = (Record("a", "T"), Record("b", "T"), failed)
    assert records == whole
    assert whole == records
    assert hash(records) == hash(whole)
    assert (len(records), records[0], records[-1], records[1:]) == (3, whole[0], failed, whole[1:])
    with pytest.raises(IndexError):
        records[3]


def report_of(number: int, path: Path) -> str:
    """A pytest report: 3 of 100 cases failed, 40 to a class."""
    with open(path, "w") as out:
        out.write('<testsuites name="pytest tests"><testsuite name="pytest">')
        for i in range(number):
            head = f'<testcase classname="tests.unit.test_module_{i // 40:05d}.TestThing" name="test_it[{i:07d}]"'
            red = i * 2654435761 % 100 < 3
            out.write(f'{head} time="0.1"' + ('><failure message="m">t</failure></testcase>' if red else "/>"))
        out.write("</testsuite></testsuites>")
    return str(path)


def test_reading_and_folding_costs_less_than_0_4_kib_a_case(tmp_path: Path) -> None:
    path, number = report_of(20_000, tmp_path / "r.xml"), 20_000
    tracemalloc.start()
    try:
        _, report = intake.read_file(path, None, None, inside=False)
        read = tracemalloc.get_traced_memory()[1]
        cases = inventory.cases_of([report], frozenset(), "", ())
        folded = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(cases), cases.counts()[Outcome.FAILED]) == (number, 600)
    assert read < 0.2 * 1024 * number
    assert folded < 0.4 * 1024 * number


@given(st.lists(CASE, max_size=8))
def test_the_ids_of_cases_are_those_of_the_records_that_are_cases(cases: list[Case]) -> None:
    assert CaseList.of(cases).case_ids() == {c.id for c in cases if c.kind is RecordKind.CASE}
