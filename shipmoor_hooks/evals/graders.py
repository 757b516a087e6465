"""What each grader says of a recorded run, as `claude plugin eval` says it (design, section 8).

Pure: patterns are tried by an `Engine`. All graders of all runs are asked of it together, so that a long trace travels once.
Unknown is never a verdict: what could not be matched, was not kept, or needs a judge has `passed` None and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shipmoor_hooks.evals import globs
from shipmoor_hooks.evals.definitions import BASELINE, FILE_EXISTS, LLM, REGEX, TOOL_ORDER, TOOL_USED, Grader, Verdict
from shipmoor_hooks.evals.grader_plan import Plan, Seen, known, unknown
from shipmoor_hooks.evals.grader_plan import Recording as Recording
from shipmoor_hooks.evals.matching import Engine
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.evals.regex_grader import regex
from shipmoor_hooks.evals.tool_graders import tool_order, tool_used

NEEDS_JUDGE = "needs a judge"


def grade(engine: Engine, graders: Sequence[Grader], recording: Recording) -> tuple[Verdict, ...]:
    """One verdict a grader, in order."""
    return grade_many(engine, [(graders, recording)])[0]


def grade_many(engine: Engine, rows: Sequence[tuple[Sequence[Grader], Recording]]) -> list[tuple[Verdict, ...]]:
    """The verdicts of several recordings, each under its own graders, asked of the engine together."""
    verdicts: list[tuple[Verdict, ...]] = [()] * len(rows)
    alike: dict[int, list[int]] = {}  # rows by the identity of their graders, which most of them share
    for place, (graders, recording) in enumerate(rows):
        if recording.trace.unmeasured:
            verdicts[place] = (unknown(recording.trace.unmeasured),) * len(graders)
        elif graders:
            alike.setdefault(id(graders), []).append(place)
    plans = []
    for places in alike.values():
        seen = Seen([rows[place][1] for place in places])
        plans.append([_PLANNED[grader.type](grader, seen) for grader in rows[places[0]][0]])
    told = iter(engine.each([question for group in plans for plan in group for question in plan.questions]))
    for places, group in zip(alike.values(), plans, strict=True):
        by_grader = [plan.reading([next(told) for _ in plan.questions]) for plan in group]
        for place, row in zip(places, zip(*by_grader, strict=True), strict=True):
            verdicts[place] = row
    return verdicts


def focus_paths(graders: Sequence[Grader]) -> tuple[str, ...]:
    """The paths of the workspace that graders read, as they name them, each once."""
    targets = (g.config.get("focus" if g.type == LLM else "target") for g in graders if g.type in (REGEX, LLM))
    return tuple(dict.fromkeys(str(t["path"]) for t in targets if isinstance(t, Mapping)))


def _file_exists(grader: Grader, seen: Seen) -> Plan:
    path, wanted = str(grader.config["path"]), grader.config.get("exists", True) is True
    return known([_there(path, wanted, recording.workspace) for recording in seen.recordings])


def _there(path: str, wanted: bool, workspace: Workspace) -> Verdict:
    if workspace.created is None:
        return unknown("which files the run created is not known")
    there = any(globs.matches(path, name) for name in globs.candidates(workspace.created))
    if wanted:
        return Verdict(there, f"{path} exists as expected" if there else f"{path} missing (expected present)")
    return Verdict(not there, f"{path} exists (expected absent)" if there else f"{path} absent as expected")


def _judged(_grader: Grader, seen: Seen) -> Plan:
    return known([unknown(NEEDS_JUDGE)] * len(seen.recordings))


_PLANNED: dict[str, Callable[[Grader, Seen], Plan]] = {
    REGEX: regex,
    TOOL_USED: tool_used,
    TOOL_ORDER: tool_order,
    FILE_EXISTS: _file_exists,
    LLM: _judged,
    BASELINE: _judged,
}
