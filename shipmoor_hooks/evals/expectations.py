"""What a case demands at the base and at the tip, part by part, in words (design, sections 3 and 10.17). Pure.

Every change of a case's folder weakens the yardstick until it is disclosed, a stricter one too, since nobody can tell by
machine what a changed text demands. Two are none: graders that were added, and a change of `runs` alone.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.definitions import (
    FILE_EXISTS,
    LLM,
    REGEX,
    TOOL_USED,
    CaseDefinition,
    ChangedFile,
    Grader,
    LoadFault,
)
from shipmoor_hooks.visible import visible

WEAKENED, SAMPLES_FEWER, NOTE = "weakened", "samples_fewer", "note"
DEFAULTS: Mapping[str, Mapping[str, object]] = {
    REGEX: {"flags": "", "match": "contains", "target": "last_message"},
    TOOL_USED: {"min": 1},
    FILE_EXISTS: {"exists": True},
    LLM: {"focus": "last_message"},
}
# What decides which texts a grader takes: a change of it needs a recorded re-grade beside words.
PATTERN_KEYS = ("pattern", "flags", "match", "target", "input_match", "before", "after")
CASE_FILES = ("case.yaml", "prompt.md")
# A grader whose share of the score is smaller than this can be red without the score showing it.
SMALLEST_SHARE = 1e-9
_SHOWN = 90
_FIELDS = (
    ("name", "name"),
    ("schema_version", "schema_version"),
    ("tags", "tags"),
    ("plugins", "plugins"),
    ("model", "model"),
    ("max_turns", "max_turns"),
    ("timeout_seconds", "timeout_seconds"),
    ("allowed_tools", "allowed tools"),
    ("disallowed_tools", "disallowed tools"),
    ("append_system_prompt", "append_system_prompt"),
    ("env", "env"),
    ("scaffold_script", "scaffold script"),
    ("history_file", "history file"),
    ("add_dirs", "add_dirs"),
)


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """One part of a case's expectation that differs: its name, one sentence without a full stop, what follows from it.

    `kind` is WEAKENED, SAMPLES_FEWER or NOTE. `grader` names the grader that changed; `needs_regrade` is set where its
    pattern did. The sentence is safe to print.
    """

    part: str
    sentence: str
    kind: str = WEAKENED
    grader: str = ""
    needs_regrade: bool = False


def compare(
    base: CaseDefinition,
    tip: CaseDefinition | LoadFault,
    files: Sequence[ChangedFile] = (),
    threshold: float = 1.0,
) -> tuple[ChangedPart, ...]:
    """Every part of a case that changed, () for none. `files` are the paths of its folder that differ.

    `threshold` is the suite's: below 1 an added grader can let an old one be red.
    """
    if isinstance(tip, LoadFault):
        message = f"the case no longer loads: {visible(_short(tip.message, 300))}"
        return (ChangedPart("case", message), *_files(files, _scripts(base), CASE_FILES))
    found = [*_graders(base, tip, threshold), *_prompt(base, tip), *_fields(base, tip), *_runs(base, tip)]
    told = _files(files, {**_scripts(base), **_scripts(tip)}, CASE_FILES)
    found += told
    if not found:
        found += _writing_only(files)
    return tuple(found)


# ---------------------------------------------------------------- graders


def _graders(base: CaseDefinition, tip: CaseDefinition, threshold: float) -> list[ChangedPart]:
    before, after = {g.name: g for g in base.graders}, {g.name: g for g in tip.graders}
    found: list[ChangedPart] = []
    for name, grader in before.items():
        if name not in after:
            found.append(_part(name, f"is gone ({describe(grader)})"))
        else:
            found += _grader(grader, after[name])
    added = [g for name, g in after.items() if name not in before]
    found += [_added(grader, base, tip, threshold) for grader in added]
    kept = [name for name in after if name in before]
    if not found and kept != [name for name in before if name in after]:
        found.append(ChangedPart("graders", "the graders stand in another order"))
    return found


def _part(name: str, said: str, kind: str = WEAKENED, needs_regrade: bool = False) -> ChangedPart:
    called = visible(_short(name)) or "without a name"
    return ChangedPart("grader", f"grader {called} {said}", kind, name, needs_regrade)


def _grader(before: Grader, after: Grader) -> Iterable[ChangedPart]:
    """What changed in a grader that keeps its name."""
    name = before.name
    if before.type != after.type:
        yield _part(
            name, f"was {describe(before)} and is {describe(after)}", needs_regrade=REGEX in (before.type, after.type)
        )
        return
    was, now = filled(before), filled(after)
    for key in sorted({*was, *now}, key=lambda k: (k not in PATTERN_KEYS, k)):
        if was.get(key) != now.get(key):
            said = f"has another {key}: {shown(was.get(key))} became {shown(now.get(key))}{_stricter(key, was, now)}"
            yield _part(name, said, needs_regrade=key in PATTERN_KEYS)
    if before.weight != after.weight:
        yield _part(name, f"has another weight: {before.weight:g} became {after.weight:g}")
    if before.arm != after.arm:
        yield _part(name, f"has another arm: {shown(before.arm or None)} became {shown(after.arm or None)}")


def _stricter(key: str, was: Mapping[str, object], now: Mapping[str, object]) -> str:
    """ ", which asks for more" where that can be told."""
    old, new = was.get(key), now.get(key)
    more = False
    if key == "min" and isinstance(old, int) and isinstance(new, int):
        more = new > old
    if key == "max" and isinstance(new, int):
        more = not isinstance(old, int) or new < old
    return ", which asks for more" if more else ""


def filled(grader: Grader) -> dict[str, object]:
    """The config of a grader with the program's defaults filled in."""
    return {**DEFAULTS.get(grader.type, {}), **grader.config}


