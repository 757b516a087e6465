"""The rule book: what a base and a tip say of each other. Every row's id is the reason; rows without effect come first."""

from __future__ import annotations

import pytest
from rule_world import HOUR, NOW, cases, compare, known_of, run, runs, told

from shipmoor_hooks.model import Case, Code, Count, Level, Outcome, RecordKind, Suite
from shipmoor_hooks.rules import reduction
from shipmoor_hooks.rules.conditions import comparable
from shipmoor_hooks.rules.verdict import is_reduced

ALL = Suite("unit", reruns="all")
UNLIKE = (("harness", "pytest"), ("harness version", "7"))
LIKE = (("harness", "pytest"), ("harness version", "8"))


def row(reason: str, base: object, tip: object, *want: str, **more: object) -> object:
    return pytest.param(base, tip, sorted(want), more, id=reason)


ROWS = [
    # ---------------------------------------------------------------- no effect
    row("nothing changed", "a P, b P", "a P, b P"),
    row("a skipped case stays skipped", "a P, b S", "a P, b S"),
    row("skipped and expected to fail are one thing", "a S, b X", "a X, b S"),
    row("a skipped case runs again", "a P, b S", "a P, b P"),
    row("a red case is repaired", "a P, b F", "a P, b P"),
    row("a case more is a note", "a P", "a P, b P", "CASE_ADDED b"),
    row("a skipped case more is a note", "a P", "a P, b S", "CASE_ADDED b"),
    row("one id stands more often", "a 1*P", "a 3*P"),
    row("one id stood twice, once red, and is green", "a 2*F", "a 2*P"),
    row("a module skips itself on both sides", "a P, t/m.py M", "a P, t/m.py M"),
    row("a file that skipped itself runs", "a P, t/m.py M", "a P, t/m.py::x P", "CASE_ADDED t/m.py::x"),
    row("skipped cases of a module that skips itself were no yardstick", "a P, t/m.py::x S", "a P, t/m.py M"),
    row("a file that did not load is repaired", "a P, t/m.py C", "a P, t/m.py::x P", "CASE_ADDED t/m.py::x"),
    row("a failure outside the cases is gone", "a P, hook U", "a P"),
    row("an exit code is explained no more", "a P, 3 R", "a P"),
    row("a set-up that went well is no failure", "a P", [run("a P", cases=(*cases("a P"), Case("hook", Outcome.PASSED,
        kind=RecordKind.SUITE)))]),
    row("a case and a file's record may share one id", "t/m.py::x P, t/m.py C", "t/m.py::x P, t/m.py C", "STILL_RED t/m.py"),
    # ---------------------------------------------------------------- removed
    row("a case gone", "a P, b P", "a P", "CASE_REMOVED b"),
    row("a red case gone", "a P, b F", "a P", "CASE_REMOVED b"),
    row("a skipped case gone", "a P, b S", "a P", "CASE_REMOVED b"),
    row("equal counts prove nothing", "a P, b P", "a P, c P", "CASE_REMOVED b", "CASE_ADDED c"),
    row("a case that is named like an exit code is a case", "a P, <run>::exit 1 P", "a P", "CASE_REMOVED <run>::exit 1"),
    row("a prefix of an id is another id", "a P, ab P", "ab P", "CASE_REMOVED a"),
    row("three parameters for three others", "p[x] P, p[y] P", "p[u] P, p[v] P",
        "CASE_REMOVED p[x]", "CASE_REMOVED p[y]", "CASE_ADDED p[u]", "CASE_ADDED p[v]"),
    # ---------------------------------------------------------------- fewer
    row("one id twice, then once", "a 2*P", "a 1*P", "CASE_FEWER a"),
    row("fewer and red are two findings", "a 2*P", "a 1*F", "CASE_FEWER a", "CASE_RED a"),
    row("positional ids, one fewer", "p[o0] P, p[o1] P, p[o2] P", "p[o0] P, p[o1] P", "CASE_FEWER p"),
    row("positional ids, all gone, are removed", "a P, p[o0] P, p[o1] P", "a P", "CASE_REMOVED p[o0]", "CASE_REMOVED p[o1]"),
    row("bare numbers are values, not positions", "p[0] P, p[1] P", "p[0] P", "CASE_REMOVED p[1]"),
    row("a gap in the row: no positions", "p[o0] P, p[o2] P", "p[o0] P", "CASE_REMOVED p[o2]"),
    row("a leading zero: no position", "p[o00] P, p[o1] P", "p[o00] P", "CASE_REMOVED p[o1]"),
    row("two words in the row: no positions", "p[o0] P, p[q1] P", "p[o0] P", "CASE_REMOVED p[q1]"),
    row("one id of the row says more: no positions", "p[o0] P, p[o1] P, p[x y] P", "p[o0] P, p[x y] P", "CASE_REMOVED p[o1]"),
    row("the same function without a parameter: no positions", "p P, p[o0] P, p[o1] P", "p P, p[o0] P", "CASE_REMOVED p[o1]"),
    row("an open bracket is no parameter", "p[o0 P, p[o1] P", "p[o0 P", "CASE_REMOVED p[o1]"),
    row("another word at the tip: other ids", "p[o0] P, p[o1] P", "p[q0] P, p[q1] P",
        "CASE_REMOVED p[o0]", "CASE_REMOVED p[o1]", "CASE_ADDED p[q0]", "CASE_ADDED p[q1]"),
    # ---------------------------------------------------------------- skipped
    row("newly skipped", "a P", "a S", "CASE_SKIPPED a"),
    row("newly expected to fail", "a P", "a X", "CASE_SKIPPED a"),
    row("a red case is skipped", "a F", "a S", "CASE_SKIPPED a"),
    row("it ran in one of the base's runs", [run("a S", 1), run("a P", 2)], "a S", "CASE_SKIPPED a"),
    row("a module that skips itself: each of its cases that ran", "t/m.py::x P, t/m.py::y F, t/m.py::z S", "t/m.py M",
        "CASE_SKIPPED t/m.py::x", "CASE_SKIPPED t/m.py::y"),
    # ---------------------------------------------------------------- red
    row("turned red", "a P", "a F", "CASE_RED a"),
    row("turned to an error", "a P", "a E", "CASE_RED a"),
    row("green in one of the base's runs is enough", [run("a P", 40), run("a F", 30)], "a F", "CASE_RED a"),
    row("red in all runs of the base", [run("a F", 40), run("a E", 30)], "a F", "STILL_RED a"),
    row("red at the base beside a skip was never green", [run("a S", 40), run("a F", 30)], "a F", "STILL_RED a"),
    row("another case is red, the number is equal", "a P, b F", "a F, b P", "CASE_RED a"),
    row("un-skipped and red", "a S", "a F", "UNSKIPPED_RED a"),
    row("no longer expected to fail, and red", "a X", "a F", "UNSKIPPED_RED a"),
    row("a new case that is red is data", "a P", "a P, b F", "NEW_RED b"),
    row("a new file that does not load is data", "a P", "a P, t/new.py C", "NEW_RED t/new.py"),
    row("a case that stands twice, once red", "a 2*P", "a 2*F", "CASE_RED a"),
    # ---------------------------------------------------------------- cleared
    row("the base shows the red too, an hour ago", [run("a P", 72), run("a F", 1)], "a F", "CLEARED a"),
    row("exactly a day ago still clears", [run("a P", 72), run("a F", 24)], "a F", "CLEARED a"),
    row("a second more does not", [run("a P", 72), run("a F", 24 + 1 / 3600)], "a F", "CASE_RED a"),
    row("the policy's window counts", [run("a P", 72), run("a F", 30)], "a F", "CLEARED a", window=48.0),
    row("an older red beside a fresh one", [run("a P", 72), run("a F", 30), run("a F", 2)], "a F", "CLEARED a"),
    row("red first, green after: still within the day", [run("a F", 3), run("a P", 1)], "a F", "CLEARED a"),
    row("the red of another case clears nothing", [run("a P, b P", 72), run("a P, b F", 1)], "a F, b P", "CASE_RED a"),
    row("measured under other conditions", [run("a P", 72, conditions=LIKE), run("a F", 1, conditions=UNLIKE)],
        [run("a F", 0.5, conditions=LIKE)], "CASE_RED a", "CONDITIONS_DIFFER"),
    row("measured under the same conditions", [run("a P", 72, conditions=LIKE), run("a F", 1, conditions=LIKE)],
        [run("a F", 0.5, conditions=LIKE)], "CLEARED a"),
    row("an unknown condition is no other condition", [run("a P", 72), run("a F", 1)],
        [run("a F", 0.5, conditions=LIKE)], "CLEARED a"),
    row("a time in the future clears nothing", [run("a P", 72), run("a F", -1)], "a F", "CASE_RED a", "CLOCK_SUSPECT a"),
    row("a clock that is two minutes off clears", [run("a P", 72), run("a F", -120 / 3600)], "a F", "CLEARED a"),
    row("a run whose time was suspect clears nothing", [run("a P", 72), run("a F", 1, clock_suspect=True)], "a F",
        "CASE_RED a", "CLOCK_SUSPECT a"),
    row("a sound run clears beside a suspect one", [run("a P", 72), run("a F", -1), run("a F", 2)], "a F", "CLEARED a"),
    # ---------------------------------------------------------------- files that do not load
    row("one finding a file", "a P, t/m.py::x P, t/m.py::y S", "a P, t/m.py C", "COLLECTION_ERROR t/m.py"),
    row("two files, two findings", "t/m.py::x P, t/n.py::x P", "t/m.py C, t/n.py C",
        "COLLECTION_ERROR t/m.py", "COLLECTION_ERROR t/n.py"),
    row("a folder that does not load", "t/m.py::x P, t/n.py::x P", "t/ C", "COLLECTION_ERROR t/"),
    row("the file's own record before its folder's", "t/m.py::x P, t/n.py::x P", "t/ C, t/m.py C",
        "COLLECTION_ERROR t/", "COLLECTION_ERROR t/m.py"),
    row("red and skipped records for one file: red", "t/m.py::x P", [run("t/m.py M, t/m.py C")], "COLLECTION_ERROR t/m.py"),
    row("a folder that skips itself and whose own file does not load", "t/m.py::x P", "t/ M, t/__init__.py C",
        "COLLECTION_ERROR t/__init__.py"),
    row("a folder that does not load and whose own file skips itself", "t/m.py::x P", "t/ C, t/__init__.py M",
        "COLLECTION_ERROR t/"),
    row("a file whose name begins alike is another", "t/m.py::x P, t/m.pyx::x P", "t/m.py C",
        "COLLECTION_ERROR t/m.py", "CASE_REMOVED t/m.pyx::x"),
    row("renamed and broken at once is broken", "t/m.py::x P", "t/n.py C", "COLLECTION_ERROR t/n.py",
        renames={"t/m.py": "t/n.py"}),
    row("it did not load at the base either", "a P, t/m.py C", "a P, t/m.py C", "STILL_RED t/m.py"),
    row("it loaded in one run of the base", [run("a P, t/m.py::x P", 40), run("a P, t/m.py C", 30)], "a P, t/m.py C",
        "COLLECTION_ERROR t/m.py"),
    row("the cases ran and their file is red all the same", "a P, t/m.py::x P", "a P, t/m.py::x P, t/m.py C",
        "CASE_RED t/m.py"),
    # ---------------------------------------------------------------- moved
    row("moved with its file", "t/m.py::x P", "t/n.py::x P", "CASE_MOVED t/n.py::x", renames={"t/m.py": "t/n.py"}),
    row("moved and red", "t/m.py::x P", "t/n.py::x F", "CASE_MOVED t/n.py::x", "CASE_RED t/n.py::x",
        renames={"t/m.py": "t/n.py"}),
    row("moved and skipped", "t/m.py::x P", "t/n.py::x S", "CASE_MOVED t/n.py::x", "CASE_SKIPPED t/n.py::x",
        renames={"t/m.py": "t/n.py"}),
    row("moved and fewer", "t/m.py::x 2*P", "t/n.py::x P", "CASE_MOVED t/n.py::x", "CASE_FEWER t/m.py::x",
        renames={"t/m.py": "t/n.py"}),
    row("a moved file lost a case", "t/m.py::x P, t/m.py::y P", "t/n.py::x P", "CASE_MOVED t/n.py::x",
        "CASE_REMOVED t/m.py::y", renames={"t/m.py": "t/n.py"}),
    row("moved by itself to another file", "t/m.py::x P, t/m.py::y P", "t/n.py::x P, t/m.py::y P", "CASE_MOVED t/n.py::x",
        renames={"t/m.py::x": "t/n.py::x"}),
    row("moved by itself, and red", "t/m.py::x P", "t/n.py::x F", "CASE_MOVED t/n.py::x", "CASE_RED t/n.py::x",
        renames={"t/m.py::x": "t/n.py::x"}),
    row("moved where no git says so", "t/m.py::x P", "t/n.py::x P", "CASE_REMOVED t/m.py::x", "CASE_ADDED t/n.py::x"),
    row("two departures and one arrival", "t/m.py::x P, t/o.py::x P", "t/n.py::x P", "CASE_REMOVED t/m.py::x",
        "CASE_REMOVED t/o.py::x", "CASE_ADDED t/n.py::x", renames={"t/m.py": "t/n.py", "t/o.py": "t/n.py"}),
    row("the target stood there before", "t/m.py::x P, t/n.py::x P", "t/n.py::x P", "CASE_REMOVED t/m.py::x",
        renames={"t/m.py": "t/n.py"}),
    # ---------------------------------------------------------------- pytest's suffix
    row("a value that stands twice gets numbers", "p[1] P", "p[1_0] P, p[1_1] P", "CASE_ADDED p[1_1]"),
    row("a word that stands twice gets numbers without a bar", "p[a] P", "p[a0] P, p[a1] P", "CASE_ADDED p[a1]"),
    row("only one numbered id is another value", "p[1] P", "p[1_0] P", "CASE_REMOVED p[1]", "CASE_ADDED p[1_0]"),
    row("numbered, and red", "p[1] P", "p[1_0] F, p[1_1] P", "CASE_RED p[1_0]", "CASE_ADDED p[1_1]"),
    row("the plain id is still there", "p[1] P", "p[1] P, p[1_0] P, p[1_1] P", "CASE_ADDED p[1_0]", "CASE_ADDED p[1_1]"),
    row("back: one of two values is left", "p[1_0] P, p[1_1] P", "p[1] P", "CASE_REMOVED p[1_1]"),
    row("back: without a bar", "p[a0] P, p[a1] P", "p[a] P", "CASE_REMOVED p[a1]"),
    row("back: a lone value was no numbered one", "p[1_0] P", "p[1] P", "CASE_REMOVED p[1_0]", "CASE_ADDED p[1]"),
    row("back: the second is still there", "p[1_0] P, p[1_1] P", "p[1] P, p[1_1] P", "CASE_REMOVED p[1_0]", "CASE_ADDED p[1]"),
    row("a digit takes a bar", "p[10] P, p[11] P", "p[1] P", "CASE_REMOVED p[10]", "CASE_REMOVED p[11]", "CASE_ADDED p[1]"),
    # ---------------------------------------------------------------- outside the cases
    row("an exit code that no case explains", "a P", "a P, 3 R", "CASE_RED <run>::exit 3"),
    row("another code than the base's is the same failure", [run("a P, 3 R", 1, exit_code=3)], "a P, 2 R",
        "STILL_RED <run>::exit 2"),
    row("one run of the base ended with 0", [run("a P", 40), run("a P, 3 R", 30, exit_code=3)], "a P, 3 R",
        "CASE_RED <run>::exit 3"),
    row("the base's code was measured today", [run("a P", 40), run("a P, 3 R", 2, exit_code=3)], "a P, 3 R",
        "CLEARED <run>::exit 3"),
    row("a run that ended red was not green", [run("a P, 3 R", 40, exit_code=3), run("a F", 30, exit_code=1)],
        "a P, 3 R", "STILL_RED <run>::exit 3"),
    row("a red run of the base explains no exit code", [run("a F", 30, exit_code=1)], "a P, 1 R", "CASE_RED <run>::exit 1"),
    row("a failure outside every case", "a P", "a P, hook U", "CASE_RED hook"),
    row("it failed at the base as well", "a P, hook U", "a P, hook U", "STILL_RED hook"),
    row("it failed at the base today", [run("a P", 40), run("a P, hook U", 1)], "a P, hook U", "CLEARED hook"),
    row("another failure at the base clears nothing", "a P, other U", "a P, hook U", "CASE_RED hook"),
    # ---------------------------------------------------------------- several runs
    row("the newest decides: red, then green", "a P", [run("a F", 2), run("a P", 1)], "FLAKY a"),
    row("the newest decides: green, then red", "a P", [run("a P", 2), run("a F", 1)], "CASE_RED a"),
    row("every run counts", "a P", [run("a F", 2), run("a P", 1)], "CASE_RED a", suite=ALL),
    row("every run counts: gone in one", "a P, b P", [run("a P", 2), run("a P, b P", 1)], "CASE_REMOVED b", suite=ALL),
    row("equal starts: the worst wins", "a P", [run("a P", 1, id="1"), run("a F", 1, id="2")], "CASE_RED a"),
    row("equal starts: a case must be in both", "a P, b P", [run("a P, b P", 1), run("a P", 1)], "CASE_REMOVED b"),
    row("equal starts: the smaller count", "a 2*P", [run("a 2*P", 1), run("a P", 1)], "CASE_FEWER a"),
    row("a failure outside the cases in one of equal runs", "a P", [run("a P", 1), run("a P, hook U", 1)], "CASE_RED hook"),
    row("attempts of one report", "a P", "a P 1/2", "FLAKY a"),
    row("a new case that is flaky", "a P", "a P, b P 1/2", "CASE_ADDED b", "FLAKY b"),
    row("the base's inventory is the union", [run("a P, b P", 2), run("a P, c P", 1)], "a P, b P",
        "CASE_REMOVED c"),
    row("a smaller run of the base is named and shrinks nothing", [run("a P, b P", 2), run("a P", 1)], "a P",
        "CASE_REMOVED b", "RUN_SET_ASIDE"),
    row("runs of two bases are not held against each other", [run("a P, b P", 2), run("a P", 1, tree="1" * 40)], "a P, b P"),
    row("the larger count of the base stands", [run("a 2*P", 2), run("a P", 1)], "a P", "CASE_FEWER a"),
    # ---------------------------------------------------------------- conditions
    row("conditions that differ are told", [run("a P", conditions=UNLIKE)], [run("a P", conditions=LIKE)], "CONDITIONS_DIFFER"),
    row("a condition that one side does not know", [run("a P")], [run("a P", conditions=LIKE)]),
    row("the same, where it must be equal", [run("a P")], [run("a P", conditions=LIKE)], "CONDITIONS_DIFFER",
        suite=Suite("unit", same=("harness", "model"))),
]  # fmt: skip


