"""The table of `stability` in words and as JSON: never "stable", always k of n with the bound. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shipmoor_hooks import rates
from shipmoor_hooks.model import Count
from shipmoor_hooks.rules.stability import CaseRow, FullRun, Group, Stability
from shipmoor_hooks.rules.wording import ago, several
from shipmoor_hooks.store.record_model import Regrade

_FEW = 20  # cases that are listed one by one where none of them was ever red
_GROUPS = 10
_HEAD = ("case", "full runs", "alone", "total", "")
TRACE_GONE = "cause not measured (trace gone)"


def bounded(count: Count) -> str:
    """What k of n allows: `no failure in 15: at least 0.82 at 95 %`."""
    bound = rates.worded(count.passed, count.of).partition(": ")[2]
    if count.of and count.passed == count.of:
        return f"no failure in {count.of}: {bound}"
    if count.of and not count.passed:
        return f"no success in {count.of}: {bound}"
    return bound


def lines(found: Stability, now: float, regrades: Sequence[Regrade] = (), *, verbose: bool = False) -> list[str]:
    """The whole answer, the newest group first; `now` in POSIX seconds."""
    if not (found.groups or found.intermediate or found.uncounted):
        return [f"{found.suite}: no run is stored"]
    out: list[str] = []
    shown = found.groups if verbose else found.groups[:_GROUPS]
    for group in shown:
        out += [*_group(found, group, now, verbose), ""]
    if len(found.groups) > len(shown):
        out += [f"{len(found.groups) - len(shown)} older groups are not shown (-v shows them)", ""]
    out += _intermediate(found.intermediate)
    if found.uncounted:
        out.append(f"not counted: {several(len(found.uncounted), 'run')}")
        out += [f"  {u.id[:12]}  {ago(now - u.started)}  {u.why}{_price(u.cost)}" for u in found.uncounted]
    out += [_regrade(r) for r in regrades]
    if found.cost is not None:
        out.append(f"all runs together, counted or not: ${found.cost:.2f} (list-price estimate)")
    while out and not out[-1]:
        out.pop()
    return out


def _group(found: Stability, group: Group, now: float, verbose: bool) -> list[str]:
    out = [_title(found.suite, group, now)]
    if len(group.trees) > 1 or len(group.labels) > 1 or any(len(r.expectations) > 1 for r in group.rows):
        out.append(f"  {_footnote(group)}")
    out.append(f"  {_full_runs(group)}")
    rows = list(group.rows)
    quiet: list[CaseRow] = []
    if not verbose and len(rows) > _FEW:
        quiet = [r for r in rows if r.total.of and r.total.passed == r.total.of and not r.invalid]
        rows = [r for r in rows if r not in quiet]
    if rows:
        out += [f"  {line}" for line in _table(rows)]
    if quiet:
        least = min(r.total.of for r in quiet)
        more = "other " if rows else ""
        out.append(f"  {len(quiet)} {more}cases: each at least {bounded(Count(least, least))}")
    return out


def _title(suite: str, group: Group, now: float) -> str:
    name = suite + (f" [{group.variant}]" if group.variant else "")
    trees = f"tree {group.trees[0][:12]}" if len(group.trees) == 1 else f"{len(group.trees)} trees"
    measurer = f", measured by {' and '.join(n or 'nobody named' for n in group.labels)}" if any(group.labels) else ""
    under = "; ".join(f"{n} {v}" for n, v in group.conditions)
    return f"{name}, {trees}{measurer}, newest {ago(now - group.newest)}" + (f" ({under})" if under else "")


def _footnote(group: Group) -> str:
    trees = ", ".join(t[:12] for t in group.trees)
    parts = [f"{several(len(group.trees), 'tree')} ({trees})"]
    versions = max((len(r.expectations) for r in group.rows), default=0)
    if versions > 1:
        parts.append(f"up to {versions} expectations a case")
    if len(group.labels) > 1:
        parts.append(several(len(group.labels), "measurer"))
    return f"joined because --join asked for it: {', '.join(parts)}; the numbers are no sample of one thing"


def _full_runs(group: Group) -> str:
    alone = f"; {several(group.alone_runs, 'run')} of a selection" if group.alone_runs else ""
    if not group.full_runs:
        return f"no full run{alone}"
    told = ", ".join(f"{r.count}{f' (shard {r.shard})' if r.shard else ''}" for r in group.full_runs[-_FEW:])
    earlier = "… " if len(group.full_runs) > _FEW else ""
    return f"{several(len(group.full_runs), 'full run')}: {earlier}{told}{alone}"


def _table(rows: Iterable[CaseRow]) -> list[str]:
    cells = [_HEAD]
    below: dict[int, list[str]] = {}
    for row in rows:
        cells.append((row.case, _full(row), _or_dash(row.alone), str(row.total), bounded(row.total)))
        below[len(cells)] = _remarks(row)
    wide = [max(len(line[i]) for line in cells) for i in range(4)]
    out = []
    for number, line in enumerate(cells, 1):
        out.append("  ".join([*(t.ljust(w) for t, w in zip(line, wide, strict=False)), line[4]]).rstrip())
        out += [f"    {remark}" for remark in below.get(number, ())]
    return out


def _full(row: CaseRow) -> str:
    """Samples of full runs; beside them the runs, where one run took several samples."""
    if not row.full.of:
        return "–"
    runs = f" in {row.full_runs.of} runs" if row.full_runs.of != row.full.of else ""
    return f"{row.full}{runs}"


def _or_dash(count: Count) -> str:
    return str(count) if count.of else "–"


def _remarks(row: CaseRow) -> list[str]:
    out = [f"expectation {e[:12]}" for e in row.expectations]
    fell: dict[str, int] = {}
    for name in (g for red in row.reds for g in red.graders):
        fell[name] = fell.get(name, 0) + 1
    if row.reds:
        graders = f"; fell: {', '.join(f'{n} ({k}x)' for n, k in sorted(fell.items()))}" if fell else ""
        runs = ", ".join(dict.fromkeys(r.run[:12] for r in row.reds))
        out.append(f"{len(row.reds)} red, in {runs}{graders}")
    gone = sum(r.has_trace is False for r in row.reds)
    if gone:
        out.append(f"{gone} of {len(row.reds)} red: {TRACE_GONE}")
    out += [f"no sample: {why}" for why in dict.fromkeys(row.invalid)]
    if row.skipped:
        out.append(f"did not run in {several(row.skipped, 'run')}")
    return out


def _intermediate(groups: Sequence[Group]) -> list[str]:
    if not groups:
        return []
    out = ["intermediate, not counted: no commit holds what these ran under"]
    for group in groups[:_GROUPS]:
        cost = sum(r.cost for r in group.rows)
        rows = group.rows if len(group.rows) <= _FEW else ()
        out.append(f"  tree {', '.join(t[:12] for t in group.trees)}: {_full_runs(group)}{_price(cost or None)}")
        for row in rows:
            under = f", expectation {row.expectations[0][:12]}" if row.expectations else ""
            out.append(f"    {row.case}  {row.total}{under}{_price(row.cost or None)}")
    if len(groups) > _GROUPS:
        out.append(f"  and {len(groups) - _GROUPS} more")
    return [*out, ""]


def _regrade(record: Regrade) -> str:
    told = "; ".join(
        f"{t.what}{f' of {t.case}' if t.case else ''}: old {t.old} of {t.of}, new {t.new} of {t.of}"
        for t in record.tallies
        if not t.grader  # the case as a whole
    )
    return f"re-graded, no run: {record.case}  {told}"


def _price(cost: float | None) -> str:
    return "" if cost is None else f", ${cost:.2f} (list-price estimate)"


# ---------------------------------------------------------------- JSON


def as_json(found: Stability, regrades: Sequence[Regrade] = ()) -> dict[str, Any]:
    """The schema `shipmoor-hooks.stability/1`; times in POSIX seconds, costs in US dollars at list price."""
    return {
        "schema": "shipmoor-hooks.stability/1",
        "suite": found.suite,
        "joined": found.joined,
        "groups": [_group_json(g) for g in found.groups],
        "intermediate": [_group_json(g) for g in found.intermediate],
        "uncounted": [{"run": u.id, "started": u.started, "why": u.why, "cost": u.cost} for u in found.uncounted],
        "regrades": [
            {
                "case": r.case,
                "old": r.old,
                "new": r.new,
                "tallies": [
                    {"what": t.what, "case": t.case or None, "old": t.old, "new": t.new, "of": t.of} for t in r.tallies
                ],
            }
            for r in regrades
        ],
        "cost": found.cost,
    }


def _group_json(group: Group) -> dict[str, Any]:
    return {
        "variant": group.variant,
        "trees": list(group.trees),
        "labels": [label or None for label in group.labels],
        "conditions": dict(group.conditions),
        "full_runs": [_full_run_json(r) for r in group.full_runs],
        "alone_runs": group.alone_runs,
        "cases": [_row_json(r) for r in group.rows],
    }


def _full_run_json(run: FullRun) -> dict[str, Any]:
    return {
        "run": run.id,
        "started": run.started,
        "passed": run.count.passed,
        "of": run.count.of,
        "seconds": run.seconds,
        "cost": run.cost,
        "shard": run.shard or None,
    }


def _row_json(row: CaseRow) -> dict[str, Any]:
    bound = rates.bound(row.total.passed, row.total.of)
    return {
        "case": row.case,
        "expectations": list(row.expectations),
        "full": [row.full.passed, row.full.of],
        "full_runs": [row.full_runs.passed, row.full_runs.of],
        "alone": [row.alone.passed, row.alone.of],
        "total": [row.total.passed, row.total.of],
        "bound": {"lower": bound.lower, "upper": bound.upper, "confidence": bound.confidence},
        "says": bounded(row.total),
        "reds": [
            {
                "run": r.run,
                "graders": list(r.graders),
                "cause": TRACE_GONE if r.has_trace is False else None,
            }
            for r in row.reds
        ],
        "invalid": list(row.invalid),
        "skipped": row.skipped,
        "cost": row.cost or None,
    }
