"""`[suite.NAME.require]`: what every case of an eval suite must hold (design, section 8). Pure."""

from __future__ import annotations

from collections.abc import Iterator

from shipmoor_hooks.evals.check.finding import CheckFinding
from shipmoor_hooks.evals.definitions import BASELINE, LLM, CaseDefinition
from shipmoor_hooks.model import CaseRules

RULES = {
    "required-grader": "a grader that the policy asks of every case is not there",
    "judge": "a judge grades, and the policy says judge = false",
    "max-seconds": "a case may take longer than the policy says",
}


def required(case: CaseDefinition, rules: CaseRules) -> Iterator[CheckFinding]:
    names = {g.name for g in case.graders}
    for name in rules.graders:
        if name not in names:
            said = f"it has no grader {name!r}, which the policy asks of every case"
            yield CheckFinding("required-grader", case.dir, said, name, f"add the grader {name}")
    for when, also in rules.pairs:
        if when in names and also not in names:
            said = f"it has no grader {also!r}, which the policy asks for beside {when!r}"
            yield CheckFinding("required-grader", case.dir, said, also, f"add the grader {also}")
    for grader in case.graders:
        if rules.judge is False and grader.type in (LLM, BASELINE):
            said = f"it is graded by a judge ({grader.type}), and the policy says judge = false"
            yield CheckFinding("judge", case.dir, said, grader.name, "grade by a pattern, a tool call or a file")
    if rules.max_seconds is not None and case.timeout_seconds > rules.max_seconds:
        said = f"timeout_seconds is {case.timeout_seconds}, and the policy allows {rules.max_seconds:g}"
        yield CheckFinding(
            "max-seconds", case.dir, said, way_out=f"set timeout_seconds to {rules.max_seconds:g} or less"
        )
