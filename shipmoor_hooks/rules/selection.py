"""Which of the runs on a tree may be compared: pure (design, sections 2, 3, 10.8, 10.10 and 10.30).

`choose` sorts what the spool holds for one side of one suite into variants, joins shards, sets aside what is weaker than
the policy asks, partial or incomplete, and keeps the reason of everything that it set aside.
"""

from __future__ import annotations

import math

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.model import Case, Code, Evidence, Problem, Run, Sealing, Suite

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Stock:
    """What the spool holds for the trees of one side: runs, unfinished runs, what cannot be read (as problems), and runs
    under the seal of a key that is not known here."""

    runs: tuple[Run, ...] = ()
    begun: tuple[Run, ...] = ()
    unreadable: tuple[Problem, ...] = ()
    foreign: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One side of one suite: `usable` maps a variant (None: the suite has none) to its complete runs, oldest first.

    `problems` maps a variant to why its other runs do not count, the newest first; those that are older than a usable run
    are of no interest and left out. The key None also holds, last, what cannot be told apart by variant.
    """

    usable: Mapping[str | None, tuple[Run, ...]]
    problems: Mapping[str | None, tuple[Problem, ...]]


def choose(stock: Stock, suite: Suite, evidence: Evidence) -> Choice:
    """The usable runs of a suite among the runs on one tree, by variant, and why the others are not."""
    usable: dict[str | None, list[Run]] = {}
    problems: dict[str | None, list[tuple[float, Problem]]] = {}
    shards: dict[str | None, list[Run]] = {}
    for run in stock.runs:
        if run.suite != suite.name:
            continue
        reason = unusable(run, evidence, suite.require)
        if reason is not None:
            problems.setdefault(run.variant, []).append((run.started, reason))
        elif run.shard is not None:
            shards.setdefault(run.variant, []).append(run)
        elif suite.shards:
            problems.setdefault(run.variant, []).append((run.started, _whole_where_shards(suite)))
        else:
            usable.setdefault(run.variant, []).append(run)
    for variant, parts in shards.items():
        joined, missing = join(parts, suite)
        usable.setdefault(variant, []).extend(joined)
        problems.setdefault(variant, []).extend(missing)
    for run in stock.begun:
        if run.suite == suite.name:
            problems.setdefault(run.variant, []).append((run.started, _unfinished(run)))
    for run in stock.foreign:
        if run.suite == suite.name:
            problems.setdefault(run.variant, []).append((run.started, _foreign(run)))
    told = {v: _recent(rows, usable.get(v, ())) for v, rows in problems.items()}
    if stock.unreadable:
        told[None] = (*told.get(None, ()), *stock.unreadable)
    return Choice(
        {v: tuple(sorted(runs, key=_order)) for v, runs in usable.items() if runs},
        {v: rows for v, rows in told.items() if rows},
    )


def _recent(rows: Iterable[tuple[float, Problem]], usable: Iterable[Run]) -> tuple[Problem, ...]:
    """The problems of runs that started no earlier than every usable one, the newest first."""
    since = max((r.started for r in usable), default=-math.inf)
    newest_first = sorted(rows, key=lambda row: (-row[0], row[1].code.value, row[1].message))
    return tuple(problem for started, problem in newest_first if started >= since)


def unusable(run: Run, evidence: Evidence, require: Sequence[str] = ()) -> Problem | None:
    """Why a finished run does not count; None when it counts.

    It may be bound to nothing, partial or incomplete, weaker than the policy asks, or silent about a condition that the
    policy requires.
    """
    if run.problems:
        return run.problems[0]
    if run.tree is None:
        return Problem(Code.TREE_CHANGED, f"the run of {run.suite} is bound to no tree", _again(run))
    if not run.count.of:  # each case would be made, to be looked at
        return Problem(Code.RUN_INCOMPLETE, f"the run of {run.suite} lists no case", _again(run))
    if run.counts_as < evidence:
        seal = f" ({run.sealing.value}, so it counts as {run.counts_as.word})" if run.counts_as < run.evidence else ""
        return Problem(
            Code.EVIDENCE_WEAK,
            f"the run of {run.suite} is {run.evidence.word}{seal}, and the policy asks for {evidence.word}",
            _again(run),
        )
    known = {name for name, _ in run.conditions}
    silent = [name for name in require if name not in known]
    if silent:
        return Problem(
            Code.EVIDENCE_WEAK,
            f"the run of {run.suite} does not tell its {', '.join(silent)}, and the policy requires that",
            _again(run),
        )
    return None


def join(parts: Sequence[Run], suite: Suite) -> tuple[list[Run], list[tuple[float, Problem]]]:
    """Shards of one variant joined: for each N the newest of each I; the start is the oldest part's.

    A set that lacks a part is a SHARD_MISSING problem that names it.
    """
    joined: list[Run] = []
    missing: list[tuple[float, Problem]] = []
    totals = {suite.shards} if suite.shards else {p.shard.total for p in parts if p.shard}
    for total in sorted(totals):
        newest: dict[int, Run] = {}
        for part in sorted(parts, key=_order):
            if part.shard and part.shard.total == total:
                newest[part.shard.index] = part
        absent = [i for i in range(1, total + 1) if i not in newest]
        if absent:
            names = ", ".join(f"{i}/{total}" for i in absent)
            start = max((p.started for p in newest.values()), default=0.0)
            missing.append((start, _shard_missing(suite, names, total)))
        else:
            joined.append(_joined([newest[i] for i in sorted(newest)]))
    return joined, missing


def _joined(parts: Sequence[Run]) -> Run:
    """Shards as one run. It ended with 0 only if each did, and a condition in which they differ is that of none."""
    return replace(
        parts[0],
        id=min(p.id for p in parts),
        shard=None,
        started=min(p.started for p in parts),
        sequence=max(p.sequence for p in parts),
        cases=merge_cases(parts),
        evidence=min(p.evidence for p in parts),
        sealing=weakest_sealing(parts),
        clock_suspect=any(p.clock_suspect for p in parts),
        exit_code=next((p.exit_code for p in parts if p.exit_code), parts[0].exit_code),
        conditions=_conditions(parts),
    )


def weakest_sealing(parts: Sequence[Run]) -> Sealing:
    """Joined parts are sealed, or signed, when each of them is."""
    ranks = (Sealing.FOREIGN, Sealing.UNSEALED, Sealing.UNCHECKED, Sealing.SIGNED, Sealing.SEALED)
    return min((p.sealing for p in parts), key=ranks.index)


def _conditions(parts: Sequence[Run]) -> tuple[tuple[str, str], ...]:
    values: dict[str, dict[str, None]] = {}
    for part in parts:
        for name, value in part.conditions:
            values.setdefault(name, {})[value] = None
    return tuple((name, " and ".join(values[name])) for name in sorted(values))


def merge_cases(parts: Iterable[Run]) -> tuple[Case, ...]:
    """The cases of several parts of one run as one list, sorted by id; a case that stands in two parts counts twice."""
    cases: dict[tuple[str, str], Case] = {}
    for part in parts:
        for case in part.cases:
            key = (case.id, case.kind.value)
            other = cases.get(key)
            cases[key] = case if other is None else _both(other, case)
    return tuple(cases[key] for key in sorted(cases))


def _both(one: Case, other: Case) -> Case:
    worst = max(one, other, key=lambda c: c.outcome.badness)
    return replace(
        worst,
        count=one.count + other.count,
        passed=one.passed + other.passed,
        samples=one.samples + other.samples,
        raws=tuple(dict.fromkeys((*one.raws, *other.raws))),
    )


def _order(run: Run) -> tuple[float, int, str]:
    return run.started, run.sequence, run.id


def _shard_missing(suite: Suite, names: str, total: int) -> Problem:
    first = names.partition(",")[0]
    return Problem(
        Code.SHARD_MISSING,
        f"shard {names} of {suite.name} has no run on this tree, and a run of {total} shards counts only whole",
        f"shipmoor-hooks run --suite {suite.name} --shard {first}",
    )


def _whole_where_shards(suite: Suite) -> Problem:
    return Problem(
        Code.SHARD_MISSING,
        f"the policy says that {suite.name} runs in {suite.shards} shards, and this run names none",
        f"shipmoor-hooks run --suite {suite.name} --shard 1/{suite.shards}",
    )


def _unfinished(run: Run) -> Problem:
    return Problem(
        Code.RUN_INCOMPLETE,
        f"a run of {run.suite} was started on this tree and did not end",
        _again(run),
    )


def _foreign(run: Run) -> Problem:
    """A container's run is foreign on its host, and so is a colleague's: which of them, only the user can say."""
    return Problem(
        Code.SEAL_FOREIGN,
        f"the run of {run.suite} was sealed by a key that is not known here ({run.key}): made by another user, on another "
        "machine or in a container (`shipmoor-hooks key import` makes a key of your own known)",
        _again(run),
    )


def _again(run: Run) -> str:
    return f"shipmoor-hooks run --suite {run.suite}" + (f" --shard {run.shard}" if run.shard else "")
