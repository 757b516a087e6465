"""Runs of eval suites without git: `plan PPF` is a case with three samples, two green and one red; E measured nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rule_world import NOW, run

from shipmoor_hooks.eval_model import EvalCase, EvalRun, EvalSample, GraderVerdict
from shipmoor_hooks.model import Case, Code, Finding, Outcome, Problem, Run, Suite
from shipmoor_hooks.rules import conditions, eval_rules, reduction
from shipmoor_hooks.rules.eval_rules import Change, Sides
from shipmoor_hooks.rules.reduction import Question

SUITE = Suite(
    "evals",
    command=("claude", "plugin", "eval", "."),
    format="plugin-eval",
    reruns="all",
    same=("model", "tool", "threshold"),
)
GRADERS = ("says", "no-agent", "no-write")


def eval_sample(letter: str) -> EvalSample:
    graders = tuple(GraderVerdict(n, "regex", letter != "F" or i > 0) for i, n in enumerate(GRADERS))
    return EvalSample(letter == "P", 1.0, graders, invalid="timed out" if letter == "E" else "")


def eval_case(text: str, registered: bool | None = True) -> EvalCase:
    """`plan PPF` or `plan@x PPF`: the case, its expectation (e where none is named), its samples."""
    name, letters = text.split(" ")
    case_id, _, expectation = name.partition("@")
    return EvalCase(
        case_id,
        f"evals/{case_id}",
        tuple(eval_sample(letter) for letter in letters),
        expectation=expectation or "e",
        registered=registered,
        required=len(letters),
    )


def eval_run(
    text: str,
    age: float = 1.0,
    *,
    threshold: float = 1.0,
    alone: bool = False,
    registered: bool | None = True,
    tool: str = "2.1.328",
    **more: object,
) -> Run:
    """A run of these cases, separated by commas, that started `age` hours ago."""
    evals = tuple(eval_case(row, registered) for row in text.split(", "))
    cases = []
    for case in sorted(evals, key=lambda c: c.id):
        greens = [s.is_green(threshold) for s in case.valid]
        outcome = Outcome.PASSED if greens and all(greens) else Outcome.FAILED if greens else Outcome.ERROR
        cases.append(Case(case.id, outcome, 1, sum(greens), max(1, len(greens))))
    given = {
        "suite": "evals",
        "conditions": (("threshold", f"{threshold:g}"), ("tool", tool)),
        "problems": (Problem(Code.RUN_PARTIAL, "a selection"),) if alone else (),
        "tree": "b" * 40,
        "cases": tuple(cases),
        "evals": EvalRun(evals, threshold=threshold, alone=alone),
    }
    return run("", age, **{**given, **more})


def judge(
    base: Sequence[Run],
    tip: Sequence[Run],
    changes: dict[str, Change] | None = None,
    alone: Sequence[Run] = (),
    suite: Suite = SUITE,
) -> list[Finding]:
    """The findings of both rule books, as the gate puts them together."""
    base, tip, notes = conditions.comparable(base, tip, suite.same)
    if not base:
        return list(notes)
    result = reduction.compare(Question(suite, None, tuple(base), tuple(tip), NOW, alone=tuple(alone)))
    sides = Sides(base, tip, suite.command, suite.reruns)
    return [*notes, *result.findings, *eval_rules.judged(sides, changes or {})]


def told(findings: Sequence[Finding]) -> list[str]:
    return sorted(f"{f.code.value} {f.case or ''}".strip() for f in findings)
