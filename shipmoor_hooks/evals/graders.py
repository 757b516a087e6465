"""What each grader says of a recorded run, as `claude plugin eval` says it (design, section 8).

Pure: patterns are tried by an `Engine`. All graders of a run are asked of it at once, so that a long trace travels once.
Unknown is never a verdict: what could not be matched, was not kept, or needs a judge has `passed` None and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.evals import globs
from shipmoor_hooks.evals.definitions import BASELINE, FILE_EXISTS, LLM, REGEX, TOOL_ORDER, TOOL_USED, Grader, Verdict
from shipmoor_hooks.evals.matching import Answer, Engine, Question
from shipmoor_hooks.evals.pattern_errors import worded
from shipmoor_hooks.evals.recording import FILE, MISSING, NOT_REGULAR, TOO_LARGE, FocusFile, Workspace
from shipmoor_hooks.evals.trace import ToolCall, Trace

NEEDS_JUDGE = "needs a judge"
_Reading = Callable[[Sequence[Answer]], Verdict]
_Planning = Callable[["Recording"], "_Plan"]


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded run as graders see it; `case` is the case's name, as the program's messages have it."""

    trace: Trace
    workspace: Workspace = field(default_factory=Workspace)
    case: str = ""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a grader asks of the engine, and how it reads the answers."""

    questions: tuple[Question, ...]
    reading: _Reading


def grade(engine: Engine, graders: Sequence[Grader], recording: Recording) -> tuple[Verdict, ...]:
    """One verdict a grader, in order."""
    return next(grade_many(engine, [(graders, recording)]))


def grade_many(engine: Engine, rows: Sequence[tuple[Sequence[Grader], Recording]]) -> Iterator[tuple[Verdict, ...]]:
    """The verdicts of several recordings, each under its own graders, asked of the engine together."""
    prepared: dict[int, list[_Planning]] = {}  # by the identity of the graders, which most recordings share
    plans = []
    for graders, recording in rows:
        if (plannings := prepared.get(id(graders))) is None:
            plannings = prepared[id(graders)] = [_PREPARED[grader.type](grader) for grader in graders]
        plans.append(_plans(plannings, recording))
    answers = iter(engine.ask([q for row in plans for plan in row for q in plan.questions]))
    for row in plans:
        yield tuple(plan.reading([next(answers) for _ in plan.questions]) for plan in row)


def focus_paths(graders: Sequence[Grader]) -> tuple[str, ...]:
    """The paths of the workspace that graders read, as they name them, each once."""
    targets = (g.config.get("focus" if g.type == LLM else "target") for g in graders if g.type in (REGEX, LLM))
    return tuple(dict.fromkeys(str(t["path"]) for t in targets if isinstance(t, Mapping)))


def _plans(plannings: Sequence[_Planning], recording: Recording) -> list[_Plan]:
    if recording.trace.unmeasured:
        return [_known(_unknown(recording.trace.unmeasured))] * len(plannings)
    return [planning(recording) for planning in plannings]


def _known(verdict: Verdict) -> _Plan:
    return _Plan((), lambda _: verdict)


def _unknown(why: str) -> Verdict:
    return Verdict(None, f"not graded: {why}")


def _threw(why: str) -> Verdict:
    return Verdict(False, f"grader threw: {why}")


def _no_answer(answers: Sequence[Answer], pattern: str) -> Verdict | None:
    """The verdict where the engine has none, or where the pattern is none."""
    for answer in answers:
        if answer.threw:
            return _threw(worded(answer.threw, pattern))
        if answer.unknown:
            return _unknown(answer.unknown)
    return None


# ---------------------------------------------------------------- regex


def _regex(grader: Grader) -> _Planning:
    """What does not depend on the recording is made once: a suite's graders look at thousands of them."""
    pattern, flags = str(grader.config["pattern"]), str(grader.config.get("flags", ""))
    match = str(grader.config.get("match", "contains"))
    target = grader.config.get("target", "last_message")
    text_of = _target_of(target)
    wanted = int(match.removeprefix("count:")[:18]) if match.startswith("count:") else None
    if match == "not_contains":
        found, absent = Verdict(False, "pattern found (expected absent)"), Verdict(True, "pattern absent as expected")
    else:
        found = Verdict(True, f"matched {pattern}")
        absent = Verdict(False, f"pattern not found in {_target_name(target)}")

    def reading(answers: Sequence[Answer]) -> Verdict:
        missing = _no_answer(answers, pattern)
        if missing is not None:
            return missing
        number = answers[0].counts[0]
        if wanted is not None:
            return Verdict(number == wanted, f"found {number} matches (expected {wanted})")
        return found if number else absent

    def planning(recording: Recording) -> _Plan:
        text, refused = text_of(recording)
        if refused is not None:
            return _known(refused)
        return _Plan((Question(pattern, flags, (text,), wanted is not None),), reading)

    return planning


def _target_name(target: object) -> str:
    return f"file {target['path']}" if isinstance(target, Mapping) else str(target)


def _target_of(target: object) -> Callable[[Recording], tuple[str, Verdict | None]]:
    """How to find the text that a regex looks at, or the verdict where there is none."""
    if isinstance(target, Mapping):
        path = str(target["path"])
        return lambda recording: _focus(path, recording.workspace, recording.case)
    return partial(_target, target)


def _target(target: object, recording: Recording) -> tuple[str, Verdict | None]:
    trace, workspace = recording.trace, recording.workspace
    if target == "trace":
        return trace.text, None if trace.records else _unknown(trace.unreadable)
    if target == "files":
        if workspace.created is None:
            return "", _unknown("which files the run created is not known")
        return "\n".join(sorted(workspace.created, key=_utf16)), None
    if target == "mock_calls":
        return "", _unknown("calls of mocks are not kept with a trace")
    return trace.last_message, _unknown(trace.unreadable) if trace.unreadable else None


