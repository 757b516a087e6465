"""Records to cases: counts, worst outcome, samples, and nothing that depends on an order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.model import Case, Outcome, Record, RecordKind, Report
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.store.inventory import cases_of, problems_of

P, F, E, S, X = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED, Outcome.XFAILED


def cases(*records: Record, dialect: str = "junit", tree: frozenset[str] = frozenset()) -> tuple[Case, ...]:
    return cases_of([Report("junit", dialect, records)], tree, "", ())


def test_no_report_is_no_case() -> None:
    assert cases_of([], frozenset(), "", ()) == ()


def test_cases_come_sorted_by_id() -> None:
    found = cases(Record("b", "c"), Record("a", "c"), Record("a", "b"))
    assert [c.id for c in found] == ["b::a", "c::a", "c::b"]


@pytest.mark.parametrize(
    ("outcomes", "worst", "passed"),
    [
        pytest.param([P, P], P, 2, id="two passes are one case that stands twice"),
        pytest.param([P, X], X, 1, id="expected failure over pass"),
        pytest.param([X, S], S, 0, id="skipped over expected failure"),
        pytest.param([S, F, P], F, 1, id="failed over skipped"),
        pytest.param([F, E, P], E, 1, id="error over failed"),
        pytest.param([P, F], F, 1, id="a pass after the failure does not clear it"),
    ],
)
def test_repeated_records_are_one_case(outcomes: list[Outcome], worst: Outcome, passed: int) -> None:
    (case,) = cases(*(Record("a", "c", outcome=o) for o in outcomes))
    assert (case.outcome, case.count, case.passed, case.samples) == (worst, len(outcomes), passed, len(outcomes))


def test_attempts_are_samples_and_no_further_records() -> None:
    (case,) = cases(Record("a", "c", outcome=P, attempts=(F, E)))
    assert (case.outcome, case.count, case.passed, case.samples) == (P, 1, 1, 3)


def test_records_of_two_files_meet_in_one_case() -> None:
    reports = [Report("junit", "junit", (Record("a", "c"),)), Report("junit", "junit", (Record("a", "c", outcome=F),))]
    (case,) = cases_of(reports, frozenset(), "", ())
    assert (case.outcome, case.count) == (F, 2)


def test_the_raw_names_are_kept_where_they_differ() -> None:
    found = cases(Record("t[<C at 0x7f01aa55bb10>]", "c"), Record("t[<C at 0x7f01aa55bb20>]", "c"), Record("u", "c"))
    assert [(c.id, c.count, len(c.raws)) for c in found] == [("c::t[<C at 0x*>]", 2, 2), ("c::u", 1, 0)]


def test_a_file_that_does_not_load_is_kept_apart_from_the_cases() -> None:
    tree = frozenset({"tests/test_a.py"})
    broken = Record("tests.test_a", "", "tests/test_a.py", outcome=E, kind=RecordKind.FILE)
    (case,) = cases(broken, dialect="pytest", tree=tree)
    assert (case.id, case.kind, case.covers) == ("tests/test_a.py", RecordKind.FILE, "tests/test_a.py::")


EMPTY_FILE = b'<testsuite name="g.Empty" tests="0"/>'
BROKEN_FILE = (
    b'<testsuites name="pytest tests"><testsuite name="pytest" tests="1"><testcase classname="" name="test_b">'
    b'<error message="collection failure"/></testcase></testsuite></testsuites>'
)
FULL_FILE = b'<testsuite name="g.T"><testcase classname="g.T" name="a"/></testsuite>'
NAMELESS_FILE = b'<testsuite name="g.T"><testcase classname="g.T"/></testsuite>'


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param([FULL_FILE], [], id="nothing wrong"),
        pytest.param([FULL_FILE, EMPTY_FILE, BROKEN_FILE], [], id="a class without tests beside others"),
        pytest.param([EMPTY_FILE, EMPTY_FILE], ["holds no case"], id="nothing but empty files"),
        pytest.param([BROKEN_FILE], ["nothing but files that do not load"], id="nothing but a file that does not load"),
        pytest.param([NAMELESS_FILE, FULL_FILE], ["name no case"], id="another problem stays"),
    ],
)
def test_the_problems_of_a_run_of_several_files(files: list[bytes], expected: list[str]) -> None:
    problems = problems_of([read(data, None, "r.xml") for data in files])
    assert len(problems) == len(expected)
    assert all(text in problem.message for text, problem in zip(expected, problems, strict=True))


RECORDS = st.lists(
    st.builds(
        Record,
        st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["", "k", "tests.test_a"]),
        outcome=st.sampled_from(list(Outcome)),
        attempts=st.lists(st.sampled_from([F, E]), max_size=2).map(tuple),
    ),
    max_size=12,
)


@given(RECORDS, st.randoms(use_true_random=False))
def test_law_neither_the_order_of_records_nor_that_of_files_matters(records: list[Record], random: object) -> None:
    shuffled = list(records)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    half = len(shuffled) // 2
    tree = frozenset({"tests/test_a.py"})
    together = cases_of([Report("junit", "pytest", tuple(records))], tree, "", ())
    apart = [Report("junit", "pytest", tuple(shuffled[half:])), Report("junit", "pytest", tuple(shuffled[:half]))]
    assert cases_of(apart, tree, "", ()) == together


@given(RECORDS)
def test_law_no_record_and_no_attempt_is_lost(records: list[Record]) -> None:
    found = cases(*records)
    assert sum(c.count for c in found) == len(records)
    assert sum(c.samples for c in found) == sum(1 + len(r.attempts) for r in records)
    assert any(c.outcome.is_red for c in found) == any(r.outcome.is_red for r in records)


def test_places_that_lie_in_each_other_are_sorted_all_the_same() -> None:
    found = cases(Record("z", "p"), Record("m", "p::q"), Record("a", "p"), Record("m", "p-q", outcome=F))
    assert [(c.id, c.outcome) for c in found] == [("p-q::m", F), ("p::a", P), ("p::q::m", P), ("p::z", P)]


@given(
    st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("abcd 0x1f"), st.sampled_from([P, F, S])), max_size=12)
)
def test_one_record_that_must_be_looked_at_changes_no_other(told: list[tuple[str, str, Outcome]]) -> None:
    """With a name that holds an address all ids are folded one by one; without it they are put in order at once."""
    records = [Record(name, place, outcome=outcome) for place, name, outcome in told]
    slow = cases(*records, Record("<C at 0x7f01aa55bb10>", "last"))
    assert [c for c in slow if c.id != "last::<C at 0x*>"] == list(cases(*records))
