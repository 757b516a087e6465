"""The sentences of the verdict: what happened, why, and the way out, one function a finding. Pure (design, sections 3, 9).

Lines to paste are added by `verdict`, which knows what words can disclose; here stands the first way out.
"""

from __future__ import annotations

from shipmoor_hooks.ages import ago as ago
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.model import Code, Count, Finding, Outcome, RecordKind, Run
from shipmoor_hooks.rules.pairing import Fewer
from shipmoor_hooks.rules.standing import BaseCase, TipCase

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shipmoor_hooks.rules.reduction import Question

_PAST = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.ERROR: "ended in an error",
    Outcome.SKIPPED: "is skipped",
    Outcome.XFAILED: "is expected to fail",
}


def removed(base: BaseCase, number: int) -> Finding:
    state = f"passed {base.total} there" if base.ran else "skipped there"
    return Finding(
        Code.CASE_REMOVED,
        f"{base.id} stands at the base ({state}) and is not among the {several(number)} at the tip.",
        "Restore the case.",
        case=base.id,
        base=base.total,
    )


def fewer_positions(few: Fewer) -> Finding:
    return Finding(
        Code.CASE_FEWER,
        f"{few.id} had {several(few.base)} at the base and has {few.tip} at the tip; their ids carry only a position, so "
        "nobody can say which are gone.",
        "Restore the cases, or give the parameters ids of their own.",
        case=few.id,
        base=Count(few.base, few.base),
        tip=Count(few.tip, few.tip),
    )


def fewer_records(base: BaseCase, tip: TipCase) -> Finding:
    return Finding(
        Code.CASE_FEWER,
        f"{base.id} stood {several(base.count, 'time')} at the base and stands {several(tip.count, 'time')} at the tip"
        f"{_raw_names(base, tip)}.",
        "Restore the cases that share this id.",
        case=base.id,
        base=base.total,
        tip=tip.total,
    )


def _raw_names(base: BaseCase, tip: TipCase) -> str:
    """Which of several names that normalising made one are gone; nothing where all of them change with every run."""
    gone = sorted(base.raws - tip.raws) if tip.raws <= base.raws else []
    if not gone:
        return ""
    return f"; the base's report has these names of it, and the tip's does not: {_named(gone)}"


def does_not_load(record: TipCase, ids: Sequence[str]) -> Finding:
    return Finding(
        Code.COLLECTION_ERROR,
        f"{record.id} does not load at the tip, so {len(ids)} of the base's cases did not run: {_named(ids)}.",
        f"Repair {record.id} so that it loads, then run the suite again; no trailer lets a file that does not load through.",
        case=record.id,
        base=Count(len(ids), len(ids)),
        tip=Count(0, len(ids)),
    )


def file_skips_itself(base: BaseCase, record: str) -> Finding:
    return Finding(
        Code.CASE_SKIPPED,
        f"{base.id} ran at the base (passed {base.total}), and {record} skips itself at the tip.",
        "Let the file run again.",
        case=base.id,
        base=base.total,
        tip=Count(0, 1),
    )


def skipped(base: BaseCase, tip: TipCase) -> Finding:
    return Finding(
        Code.CASE_SKIPPED,
        f"{tip.id} ran at the base (passed {base.total}) and {_PAST[tip.outcome]} at the tip.",
        "Let the case run again.",
        case=tip.id,
        base=base.total,
        tip=tip.total,
    )


def red(tip: TipCase, base: Count | None, question: Question) -> Finding:
    return Finding(
        Code.CASE_RED,
        _turned_red(tip, base),
        f"Make it pass, then run the suite again. If the base is red too, measure it: {measure_base(question)}",
        case=tip.id,
        base=base,
        tip=tip.total,
    )


def _turned_red(tip: TipCase, base: Count | None) -> str:
    if tip.kind is RecordKind.RUN:
        number = tip.id.removeprefix("<run>::exit ")
        return f"The command ended with exit code {number} at the tip although no case is red, and not so at the base."
    if tip.kind is RecordKind.FILE:
        return f"{tip.id} as a whole {_PAST[tip.outcome]} at the tip and did not at the base."
    if tip.kind is RecordKind.SUITE:
        return f"{tip.id} {_PAST[tip.outcome]} outside every case at the tip and did not at the base."
    now = f"passed {tip.total} at the tip" if tip.total.of > 1 else f"{_PAST[tip.outcome]} at the tip"
    return f"{tip.id} passed {base} at the base and {now}."


def measure_base(question: Question) -> str:
    """The command that measures the base of a suite and variant."""
    leg = f" --variant {question.variant}" if question.variant else ""
    return f"shipmoor-hooks run --suite {question.suite.name}{leg} --at {question.base_name}"


