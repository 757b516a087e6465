"""The formats beside JUnit: outcomes, ids, and what shows that a run is not whole."""

from __future__ import annotations

import pytest

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import Code, Outcome, RecordKind, Report
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.registry import READERS, read
from shipmoor_hooks.store.inventory import cases_of


def report(text: str) -> Report:
    return read(text.encode(), None, "r")


def seen(text: str) -> dict[str, str]:
    """Ids and outcomes, and each in the place of a case where it is something else."""
    found = cases_of([report(text)], frozenset(), "", ())
    return {c.id: c.outcome.value if c.kind is RecordKind.CASE else f"{c.kind.value}: {c.outcome.value}" for c in found}


TAP = "TAP version 13\n1..6\nok 1 - adds\nnot ok 2 - divides \\# by 0\n  ---\n  ok 9 - no result\n  ...\n"
TAP += "ok 3 # SKIP no net\nnot ok 4 - later # TODO soon\nok - again\nok 6 again\n"
GO = """{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"e/p","Test":"TestA"}
{"Action":"output","Package":"e/p","Test":"TestA","Output":"--- PASS"}
# a line that the build printed
{"Action":"pass","Package":"e/p","Test":"TestA","Elapsed":0.5}
{"Action":"run","Package":"e/p","Test":"TestA/sub"}
{"Action":"fail","Package":"e/p","Test":"TestA/sub"}
{"Action":"fail","Package":"e/p"}
{"Action":"build-fail","ImportPath":"e/q [e/q.test]"}
{"Action":"fail","Package":"e/q"}
{"Action":"skip","Package":"e/r","Test":"TestS"}
{"Action":"pass","Package":"e/r"}
"""
DART = """{"protocolVersion":"0.1.1","runnerVersion":"1.2","type":"start"}
{"suite":{"id":0,"path":"test/a_test.dart"},"type":"suite"}
{"test":{"id":1,"name":"loading test/a_test.dart","suiteID":0,"groupIDs":[]},"type":"testStart"}
{"testID":1,"result":"success","hidden":true,"type":"testDone"}
{"test":{"id":2,"name":"adds","suiteID":0,"groupIDs":[9]},"type":"testStart"}
{"testID":2,"result":"success","hidden":false,"type":"testDone"}
{"test":{"id":3,"name":"waits","suiteID":0,"groupIDs":[9]},"type":"testStart"}
{"testID":3,"result":"success","skipped":true,"hidden":false,"type":"testDone"}
{"test":{"id":4,"name":"loading test/b_test.dart","suiteID":0,"groupIDs":[]},"type":"testStart"}
{"testID":4,"result":"error","hidden":false,"type":"testDone"}
{"success":false,"type":"done"}
"""
LIBTEST = """{"type":"suite","event":"started","test_count":3}
{"type":"test","event":"started","name":"m::a"}
{"type":"test","name":"m::a","event":"ok"}
{"type":"test","name":"m::b","event":"failed"}
{"type":"test","name":"m::c","event":"ignored"}
{"type":"suite","event":"failed"}
"""
TRX = """<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
<Times start="2026-01-01T00:00:00.1234567+00:00"/>
<Results><UnitTestResult testId="1" executionId="x" testName="N.C.Adds" outcome="Passed"/>
<UnitTestResult testId="2" testName="Row (1)" outcome="Failed"/>
<UnitTestResult testId="2" testName="Row (2)" outcome="NotExecuted"/>
<UnitTestResult testId="3" testName="Odd" outcome="Timeout"/></Results>
<TestDefinitions><UnitTest id="1"><TestMethod className="N.C, Assembly, Version=1" name="Adds"/></UnitTest>
<UnitTest id="2"><TestMethod className="N.C" name="Row"/></UnitTest></TestDefinitions></TestRun>"""
NUNIT3 = """<test-run><test-suite name="N" fullname="N" result="Failed" site="SetUp">
<test-suite result="Failed" site="Child" fullname="N.C">
<test-case fullname="N.C.Adds" classname="N.C" result="Passed"/>
<test-case fullname="N.C.Row(&quot;a.b&quot;)" result="Failed"/>
<test-case fullname="N.C.Odd" classname="N.C" result="Failed" label="Error"/>
<test-case fullname="N.C.S" result="Skipped" label="Ignored"/>
</test-suite></test-suite></test-run>"""
NUNIT2 = """<test-results><test-suite><results><test-case name="N.C.Adds" executed="True" success="True"/>
<test-case name="N.C.Off" executed="False"/><test-case name="N.C.Red" executed="True" success="False"/>
<test-case name="N.C.Unknown" executed="True"/></results></test-suite></test-results>"""
XUNIT = """<assemblies><assembly name="a.dll"><errors><error type="fixture-cleanup" name="F"/></errors><collection>
<test name="N.C.Adds" type="N.C" method="Adds" result="Pass"/>
<test name="N.C.Row(i: 1)" type="N.C" method="Row" result="Fail"/>
<test name="shown" type="N.C" method="S" result="Skip"/></collection></assembly></assemblies>"""
CTEST = """<Site Generator="ctest-3.25.1"><Testing><StartTestTime>1700000000</StartTestTime><TestList>
<Test>./a</Test><Test>./b</Test></TestList>
<Test Status="passed"><Name>a</Name></Test><Test Status="failed"><Name>b</Name><Results><Measurement><Value>x</Value>
</Measurement>
</Results></Test></Testing></Site>"""
ROBOT = """<robot generator="Robot 7"><suite name="Top"><suite name="Math"><test name="Adds"><kw name="k">
<status status="FAIL"/></kw>
<status status="PASS"/></test><test name="Off"><status status="SKIP"/></test></suite></suite></robot>"""

