"""`replay`: what past commits would have been told, from runs made now in scratch worktrees (design, section 7).

Each commit of a range is judged against its first parent, as if it had been pushed by itself, by the policy that stands in the
working tree: history was written before there was one. The runs are kept apart from the repository's own, by the policy
they were made under, so that a replay that was stopped goes on where it ended and never becomes evidence for a push.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

from shipmoor_hooks import evaluate, policy
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.errors import EvidenceFault, PolicyFault, UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Decision, Policy, Suite, Verdict
from shipmoor_hooks.place import Place
from shipmoor_hooks.store.spool import FOLDER, Spool
from shipmoor_hooks.target import Bases
from shipmoor_hooks.whole_files import write_whole

DEFAULT_COMMITS = 20
_POLL = 0.05  # seconds between looks at the children
_GRACE = 5.0  # seconds that a child has to remove its scratch worktree


@dataclass(frozen=True, slots=True)
class Step:
    """A commit of the range and its first parent, their trees, and the first line of its message."""

    commit: str
    tree: str
    parent: str
    parent_tree: str
    subject: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """One suite to be run on one commit's tree."""

    commit: str
    tree: str
    suite: str


@dataclass(frozen=True, slots=True)
class Told:
    """What one commit would have been told; `unmeasured` says why a side could not be measured ("" otherwise)."""

    step: Step
    verdict: Verdict
    unmeasured: str = ""


@dataclass(frozen=True, slots=True)
class Study:
    """A replay that is about to begin: the place whose runs are kept apart, the policy, the suites, the steps."""

    place: Place
    rules: Policy
    policy_file: str
    steps: tuple[Step, ...]
    collect: bool


def study(place: Place, wanted: str, number: int, suite: str | None, *, collect: bool) -> Study:
    """Plan a replay of `wanted` (a range or a revision; at most `number` commits, the newest ones).

    Raises UsageFault for a revision that is none or a suite without a command, PolicyFault without a policy.
    """
    top = place.require_top()
    rules = policy.load_worktree(place)
    if rules is None:
        raise PolicyFault("there is no policy here (shipmoor-hooks.toml or pyproject.toml)", "shipmoor-hooks init")
    suites = {name: s for name, s in rules.suites.items() if suite in (None, name)}
    if suite is not None and not suites:
        raise UsageFault(f"{rules.source} has no suite {suite!r}", f"add [suite.{suite}]")
    _check(suites, collect)
    with open(os.path.join(top, rules.source), "rb") as file:
        data = file.read()
    way = "collection" if collect else "runs"
    name = f"{hashlib.sha256(data).hexdigest()[:16]}-{way}"
    home = os.path.join(place.common_dir, FOLDER, "replay", name)
    kept = os.path.join(home, rules.source)
    if not os.path.exists(kept):
        os.makedirs(home, exist_ok=True)
        write_whole(kept, data)
    steps = tuple(_steps(place.git, wanted, number))
    if not steps:
        raise UsageFault(f"{wanted} holds no commit that has a parent", "git log --first-parent --oneline")
    # Nothing of the gate's own settings but its rules: a mode that only warns would hide what is asked here.
    judged_by = replace(rules, suites=suites, mode="refuse")
    return Study(replace(place, runs_dir=home, worktree="replay"), judged_by, kept, steps, collect)


def _check(suites: Mapping[str, Suite], collect: bool) -> None:
    for name, suite in suites.items():
        if not suite.command:
            raise UsageFault(f"suite {name} has no command, so it cannot be replayed", f"give [suite.{name}] a command")
        if collect and not any("pytest" in os.path.basename(word) for word in suite.command[:3]):
            raise UsageFault(
                f"--collect asks pytest for its cases, and {name} is run by {suite.command[0]}", "leave out --collect"
            )


