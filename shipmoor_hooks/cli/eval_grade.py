"""`eval grade`, `eval regrade`, `eval label`: recorded traces and their graders (design, section 8)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Annotated

import typer

from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, SuiteOption, answer, check_format
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, EXIT_REFUSED, UsageFault
from shipmoor_hooks.evals import cross_table, graders, grading, inputs, labels
from shipmoor_hooks.evals import regrade as regrading
from shipmoor_hooks.evals.definitions import CaseDefinition, Verdict
from shipmoor_hooks.evals.grading import Graded
from shipmoor_hooks.evals.recorded_cases import WORKTREE, EvalPlace, find_traces
from shipmoor_hooks.evals.regex_engine import RegexEngine
from shipmoor_hooks.rules.eval_rules import regrade_lacks
from shipmoor_hooks.store.record_model import Regrade
from shipmoor_hooks.visible import visible

_WORDS = {True: "passed", False: "failed", None: "not graded"}


def register(app: typer.Typer) -> None:
    """Add this module's commands to the `eval` app."""
    app.command("grade", short_help="Grade recorded traces.", context_settings=CONTEXT)(grade)
    app.command("regrade", short_help="Old graders against new ones on recorded traces.", context_settings=CONTEXT)(
        regrade
    )
    app.command("label", short_help="Say whether a recorded reply was correct.", context_settings=CONTEXT)(label)


def grade(
    context: typer.Context,
    traces: Annotated[
        list[str] | None,
        typer.Argument(metavar="TRACE...", help="Trace files, or names of kept traces (their first digits)."),
    ] = None,
    grader: Annotated[
        str | None, typer.Option("--grader", metavar="FILE.json", help="One grader, as a case file has it.")
    ] = None,
    trace: Annotated[str | None, typer.Option("--trace", metavar="TRACE", help="The trace for --grader.")] = None,
    workspace: Annotated[
        str | None, typer.Option("--workspace", metavar="DIR", help="The workspace as the run left it.")
    ] = None,
    created: Annotated[
        str | None,
        typer.Option("--created", metavar="FILE", help="The files that the run created: a JSON list, or one a line."),
    ] = None,
    case: Annotated[
        str | None, typer.Option("--case", metavar="NAME", help="The case whose graders are asked.")
    ] = None,
    suite: SuiteOption = None,
    output: FormatOption = "text",
) -> int:
    """Grade recorded traces: one grader over one trace, or all graders of a case over its traces.

    Nothing is run and nothing is stored. What cannot be decided (a judge is needed, the deadline passed, a file was not
    kept) is "not graded", never a verdict; then the exit code is 3.
    """
    call: Call = context.obj
    check_format(output)
    if grader is not None:
        words = [*([trace] if trace is not None else []), *(traces or ())]
        if len(words) != 1:
            raise UsageFault("--grader takes one trace", "name it with --trace")
        return _grade_one(call, grader, words[0], workspace, created, case or "", output)
    words = [*(traces or ()), *([trace] if trace is not None else [])]
    return _grade_case(call, words, workspace, created, case, suite, output)


def _grade_one(
    call: Call, grader: str, trace: str, workspace: str | None, created: str | None, case: str, output: str
) -> int:
    chosen = [inputs.grader(os.path.join(call.directory, grader))]
    data = inputs.read_bytes(os.path.join(call.directory, trace))
    folder, made = _given(call, workspace, created)
    with RegexEngine() as engine:
        verdict = graders.grade(engine, chosen, grading.material(chosen, data, folder, made, case))[0]
    if output == "json":
        answer(json.dumps(_as_json(verdict)))
    else:
        answer(visible(f"{_WORDS[verdict.passed]}: {verdict.explanation.removeprefix('not graded: ')}"))
    return EXIT_NO_EVIDENCE if verdict.passed is None else 0


def _given(call: Call, workspace: str | None, created: str | None) -> tuple[str | None, tuple[str, ...] | None]:
    folder = None if workspace is None else os.path.join(call.directory, workspace)
    if folder is not None and not os.path.isdir(folder):
        raise UsageFault(f"--workspace: {workspace} is no folder")
    return folder, None if created is None else inputs.created(os.path.join(call.directory, created))


def _as_json(verdict: Verdict) -> dict[str, object]:
    return {"passed": verdict.passed, "explanation": verdict.explanation}


