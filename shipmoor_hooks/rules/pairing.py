"""What became of the cases that the tip no longer lists by their name: pure (design, sections 3, 10.9, 10.14, 10.15, 10.34).

A base case that is not there by id may belong to a file that no longer loads or skips itself, may have moved with its file
(git says which file was renamed), may stand under pytest's suffix (`p[1]` beside `p[1_0]`), or may be one of a row that
carries only positions. What is left over is gone.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.rules.standing import BaseCase, Tip, TipCase

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_DIGITS = "0123456789"
_LONGEST = 9  # digits of a position


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


def pair(base: Mapping[str, BaseCase], tip: Tip, renames: Mapping[str, str]) -> Pairing:
    """Match the base's inventory with the tip's.

    `renames` holds what git sees moved: the old path of a file to its new one, or a case's id to the id under which its
    own block stands now.
    """
    result = Pairing()
    lost = []
    for case_id in sorted(base):
        if case_id in tip.cases:
            result.same[case_id] = case_id
        else:
            lost.append(case_id)
    arrivals = {i for i in tip.cases if i not in base}
    lost = _in_files(lost, tip.files, renames, result)
    lost = _moved(lost, arrivals, renames, result)
    lost = _suffixed(lost, arrivals, result)
    result.gone = _positional(lost, base, tip.cases, result)
    result.new = sorted(arrivals)
    return result


def _in_files(
    lost: Sequence[str], files: Mapping[str, TipCase], renames: Mapping[str, str], result: Pairing
) -> list[str]:
    """A file that does not load counts under its new name as well: a rename must not turn it into removed cases."""
    covering: dict[str, TipCase] = {}
    for file in files.values():
        other = covering.get(file.covers)
        if other is None or file.outcome.badness > other.outcome.badness:
            covering[file.covers] = file
    left: list[str] = []
    for case_id in lost:
        record = _record_over(case_id, covering) or _record_over(_renamed(case_id, renames), covering)
        if record is None:
            left.append(case_id)
        elif record.outcome.is_red:
            result.unloadable.setdefault(record.id, []).append(case_id)
        else:
            result.self_skipped[case_id] = record.id
    return left


def _record_over(case_id: str, covering: Mapping[str, TipCase]) -> TipCase | None:
    """The record whose prefix is the longest that the id starts with; a prefix ends at `::` or `/`."""
    found: TipCase | None = None
    end = _next_boundary(case_id, 0) if covering else 0
    while end:
        found = covering.get(case_id[:end]) or found
        end = _next_boundary(case_id, end)
    return found


def _next_boundary(case_id: str, start: int) -> int:
    """Where the next `::` or `/` behind `start` ends; 0 where there is none."""
    ends = [at + len(mark) for mark in ("::", "/") if (at := case_id.find(mark, start)) >= 0]
    return min(ends, default=0)


def _renamed(case_id: str, renames: Mapping[str, str]) -> str:
    """The id that a case has when it moved, by itself or with its file; "" when it did not."""
    if case_id in renames:
        return renames[case_id]
    path, separator, rest = case_id.partition("::")
    return f"{renames[path]}{separator}{rest}" if path in renames else ""


def _moved(lost: Sequence[str], arrivals: set[str], renames: Mapping[str, str], result: Pairing) -> list[str]:
    """One departure for one arrival; an arrival that two departures claim belongs to neither (10.15)."""
    claims: dict[str, list[str]] = {}
    for case_id in lost:
        claims.setdefault(_renamed(case_id, renames), []).append(case_id)
    left = []
    for case_id in lost:
        new_id = _renamed(case_id, renames)
        if new_id in arrivals and len(claims[new_id]) == 1:
            arrivals.discard(new_id)
            result.moved[case_id] = new_id
        else:
            left.append(case_id)
    return left


def _suffixed(lost: Sequence[str], arrivals: set[str], result: Pairing) -> list[str]:
    """pytest numbers equal parameter ids only while there are several: `p[1]` is the first of `p[1_0]`, `p[1_1]`."""
    before = frozenset(lost)
    left = []
    for case_id in lost:
        twin = _numbered(case_id, arrivals) or _unnumbered(case_id, before, arrivals)
        if twin:
            arrivals.discard(twin)
            result.same[case_id] = twin
        else:
            left.append(case_id)
    return left


def suffixed(case_id: str, number: int) -> str:
    """The id that pytest gives the case when its parameter's id stands several times: `_` only behind a digit."""
    inner = case_id[:-1]
    return f"{inner}{'_' if inner[-1:].isdigit() else ''}{number}]"


def _numbered(case_id: str, arrivals: set[str]) -> str:
    both = [suffixed(case_id, 0), suffixed(case_id, 1)] if case_id.endswith("]") else []
    return both[0] if both and arrivals.issuperset(both) else ""


def _unnumbered(case_id: str, before: frozenset[str], arrivals: set[str]) -> str:
    """The way back: the first of a numbered row that is gone as a whole, where the id without a number has come."""
    if not case_id.endswith("0]"):
        return ""
    plain = case_id[:-2].removesuffix("_") + "]"
    fits = suffixed(plain, 0) == case_id and suffixed(plain, 1) in before
    return plain if fits and plain in arrivals else ""


def _positional(
    lost: Sequence[str], base: Mapping[str, BaseCase], tip: Mapping[str, TipCase], result: Pairing
) -> list[str]:
    functions = {case_id.partition("[")[0] for case_id in lost if case_id.endswith("]")}
    before, after = _parameters(functions, base), _parameters(functions, tip)
    rows = {f: (row(before[f]), row(after[f])) for f in sorted(functions)}
    fewer = {f for f, (b, t) in rows.items() if b and t and b[0] == t[0]}
    result.fewer += [Fewer(f, len(before[f]), len(after[f])) for f in sorted(fewer)]
    return [i for i in lost if i.partition("[")[0] not in fewer]


def _parameters(functions: set[str], ids: Iterable[str]) -> dict[str, list[str]]:
    """What stands behind the name of each of these functions, once for each case."""
    found: dict[str, list[str]] = {f: [] for f in functions}
    for case_id in ids if functions else ():
        function, bracket, parameter = case_id.partition("[")
        if function in found:
            found[function].append(bracket + parameter)
    return found


def row(parameters: Sequence[str]) -> tuple[str, int] | None:
    """The word and the length of a row of cases whose ids carry nothing but a position (`[o0]`, `[o1]`, ...); else None."""
    words, indexes = set(), []
    for parameter in parameters:
        inside = parameter[1:-1] if parameter[:1] == "[" and parameter[-1:] == "]" else ""
        word = inside.rstrip(_DIGITS)
        digits = inside[len(word) :]
        if not 0 < len(digits) <= _LONGEST or str(int(digits)) != digits or not _is_word(word):
            return None
        words.add(word)
        indexes.append(int(digits))
    if len(words) != 1 or sorted(indexes) != list(range(len(indexes))):
        return None
    return words.pop(), len(indexes)


def _is_word(text: str) -> bool:
    """ASCII letters and underscores, one at least."""
    return text.isascii() and text.replace("_", "a").isalpha()


def last_name(case_id: str) -> str:
    """The name of a case without its file and classes, its parameters included."""
    head, bracket, parameters = case_id.partition("[")
    return head.rpartition("::")[2] + bracket + parameters
