"""`eval regrade`: recorded traces under the graders of two versions of a suite (design, section 8).

What comes of it is stored: it is the record that a disclosure of a changed pattern needs. It is no run of anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EvidenceFault, UsageFault
from shipmoor_hooks.evals import cross_table, grading
from shipmoor_hooks.evals.cross_table import FAULT, GREEN, OTHER, RED, UNLABELLED, WHOLE, Seen
from shipmoor_hooks.evals.definitions import CaseDefinition
from shipmoor_hooks.evals.graders import Recording
from shipmoor_hooks.evals.grading import Graded
from shipmoor_hooks.evals.matching import Engine
from shipmoor_hooks.evals.recorded_cases import EvalPlace, Version, version
from shipmoor_hooks.store import records, trace_store
from shipmoor_hooks.store.record_model import Label, Regrade
from shipmoor_hooks.store.trace_store import KeptTrace

MOST_TRACES = 2000  # of one case, the newest


@dataclass(frozen=True, slots=True)
class Order:
    """What to re-grade: the graders of `old` and of `new` (revisions, or `worktree`), for these cases (none: all that
    changed)."""

    old: str
    new: str
    cases: tuple[str, ...] = ()


def regrade(
    where: EvalPlace, order: Order, engine: Engine, now: float, tell: Callable[[str], None]
) -> tuple[Regrade, ...]:
    """The records, stored, one a case that changed or was named. `tell` is given a line for what is left out.

    Raises UsageFault for a case that is not on both sides, EvidenceFault where the folder of a side is bound to nothing.
    """
    old, new = version(where, order.old), version(where, order.new)
    names = order.cases or tuple(
        name for name in new.cases if name in old.cases and old.expectations[name] != new.expectations[name]
    )
    kept, broken = trace_store.every(where.place.common_dir, where.suite.name)
    for one in broken:
        tell(f"a kept trace cannot be used: {one.text}")
    labels = latest_labels(where.place.common_dir)
    found = []
    for name in names:
        before, after = _case(old, name), _case(new, name)
        rows = _seen(where, (before, after), _chosen(kept, name), labels, engine, tell)
        changed = cross_table.changed(before.graders, after.graders)
        record = Regrade(
            id=records.new_id(),
            suite=where.suite.name,
            case=name,
            recorded=now,
            old=_folder(old, name),
            new=_folder(new, name),
            tallies=cross_table.tallies(rows, changed),
            graders=changed,
            newly_wrong=cross_table.newly_wrong(rows, changed),
            newly_fault=cross_table.newly_fault(rows),
        )
        records.write(where.place.common_dir, record)
        found.append(record)
    return tuple(found)


def latest_labels(common_dir: str) -> dict[str, str]:
    """What a person last said of each trace, by the trace's name."""
    return {label.trace: label.label for label in records.every(common_dir, Label)[0]}


def _case(side: Version, name: str) -> CaseDefinition:
    found = side.cases.get(name)
    if found is None:
        raise UsageFault(f"{side.name[:12]} has no case {name!r} that loads", "shipmoor-hooks eval check")
    return found


def _folder(side: Version, name: str) -> str:
    folder = side.expectations[name]
    if folder is None:
        raise EvidenceFault(f"git sees no file of the case {name} in {side.name[:12]}", "git add its folder")
    return folder


def _chosen(kept: Sequence[KeptTrace], case: str) -> list[KeptTrace]:
    """The recordings that say something of the case: its own, and other cases' runs; the newest of each case."""
    by_case: dict[str, list[KeptTrace]] = {}
    for row in kept:
        own = row.case == case
        if row.passed is not None and (own or row.kind == trace_store.RUN):
            by_case.setdefault(row.case, []).append(row)
    return [row for rows in by_case.values() for row in rows[-MOST_TRACES:]]


def _seen(
    where: EvalPlace,
    sides: tuple[CaseDefinition, CaseDefinition],
    kept: Sequence[KeptTrace],
    labels: Mapping[str, str],
    engine: Engine,
    tell: Callable[[str], None],
) -> list[Seen]:
    used: list[KeptTrace] = []

    def recordings() -> Iterator[tuple[str, Recording]]:
        for row in kept:
            try:
                recording = grading.kept(where.place.common_dir, row)
            except EvidenceFault as fault:
                tell(fault.message)
                continue
            used.append(row)
            yield row.sha, recording

    both = list(grading.grade_all(engine, [side.graders for side in sides], recordings()))
    name = sides[1].name
    return [
        Seen(row.sha, _kind(row, name), labels.get(row.sha, UNLABELLED), row.case, *_verdicts(sides, pair))
        for row, pair in zip(used, both, strict=True)
    ]


def _kind(row: KeptTrace, case: str) -> str:
    if row.case != case:
        return OTHER
    return FAULT if row.kind == trace_store.FAULT else GREEN if row.passed else RED


def _verdicts(
    sides: tuple[CaseDefinition, CaseDefinition], pair: Sequence[Graded]
) -> Iterator[Mapping[str, bool | None]]:
    for side, graded in zip(sides, pair, strict=True):
        named = {g.name: v.passed for g, v in zip(side.graders, graded.verdicts, strict=True)}
        yield {**named, WHOLE: graded.passed}
