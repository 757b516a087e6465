"""JUnit as its tools write it: what is a case, what is an attempt, what was no run."""

from __future__ import annotations

import pytest

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import Code, Outcome, RecordKind, Report
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.registry import read

P, F, E, S, X = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED, Outcome.XFAILED


def junit(text: str) -> Report:
    return read(text.encode(), None, "r.xml")


def pytest_report(cases: str, tests: int) -> Report:
    return junit(
        f'<testsuites name="pytest tests"><testsuite name="pytest" tests="{tests}">{cases}</testsuite></testsuites>'
    )


def seen(report: Report) -> list[tuple[str, Outcome, int]]:
    return [(f"{r.classname}::{r.name}", r.outcome, len(r.attempts)) for r in report.records]


def suite(inner: str, attributes: str = 'name="s"') -> Report:
    return junit(f"<testsuites><testsuite {attributes}>{inner}</testsuite></testsuites>")


@pytest.mark.parametrize(
    ("inner", "outcome"),
    [
        pytest.param("", P, id="empty record"),
        pytest.param("<system-out>&lt;failure/></system-out>", P, id="printed markup"),
        pytest.param("<system-out><failure/></system-out>", P, id="markup inside of output"),
        pytest.param("<properties><property name='failure'/></properties>", P, id="a property"),
        pytest.param("<failure/>", F, id="failure"),
        pytest.param("<error/>", E, id="error"),
        pytest.param("<failure/><error/>", E, id="both"),
        pytest.param("<skipped/>", S, id="skipped"),
        pytest.param("<skipped/><failure/>", F, id="a plain skip does not hide a failure"),
        pytest.param('<skipped type="pytest.skip"/><error/>', E, id="skipped, then a broken teardown"),
        pytest.param('<skipped type="pytest.xfail"/>', X, id="pytest's xfail"),
        pytest.param('<skipped type="XFAIL"/>', X, id="xmlrunner's xfail"),
        pytest.param('<skipped type="todo"/><failure/>', X, id="todo tolerates its failure"),
        pytest.param('<skipped message="TEST_CASE tagged with !mayfail"/><failure/>', X, id="Catch2's mayfail"),
        pytest.param('<skipped type="todo"/><error/>', E, id="todo tolerates no error"),
        pytest.param("<flakyFailure/>", P, id="passed in the end"),
        pytest.param("<failure/><rerunFailure/>", F, id="failed each time"),
    ],
)
def test_the_outcome_of_a_record(inner: str, outcome: Outcome) -> None:
    assert suite(f'<testcase classname="c" name="a">{inner}</testcase>').records[0].outcome is outcome


@pytest.mark.parametrize(
    ("attributes", "outcome"),
    [
        ('status="run"', P),
        ('status="disabled"', S),
        ('status="notrun"', S),
        ('result="skipped"', S),
        ('status="untested"', S),
        ('status="failed"', F),
        ('status="broken"', E),
        ('status="anything else"', P),
    ],
)
def test_attributes_count_where_no_child_speaks(attributes: str, outcome: Outcome) -> None:
    assert suite(f'<testcase classname="c" name="a" {attributes}/>').records[0].outcome is outcome


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param('<testsuite name="s"><testcase name="a"/></testsuite>', ["a"], id="root is a suite"),
        pytest.param('<testsuites><testcase name="a"/></testsuites>', ["a"], id="case under the root"),
        pytest.param(
            '<testsuites><testsuite><testsuite><testcase name="a"/></testsuite><testcase name="b"/></testsuite>'
            "</testsuites>",
            ["a", "b"],
            id="nested suites, each case once",
        ),
        pytest.param(
            '<testsuites><testsuites><testsuite><testcase name="a"/></testsuite></testsuites></testsuites>',
            ["a"],
            id="nested roots",
        ),
        pytest.param(
            '<testsuites xmlns="urn:x"><testsuite><testcase name="a"/></testsuite></testsuites>',
            ["a"],
            id="with a namespace",
        ),
        pytest.param(
            '<testsuite><testcase name="a"><testcase name="b"/></testcase><system-out><testcase name="c"/>'
            "</system-out></testsuite>",
            ["a"],
            id="a case is a child of a suite and nothing else",
        ),
    ],
)
def test_cases_are_found_where_they_stand(text: str, names: list[str]) -> None:
    report = junit(text)
    assert [r.name for r in report.records] == names
    assert report.problems == ()