NODE = """{"type":"test:start","data":{"name":"a","nesting":0,"file":"/w/a.mjs"}}
{"type":"test:pass","data":{"name":"a","nesting":0,"file":"/w/a.mjs","details":{"duration_ms":1.5}}}
{"type":"test:fail","data":{"name":"b","nesting":0,"details":7}}
{"type":"test:plan","data":{"nesting":0,"count":2}}
"""


@pytest.mark.parametrize(
    ("text", "reader", "expected"),
    [
        pytest.param(
            TAP,
            "tap",
            {"adds": "passed", "divides # by 0": "failed", "3": "skipped", "later": "xfailed", "again": "passed"},
            id="TAP",
        ),
        pytest.param(
            GO,
            "go-test",
            {"e/p::TestA": "passed", "e/p::TestA/sub": "failed", "e/q": "file: error", "e/r::TestS": "skipped"},
            id="go test -json",
        ),
        pytest.param(
            DART,
            "dart",
            {
                "test/a_test.dart::adds": "passed",
                "test/a_test.dart::waits": "skipped",
                "test/b_test.dart": "file: error",
            },
            id="Dart",
        ),
        pytest.param(LIBTEST, "libtest", {"m::a": "passed", "m::b": "failed", "m::c": "skipped"}, id="libtest"),
        pytest.param(
            TRX,
            "trx",
            {"N.C::Adds": "passed", "N.C::Row (1)": "failed", "N.C::Row (2)": "skipped", "Odd": "error"},
            id="TRX",
        ),
        pytest.param(
            NUNIT3,
            "nunit",
            {
                "N.C::Adds": "passed",
                'N.C::Row("a.b")': "failed",
                "N.C::Odd": "error",
                "N.C::S": "skipped",
                "N::<suite error>": "suite: error",
            },
            id="NUnit 3",
        ),
        pytest.param(
            NUNIT2,
            "nunit",
            {"N.C::Adds": "passed", "N.C::Off": "skipped", "N.C::Red": "failed", "N.C::Unknown": "failed"},
            id="NUnit 2",
        ),
        pytest.param(
            XUNIT,
            "xunit.net",
            {
                "N.C::Adds": "passed",
                "N.C::Row(i: 1)": "failed",
                "N.C::shown": "skipped",
                "F::<suite error>": "suite: error",
            },
            id="xunit.net",
        ),
        pytest.param(CTEST, "ctest", {"a": "passed", "b": "failed"}, id="CTest"),
        pytest.param(ROBOT, "robot", {"Math::Adds": "passed", "Math::Off": "skipped"}, id="Robot"),
        pytest.param(NODE, "node-events", {"a": "passed", "b": "failed"}, id="node's events"),
    ],
)
def test_each_format_is_recognised_and_read(text: str, reader: str, expected: dict[str, str]) -> None:
    found = report(text)
    assert (found.reader, found.problems) == (reader, ())
    assert seen(text) == expected
    assert read(text.encode("utf-16"), reader, "r").records == found.records


