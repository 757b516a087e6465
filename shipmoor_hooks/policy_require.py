"""`suite.NAME.require`: a list of conditions, or a table with what every case of an eval suite must hold (section 8)."""

# mypy: disable-error-code="func-returns-value"

from __future__ import annotations

from shipmoor_hooks import policy_values as values
from shipmoor_hooks.model import CaseRules
from shipmoor_hooks.policy_values import Faults, expected, hint
from shipmoor_hooks.toml_lines import Path

KEYS = ("conditions", "graders", "judge", "max_seconds")
PAIR = ("when", "also")


def require(value: object, path: Path, faults: Faults) -> CaseRules | None:
    """The rules; a list is that of the conditions alone."""
    if isinstance(value, list):
        conditions = values.strings(value, path, faults)
        return None if conditions is None else CaseRules(conditions)
    if not isinstance(value, dict):
        return faults.add(path, expected("a list of strings or a table", value))
    for key in value:
        if key not in KEYS:
            faults.add((*path, key), f"unknown key; {hint(key, KEYS)}")
    return CaseRules(
        conditions=values.strings(value.get("conditions", []), (*path, "conditions"), faults) or (),
        graders=_graders(value.get("graders", []), (*path, "graders"), faults),
        pairs=_pairs(value.get("graders", []), (*path, "graders"), faults),
        judge=_judge(value["judge"], (*path, "judge"), faults) if "judge" in value else None,
        max_seconds=_seconds(value["max_seconds"], (*path, "max_seconds"), faults) if "max_seconds" in value else None,
    )


def _graders(value: object, path: Path, faults: Faults) -> tuple[str, ...]:
    """The names in the list; tables in it are pairs."""
    if not isinstance(value, list):
        faults.add(path, expected('a list of names and { when = "A", also = "B" } tables', value))
        return ()
    names = [(n, v) for n, v in enumerate(value) if not isinstance(v, dict)]
    found = [values.text(name, (*path, number), faults) for number, name in names]
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _pairs(value: object, path: Path, faults: Faults) -> tuple[tuple[str, str], ...]:
    found = []
    for number, pair in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(pair, dict):
            continue
        place = (*path, number)
        for key in pair:
            if key not in PAIR:
                faults.add((*place, key), f"unknown key; {hint(key, PAIR)}")
        missing = [key for key in PAIR if key not in pair]
        if missing:
            faults.add(place, f"expected the key {missing[0]} as well")
            continue
        words = [values.text(pair[key], (*place, key), faults) for key in PAIR]
        if words[0] is not None and words[1] is not None:
            found.append((words[0], words[1]))
    return tuple(found)


def _judge(value: object, path: Path, faults: Faults) -> bool | None:
    return values.flag(value, path, faults)


def _seconds(value: object, path: Path, faults: Faults) -> float | None:
    return values.positive("a number of seconds")(value, path, faults)