def test_surefire_attempts_are_samples_of_one_case() -> None:
    report = junit(
        '<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="g.T" tests="3" failures="1"'
        ' xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/x/surefire-test-report-3.0.xsd">'
        '<testcase classname="g.T" name="a"><flakyFailure message="m"><stackTrace>x</stackTrace></flakyFailure>'
        "<flakyError/></testcase>"
        '<testcase classname="g.T" name="b"><failure message="m"/><rerunFailure message="m"/></testcase>'
        '<testcase classname="g.T" name="c"/></testsuite>'
    )
    assert report.dialect == "surefire"
    assert seen(report) == [("g.T::a", P, 2), ("g.T::b", F, 1), ("g.T::c", P, 0)]
    assert report.records[0].attempts == (F, E)
    assert report.problems == ()


def test_surefire_a_class_whose_set_up_breaks_is_no_case() -> None:
    report = junit(
        '<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="g.H" tests="1"'
        ' xsi:noNamespaceSchemaLocation="surefire-test-report.xsd">'
        '<testcase classname="g.H" name=""><error/></testcase><testcase classname="g.T" name="a"/></testsuite>'
    )
    assert [(r.kind, r.classname) for r in report.records] == [(RecordKind.FILE, "g.H"), (RecordKind.CASE, "g.T")]
    assert report.problems == ()


def case(name: str, inner: str = "", classname: str = "t") -> str:
    return f'<testcase classname="{classname}" name="{name}">{inner}</testcase>'


TEARDOWN = '<error message="failed on teardown with &quot;x&quot;"/>'


@pytest.mark.parametrize(
    ("cases", "tests", "expected"),
    [
        pytest.param(case("a") + case("b"), 2, [("t::a", P, 0), ("t::b", P, 0)], id="nothing special"),
        pytest.param(case("a") + case("a"), 2, [("t::a", P, 0)] * 2, id="the same test run twice is two records"),
        pytest.param(
            case("a", "<failure/>") + case("a", TEARDOWN), 1, [("t::a", E, 0)], id="failed, and its teardown too"
        ),
        pytest.param(
            case("a", TEARDOWN) + case("b"), 3, [("t::a", E, 0), ("t::b", P, 0)], id="passed, then a broken teardown"
        ),
        pytest.param(
            case("a") + case("a") + case("b") * 2 + case("b", "<failure/>"),
            2,
            [("t::a", P, 1), ("t::b", F, 2)],
            id="reruns leave empty records",
        ),
        pytest.param(
            case("a") * 2 + case("b", TEARDOWN),
            3,
            [("t::a", P, 1), ("t::b", E, 0)],
            id="reruns beside a broken teardown",
        ),
        pytest.param(
            case("a") * 2 + case("b", "<failure/>") + case("b", TEARDOWN),
            2,
            [("t::a", P, 1), ("t::b", E, 0)],
            id="reruns beside a pair",
        ),
    ],
)
def test_pytest_pairs_and_reruns(cases: str, tests: int, expected: list[tuple[str, Outcome, int]]) -> None:
    report = pytest_report(cases, tests)
    assert (report.dialect, seen(report), report.problems) == ("pytest", expected, ())


def test_pytest_a_test_that_speaks_of_a_collection_failure_is_a_case() -> None:
    report = pytest_report(case("a", '<failure message="AssertionError: collection failure"/>') + case("b"), 2)
    assert [r.kind for r in report.records] == [RecordKind.CASE, RecordKind.CASE]