def test_subtests_of_tap_are_cases_under_their_parents() -> None:
    text = "TAP version 14\n# Subtest: cart\n    # Subtest: adds\n    ok 1 - adds\n    not ok 2 - divides\n    1..2\n"
    text += "not ok 1 - cart\n"
    text += "# Subtest: hook\n    ok 1 - a\n    1..1\nnot ok 2 - hook\n1..2\n"
    assert seen(text) == {
        "cart::adds": "passed",
        "cart::divides": "failed",
        "hook": "suite: failed",
        "hook::a": "passed",
    }
    assert report(text).problems == ()


def test_how_long_a_subtest_took_is_no_part_of_its_name() -> None:
    text = "TAP version 14\n1..1\n# Subtest: a.mjs\n    ok 1 - adds # time=4.454ms\n    not ok 2 - later # TODO # time=3ms\n"
    text += "    1..2\nok 1 - a.mjs # time=26.286ms\n"
    assert seen(text) == {"a.mjs::adds": "passed", "a.mjs::later": "xfailed"}


def test_buffered_subtests_stand_behind_their_parent_in_braces() -> None:
    text = "TAP version 14\n1..3\nok 1 - cart # time=1.2ms {\n    ok 1 - adds\n    not ok 2 - divides {\n"
    text += "        not ok 1 - by 0\n        1..1\n    }\n    1..2\n}\n"
    text += "not ok 2 - odd\n  ---\n  at: x\n  ...\n{\n    ok 1 - fine\n    1..1\n}\nok 3 - {\n    1..0\n}\n"
    assert seen(text) == {
        "3": "passed",
        "cart::adds": "passed",
        "cart::divides::by 0": "failed",
        "odd": "suite: failed",
        "odd::fine": "passed",
    }
    assert report(text).problems == ()


def test_the_number_of_a_nameless_result_does_not_count_subtests() -> None:
    assert seen("1..2\n    ok - a\n    ok - b\n    1..2\nok - sub\nok\n") == {
        "sub::a": "passed",
        "sub::b": "passed",
        "2": "passed",
    }


def test_the_plans_of_several_streams_add_up() -> None:
    assert report("1..2\nok 1\nok 2\nTAP version 13\nok 1 - a\n1..1\n").problems == ()
    assert report("1..2\nok 1\nTAP version 13\nok 1 - a\n1..1\n").problems


def rspec(count: int = 1, outside: int = 0, example: str = "", messages: str = "[]") -> str:
    example = example or '{"id":"./spec/a_spec.rb[1:1]","full_description":"adds","status":"passed","run_time":0.1}'
    summary = f'{{"example_count":{count},"errors_outside_of_examples_count":{outside}}}'
    return f'{{"version":"3.13.0","messages":{messages},"examples":[{example}],"summary":{summary}}}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(rspec(), {"spec/a_spec.rb::adds": "passed"}, id="the file is the example's own"),
        pytest.param(
            rspec(example='{"description":"d","file_path":"./x.rb","status":"new","run_time":-1}'),
            {"x.rb::d": "error"},
            id="an outcome that nobody knows is no pass",
        ),
        pytest.param(
            rspec(outside=1),
            {"spec/a_spec.rb::adds": "passed", "errors outside of examples": "suite: error"},
            id="an error that no message explains",
        ),
        pytest.param(
            rspec(outside=1, messages='["\\nAn error occurred while loading ./spec/b_spec.rb.\\nFailure"]'),
            {"spec/a_spec.rb::adds": "passed", "spec/b_spec.rb": "file: error"},
            id="a spec file that does not load",
        ),
        pytest.param(
            rspec(messages='["An error occurred while loading ./no.rb.\\n"]'),
            {"spec/a_spec.rb::adds": "passed"},
            id="what a test prints counts no error",
        ),
    ],
)
def test_rspec_json(text: str, expected: dict[str, str]) -> None:
    assert seen(text) == expected
    assert report(text).reader == "rspec-json"


