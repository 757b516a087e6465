"""Running a suite with an agent of the policy: samples side by side, a cost ceiling, progress, and the result (section 8).

The samples run in worker threads and are graded, one after the other, in the caller's: the pattern engine is one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.evals import run_folder
from shipmoor_hooks.evals import sample as samples
from shipmoor_hooks.evals.definitions import CaseDefinition, Verdict
from shipmoor_hooks.evals.result_document import CaseResult, SampleResult, SuiteResult
from shipmoor_hooks.evals.run_options import RunOptions
from shipmoor_hooks.evals.sample import Setting, Taken

COST_CEILING, INTERRUPTED = "cost_ceiling", "interrupted"
EXIT_CEILING = 2
_LOOK = 0.2  # seconds between looks at whether a person has had enough


@dataclass(frozen=True, slots=True)
class Material:
    """What the graders of a sample look at: the trace's bytes, the workspace's folder, the paths that were created."""

    trace: bytes
    folder: str
    created: tuple[str, ...]


Grade = Callable[[CaseDefinition, Material], tuple[Verdict, ...]]


@dataclass(slots=True)
class _Progress:
    """What has come in so far: samples by case and number, the cost, and why no more are started ("": more are)."""

    taken: dict[tuple[int, int], SampleResult] = field(default_factory=dict)
    cost: float = 0.0
    partial: str = ""
    version: str = ""
    api_errors: int = 0
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """A finished run of a suite; `api_errors` counts the samples whose model's service failed."""

    result: SuiteResult
    api_errors: int

    @property
    def exit_code(self) -> int:
        """0 every case meets its threshold; 1 one does not; 2 the ceiling was hit; 130 a person interrupted."""
        if self.result.partial == INTERRUPTED:
            return 130
        if self.result.partial:
            return EXIT_CEILING
        low = any(not case.meets(self.result.options.threshold) for case in self.result.cases)
        return 1 if low or self.api_errors else 0


def run(
    setting: Setting,
    cases: Sequence[CaseDefinition],
    plugins: Sequence[dict[str, str]],
    grade: Grade,
    tell: Callable[[str], None],
) -> Done:
    """Take every sample of every case; `tell` is given each line of progress.

    A KeyboardInterrupt ends the samples that run; what is there is graded and handed back as a partial result. Raises
    UsageFault when the agent cannot be started, EnvironmentFault when no workspace can be made.
    """
    started, begun = time.time(), time.monotonic()
    options = setting.options
    counts = [options.runs or case.runs for case in cases]
    waiting = [(at, number) for at, count in enumerate(counts) for number in range(1, count + 1)]
    progress = _Progress()
    flying: dict[Future[Taken], tuple[int, int]] = {}
    with ThreadPoolExecutor(max_workers=options.concurrency) as pool:
        while flying or (waiting and not progress.partial):
            try:
                while waiting and not progress.partial and len(flying) < options.concurrency:
                    if _is_spent(options, progress):
                        progress.partial = COST_CEILING
                        tell(f"⚠ cost ceiling ${options.max_cost:g} hit; skipping remaining cases")
                        break
                    at, number = waiting.pop(0)
                    future = pool.submit(samples.take, setting, cases[at], number, lambda: progress.is_stopped)
                    flying[future] = (at, number)
                ended, _ = wait(flying, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in ended:
                    key = flying.pop(future)
                    _take_in(progress, key, cases[key[0]], future.result(), grade, options.keep_temp)
                    _tell_sample(tell, cases[key[0]], key[1], counts[key[0]], progress.taken[key])
            except KeyboardInterrupt:
                if not progress.is_stopped:
                    tell("Interrupted — finishing up…")
                progress.is_stopped, progress.partial = True, INTERRUPTED
            except BaseException:
                progress.is_stopped = True
                _abandon(flying)
                raise
    results = _cases(cases, counts, progress)
    for case in results:
        mark = "✓" if case.meets(options.threshold) else "✗"
        tell(f"{mark} {case.case.name}  score {case.score:.2f}  ({case.passed_samples} of {len(case.samples)} samples)")
    whole = SuiteResult(
        setting.root,
        progress.version or f"unknown ({os.path.basename(setting.agent[0])})",
        started,
        time.monotonic() - begun,
        results,
        options,
        tuple(plugins),
        progress.partial,
    )
    return Done(whole, progress.api_errors)


def _abandon(flying: Iterable[Future[Taken]]) -> None:
    """Wait for the samples that still run, which were told to stop, and take their workspaces away."""
    for future in flying:
        if future.exception() is None and (left := future.result().workspace) is not None:
            run_folder.remove(left)


def _is_spent(options: RunOptions, progress: _Progress) -> bool:
    return options.max_cost is not None and progress.cost >= options.max_cost


def _take_in(
    progress: _Progress, key: tuple[int, int], case: CaseDefinition, taken: Taken, grade: Grade, keep_home: bool
) -> None:
    """Keep the trace, grade it, and take the workspace away."""
    result = taken.result
    if taken.workspace is not None:
        try:
            if taken.ran and not taken.end.is_api_error:
                verdicts = grade(case, Material(taken.trace, taken.workspace.cwd, taken.created))
                result = _with_verdicts(case, result, verdicts)
            if taken.ran:
                result = replace(
                    result, trace=run_folder.leave_trace(taken.workspace, taken.trace, keep_home=keep_home)
                )
        finally:
            if not result.trace:
                run_folder.remove(taken.workspace)
    progress.taken[key] = result
    progress.cost += result.cost
    progress.version = progress.version or taken.end.version
    progress.api_errors += taken.end.is_api_error


def forget_traces(done: Done) -> None:
    """Take the traces of samples without an error away, as the real program does unless it is asked to keep them."""
    for case in done.result.cases:
        for taken in case.samples:
            if taken.trace and not taken.error:
                run_folder.forget_trace(taken.trace)


def _with_verdicts(case: CaseDefinition, result: SampleResult, verdicts: tuple[Verdict, ...]) -> SampleResult:
    """The sample with its verdicts; one that could not be given makes it no valid sample, and says why."""
    unsaid = next(((g, v) for g, v in zip(case.graders, verdicts, strict=True) if v.passed is None), None)
    error = result.error
    if unsaid and not error:
        error = f'grader "{unsaid[0].name}" gave no verdict: {unsaid[1].explanation}'
    return replace(result, verdicts=verdicts, error=error)


def _cases(cases: Sequence[CaseDefinition], counts: Sequence[int], progress: _Progress) -> tuple[CaseResult, ...]:
    """In case order, those of which a sample was taken."""
    found = []
    for at, (case, count) in enumerate(zip(cases, counts, strict=True)):
        own = [progress.taken[at, n] for n in range(1, count + 1) if (at, n) in progress.taken]
        if own:
            found.append(CaseResult(case, tuple(own)))
    return tuple(found)


def _tell_sample(
    tell: Callable[[str], None], case: CaseDefinition, number: int, count: int, result: SampleResult
) -> None:
    error = f"  error: {result.error}" if result.error else ""
    score = result.score(case.graders)
    tell(f"  {case.name} run {number}/{count}: score {score:.2f}  ${result.cost:.2f}{error}")
    for grader, verdict in zip(case.graders, result.verdicts or (), strict=False):
        mark = "✓" if verdict.passed else "✗"
        tell(f"    {mark} {grader.name} (weight {grader.weight:g}): {verdict.explanation}")
