"""The report as JSON, and a comparison as Markdown for the comment of a review. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shipmoor_hooks import render, render_ci
from shipmoor_hooks.describe import run_json
from shipmoor_hooks.model import Count
from shipmoor_hooks.report.pages import CaseChange, Comparison, Page, Step, Track
from shipmoor_hooks.report.words import one_change, otherwise
from shipmoor_hooks.rules import suite_versions
from shipmoor_hooks.rules.stability_wording import as_json as stability_json
from shipmoor_hooks.visible import visible

SCHEMA = "shipmoor-hooks.page/1"
_MOST_LINES = 12_000  # characters of Markdown for the cases of one suite


def as_json(page: Page) -> dict[str, Any]:
    """The schema `shipmoor-hooks.page/1`; times are POSIX seconds, costs US dollars by list price."""
    return {
        "schema": SCHEMA,
        "project": page.project,
        "tip": page.tip,
        "made": page.made,
        "verdict": render.as_json(page.verdict) if page.verdict is not None else None,
        "no_verdict": page.no_verdict or None,
        "suites": [_track(track) for track in page.tracks],
        "comparisons": [_comparison(row) for row in page.comparisons],
        "broken": list(page.broken),
    }


def _track(track: Track) -> dict[str, Any]:
    told: dict[str, Any] = {
        "suite": track.suite.name,
        "variant": track.variant,
        "not_covered": list(track.suite.not_covered),
        "commits": [_step(step) for step in track.steps],
        "stability": stability_json(track.stability),
        "runs": [run_json(run) for run in track.runs],
        "runs_left_out": track.runs_left_out,
        "proofs": [
            {"case": p.proof.case, "patch": p.proof.patch, "proven": p.proof.is_proven, "stands": not p.why_not}
            for p in track.proofs
        ],
        "clearings": [{"case": c.case, "tip": c.tip, "runs": list(c.runs)} for c in track.clearings],
    }
    if track.evals is not None:
        versions = suite_versions.as_json(track.suite.name, track.evals.versions)
        told["evals"] = {"cost_of_change": track.evals.cost_of_change, "versions": versions["versions"]}
    return told


def _step(step: Step) -> dict[str, Any]:
    return {
        "commit": step.commit.name,
        "tree": step.commit.tree,
        "committed": step.commit.when,
        "subject": visible(step.commit.subject),
        "count": _count(step.count),
        "run": step.run.id if step.run is not None else None,
        "runs": step.runs,
        "why": step.why or None,
        "cost": step.cost,
        "changes": [_change(change) for change in step.changes],
        "disclosures": [{"trailer": d.trailer.value, "value": visible(d.value)} for d in step.commit.disclosures],
    }


def _comparison(row: Comparison) -> dict[str, Any]:
    return {
        "suite": row.suite,
        "variant": row.variant,
        "base": _count(row.base),
        "tip": _count(row.tip),
        "changes": [_change(change) for change in row.changes],
        "samples": [{"case": name, "base": _count(base), "tip": _count(tip)} for name, base, tip in row.samples],
    }


def _count(count: Count | None) -> dict[str, int] | None:
    return {"passed": count.passed, "of": count.of} if count is not None else None


def _change(change: CaseChange) -> dict[str, Any]:
    return {
        "case": change.case,
        "before": change.before.value if change.before is not None else None,
        "after": change.after.value if change.after is not None else None,
    }


# ---------------------------------------------------------------- Markdown


def as_markdown(page: Page) -> str:
    """A comparison for a comment: the verdict, then the cases that stand otherwise, folded. Ends with a line feed."""
    parts = []
    if page.verdict is None:
        parts.append(f"### shipmoor-hooks\n\n{render_ci.code_span(visible(f'no verdict: {page.no_verdict}'))}\n")
    else:
        parts.append(render_ci.as_markdown(page.verdict))
    parts += [_cases(row) for row in page.comparisons if row.changes or row.samples]
    text = "\n".join(parts)
    if len(text) > render_ci.MOST_CHARACTERS:
        return (
            parts[0]
            + "\nThe cases that stand otherwise are too many for a comment: `shipmoor-hooks report --compare`.\n"
        )
    return text


def _cases(row: Comparison) -> str:
    lines = [f"{one_change(change)}: {visible(change.case)}" for change in row.changes]
    lines += [f"samples {base} at the base, {tip} at the tip: {visible(name)}" for name, base, tip in row.samples]
    summary = f"<summary>{_plain(row.name)}: {otherwise(_number(row.changes, row.samples))}</summary>"
    return "\n\n".join([f"<details>{summary}", render_ci.fenced("\n".join(lines), _MOST_LINES), "</details>"]) + "\n"


def _number(changes: Sequence[CaseChange], samples: Sequence[tuple[str, Count, Count]]) -> int:
    return len({c.case for c in changes} | {name for name, _, _ in samples})


def _plain(name: str) -> str:
    """A suite's name as HTML text: its letters, and nothing that Markdown or HTML would take for more."""
    return "".join(c if c.isalnum() or c in " -_" else f"&#{ord(c)};" for c in visible(name))