def test_rspec_that_was_narrowed_says_so() -> None:
    assert report(rspec(messages='["Run options: include {:focus=>true}"]')).warnings == (
        "RSpec says: Run options: include {:focus=>true}",
    )


def test_node_tap_s_times_are_no_part_of_a_name() -> None:
    text = "# Subtest: total\n    ok 1 - is 3\n    1..1\nok 1 - total # time=29.132ms\nok 2 - is 2 # time=3s\n1..2\n"
    assert seen(text) == {"total::is 3": "passed", "is 2": "passed"}


@pytest.mark.parametrize(
    "plan", ["1..0 # skip no database\n", "1..0 # SKIP\n", "TAP version 13\n1..0 # Skipped: later\n"]
)
def test_a_tap_file_that_skips_itself_speaks_of_the_whole_file(plan: str) -> None:
    [record] = report(plan).records
    assert (record.kind, record.outcome) == (RecordKind.FILE, Outcome.SKIPPED)
    assert report("1..0\n").records == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(rspec(count=2), "RSpec counted 2 examples and the report holds 1", id="RSpec: fewer"),
        pytest.param(rspec(example='7,{"status":"passed"}'), "is no JSON object", id="RSpec: an odd example"),
        pytest.param(
            '{"type":"test:pass","data":{"name":"a","nesting":0}}\n', "the stream has no end", id="node: no end"
        ),
        pytest.param("1..1\nok 1 - a {\n    ok 1 - b\n", "ends inside of a subtest", id="TAP: cut off in braces"),
        pytest.param(
            "1..1\n    ok 1 - b\n    1..2\nok 1 - a\n",
            "'a' planned 2 subtests and 1 were reported",
            id="TAP: a subtest short of its plan",
        ),
        pytest.param("1..1\n    Bail out! inside\nok 1\n", "given up: inside", id="TAP: given up in a subtest"),
        pytest.param("1..0 # skip nothing to do\n", "no case", id="TAP: everything skipped"),
        pytest.param("1..3\nok 1\nok 2\n", "the plan says 3 tests and 2 were reported", id="TAP: fewer than planned"),
        pytest.param("ok 1\nok 2\n", "no plan", id="TAP: no plan"),
        pytest.param("1..2\nok 1\nBail out! no disk\nok 2\n", "given up: no disk", id="TAP: given up"),
        pytest.param("1..1\nok 1 - a\n    ok 1 - b\n", "ends inside of a subtest", id="TAP: cut off in a subtest"),
        pytest.param(
            '{"Action":"run","Package":"p","Test":"TestA"}\n',
            "p TestA was started and never finished",
            id="go: not finished",
        ),
        pytest.param(
            '{"Action":"pass","Package":"p","Test":"TestA"}\n',
            "ends before the package p does",
            id="go: cut off between lines",
        ),
        pytest.param('{"Action":"skip","Package":"p"}\n', "no case", id="go: no test files"),
        pytest.param(
            '{"Action":"fail","Package":"p"}\n', "nothing but files that do not load: p", id="go: nothing builds"
        ),
        pytest.param(DART.rsplit("\n", 2)[0] + "\n", "the stream has no end", id="Dart: no end"),
        pytest.param(
            DART.replace('{"testID":3,', '{"testID":33,'),
            "'waits' was started and never finished",
            id="Dart: not finished",
        ),
        pytest.param(
            LIBTEST.replace('{"type":"test","name":"m::b","event":"failed"}\n', ""),
            "3 tests were announced and 2",
            id="libtest: fewer",
        ),
        pytest.param(
            LIBTEST.replace('{"type":"test","name":"m::a","event":"ok"}\n', ""),
            "m::a was started",
            id="libtest: not finished",
        ),
        pytest.param(
            TRX.replace("</TestRun>", '<ResultSummary outcome="Aborted"/></TestRun>'),
            "ended as Aborted",
            id="TRX: aborted",
        ),
        pytest.param(
            CTEST.replace("<Test>./b", "<Test>./c</Test><Test>./b"), "3 tests were announced and 2", id="CTest: fewer"
        ),
        pytest.param(
            ROBOT.replace('<status status="SKIP"/>', ""), "Off was started and never finished", id="Robot: not finished"
        ),
        pytest.param("<test-run/>", "no case", id="NUnit: empty"),
        pytest.param("<assemblies/>", "no case", id="xunit.net: empty"),
    ],
)
def test_what_is_no_whole_run_is_incomplete(text: str, says: str) -> None:
    problems = report(text).problems
    assert {p.code for p in problems} == {Code.RUN_INCOMPLETE}
    assert says in problems[0].message


