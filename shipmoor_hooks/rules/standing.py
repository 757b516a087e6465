"""How each case stands on one side, over all usable runs of one suite and variant: pure (design, sections 3 and 10.7).

At the base the inventory is the union of the runs, so that a smaller run captured later shrinks nothing. At the tip
`reruns` says which runs decide: the newest (with equal starts all of these, the worst wins) or every one. Records that
speak of more than a case (a file that does not load, a failure outside every case, an exit code) stand beside the cases
and are no members of an inventory: nothing is lost when one goes away.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.model import Case, Count, Outcome, RecordKind, Run

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class BaseCase:
    """A case at the base: how often it stood, whether some run showed it green or not skipped, and where it was red.

    `raws` are the names that normalising made one, where it changed them.
    """

    id: str
    count: int
    green: bool
    ran: bool
    red_in: tuple[Run, ...]
    total: Count
    raws: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TipCase:
    """A record at the tip: the outcome that decides, its count there, and k of n over all complete runs on this tree."""

    id: str
    outcome: Outcome
    count: int
    total: Count
    runs: int
    kind: RecordKind = RecordKind.CASE
    covers: str = ""
    raws: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Tip:
    """The tip's records by id: cases, whole files that do not load or skip themselves, failures outside every case."""

    cases: Mapping[str, TipCase]
    files: Mapping[str, TipCase]
    failures: Mapping[tuple[RecordKind, str], TipCase]


def at_base(runs: Sequence[Run]) -> dict[str, BaseCase]:
    """The base's inventory by id: the union of the cases of its complete runs."""
    seen: dict[str, list[tuple[Run, Case]]] = {}
    for run in runs:
        for case in run.cases:
            if case.kind is RecordKind.CASE:
                seen.setdefault(case.id, []).append((run, case))
    return {i: _base_case(i, rows) for i, rows in seen.items()}


def _base_case(case_id: str, rows: Sequence[tuple[Run, Case]]) -> BaseCase:
    return BaseCase(
        case_id,
        count=max(c.count for _, c in rows),
        green=any(c.outcome.is_green for _, c in rows),
        ran=any(not c.outcome.is_skip for _, c in rows),
        red_in=tuple(r for r, c in rows if c.outcome.is_red),
        total=Count(sum(c.passed for _, c in rows), sum(c.samples for _, c in rows)),
        raws=frozenset(raw for _, c in rows for raw in c.raws),
    )


def failures_at_base(runs: Sequence[Run]) -> dict[tuple[RecordKind, str], tuple[Run, ...]]:
    """The runs in which a record that is no case was red, by kind and id; exit codes, whatever the number, by ""."""
    seen: dict[tuple[RecordKind, str], list[Run]] = {}
    for run in runs:
        for case in run.cases:
            if case.kind is not RecordKind.CASE and case.outcome.is_red:
                name = "" if case.kind is RecordKind.RUN else case.id
                seen.setdefault((case.kind, name), []).append(run)
    return {key: tuple(found) for key, found in seen.items()}


def deciding(runs: Sequence[Run], reruns: str) -> list[Run]:
    """The runs whose outcomes count: all of them, or those that started last."""
    if reruns == "all":
        return list(runs)
    newest = max(r.started for r in runs)
    return [r for r in runs if r.started == newest]


def newest_of(runs: Sequence[Run]) -> Run:
    """The run that started last; of equal starts the one that was stored last (10.30)."""
    return max(runs, key=lambda r: (r.started, r.sequence, r.id))


def at_tip(runs: Sequence[Run], reruns: str) -> Tip:
    """The tip's records. A case stands there only if each deciding run has it; the worst outcome and count win.

    A record that is no case counts where any deciding run has it.
    """
    decide = deciding(runs, reruns)
    samples: dict[tuple[RecordKind, str], list[Case]] = {}
    for run in runs:
        for case in run.cases:
            samples.setdefault((case.kind, case.id), []).append(case)
    rows: dict[tuple[RecordKind, str], list[Case]] = {}
    for run in decide:
        for case in run.cases:
            rows.setdefault((case.kind, case.id), []).append(case)
    cases, files, failures = {}, {}, {}
    for key, found in rows.items():
        kind, case_id = key
        if kind is not RecordKind.CASE:
            stands = _tip_case(found, samples[key])
            if kind is RecordKind.FILE:
                files[case_id] = stands
            else:
                failures[key] = stands
        elif len(found) == len(decide):
            cases[case_id] = _tip_case(found, samples[key])
    return Tip(cases, files, failures)


def _tip_case(rows: Sequence[Case], samples: Sequence[Case]) -> TipCase:
    worst = max(rows, key=lambda c: c.outcome.badness)
    return TipCase(
        worst.id,
        worst.outcome,
        count=min(c.count for c in rows),
        total=Count(sum(c.passed for c in samples), sum(c.samples for c in samples)),
        runs=len(samples),
        kind=worst.kind,
        covers=worst.covers,
        raws=frozenset(raw for c in rows for raw in c.raws),
    )


def n_of_n(tip: Tip) -> Count:
    """n of N at the tip."""
    real = [*tip.cases.values(), *tip.files.values()]
    real += [c for c in tip.failures.values() if c.kind is not RecordKind.RUN]
    return Count(sum(c.outcome.is_green for c in real), len(real))


def base_n_of_n(runs: Sequence[Run], base: Mapping[str, BaseCase]) -> Count:
    """n of N at the base: what the newest run passed, of the union of all."""
    newest = newest_of(runs)
    beside = sum(c.kind in (RecordKind.FILE, RecordKind.SUITE) for c in newest.cases)
    return Count(newest.count.passed, len(base) + beside)