@pytest.mark.parametrize(("base", "tip", "want", "more"), ROWS)
def test_the_rules(base: object, tip: object, want: list[str], more: dict[str, object]) -> None:
    assert told(compare(base, tip, **more).findings) == want  # type: ignore[arg-type]


@pytest.mark.parametrize(("base", "tip", "want", "more"), ROWS)
def test_every_finding_says_what_happened_and_where(
    base: object, tip: object, want: list[str], more: dict[str, object]
) -> None:
    result = compare(base, tip, **more)  # type: ignore[arg-type]
    for finding in result.findings:
        assert finding.message.endswith("."), finding
        assert finding.suite == "unit"
        assert not finding.disclosed
        if finding.level is not Level.NOTE:
            assert finding.next_step, finding
        if finding.level is Level.NO_EVIDENCE:
            assert finding.next_step.startswith("shipmoor-hooks run --suite unit"), finding
        if finding.case is not None and finding.code is not Code.CASE_FEWER:
            assert finding.case in known_of(result)


# ---------------------------------------------------------------- what the findings say


def only(result: reduction.Comparison, code: Code) -> reduction.Finding:
    found = [f for f in result.findings if f.code is code]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("base", "tip", "code", "message"),
    [
        ("a P, b P", "a P", Code.CASE_REMOVED,
         "t/s.py::b stands at the base (passed 1 of 1 there) and is not among the 1 case at the tip."),
        ("a P, b S", "a P", Code.CASE_REMOVED,
         "t/s.py::b stands at the base (skipped there) and is not among the 1 case at the tip."),
        ("a 3*P", "a P", Code.CASE_FEWER, "t/s.py::a stood 3 times at the base and stands 1 time at the tip."),
        ("p[o0] P, p[o1] P", "p[o0] P", Code.CASE_FEWER,
         ("t/s.py::p had 2 cases at the base and has 1 at the tip; their ids carry only a position, so nobody can say which "
         "are gone.")),
        ("a P", "a X", Code.CASE_SKIPPED, "t/s.py::a ran at the base (passed 1 of 1) and is expected to fail at the tip."),
        ("t/m.py::x P", "t/m.py M", Code.CASE_SKIPPED,
         "t/m.py::x ran at the base (passed 1 of 1), and t/m.py skips itself at the tip."),
        ("a P", "a E", Code.CASE_RED, "t/s.py::a passed 1 of 1 at the base and ended in an error at the tip."),
        ("a P 5/5", "a F 4/5", Code.CASE_RED, "t/s.py::a passed 5 of 5 at the base and passed 4 of 5 at the tip."),
        ("a P", "a P, 3 R", Code.CASE_RED,
         "The command ended with exit code 3 at the tip although no case is red, and not so at the base."),
        ("a P", "a P, hook U", Code.CASE_RED,
         "t/s.py::hook ended in an error outside every case at the tip and did not at the base."),
        ("t/m.py::x P", "t/m.py::x P, t/m.py C", Code.CASE_RED,
         "t/m.py as a whole ended in an error at the tip and did not at the base."),
        ("".join(f"t/m.py::x{i} P, " for i in range(5)), "t/m.py C", Code.COLLECTION_ERROR,
         ("t/m.py does not load at the tip, so 5 of the base's cases did not run: t/m.py::x0, t/m.py::x1, t/m.py::x2 and 2 "
         "more.")),
        ([run("a F", 3)], "a F", Code.STILL_RED,
         "t/s.py::a is red at the tip and was green in no run of the base (last red there 3 h ago)."),
        ("a S", "a F", Code.UNSKIPPED_RED, "t/s.py::a was skipped at the base; it runs now and is red."),
        ("a P", "a P 2/3", Code.FLAKY, "t/s.py::a passed 2 of 3 attempts."),
        ("a P", [run("a F", 2), run("a P", 1)], Code.FLAKY, "t/s.py::a passed 1 of 2 runs on this tree."),
        ("a P", [run("a F", 2), run("a P 1/2", 1)], Code.FLAKY, "t/s.py::a passed 1 of 3 samples on this tree."),
        ([run("a P", 72), run("a F", 2, id="5" * 32)], "a F", Code.CLEARED,
         "t/s.py::a is red at the tip and was red at the base as well, measured 2 h ago (run 555555555555)."),
        ([run("a P, b P", 3), run("a P", 2, id="5" * 32)], "a P, b P", Code.RUN_SET_ASIDE,
         ("A run of the base (run 555555555555) lists 1 case where an older one of the same tree lists 2; the union of both "
         "counts.")),
        ([run("a P", conditions=UNLIKE)], [run("a P", conditions=LIKE)], Code.CONDITIONS_DIFFER,
         "Base and tip were measured under different conditions: harness version 7, then 8."),
        ([run("a P", 72), run("a F", -1)], "a F", Code.CLOCK_SUSPECT,
         ("A run of the base shows t/s.py::a red as well, but its time lies in the future, so it clears nothing; set the "
         "clock right and measure the base again.")),
        ("a P", "a P, b E", Code.NEW_RED, "t/s.py::b is new and ended in an error."),
    ],
)  # fmt: skip
def test_sentences(base: object, tip: object, code: Code, message: str) -> None:
    assert only(compare(base, tip), code).message == message  # type: ignore[arg-type]


