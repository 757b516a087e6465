"""What hand-made changes of a suite look like in real reports of 60 tools, through our readers and our rules.

The corpus lies at SHIPMOOR_HOOKS_CORPUS (not part of the project). A folder of `generated/` holds the reports before and
after the same changes, and `CHANGES.json` what was changed, written by hand.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from rule_world import NOW
from rule_world import run as empty_run

from shipmoor_hooks.model import Case, Code, Finding, Outcome, RecordKind, Run, Suite
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.rules import reduction
from shipmoor_hooks.rules.reduction import Question
from shipmoor_hooks.rules.unstable import unstable_ids
from shipmoor_hooks.store.inventory import cases_of, problems_of

CORPUS = os.environ.get("SHIPMOOR_HOOKS_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="SHIPMOOR_HOOKS_CORPUS names no corpus of reports")
GENERATED = Path(CORPUS or "/nowhere") / "generated"
FOLDERS = sorted(p.parent for p in GENERATED.glob("*/CHANGES.json"))

# Python files of the trees, which a real run knows.
TRACKED = frozenset({
    "pkg/test_b.py", "sub/test_du2.py", "test_a.py", "test_broken.py", "test_c.py", "test_cc.py", "test_core.py",
    "test_cr.py", "test_du.py", "test_g.py", "test_math.py", "test_ob.py", "test_rr.py", "test_st.py", "test_to.py",
})  # fmt: skip
RED = (Code.CASE_RED, Code.COLLECTION_ERROR)
LOST = (Code.CASE_REMOVED, Code.CASE_FEWER, Code.COLLECTION_ERROR)
SKIPPED = (Code.CASE_SKIPPED,)

# What the file does not show, or shows as something else: folder -> (words of the hand-written truth, code or None, why).
# docs/blind-spots.md says the same by tool.
OTHERWISE: dict[str, list[tuple[str, Code | None, str]]] = {
    "mocha-junit-reporter-ctrl": [("ok", Code.CASE_REMOVED, "pending tests are left out of the report")],
    "perl-tap-junit": [
        ("plan.t one of three planned", Code.CASE_RED, "a plan that is not met is an error of the suite"),
        ("skipall.t 2 cases", Code.CASE_REMOVED, "skip_all leaves no record"),
        ("multiplies", Code.CASE_REMOVED, "a skip writes no name, only its number"),
    ],
    "pytest-subtests": [("one subtest of test_sub_ok", None, "a subtest that passes leaves no record"),
                        ("test_st.py test_sub_fail i=2", None, "a red test with one more red subtest stays red")],
    "tap": [("multiplies", Code.CASE_REMOVED, "a test that is skipped lists none of its assertions")],
}  # fmt: skip
for _same in ("pytest-subtests-verbose-ini", "pytest-subtests-xdist"):
    OTHERWISE[_same] = OTHERWISE["pytest-subtests"]
# The tests of the truth that the first red one stops: what ran of the suite is no whole run, and argv tells it.
STOPPED = {"pytest-maxfail1", "pytest-collection"}
# Findings that no change by hand explains.
BESIDE: dict[str, dict[str, str]] = {
    "perl-tap-junit": {
        "CASE_REMOVED math_t::10": "an unnamed test is its number, and the number shifts",
        "CASE_REMOVED skipall_t::s1": "skip_all leaves no record",
        "CASE_REMOVED skipall_t::s2": "skip_all leaves no record",
    },
    "phpunit": {"CASE_SKIPPED tests/Sub/MathTest.php::Sub.MathTest::testB": "a set-up that throws skips the rest"},
}


def root_of(data: bytes) -> str:
    """The folder that a report was made in: one for each tool, in one of two worktrees."""
    found = Counter(re.findall(rb"/home/user/wt[12]/[\w.-]+", data))
    return found.most_common(1)[0][0].decode() if found else ""


@cache
def measured(folder: Path, which: str) -> Run | None:
    """The run that a report (or a folder of them) makes; TAP where the XML beside it was converted from it."""
    names = [f"{which}.xml.tap", f"{which}.tap", f"{which}.xml", which] if folder.name == "tap" else [
        which, f"{which}.xml", f"{which}.tap"
    ]  # fmt: skip
    found = next((folder / n for n in names if (folder / n).exists()), None)
    if found is None:
        return None
    files = sorted(found.glob("*.xml")) if found.is_dir() else [found]
    contents = [(f.name, f.read_bytes()) for f in files]
    reports = [read(data, None, name) for name, data in contents]
    cases = cases_of(reports, TRACKED, root_of(b"".join(data for _, data in contents)), ())
    problems = problems_of(reports, watched=True)
    code_file = folder / f"{which}.exit"
    code = int(code_file.read_text().strip() or 0) if code_file.exists() else 0
    if code and not problems and not any(c.outcome.is_red for c in cases):
        cases = (*cases, Case(f"<run>::exit {code}", Outcome.FAILED, kind=RecordKind.RUN))
    age = 2.0 if which == "before2" else 1.0
    return empty_run("", age, id=f"{folder.name}/{which}", cases=cases, problems=problems, exit_code=code)


def compared(folder: Path) -> list[Finding]:
    runs = [measured(folder, which) for which in ("before", "before2")]
    base = tuple(r for r in runs if r is not None and r.is_complete)
    tip = measured(folder, "after")
    assert tip is not None
    return list(reduction.compare(Question(Suite("unit"), None, base, (tip,), NOW)).findings)


def words(text: str) -> list[str]:
    """The words of a name, file extensions and what is said in parentheses left out."""
    plain = re.sub(r" \((?!int).*", "", text)
    plain = re.sub(r"\.(?:py|js|mjs|bats)\b", "", plain)
    return re.findall(r"[a-z0-9]+", re.sub(r"[_\\]", " ", plain).lower())


def fits(truth: str, case: str) -> bool:
    """Whether the words of the truth stand in the id, in their order: all of them, those behind a file's name, or those
    in front of a parameter that the id has lost."""
    for told in (truth, truth.partition(": ")[2], truth.partition("[")[0] if "[" not in case else ""):
        rest = iter(words(case))
        if told and all(word in rest for word in words(told)):
            return True
    return False


def truth_of(folder: Path) -> dict[str, list[str]]:
    told = json.loads((folder / "CHANGES.json").read_text(encoding="utf-8"))
    return {
        "lost": [*told.get("removed", []), *(old for old, _ in told.get("renamed", []))],
        "skipped": told.get("newly_skipped", []),
        "red": told.get("newly_failing", []),
        "vanished": told.get("vanished", []),
        "new": [new for _, new in told.get("renamed", [])],
        "beside": [told.get("hook_failure", "")],
    }


def changed_folders() -> list[Path]:
    return [f for f in FOLDERS if any(map(any, truth_of(f).values())) and f.name not in STOPPED]


@pytest.mark.parametrize("folder", changed_folders(), ids=lambda f: f.name)
def test_every_change_is_found_as_the_truth_says(folder: Path) -> None:
    findings = compared(folder)
    truth = truth_of(folder)
    otherwise = {told: code for told, code, _ in OTHERWISE.get(folder.name, [])}

    def is_found(item: str, codes: tuple[Code, ...]) -> bool:
        code = next((code for told, code in otherwise.items() if words(told) == words(item)), codes[0])
        if code is None:
            return not any(fits(item, f.case or "") for f in findings if f.code in codes)
        wanted = codes if code is codes[0] else (code,)
        if code is Code.CASE_RED and code is not codes[0]:
            item = item.partition(" ")[0].replace(".t", "_t")
        elif code is Code.CASE_REMOVED and item.startswith("skipall"):
            item = "skipall"
        return any(f.code in wanted and fits(item, f.case or "") for f in findings)

    assert [i for i in truth["lost"] if not is_found(i, LOST)] == []
    assert [i for i in truth["skipped"] if not is_found(i, SKIPPED)] == []
    assert [i for i in truth["red"] if not any(is_found(part, RED) for part in i.split(","))] == []
    assert [
        n for n in truth["new"] if not any(f.code is Code.CASE_ADDED and fits(n, f.case or "") for f in findings)
    ] == []


@pytest.mark.parametrize("folder", changed_folders(), ids=lambda f: f.name)
def test_nothing_else_is_said_to_be_lost(folder: Path) -> None:
    truth = truth_of(folder)
    told = [*truth["lost"], *truth["skipped"], *truth["red"]]
    loose = " ".join([*truth["vanished"], *truth["beside"]])  # these are written as sentences
    beside = BESIDE.get(folder.name, {})

    def is_told(finding: Finding) -> bool:
        case = finding.case or ""
        if any(fits(part, case) for item in told for part in item.split(",")):
            return True
        return f"{finding.code.value} {case}" in beside or words(case)[-1:][0] in words(loose.replace("(", "- "))

    lost = [f for f in compared(folder) if f.code in (Code.CASE_REMOVED, Code.CASE_FEWER, Code.CASE_SKIPPED)]
    assert [f"{f.code.value} {f.case}" for f in lost if not is_told(f)] == []


@pytest.mark.parametrize("name", sorted(STOPPED))
def test_a_run_that_stopped_early_is_told_by_argv_or_by_the_file(name: str) -> None:
    if not (GENERATED / name).exists():
        pytest.skip("this corpus has no such folder")
    run = measured(GENERATED / name, "after")
    assert run is not None
    assert run.problems or name == "pytest-maxfail1"


# ---------------------------------------------------------------- the same tree, measured twice


PAIRS = [f for f in FOLDERS if any((f / n).exists() for n in ("before2", "before2.xml"))]
# A random number, a pid or the order of a set stands in a name.
MADE_UP_NAMES = {"jest-junit", "jest-junit-options", "jest-junit-uuid", "pytest-param-objects"}


def ids(run: Run | None) -> Counter[str]:
    assert run is not None
    return Counter({c.id: c.count for c in run.cases})


@pytest.mark.parametrize("folder", PAIRS, ids=lambda f: f.name)
def test_two_runs_of_one_tree_have_the_same_ids_or_are_told_to_be_unstable(folder: Path) -> None:
    runs = [measured(folder, "before"), measured(folder, "before2")]
    one, other = map(ids, runs)
    assert one
    loose = unstable_ids([r for r in runs if r is not None])
    assert bool(loose) == (folder.name in MADE_UP_NAMES)
    differing = set(one - other) | set(other - one)
    assert {i for i in differing if loose.group_of(i) is None} == set()
    # Each of the two is no reduction of both.
    for tip in runs:
        assert tip is not None
        base = tuple(r for r in runs if r is not None)
        found = reduction.compare(Question(Suite("unit"), None, base, (tip,), NOW)).findings
        assert [f for f in found if f.code in (Code.CASE_REMOVED, Code.CASE_FEWER, Code.CASE_SKIPPED)] == []


def test_how_many_pairs_are_stable() -> None:
    assert len(PAIRS) >= 50
    assert len(PAIRS) - len(MADE_UP_NAMES) >= 46


MOVED = [f for f in FOLDERS if any((f / n).exists() for n in ("before-otherdir", "before-otherdir.xml"))]


@pytest.mark.parametrize("folder", MOVED, ids=lambda f: f.name)
def test_another_directory_changes_no_id(folder: Path) -> None:
    one, other = ids(measured(folder, "before")), ids(measured(folder, "before-otherdir"))
    if folder.name in MADE_UP_NAMES:
        runs = [r for which in ("before", "before2") if (r := measured(folder, which)) is not None]
        loose = unstable_ids(runs)
        one, other = (Counter(g.name if (g := loose.group_of(i)) else i for i in c.elements()) for c in (one, other))
    assert one == other