def _added(grader: Grader, base: CaseDefinition, tip: CaseDefinition, threshold: float) -> ChangedPart:
    """A grader more is a note, unless it lets an older one be red unseen."""
    before, after = sum(g.weight for g in base.graders), sum(g.weight for g in tip.graders)
    for old in base.graders:
        drowned = not after < float("inf") or old.weight / after < SMALLEST_SHARE <= old.weight / before
        passes = threshold < 1 and (after - old.weight) / after >= threshold > (before - old.weight) / before
        if drowned or passes:
            red = visible(_short(old.name))
            return _part(grader.name, f"was added with weight {grader.weight:g}: the case can pass while {red} is red")
    return _part(grader.name, f"was added ({describe(grader)})", NOTE)


def describe(grader: Grader) -> str:
    """What a grader looks for, in a few words."""
    config = filled(grader)
    told = [f"{key} {shown(value)}" for key, value in config.items() if value not in ("", "contains", "last_message")]
    return ", ".join([grader.type, *told])


# ---------------------------------------------------------------- the other parts


def _prompt(base: CaseDefinition, tip: CaseDefinition) -> Iterable[ChangedPart]:
    if base.prompt == tip.prompt:
        return
    old, new = base.prompt.splitlines(), tip.prompt.splitlines()
    if len(old) == len(new) == 1:
        yield ChangedPart("prompt", f"the prompt changed: {shown(base.prompt)} became {shown(tip.prompt)}")
        return
    if len(old) + len(new) > 4000:
        yield ChangedPart("prompt", f"the prompt changed ({len(old)} lines became {len(new)})")
        return
    lines = list(difflib.ndiff(old, new)) if len(old) * len(new) < 40_000 else []
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in ("+ ", "- "))
    counted = f"+{added} \N{MINUS SIGN}{removed} lines" if lines else f"{len(old)} lines became {len(new)}"
    yield ChangedPart("prompt", f"the prompt changed ({counted})")


def _fields(base: CaseDefinition, tip: CaseDefinition) -> Iterable[ChangedPart]:
    for field, word in _FIELDS:
        was, now = getattr(base, field), getattr(tip, field)
        if was == now:
            continue
        if isinstance(was, tuple) and set(was) != set(now):
            gone = [shown(v) for v in was if v not in now]
            new = [shown(v) for v in now if v not in was]
            said = [f"without {', '.join(gone)}"] * bool(gone) + [f"with {', '.join(new)}"] * bool(new)
            yield ChangedPart(word, f"{word} now {' and '.join(said)}")
        elif isinstance(was, tuple):
            yield ChangedPart(word, f"{word} stand in another order")
        else:
            yield ChangedPart(word, f"{word}: {shown(was)} became {shown(now)}")


def _runs(base: CaseDefinition, tip: CaseDefinition) -> Iterable[ChangedPart]:
    if tip.runs < base.runs:
        yield ChangedPart("runs", f"{tip.runs} runs where {base.runs} were asked for", SAMPLES_FEWER)
    elif tip.runs > base.runs:
        yield ChangedPart("runs", f"{tip.runs} runs where {base.runs} were asked for", NOTE)


def _scripts(case: CaseDefinition) -> dict[str, str]:
    """The files of the folder that the case names, and what each is to it."""
    named = {case.scaffold_script: "scaffold", case.history_file: "history"}
    for grader in case.graders:
        path = grader.config.get("baseline_file")
        named |= {path: "baseline"} if isinstance(path, str) else {}
    return {path.removeprefix("./"): word for path, word in named.items() if path}


def _files(files: Sequence[ChangedFile], named: Mapping[str, str], known: Sequence[str]) -> list[ChangedPart]:
    """Files of the folder that no other part speaks of."""
    return [
        ChangedPart(
            word,
            f"{word} {visible(_short(file.path))} {file.status if file.status != 'mode' else 'has another mode'}{stat(file)}",
        )
        for file in files
        if file.path not in known and not _is_grader_file(file.path)
        for word in [named.get(file.path, "fixture")]
    ]


def stat(file: ChangedFile) -> str:
    """` (+2 −1 lines)`, "" where lines say nothing."""
    if file.added is None or file.removed is None or not (file.added or file.removed):
        return ""
    return f" (+{file.added} \N{MINUS SIGN}{file.removed} lines)"


def _is_grader_file(path: str) -> bool:
    return path.startswith("graders/") and path.endswith(".md") and path.count("/") == 1


def _writing_only(files: Sequence[ChangedFile]) -> Iterable[ChangedPart]:
    """Files that define the case and changed, although nothing that is read from them did."""
    for file in files:
        name = visible(_short(file.path))
        if _is_grader_file(file.path) and file.status == "added":
            yield ChangedPart("grader", f"{name} was added and grades nothing", NOTE)
        else:
            yield ChangedPart("case", f"{name} changed, though nothing that is graded by{stat(file)}")


def shown(value: object) -> str:
    """A value as one short piece of a sentence, safe to print."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{visible(str(k))}: {shown(v)}" for k, v in value.items()) + "}"
    return f"`{visible(_short(str(value)))}`"


def _short(text: str, most: int = _SHOWN) -> str:
    return text if len(text) <= most else f"{text[: most - 20]}\N{HORIZONTAL ELLIPSIS}{text[-19:]}"