def test_a_red_names_the_command_that_measures_the_base_of_its_variant() -> None:
    question = reduction.Question(Suite("unit"), "py312", runs("a P"), runs("a F"), NOW, base_name="0123456789ab")
    (finding,) = reduction.compare(question).findings
    assert finding.variant == "py312"
    assert finding.next_step.endswith("shipmoor-hooks run --suite unit --variant py312 --at 0123456789ab")


# ---------------------------------------------------------------- n of N, and what may be named


@pytest.mark.parametrize(
    ("base", "tip", "want"),
    [
        pytest.param("a P, b F, c S", "a P, b P, c S", ("1 of 3", "2 of 3"), id="passed of all"),
        pytest.param([run("a P, b P", 2), run("a P", 1)], "a P", ("1 of 2", "1 of 1"), id="the newest of the union"),
        pytest.param("a P, t/m.py C", "a P, 3 R", ("1 of 2", "1 of 1"), id="a file counts, an exit code does not"),
        pytest.param("a P, hook U", "a P, hook U", ("1 of 2", "1 of 2"), id="a failure outside every case counts"),
        pytest.param("a P, b X", "a P, b X", ("1 of 2", "1 of 2"), id="expected to fail has not passed"),
    ],
)
def test_counts(base: object, tip: object, want: tuple[str, str]) -> None:
    count = compare(base, tip).count  # type: ignore[arg-type]
    assert (str(count.base), str(count.tip)) == want


