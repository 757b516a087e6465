"""Lints of graders that count tool calls: what they can and cannot see of a run. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from shipmoor_hooks.evals.check.finding import BUILT_IN, SHELLS, WRITERS, CheckFinding, Surroundings, bare
from shipmoor_hooks.evals.definitions import FILE_EXISTS, REGEX, TOOL_ORDER, TOOL_USED, CaseDefinition, Grader

RULES = {
    "tool-name": "a tool is named that the trace never holds (`Task` for `Agent`, `bash` for `Bash`)",
    "tool-not-granted": "a call is asked for that the agent cannot make",
    "guard-not-granted": "a forbidden tool is not granted, so the guard measures a missing permission",
    "max-below-min": "`max` lies below `min` (`max: 0` alone leaves `min` at 1), so the grader never passes",
    "no-write-by-shell": "`Write` is forbidden, a shell is granted, and no grader looks for writing by the shell",
    "order-of-itself": "`before` and `after` are the same call",
    "absence-not-measured": "a file must not be made, and the agent has no tool that makes files",
}


def tool_names(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    """Names are exact: nothing else is counted."""
    for grader, tool in _named(case):
        if tool in BUILT_IN or tool.startswith("mcp__"):
            continue
        if tool == "Task":
            meant = "Agent"
        else:
            lower = {name.lower(): name for name in BUILT_IN}
            near = difflib.get_close_matches(bare(tool).lower(), lower, n=1, cutoff=0.75)
            if not near:
                continue
            meant = lower[near[0]]
        yield CheckFinding(
            "tool-name", case.dir, f"no call is ever named {tool!r}", grader.name, f"did you mean {meant}?"
        )


def tools_granted(case: CaseDefinition, around: Surroundings) -> Iterator[CheckFinding]:
    granted = around.granted(case)
    for grader, tool in _named(case):
        if tool in granted or tool not in BUILT_IN:
            continue
        if grader.type == TOOL_USED and is_negative(grader):
            yield CheckFinding(
                "guard-not-granted", case.dir,
                f"{tool} is not granted, so the grader passes for want of permission, whatever the agent would do",
                grader.name, _grant(case, around, tool),
            )  # fmt: skip
        elif grader.type == TOOL_ORDER or minimum(grader) > 0:
            yield CheckFinding(
                "tool-not-granted", case.dir, f"{tool} is not granted, so only a refused call could be counted",
                grader.name, _grant(case, around, tool),
            )  # fmt: skip


def _grant(case: CaseDefinition, around: Surroundings, tool: str) -> str:
    if tool not in {bare(t) for t in case.allowed_tools}:
        return f"list {tool} in allowed_tools"
    return f"grant it with --allow-tools {tool}" if around.grants is not None else "take it out of disallowed_tools"


def bounds(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    for grader in case.graders:
        most = grader.config.get("max")
        if grader.type == TOOL_USED and isinstance(most, int) and most < minimum(grader):
            yield CheckFinding(
                "max-below-min", case.dir, f"it expects {minimum(grader)}..{most} calls, which no run has", grader.name,
                "write min: 0 beside max: 0" if "min" not in grader.config and not most else "raise max or lower min",
            )  # fmt: skip


def writes_by_shell(case: CaseDefinition, around: Surroundings) -> Iterator[CheckFinding]:
    """A guard on Write sees the Write tool alone; a redirect in a shell slips past."""
    shells = [tool for tool in SHELLS if tool in around.granted(case)]
    guarded = {g.config.get("tool") for g in case.graders if g.type == TOOL_USED and is_negative(g)}
    absent = any(g.type == FILE_EXISTS and g.config.get("exists") is False for g in case.graders)
    for grader in case.graders:
        if grader.type != TOOL_USED or grader.config.get("tool") != "Write" or not is_negative(grader) or absent:
            continue
        for shell in shells:
            if shell not in guarded:
                yield CheckFinding(
                    "no-write-by-shell", case.dir, f"{shell} is granted, and a redirect in it writes unseen", grader.name,
                    f"add a grader that forbids writing {shell} calls (redirect, tee, touch, cp, mv, rm, sed -i)",
                )  # fmt: skip


def orders(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    for grader in case.graders:
        if grader.type == TOOL_ORDER and _call(grader.config["before"]) == _call(grader.config["after"]):
            yield CheckFinding(
                "order-of-itself", case.dir, "the first call of a tool never comes before itself", grader.name,
                "tell the calls apart by input_match",
            )  # fmt: skip


def absences(case: CaseDefinition, around: Surroundings) -> Iterator[CheckFinding]:
    granted = around.granted(case)
    for grader in case.graders:
        absent = grader.type == FILE_EXISTS and grader.config.get("exists") is False
        if absent and not granted.intersection(WRITERS) and "Agent" not in granted:
            yield CheckFinding(
                "absence-not-measured", case.dir, "no tool that writes is granted, so the file is absent in any case",
                grader.name, "grant Write (or Bash), so that the grader measures a refusal",
            )  # fmt: skip


def is_negative(grader: Grader) -> bool:
    """Whether a run that does nothing at all passes the grader."""
    if grader.type == REGEX:
        match = str(grader.config.get("match", "contains"))
        return match == "not_contains" or (match.startswith("count:") and int(match[6:]) == 0)
    if grader.type == TOOL_USED:
        return minimum(grader) == 0
    return grader.type == FILE_EXISTS and grader.config.get("exists") is False


def minimum(grader: Grader) -> int:
    least = grader.config.get("min", 1)
    return least if isinstance(least, int) else 1


def _named(case: CaseDefinition) -> Iterator[tuple[Grader, str]]:
    for grader in case.graders:
        if grader.type == TOOL_USED:
            yield grader, str(grader.config["tool"])
        if grader.type == TOOL_ORDER:
            yield grader, _call(grader.config["before"])[0]
            yield grader, _call(grader.config["after"])[0]


def _call(value: object) -> tuple[str, object]:
    if isinstance(value, dict):
        return str(value.get("tool")), value.get("input_match")
    return str(value), None
