"""`run`: start a suite's command, watch it, and store what it reported, bound to the tree it ran on (design, 6 and 7).

The output streams through untouched and the exit code is passed on. The runner is handed a fresh report path of ours
where the table knows how; variables that git's hooks export never reach it.
"""

from __future__ import annotations

import glob
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence

from shipmoor_hooks import capture, eval_capture, intake, report_files, runners, watched_process
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.errors import EnvironmentFault, EvidenceFault, ReportFault, UsageFault
from shipmoor_hooks.evals.stand_in import stand_in
from shipmoor_hooks.git import command_environment
from shipmoor_hooks.model import (
    Code,
    Evidence,
    Outcome,
    Policy,
    Problem,
    Record,
    RecordKind,
    Report,
    ReportFile,
    Shard,
    Suite,
)
from shipmoor_hooks.place import Place
from shipmoor_hooks.runner_version import VersionQuestion
from shipmoor_hooks.runners import environment

RUN_VARIABLE = "SHIPMOOR_HOOKS_RUN"
_POLL = 0.1  # seconds between looks at a report that does not parse yet
_PATIENCE = 5.0  # seconds that a report may take to become whole after its runner returned


@dataclass(frozen=True, slots=True)
class Order:
    """What to run: the suite, another command than the policy's (or none), the leg of the matrix, the part.

    `fresh` says that the worktree was just checked out, so that the policy's `setup` comes first; `label` names a measurer.
    """

    suite: Suite
    command: tuple[str, ...] = ()
    variant: str | None = None
    shard: Shard | None = None
    fresh: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """The stored run, or why it could not be stored, and the code that the command ended with."""

    captured: capture.Captured | None
    exit_code: int
    fault: EnvironmentFault | None = None


def observe(
    place: Place,
    policy: Policy,
    order: Order,
    environ: Mapping[str, str],
    cwd: str,
    clock: Callable[[], float] = time.time,
) -> Observed:
    """Run the suite and store what it reported.

    The policy's own command starts at the worktree's root, wherever the person stands, so that it means one thing;
    another command starts in `cwd` (absolute, inside the worktree), where it was typed, and is judged as it would read
    at the root.

    Raises UsageFault when there is no command or it cannot be started, EnvironmentFault when nothing can be stored from
    the start; one that shows when the command has ended is handed back beside the command's code. A KeyboardInterrupt
    leaves a stored run that is incomplete.
    """
    usual = order.suite.command
    command = order.command or usual
    if not command:
        raise UsageFault(
            f"suite {order.suite.name} has no command", f"give [suite.{order.suite.name}] a command, or one after --"
        )
    eval_capture.require_reader(order.suite)
    top = place.require_top()
    cwd = cwd if order.command else top
    folder = os.path.relpath(os.path.realpath(cwd), os.path.realpath(top)).replace(os.sep, "/")
    from_top, elsewhere = runners.seen_from_top(command, folder)
    clean = command_environment(environ)
    runner = runners.recognise(command)
    begun = capture.begin(
        place,
        policy,
        order.suite,
        evidence=Evidence.OBSERVED,
        command=command,
        started=clock(),
        cwd=folder,
        variant=order.variant,
        shard=order.shard,
        label=order.label,
    )
    if order.fresh:
        # After the tree is taken: what a setup leaves behind only appeared, and the run keeps the revision's tree.
        try:
            set_up(order.suite, cwd, clean)
        except (EvidenceFault, UsageFault, KeyboardInterrupt):
            capture.abandon(begun)
            raise
    try:
        watched = watch(place, order.suite, command, clean, cwd, begun.run.id)
    except UsageFault:
        capture.abandon(begun)
        raise
    gathered, exit_code, interrupted = watched.gathered, watched.exit_code, watched.interrupted
    problems = list(gathered.problems)
    if interrupted:
        problems.insert(0, Problem(Code.RUN_INCOMPLETE, f"the run of {order.suite.name} was interrupted"))
    if runners.lists_only(command, clean):
        problems.insert(0, Problem(Code.RUN_INCOMPLETE, "the command only lists cases, it runs none"))
    try:
        done = capture.finish(
            begun,
            gathered.reports,
            exit_code=exit_code,
            finished=clock(),
            files=gathered.files,
            narrowing=(*elsewhere, *runners.narrowing(from_top, clean, usual)),
            bails=runners.bails(command, clean),
            problems=problems,
            conditions={
                "argv": " ".join(runners.measured_argv(from_top)),
                "cwd": folder,
                **environment.condition(command, clean),
            },
            runner=runner.name if runner else "",
            runner_version=next((r.harness_version for r in gathered.reports if r.harness_version), watched.version),
        )
    except EnvironmentFault as fault:
        if interrupted:
            raise
        return Observed(None, exit_code, fault)
    finally:
        eval_capture.forget_traces(gathered.reports, command, begun.run.started)
    if interrupted:
        raise KeyboardInterrupt
    return Observed(done, exit_code)