def _steps(git: Git, wanted: str, number: int) -> Iterator[Step]:
    """The newest commits of the range along first parents, the oldest first; a root commit has nothing to be judged by."""
    if wanted.startswith("-"):
        raise UsageFault(f"{wanted!r} is no range of commits", "shipmoor-hooks replay main~50..main")
    done = git.run(
        "log", "--first-parent", f"--max-count={number}", "-z", "--format=%H%x00%T%x00%P%x00%s", wanted, "--"
    )
    if done.returncode:
        raise UsageFault(f"{wanted!r} is no range of commits of this repository", "git log --first-parent --oneline")
    fields = done.stdout.decode("utf-8", "replace").split("\0")
    rows = list(zip(fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=False))
    trees = {commit: tree for commit, tree, _, _ in rows}
    for commit, tree, parents, subject in reversed(rows):
        parent = parents.split(" ")[0]
        if parent:
            before = trees.get(parent) or git.text("rev-parse", "--verify", "--end-of-options", f"{parent}^{{tree}}")
            yield Step(commit, tree, parent, before, subject)


def to_measure(planned: Study) -> list[Measurement]:
    """What is not measured yet, each tree once a suite, in the order of history."""
    spool = Spool(planned.place.spool_home, planned.place.worktree)
    found: dict[tuple[str, str], Measurement] = {}
    for step in planned.steps:
        for commit, tree in ((step.parent, step.parent_tree), (step.commit, step.tree)):
            have = {r.suite for r in spool.at_tree(tree).runs}
            for suite in planned.rules.suites:
                if suite not in have:
                    found.setdefault((tree, suite), Measurement(commit, tree, suite))
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement that ended: how long it took (seconds), and why it gave no run ("" where it did)."""

    what: Measurement
    seconds: float
    why_not: str = ""


def measure(
    planned: Study, wanted: Sequence[Measurement], environ: Mapping[str, str], *, jobs: int, timeout: float
) -> Iterator[Measured]:
    """Run the measurements in `jobs` children at a time; each that ends is handed out. Interrupted, all are stopped."""
    waiting = list(reversed(wanted))
    running: list[tuple[Measurement, subprocess.Popen[bytes], float]] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                what = waiting.pop()
                running.append((what, _start(planned, what, environ), time.monotonic()))
            time.sleep(_POLL)
            for row in list(running):
                what, child, began = row
                took = time.monotonic() - began
                if child.poll() is None and took < timeout:
                    continue
                running.remove(row)
                if child.poll() is None:
                    _stop(child)
                    yield Measured(what, took, f"it took longer than {timeout:.0f} s")
                else:
                    yield Measured(what, took, _said(child))
    finally:
        for _, child, _ in running:
            _stop(child)


def _start(planned: Study, what: Measurement, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    words = [planned.place.require_top(), planned.place.spool_home, planned.policy_file, what.commit, what.suite]
    return subprocess.Popen(
        [sys.executable, "-m", "shipmoor_hooks.replay_worker", "collect" if planned.collect else "run", *words],
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _said(child: subprocess.Popen[bytes]) -> str:
    """The worker's one line: empty when a run was stored."""
    told = child.stdout.read().decode("utf-8", "replace").strip() if child.stdout else ""
    if child.stdout:
        child.stdout.close()
    return told or ("" if child.returncode == 0 else f"it ended with {child.returncode}")


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Ask the worker and its suite to end, so that the scratch worktree is removed; then make them."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)
            break
    if child.stdout:
        child.stdout.close()


def told(planned: Study, failures: Mapping[str, str], now: float) -> Iterator[Told]:
    """The verdict on each commit, the oldest first. `failures` says by tree why it could not be measured."""
    for step in planned.steps:
        request = evaluate.Request(step.commit, Bases((step.parent,), None), now, rules=planned.rules)
        verdict = evaluate.judge(planned.place, request)
        why = failures.get(step.tree) or failures.get(step.parent_tree) or ""
        yield Told(step, verdict, why)


@dataclass(frozen=True, slots=True)
class Summary:
    """How many of the commits would have been allowed, refused, and not judged; refusing findings by code."""

    allowed: int
    refused: int
    not_judged: int
    codes: Mapping[Code, int]


def summary(rows: Sequence[Told]) -> Summary:
    """Count the verdicts. Raises EvidenceFault when there is none."""
    if not rows:
        raise EvidenceFault("nothing was replayed")
    decisions = [row.verdict.decision for row in rows]
    codes: dict[Code, int] = {}
    for row in rows:
        for finding in row.verdict.findings:
            if finding.refuses:
                codes[finding.code] = codes.get(finding.code, 0) + 1
    return Summary(
        decisions.count(Decision.ALLOWED),
        decisions.count(Decision.REFUSED),
        decisions.count(Decision.CANNOT_EVALUATE),
        codes,
    )
