"""What a run of an eval suite holds beside outcomes: samples, graders' verdicts, cost (design, section 8).

Standard library only, like `model`, whose `Run` carries an `EvalRun`.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass

_INFINITE = float("inf")


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

    @property
    def scored(self) -> tuple[GraderVerdict, ...]:
        """The graders that count for the score."""
        return tuple(g for g in self.graders if g.scored)

    def our_score(self) -> float | None:
        """Weight of the passed graders of all that are scored, summed in their order as the program does.

        None where that is no number: a weight that is not finite, or none (0 stands for what the program wrote as null).
        """
        total = passed = 0.0
        for grader in self.scored:
            total += grader.weight
            passed += grader.weight if grader.passed else 0.0
        if not abs(total) < _INFINITE or not self.scored or any(g.weight <= 0 for g in self.scored):
            return None
        return passed / total

    def is_green(self, threshold: float) -> bool:
        """Whether it meets the threshold by its graders' verdicts.

        Every scored grader was graded, and the weights add up to a number. Where one fell, the score must be short of 1 (a
        weight that rounding swallows is no pass) and the threshold above 0 (which every sample meets).
        """
        score = self.our_score()
        if not self.is_valid or score is None or any(g.passed is None for g in self.scored):
            return False
        if all(g.passed for g in self.scored):
            return threshold <= 1
        return score < 1 and 0 < threshold <= score


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

    @property
    def valid(self) -> tuple[EvalSample, ...]:
        return tuple(s for s in self.samples if s.is_valid)


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


@dataclass(frozen=True, slots=True)
class EvalPlugin:
    """A plugin that was loaded, as the program names it; `path` is absolute, on the machine that measured."""

    name: str
    version: str
    path: str


@dataclass(frozen=True, slots=True)
class EvalResult:
    """One result file of the program: the run, and what it says of the place and of the selection.

    `root` is the plugin's root on the machine that measured, to which each case's `dir` is relative. `traces` holds, for each
    case of the run and each of its samples, where the trace lay ("" for none); `other_traces` those of the arm without the
    plugin. `partial` says why the program stopped early ("" where it did not), `model` and `judge` what was asked for.
    """

    run: EvalRun
    root: str
    plugins: tuple[EvalPlugin, ...] = ()
    case_filter: str = ""
    tag_filters: tuple[str, ...] = ()
    partial: str = ""
    traces: tuple[tuple[str, ...], ...] = ()
    other_traces: tuple[str, ...] = ()
    needs_judge: bool = False
