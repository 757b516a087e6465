"""The readers by name, and how a report's own content finds its reader (design, section 10.3: `--as` names one)."""

from __future__ import annotations

import json
import re
from typing import Protocol

from shipmoor_hooks.errors import ReportFault, UsageFault
from shipmoor_hooks.model import Report
from shipmoor_hooks.readers import (
    ctest,
    dart,
    go_test,
    junit,
    libtest,
    limits,
    node_events,
    nunit,
    plugin_eval,
    robot,
    rspec_json,
    tap,
    trx,
    xunit_net,
)
from shipmoor_hooks.readers.encoding import text_pieces
from shipmoor_hooks.readers.limits import shown, unreadable
from shipmoor_hooks.readers.lines import word
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import root_of


class Reader(Protocol):
    """Reads one file; `name` is what messages call it. Raises ReportFault."""

    def __call__(self, source: Source, name: str) -> Report: ...


READERS: dict[str, Reader] = {
    "ctest": ctest.read_ctest,
    "dart": dart.read_dart,
    "go-test": go_test.read_go_test,
    "junit": junit.read_junit,
    "libtest": libtest.read_libtest,
    "node-events": node_events.read_node_events,
    "nunit": nunit.read_nunit,
    "plugin-eval": plugin_eval.read_plugin_eval,
    "robot": robot.read_robot,
    "rspec-json": rspec_json.read_rspec_json,
    "tap": tap.read_tap,
    "trx": trx.read_trx,
    "xunit.net": xunit_net.read_xunit_net,
}
_BY_ROOT = (
    dict.fromkeys(junit.ROOTS, "junit")
    | dict.fromkeys(nunit.ROOTS, "nunit")
    | dict.fromkeys(xunit_net.ROOTS, "xunit.net")
    | {trx.ROOT: "trx", ctest.ROOT: "ctest", robot.ROOT: "robot"}
)
# RSpec writes its keys in this order, on one line; other tools lay them out on several.
_RSPEC = re.compile(r'\{\s*"version"\s*:\s*"[^"\n]{0,40}"\s*,\s*"(?:messages|seed|examples)"')
_PLUGIN_EVAL = re.compile(r'\{\s*"schemaVersion"\s*:')
# JSON that is not read, by how it begins, and what its tool can write instead.
_OTHER_JSON = (
    (re.compile(r'\{\s*"num[A-Z]\w+"\s*:'), "jest's or vitest's JSON", "jest-junit or --reporter=junit"),
    (re.compile(r'\{\s*"config"\s*:.*"suites"', re.DOTALL), "Playwright's JSON", "--reporter=junit"),
    (re.compile(r'\{\s*"stats"\s*:'), "mocha's JSON", "mocha-junit-reporter or --reporter xunit"),
    (re.compile(r'\{\s*"created"\s*:.*"exitcode"', re.DOTALL), "pytest-json-report's JSON", "pytest --junitxml"),
    (re.compile(r'\[\s*\{.*"elements"', re.DOTALL), "cucumber's JSON", "cucumber's junit formatter"),
)


def read(source: Source, reader: str | None, name: str) -> Report:
    """Read a report. `reader` None: recognised from the content.

    Raises ReportFault (exit 3) with one line that names the file, and UsageFault for a reader that does not exist.
    """
    if reader is not None and reader not in READERS:
        raise UsageFault(f"there is no reader called {shown(reader)!r}", f"choose one of: {', '.join(READERS)}")
    if isinstance(source, bytes) and len(source) > limits.MAX_FILE:
        raise unreadable(name, f"the file is larger than {limits.MAX_FILE} bytes (the cap for a file)")
    begin = _beginning(source, name)
    if not begin:
        raise unreadable(name, "the file is empty, so it reports no run", "run the suite again")
    return READERS[reader or _recognised(source, begin, name)](source, name)


def _recognised(source: Source, begin: str, name: str) -> str:
    if begin.startswith("<"):
        root = root_of(source, name)
        if root in _BY_ROOT:
            return _BY_ROOT[root]
        raise unreadable(name, f"<{shown(root)}> is not the root of a report that can be read", _known())
    if begin.startswith("{"):
        return _json_reader(begin, name)
    if tap.BEGINNING.match(begin):
        return "tap"
    raise _not_a_report(begin, name)


def _beginning(source: Source, name: str) -> str:
    """The first characters that are not white space; "" for a file without any."""
    for piece in text_pieces(source, name):
        if rest := piece.lstrip():
            return rest
    return ""


def _json_reader(begin: str, name: str) -> str:
    """The reader of a stream of JSON objects, told by the first of them."""
    try:
        first = json.loads(begin.partition("\n")[0])
    except (ValueError, RecursionError):
        first = {}
    if isinstance(first.get("Action"), str):
        return "go-test"
    if "protocolVersion" in first:
        return "dart"
    if first.get("type") in ("suite", "test") and "event" in first:
        return "libtest"
    if word(first.get("type")).startswith("test:") and isinstance(first.get("data"), dict):
        return "node-events"
    if _RSPEC.match(begin):
        return "rspec-json"
    if _PLUGIN_EVAL.match(begin):
        return plugin_eval.READER
    raise _other_json(begin, name)


def _other_json(begin: str, name: str) -> ReportFault:
    for pattern, tool, instead in _OTHER_JSON:
        if pattern.match(begin):
            return unreadable(name, f"this looks like {tool}, which is not read", f"write JUnit XML ({instead})")
    return unreadable(name, "this looks like JSON, and no JSON report of this kind can be read", _known())


def _not_a_report(begin: str, name: str) -> ReportFault:
    if begin[0] == "[":
        return _other_json(begin, name)
    if any(ord(c) < 0x20 and c not in "\t\n\r\f\x1b" for c in begin[:400]):
        return unreadable(name, "this is a binary file, not a test report", _known())
    return unreadable(name, f"not a test report; it begins with {shown(begin.splitlines()[0], 40)!r}", _known())


def _known() -> str:
    return f"write one of the formats that can be read: {', '.join(READERS)}"
