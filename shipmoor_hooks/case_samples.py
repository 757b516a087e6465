"""One case of a suite, run a number of times in a worktree, stored nowhere: what a proof is made of (issue 4, point 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from shipmoor_hooks import capture, inventory, observe
from shipmoor_hooks.errors import EvidenceFault
from shipmoor_hooks.git import command_environment
from shipmoor_hooks.model import Case, Outcome, RecordKind, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.record_model import ProofSample
from shipmoor_hooks.records import new_id
from shipmoor_hooks.runners.one_case import CaseCommand, command_for
from shipmoor_hooks.trees import tree as tree_module

VOID = "VOID: this run measured nothing"


@dataclass(frozen=True, slots=True)
class Measured:
    """The samples of one case, the command that took them, and the path of what the case demands: an eval's folder, a
    test's file, "" where neither is known."""

    samples: tuple[ProofSample, ...]
    command: CaseCommand
    path: str


# Runs one case of a suite N times in a worktree: (the worktree, the case, how many samples) -> the samples.
CaseRunner = Callable[[Place, str, int], Measured]


def void(why: str, next_step: str = "") -> EvidenceFault:
    return EvidenceFault(f"{VOID}: {why}", next_step)


def by_command(suite: Suite, environ: Mapping[str, str], stdout: int | None) -> CaseRunner:
    """The runner that starts the suite's own command, or the one that the policy names for a case.

    What the command prints goes to the file descriptor `stdout` (None: ours).
    """
    clean = command_environment(environ)

    def run(place: Place, case: str, samples: int) -> Measured:
        tracked = capture.tracked_paths(place, tree_module.capture(place))
        path = file_of(case, tracked)
        command = command_for(suite, case, path, samples)
        if not command.words:
            raise void(f"suite {suite.name} has no command", f"give [suite.{suite.name}] a command or a case_command")
        taken: list[ProofSample] = []
        while len(taken) < samples:
            taken += _once(place, suite, case, command, clean, stdout, tracked)
        return Measured(tuple(taken[:samples]), command, path)

    return run


def file_of(case: str, tracked: frozenset[str]) -> str:
    """The file of the tree that an id begins with, "" where it names none."""
    parts = case.split("::")
    return next((p for i in range(len(parts), 0, -1) if (p := "::".join(parts[:i])) in tracked), "")


def _once(
    place: Place,
    suite: Suite,
    case: str,
    command: CaseCommand,
    environ: Mapping[str, str],
    stdout: int | None,
    tracked: frozenset[str],
) -> list[ProofSample]:
    """Start the command once. The samples that it took of the case. Raises EvidenceFault where it took none."""
    top = place.require_top()
    watched = observe.watch(place, suite, command.words, environ, top, new_id(), stdout)
    if watched.interrupted:
        raise KeyboardInterrupt
    gathered = watched.gathered
    if gathered.problems:
        problem = gathered.problems[0]
        raise void(f"{problem.message} (the command ended with {watched.exit_code})", problem.next_step)
    cases = inventory.cases_of(gathered.reports, tracked, top, suite.normalise)
    return [sample_of(case, cases, suite)]


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