def watch(
    place: Place,
    suite: Suite,
    command: tuple[str, ...],
    environ: Mapping[str, str],
    cwd: str,
    run_id: str,
    stdout: int | None = None,
) -> Watched:
    """Start a command in `cwd` (absolute, inside the worktree) and read what it reported. Stores nothing.

    `environ` is that of a wrapped command, without git's own variables; `stdout` a file descriptor (None: ours) for what
    it prints. Raises UsageFault when it cannot be started.
    """
    top = place.require_top()
    folder = os.path.relpath(os.path.realpath(cwd), os.path.realpath(top)).replace(os.sep, "/")
    runner = runners.recognise(command)
    with tempfile.TemporaryDirectory(prefix="shipmoor-hooks-run-") as fresh:
        prepared = runner.prepare(command, environ, fresh) if runner else runners.Prepared(command, reader=None)
        told = [os.path.join(glob.escape(cwd), pattern) for pattern in prepared.reports]
        before = report_files.snapshot((*told, *suite.reports), top)
        ours = {RUN_VARIABLE: run_id}
        asked = VersionQuestion(runner.version_command(command) if runner else None, cwd, {**environ, **ours})
        started = stand_in(suite, prepared.command)
        try:
            exit_code, interrupted = watched_process.run(started, cwd, {**environ, **prepared.environ, **ours}, stdout)
        finally:
            version = asked.answer()
        return Watched(_gather(place, suite, prepared, told, before, folder), exit_code, interrupted, version)


def set_up(suite: Suite, cwd: str, environ: Mapping[str, str], stdout: int | None = None) -> None:
    """Run the policy's `setup` commands. Raises EvidenceFault when one fails, UsageFault when it cannot be started."""
    for command in suite.setup:
        code, interrupted = watched_process.run(command, cwd, environ, stdout)
        if interrupted:
            raise KeyboardInterrupt
        if code:
            raise EvidenceFault(f"the setup command `{' '.join(command)}` of {suite.name} ended with {code}")


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the command left: reports, their files, and what is wrong with them."""

    reports: tuple[Report, ...] = ()
    files: tuple[ReportFile, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Watched:
    """What became of a command: its reports, the code that it ended with, whether a person interrupted it, its version."""

    gathered: Gathered
    exit_code: int
    interrupted: bool
    version: str


def _gather(
    place: Place,
    suite: Suite,
    prepared: runners.Prepared,
    told: Sequence[str],
    before: Mapping[str, tuple[str, int]],
    folder: str,
) -> Gathered:
    """The reports that are new or changed since the start, each read once, waited for until it is whole.

    Those that the runner was told to write come first; the policy's own globs count where it wrote none of them.
    `folder` is where the command started, relative to the worktree's root.
    """
    top = place.require_top()
    paths = report_files.expand(told, top)
    from_policy = not paths
    if from_policy:
        paths = report_files.expand(suite.reports, top)
    reports, files, digests = [], [], set()
    for path in paths:
        try:
            seen = report_files.known(path, top, inside=from_policy)
            if before.get(path) == (seen.sha256, seen.mtime_ns):
                continue
            test_file = _test_file(path, prepared.named_below, folder)
            if test_file and os.path.getsize(path) == 0:
                file, report = seen, _unloaded(test_file, prepared.reader or "")
            else:
                file, report = _read_whole(path, top, prepared.reader or suite.format or None, inside=from_policy)
        except EvidenceFault as fault:
            return Gathered(problems=(Problem(Code.RUN_INCOMPLETE, fault.message, fault.next_step),))
        if (test_file, file.sha256) in digests:
            continue
        digests.add((test_file, file.sha256))
        reports.append(_with_file(report, test_file))
        files.append(file)
    if not reports:
        hint = prepared.hint or f"tell [suite.{suite.name}] in `reports` where the runner writes its report"
        return Gathered(problems=(Problem(Code.RUN_INCOMPLETE, f"{suite.name} left no report of this run", hint),))
    return Gathered(tuple(reports), tuple(files))


def _test_file(path: str, named_below: str, folder: str) -> str:
    """The test file that a report speaks of, relative to the worktree's root; "" where its place does not say."""
    if not named_below or not path.startswith(named_below + os.sep):
        return ""
    below = os.path.relpath(path, named_below).removesuffix(".tap")
    return os.path.normpath(os.path.join(folder, below)).replace(os.sep, "/")


def _unloaded(test_file: str, reader: str) -> Report:
    """A test file of which its runner kept a report, and that said nothing: it died before its first word."""
    return Report(reader, reader, (Record("", file=test_file, outcome=Outcome.ERROR, kind=RecordKind.FILE),))


def _with_file(report: Report, test_file: str) -> Report:
    """The report with its test file in each record that names none."""
    if not test_file:
        return report
    return replace(report, records=tuple(r if r.file else replace(r, file=test_file) for r in report.records))


def _read_whole(path: str, top: str, reader: str | None, *, inside: bool) -> tuple[ReportFile, Report]:
    """Read a report; some runners return before theirs is whole, so one that does not parse is looked at again."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return intake.read_file(path, top, reader, inside=inside)
        except ReportFault:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL)
