"""One piece of work in a process of its own: `python benchmarks/work.py WHAT ...`. Peers import nothing of ours."""

from __future__ import annotations

import sys

CHUNK = 64 * 1024


def expat(path: str) -> None:
    """expat with one handler that does nothing: what no reader in Python can beat."""
    import pyexpat

    parser = pyexpat.ParserCreate()

    def start(tag: str, attributes: object) -> None:
        pass

    parser.StartElementHandler = start
    with open(path, "rb") as stream:
        while piece := stream.read(CHUNK):
            parser.Parse(piece, False)
    parser.Parse(b"", True)


def iterparse(path: str) -> None:
    """defusedxml's iterparse, each element cleared."""
    from defusedxml.ElementTree import iterparse

    for _, element in iterparse(path, forbid_dtd=True):
        element.clear()


def lxml_target(path: str) -> None:
    from lxml import etree

    class Target:
        def start(self, tag: str, attributes: object) -> None:
            pass

        def close(self) -> None:
            pass

    etree.parse(path, etree.XMLParser(target=Target(), resolve_entities=False, huge_tree=True))


def junitparser(path: str) -> None:
    from junitparser import JUnitXml

    sum(1 for suite in JUnitXml.fromfile(path) for _ in suite)


def read_imports(_: str) -> None:
    from shipmoor_hooks.store import inventory  # noqa: F401


def count_imports(_: str) -> None:
    from shipmoor_hooks import report_files  # noqa: F401
    from shipmoor_hooks.readers import junit_stream  # noqa: F401


def count(path: str) -> None:
    """Our reader, nothing kept: cases are counted, the file's digest is taken."""
    from shipmoor_hooks import report_files
    from shipmoor_hooks.readers.junit_stream import stream

    with report_files.opened(path, None) as report:
        stream(report, path, lambda: lambda element: None)  # noqa: ARG005
        report.file()


def read(path: str) -> None:
    from shipmoor_hooks import intake
    from shipmoor_hooks.store import inventory

    _, report = intake.read_file(path, None, None, inside=False)
    inventory.cases_of([report], frozenset(), "", ())


def refuse(path: str) -> None:
    from shipmoor_hooks import report_files
    from shipmoor_hooks.errors import ReportFault
    from shipmoor_hooks.readers import registry

    try:
        with report_files.opened(path, None) as report:
            registry.read(report, None, path)
    except ReportFault:
        return
    raise SystemExit("the file was not refused")


def store_imports(_: str, __: str) -> None:
    from shipmoor_hooks.store import inventory, spool  # noqa: F401


def store(path: str, folder: str) -> None:
    """Read, fold, sort, hash and store: a capture but for the tree."""
    import os
    import time

    from shipmoor_hooks import intake
    from shipmoor_hooks.model import Evidence, Run
    from shipmoor_hooks.store import inventory
    from shipmoor_hooks.store.spool import Spool

    file, report = intake.read_file(path, None, None, inside=False)
    cases = inventory.cases_of([report], frozenset(), "", ())
    tree, now = "a" * 40, time.time()
    run = Run(os.urandom(16).hex(), "unit", tree, tree, Evidence.OBSERVED, now, now, cases, reports=(file,))
    Spool(folder, "main").finish(run)


def at_tree(common_dir: str, tree: str) -> None:
    """Look the runs of one tree up, a hundred times."""
    from shipmoor_hooks.store.spool import Spool

    for _ in range(100):
        assert Spool(common_dir, "main").at_tree(tree).runs


def no_run_at(common_dir: str, tree: str) -> None:
    """Ask a hundred times for the runs of a tree that has none."""
    from shipmoor_hooks.store.spool import Spool

    for _ in range(100):
        assert not Spool(common_dir, "main").at_tree(tree).runs


def at_tree_imports(_: str, __: str) -> None:
    from shipmoor_hooks.store.spool import Spool  # noqa: F401


def sqlite(path: str, tree: str) -> None:
    import sqlite3

    for _ in range(100):
        with sqlite3.connect(path) as connection:
            connection.execute("select entry from runs where tree = ?", (tree,)).fetchall()
        connection.close()


def sqlite_imports(_: str, __: str) -> None:
    import sqlite3  # noqa: F401


PATTERNS = [rf"booking \d+ is confirmed|word{n}\b.*Total" for n in range(10)]


def racer_imports(_: str) -> None:
    import py_mini_racer  # noqa: F401


def engine(path: str) -> None:
    """The engine alone: one context, the strings handed in once, every pattern tried on every one."""
    import json

    from py_mini_racer import MiniRacer

    with open(path) as stream:
        texts = stream.read()
    racer = MiniRacer()
    racer.eval(f"var texts = {texts}; var patterns = {json.dumps(PATTERNS)}.map(p => new RegExp(p)); 0")
    racer.eval("JSON.stringify(texts.map(t => patterns.map(p => p.test(t))))")


def graders_imports(_: str) -> None:
    from shipmoor_hooks.evals import definitions, grading, regex_engine, trace  # noqa: F401


def graders(path: str) -> None:
    """Our graders, a regular expression each, on the replies of recorded traces."""
    import json

    from shipmoor_hooks.evals.definitions import REGEX, Grader
    from shipmoor_hooks.evals.graders import Recording
    from shipmoor_hooks.evals.grading import grade_all
    from shipmoor_hooks.evals.regex_engine import RegexEngine
    from shipmoor_hooks.evals.trace import Trace

    with open(path) as stream:
        texts = json.load(stream)
    asked = [Grader(f"g{i}", REGEX, {"pattern": pattern}) for i, pattern in enumerate(PATTERNS)]
    recordings = ((str(i), Recording(Trace(text, text, (), 1))) for i, text in enumerate(texts))
    with RegexEngine() as running:
        told = list(grade_all(running, [asked], recordings))
    if len(told) != len(texts):
        raise SystemExit("not every trace was graded")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
