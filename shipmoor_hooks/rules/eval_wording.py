"""The sentences about eval cases: what changed in an expectation, which graders fell, what clears. Pure (design, section 3)."""

from __future__ import annotations

from shipmoor_hooks.eval_model import EvalCase, EvalSample
from shipmoor_hooks.model import Code, Count, Finding, Run

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHOWN = 3


def weakened(case_id: str, parts: Sequence[str], record: str) -> Finding:
    """`record` says what is missing besides words; "" where a trailer is enough."""
    return Finding(
        Code.EXPECTATION_WEAKENED,
        f"{case_id} does not ask what it asked at the base: {'; '.join(parts)}."
        + (f" Words alone do not disclose that: {record}." if record else ""),
        "Restore the expectation.",
        case=case_id,
        record=record,
    )


def samples_fewer(case_id: str, took: int, takes: int, asked: str) -> Finding:
    declared = f" ({asked})" if asked else ""
    return Finding(
        Code.SAMPLES_FEWER,
        f"One run took {took} valid samples of {case_id} at the base and takes {takes} at the tip{declared}.",
        "Take as many samples as at the base, then run the suite again.",
        case=case_id,
    )


def runs_fewer(case_id: str, asked: str) -> Finding:
    return Finding(
        Code.SAMPLES_FEWER,
        f"{case_id} asks for fewer runs than at the base: {asked}.",
        "Restore the number of runs.",
        case=case_id,
    )


def unregistered(case_id: str) -> Finding:
    return Finding(
        Code.CASE_UNREGISTERED,
        f"{case_id} first ran before what it expects was in HEAD, so nobody can tell the expectation from the result.",
        "Commit the case first, then run it; one that has run needs a changed expectation for a first run of its own.",
        case=case_id,
    )


def expectation_note(case_id: str, what: str) -> Finding:
    return Finding(Code.EXPECTATION_CHANGED, f"{case_id} asks otherwise than at the base: {what}.", case=case_id)


def base_samples(case_id: str, full: Iterable[Run], alone: Iterable[Run]) -> str:
    """`base red 1 of 6 today; full 0 of 1, alone 1 of 5`: every valid sample of the window, so that looking for red is seen."""
    in_full, in_alone = _reds(case_id, full), _reds(case_id, alone)
    both = Count(in_full.passed + in_alone.passed, in_full.of + in_alone.of)
    return f"base red {both} today; full {in_full}, alone {in_alone}"


def _reds(case_id: str, runs: Iterable[Run]) -> Count:
    red = of = 0
    for run in runs:
        for case in run.evals.cases if run.evals else ():
            if run.evals and case.id == case_id:
                of += len(case.valid)
                red += sum(not s.is_green(run.evals.threshold) for s in case.valid)
    return Count(red, of)


def fallen(cases: Iterable[tuple[EvalCase, float]]) -> str:
    """The graders of each red sample, `2 of 3; fell: project-required; held: no-agent, no-write`; equal ones once."""
    told: dict[str, int] = {}
    for case, threshold in cases:
        for sample in case.valid:
            if not sample.is_green(threshold):
                words = graders(sample)
                told[words] = told.get(words, 0) + 1
    rows = [words + (f" ({times} times)" if times > 1 else "") for words, times in told.items()]
    return " / ".join(rows[:_SHOWN]) + (f" and {len(rows) - _SHOWN} other ways" if len(rows) > _SHOWN else "")


def graders(sample: EvalSample) -> str:
    """One sample's graders: how many held, the names of those that fell, the names of those that held."""
    scored = sample.scored
    fell = [g.name for g in scored if not g.passed]
    held = [g.name for g in scored if g.passed]
    told = f"{len(held)} of {len(scored)}"
    told += f"; fell: {', '.join(fell)}" if fell else ""
    return told + (f"; held: {', '.join(held)}" if held else "")
