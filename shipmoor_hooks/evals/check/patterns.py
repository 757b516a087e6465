"""Lints of regular expressions: what a pattern can and cannot tell apart. Pure: an engine tries them.

Each lint asks questions, and reads the answers where there are some: what the engine does not answer is no finding here,
but in `backtracking`, where no answer in time is the finding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.check import pattern_shape as shapes
from shipmoor_hooks.evals.check.finding import CheckFinding, Surroundings
from shipmoor_hooks.evals.check.pattern_syntax import Node, Text, parse
from shipmoor_hooks.evals.definitions import REGEX, TOOL_ORDER, TOOL_USED, CaseDefinition, Grader
from shipmoor_hooks.evals.matching import Engine, Question

RULES = {
    "pattern-invalid": "the pattern is no regular expression; it is not looked at when the case is loaded",
    "pattern-always": "the pattern matches whatever the agent does",
    "pattern-never": "the pattern cannot match what it is applied to",
    "init-record": "the pattern matches the trace's first record, which holds tools, commands and the plugin's name",
    "verdict-negated": "the pattern takes the verdict also from a reply that denies it",
    "control-character": "the pattern holds a control character: double quotes turned an escape into it",
    "backtracking": "catastrophic backtracking: there are texts on which the pattern does not end",
}
# Replies that have nothing in common: what matches all of them says nothing.
UNRELATED = ("", "Zebras quickly jinx my vow.", "42\n", "\u00e9\u00e8 \u4e2d\u6587: ~", "{}")
VERDICTS = ("pass", "passes", "passed", "fail", "fails", "failed", "ok", "success", "succeeded", "approved", "valid")
SPELLED = tuple(dict.fromkeys(form for v in VERDICTS for form in (v.upper(), v, v.capitalize())))
DENIED = ("The result did not {}.", "It is not {}, it is broken.", "This is NOT {}.")
ATTACK = 40
# Each pattern that does not end costs the engine's whole deadline and a new process.
MOST_ENDLESS = 20
NOT_TRIED = "its patterns are not tried: too many before them did not end"
LONG_ATTACK = 2000
_CONTROLS = {"\b": "\\b", "\f": "\\f", "\v": "\\v", "\0": "\\0", "\a": "\\a", "\x1b": "\\e"}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern of a grader. `where` is "last_message", "trace", "files", "file", "mock_calls" or "input"."""

    grader: str
    key: str
    pattern: str
    flags: str
    where: str
    match: str

    @property
    def is_negative(self) -> bool:
        return self.match == "not_contains"


def patterns_of(case: CaseDefinition) -> tuple[Pattern, ...]:
    return tuple(found for grader in case.graders for found in _of_grader(grader))


def _of_grader(grader: Grader) -> Iterator[Pattern]:
    config = grader.config
    if grader.type == REGEX:
        target = config.get("target", "last_message")
        where = "file" if isinstance(target, Mapping) else str(target)
        match = str(config.get("match", "contains"))
        yield Pattern(grader.name, "pattern", str(config["pattern"]), str(config.get("flags", "")), where, match)
    if grader.type == TOOL_USED and "input_match" in config:
        yield Pattern(grader.name, "input_match", str(config["input_match"]), "", "input", "contains")
    if grader.type == TOOL_ORDER:
        for key in ("before", "after"):
            call = config[key]
            if isinstance(call, Mapping) and "input_match" in call:
                yield Pattern(grader.name, f"{key}.input_match", str(call["input_match"]), "", "input", "contains")


def check_patterns(case: CaseDefinition, around: Surroundings, engine: Engine) -> Iterator[CheckFinding]:
    """Every lint over every pattern of a case; a pattern that is none gets no further."""
    patterns = patterns_of(case)
    compiled = engine.ask([Question(p.pattern, p.flags, ("",)) for p in patterns])
    endless = 0
    for pattern, answer in zip(patterns, compiled, strict=True):
        if answer.threw:
            passes = " (and while the tool is never called it passes all the same)" if pattern.where == "input" else ""
            yield _finding(case, "pattern-invalid", pattern, f"it never matches: {answer.threw}{passes}", "correct it")
            continue
        if endless >= MOST_ENDLESS:
            yield _finding(case, "backtracking", pattern, NOT_TRIED, "correct the others first")
            return
        yield from control_characters(case, pattern)
        yield from never(case, pattern)
        yield from always(case, pattern, around, engine)
        yield from verdicts(case, pattern, engine)
        found = list(backtracking(case, pattern, engine))
        endless += len(found)
        yield from found


def control_characters(case: CaseDefinition, pattern: Pattern) -> Iterator[CheckFinding]:
    for character, escape in _CONTROLS.items():
        if character in pattern.pattern:
            said = f"it holds the character U+{ord(character):04X}: double quotes made it of {escape}"
            yield _finding(case, "control-character", pattern, said, "put the pattern into single quotes")
            return


def never(case: CaseDefinition, pattern: Pattern) -> Iterator[CheckFinding]:
    """What the shape alone tells: an end before something, a line feed where there is none, blanks in compact JSON."""
    shape = parse(pattern.pattern)
    why = ""
    if shape is not None and "m" not in pattern.flags and shapes.is_torn(shape):
        why = "something has to stand before a start or behind an end"
    elif shape is not None and pattern.where == "input" and _needs_newline(shape):
        why = "it needs a line feed, and in the JSON of a call's input that is written \\n (match it by \\\\n)"
    elif pattern.where in ("trace", "input") and shape is not None and _needs_spaced_json(shape):
        why = "it needs a blank behind a colon or comma of JSON, and this JSON is written without blanks"
    if why:
        passes = "so it always passes" if pattern.is_negative else "so it never matches"
        yield _finding(case, "pattern-never", pattern, f"{why}, {passes}", "correct it")