def test_a_rename_may_only_name_what_ran_at_the_tip_and_is_new() -> None:
    result = compare("a P", "a P, b P, c F, d S, t/n.py C, hook U")
    assert result.new_at_tip == {"t/s.py::b", "t/s.py::c"}
    assert {"t/s.py::a", "t/s.py::d", "t/n.py", "t/s.py::hook"} <= known_of(result)


def test_reduced_is_what_is_there_also_when_it_is_disclosed() -> None:
    assert not is_reduced(compare("a P", "a P, b F").findings)
    assert is_reduced(compare("a P, b P", "a P").findings)


# ---------------------------------------------------------------- conditions that must be equal


def model(name: str) -> dict[str, tuple[tuple[str, str], ...]]:
    return {"conditions": (("model", name),)}


def test_without_conditions_that_must_be_equal_every_run_fits() -> None:
    base, tip = runs([run("a P", **model("x"))]), runs([run("a P", **model("y"))])
    assert comparable(base, tip, ()) == (base, tip, [])


def test_not_comparable_tells_both_values_and_one_command() -> None:
    base, tip, (finding,) = comparable(
        [run("a P", **model("x"))], [run("a P", variant="v", **model("y"))], ("model",), "abc"
    )
    assert (base, tip, finding.code) == ((), (), Code.NOT_COMPARABLE)
    assert finding.message == "Base and tip of unit were not measured under the same conditions: model x, then y."
    assert finding.next_step == "shipmoor-hooks run --suite unit --variant v --at abc"


