"""`eval check`: the structure of an eval suite and its pins, without a model (design, section 8)."""

from __future__ import annotations

import json
import posixpath
from typing import Annotated

import typer

from shipmoor_hooks import policy as policy_module
from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, SuiteOption, answer, check_format
from shipmoor_hooks.errors import EXIT_REFUSED, EXIT_USAGE, PolicyFault, UsageFault
from shipmoor_hooks.evals.check.finding import CheckFinding
from shipmoor_hooks.evals.checking import Checked
from shipmoor_hooks.evals.checking_here import check_revision, check_worktree
from shipmoor_hooks.evals.regex_engine import RegexEngine
from shipmoor_hooks.evals.suites import eval_suites, root_of
from shipmoor_hooks.model import Policy, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.visible import visible

DEADLINE = 1.0  # seconds for one match: a pattern that takes longer on a short text is a finding
AtOption = Annotated[
    str | None, typer.Option("--at", metavar="REV", help="A commit's cases, under the working tree's pins.")
]
RootOption = Annotated[str | None, typer.Option("--root", metavar="DIR", help="The plugin's folder in the repository.")]


def register(app: typer.Typer) -> None:
    """Add this module's command to the `eval` sub-app."""
    app.command("check", short_help="Lint the cases, grade the pins; no model.", context_settings=CONTEXT)(check)


def check(
    context: typer.Context,
    suite: SuiteOption = None,
    at: AtOption = None,
    root: RootOption = None,
    output: FormatOption = "text",
) -> int:
    """What each case and grader can see, and whether the pinned replies get their verdicts. No model is asked.

    Exit 0 clean, 1 findings, 2 where a case cannot be read.
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    results = []
    with RegexEngine(DEADLINE) as engine:
        for one in _suites(where, suite, at):
            folder = root_of(one) if root is None else _root(root)
            results.append(
                check_worktree(where, engine, one, folder, call.environ.get("TMPDIR", ""))
                if at is None
                else check_revision(where, engine, one, folder, at)
            )
    if output == "json":
        answer(json.dumps(_json(results), indent=1))
    else:
        for result in results:
            _tell(result)
    if any(result.faults for result in results):
        return EXIT_USAGE
    return EXIT_REFUSED if any(result.findings for result in results) else 0


def _suites(where: Place, name: str | None, at: str | None) -> list[Suite | None]:
    """The eval suites to check; None stands for a repository whose policy names none."""
    policy = _policy(where, at)
    if name is not None:
        if policy is None or name not in policy.suites:
            raise UsageFault(f"the policy names no suite {name!r}")
        return [policy.suites[name]]
    return list(eval_suites(policy)) or [None]


def _policy(where: Place, at: str | None) -> Policy | None:
    if at is None:
        return policy_module.load_worktree(where)
    try:
        return policy_module.load_revision(where.git, at)
    except PolicyFault:
        return None  # an old commit's policy is no obstacle to looking at its cases


def _root(given: str) -> str:
    path = posixpath.normpath(given)
    if path.startswith(("/", "..")):
        raise UsageFault(f"--root takes a folder inside the repository, not {given!r}")
    return "" if path == "." else path


def _tell(result: Checked) -> None:
    for fault, hint in result.faults:
        answer(visible(f"{fault.path}: {fault.message}"))
        if hint:
            answer(visible(f"  next: {hint}"))
    for finding in (*result.findings, *result.notes):
        answer(visible(_line(finding, note=finding in result.notes)))
        if finding.way_out:
            answer(visible(f"  next: {finding.way_out}"))
    counts = f"{_count(result.cases, 'case')}, {_count(result.graders, 'grader')}, {_count(result.pinned, 'pin')}"
    wrong = [
        _count(len(result.faults), "case") + " cannot be read" if result.faults else "",
        _count(len(result.findings), "finding") if result.findings else "",
    ]
    answer(f"{counts}: {', '.join(w for w in wrong if w) or 'clean'}")


def _line(finding: CheckFinding, *, note: bool) -> str:
    grader = f"grader {finding.grader}: " if finding.grader else ""
    return f"{finding.path}: {'note: ' if note else ''}{finding.rule}: {grader}{finding.message}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _json(results: list[Checked]) -> dict[str, object]:
    return {
        "schema": "shipmoor-hooks.eval-check/1",
        "clean": not any(r.faults or r.findings for r in results),
        "cases": sum(r.cases for r in results),
        "graders": sum(r.graders for r in results),
        "pins": sum(r.pinned for r in results),
        "faults": [
            {"path": f.path, "message": f.message, "next": hint or None} for r in results for f, hint in r.faults
        ],
        "findings": [_finding_json(f) for r in results for f in r.findings],
        "notes": [_finding_json(f) for r in results for f in r.notes],
    }


def _finding_json(finding: CheckFinding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "path": finding.path,
        "grader": finding.grader or None,
        "message": finding.message,
        "next": finding.way_out or None,
    }