def _needs_newline(shape: Node) -> bool:
    return any(isinstance(p, Text) and p.literal and p.sample == "\n" for p in shapes.needed(shape))


def _needs_spaced_json(shape: Node) -> bool:
    """`"name": "Write"` cannot stand in compact JSON, nor escaped inside of it: there a backslash precedes the quote."""
    return any(re.search(r'"[:,] "|"\w+": ', run) for run in shapes.literals(shape))


def always(case: CaseDefinition, pattern: Pattern, around: Surroundings, engine: Engine) -> Iterator[CheckFinding]:
    if pattern.match.startswith("count:"):
        return
    texts = UNRELATED if pattern.where != "trace" else (first_record(case, around),)
    (answer,) = engine.ask([Question(pattern.pattern, pattern.flags, texts)])
    if not answer.counts or not all(answer.counts):
        return
    then = "so the grader never passes" if pattern.is_negative else "so it says nothing"
    if pattern.where == "trace" and not _takes_all(pattern, engine):
        said = f"it matches the trace's first record (tools, commands, plugin) in every run, {then}"
        yield _finding(case, "init-record", pattern, said, 'bind it to a call, for example by "name":"Write"')
    else:
        yield _finding(
            case, "pattern-always", pattern, f"it matches every text, {then}", "ask for what only a right run says"
        )


def _takes_all(pattern: Pattern, engine: Engine) -> bool:
    (answer,) = engine.ask([Question(pattern.pattern, pattern.flags, UNRELATED)])
    return bool(answer.counts) and all(answer.counts)


def first_record(case: CaseDefinition, around: Surroundings) -> str:
    """What every trace begins with, as far as it is the same in every run of the case; `Agent` is listed as `Task`."""
    tools = ["Task" if tool == "Agent" else tool for tool in sorted(around.granted(case))]
    commands = [f"{around.plugin}:{name}" for name in around.commands]
    record = {
        "type": "system", "subtype": "init", "cwd": "/", "session_id": "", "tools": tools, "mcp_servers": [], "model": "",
        "permissionMode": "dontAsk", "slash_commands": commands, "apiKeySource": "", "output_style": "default",
        "skills": [], "plugins": [{"name": around.plugin, "path": "/"}] if around.plugin else [],
    }  # fmt: skip
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def verdicts(case: CaseDefinition, pattern: Pattern, engine: Engine) -> Iterator[CheckFinding]:
    """A verdict in the reply that is also found where the reply denies it."""
    if pattern.where != "last_message" or pattern.match != "contains":
        return
    plain = [f"The result: {word}." for word in SPELLED]
    (said,) = engine.ask([Question(pattern.pattern, pattern.flags, (*plain, *UNRELATED))])
    if not said.counts or any(said.counts[len(plain) :]):
        return
    words = [word for word, count in zip(SPELLED, said.counts, strict=False) if count]
    denials = [form.format(word) for word in words[:6] for form in DENIED]
    if not denials:
        return
    (answer,) = engine.ask([Question(pattern.pattern, pattern.flags, tuple(denials))])
    taken = [text for text, count in zip(denials, answer.counts, strict=False) if count]
    if taken:
        yield _finding(
            case, "verdict-negated", pattern, f"it also takes the reply {taken[0]!r}",
            "refuse a preceding not (a negative look-behind), or let code print the verdict and grade its code in the trace",
        )  # fmt: skip


def backtracking(case: CaseDefinition, pattern: Pattern, engine: Engine) -> Iterator[CheckFinding]:
    shape = parse(pattern.pattern)
    texts = [] if shape is None else [*shapes.attacks(shape, ATTACK), *shapes.attacks(shape, LONG_ATTACK)[:6]]
    if not texts:
        return
    for text in texts:
        (answer,) = engine.ask([Question(pattern.pattern, pattern.flags, (text,))])
        if answer.unknown:
            said = f"a text of {len(text)} characters such as {text[:8]!r}\u2026{text[-3:]!r} keeps it busy beyond every limit"
            yield _finding(
                case, "backtracking", pattern, f"{said}; the program then says that nothing matches",
                "let each repetition begin with a character that the one inside cannot take",
            )  # fmt: skip
            return


def plain_texts(case: CaseDefinition) -> dict[str, tuple[str, ...]]:
    """For each grader that searches the reply: the runs of plain characters that its pattern needs."""
    found = {}
    for pattern in patterns_of(case):
        shape = parse(pattern.pattern)
        if pattern.where == "last_message" and pattern.match == "contains" and shape is not None:
            found[pattern.grader] = tuple(run.strip() for run in shapes.literals(shape) if len(run.strip()) > 3)
    return found


def _finding(case: CaseDefinition, rule: str, pattern: Pattern, said: str, way_out: str) -> CheckFinding:
    key = "" if pattern.key == "pattern" else f"{pattern.key}: "
    return CheckFinding(rule, case.dir, f"{key}{said}", pattern.grader, way_out)
