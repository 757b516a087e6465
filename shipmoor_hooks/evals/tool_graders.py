"""The graders `tool_used` and `tool_order`: which tools a recorded run called, how often and when (design, section 8). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import cast

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.definitions import Grader, Verdict
from shipmoor_hooks.evals.grader_plan import Plan, Seen, no_number, unknown
from shipmoor_hooks.evals.matching import Answer, Question, Told


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of one tool in each of some recordings: where they stand among all calls, and what they were given.

    `places` has a verdict where the records of a trace cannot be read. `pattern` is what the input has to match (None:
    anything). Without a call it is never compiled: an invalid one is not noticed.
    """

    tool: str
    pattern: str | None
    places: Sequence[list[int] | Verdict]
    inputs: Sequence[str]

    def questions(self) -> Sequence[Question]:
        return () if self.pattern is None else (Question(self.pattern, "", self.inputs),)

    def matched(self, told: Iterator[Sequence[Told]]) -> list[list[int] | Verdict]:
        """Of each recording the places of the calls that match, or the verdict where that cannot be told."""
        rest = repeat(1) if self.pattern is None else iter(next(told))
        return [
            own if isinstance(own, Verdict) else self._own(own, list(islice(rest, len(own)))) for own in self.places
        ]

    def _own(self, places: list[int], told: list[Told]) -> list[int] | Verdict:
        missing = next((one for one in told if isinstance(one, Answer)), None)
        if missing is not None:
            return no_number(missing, self.pattern or "")
        return [place for place, number in zip(places, told, strict=True) if number]


def _calls(spec: object, seen: Seen) -> _Calls:
    """`spec` is a tool's name, or a mapping with `tool` and perhaps `input_match`."""
    wanted = spec if isinstance(spec, Mapping) else {"tool": spec}
    tool = str(wanted["tool"])
    places: list[list[int] | Verdict] = []
    inputs: list[str] = []
    for trace in (recording.trace for recording in seen.recordings):
        if trace.unreadable:
            places.append(unknown(trace.unreadable))
            continue
        own = [place for place, call in enumerate(trace.calls) if call.tool == tool]
        places.append(own)
        inputs += [trace.calls[place].input for place in own]
    return _Calls(tool, cast("str | None", wanted.get("input_match")), places, inputs)


def tool_used(grader: Grader, seen: Seen) -> Plan:
    """How often a tool was called."""
    calls = _calls(grader.config, seen)
    least, most = cast(int, grader.config.get("min", 1)), cast("int | None", grader.config.get("max"))
    expected = f"{least:.0f}..{'∞' if most is None else f'{most:.0f}'}"

    def verdict(matched: list[int] | Verdict) -> Verdict:
        if isinstance(matched, Verdict):
            return matched
        number = len(matched)
        passed = number >= least and (most is None or number <= most)
        return Verdict(passed, f"{calls.tool} called {number}x (expected {expected})")

    return Plan(calls.questions(), lambda told: [verdict(matched) for matched in calls.matched(iter(told))])


def tool_order(grader: Grader, seen: Seen) -> Plan:
    """Whether the first call of one tool came before the first of another."""
    before, after = (_calls(grader.config[word], seen) for word in ("before", "after"))

    def reading(told: Sequence[Sequence[Told]]) -> list[Verdict]:
        rest = iter(told)
        firsts, seconds = before.matched(rest), after.matched(rest)
        return [_ordered(before.tool, after.tool, *both) for both in zip(firsts, seconds, strict=True)]

    return Plan((*before.questions(), *after.questions()), reading)


def _ordered(tool_before: str, tool_after: str, before: list[int] | Verdict, after: list[int] | Verdict) -> Verdict:
    if isinstance(before, Verdict):
        return before
    if isinstance(after, Verdict):
        return after
    if not before:
        return Verdict(False, f'"before" tool {tool_before} never called')
    if not after:
        return Verdict(False, f'"after" tool {tool_after} never called')
    middle = "precedes" if before[0] < after[0] else "does NOT precede"
    return Verdict(before[0] < after[0], f"{tool_before}@{before[0]} {middle} {tool_after}@{after[0]}")
