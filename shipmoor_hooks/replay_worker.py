"""One measurement of a replay, in a process of its own (`python -m shipmoor_hooks.replay_worker`).

Its arguments are MODE TOP RUNS POLICY COMMIT SUITE. MODE is `run` (the suite's command in a scratch worktree) or `collect`
(pytest is asked for its cases, none is run: each counts as green, so that removed and moved cases show, and nothing else).
Silent when a run was stored; else one line on stdout that says why not. What the suite itself prints goes nowhere.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from shipmoor_hooks import observe, place, policy, scratch
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import EvidenceFault, ShipmoorError
from shipmoor_hooks.git import command_environment
from shipmoor_hooks.model import Case, Code, Evidence, Outcome, Problem, Run, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.trees import tree as tree_module

_COLLECT = ("--collect-only", "-q", "-p", "no:cacheprovider", "--no-header", "-o", "addopts=")
_QUIET = ("-q", "-qq", "--quiet", "-v", "-vv", "--verbose")
# pytest's exit codes: 5 is "no tests collected", which is an answer too.
_ANSWERS = (0, 5)


def main(arguments: list[str]) -> int:
    """0 when a run was stored, 1 with a line on stdout when not."""
    # Whoever runs a replay in the background of a script has it and its children ignore the signal that ends this one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    mode, top, runs, policy_file, commit, suite = arguments
    answer = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        _measure(mode, top, runs, policy_file, commit, suite)
    except ShipmoorError as fault:
        answer.write(fault.message.splitlines()[0])
        answer.close()
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _measure(mode: str, top: str, runs: str, policy_file: str, commit: str, name: str) -> None:
    environ = dict(os.environ)
    with open(policy_file, "rb") as file:
        rules = policy.parse(file.read(), os.path.basename(policy_file))
    suite = rules.suites[name]
    with scratch.worktree_at(place.find(top, environ), commit, environ) as scratched:
        there = replace(scratched, runs_dir=runs, worktree="replay")
        if mode == "collect":
            _collect(there, suite, environ)
            return
        order = observe.Order(suite, fresh=True)
        done = observe.observe(there, rules, order, environ, there.require_top())
        if done.fault is not None:
            raise done.fault


def _collect(there: Place, suite: Suite, environ: dict[str, str]) -> None:
    """Store what pytest collects as a run in which every case is green."""
    started = time.time()
    # Said twice, `-q` makes pytest print numbers instead of ids.
    command = (*(word for word in suite.command if word not in _QUIET), *_COLLECT)
    done = subprocess.run(
        command,
        cwd=there.require_top(),
        env=command_environment(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    ids = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if "::" in line and line[:1] != " "]
    problems: tuple[Problem, ...] = ()
    if done.returncode not in _ANSWERS or not ids:
        why = f"pytest could not collect every file (exit {done.returncode})"
        if not ids:
            raise EvidenceFault(why)
        problems = (Problem(Code.RUN_INCOMPLETE, why),)
    seen = tree_module.capture(there)
    counts: dict[str, int] = {}
    for case_id in ids:
        counts[case_id] = counts.get(case_id, 0) + 1
    cases = tuple(Case(i, Outcome.PASSED, count=counts[i], passed=counts[i], samples=counts[i]) for i in sorted(counts))
    tree = there.git.text("rev-parse", "--verify", "HEAD^{tree}")
    run = Run(
        id=os.urandom(16).hex(),
        suite=suite.name,
        tree=tree,
        scoped_tree=tree,
        first_tree=tree,
        evidence=Evidence.OBSERVED,
        started=started,
        recorded=time.time(),
        finished=time.time(),
        cases=cases,
        command=command,
        reader="collection",
        head=seen.head,
        problems=problems,
    )
    Spool(there.spool_home, there.worktree).finish(run)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
