"""Hostile reports: whatever the bytes are, a reader gives a report that can be used or one line that refuses the file.

Bounded here; `SHIPMOOR_HOOKS_FUZZ=100000 pytest tests/test_readers_fuzz.py` looks longer.
"""

from __future__ import annotations

import json
import math
import os
import tracemalloc
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_readers_formats import CTEST, DART, GO, LIBTEST, NODE, NUNIT2, NUNIT3, ROBOT, TAP, TRX, XUNIT, rspec

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import Report
from shipmoor_hooks.readers import encoding, limits
from shipmoor_hooks.readers.limits import MAX_NAME, bounded
from shipmoor_hooks.readers.registry import READERS, read
from shipmoor_hooks.store.inventory import cases_of, problems_of

EXAMPLES = int(os.environ.get("SHIPMOOR_HOOKS_FUZZ", "150"))
fuzzed = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
JUNIT = """<?xml version="1.0" encoding="UTF-8"?><testsuites name="pytest tests"><testsuite name="pytest" tests="4"
timestamp="2026-01-01T00:00:00Z"><testcase classname="t.a" name="x[1]" time="0.1"/><testcase classname="t.a" name="y">
<failure message="m">&#27;[31m<![CDATA[raw]]></failure></testcase><testcase classname="" name="t.b"><error
message="collection failure"/></testcase><testcase classname="t.a" name="z"><skipped type="pytest.xfail"/></testcase>
<system-out>&lt;testcase/&gt;</system-out></testsuite></testsuites>"""
SURE = """<testsuite noNamespaceSchemaLocation="surefire" tests="2"><testcase classname="C" name="m"><flakyFailure/>
</testcase><testcase classname="C" name=""><error/></testcase></testsuite>"""
SEEDS = [JUNIT, SURE, CTEST, DART, GO, LIBTEST, NODE, NUNIT2, NUNIT3, ROBOT, TAP, TRX, XUNIT, rspec()]
TOKENS = [
    b"\0", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"]]>", b"<![CDATA[", b"<!--", b"-->", b"&#0;", b"&#xd800;",
    b"&#99999999;", b"<?xml version='1.0'?>", b"<!DOCTYPE x>", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\r", b"\n",
    b"\\ud800", b"9" * 5000, b"-1", b"1e999", b"NaN", b"Infinity", b"null", b"[" * 500, b"{" * 500, b"<a>" * 80, b'"',
    b"    ", b"1..99999", b"1..0", b"Bail out!", b"{\n", b"}\n", b"# SKIP", b"encoding='utf-16'", b"encoding='utf-7'",
    b"encoding='shift_jis'", "\u202e".encode(), b"\x1b[2J", b'"a":1,"a":2,', b"true", b"name=''", b"tests='-5'",
]  # fmt: skip
READER = st.sampled_from([None, *READERS])


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A report that was whole once: pieces cut, repeated, swapped in from others, bytes changed, tokens put in."""
    data = draw(st.sampled_from(SEEDS)).encode()
    if draw(st.booleans()) and draw(st.booleans()):
        data = data.decode().encode(draw(st.sampled_from(["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])))
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 60)))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            data = data[:at] + data[end:]
        elif kind == 1:
            data = data[:end] + data[at:]
        elif kind == 2:
            data = data[:at] + draw(st.sampled_from(TOKENS)) + data[at:]
        elif kind == 3:
            data = data[:at] + draw(st.binary(max_size=4)) + data[end:]
        else:
            other = draw(st.sampled_from(SEEDS)).encode()
            start = draw(st.integers(0, len(other)))
            data = data[:at] + other[start : start + 80] + data[at:]
    return data


KEYS = st.sampled_from([
    "type", "event", "name", "test", "data", "nesting", "file", "details", "skip", "todo", "count", "Action", "Package",
    "Test", "Time", "Elapsed", "id", "suite", "suiteID", "testID", "hidden", "result", "protocolVersion", "test_count",
    "version", "examples", "summary", "messages", "status", "full_description", "run_time", "example_count",
    "errors_outside_of_examples_count", "duration_ms", "error", "groupIDs", "path", "ImportPath", "runnerVersion",
])  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(10**30, 10**31), st.floats(), st.text(max_size=8),
    st.sampled_from(["pass", "fail", "skip", "run", "suite", "test", "ok", "started", "testStart", "testDone", "done",
        "test:pass", "test:fail", "test:plan", "passed", "failed", "pending", "build-fail", "2026-01-01T00:00:00Z",
        "9999-12-31T23:59:59.9-23:59", "0001-01-01T00:00:00+23:59", "\ud800"]),
)  # fmt: skip
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, TREES, max_size=6)
STARTS = st.sampled_from([
    {"Action": "start"}, {"protocolVersion": "0.1.1", "type": "start"}, {"type": "suite", "event": "started"},
    {"type": "test:plan", "data": {}}, {},
])  # fmt: skip

TAGS = st.sampled_from([
    "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "properties", "property", "flakyFailure",
    "rerunError", "TestRun", "UnitTestResult", "UnitTest", "TestMethod", "Results", "test-run", "test-results",
    "test-suite", "test-case", "assemblies", "assembly", "collection", "test", "Site", "Testing", "Test", "Name",
    "robot", "suite", "status", "ResultSummary", "InnerResults", "system-out", "reason", "results",
])  # fmt: skip
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["name", "classname", "file", "time", "status", "result", "type", "message", "tests", "failures",
        "timestamp", "testName", "outcome", "testId", "id", "className", "fullname", "executed", "success", "method",
        "Status", "hostname", "package", "line", "assertions", "date", "time-run"]),
    st.text(max_size=6) | st.sampled_from(["passed", "Failed", "1", "-1", "9" * 50, "2026-01-01T00:00:00Z", "pytest",
        "rspec", "True", "skipped", "gw0", "x (i=1)", "#1 a", "1 - a", "/a/b.mjs", "nan", "inf", "1e400"]),
    max_size=4,
)  # fmt: skip
Tree = tuple[str, dict[str, str], list[object]]
ELEMENTS = st.recursive(
    st.tuples(TAGS, ATTRIBUTES, st.just([])),
    lambda inner: st.tuples(TAGS, ATTRIBUTES, st.lists(inner, max_size=4)),
    max_leaves=15,
)


def xml(tree: Tree) -> str:
    tag, attributes, children = tree
    told = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    inner = "".join(xml(child) for child in children)  # type: ignore[arg-type]
    return f"<{tag}{told}>{inner or escape(attributes.get('name', ''))}</{tag}>"


def is_sound(data: bytes, reader: str | None) -> Report | None:
    """Read it and look at what came out; None where the file was refused."""
    try:
        report = read(data, reader, "r\x1b[2J.xml")
    except ReportFault as fault:
        line = fault.message
    else:
        return _is_usable(report)
    assert line.isprintable()
    assert len(line) < 1000
    return None


def _is_usable(report: Report) -> Report:
    for record in report.records:
        for text in (record.name, record.classname, record.file, *record.suites):
            text.encode("utf-8")
            assert "\0" not in text
            assert len(text.encode()) <= MAX_NAME
    assert report.started is None or math.isfinite(report.started)
    for problem in report.problems:
        assert problem.message.isprintable(), problem.message
    cases = cases_of([report], frozenset({"t/a.py"}), "/w", ())
    assert sum(c.count for c in cases) == len(report.records)
    assert all(0 <= c.passed <= c.samples for c in cases)
    # Nothing was measured: never a whole run.
    assert cases or problems_of([report])
    json.dumps([c.id for c in cases]).encode()
    return report


@fuzzed
@given(mutated(), READER)
@example(b"", None)
@example(b'{"type":"test:pass","data":{"name":"\\ud800","nesting":1e400}}', None)
def test_reports_that_were_damaged(data: bytes, reader: str | None) -> None:
    is_sound(data, reader)


@fuzzed
@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass")), READER)
def test_bytes_of_no_meaning(data: bytes, reader: str | None) -> None:
    is_sound(data, reader)


@fuzzed
@given(STARTS, st.lists(OBJECTS, max_size=5), READER)
def test_streams_of_any_json(start: dict[str, object], rows: list[dict[str, object]], reader: str | None) -> None:
    is_sound("\n".join(json.dumps(row) for row in [start, *rows]).encode(), reader)


@fuzzed
@given(st.lists(OBJECTS | SCALARS, max_size=4), TREES, TREES, st.sampled_from([None, "rspec-json"]))
def test_documents_of_any_json(examples: list[object], summary: object, messages: object, reader: str | None) -> None:
    told = {"version": "3.13", "messages": messages, "examples": examples, "summary": summary}
    is_sound(json.dumps(told).encode(), reader)


@fuzzed
@given(st.lists(ELEMENTS, min_size=1, max_size=2), READER)
def test_documents_of_any_xml(trees: list[Tree], reader: str | None) -> None:
    is_sound("".join(xml(tree) for tree in trees).encode("utf-8", "surrogatepass"), reader)


def test_the_seeds_are_reports() -> None:
    """A known positive: what is damaged above is read where it is whole."""
    assert all(is_sound(seed.encode(), None) for seed in SEEDS)


# ---------------------------------------------------------------- the caps: one below, there, one beyond


def refused(data: bytes, reader: str | None = None) -> str:
    try:
        read(data, reader, "r")
    except ReportFault as fault:
        return fault.message
    return ""


def caps(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setattr(limits, name, value)


@pytest.mark.parametrize(("more", "cap"), [(-1, ""), (0, ""), (1, "the cap for a file")])
def test_the_size_of_a_file(more: int, cap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    caps(monkeypatch, "MAX_FILE", len(TAP) - more)
    assert cap in refused(TAP.encode())
    assert bool(cap) == bool(refused(TAP.encode()))


@pytest.mark.parametrize(("more", "cap"), [(-1, ""), (0, ""), (1, "the cap for one JSON document")])
def test_the_size_of_a_json_document(more: int, cap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    caps(monkeypatch, "MAX_JSON", len(rspec()) - more)
    assert cap in refused(rspec().encode())
    assert bool(cap) == bool(refused(rspec().encode()))


@pytest.mark.parametrize("seed", [s for s in SEEDS if s is not SURE], ids=range(len(SEEDS) - 1))
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_the_number_of_cases(seed: str, more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cap counts what a reader holds: records, and what is open or above them. It never refuses below its number."""
    held = next(n for n in range(1, 60) if not _refused_at(seed, n))
    assert held >= len(read(seed.encode(), None, "r").records) - 2
    caps(monkeypatch, "MAX_CASES", held - more)
    assert ("the cap for cases" in refused(seed.encode())) == (more > 0)