def clock_suspect(tip: TipCase, question: Question) -> Finding:
    return Finding(
        Code.CLOCK_SUSPECT,
        f"A run of the base shows {tip.id} red as well, but its time lies in the future, so it clears nothing; set the "
        "clock right and measure the base again.",
        measure_base(question),
        case=tip.id,
    )


def cleared(tip: TipCase, base: Count | None, run: Run, age: float) -> Finding:
    return Finding(
        Code.CLEARED,
        f"{tip.id} is red at the tip and was red at the base as well, measured {ago(age)} (run {run.id[:12]}).",
        case=tip.id,
        base=base,
        tip=tip.total,
        runs=(run.id,),
    )


def still_red(tip: TipCase, base: Count | None, age: float) -> Finding:
    return Finding(
        Code.STILL_RED,
        f"{tip.id} is red at the tip and was green in no run of the base (last red there {ago(age)}).",
        case=tip.id,
        base=base,
        tip=tip.total,
    )


def unskipped_red(base: BaseCase, tip: TipCase) -> Finding:
    return Finding(
        Code.UNSKIPPED_RED,
        f"{tip.id} was skipped at the base; it runs now and is red.",
        case=tip.id,
        base=base.total,
        tip=tip.total,
    )


def flaky(tip: TipCase, base: BaseCase | None) -> Finding:
    where = "attempts" if tip.runs == 1 else "runs on this tree" if tip.runs == tip.total.of else "samples on this tree"
    return Finding(
        Code.FLAKY,
        f"{tip.id} passed {tip.total} {where}.",
        case=tip.id,
        base=base.total if base else None,
        tip=tip.total,
    )


def moved(base: BaseCase, tip: TipCase) -> Finding:
    return Finding(
        Code.CASE_MOVED,
        f"{base.id} is {tip.id} now: git sees that it moved.",
        case=tip.id,
        base=base.total,
        tip=tip.total,
    )


def lost_since_push(lost: Sequence[str], of: int) -> Finding:
    """`lost` are ids that a run of the branch's last pushed commit has, and neither base nor tip."""
    message = f"this branch had {_named(lost)} at its last push and has no more ({len(lost)} of {of} cases)."
    return Finding(Code.LOST_SINCE_PUSH, message)


def target_ahead(lacking: Sequence[str], of: int) -> Finding:
    """`lacking` are ids that a run of the target's present tip has, and neither base nor tip."""
    message = f"the target has {len(lacking)} of {of} cases that this tip never had: {_named(lacking)}."
    return Finding(Code.TARGET_AHEAD, message, "git merge or git rebase, then run the suite again")


def _named(ids: Sequence[str]) -> str:
    return some(ids, 3)


def added(case: TipCase) -> Finding:
    return Finding(Code.CASE_ADDED, f"{case.id} is new and {_PAST[case.outcome]}.", case=case.id, tip=case.total)


def new_red(case: TipCase) -> Finding:
    return Finding(Code.NEW_RED, f"{case.id} is new and {_PAST[case.outcome]}.", case=case.id, tip=case.total)


def conditions_differ(name: str, base: str, tip: str) -> Finding:
    return Finding(
        Code.CONDITIONS_DIFFER,
        f"Base and tip were measured under different conditions: {name} {base}, then {tip}.",
    )


def not_comparable(rows: Sequence[tuple[str, str, str]], tip: Run, base_name: str) -> Finding:
    leg = f" --variant {tip.variant}" if tip.variant else ""
    return Finding(
        Code.NOT_COMPARABLE,
        f"Base and tip of {tip.suite} were not measured under the same conditions: {_told(rows)}.",
        f"shipmoor-hooks run --suite {tip.suite}{leg} --at {base_name}",
    )


def other_conditions(run: Run, rows: Sequence[tuple[str, str, str]]) -> Finding:
    return Finding(
        Code.RUN_SET_ASIDE,
        f"The newest run at the tip (run {run.id[:12]}) was measured under conditions that no run of the base has, so an "
        f"older one was compared: {_told(rows)}.",
    )


def _told(rows: Sequence[tuple[str, str, str]]) -> str:
    return "; ".join(f"{name} {before}, then {after}" for name, before, after in rows)


def smaller_run(run: Run, largest: int) -> Finding:
    return Finding(
        Code.RUN_SET_ASIDE,
        f"A run of the base (run {run.id[:12]}) lists {several(run.count.of)} where an older one of the same tree lists "
        f"{largest}; the union of both counts.",
    )


def several(number: int, word: str = "case") -> str:
    """`1 case`, `3 cases`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
