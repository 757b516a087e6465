"""Pins: replies with the verdict that a case's graders must give, graded without a model (design, section 8). Pure.

`pins/CASE.jsonl` beside the cases holds one JSON object a line: `reply`, `verdict` ("pass" or "fail"), `reason`, and
optionally `grader`, the name of the one that it is about. Only graders of the reply take part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.check.finding import CheckFinding
from shipmoor_hooks.evals.definitions import REGEX, CaseDefinition, Grader
from shipmoor_hooks.evals.matching import Engine, Question

RULES = {
    "pin": "a pinned reply gets another verdict than the one it is pinned to",
    "pin-file": "a file of pins that cannot be read, or is about no case",
    "pin-missing": "a pattern changed and no pin shows a reply that the older one got wrong",
}
KEYS = ("reply", "verdict", "reason", "grader")
LONGEST_LINE = 1 << 20
MOST_PINS = 5000


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned reply: what was said, whether the case's reply graders must take it, why, of which grader, its line."""

    reply: str
    passes: bool
    reason: str
    grader: str = ""
    line: int = 0


class PinsRefused(Exception):
    """A file of pins that cannot be read; the text says where and why."""


def read_pins(data: bytes) -> tuple[Pin, ...]:
    """The pins of a file, split at line feeds only. Raises PinsRefused."""
    found: list[Pin] = []
    for number, line in enumerate(data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE or len(found) >= MOST_PINS:
            raise PinsRefused(f"line {number}: more than pins need ({MOST_PINS} lines of 1 MiB)")
        found.append(_pin(line, number))
    return tuple(found)


def _pin(line: str, number: int) -> Pin:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise PinsRefused(f"line {number}: not JSON") from fault
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
        raise PinsRefused(f"line {number}: expected an object of strings")
    odd = [key for key in row if key not in KEYS]
    missing = [key for key in KEYS[:3] if key not in row]
    if odd or missing:
        raise PinsRefused(f"line {number}: " + (f"unknown key {odd[0]!r}" if odd else f"no {missing[0]!r}"))
    if row["verdict"] not in ("pass", "fail") or not row["reason"].strip():
        raise PinsRefused(f'line {number}: expected "pass" or "fail" for verdict, and a reason')
    return Pin(row["reply"], row["verdict"] == "pass", row["reason"].strip(), row.get("grader", ""), number)


def wrong_pins(case: CaseDefinition, pins: Sequence[Pin], engine: Engine) -> Iterator[tuple[Pin, str]]:
    """Each pin whose verdict the case's graders do not give, with what they say of it instead."""
    for pin, verdicts in zip(pins, _graded(case, pins, engine), strict=True):
        unknown = [f"{name}: {why}" for name, passed, why in verdicts if passed is None]
        failing = [name for name, passed, _ in verdicts if passed is False]
        if not verdicts:
            about = f"no grader {pin.grader!r} of the reply" if pin.grader else "no grader of the reply"
            yield pin, f"this case has {about}"
        elif unknown:
            yield pin, f"not graded ({unknown[0]})"
        elif pin.passes and failing:
            yield pin, f"{', '.join(failing)} refuses it"
        elif not pin.passes and not failing:
            yield pin, f"{', '.join(name for name, _, _ in verdicts)} takes it"


def _graded(case: CaseDefinition, pins: Sequence[Pin], engine: Engine) -> Iterator[list[tuple[str, bool | None, str]]]:
    """For each pin: name, verdict and explanation of every grader of the reply that it is about."""
    replied = [g for g in case.graders if g.type == REGEX and g.config.get("target", "last_message") == "last_message"]
    rows = [[g for g in replied if pin.grader in ("", g.name)] for pin in pins]
    questions = [_question(g, pin.reply) for pin, row in zip(pins, rows, strict=True) for g in row]
    answers = iter(engine.ask(questions)) if questions else iter(())
    for row in rows:
        verdicts: list[tuple[str, bool | None, str]] = []
        for grader in row:
            answer = next(answers)
            passed = _passes(grader, answer.counts[0]) if answer.counts else (None if answer.unknown else False)
            verdicts.append((grader.name, passed, answer.unknown or answer.threw))
        yield verdicts


def _question(grader: Grader, reply: str) -> Question:
    match = str(grader.config.get("match", "contains"))
    return Question(
        str(grader.config["pattern"]), str(grader.config.get("flags", "")), (reply,), match.startswith("count:")
    )


def _passes(grader: Grader, count: int) -> bool:
    match = str(grader.config.get("match", "contains"))
    if match.startswith("count:"):
        return count == int(match[6:])
    return (count == 0) if match == "not_contains" else count > 0


def pin_findings(case: CaseDefinition, path: str, pins: Sequence[Pin], engine: Engine) -> Iterator[CheckFinding]:
    for pin, said in wrong_pins(case, pins, engine):
        want = "pass" if pin.passes else "fail"
        yield CheckFinding(
            "pin", path, f"line {pin.line} is pinned to {want} ({pin.reason}), and {said}: {pin.reply[:60]!r}", pin.grader,
            "correct the pattern; a pin is changed only where the reply was judged wrongly",
        )  # fmt: skip


def missing_pins(
    old: CaseDefinition, new: CaseDefinition, path: str, pins: Sequence[Pin], engine: Engine
) -> Iterator[CheckFinding]:
    """A reply pattern that changed brings at least one pin that the older grader gets wrong: red first."""
    before = {g.name: g for g in old.graders}
    wrong = {pin.line for pin, _ in wrong_pins(old, pins, engine)}
    for grader in new.graders:
        older = before.get(grader.name)
        changed = older is not None and older.type == grader.type == REGEX and _words(older) != _words(grader)
        if not changed or grader.config.get("target", "last_message") != "last_message":
            continue
        if not any(pin.line in wrong for pin in pins if pin.grader in ("", grader.name)):
            yield CheckFinding(
                "pin-missing", new.dir, f"its pattern changed, and {path} holds no reply that the older one gets wrong",
                grader.name, f"add the reply that showed the fault to {path}",
            )  # fmt: skip


def _words(grader: Grader) -> tuple[object, ...]:
    config = grader.config
    return config["pattern"], config.get("flags", ""), config.get("match", "contains")
