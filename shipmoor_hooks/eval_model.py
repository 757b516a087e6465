"""What a run of an eval suite holds beside outcomes: samples, graders' verdicts, cost (design, section 8).

Standard library only, like `model`, whose `Run` carries an `EvalRun`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GraderVerdict:
    """What one grader said of one sample; `passed` is None where it was not graded, `scored` False where it has no weight."""

    name: str
    type: str
    passed: bool | None
    weight: float = 1.0
    scored: bool = True


@dataclass(frozen=True, slots=True)
class EvalSample:
    """One sample of an eval case. `passed` and `score` are what the program says; `invalid` is our sentence why it measures
    nothing ("" where it does). Seconds and list-price US dollars; `trace` is the SHA-256 of its trace ("" when none is kept).
    """

    passed: bool
    score: float | None
    graders: tuple[GraderVerdict, ...] = ()
    invalid: str = ""
    started: float | None = None
    seconds: float | None = None
    cost: float | None = None
    turns: int = 0
    trace: str = ""

    @property
    def is_valid(self) -> bool:
        return not self.invalid


@dataclass(frozen=True, slots=True)
class EvalCase:
    """The eval side of one case of a run; `id` is the id of its `Case`.

    `expectation` names the tree of the case's folder as it ran, `registered` says whether HEAD held that very tree when the
    run started (None: not known). `score` is the mean of its samples as the program has it; `required` the declared `runs`.
    """

    id: str
    dir: str
    samples: tuple[EvalSample, ...]
    expectation: str | None = None
    registered: bool | None = None
    score: float | None = None
    required: int | None = None


@dataclass(frozen=True, slots=True)
class EvalRun:
    """What a run of an eval suite has beside outcomes. Costs are list-price estimates in US dollars, times seconds.

    `missing` names the cases of the tree's eval folder that the result does not hold, with the reason. `alone` is set where
    the run was asked for single cases. `program_passed` is the program's own count where it differs from ours in rule.
    """

    cases: tuple[EvalCase, ...] = ()
    program: str = ""
    program_version: str = ""
    model: str = ""
    judge: str = ""
    threshold: float = 1.0
    ablation: str = ""
    program_passed: int | None = None
    program_total: int | None = None
    overall_score: float | None = None
    seconds: float | None = None
    cost: float | None = None
    children: int = 0
    missing: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    label: str = ""