def test_pytest_an_earlier_attempt_without_a_result_was_red() -> None:
    assert pytest_report(case("a") * 3, 1).records[0].attempts == (F, F)


def test_pytest_a_module_that_does_not_load_and_one_that_skips_itself() -> None:
    report = pytest_report(
        '<testcase classname="" name="pkg.test_b"><error message="collection failure"/></testcase>'
        '<testcase classname="" name="test_c"><skipped message="collection skipped"/></testcase>' + case("a"),
        3,
    )
    assert [(r.kind, r.file, r.outcome) for r in report.records] == [
        (RecordKind.FILE, "pkg/test_b.py", E),
        (RecordKind.FILE, "test_c.py", S),
        (RecordKind.CASE, "", P),
    ]
    assert report.problems == ()


@pytest.mark.parametrize(
    ("report", "says"),
    [
        pytest.param(lambda: pytest_report("", 0), "no case", id="pytest: nothing collected"),
        pytest.param(lambda: junit("<testsuites/>"), "no case", id="an empty report"),
        pytest.param(
            lambda: pytest_report(
                '<testcase classname="" name="t"><error message="collection failure"/></testcase>', 1
            ),
            "nothing but files that do not load: t.py",
            id="pytest: nothing but load errors",
        ),
        pytest.param(lambda: pytest_report(case("a") + "<testcase/>", 2), "names no test", id="pytest: interrupted"),
        pytest.param(
            lambda: suite('<testcase classname="c"/>' + case("a")), "1 of 2 records name no case", id="a nameless case"
        ),
        pytest.param(lambda: pytest_report(case("a") + case("b"), 0), "listed its tests", id="pytest: setup-plan"),
        pytest.param(
            lambda: pytest_report(case("a"), 3), "counted 3 results", id="pytest: more than twice the records"
        ),
        pytest.param(
            lambda: pytest_report(case("internal", "<error/>", "pytest") + case("a"), 2),
            "internal error",
            id="pytest: internal error",
        ),
        pytest.param(
            lambda: pytest_report('<testcase classname="" name="gw1"><error/></testcase>', 1),
            "workers",
            id="xdist: unequal",
        ),
        pytest.param(
            lambda: junit(
                '<testsuites name="AllTests"><testsuite name="M"><testcase name="A" file="t.cc" line="1"/>'
                "</testsuite></testsuites>"
            ),
            "listed its tests",
            id="gtest: a listing",
        ),
        pytest.param(
            lambda: junit(
                '<testsuites><testsuite name="x" tests="2"/><testsuite name="y"><testcase name="a"/></testsuite>'
                "</testsuites>"
            ),
            "'x' declares 2 tests and holds none",
            id="an emptied suite",
        ),
        pytest.param(lambda: suite("<skipped/>" + case("a")), "skipped as a whole", id="a suite that is skipped"),
    ],
)
def test_a_report_of_no_whole_run_is_incomplete(report: object, says: str) -> None:
    problems = report().problems  # type: ignore[operator]
    assert {p.code for p in problems} == {Code.RUN_INCOMPLETE}
    assert says in problems[0].message
    assert problems[0].next_step


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(lambda: pytest_report(case("a") * 1 + case("b"), 4), id="pytest counts subtests: up to twice"),
        pytest.param(
            lambda: suite(case("a"), 'name="s" tests="3"'), id="another dialect: a count alone proves nothing"
        ),
        pytest.param(
            lambda: junit(
                '<testsuites><testsuite tests="1"><testsuite><testcase name="a"/></testsuite></testsuite></testsuites>'
            ),
            id="the cases of an inner suite count for the outer",
        ),
    ],
)
def test_counts_that_prove_nothing(report: object) -> None:
    assert report().problems == ()  # type: ignore[operator]


def test_a_count_that_differs_is_a_warning() -> None:
    assert suite(case("a"), 'name="s" tests="3"').warnings == ("the report declares 3 tests and holds 1 records",)
    told = junit('<testsuites tests="1" errors="1"><testsuite tests="1"><testcase name="a"/></testsuite></testsuites>')
    assert "count 1 failures and errors, its records show 0" in told.warnings[0]


