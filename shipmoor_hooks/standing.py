"""How each case stands on one side, over all usable runs of one suite and variant: pure (design, sections 3 and 10.7).

At the base the inventory is the union of the runs, so that a smaller run captured later shrinks nothing. At the tip
`reruns` says which runs decide: the newest (with equal starts all of these, the worst wins) or every one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shipmoor_hooks.model import Case, Count, Outcome, RecordKind, Run


@dataclass(frozen=True, slots=True)
class BaseCase:
    """A case at the base: how often it stood, whether some run showed it green or not skipped, and where it was red."""

    id: str
    count: int
    green: bool
    ran: bool
    red_in: tuple[Run, ...]
    total: Count
    raws: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TipCase:
    """A case at the tip: the outcome that decides, its count there, and k of n over all complete runs on this tree."""

    id: str
    outcome: Outcome
    count: int
    total: Count
    runs: int
    kind: RecordKind
    covers: str = ""
    raws: frozenset[str] = frozenset()


def at_base(runs: Sequence[Run]) -> dict[str, BaseCase]:
    """The base's inventory by id: the union of its complete runs, records for whole files left out."""
    seen: dict[str, list[tuple[Run, Case]]] = {}
    for run in runs:
        for case in run.cases:
            if not case.covers:
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


def deciding(runs: Sequence[Run], reruns: str) -> list[Run]:
    """The runs whose outcomes count: all of them, or those that started last."""
    if reruns == "all":
        return list(runs)
    newest = max(r.started for r in runs)
    return [r for r in runs if r.started == newest]


def at_tip(runs: Sequence[Run], reruns: str) -> dict[str, TipCase]:
    """The tip's cases by id. A case stands there only if each deciding run has it; the worst outcome and count win."""
    decide = deciding(runs, reruns)
    inventories = [{c.id: c for c in run.cases} for run in decide]
    everything: dict[str, list[Case]] = {}
    for run in runs:
        for case in run.cases:
            everything.setdefault(case.id, []).append(case)
    common = set(inventories[0]).intersection(*inventories[1:])
    # A record that is red and synthetic (a file that does not load, an exit code) counts where any deciding run has it.
    common |= {c.id for i in inventories for c in i.values() if c.kind is not RecordKind.CASE}
    tip = {}
    for case_id in common:
        rows = [i[case_id] for i in inventories if case_id in i]
        worst = max(rows, key=lambda c: c.outcome.badness)
        all_rows = everything[case_id]
        tip[case_id] = TipCase(
            case_id,
            worst.outcome,
            count=min(c.count for c in rows),
            total=Count(sum(c.passed for c in all_rows), sum(c.samples for c in all_rows)),
            runs=len(all_rows),
            kind=worst.kind,
            covers=worst.covers,
            raws=frozenset(raw for c in rows for raw in c.raws),
        )
    return tip


def n_of_n(tip: dict[str, TipCase]) -> Count:
    """n of N at the tip."""
    real = [c for c in tip.values() if c.kind is not RecordKind.RUN]
    return Count(sum(c.outcome.is_green for c in real), len(real))


def base_n_of_n(runs: Sequence[Run], base: dict[str, BaseCase]) -> Count:
    """n of N at the base: what the newest run passed, of the union of all."""
    newest = max(runs, key=lambda r: (r.started, r.sequence, r.id))
    real = sum(1 for c in newest.cases if c.covers) + sum(1 for i in base if not i.startswith("<run>::"))
    return Count(newest.count.passed, real)
