"""Grading recorded runs: one grader over one trace, or all graders of a case over its traces (design, section 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals import graders, scores, trace, workspace
from shipmoor_hooks.evals.definitions import Grader, Verdict
from shipmoor_hooks.evals.graders import Recording
from shipmoor_hooks.evals.matching import Engine
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.store import trace_store
from shipmoor_hooks.store.trace_store import KeptTrace

TOGETHER = 64  # recordings that are asked of the engine at once


@dataclass(frozen=True, slots=True)
class Graded:
    """One recording under a case's graders. `score` is None where a scored grader has no verdict."""

    trace: str
    verdicts: tuple[Verdict, ...]
    score: float | None

    @property
    def passed(self) -> bool | None:
        return None if self.score is None else scores.run_passed(self.score)


def material(
    chosen: Sequence[Grader], data: bytes, folder: str | None, created: tuple[str, ...] | None, case: str
) -> Recording:
    """What these graders may see of a run. `folder` None: there is no workspace."""
    files = workspace.read(folder, graders.focus_paths(chosen)) if folder is not None else {}
    return Recording(trace.read(data), Workspace(created, files), case)


def kept(common_dir: str, row: KeptTrace) -> Recording:
    """A recording of the store. Raises EvidenceFault where it is gone or damaged."""
    data, seen = trace_store.load(common_dir, row)
    return Recording(trace.read(data), seen, row.case)


def grade_all(
    engine: Engine, graderss: Sequence[Sequence[Grader]], recordings: Iterator[tuple[str, Recording]]
) -> Iterator[tuple[Graded, ...]]:
    """Each recording (by its trace's name) under each set of graders, in order."""
    batch: list[tuple[str, Recording]] = []
    for row in recordings:
        batch.append(row)
        if len(batch) == TOGETHER:
            yield from _batch(engine, graderss, batch)
            batch = []
    yield from _batch(engine, graderss, batch)


def _batch(
    engine: Engine, graderss: Sequence[Sequence[Grader]], batch: Sequence[tuple[str, Recording]]
) -> Iterator[tuple[Graded, ...]]:
    asked = [(chosen, recording) for _, recording in batch for chosen in graderss]
    answers = iter(graders.grade_many(engine, asked))
    for name, _ in batch:
        yield tuple(_graded(name, chosen, next(answers)) for chosen in graderss)


def _graded(name: str, chosen: Sequence[Grader], verdicts: tuple[Verdict, ...]) -> Graded:
    if any(v.passed is None for v in verdicts):
        return Graded(name, verdicts, None)
    return Graded(name, verdicts, scores.run_score([g.weight for g in chosen], [v.passed is True for v in verdicts]))