def _refused_at(seed: str, number: int) -> str:
    with pytest.MonkeyPatch.context() as patch:
        caps(patch, "MAX_CASES", number)
        return refused(seed.encode())


@pytest.mark.parametrize(("depth", "cap"), [(63, ""), (64, ""), (65, "the cap for depth")])
def test_the_depth_of_xml(depth: int, cap: str) -> None:
    inner = '<testcase name="a"/>'
    data = "<testsuite>" * (depth - 1) + inner + "</testsuite>" * (depth - 1)
    assert bool(cap) == bool(refused(data.encode()))
    assert cap in refused(data.encode())


@pytest.mark.parametrize(("more", "cap"), [(-1, ""), (0, ""), (1, "the cap for one token")])
def test_the_length_of_a_line(more: int, cap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at a piece at a time, so a line within one piece is never too long."""
    caps(monkeypatch, "MAX_TOKEN", 2 * limits.CHUNK)
    line = "ok 1 - " + "x" * (2 * limits.CHUNK + more - 7)
    assert bool(cap) == bool(refused(f"1..1\n{line}".encode()[5:], "tap"))
    assert cap in refused(line.encode(), "tap")


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_the_length_of_a_name(more: int) -> None:
    short = "é" * (MAX_NAME // 2)
    name = short[:more] if more < 0 else short + "x" * more
    assert (bounded(name) == name) == (more <= 0)
    assert len(bounded(name).encode()) <= MAX_NAME
    assert bounded(name + "a") != bounded(name + "b")


@pytest.mark.parametrize(("more", "cap"), [(-1, ""), (0, ""), (1, "the cap for bad bytes")])
@pytest.mark.parametrize("codec", ["shift_jis", "ascii", "cp1252", "gb18030", "euc_jp", "utf-16-le"])
def test_the_number_of_bad_bytes(codec: str, more: int, cap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    caps(monkeypatch, "MAX_BAD_BYTES", 200)
    bad = {"cp1252": b"\x81", "utf-16-le": b"\x00\xdc"}.get(codec, b"\xff") * (
        (200 + more) // (2 if codec == "utf-16-le" else 1)
    )
    begin, end = '<testsuite><testcase name="a">', "</testcase></testsuite>"
    if codec == "utf-16-le":
        data = b"\xff\xfe" + begin.encode(codec) + bad + (b"\x00\xdc" if more == 1 else b"") + end.encode(codec)
    else:
        data = f'<?xml version="1.0" encoding="{codec}"?>{begin}'.encode() + bad + end.encode()
    assert bool(cap) == bool(refused(data))
    assert cap in refused(data)


def test_text_that_looks_like_a_bad_byte_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    caps(monkeypatch, "MAX_BAD_BYTES", 5)
    text = f'<?xml version="1.0" encoding="CODEC"?><testsuite><testcase name="a">{chr(92)}x41'
    text += f"{chr(92)}x41" * 200 + "</testcase></testsuite>"
    for codec in ("shift_jis", "latin-1", "gb18030", "cp1252", "koi8-r"):
        assert refused(text.replace("CODEC", codec).encode()) == ""
    assert encoding.encoding_of(text.replace("CODEC", "koi8-r").encode(), "r")[0] == "koi8-r"


def test_memory_stays_within_the_size_of_the_text() -> None:
    """The output of a failure is never held, nor is a line beyond the cap."""
    output = b"<testsuite><testcase name='a'><failure>" + b"x\n" * 2**20 + b"</failure></testcase></testsuite>"
    line = b"1..1\nok 1 - " + b"y" * 2**23
    tracemalloc.start()
    try:
        read(output, None, "r")
        assert tracemalloc.get_traced_memory()[1] < 2**20
        assert "cap for one token" in refused(line)
        assert tracemalloc.get_traced_memory()[1] < 8 * limits.MAX_TOKEN
    finally:
        tracemalloc.stop()
