"""The options of `claude plugin eval`, as our own runner obeys them and `eval run` changes them (claude 2.1.328 --help).

Pure. The policy's command says what is measured, whoever measures it: with an agent in the policy our runner reads the
same words that the real program would.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.runners.launch import Call, locate
from shipmoor_hooks.runners.plugin_eval import NAME

PROGRAM = ("claude", "plugin", "eval")
_FLAGS = frozenset({
    "--trust-plugin", "--scaffold", "--no-scaffold", "--no-publish", "--publish-report", "--keep-temp", "--verbose",
    "--allow-real-servers",
})  # fmt: skip
_VALUES = frozenset({
    "--ablation", "--case", "--concurrency", "-j", "--eval-dir", "--judge-model", "--max-cost-usd", "--mocks", "--model",
    "--output-dir", "--report", "--runs", "--threshold",
})  # fmt: skip
_SEVERAL = frozenset({"--allow-tools", "--disallow-tools", "--tag"})
_MAYBE = frozenset({"--json"})
_SHORT = {"-j": "--concurrency"}
MOST_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What to run and how. Cost in list-price US dollars; None where the case or the default decides."""

    target: str = "."
    runs: int | None = None
    case: str | None = None
    tags: tuple[str, ...] = ()
    threshold: float = 1.0
    max_cost: float | None = None
    concurrency: int = 1
    scaffold: bool = False
    allow_tools: tuple[str, ...] = ()
    disallow_tools: tuple[str, ...] = ()
    model: str | None = None
    judge_model: str | None = None
    eval_dir: str | None = None
    output_dir: str | None = None
    report: str | None = None
    json_path: str | None = None
    keep_temp: bool = False
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Word:
    """An option with its values, or an operand (`option` is "")."""

    option: str
    values: tuple[str, ...]


def call_of(command: Sequence[str]) -> Call | None:
    """A command taken apart where it starts `claude plugin eval`, behind whatever launcher; None for any other."""
    call = locate(command)
    return call if call is not None and call.runner == NAME else None


def parse(words: Sequence[str]) -> RunOptions:
    """The words behind `claude plugin eval`. Raises UsageFault for one that it does not know or cannot use."""
    found: dict[str, tuple[str, ...]] = {}
    operands: list[str] = []
    for word in _taken_apart(words):
        if not word.option:
            operands.extend(word.values)
        elif word.option in _SEVERAL:
            found[word.option] = (*found.get(word.option, ()), *word.values)
        else:
            found[word.option] = word.values
    if len(operands) > 1:
        raise UsageFault(f"one target is evaluated at a time, not {' and '.join(operands)}")
    if found.get("--ablation", ("none",)) != ("none",):
        raise UsageFault(
            "only --ablation none is run by an agent of the policy", "claude plugin eval --ablation with-without"
        )
    last = {name: values[-1] for name, values in found.items() if values}
    threshold = _amount(last.get("--threshold"), "--threshold", 1.0)
    return RunOptions(
        target=operands[0] if operands else ".",
        runs=_whole(last.get("--runs"), "--runs", 1, 1000),
        case=last.get("--case"),
        tags=found.get("--tag", ()),
        threshold=1.0 if threshold is None else threshold,
        max_cost=_amount(last.get("--max-cost-usd"), "--max-cost-usd"),
        concurrency=_whole(last.get("--concurrency"), "--concurrency", 1, MOST_AT_ONCE) or 1,
        scaffold="--scaffold" in found and "--no-scaffold" not in found,
        allow_tools=_listed(found.get("--allow-tools", ())),
        disallow_tools=_listed(found.get("--disallow-tools", ())),
        model=last.get("--model"),
        judge_model=last.get("--judge-model"),
        eval_dir=last.get("--eval-dir"),
        output_dir=last.get("--output-dir"),
        report=last.get("--report"),
        json_path=last.get("--json", "-") if "--json" in found else None,
        keep_temp="--keep-temp" in found,
        ignored=tuple(sorted(found.keys() & {"--mocks", "--allow-real-servers"})),
    )  # fmt: skip


def with_option(command: Sequence[str], option: str, *values: str) -> tuple[str, ...]:
    """A whole `claude plugin eval` command with an option set, in the place of what it said of it before."""
    return (*without_options(command, option), option, *values)


def without_options(command: Sequence[str], *options: str) -> tuple[str, ...]:
    """A whole `claude plugin eval` command without some options and their values. Raises UsageFault for another one."""
    call = call_of(command)
    if call is None:
        raise UsageFault(f"{' '.join(command[:3])} is not claude plugin eval")
    kept: list[str] = []
    operands: list[str] = []
    for word in _taken_apart(call.tail):
        if not word.option:
            operands.extend(word.values)
        elif word.option not in options:
            kept.extend((word.option, *word.values))
    # Operands first: an option that takes several words would take them.
    return (*call.head, *operands, *kept)


def _taken_apart(words: Sequence[str]) -> list[_Word]:
    found: list[_Word] = []
    at = 0
    while at < len(words):
        name, equals, value = words[at].partition("=")
        option = _SHORT.get(name, name)
        at += 1
        if words[at - 1] == "--":
            found.extend(_Word("", (operand,)) for operand in words[at:])
            break
        if not name.startswith("-"):
            found.append(_Word("", (words[at - 1],)))
            continue
        if name not in _FLAGS | _VALUES | _SEVERAL | _MAYBE:
            raise UsageFault(f"{name} is not an option of claude plugin eval")
        following = _until_option(words, at)
        if equals:
            found.append(_Word(option, (value,)))
        elif name in _FLAGS:
            found.append(_Word(option, ()))
        elif name in _MAYBE:
            taken = following[:1] if following and following[0].endswith(".json") else ()
            found.append(_Word(option, taken))
            at += len(taken)
        elif not following and not (name in _VALUES and at < len(words)):
            raise UsageFault(f"{name} needs a value")
        else:
            taken = following if name in _SEVERAL else (words[at],)
            found.append(_Word(option, tuple(taken)))
            at += len(taken)
    return found


def _until_option(words: Sequence[str], start: int) -> tuple[str, ...]:
    end = start
    while end < len(words) and not words[end].startswith("-"):
        end += 1
    return tuple(words[start:end])


def _listed(words: Sequence[str]) -> tuple[str, ...]:
    """`Bash Write` and `Bash,Write` are the same grant; a grant with a pattern stays whole."""
    parts = (part for word in words for part in ((word,) if "(" in word else word.split(",")))
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _whole(text: str | None, option: str, least: int, most: int) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or not least <= int(text[:6]) <= most:
        raise UsageFault(f"{option} takes a whole number from {least} to {most}, not {text!r}")
    return int(text)


def _amount(text: str | None, option: str, most: float = math.inf) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most or math.isinf(value):
        raise UsageFault(f"{option} takes a number from 0{'' if math.isinf(most) else f' to {most:g}'}, not {text!r}")
    return value
