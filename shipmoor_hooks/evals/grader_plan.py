"""How a grader looks at recorded runs: what it asks of the engine about them, and how it reads what is told. Pure.

A plan is for many recordings at once, so that a run costs no object. Unknown is never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.evals.definitions import Verdict
from shipmoor_hooks.evals.matching import Answer, Question, Told
from shipmoor_hooks.evals.pattern_errors import worded
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.evals.trace import Trace


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded run as graders see it; `case` is the case's name, as the program's messages have it."""

    trace: Trace
    workspace: Workspace = field(default_factory=Workspace)
    case: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """The recordings that some graders look at. `texts` has, by the name of a target, its text in each of them, or the verdict
    where there is none: graders share targets, and each is looked for once."""

    recordings: Sequence[Recording]
    texts: dict[str, list[str | Verdict]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a grader asks of the engine about some recordings, and how it reads what is told: one verdict a recording."""

    questions: Sequence[Question]
    reading: Callable[[Sequence[Sequence[Told]]], Sequence[Verdict]]


def known(verdicts: Sequence[Verdict]) -> Plan:
    """Nothing has to be asked."""
    return Plan((), lambda _: verdicts)


def unknown(why: str) -> Verdict:
    """The program would have a verdict, and we have none."""
    return Verdict(None, f"not graded: {why}")


def threw(why: str) -> Verdict:
    """The program has none either, which counts as a failure."""
    return Verdict(False, f"grader threw: {why}")


def no_number(told: Answer, pattern: str) -> Verdict:
    """The verdict where the engine has no answer, or where the pattern is none."""
    return threw(worded(told.threw, pattern)) if told.threw else unknown(told.unknown)
