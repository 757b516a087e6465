"""Real reports of many tools, where a corpus of them lies at SHIPMOOR_HOOKS_CORPUS (not part of the project).

The folder holds `files/MANIFEST.tsv` (what each file must give), `bugs/*.json` and `generated/` (two runs of one tree).
"""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import RecordKind
from shipmoor_hooks.readers.junit import SUITE_ERROR
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.store.inventory import cases_of

CORPUS = os.environ.get("SHIPMOOR_HOOKS_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="SHIPMOOR_HOOKS_CORPUS names no corpus of reports")

READ_AFTER_REPAIR = {
    "nunit/NUnit-issue17521.xml"
}  # control characters inside of CDATA: the manifest knows only JUnit's


def manifest() -> list[dict[str, str]]:
    if not CORPUS:
        return []
    with (Path(CORPUS) / "files" / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", manifest(), ids=lambda row: row["file"])
def test_every_file_gives_what_the_manifest_says(row: dict[str, str]) -> None:
    data = (Path(CORPUS) / "files" / row["file"]).read_bytes()
    if row["expected"] == "refuse" and row["file"] not in READ_AFTER_REPAIR:
        with pytest.raises(ReportFault):
            read(data, None, row["file"])
        return
    report = read(data, None, row["file"])
    if row["file"] in READ_AFTER_REPAIR:
        assert report.records
        return
    if row["expected"] == "incomplete":
        assert report.problems
        return
    # The manifest counts elements; an error directly under a suite is one red record more, a plan that skips one skip.
    elements = [
        r
        for r in report.records
        if (r.kind, r.name) != (RecordKind.SUITE, SUITE_ERROR)
        and (r.kind, r.classname) != (RecordKind.FILE, "1..0 # skip")
    ]
    outcomes = Counter(r.outcome.value for r in elements)
    found = (outcomes["passed"], outcomes["failed"], outcomes["error"], outcomes["skipped"] + outcomes["xfailed"])
    assert found == tuple(int(row[key]) for key in ("passed", "failed", "errored", "skipped"))
    assert outcomes.total() == int(row["cases"])


def bugs() -> list[Path]:
    return sorted((Path(CORPUS) / "bugs").glob("*.json")) if CORPUS else []


# Where our rule gives another outcome than the corpus' throw-away prototype, and why.
OTHER_OUTCOME = {"flaky": "passed"}  # final state decides; the attempts are samples
INCOMPLETE = ("23-", "30-", "38-", "53-", "54-", "55-", "56-", "28-")


@pytest.mark.parametrize("path", bugs(), ids=lambda path: path.stem)
def test_every_reported_bug_is_read_right(path: Path) -> None:
    bug = json.loads(path.read_text(encoding="utf-8"))
    data = (path.parent / bug["input"]).read_bytes()
    if isinstance(bug["prototype"], str) and "TestRun" not in bug["prototype"]:
        with pytest.raises(ReportFault):
            read(data, None, bug["input"])
        return
    report = read(data, None, bug["input"])
    if isinstance(bug["prototype"], str):
        return
    assert bool(report.problems) == path.name.startswith(INCOMPLETE)
    expected = sorted(OTHER_OUTCOME.get(outcome, outcome) for outcome, _, _ in bug["prototype"].values())
    assert sorted(case.outcome.value for case in cases_of([report], frozenset(), "", ())) == expected


# A random number, a pid or the order of a set in a name: nobody can tell them from data, a policy's `normalise` can.
MADE_UP_NAMES = {"jest-junit", "jest-junit-options", "jest-junit-uuid", "pytest-param-objects"}


def pairs() -> list[Path]:
    return sorted(p.parent for p in (Path(CORPUS) / "generated").glob("*/before2*")) if CORPUS else []


@pytest.mark.parametrize("folder", sorted({p for p in pairs() if p.name not in MADE_UP_NAMES}), ids=lambda p: p.name)
def test_two_runs_of_one_tree_have_the_same_ids(folder: Path) -> None:
    def ids(run: str) -> Counter[str]:
        files = sorted(p for p in folder.glob(f"{run}*") if p.name in (run, f"{run}.xml"))
        paths = [p for f in files for p in (sorted(f.glob("*.xml")) if f.is_dir() else [f])]
        reports = [read(p.read_bytes(), None, p.name) for p in paths]
        return Counter({c.id: c.count for c in cases_of(reports, frozenset(), "/home/user/wt1", ())})

    assert ids("before")
    assert ids("before") == ids("before2")
