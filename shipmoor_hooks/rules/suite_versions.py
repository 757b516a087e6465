"""The versions of an eval suite: each distinct set of cases and expectations, with its first run. Pure.

A version is one that a commit held when it first ran; what ran under an expectation that was not in HEAD is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.eval_model import EvalCase
from shipmoor_hooks.model import Count, Run
from shipmoor_hooks.rules.eval_wording import graders


@dataclass(frozen=True, slots=True)
class VersionCase:
    """One case of a version: what it promises and expects in its author's words ("" where it says nothing), and what its first
    run gave."""

    case: str
    dir: str
    expectation: str
    outcome: str
    promise: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class SuiteVersion:
    """`number` counts from 1; `commit` is HEAD of the first complete run, `date` that commit's (POSIX seconds, None: it is not
    here any more); `first` is n of N of that run."""

    number: int
    commit: str
    date: float | None
    program_version: str
    first: Count
    run: str
    started: float
    cases: tuple[VersionCase, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """What the authors of a commit's cases say, by the case's folder: promise and expected outcome."""

    date: float | None
    of: Mapping[str, tuple[str, str]]


def first_runs(runs: Iterable[Run]) -> list[Run]:
    """The first complete run of each version, oldest first."""
    found: dict[frozenset[tuple[str, str | None]], Run] = {}
    for run in sorted(runs, key=lambda r: (r.started, r.sequence, r.id)):
        if run.evals is None or not run.is_complete or run.head is None:
            continue
        if all(case.registered and case.expectation for case in run.evals.cases):
            found.setdefault(frozenset((c.id, c.expectation) for c in run.evals.cases), run)
    return list(found.values())


def versions(firsts: Sequence[Run], words: Mapping[str, Words]) -> tuple[SuiteVersion, ...]:
    """The versions of `first_runs`; `words` are what each commit says, by its name."""
    found = []
    for number, run in enumerate(firsts, 1):
        told = words.get(run.head or "", Words(None, {}))
        evals = run.evals
        cases = evals.cases if evals is not None else ()
        threshold = evals.threshold if evals is not None else 1.0
        rows = (
            VersionCase(c.id, c.dir, c.expectation or "", _outcome(c, threshold), *told.of.get(c.dir, ("", "")))
            for c in cases
        )
        count = Count(run.count.passed, run.count.of)
        version = evals.program_version if evals is not None else ""
        found.append(SuiteVersion(number, run.head or "", told.date, version, count, run.id, run.started, tuple(rows)))
    return tuple(found)


def _outcome(case: EvalCase, threshold: float) -> str:
    greens = [sample.is_green(threshold) for sample in case.valid]
    if not greens:
        return "not measured"
    red = next((s for s in case.valid if not s.is_green(threshold)), None)
    k_of_n = f" {Count(sum(greens), len(greens))}" if len(greens) > 1 else ""
    return f"pass{k_of_n}" if red is None else f"fail{k_of_n} ({graders(red)})"


def as_json(suite: str, found: Sequence[SuiteVersion]) -> dict[str, Any]:
    """The schema `shipmoor-hooks.versions/1`; times are POSIX seconds."""
    return {
        "schema": "shipmoor-hooks.versions/1",
        "suite": suite,
        "versions": [
            {
                "version": v.number,
                "commit": v.commit,
                "date": v.date,
                "program_version": v.program_version,
                "first": {"passed": v.first.passed, "of": v.first.of, "run": v.run, "started": v.started},
                "cases": [
                    {
                        "case": c.case,
                        "dir": c.dir,
                        "expectation": c.expectation,
                        "promise": c.promise,
                        "expected": c.expected,
                        "first": c.outcome,
                    }
                    for c in v.cases
                ],
            }
            for v in found
        ],
    }
