"""One case of a suite, run a number of times in a worktree, stored nowhere: what a proof is made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from shipmoor_hooks import eval_capture, observe
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EvidenceFault
from shipmoor_hooks.eval_model import EvalSample
from shipmoor_hooks.git import command_environment
from shipmoor_hooks.model import Case, Outcome, RecordKind, Report, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.runners.one_case import CaseCommand, command_for
from shipmoor_hooks.store import inventory
from shipmoor_hooks.store.record_model import ProofSample
from shipmoor_hooks.store.trace_store import FAULT, RUN
from shipmoor_hooks.tested_paths import tracked_paths
from shipmoor_hooks.trees import tree as tree_module
from shipmoor_hooks.trees.tree import TreeCapture

VOID = "VOID: this run measured nothing"


@dataclass(frozen=True, slots=True)
class Measured:
    """The samples of one case, the command that took them, and the path of what the case demands: an eval's folder, a
    test's file, "" where neither is known."""

    samples: tuple[ProofSample, ...]
    command: CaseCommand
    path: str


@dataclass(frozen=True, slots=True)
class Side:
    """Which proof a sample belongs to (its id), and whether the fault is in place: traces are kept under both."""

    proof: str
    is_fault: bool


# Runs one case of a suite N times in a worktree: (the worktree, the case, how many samples, the side) -> the samples.
CaseRunner = Callable[[Place, str, int, Side], Measured]


def void(why: str, next_step: str = "") -> EvidenceFault:
    return EvidenceFault(f"{VOID}: {why}", next_step)


def by_command(suite: Suite, environ: Mapping[str, str], stdout: int | None) -> CaseRunner:
    """The runner that starts the suite's own command, or the one that the policy names for a case.

    What the command prints goes to the file descriptor `stdout` (None: ours).
    """
    clean = command_environment(environ)

    def run(place: Place, case: str, samples: int, side: Side) -> Measured:
        seen = tree_module.capture(place)
        tracked = tracked_paths(place, seen)
        path = file_of(case, tracked)
        command = command_for(suite, case, path, samples)
        if not command.words:
            raise void(f"suite {suite.name} has no command", f"give [suite.{suite.name}] a command or a case_command")
        taken: list[ProofSample] = []
        while len(taken) < samples:
            since = time.time()
            watched = observe.watch(place, suite, command.words, clean, place.require_top(), side.proof, stdout)
            try:
                reports = _reports(watched)
                if any(r.evals for r in reports):
                    kind = FAULT if side.is_fault else RUN
                    how = eval_capture.Measured(command.words, True, side.proof, since, kind)
                    new, path = _eval_samples(place, suite, case, seen, reports, how)
                else:
                    cases = inventory.cases_of(reports, tracked, place.require_top(), suite.normalise)
                    new = [sample_of(case, cases, suite)]
            finally:
                eval_capture.forget_traces(watched.gathered.reports, command.words, since)
            taken += new
        return Measured(tuple(taken[:samples]), command, path)

    return run


def file_of(case: str, tracked: frozenset[str]) -> str:
    """The file of the tree that an id begins with, "" where it names none."""
    parts = case.split("::")
    return next((p for i in range(len(parts), 0, -1) if (p := "::".join(parts[:i])) in tracked), "")


def _reports(watched: observe.Watched) -> tuple[Report, ...]:
    """What a command reported. Raises EvidenceFault where that is nothing."""
    if watched.interrupted:
        raise KeyboardInterrupt
    gathered = watched.gathered
    if gathered.problems:
        problem = gathered.problems[0]
        raise void(f"{problem.message} (the command ended with {watched.exit_code})", problem.next_step)
    return gathered.reports


def _eval_samples(
    place: Place, suite: Suite, case: str, seen: TreeCapture, reports: Sequence[Report], how: eval_capture.Measured
) -> tuple[list[ProofSample], str]:
    """The samples that an eval result holds of a case, and the case's folder. Raises EvidenceFault where one of them
    measured nothing, or the result is not of this worktree."""
    ids = eval_capture.ids_of(place, suite, reports, tracked_paths(place, seen))
    bound = eval_capture.bound(place, suite, seen, reports, how, ids)
    if bound.problems or bound.run is None:
        why = bound.problems[0].message if bound.problems else "the result lists no case"
        raise void(why)
    found = next((c for c in bound.run.cases if c.id == case), None)
    if found is None or not found.samples:
        raise void(
            f"{suite.name} reported no sample of {case}", "shipmoor-hooks eval check names cases that do not load"
        )
    for sample in found.samples:
        if not sample.is_valid:
            raise void(f"a sample of {case} measured nothing: {sample.invalid}")
    return [_proof_sample(s, bound.run.threshold) for s in found.samples], found.dir


def _proof_sample(sample: EvalSample, threshold: float) -> ProofSample:
    outcome = Outcome.PASSED if sample.is_green(threshold) else Outcome.FAILED
    return ProofSample(outcome, sample.score, sample.graders, sample.cost, trace=sample.trace)


def sample_of(case: str, cases: Sequence[Case], suite: Suite) -> ProofSample:
    """What became of a case in one run. Raises EvidenceFault where the run does not hold it."""
    for found in cases:
        if found.id == case and found.kind is RecordKind.CASE:
            return ProofSample(found.outcome)
    for found in cases:
        if found.covers and case.startswith(found.covers) and found.outcome.is_red:
            return ProofSample(Outcome.ERROR, note=f"{found.id} does not load")
    near = [c.id for c in cases if not c.covers and case in c.id][:3]
    hint = f"; it has {', '.join(near)}" if near else ""
    raise void(f"{suite.name} reported no case {case}{hint}", "shipmoor-hooks show RUN lists the ids of a run")
