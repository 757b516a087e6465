"""What became of the cases that the tip no longer lists by their name: pure (design, sections 3, 10.9, 10.14, 10.15, 10.34).

A base case that is not there by id may have moved with its file (git says which file was renamed), may stand under
pytest's suffix (`p[1]` beside `p[1_0]`), may belong to a file that no longer loads or skips itself, or may be one of a row
that carries only positions. What is left over is gone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shipmoor_hooks.standing import BaseCase, TipCase

_POSITIONAL = re.compile(r"^([A-Za-z_]+)(0|[1-9][0-9]*)$")


@dataclass(frozen=True, slots=True)
class Fewer:
    """Positional cases of one function: its id without the bracket, and how many stood and stand."""

    id: str
    base: int
    tip: int


@dataclass(slots=True)
class Pairing:
    """Each base id's fate, in the order in which the rules look: `same` and `moved` map base ids to tip ids."""

    same: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    unloadable: dict[str, list[str]] = field(default_factory=dict)  # record of the file -> base ids
    self_skipped: dict[str, str] = field(default_factory=dict)  # base id -> record of the file
    fewer: list[Fewer] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def pair(base: Mapping[str, BaseCase], tip: Mapping[str, TipCase], renames: Mapping[str, str]) -> Pairing:
    """Match the base's inventory with the tip's. `renames` maps the old path of a file to its new one, as git sees it."""
    result = Pairing()
    files = {i: c for i, c in tip.items() if c.covers}
    lost = []
    for case_id in sorted(base):
        if case_id in tip and not tip[case_id].covers:
            result.same[case_id] = case_id
        elif not _synthetic(case_id):
            lost.append(case_id)
    arrivals = {i for i, c in tip.items() if i not in base and not c.covers and not _synthetic(i)}
    lost = _in_files(lost, files, result)
    lost = _moved(lost, arrivals, renames, result)
    lost = _suffixed(lost, arrivals, result)
    lost = _positional(lost, base, tip, result)
    result.gone = lost
    result.new = sorted(arrivals)
    return result


def _synthetic(case_id: str) -> bool:
    """The exit code of a run is a case only while it is red: its absence loses nothing."""
    return case_id.startswith("<run>::")


def _in_files(lost: Sequence[str], files: Mapping[str, TipCase], result: Pairing) -> list[str]:
    left = []
    for case_id in lost:
        record = next((f for f in files.values() if case_id.startswith(f.covers)), None)
        if record is None:
            left.append(case_id)
        elif record.outcome.is_red:
            result.unloadable.setdefault(record.id, []).append(case_id)
        else:
            result.self_skipped[case_id] = record.id
    return left


def _moved(lost: Sequence[str], arrivals: set[str], renames: Mapping[str, str], result: Pairing) -> list[str]:
    left = []
    for case_id in lost:
        path, separator, rest = case_id.partition("::")
        new_id = f"{renames[path]}{separator}{rest}" if path in renames else ""
        if new_id in arrivals:
            arrivals.discard(new_id)
            result.moved[case_id] = new_id
        else:
            left.append(case_id)
    return left


def _suffixed(lost: Sequence[str], arrivals: set[str], result: Pairing) -> list[str]:
    """pytest numbers equal parameter ids only while there are several: `p[1]` is the first of `p[1_0]`, `p[1_1]`."""
    left = []
    for case_id in lost:
        twin = ""
        if case_id.endswith("]"):
            numbered = [f"{case_id[:-1]}_{i}]" for i in (0, 1)]
            if all(n in arrivals for n in numbered):
                twin = numbered[0]
            elif case_id.endswith("_0]") and f"{case_id[:-3]}]" in arrivals:
                twin = f"{case_id[:-3]}]"
        if twin:
            arrivals.discard(twin)
            result.same[case_id] = twin
        else:
            left.append(case_id)
    return left


def _positional(
    lost: Sequence[str], base: Mapping[str, BaseCase], tip: Mapping[str, TipCase], result: Pairing
) -> list[str]:
    left, done = [], set()
    for case_id in lost:
        function = case_id.partition("[")[0]
        if function in done:
            continue
        before = positions(function, base)
        after = positions(function, tip)
        if before and after:
            done.add(function)
            result.fewer.append(Fewer(function, len(before), len(after)))
        else:
            left.append(case_id)
    return left


def positions(function: str, ids: Mapping[str, object]) -> list[int]:
    """The indexes of a function's cases when each id carries nothing but a position (`o0`, `o1`, ...); else none."""
    words, found = set(), []
    for case_id in ids:
        head, bracket, parameter = case_id.partition("[")
        if head != function:
            continue
        match = _POSITIONAL.match(parameter[:-1]) if bracket and parameter.endswith("]") else None
        if match is None:
            return []
        words.add(match[1])
        found.append(int(match[2]))
    return sorted(found) if len(words) == 1 and sorted(found) == list(range(len(found))) else []
