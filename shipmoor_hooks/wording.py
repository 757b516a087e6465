"""The sentences of the verdict: what happened, why, and the way out, one function a finding. Pure (design, sections 3, 9).

Lines to paste are added by `verdict`, which knows what words can disclose; here stands the first way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shipmoor_hooks.model import Code, Count, Finding, Outcome, Run
from shipmoor_hooks.pairing import Fewer
from shipmoor_hooks.standing import BaseCase, TipCase

if TYPE_CHECKING:
    from shipmoor_hooks.reduction import Question

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
        f"{base.id} stands at the base ({state}) and is not among the {number} cases at the tip.",
        "Restore the case.",
        case=base.id,
        base=base.total,
    )


def fewer_positions(few: Fewer) -> Finding:
    return Finding(
        Code.CASE_FEWER,
        f"{few.id} had {few.base} cases at the base and has {few.tip} at the tip; their ids carry only a position, so "
        "nobody can say which are gone.",
        "Restore the cases, or give the parameters ids of their own.",
        case=few.id,
        base=Count(few.base, few.base),
        tip=Count(few.tip, few.tip),
    )


def fewer_records(base: BaseCase, tip: TipCase) -> Finding:
    return Finding(
        Code.CASE_FEWER,
        f"{base.id} stood {base.count} times at the base and stands {tip.count} times at the tip.",
        "Restore the cases that share this id.",
        case=base.id,
        base=base.total,
        tip=tip.total,
    )


def does_not_load(record: TipCase, ids: Sequence[str]) -> Finding:
    first = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    return Finding(
        Code.COLLECTION_ERROR,
        f"{record.id} does not load at the tip, so {len(ids)} of the base's cases did not run: {first}.",
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
    before = f"passed {base} at the base" if base else "was not red at the base"
    now = f"passed {tip.total} at the tip" if tip.total.of > 1 else f"{_PAST[tip.outcome]} at the tip"
    return Finding(
        Code.CASE_RED,
        f"{tip.id} {before} and {now}.",
        "Make it pass, then run the suite again. If the base is red too, measure it: "
        f"shipmoor-hooks run --suite {question.suite.name} --at {question.base_name}",
        case=tip.id,
        base=base,
        tip=tip.total,
    )


def clock_suspect(tip: TipCase, question: Question) -> Finding:
    return Finding(
        Code.CLOCK_SUSPECT,
        f"a run of the base shows {tip.id} red too, but its time lies in the future, so it clears nothing.",
        f"set the clock right, then: shipmoor-hooks run --suite {question.suite.name} --at {question.base_name}",
        case=tip.id,
    )


def cleared(tip: TipCase, base: Count | None, run: Run, age: float) -> Finding:
    return Finding(
        Code.CLEARED,
        f"{tip.id} is red at the tip and was red at the base as well, measured {ago(age)} (run {run.id[:12]}).",
        case=tip.id,
        base=base,
        tip=tip.total,
    )


def still_red(base: BaseCase, tip: TipCase, age: float) -> Finding:
    return Finding(
        Code.STILL_RED,
        f"{tip.id} is red at the tip and was red in every run of the base (the newest {ago(age)}).",
        case=tip.id,
        base=base.total,
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
    where = "runs on this tree" if tip.runs > 1 else "attempts"
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
        f"{base.id} is {tip.id} now: git sees its file renamed.",
        case=tip.id,
        base=base.total,
        tip=tip.total,
    )


def added(case: TipCase) -> Finding:
    return Finding(Code.CASE_ADDED, f"{case.id} is new and {_PAST[case.outcome]}.", case=case.id, tip=case.total)


def new_red(case: TipCase) -> Finding:
    return Finding(Code.NEW_RED, f"{case.id} is new and {_PAST[case.outcome]}.", case=case.id, tip=case.total)


def conditions_differ(name: str, base: str, tip: str) -> Finding:
    return Finding(
        Code.CONDITIONS_DIFFER, f"the runs were measured under different conditions: {name} {base}, then {tip}."
    )


def not_comparable(rows: Sequence[tuple[str, str, str]], tip: Run, base_name: str) -> Finding:
    told = "; ".join(f"{name} {base}, then {after}" for name, base, after in rows)
    return Finding(
        Code.NOT_COMPARABLE,
        f"base and tip of {tip.suite} were not measured under the same conditions: {told}.",
        f"shipmoor-hooks run --suite {tip.suite} --at {base_name}",
    )


def smaller_run(run: Run, largest: int) -> Finding:
    return Finding(
        Code.RUN_SET_ASIDE,
        f"a run of the base lists {run.count.of} cases where an older one of the same tree lists {largest} (run "
        f"{run.id[:12]}); the larger inventory counts.",
    )


def ago(seconds: float) -> str:
    """An age in words: `4 min ago`."""
    if seconds < 90:
        return "just now" if seconds < 10 else f"{int(seconds)} s ago"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min ago"
    if seconds < 36 * 3600:
        return f"{round(seconds / 3600)} h ago"
    return f"{round(seconds / 86400)} days ago"
