"""Reports as pytest, pytest-xdist and pytest-rerunfailures hand them out, as records (the plug-in's tests run the
real ones)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from shipmoor_hooks.model import Outcome, Record, RecordKind
from shipmoor_hooks.pytest_record_list import record_list
from shipmoor_hooks.pytest_records import Records, located, outcome_of, split

NODE = "tests/test_a.py::test_x"
P, F, E, S, X = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED, Outcome.XFAILED


def report(when: str, outcome: str = "passed", worker: str = "", **more: object) -> SimpleNamespace:
    if worker:
        more["node"] = SimpleNamespace(gateway=SimpleNamespace(id=worker))
    return SimpleNamespace(nodeid=more.pop("nodeid", NODE), when=when, outcome=outcome, duration=0.5, **more)


def records(*reports: SimpleNamespace) -> tuple[Record, ...]:
    collected = Records(lambda path: path)
    for one in reports:
        collected.phase(one)
    return record_list(collected)


SETUP, CALL, TEARDOWN = report("setup"), report("call"), report("teardown")
RERUN = report("call", "rerun")
SUB_FAILS, SUB_SKIPPED = report("call", "failed", context=1), report("call", "skipped", context=1)


@pytest.mark.parametrize(
    ("reports", "outcome", "attempts"),
    [
        pytest.param([SETUP, CALL, TEARDOWN], P, (), id="passes"),
        pytest.param([SETUP, report("call", "failed"), TEARDOWN], F, (), id="fails"),
        pytest.param([report("setup", "failed"), TEARDOWN], E, (), id="setup-error"),
        pytest.param([SETUP, CALL, report("teardown", "failed")], E, (), id="teardown-error"),
        pytest.param([SETUP, report("call", "failed"), report("teardown", "failed")], E, (), id="both"),
        pytest.param([report("setup", "skipped"), TEARDOWN], S, (), id="skipped-by-a-mark"),
        pytest.param([SETUP, report("call", "skipped"), TEARDOWN], S, (), id="skips-itself"),
        pytest.param([SETUP, report("call", "skipped", wasxfail="why"), TEARDOWN], X, (), id="expected-to-fail"),
        pytest.param([report("setup", "skipped", wasxfail="why"), TEARDOWN], X, (), id="expected-to-fail-and-not-run"),
        pytest.param([SETUP, report("call", wasxfail="why"), TEARDOWN], P, (), id="passes-unexpectedly"),
        pytest.param([report("???", "failed")], E, (), id="its-worker-crashed"),
        pytest.param([SETUP, SUB_FAILS, CALL, TEARDOWN], F, (), id="a-subtest-fails"),
        pytest.param([SETUP, SUB_SKIPPED, CALL, TEARDOWN], S, (), id="a-subtest-is-skipped"),
        pytest.param([SETUP, RERUN, TEARDOWN, SETUP, CALL, TEARDOWN], P, (F,), id="rerun-and-green"),
        pytest.param([SETUP, RERUN, SETUP, CALL, TEARDOWN], P, (F,), id="rerun-without-a-teardown-between"),
        pytest.param(
            [SETUP, RERUN, TEARDOWN, SETUP, RERUN, TEARDOWN, SETUP, report("call", "failed"), TEARDOWN],
            F, (F, F), id="always-red",
        ),
        pytest.param([report("setup", "rerun"), TEARDOWN, SETUP, CALL, TEARDOWN], P, (E,), id="rerun-of-a-setup"),
        pytest.param(
            [SETUP, RERUN, report("teardown", "rerun"), SETUP, CALL, TEARDOWN],
            P, (F,), id="call-and-teardown-are-one-attempt",
        ),
        pytest.param(
            [SETUP, SUB_FAILS, RERUN, TEARDOWN, SETUP, CALL, TEARDOWN],
            P, (F,), id="a-subtest-of-an-earlier-attempt",
        ),
    ],
)  # fmt: skip
def test_one_record(reports: list[SimpleNamespace], outcome: Outcome, attempts: tuple[Outcome, ...]) -> None:
    (record,) = records(*reports)
    assert (record.outcome, record.attempts, record.kind) == (outcome, attempts, RecordKind.CASE)
    assert (record.file, record.classname, record.name) == ("tests/test_a.py", "tests.test_a", "test_x")


@pytest.mark.parametrize(
    "reports",
    [
        pytest.param([], id="nothing"),
        pytest.param([SETUP], id="interrupted-in-the-call"),
        pytest.param([SETUP, RERUN, TEARDOWN], id="interrupted-between-attempts"),
    ],
)
def test_no_record(reports: list[SimpleNamespace]) -> None:
    assert records(*reports) == ()


def test_a_test_that_was_red_before_the_end_of_the_session_is_told() -> None:
    (record,) = records(SETUP, report("call", "failed"))
    assert record.outcome is F


def test_a_test_that_runs_twice_is_two_records() -> None:
    assert len(records(SETUP, CALL, TEARDOWN, SETUP, CALL, TEARDOWN)) == 2


def test_workers_do_not_mix() -> None:
    """Of one test on two workers (`--dist=each`) one fails; the reports come in turns."""
    found = records(
        report("setup", worker="gw0"), report("setup", worker="gw1"), report("call", "failed", worker="gw1"),
        report("call", worker="gw0"), report("teardown", worker="gw0"), report("teardown", worker="gw1"),
    )  # fmt: skip
    assert [r.outcome for r in found] == [P, F]


def test_a_crash_that_another_worker_makes_good_is_an_attempt() -> None:
    (record,) = records(
        report("setup", worker="gw0"), report("???", "rerun", worker="gw0"),
        report("setup", worker="gw1"), report("call", worker="gw1"), report("teardown", worker="gw1"),
    )  # fmt: skip
    assert (record.outcome, record.attempts) == (P, (E,))


@pytest.mark.parametrize(
    ("nodeid", "parts"),
    [
        ("a/b.py::test_x", ("a/b.py", ["test_x"])),
        ("a/b.py::TestA::TestB::test_x[1]", ("a/b.py", ["TestA", "TestB", "test_x[1]"])),
        ("a/b.py::test_x[a::b]", ("a/b.py", ["test_x[a::b]"])),
        ("a/b.py::test_x[[a]::[b]]", ("a/b.py", ["test_x[[a]::[b]]"])),
        ("a/b[1].py", ("a/b[1].py", [])),
        ("", ("", [])),
    ],
)
def test_split(nodeid: str, parts: tuple[str, list[str]]) -> None:
    assert split(nodeid) == parts


@pytest.mark.parametrize(
    ("rootdir", "path", "expected"),
    [
        pytest.param("/w", "tests/a.py", "tests/a.py", id="the-root-itself"),
        pytest.param("/w/sub", "tests/a.py", "sub/tests/a.py", id="below"),
        pytest.param("/w/sub", "../tests/a.py", "tests/a.py", id="beside"),
        pytest.param("/w/sub", "../../a.py", "../../a.py", id="outside"),
        pytest.param("/w/sub", "..", "", id="the-root-as-a-path"),
        pytest.param("/", "w/a.py", "a.py", id="above"),
    ],
)
def test_located(rootdir: str, path: str, expected: str) -> None:
    assert located(rootdir, "/w")(path) == expected


def test_collectors() -> None:
    collected = Records(lambda path: path)
    for nodeid, outcome in (
        ("tests/test_a.py", "passed"), ("tests/test_b.py", "failed"), ("tests/test_b.py", "failed"),
        ("tests/test_c.py", "skipped"), ("tests/test_d.py::TestD", "failed"),
    ):  # fmt: skip
        collected.collected(SimpleNamespace(nodeid=nodeid, outcome=outcome))
    assert [(r.kind, r.file, r.classname, r.name, r.outcome) for r in record_list(collected)] == [
        (RecordKind.FILE, "tests/test_b.py", "", "tests.test_b", E),
        (RecordKind.FILE, "tests/test_c.py", "", "tests.test_c", S),
        (RecordKind.FILE, "tests/test_d.py", "tests.test_d", "TestD", E),
    ]
    assert collected.broken_files() == ["tests/test_b.py", "tests/test_d.py"]


def test_passing_although_expected_to_fail_is_named() -> None:
    collected = Records(lambda path: path)
    for one in (SETUP, report("call", wasxfail="why"), TEARDOWN):
        collected.phase(one)
    assert collected.passed_unexpectedly == [NODE]


def test_a_strict_one_is_a_failure() -> None:
    assert outcome_of(report("call", "failed")) == F.letter
