"""The readers by name, and how a report's own content finds its reader (design, section 10.3: `--as` names one)."""

from __future__ import annotations

import importlib
from typing import Protocol

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import Report
from shipmoor_hooks.readers import junit, limits
from shipmoor_hooks.readers.encoding import text_pieces
from shipmoor_hooks.readers.limits import shown, unreadable
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import root_of


class Reader(Protocol):
    """Reads one file; `name` is what messages call it. Raises ReportFault."""

    def __call__(self, source: Source, name: str) -> Report: ...


def _reader(module: str) -> Reader:
    """The reader in a module of this package, which is loaded when it is asked: most commands need one of them."""

    def read_one(source: Source, name: str) -> Report:
        found: Reader = getattr(importlib.import_module(f"{__package__}.{module}"), f"read_{module}")
        return found(source, name)

    return read_one


READERS: dict[str, Reader] = {
    "ctest": _reader("ctest"),
    "dart": _reader("dart"),
    "go-test": _reader("go_test"),
    "junit": junit.read_junit,
    "libtest": _reader("libtest"),
    "node-events": _reader("node_events"),
    "nunit": _reader("nunit"),
    "plugin-eval": _reader("plugin_eval"),
    "robot": _reader("robot"),
    "rspec-json": _reader("rspec_json"),
    "tap": _reader("tap"),
    "trx": _reader("trx"),
    "xunit.net": _reader("xunit_net"),
}


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
        found = "junit" if root in junit.ROOTS else _by_root(root)
        if not found:
            raise unreadable(name, f"<{shown(root)}> is not the root of a report that can be read", _known())
        return found
    from shipmoor_hooks.readers import text_formats  # what reads JSON and TAP; XML needs none of it

    return text_formats.recognised(begin, name, _known())


def _by_root(root: str) -> str:
    """The reader of an XML document that is not JUnit's; "" for none."""
    from shipmoor_hooks.readers import ctest, nunit, robot, trx, xunit_net

    return (
        dict.fromkeys(nunit.ROOTS, "nunit")
        | dict.fromkeys(xunit_net.ROOTS, "xunit.net")
        | {trx.ROOT: "trx", ctest.ROOT: "ctest", robot.ROOT: "robot"}
    ).get(root, "")


def _beginning(source: Source, name: str) -> str:
    """The first characters that are not white space; "" for a file without any."""
    for piece in text_pieces(source, name):
        if rest := piece.lstrip():
            return rest
    return ""


def _known() -> str:
    return f"write one of the formats that can be read: {', '.join(READERS)}"