def _utf16(text: str) -> bytes:
    """JavaScript's order of strings: by UTF-16 unit."""
    return text.encode("utf-16-be", "surrogatepass")


def _focus(path: str, workspace: Workspace, case: str) -> tuple[str, Verdict | None]:
    file = workspace.files.get(path)
    if file is None:
        return "", _unknown(f"what stood in the workspace under {path!r} was not kept")
    if file.state == FILE:
        return file.text, None
    return "", _unknown(f"{path} is too large to be kept") if file.state == TOO_LARGE else _threw(
        _why(file, path, case)
    )


def _why(file: FocusFile, path: str, case: str) -> str:
    if file.state == NOT_REGULAR:
        return f"focus file {path} is not a regular file"
    end = "does not exist"
    if file.state != MISSING:
        end = "escapes the run sandbox (`..` or an absolute path) — it must name something inside it"
    return f'case "{case}" grader focus file "{path}": path "{path}" {end}'


# ---------------------------------------------------------------- tools


def _tool_used(grader: Grader, recording: Recording) -> _Plan:
    trace = recording.trace
    if trace.unreadable:
        return _known(_unknown(trace.unreadable))
    tool, pattern = str(grader.config["tool"]), cast("str | None", grader.config.get("input_match"))
    least, most = cast(int, grader.config.get("min", 1)), cast("int | None", grader.config.get("max"))
    calls = [call for call in trace.calls if call.tool == tool]

    def reading(answers: Sequence[Answer]) -> Verdict:
        missing = _no_answer(answers, pattern or "")
        if missing is not None:
            return missing
        number = sum(answers[0].counts) if answers else len(calls)
        expected = f"{least:.0f}..{'∞' if most is None else f'{most:.0f}'}"
        passed = number >= least and (most is None or number <= most)
        return Verdict(passed, f"{tool} called {number}x (expected {expected})")

    return _Plan(_asked(pattern, calls), reading)


def _asked(pattern: str | None, calls: Sequence[ToolCall]) -> tuple[Question, ...]:
    """Without a call the pattern is never compiled: an invalid one is not noticed."""
    return (Question(pattern, "", tuple(call.input for call in calls)),) if pattern is not None and calls else ()


def _tool_order(grader: Grader, recording: Recording) -> _Plan:
    trace = recording.trace
    if trace.unreadable:
        return _known(_unknown(trace.unreadable))
    sides = [_side(grader.config[word], trace.calls) for word in ("before", "after")]
    questions = [_asked(side.pattern, [trace.calls[i] for i in side.places]) for side in sides]

    def reading(answers: Sequence[Answer]) -> Verdict:
        rest = list(answers)
        firsts: list[int | None] = []
        for side, question in zip(sides, questions, strict=True):
            own = [rest.pop(0)] if question else []
            missing = _no_answer(own, side.pattern or "")
            if missing is not None:
                return missing
            counts = own[0].counts if own else [1] * len(side.places)
            firsts.append(next((i for i, n in zip(side.places, counts, strict=True) if n), None))
        return _ordered(sides, firsts)

    return _Plan((*questions[0], *questions[1]), reading)


@dataclass(frozen=True, slots=True)
class _Side:
    """One end of a `tool_order`: the tool, its pattern, and where among all calls the tool's calls stand."""

    tool: str
    pattern: str | None
    places: tuple[int, ...]


def _side(value: object, calls: Sequence[ToolCall]) -> _Side:
    spec = value if isinstance(value, Mapping) else {"tool": value}
    tool = str(spec["tool"])
    places = tuple(i for i, call in enumerate(calls) if call.tool == tool)
    return _Side(tool, cast("str | None", spec.get("input_match")), places)


def _ordered(sides: Sequence[_Side], firsts: Sequence[int | None]) -> Verdict:
    for word, side, first in zip(("before", "after"), sides, firsts, strict=True):
        if first is None:
            return Verdict(False, f'"{word}" tool {side.tool} never called')
    before, after = cast(int, firsts[0]), cast(int, firsts[1])
    middle = "precedes" if before < after else "does NOT precede"
    return Verdict(before < after, f"{sides[0].tool}@{before} {middle} {sides[1].tool}@{after}")


# ---------------------------------------------------------------- files and judges


def _file_exists(grader: Grader, recording: Recording) -> _Plan:
    created = recording.workspace.created
    if created is None:
        return _known(_unknown("which files the run created is not known"))
    path, wanted = str(grader.config["path"]), grader.config.get("exists", True) is True
    there = any(globs.matches(path, name) for name in globs.candidates(created))
    if wanted:
        return _known(Verdict(there, f"{path} exists as expected" if there else f"{path} missing (expected present)"))
    return _known(Verdict(not there, f"{path} exists (expected absent)" if there else f"{path} absent as expected"))


def _judged(_grader: Grader, _recording: Recording) -> _Plan:
    return _known(_unknown(NEEDS_JUDGE))


def _each_time(plan: Callable[[Grader, Recording], _Plan]) -> Callable[[Grader], _Planning]:
    """A grader that is planned for each recording anew."""
    return lambda grader: partial(plan, grader)


_PREPARED: dict[str, Callable[[Grader], _Planning]] = {
    REGEX: _regex,
    TOOL_USED: _each_time(_tool_used),
    TOOL_ORDER: _each_time(_tool_order),
    FILE_EXISTS: _each_time(_file_exists),
    LLM: _each_time(_judged),
    BASELINE: _each_time(_judged),
}