def test_an_error_of_a_suite_is_red_and_no_case() -> None:
    report = suite("<error message='x'/>" + case("a"))
    assert [(r.kind, r.outcome, r.suites) for r in report.records] == [
        (RecordKind.CASE, P, ("s",)),
        (RecordKind.SUITE, E, ("s",)),
    ]


def test_the_time_of_a_report_counts_only_with_a_zone() -> None:
    assert suite(case("a"), 'timestamp="2026-01-01T00:00:00+01:00"').started == 1767222000.0
    assert suite(case("a"), 'timestamp="2026-01-01T00:00:00"').started is None
    assert suite(case("a"), 'timestamp="yesterday"').started is None


def test_a_long_name_keeps_its_head_and_a_digest_that_tells_it_apart() -> None:
    first, second = (suite(f'<testcase name="{"n" * 5000}{i}"/>').records[0].name for i in (1, 2))
    assert first != second
    assert first.startswith("n" * 512)
    assert len(first) < limits.MAX_NAME


def test_more_cases_than_the_cap_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_CASES", 3)
    assert len(suite(case("a") * 3).records) == 3
    with pytest.raises(ReportFault, match="more than 3 cases"):
        suite(case("a") * 4)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        pytest.param(
            "<testsuites><testsuite name='s'><testcase name='a' classname='c'/></testsuite></testsuites>",
            "junit",
            id="plain",
        ),
        pytest.param(
            "<testsuites name='nextest-run'><testsuite><testcase name='a'/></testsuite></testsuites>",
            "nextest",
            id="nextest",
        ),
        pytest.param("<testsuites name='vitest tests'><testcase name='a'/></testsuites>", "vitest", id="vitest"),
        pytest.param("<testsuites name='jest tests'><testcase name='a'/></testsuites>", "jest", id="jest"),
        pytest.param("<testsuites name='Mocha Tests'><testcase name='a'/></testsuites>", "mocha", id="mocha"),
        pytest.param("<testsuite name='Mocha Tests'><testcase name='a'/></testsuite>", "mocha", id="mocha's own"),
        pytest.param("<testsuite name='rspec'><testcase name='a'/></testsuite>", "rspec", id="rspec"),
        pytest.param("<testsuite name='nose2-junit'><testcase name='a'/></testsuite>", "nose2", id="nose2"),
        pytest.param("<testsuite name='pytest' errors='0'><testcase name='a'/></testsuite>", "pytest", id="pytest 4"),
        pytest.param(
            "<testsuite name='my suite'><testcase name='a'><skipped type='pytest.skip'/></testcase></testsuite>",
            "pytest",
            id="renamed suite",
        ),
        pytest.param(
            "<testsuite name='test_a.T-20261130081512'><testcase name='a'/></testsuite>", "unittest", id="xmlrunner"
        ),
        pytest.param(
            "<testsuites><testsuite name='./a.bats'><testcase name='a'/></testsuite></testsuites>", "bats", id="bats"
        ),
        pytest.param(
            "<testsuites><testsuite name='t' hostname='tbd'><testcase name='a'/></testsuite></testsuites>",
            "catch2",
            id="Catch2",
        ),
        pytest.param("<testsuite name='test' package='test'><testcase name='a'/></testsuite>", "libtest", id="libtest"),
        pytest.param(
            "<testsuites id=''><testsuite name='f' hostname='p'><testcase name='a'/></testsuite></testsuites>",
            "playwright",
            id="playwright",
        ),
        pytest.param("<testsuites><testcase name='a' classname='test'/></testsuites>", "node", id="node"),
        pytest.param(
            "<testsuite name='T'><testcase name='a' class='T' assertions='1' line='3'/></testsuite>",
            "phpunit",
            id="PHPUnit",
        ),
        pytest.param(
            "<testsuites><testsuite name='e/p'><properties><property name='go.version' value='1'/></properties>"
            "<testcase classname='p' name='x'/></testsuite></testsuites>",
            "go",
            id="gotestsum",
        ),
        pytest.param(
            "<testsuites><testsuite name='e/p'><testcase classname='e/p' name='TestA'/></testsuite></testsuites>",
            "go",
            id="go-junit-report",
        ),
        pytest.param(
            "<testsuite name='f.F'><testcase classname='f.F' name='a' status='untested'/></testsuite>",
            "behave",
            id="behave",
        ),
        pytest.param(
            "<testsuite name='Top'><testsuite name='Math'><testcase classname='Top.Math' name='a'/></testsuite>"
            "</testsuite>",
            "robot",
            id="Robot",
        ),
    ],
)
def test_the_dialect_is_told_by_the_content(text: str, dialect: str) -> None:
    assert junit(text).dialect == dialect


