"""A run as text and JSON, for `run`, `capture`, `show`, `log`, `status` and `read`. Pure (design, section 7)."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from shipmoor_hooks import eval_block
from shipmoor_hooks.model import Case, CaseList, Report, Run, Sealing
from shipmoor_hooks.rules.wording import ago
from shipmoor_hooks.visible import visible

_SEALED_JSON: dict[Sealing, bool | str] = {
    Sealing.SEALED: True,
    Sealing.UNSEALED: False,
    Sealing.UNCHECKED: "unchecked",
    Sealing.FOREIGN: "foreign",
    Sealing.SIGNED: "signed",
}


def run_json(run: Run, *, cases: bool = False, not_covered: Sequence[str] = ()) -> dict[str, Any]:
    """A run in the schema `shipmoor-hooks.run/1`; with `cases` each case as well. `not_covered` is the policy's."""
    count = run.count
    told: dict[str, Any] = {
        "schema": "shipmoor-hooks.run/1",
        "run": run.id,
        "suite": run.suite,
        "variant": run.variant,
        "shard": str(run.shard) if run.shard else None,
        "tree": run.tree,
        "scoped_tree": run.scoped_tree,
        "evidence": run.evidence.word,
        "complete": run.is_complete,
        "passed": count.passed,
        "of": count.of,
        "outcomes": run.outcomes(),
        "started": moment(run.started),
        "finished": moment(run.finished) if run.finished is not None else None,
        "command": list(run.command),
        "cwd": run.cwd,
        "exit_code": run.exit_code,
        "runner": run.runner,
        "runner_version": run.runner_version,
        "reader": run.reader,
        "conditions": dict(run.conditions),
        "label": run.label or None,
        "worktree": run.worktree,
        "head": run.head,
        "changed": [c.path for c in run.changes],
        "untracked": list(run.untracked),
        "surface": dict(run.surface),
        "reports": [{"name": r.name, "sha256": r.sha256} for r in run.reports],
        "problems": [{"code": p.code.value, "message": p.message, "next": p.next_step or None} for p in run.problems],
        "clock_suspect": run.clock_suspect,
        "sealed": _SEALED_JSON[run.sealing],
        "key": run.key or None,
        "counts_as": run.counts_as.word,
    }
    if run.evals is not None:
        told["evals"] = eval_block.block_json(run, not_covered)
    if cases:
        told["cases"] = [case_json(c) for c in run.cases]
    return told


def case_json(case: Case) -> dict[str, Any]:
    return {
        "case": case.id,
        "outcome": case.outcome.value,
        "count": case.count,
        "samples": [case.passed, case.samples],
    }


def report_json(name: str, report: Report, cases: Sequence[Case]) -> dict[str, Any]:
    """What a reader sees, in the schema `shipmoor-hooks.report/1`."""
    counts = {outcome.value: number for outcome, number in CaseList.of(cases).counts().items()}
    return {
        "schema": "shipmoor-hooks.report/1",
        "file": name,
        "reader": report.reader,
        "dialect": report.dialect,
        "complete": not report.problems,
        "passed": counts["passed"],
        "of": len(cases),
        "outcomes": counts,
        "problems": [
            {"code": p.code.value, "message": p.message, "next": p.next_step or None} for p in report.problems
        ],
        "warnings": list(report.warnings),
        "cases": [case_json(c) for c in cases],
    }


def case_line(case: Case) -> str:
    """One case as a line: outcome, id, and its count or samples where they are not one."""
    more = f" x{case.count}" if case.count > 1 else ""
    more += f" ({case.passed} of {case.samples})" if case.samples > 1 else ""
    return f"{case.outcome.value:<7}  {visible(case.id)}{more}"


def run_line(run: Run, now: float) -> str:
    """One run in a line: id, suite, n of N, evidence, age, tree, and why it does not count."""
    name = run.suite + (f" [{run.variant}]" if run.variant else "") + (f" shard {run.shard}" if run.shard else "")
    why = f" ({run.problems[0].code.value})" if run.problems else ""
    tree = (run.tree or "bound to nothing")[: 16 if run.tree is None else 12]
    return visible(
        f"{run.id[:12]}  {name}  {run.count}  {evidence_word(run)}  {ago(now - run.started)}  tree {tree}{why}"
    )


def evidence_text(run: Run) -> str:
    """How a run came to us and what its seal is worth: `observed, sealed (same-user)`; never that it was verified."""
    weaker = f", counts as {run.counts_as.word}" if run.counts_as < run.evidence else ""
    return f"{run.evidence.word}, {run.sealing.value}{weaker}"


def evidence_word(run: Run) -> str:
    """In a line: the seal is told where there is not the usual one."""
    return run.evidence.word if run.sealing is Sealing.SEALED else f"{run.evidence.word}, {run.sealing.value}"


def run_text(run: Run, now: float, not_covered: Sequence[str] = ()) -> str:
    """One run, its facts one a line."""
    rows = [
        ("run", run.id),
        (
            "suite",
            run.suite + (f" [{run.variant}]" if run.variant else "") + (f" shard {run.shard}" if run.shard else ""),
        ),
        ("passed", str(run.count)),
        ("outcomes", ", ".join(f"{n} {w}" for w, n in run.outcomes().items() if n) or "none"),
        ("evidence", evidence_text(run) + (f", key {run.key}" if run.key else "")),
        ("started", f"{moment(run.started)} ({ago(now - run.started)})"),
        ("tree", run.tree or "bound to nothing"),
    ]
    if run.scoped_tree != run.tree:
        rows.append(("scoped tree", run.scoped_tree or "none"))
    if run.command:
        rows.append(("command", " ".join(run.command)))
    if run.exit_code is not None:
        rows.append(("exit code", str(run.exit_code)))
    rows += eval_block.rows(run, not_covered)
    rows += [(f"condition {name}", value) for name, value in run.conditions]
    rows += [(p.code.value, p.message) for p in run.problems]
    return "\n".join(_lined_up(rows))


def eval_lines(run: Run, not_covered: Sequence[str] = ()) -> list[str]:
    """What is told of a run of evals when it has ended, a line a fact; [] for any other run."""
    return _lined_up(eval_block.rows(run, not_covered))


def _lined_up(rows: Sequence[tuple[str, str]]) -> list[str]:
    wide = max((len(name) for name, _ in rows), default=0)
    return [f"{visible(name):<{wide}}  {visible(value)}" for name, value in rows]


def moment(seconds: float) -> str:
    """POSIX seconds as ISO 8601, UTC, to the second."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return f"@{seconds:.0f}"