def test_more_results_than_tap_planned_are_a_warning() -> None:
    found = report("1..1\nok 1\nok 2\n")
    assert (found.problems, found.warnings) == ((), ("the plan says 1 tests and 2 were reported",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(
            '{"Action":"pass","Package":"p","Test":"A"}\n{"Action":"pa',
            "r, line 2, column 1: this line is no whole",
            id="cut off",
        ),
        pytest.param('{"Action":"pass"}\n{"a":' + "[" * 100_000, "this line is no whole JSON object", id="too deep"),
        pytest.param(rspec()[:-9], "this is no whole JSON document", id="RSpec cut off"),
        pytest.param(rspec(example="9" * 5000), "a number too long or lies too deep", id="RSpec: an endless number"),
        pytest.param(rspec(example="[" * 100_000), "a number too long or lies too deep", id="RSpec: too deep"),
        pytest.param('{"numFailedTestSuites":0}', "jest's or vitest's JSON, which is not read", id="jest's JSON"),
        pytest.param('{"config":{},\n"suites":[]}', "Playwright's JSON", id="Playwright's JSON"),
        pytest.param('{"stats":{}}', "mocha's JSON", id="mocha's JSON"),
        pytest.param('{"created":1,"exitcode":0}', "pytest-json-report's JSON", id="pytest-json-report"),
        pytest.param('[{"uri":"a","elements":[]}]', "cucumber's JSON", id="cucumber's JSON"),
        pytest.param('{"tests": []}', "no JSON report of this kind", id="another JSON"),
        pytest.param("[1, 2]", "no JSON report of this kind", id="a JSON list"),
        pytest.param(
            "1..1\nok 1 - " + "x" * 2**21,
            "longer than 1048576 characters (the cap for one token)",
            id="an endless line",
        ),
    ],
)
def test_what_cannot_be_read_is_one_line(text: str, says: str) -> None:
    with pytest.raises(ReportFault) as fault:
        report(text)
    assert says in fault.value.message


@pytest.mark.parametrize(
    "reader", sorted(set(READERS) - {"tap", "go-test", "dart", "libtest", "node-events", "rspec-json", "plugin-eval"})
)
def test_an_xml_reader_refuses_another_root_by_name(reader: str) -> None:
    with pytest.raises(ReportFault, match="<html>"):
        read(b"<html/>", reader, "r")


@pytest.mark.parametrize(
    "text",
    [TAP, GO, DART, LIBTEST, TRX, NUNIT3, XUNIT, CTEST, ROBOT, rspec(example="{},{}"), NODE],
    ids=["tap", "go", "dart", "libtest", "trx", "nunit", "xunit", "ctest", "robot", "rspec", "node"],
)
def test_more_cases_than_the_cap_are_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_CASES", 1)
    with pytest.raises(ReportFault, match="the cap for cases"):
        report(text)


def test_control_characters_in_names_are_made_visible() -> None:
    assert seen("1..1\nok 1 - red\x1b[31m\x00\n") == {"red\\x1b[31m\\x00": "passed"}
