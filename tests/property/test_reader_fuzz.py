"""Whatever the bytes, a reader answers with a report or one clear line: no traceback, no hang, nothing unbounded."""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import Report
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.registry import READERS, read
from shipmoor_hooks.store.inventory import cases_of

GOOD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="pytest tests"><testsuite name="pytest" tests="3">'
    '<testcase classname="t.T" name="é&#27;" time="0.1"><failure message="m"><![CDATA[x ]]></failure></testcase>'
    '<testcase classname="t.T" name="b"><skipped type="pytest.xfail"/></testcase><!-- c -->'
    '<testcase classname="" name="c">'
    '<error message="collection failure"/></testcase></testsuite></testsuites>'
).encode()

PIECES = st.sampled_from(
    [
        b"<testsuites>",
        b"</testsuites>",
        b"<testsuite name='s' tests='2'>",
        b"</testsuite>",
        b"<testcase name='a' classname='c'/>",
        b"<testcase>",
        b"</testcase>",
        b"<failure/>",
        b"<error>",
        b"</error>",
        b"<skipped type='todo'/>",
        b"<![CDATA[",
        b"]]>",
        b"<!--",
        b"-->",
        b"<?xml version='1.0'?>",
        b"<!DOCTYPE a>",
        b"&#0;",
        b"&#x1b;",
        b"&amp;",
        b"&a;",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"]",
        b" ",
        b"\n",
        b"text",
        b"<rerunFailure/>",
        b"xmlns:x='y'",
        b"<x:y/>",
        b"1..2\nok 1 - a\n",
        b"not ok 2\n",
        b'{"Action":"pass"}\n',
        b"{",
        b"<TestRun>",
        b"<assemblies>",
        b"<test-run>",
        b"<robot>",
        b"<Site>",
    ]
)


def answer(data: bytes, reader: str | None = None) -> Report | None:
    """The report, or None where it was refused in one line that names the file."""
    try:
        return read(data, reader, "r.xml")
    except ReportFault as fault:
        message = fault.message
    assert message.startswith("r.xml")
    assert "\n" not in message
    assert len(message) < 1000
    return None


@given(st.binary(max_size=200))
@example(b"\xff\xfe<\x00")
@example(b"<?xml version='1.0' encoding='\xff'?><a/>")
def test_any_bytes(data: bytes) -> None:
    answer(data)


@given(st.binary(max_size=100), st.sampled_from(sorted(READERS)))
def test_any_bytes_under_any_reader(data: bytes, reader: str) -> None:
    answer(data, reader)


@given(st.lists(PIECES, max_size=40).map(b"".join), st.sampled_from([None, *sorted(READERS)]))
def test_any_markup(data: bytes, reader: str | None) -> None:
    report = answer(data, reader)
    if report is not None:
        cases_of([report], frozenset({"t.py"}), "/w", ())


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_one_byte_changed(position: int, byte: int) -> None:
    answer(GOOD[:position] + bytes([byte]) + GOOD[position + 1 :])


@given(st.integers(0, len(GOOD.rstrip()) - 1))
def test_law_a_report_that_is_cut_off_is_never_read(position: int) -> None:
    assert answer(GOOD[:position]) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_law_different_names_stay_different(first: str, second: str) -> None:
    """Also names with characters that XML cannot carry, as careless reporters write them."""

    def written(name: str) -> str:
        escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\\", "\\\\")
        return escaped.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")

    cases = "".join(f'<testcase name="n{written(name)}" classname="c"/>' for name in (first, second))
    report = answer(f"<testsuite>{cases}</testsuite>".encode())
    assert report is not None
    names = [record.name for record in report.records]
    assert (names[0] == names[1]) == (first == second)


HOSTILE = {
    "one endless tag": b"<testsuite name='" + b"a" * 10_000_000,
    "one endless comment": b"<testsuite><!--" + b"a" * 10_000_000,
    "one endless CDATA section": b"<testsuite><![CDATA[" + b"a]" * 5_000_000,
    "one endless reference": b"<testsuite>&#" + b"0" * 10_000_000,
    "nothing but opening brackets": b"<" * 10_000_000,
    "nothing but markup that never ends": b"<testsuite>" + b"<!-" * 3_000_000,
    "zero bytes": b"<" + bytes(10_000_000),
    "many attributes": b"<testsuite " + b" ".join(b"a%d='1'" % i for i in range(1_000_000)),
    "many documents": b"<?xml version='1.0'?><testsuite/>" * 20_000,
    "many suites": b"<testsuite>" + b"<testsuite/>" * 200_000,
    "many results": b"<testsuite><testcase>" + b"<failure/>" * 300_000,
    "names of many lines": b'<testsuite><testcase name="a' + b" " * 4000 + b'b&#10;"/></testsuite>',
    "illegal bytes": b"<testsuite>" + b"\xff" * 3_000_000,
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_cost_little(data: bytes) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    answer(data)
    assert time.process_time() - begin < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_long_output_is_streamed() -> None:
    """20 MB of printed text in one case: read in a process of its own, within 50 MB beside the file itself."""
    program = (
        "import resource\n"
        "from shipmoor_hooks.readers.registry import read\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "text = b'line of output\\n' * 1_500_000\n"
        "data = b'<testsuite><testcase name=\"a\"><system-out>' + text + b'</system-out></testcase></testsuite>'\n"
        "assert len(read(data, None, 'r').records) == 1\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 - len(data))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 50_000_000


def test_the_cap_for_a_file_is_checked_before_anything_else() -> None:
    with pytest.raises(ReportFault, match="the cap for a file"):
        read(bytes(limits.MAX_FILE + 1), None, "r.xml")
