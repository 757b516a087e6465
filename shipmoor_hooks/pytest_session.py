"""The flow behind the pytest plugin: one session becomes one run, `reported` (design, sections 2, 6 and 10.27).

Loaded only when the plugin is on. pytest is not imported: its session and configuration come in as plain values, so
that this module can be read and tested without one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from shipmoor_hooks import capture, place, policy
from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import Code, Evidence, Policy, Problem, Report, Suite
from shipmoor_hooks.pytest_record_list import record_list
from shipmoor_hooks.pytest_records import Records, located
from shipmoor_hooks.pytest_told import Asked, Ended
from shipmoor_hooks.pytest_words import PYTEST, conditions_of, is_command_of, is_pytest, narrowing_of, relative

INTERRUPTED, INTERNAL_ERROR = 2, 3  # pytest.ExitCode


@dataclass(slots=True)
class PytestRun:
    """A session that is being recorded."""

    asked: Asked
    begun: capture.Begun
    records: Records
    narrowing: tuple[str, ...]
    is_policy_command: bool
    warnings: list[str] = field(default_factory=list)

    def finish(self, ended: Ended, finished: float) -> str:
        """Store the run; the one line that the terminal shows."""
        records = record_list(self.records)
        ran = len(self.records.finished)
        narrowing = list(self.narrowing)
        if ended.deselected and not self.is_policy_command and not narrowing:
            narrowing.append(f"{ended.deselected} cases were deselected")
        problems = self._problems(ended, ran)
        if not problems and ran < ended.collected:
            why = f" ({ended.stopped})" if ended.stopped else ""
            narrowing.append(f"{ran} of {ended.collected} cases ran{why}")
        report = Report("pytest-plugin", "pytest", records, warnings=tuple(self._warnings(ended)))
        stored = capture.finish(
            self.begun,
            [report],
            exit_code=ended.exit_code,
            finished=finished,
            narrowing=narrowing,
            problems=problems,
            conditions=conditions_of(self.asked, self.begun.suite.command, self.begun.run.cwd),
            runner="pytest",
            runner_version=self.asked.version,
        )
        return summary(stored.run.suite, stored.run, stored.warnings)

    def _problems(self, ended: Ended, ran: int) -> list[Problem]:
        """Why the session is no measurement. A selection is not among them; the flow names it by itself."""
        broken = self.records.broken_files()
        again = f"shipmoor-hooks run --suite {self.begun.suite.name}"
        if broken and not ran:
            files = some(broken, 3)
            return [
                Problem(
                    Code.RUN_INCOMPLETE,
                    f"no case ran because there are files that do not load: {files}",
                    f"repair {', '.join(broken[:3])}, then run the suite again",
                )
            ]
        if ended.exit_code == INTERNAL_ERROR:
            return [Problem(Code.RUN_INCOMPLETE, "pytest stopped with an internal error", again)]
        if ended.exit_code == INTERRUPTED and not broken:
            return [
                Problem(Code.RUN_INCOMPLETE, f"pytest was interrupted after {ran} of {ended.collected} cases", again)
            ]
        return []

    def _warnings(self, ended: Ended) -> list[str]:
        found = []
        if unexpected := self.records.passed_unexpectedly:
            found.append(f"passed although expected to fail: {some(unexpected)}")
        if ended.deselected and self.is_policy_command:
            found.append(f"the tracked configuration deselected {ended.deselected} cases")
        return found


def begin(asked: Asked, started: float, *, insisted: bool) -> PytestRun | None:
    """Start recording, or None when the policy has no suite that pytest runs and nobody insisted.

    Raises the errors of the flow, and UsageFault when somebody insisted and there is nothing to record to.
    """
    here = place.find(asked.rootdir, asked.environ)
    rules = policy.load_worktree(here)
    top = os.path.realpath(here.require_top())
    chosen = None if rules is None else choose_suite(rules, asked, top)
    if rules is None or chosen is None:
        if insisted:
            raise UsageFault("no suite of the policy is run by pytest, so nothing was recorded", "shipmoor-hooks init")
        return None
    begun = capture.begin(
        here,
        rules,
        chosen,
        evidence=Evidence.REPORTED,
        command=asked.command,
        started=started,
        cwd=relative(asked.folder, top) or ".",
        variant=asked.variant,
    )
    return PytestRun(
        asked,
        begun,
        Records(located(os.path.realpath(asked.rootdir), top)),
        narrowing_of(asked, chosen.command, top),
        is_command_of(chosen.command, asked),
    )


def taken_over(
    asked: Asked, rules: bytes, suite: str, start: bytes, added: frozenset[str], records: Records
) -> PytestRun:
    """A session that began the short way: `rules` and `start` are the bytes of the policy and of the run's start entry,
    `added` the changed paths that HEAD does not have. Raises the errors of the flow."""
    from shipmoor_hooks.measured_surface import Seen
    from shipmoor_hooks.store import entry
    from shipmoor_hooks.trees.tree import TreeCapture

    here = place.find(asked.rootdir, asked.environ)
    known = policy.parse(rules, policy.OWN_FILE)
    chosen = known.suites[suite]
    top = os.path.realpath(here.require_top())
    run = entry.decode(start, None)
    way = "memory" if run.changes else "head"
    before = TreeCapture(run.tree, run.head, run.changes, run.untracked, (), (), way, "", added, here.git)
    begun = capture.Begun(here, known, chosen, run, before, Seen(PYTEST.name))
    return PytestRun(
        asked, begun, records, narrowing_of(asked, chosen.command, top), is_command_of(chosen.command, asked)
    )


def choose_suite(rules: Policy, asked: Asked, top: str) -> Suite | None:
    """The suite that this session belongs to: the one named, the only one that pytest runs, or the only one that this
    command runs whole. None when the policy has no suite for pytest; UsageFault when several would do."""
    suites = [s for s in rules.suites.values() if is_pytest(s.command)]
    if asked.suite is not None:
        return capture.pick_suite(rules, asked.suite)
    if len(suites) <= 1:
        return suites[0] if suites else None
    whole = [s for s in suites if not narrowing_of(asked, s.command, top)]
    same = [s for s in whole if is_command_of(s.command, asked)]
    for found in (same, whole):
        if len(found) == 1:
            return found[0]
    names = ", ".join(s.name for s in suites)
    raise UsageFault(f"this session could belong to any of these suites: {names}", "name one with --shipmoor-suite")


def summary(suite: str, run: Any, warnings: Sequence[str]) -> str:
    """`shipmoor: unit 12 of 12 recorded for tree 3f2a91c0`, and what is wrong with the run."""
    tree = f"for tree {run.tree[:8]}" if run.tree else "for no tree"
    said = f"shipmoor: {suite} {run.count} recorded {tree}"
    return "; ".join([said, *warnings])