@pytest.mark.parametrize(
    ("text", "kind", "name", "file"),
    [
        pytest.param(
            "<testsuites name='jest tests'><testcase classname='Test suite failed to run' name='src/b.test.ts'>"
            "<error/></testcase>",
            RecordKind.FILE,
            "src/b.test.ts",
            "src/b.test.ts",
            id="jest: a file that does not load",
        ),
        pytest.param(
            "<testsuites name='vitest tests'><testcase classname='b.test.js' name='b.test.js'><failure/></testcase>",
            RecordKind.FILE,
            "b.test.js",
            "b.test.js",
            id="vitest: a file that does not load",
        ),
        pytest.param(
            "<testsuites name='vitest tests'><testsuite name='vitest unhandled errors'>"
            "<testcase classname='x' name='y'><error/></testcase></testsuite>",
            RecordKind.SUITE,
            "y",
            "",
            id="vitest: an error outside of every test",
        ),
        pytest.param(
            "<testsuites name='vitest tests'><testcase classname='b.test.js' name='b.test.js'/>",
            RecordKind.CASE,
            "b.test.js",
            "",
            id="vitest: a green test that is named after its file",
        ),
        pytest.param(
            "<testsuites><testcase classname='test' name='/w/b.test.js'><failure/></testcase>",
            RecordKind.FILE,
            "/w/b.test.js",
            "/w/b.test.js",
            id="node: a file that does not load",
        ),
        pytest.param(
            "<testsuites><testsuite name='t-20261130081512'>"
            "<testcase classname='unittest.loader._FailedTest' name='pkg.test_b'"
            " file='/lib/loader.py'><error/></testcase></testsuite>",
            RecordKind.FILE,
            "pkg.test_b",
            "pkg/test_b.py",
            id="xmlrunner: a module that does not load",
        ),
        pytest.param(
            "<testsuites><testsuite name='t-20261130081512'>"
            "<testcase classname='' name='setUpClass (test_m.Broken)'><error/>"
            "</testcase></testsuite>",
            RecordKind.FILE,
            "Broken",
            "test_m.py",
            id="xmlrunner: a class whose set-up broke",
        ),
        pytest.param(
            "<testsuites><testsuite name='t-20261130081512'>"
            "<testcase classname='' name='tearDownClass (test_m.T)'><error/>"
            "</testcase></testsuite>",
            RecordKind.SUITE,
            "tearDownClass (test_m.T)",
            "",
            id="xmlrunner: a class whose tear-down broke",
        ),
        pytest.param(
            "<testsuites><testsuite name='nose2-junit'><testcase classname='setUpClass (test_m' name='Broken)'>"
            "<error/></testcase></testsuite>",
            RecordKind.FILE,
            "Broken",
            "test_m.py",
            id="nose2: the same, split",
        ),
        pytest.param(
            "<testsuites><testsuite name='./u.bats'><testcase classname='./u.bats' name=''><failure/></testcase>"
            "</testsuite>",
            RecordKind.FILE,
            "",
            "./u.bats",
            id="bats: setup_file broke",
        ),
        pytest.param(
            "<testsuites><testsuite name='e/p'><testcase classname='e/p' name='[build failed]'><error/>"
            "</testcase></testsuite>",
            RecordKind.FILE,
            "",
            "",
            id="go: a package that does not build",
        ),
        pytest.param(
            "<testsuites name='Mocha Tests'><testsuite name='m'>"
            "<testcase classname='m' name='&quot;before all&quot; hook: x'>"
            "<failure/></testcase></testsuite>",
            RecordKind.SUITE,
            '"before all" hook: x',
            "",
            id="mocha: a hook",
        ),
    ],
)
def test_what_is_no_case_is_told_apart(text: str, kind: RecordKind, name: str, file: str) -> None:
    (record,) = junit(text + "</testsuites>").records
    assert (record.kind, record.name, record.file) == (kind, name, file)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["#1 adds", "#2 divides"], ["adds", "divides"]),
        (["2 - b", "1 - a"], ["b", "a"]),
        (["1 - a", "2", "3 - c"], ["a", "2", "c"]),
        (["1 - a", "3 - c"], ["1 - a", "3 - c"]),
        (["1 - a", "b"], ["1 - a", "b"]),
        (["1st", "2nd"], ["1st", "2nd"]),
    ],
)
def test_running_numbers_go_only_where_all_are_numbered(names: list[str], expected: list[str]) -> None:
    found = suite("".join(f'<testcase name="{name}"/>' for name in names)).records
    assert [r.name for r in found] == expected


