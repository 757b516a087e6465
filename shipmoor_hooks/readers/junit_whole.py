"""Records that are no cases: a file or package that does not load, a class whose set-up broke, a hook (all are red).

Each tool has its own form for them; one function a dialect, in an explicit table.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Record, RecordKind

_SET_UP = re.compile(r"setUp(?:Class|Module) \(([\w.]+)\)\Z")
_TEAR_DOWN = re.compile(r"tearDown(?:Class|Module) \(([\w.]+)\)\Z")
_HOOK = re.compile(r'"(?:before|after) (?:all|each)" hook')
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|file://")


def told_apart(record: Record, dialect: str) -> Record:
    """The record with the kind that its dialect marks; `file` is the file that does not load, as far as it is told."""
    mark = _MARKS.get(dialect)
    return mark(record) if mark is not None and record.outcome.is_red else record


def _surefire(record: Record) -> Record:
    whole = record.name in ("", "initializationError", "executionError")
    return replace(record, name="", kind=RecordKind.FILE) if whole else record


def _bats(record: Record) -> Record:
    return replace(record, kind=RecordKind.FILE, file=record.classname) if not record.name else record


def _jest(record: Record) -> Record:
    whole = record.classname == "Test suite failed to run"
    return replace(record, kind=RecordKind.FILE, file=record.name) if whole else record


def _vitest(record: Record) -> Record:
    if record.suites[:1] == ("vitest unhandled errors",):
        return replace(record, kind=RecordKind.SUITE)
    return replace(record, kind=RecordKind.FILE, file=record.name) if record.name == record.classname else record


def _unittest(record: Record) -> Record:
    if record.classname.endswith(("._FailedTest", "ModuleImportFailure")):
        return _python_file(record, record.name)
    if found := _SET_UP.match(record.name):
        module, _, cls = found.group(1).rpartition(".") if "Class" in record.name else (found.group(1), "", "")
        whole = _python_file(record, module)
        return replace(whole, classname=module, name=cls) if cls else whole
    return replace(record, kind=RecordKind.SUITE) if _TEAR_DOWN.match(record.name) else record


def _python_file(record: Record, dotted: str) -> Record:
    """A module, or a class in one; without the tree nobody can tell where the module ends."""
    return replace(record, kind=RecordKind.FILE, classname="", name=dotted, file=dotted.replace(".", "/") + ".py")


def _node(record: Record) -> Record:
    whole = not record.suites and _ABSOLUTE.match(record.name)
    return replace(record, kind=RecordKind.FILE, file=record.name.removeprefix("file://")) if whole else record


def _go(record: Record) -> Record:
    whole = record.name in ("[build failed]", "[setup failed]", "Failure") or (
        not record.classname and record.name == "TestMain"
    )
    package = record.classname or (record.suites[-1] if record.suites else "")
    return replace(record, kind=RecordKind.FILE, classname=package, name="") if whole else record


def _mocha(record: Record) -> Record:
    return replace(record, kind=RecordKind.SUITE) if _HOOK.search(record.name) else record


_MARKS: dict[str, Callable[[Record], Record]] = {
    "surefire": _surefire,
    "bats": _bats,
    "jest": _jest,
    "vitest": _vitest,
    "unittest": _unittest,
    "nose2": _unittest,
    "node": _node,
    "go": _go,
    "mocha": _mocha,
}
