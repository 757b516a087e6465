"""What is told of one run of evals beside its cases: n of N, graders, score, children, time, list price. Pure.

A cost is always called what it is: the program's estimate by list price, which on a subscription nobody is billed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shipmoor_hooks.enumeration import some
from shipmoor_hooks.eval_model import EvalCase, EvalRun
from shipmoor_hooks.model import Count, RecordKind, Run
from shipmoor_hooks.rules.eval_wording import graders as told_graders

PRICE = "list-price estimate"
_SHOWN = 3


def rows(run: Run, not_covered: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Name and value, a line each; [] for a run that is none of evals."""
    evals = run.evals
    if evals is None:
        return []
    found = [
        ("cases", f"{run.count} passed{' (asked for single cases)' if evals.alone else ''}"),
        ("graders", f"{graders(evals)} passed"),
        ("overall score", _score(evals)),
        ("children", f"{evals.children} ({len(evals.cases)} cases × samples × arms)"),
        ("wall time", _time(run)),
        ("cost", f"{money(evals.cost)} ({PRICE})"),
    ]
    found += [("program's n", text) for text in differences(run)]
    found += [("red", text) for text in reds(evals)]
    found += [("no sample", text) for text in invalid(evals)]
    found += [("missing", f"{name}: {why}") for name, why in evals.missing]
    found += [("first run", f"{c.id}: its expectation was not in HEAD") for c in evals.cases if c.registered is False]
    return found + [("not covered", text) for text in not_covered]


def block_json(run: Run, not_covered: Sequence[str] = ()) -> dict[str, Any] | None:
    """The same as fields; None for a run that is none of evals. Seconds, and US dollars by list price."""
    evals = run.evals
    if evals is None:
        return None
    counted = graders(evals)
    return {
        "program": evals.program,
        "program_version": evals.program_version,
        "alone": evals.alone,
        "graders": {"passed": counted.passed, "of": counted.of},
        "overall_score": overall(evals),
        "threshold": evals.threshold,
        "children": evals.children,
        "wall_seconds": None if run.finished is None else round(run.finished - run.started, 3),
        "duration_seconds": evals.seconds,
        "cost": {"usd": evals.cost, "what": PRICE},
        "program_count": {"passed": evals.program_passed, "of": evals.program_total},
        "differs": differences(run),
        "missing": [{"folder": name, "reason": why} for name, why in evals.missing],
        "not_covered": list(not_covered),
        "label": run.label,
        "cases": [_case_json(case, evals) for case in evals.cases],
    }


def _case_json(case: EvalCase, evals: EvalRun) -> dict[str, Any]:
    return {
        "case": case.id,
        "dir": case.dir,
        "expectation": case.expectation,
        "registered": case.registered,
        "runs_asked": case.required,
        "samples": [
            {
                "green": sample.is_green(evals.threshold),
                "valid": sample.is_valid,
                "why": sample.invalid,
                "score": sample.our_score(),
                "fell": [g.name for g in sample.scored if not g.passed],
                "held": [g.name for g in sample.scored if g.passed],
                "seconds": sample.seconds,
                "cost": sample.cost,
                "trace": sample.trace,
            }
            for sample in case.samples
        ],
    }


def graders(evals: EvalRun) -> Count:
    """Graders that passed, of all that were graded and scored, over the valid samples."""
    seen = [g for case in evals.cases for sample in case.valid for g in sample.scored]
    return Count(sum(bool(g.passed) for g in seen), len(seen))


def overall(evals: EvalRun) -> float | None:
    """The mean of the cases' scores, a case's score being the mean of its valid samples; None where a case has none."""
    scores = []
    for case in evals.cases:
        own = [sample.our_score() for sample in case.valid]
        known = [score for score in own if score is not None]
        if not known or len(known) < len(own):
            return None
        scores.append(sum(known) / len(known))
    return sum(scores) / len(scores) if scores else None


def _score(evals: EvalRun) -> str:
    score = overall(evals)
    return "not known" if score is None else f"{score:.3f} (mean of the case scores)"


def _time(run: Run) -> str:
    own = f"{run.finished - run.started:.0f} s" if run.finished is not None else "not seen"
    said = run.evals.seconds if run.evals else None
    return own + (f" (the program says {said:g} s)" if said is not None else "")


def money(amount: float | None) -> str:
    """`$1.67`; small amounts keep what there is of them."""
    if amount is None:
        return "not known"
    return f"${amount:.2f}" if amount >= 0.1 or amount == 0 else f"${amount:.4f}"


def reds(evals: EvalRun) -> list[str]:
    """Each red sample with its graders, `plan, sample 2: 2 of 3; fell: project-required; held: no-agent, no-write`."""
    return [
        f"{case.id}{_place(case, number)}: {told_graders(sample)}"
        for case in evals.cases
        for number, sample in enumerate(case.samples, 1)
        if sample.is_valid and not sample.is_green(evals.threshold)
    ]


def invalid(evals: EvalRun) -> list[str]:
    """Each sample that measured nothing, with the reason."""
    return [
        f"{case.id}{_place(case, number)}: {sample.invalid}"
        for case in evals.cases
        for number, sample in enumerate(case.samples, 1)
        if not sample.is_valid
    ]


def _place(case: EvalCase, number: int) -> str:
    return f", sample {number}" if len(case.samples) > 1 else ""


def differences(run: Run) -> list[str]:
    """Why our n of N is not the program's; [] where it is."""
    evals = run.evals
    ours = Count(run.count.passed, run.count.of)
    if evals is None or evals.program_passed is None or evals.program_total is None:
        return []
    theirs = Count(evals.program_passed, evals.program_total)
    if ours == theirs:
        return []
    why = [text for case in evals.cases if (text := _why(case, evals))]
    cases = sum(c.kind is RecordKind.CASE for c in run.cases)
    if cases != len(evals.cases):
        why.append(f"{len(evals.cases)} cases share {cases} names")
    return [f"{theirs}, ours {ours}: {some(why, _SHOWN, '; ')}" if why else f"{theirs}, ours {ours}"]


def _why(case: EvalCase, evals: EvalRun) -> str:
    """Why we and the program differ about one case; "" where we do not."""
    greens = [sample.is_green(evals.threshold) for sample in case.valid]
    ours = bool(greens) and all(greens)
    theirs = case.score is not None and case.score >= evals.threshold
    if ours == theirs:
        return ""
    if len(case.valid) < len(case.samples):
        dropped = next(s.invalid for s in case.samples if not s.is_valid)
        return f"{case.id} has {len(case.valid)} valid of {len(case.samples)} samples ({dropped})"
    if ours:
        return f"the program calls {case.id} red, though every grader of it passed"
    if evals.threshold <= 0:
        return f"a threshold of {evals.threshold:g} lets {case.id} pass whatever its graders say"
    if any(greens):
        return f"the program takes the mean of {case.id}'s samples, and {greens.count(False)} of {len(greens)} is red"
    return f"the score of {case.id} does not show the grader that fell"