def test_names_that_a_tool_has_mangled() -> None:
    phpunit = '<testsuite name="T"><testcase name="a (attempt 3 of 3)" class="T" classname="T" line="9"/></testsuite>'
    assert seen(junit(phpunit)) == [("T::a", P, 2)]
    nose2 = '<testsuite name="nose2-junit"><testcase classname="m.T.test_s (o=&lt;m" name="Obj&gt;)"/></testsuite>'
    assert seen(junit(nose2)) == [("m.T::test_s", P, 0)]


RED, OFF = "<failure/>", "<skipped/>"


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        pytest.param([("test_a", "")], [("test_a", P)], id="subtests that pass leave their test's record"),
        pytest.param([("test_a (i=1)", RED)], [("test_a", F)], id="one that fails stands in its place"),
        pytest.param([("test_a [odd] (i=1)", RED), ("test_a [x]", RED)], [("test_a", F)], id="with a message"),
        pytest.param([("test_a (i=1)", RED), ("test_a", RED)], [("test_a", F)], id="the test itself fails, too"),
        pytest.param([("test_a (i=1)", RED), ("test_a", ""), ("test_a", "")], [("test_a", F), ("test_a", P)],
            id="the same test twice stays two"),
        pytest.param([("test_a", ""), ("test_a (i=1)", RED)], [("test_a", F)], id="in any order"),
        pytest.param([("test_a (i=1)", OFF), ("test_b", "")], [("test_a", S), ("test_b", P)], id="a skip"),
        pytest.param([("setUpClass (t.C)", RED)], [("C", E)], id="no subtest"),
    ],
)  # fmt: skip
def test_subtests_of_unittest_are_no_cases(cases: list[tuple[str, str]], expected: list[tuple[str, Outcome]]) -> None:
    """Else a test that turns red would be one that is gone, which words can disclose."""
    rows = "".join(f'<testcase classname="t.C" name="{name}">{body}</testcase>' for name, body in cases)
    found = junit(f'<testsuite name="T-20261130081512">{rows}</testsuite>').records
    assert [(r.name, r.outcome if r.kind is RecordKind.CASE else E) for r in found] == expected


def test_playwrights_project_is_the_outermost_suite() -> None:
    report = junit(
        "<testsuites id=''><testsuite name='a.spec.ts' hostname='chromium'><testcase name='x'/></testsuite>"
        "</testsuites>"
    )
    assert report.records[0].suites == ("chromium", "a.spec.ts")