def test_only_runs_under_the_conditions_of_the_tip_are_compared() -> None:
    old, fitting = run("a P", 3, **model("x")), run("a P", 4, **model("y"))
    tip, other = run("a P", 1, **model("y")), run("a P", 2, **model("x"))
    assert comparable([old, fitting], [other, tip], ("model",)) == ((fitting,), (tip,), [])


def test_a_newer_run_under_other_conditions_does_not_hide_an_answer() -> None:
    base, old, newest = (
        run("a P", 3, **model("x")),
        run("a F", 2, **model("x")),
        run("a P", 1, id="9" * 32, **model("y")),
    )
    bases, tips, (note,) = comparable([base], [old, newest], ("model",))
    assert (bases, tips, note.code) == ((base,), (old,), Code.RUN_SET_ASIDE)
    assert note.message == (
        "The newest run at the tip (run 999999999999) was measured under conditions that no run of the base has, so an older "
        "one was compared: model x, then y."
    )


def test_an_unknown_value_is_comparable() -> None:
    base, tip = (run("a P"),), (run("a P", **model("y")),)
    assert comparable(base, tip, ("model",)) == (base, tip, [])


def test_the_world_of_these_tests_is_what_it_says() -> None:
    made = run("a 2*P, t/m.py C, hook U, 3 R", 2)
    assert [(c.id, c.outcome, c.count, c.kind, c.covers) for c in made.cases] == [
        ("<run>::exit 3", Outcome.FAILED, 1, RecordKind.RUN, ""),
        ("t/m.py", Outcome.ERROR, 1, RecordKind.FILE, "t/m.py::"),
        ("t/s.py::a", Outcome.PASSED, 2, RecordKind.CASE, ""),
        ("t/s.py::hook", Outcome.ERROR, 1, RecordKind.SUITE, ""),
    ]
    assert made.started == NOW - 2 * HOUR
    assert made.count == Count(1, 3)