def _grade_case(
    call: Call,
    words: list[str],
    workspace: str | None,
    created: str | None,
    case: str | None,
    suite: str | None,
    output: str,
) -> int:
    """All graders of a case, as they stand in the working tree, over traces; without traces over those that are kept."""
    if not words and case is None:
        raise UsageFault("what is to be graded?", "name traces, a case (--case), or a grader (--grader) with its trace")
    where = EvalPlace.find(call.find(), call.policy(call.find()), suite)
    folder, made = _given(call, workspace, created)
    found = find_traces(where, [(word, os.path.join(call.directory, word)) for word in words], case)
    rows: list[tuple[CaseDefinition, Graded]] = []
    with RegexEngine() as engine:
        for definition, chosen in found:

            def recordings() -> Iterator[tuple[str, graders.Recording]]:
                for one in chosen:  # noqa: B023
                    if one.kept is not None:
                        yield one.name, grading.kept(where.place.common_dir, one.kept)
                    else:
                        data = inputs.read_bytes(one.path)
                        yield one.name, grading.material(definition.graders, data, folder, made, definition.name)  # noqa: B023

            rows += [(definition, row[0]) for row in grading.grade_all(engine, [definition.graders], recordings())]
    if output == "json":
        listed = [_row_json(definition, row) for definition, row in rows]
        answer(json.dumps({"schema": "shipmoor-hooks.grade/1", "traces": listed}, indent=1))
    else:
        for definition, row in rows:
            answer("\n".join(visible(line) for line in _row_lines(definition, row)))
    return EXIT_NO_EVIDENCE if any(row.passed is None for _, row in rows) else 0


def _row_json(case: CaseDefinition, row: Graded) -> dict[str, object]:
    verdicts = [
        {"name": g.name, "type": g.type, **_as_json(v)} for g, v in zip(case.graders, row.verdicts, strict=True)
    ]
    return {"trace": row.trace, "case": case.name, "passed": row.passed, "score": row.score, "graders": verdicts}


def _row_lines(case: CaseDefinition, row: Graded) -> list[str]:
    score = "" if row.score is None else f"  score {row.score:.2f}"
    lines = [f"{_WORDS[row.passed]}  {case.name}  {row.trace}{score}"]
    for grader, verdict in zip(case.graders, row.verdicts, strict=True):
        lines.append(f"  {_WORDS[verdict.passed]}  {grader.name}: {verdict.explanation.removeprefix('not graded: ')}")
    return lines


def regrade(
    context: typer.Context,
    cases: Annotated[
        list[str] | None, typer.Argument(metavar="CASE...", help="Cases by name; none: all whose folder changed.")
    ] = None,
    old: Annotated[str, typer.Option("--old", metavar="REV", help="The commit that has the old graders.")] = "HEAD",
    new: Annotated[
        str, typer.Option("--new", metavar="REV", help="The commit that has the new ones, or `worktree`.")
    ] = WORKTREE,
    suite: SuiteOption = None,
    output: FormatOption = "text",
) -> int:
    """Grade the kept traces with the old and the new graders, and store both counts and the cross table.

    That record is what a `Test-Weakened:` line of a changed pattern needs. Exit 1: the new graders take a reply that was
    labelled wrong, or a case no longer falls under a planted fault. 3: no trace of a case is kept, so nothing is shown.
    """
    call: Call = context.obj
    check_format(output)
    here = call.find()
    where = EvalPlace.find(here, call.policy(here), suite)
    order = regrading.Order(old, new, tuple(cases or ()))
    with RegexEngine() as engine:
        found = regrading.regrade(where, order, engine, call.now, lambda text: call.tell(f"shipmoor-hooks: {text}"))
    if output == "json":
        listed = [_regrade_json(record) for record in found]
        answer(json.dumps({"schema": "shipmoor-hooks.regrade/1", "regrades": listed}, indent=1))
    for record in found if output == "text" else ():
        answer(visible(f"{record.case}  {record.old[:12]} → {record.new[:12]}"))
        for line in cross_table.lines(record):
            answer("  " + visible(line))
    if not found:
        call.tell("shipmoor-hooks: no case's folder differs between the two, so there is nothing to re-grade")
    lacking = [(record, why) for record in found if (why := regrade_lacks([record]))]
    for record, why in lacking:
        call.tell(f"shipmoor-hooks: {record.case}: this re-grade stands for no disclosure: {why}")
    if any(record.newly_wrong or record.newly_fault for record, _ in lacking):
        return EXIT_REFUSED
    return EXIT_NO_EVIDENCE if lacking else 0


def _regrade_json(record: Regrade) -> dict[str, object]:
    rows = [
        {
            "grader": t.grader or None,
            "what": t.what,
            "case": t.case or None,
            "old": t.old,
            "new": t.new,
            "of": t.of,
            "ungraded": t.ungraded,
        }
        for t in record.tallies
    ]
    lacks = regrade_lacks([record])
    return {
        "id": record.id,
        "case": record.case,
        "old": record.old,
        "new": record.new,
        "graders": list(record.graders),
        "newly_wrong": list(record.newly_wrong),
        "newly_fault": list(record.newly_fault),
        "stands": not lacks,
        "why": lacks or None,
        "table": rows,
    }


def label(
    context: typer.Context,
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A kept trace: the first digits of its name.")],
    judgement: Annotated[str, typer.Argument(metavar="correct|wrong", help="Was the reply correct?")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "",
) -> int:
    """Store a person's judgement of a recorded reply; `eval regrade` counts correct and wrong ones apart."""
    call: Call = context.obj
    stored = labels.label(call.find().common_dir, trace, judgement, reason, call.now)
    answer(visible(f"{stored.label}: {stored.trace[:12]} of {stored.case}"))
    return 0
