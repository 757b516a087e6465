"""Which reader a report is for that is no XML, told by how it begins: streams of JSON objects, JSON documents, TAP."""

from __future__ import annotations

import json
import re

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.readers import plugin_eval, tap
from shipmoor_hooks.readers.limits import shown, unreadable
from shipmoor_hooks.readers.lines import word

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


def recognised(begin: str, name: str, known: str) -> str:
    """The reader of a report that begins so. Raises ReportFault; `known` says what can be read."""
    if begin.startswith("{"):
        return _json_reader(begin, name, known)
    if tap.BEGINNING.match(begin):
        return "tap"
    raise _not_a_report(begin, name, known)


def _json_reader(begin: str, name: str, known: str) -> str:
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
    raise _other_json(begin, name, known)


def _other_json(begin: str, name: str, known: str) -> ReportFault:
    for pattern, tool, instead in _OTHER_JSON:
        if pattern.match(begin):
            return unreadable(name, f"this looks like {tool}, which is not read", f"write JUnit XML ({instead})")
    return unreadable(name, "this looks like JSON, and no JSON report of this kind can be read", known)


def _not_a_report(begin: str, name: str, known: str) -> ReportFault:
    if begin[0] == "[":
        return _other_json(begin, name, known)
    if any(ord(c) < 0x20 and c not in "\t\n\r\f\x1b" for c in begin[:400]):
        return unreadable(name, "this is a binary file, not a test report", known)
    return unreadable(name, f"not a test report; it begins with {shown(begin.splitlines()[0], 40)!r}", known)
