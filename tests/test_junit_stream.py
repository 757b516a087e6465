"""A JUnit file is told case by case and nothing of it is kept: memory does not grow with the file."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import cycle, permutations

import pytest

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.junit_elements import CaseElement, Element, Row, parted
from shipmoor_hooks.readers.junit_stream import stream
from shipmoor_hooks.readers.registry import read


class Generated:
    """A report of `number` cases that never exists as a whole; `shape` is one case, with its number in it."""

    def __init__(self, number: int, shape: str, suites: int = 1) -> None:
        self.number, self.shape, self.suites = number, shape, suites
        self.longest = 0

    def pieces(self) -> Iterator[bytes]:
        yield b"<testsuites>"
        for suite in range(self.suites):
            yield b'<testsuite name="s%d" tests="1" timestamp="2026-01-01T00:00:00Z">' % suite
            for start in range(0, self.number // self.suites, 500):
                end = min(start + 500, self.number // self.suites)
                yield "".join(self.shape.format(i=i, suite=suite) for i in range(start, end)).encode()
            yield b"</testsuite>"
        yield b"</testsuites>"


SHAPES = {
    "a class, a name, a time": '<testcase classname="c" name="test_{i:06d}" time="0.1"/>',
    "attributes of their own": '<testcase classname="c" name="test_{i:06d}" line="{i}" file="f" time="0.1"/>',
    "all failed": '<testcase classname="c" name="test_{i:06d}" time="0"><failure message="{i}">text</failure></testcase>',
    "a class each": '<testcase classname="c{i:06d}" name="test" time="0.1"/>',
    "without a name": '<testcase classname="c" time="0.1"/>',
    "much output": '<testcase classname="c" name="t{i}" time="0.1"><system-out>{i} and more</system-out></testcase>',
}


def forget(element: Element) -> None:
    """Nothing is kept."""


def peak_of(report: Generated) -> int:
    tracemalloc.start()
    try:
        assert stream(report, "r", lambda: forget).cases == report.number
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("reason", SHAPES)
def test_counting_takes_no_more_memory_for_many_cases_than_for_few(reason: str) -> None:
    few, many = peak_of(Generated(5_000, SHAPES[reason])), peak_of(Generated(25_000, SHAPES[reason]))
    assert many < few + 200_000


def test_a_suite_is_let_go_of_when_it_ends() -> None:
    shape = SHAPES["a class, a name, a time"]
    few, many = peak_of(Generated(2_000, shape, suites=500)), peak_of(Generated(20_000, shape, suites=5_000))
    assert many < few + 200_000


def told(text: str) -> list[Element]:
    found: list[Element] = []

    def begin() -> object:
        found.clear()
        return found.append

    stream(text.encode(), "r", begin)  # type: ignore[arg-type]
    return list(parted(found))


def names_of(elements: list[Element]) -> list[object]:
    return [element.names if isinstance(element, Row) else element.name for element in elements]


def case(name: str, inner: str = "", more: str = ' time="1"') -> str:
    return f'<testcase classname="c" name="{name}"{more}>{inner}</testcase>'


RED = "<failure/>"
TOLD = {
    "all alike": (case("a") + case("b") + case("c"), [["a", "b", "c"]]),
    "a red one parts the row": (case("a") + case("b", RED) + case("c"), [["a"], "b", ["c"]]),
    "red ones at both ends": (case("a", RED) + case("b") + case("c", RED), ["a", ["b"], "c"]),
    "two red ones in a row": (case("a", RED) + case("b", RED), ["a", "b"]),
    "a result in what was printed": (case("a", f"<system-out>{RED}</system-out>") + case("b"), [["a", "b"]]),
    "a case in a case is none": (case("a", case("inner")) + case("b"), [["a", "b"]]),
    "no name": (case("a") + case("") + case("b"), [["a"], "", ["b"]]),
    "no name, and red": (case("", RED) + case("b"), ["", ["b"]]),
    "no name, and a red one behind": (case("a") + case("b") + case("") + case("c", RED), [["a", "b"], "", "c"]),
    "no class": ('<testcase name="a" time="1" file="f"/>' + case("b"), [["a"], ["b"]]),
    "no class twice": ('<testcase name="a" time="1" file="f"/><testcase name="b" time="1" file="g"/>', [["a"], ["b"]]),
    "a time that is none": (case("a", more=' time="x"') + case("b") + case("c"), [["a", "b", "c"]]),
    "another class": (case("a") + '<testcase classname="d" name="b" time="1"/>', [["a"], ["b"]]),
    "three other attributes": (case("a") + '<testcase classname="c" name="b" file="f"/>', [["a"], ["b"]]),
    "an outcome in an attribute": (case("a") + case("b", more=' status="failed"') + case("c"), [["a"], ["b"], ["c"]]),
    "a suite in between": (case("a") + "<testsuite>" + case("b") + "</testsuite>" + case("c"), [["a"], ["b"], ["c"]]),
    "output of the suite in between": (case("a") + "<system-out/>" + case("b"), [["a", "b"]]),
    "a failure of the suite in between": (case("a") + RED + case("b"), [["a", "b"]]),
}


@pytest.mark.parametrize("reason", TOLD)
def test_cases_are_told_in_order_and_in_rows(reason: str) -> None:
    inner, expected = TOLD[reason]
    assert names_of(told(f"<testsuite>{inner}</testsuite>")) == expected


def test_a_failure_of_the_suite_is_none_of_the_case_before_it() -> None:
    [row] = told(f"<testsuite>{case('a')}{RED}</testsuite>")
    assert isinstance(row, Row)


def test_every_result_of_a_case_is_told_with_it() -> None:
    [found] = told(f"<testsuite>{case('a', '<failure/><error/><rerunFailure/>')}</testsuite>")
    assert isinstance(found, CaseElement)
    assert [result.tag for result in found.results] == ["failure", "error", "rerunFailure"]


def test_long_names_in_a_row_are_shortened_and_stay_apart() -> None:
    long = ["n" * 5000 + end for end in ("1", "2")]
    [row] = told(f"<testsuite>{''.join(map(case, [long[0], 'a', long[1]]))}</testsuite>")
    assert isinstance(row, Row)
    assert len(set(row.names)) == 3
    assert max(len(name) for name in row.names) < 1000


def test_what_needs_repair_is_read_again_from_its_beginning() -> None:
    text = f"<testsuite>{case('a')}{case('b')}{case('c&#27;')}{case('d')}</testsuite>"
    assert names_of(told(text)) == [["a", "b", "c\\x1b", "d"]]
    assert [r.name for r in read(text.encode(), None, "r").records] == ["a", "b", "c\\x1b", "d"]


def test_the_cap_on_cases_counts_those_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_CASES", 9_999)
    with pytest.raises(ReportFault, match="more than 9999 cases"):
        stream(Generated(20_000, SHAPES["a class, a name, a time"]), "r", lambda: forget)


@pytest.mark.parametrize("inner", [63, 64], ids=["as deep as the cap", "one level deeper"])
def test_levels_are_counted_below_a_case(inner: int) -> None:
    text = f"<testsuite>{case('a', '<x>' * (inner - 1) + '</x>' * (inner - 1))}</testsuite>".encode()
    if inner == 63:
        assert len(read(text, None, "r").records) == 1
    else:
        with pytest.raises(ReportFault, match="deeper than 64 levels"):
            read(text, None, "r")


class InPieces:
    """A report that comes in these pieces."""

    def __init__(self, *pieces: str) -> None:
        self.parts = [piece.encode() for piece in pieces]

    def pieces(self) -> Iterator[bytes]:
        return iter(self.parts)


def test_a_case_that_is_open_at_the_end_of_a_piece_keeps_its_results() -> None:
    """A long row is told in parts; the results of its last case come with the next piece."""
    many = "".join(case(f"t{i}") for i in range(limits.MAX_NAME + 10))
    first, rest = '<testcase classname="c" name="last" time="1"><failure/>', f"<error/></testcase>{case('after')}"
    found: list[Element] = []
    stream(InPieces(f"<testsuite>{many}{first}", f"{rest}</testsuite>"), "r", lambda: found.append)
    row, last, after = parted(found)
    assert isinstance(row, Row)
    assert isinstance(last, CaseElement)
    assert ([r.tag for r in last.results], last.name) == (["failure", "error"], "last")
    assert names_of([after]) == [["after"]]


PYTEST_RESULTS = {
    "passed": "",
    "failed": '<failure message="assert 0"/>',
    "error": '<error message="failed on setup"/>',
    "skipped": '<skipped type="pytest.skip" message="no network"/>',
    "xfailed": '<skipped type="pytest.xfail" message="known"/>',
}


@pytest.mark.parametrize("more", ["", '<error message="failed on teardown with x"/>'], ids=["rows", "one by one"])
def test_a_row_tells_the_outcomes_that_its_cases_tell_one_by_one(more: str) -> None:
    """A teardown anywhere in the file makes the reader look at each case; the others say the same."""
    cases = "".join(case(name, inner) for name, inner in PYTEST_RESULTS.items())
    last = f'<testcase classname="other" name="last" time="1">{more}</testcase>'
    text = f'<testsuites name="pytest tests"><testsuite name="pytest">{cases}{last}</testsuite></testsuites>'
    records = read(text.encode(), None, "r").records
    assert {r.name: r.outcome.value for r in records if r.classname == "c"} == {name: name for name in PYTEST_RESULTS}


@pytest.mark.parametrize("size", [100_000, 400_000, 1_000_000])
def test_a_long_tag_is_put_together_from_its_pieces(size: int) -> None:
    head, tail = (
        f'<testsuite><testcase classname="c" name="a" time="1"/><testcase classname="{"x" * size}',
        '" name="b"/></testsuite>',
    )
    text = (head + tail).encode()
    assert [r.name for r in read(text, "junit", "r").records] == ["a", "b"]
    for cut in (len(text) - 1, len(text) - len(tail), size // 2):
        with pytest.raises(ReportFault, match="cut off"):
            read(text[:cut], "junit", "r")


ORDERS = list(permutations(("classname", "name", "time")))


@pytest.mark.parametrize("order", [*ORDERS, None], ids=[*map("-".join, ORDERS), "another order each time"])
def test_the_order_of_attributes_says_nothing(order: tuple[str, ...] | None) -> None:
    """Values that look like names among them: what stands in another's place is never taken for it."""
    cases = [
        {"classname": f"c{n // 6}", "name": ("time", "c0", "name")[n % 3] + str(n), "time": f"0.{n}"} for n in range(24)
    ]
    cases.insert(9, {"classname": "c1", "name": "also", "status": "notrun"})
    cases.insert(16, {"classname": "name", "time": "1", "file": "c2"})
    cases.insert(20, {"file": "f", "name": "elsewhere", "time": "1"})
    orders = cycle(ORDERS if order is None else [order])
    written = ""
    for case, one in zip(cases, orders, strict=False):
        keys = [key for key in one if key in case] + [key for key in case if key not in one]
        written += "<testcase " + " ".join(f'{key}="{case[key]}"' for key in keys) + "/>"
    found = [
        (one.shared.classname, name) if isinstance(one, Row) else (one.classname, name)
        for one in told(f"<testsuite>{written}</testsuite>")
        for name in (one.names if isinstance(one, Row) else [one.name])
    ]
    assert found == [(case.get("classname", ""), case.get("name", "")) for case in cases]
