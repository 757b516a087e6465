"""`aggregate-result.json` of `claude plugin eval` (schemaVersion 1): the cases as records, and all of it as an EvalResult.

Strict: what the program never writes is refused by name. A sample is one entry of `arms.with` (`runsPerCase` says what the
case asks for, not what ran). A sample that ended in an error, was aborted, took no turn, left a grader out, or stands in a
result that the program cut short measures nothing, whatever its score. Whether a sample is green follows from its graders'
verdicts, a case is green when every valid sample is; `casesPassed` is kept beside that as the program's own word.
"""

from __future__ import annotations

import datetime
import posixpath
from collections.abc import Iterable, Sequence

from shipmoor_hooks.enumeration import some
from shipmoor_hooks.eval_model import EvalCase, EvalPlugin, EvalResult, EvalRun, EvalSample, GraderVerdict
from shipmoor_hooks.model import Outcome, Problem, Record, Report
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete
from shipmoor_hooks.readers.json_document import document
from shipmoor_hooks.readers.json_fields import Fields
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.source import Source

READER = "plugin-eval"
HARNESS = "claude plugin eval"
SCHEMA = 1
_JUDGED = ("llm", "baseline")
_SHOWN = 3


def read_plugin_eval(source: Source, name: str) -> Report:
    """One record an entry of `cases`. Raises ReportFault for what is no whole result of the program's."""
    top = Fields(document(source, name, strict=True), name)
    version = top.count("schemaVersion")
    if version != SCHEMA:
        newer = "is newer than" if version > SCHEMA else "is not"
        raise unreadable(name, f"schemaVersion {version} {newer} {SCHEMA}, the one that can be read")
    listed = top.objects("cases")
    within_cap(len(listed), name)
    result = _result(top, listed)
    run = result.run
    return Report(
        READER,
        READER,
        tuple(_record(case, run.threshold) for case in run.cases),
        tuple(_problems(result)),
        started=_moment(top, "startedAt"),
        harness=HARNESS,
        harness_version=run.program_version,
        evals=result,
    )


def _result(top: Fields, listed: Sequence[Fields]) -> EvalResult:
    suite = top.object("suite")
    partial = (top.text_or("partialReason") or "it does not say why") if top.flag("partial") else ""
    arms = [case.object("arms") for case in listed]
    measured = [arm.objects("with") for arm in arms]
    beside = [sample for arm in arms for sample in arm.objects_or_none("without")]
    passed, of = _counts(top.object("aggregates"), len(listed))
    return EvalResult(
        EvalRun(
            cases=tuple(_case(case, samples, bool(partial)) for case, samples in zip(listed, measured, strict=True)),
            program=HARNESS,
            program_version=_name(top.text("claudeVersion")),
            model=_model(suite, listed),
            judge=_name(suite.text_or("judgeModel")),
            threshold=_threshold(suite),
            ablation=_name(suite.text("ablation")),
            program_passed=passed,
            program_total=of,
            overall_score=top.object("aggregates").number_or_none("overallScore"),
            seconds=top.number("durationSeconds"),
            cost=top.number("costUsd"),
            children=sum(map(len, measured)) + len(beside),
        ),
        root=suite.text("root"),
        plugins=tuple(
            EvalPlugin(_name(p.text("name")), _name(p.text_or("version")), p.text("path"))
            for p in suite.objects("plugins")
        ),
        case_filter=_name(suite.text_or("caseFilter")),
        tag_filters=tuple(map(_name, suite.texts_or_none("tagFilters"))),
        partial=_name(partial),
        traces=tuple(tuple(sample.text_or("tracePath") for sample in samples) for samples in measured),
        other_traces=tuple(sample.text_or("tracePath") for sample in beside),
        needs_judge=any(g.text("type") in _JUDGED for case in listed for g in case.objects("graders")),
    )


def _counts(totals: Fields, listed: int) -> tuple[int, int]:
    passed, of = totals.count("casesPassed"), totals.count("casesTotal")
    if passed > of:
        totals.refuse("casesPassed", f"is {passed}, more than the {of} of casesTotal")
    if of != listed:
        totals.refuse("casesTotal", f"is {of}, and the file lists {listed}")
    return passed, of


def _threshold(suite: Fields) -> float:
    value = suite.number("threshold")
    return value if value >= 0 else suite.refuse("threshold", f"is {value:g}, below 0")


def _model(suite: Fields, listed: Iterable[Fields]) -> str:
    """The model that was asked for; where the cases name their own, all of them. "" for the program's default."""
    own = {_name(case.text_or("model")) or "the default" for case in listed}
    asked = _name(suite.text_or("modelOverride"))
    return asked or ("" if own <= {"the default"} else " and ".join(sorted(own)))


# ---------------------------------------------------------------- one case


def _case(case: Fields, samples: Sequence[Fields], partial: bool) -> EvalCase:
    name = case.text("name") or case.refuse("name", "is empty")
    types = {g.text("name"): g.text("type") for g in case.objects("graders")}
    return EvalCase(
        _name(name),
        dir=_inside(case),
        samples=tuple(_sample(sample, types, partial) for sample in samples),
        score=case.object("aggregates").number_or_none("score"),
        required=case.count("runsPerCase"),
    )


def _inside(case: Fields) -> str:
    """The case's folder, relative to the plugin's root and inside it."""
    path = posixpath.normpath(case.text("dir").replace("\\", "/"))
    if path.startswith(("/", "../")) or path == ".." or "\0" in path:
        case.refuse("dir", f"is {shown(path)!r}, which is no folder below the plugin's root")
    return bounded(path)


def _sample(sample: Fields, types: dict[str, str], partial: bool) -> EvalSample:
    graders = tuple(_grader(g, types) for g in sample.objects("graders"))
    return EvalSample(
        passed=sample.flag("passed"),
        score=sample.number_or_none("score"),
        graders=graders,
        invalid=_invalid(sample, f"{len(graders)} of {len(types)}" if len(graders) != len(types) else "", partial),
        started=_moment(sample, "startedAt"),
        seconds=sample.number("durationSeconds"),
        cost=sample.number("costUsd") + sample.number_or("judgeCostUsd", 0.0),
        turns=sample.count("turns"),
    )


def _invalid(sample: Fields, graded: str, partial: bool) -> str:
    """Why a sample measures nothing; "" where it does. `graded` is k of n where not every grader has a verdict."""
    if sample.values.get("error") is not None:
        return _line(sample.text("error"), 160) or "it ended in an error"
    if aborted := sample.object_or_none("aborted"):
        return f"it was aborted: {_line(aborted.text_or('reason'), 120) or 'no reason is given'}"
    if partial:
        return "the program stopped before the suite was done"
    if sample.count("turns") == 0:
        return "it took no turn"
    if sample.flag_or("skippedPaidGraders", False):
        return "graders that cost money were left out"
    return f"{graded} graders were graded" if graded else ""


def _grader(grader: Fields, types: dict[str, str]) -> GraderVerdict:
    name = grader.text("name")
    if name not in types:
        grader.refuse("name", f"is {shown(name)!r}, which is no grader of its case")
    weight = grader.number_or_none("weight")
    if weight is not None and weight <= 0:
        grader.refuse("weight", f"is {weight:g}, and a weight is above 0")
    return GraderVerdict(
        _name(name),
        _name(types[name]),
        grader.flag("passed"),
        # The program writes a weight that is no finite number as null; no score follows from one (see `our_score`).
        _NO_NUMBER if weight is None else weight,
        grader.flag_or("scored", True),
    )


_NO_NUMBER = 0.0


def _record(case: EvalCase, threshold: float) -> Record:
    """The worst valid sample is the outcome, the others stand as attempts, so that k of n counts every one."""
    greens = [sample.is_green(threshold) for sample in case.valid]
    if not greens:
        return Record(case.id, outcome=Outcome.ERROR)
    final = Outcome.PASSED if all(greens) else Outcome.FAILED
    others = [Outcome.PASSED if green else Outcome.FAILED for green in greens]
    others.remove(final)
    return Record(case.id, outcome=final, attempts=tuple(others))


def _problems(result: EvalResult) -> list[Problem]:
    run = result.run
    if not run.cases:
        return [incomplete("the result lists no case, so it reports no run")]
    if result.partial:
        return [incomplete(f"the program stopped before the suite was done ({result.partial})")]
    empty = [case for case in run.cases if not case.valid]
    if not empty:
        return []
    told = [f"{case.id} ({case.samples[0].invalid if case.samples else 'it has no sample'})" for case in empty]
    verb = "has" if len(empty) == 1 else "have"
    return [incomplete(f"{some(told, _SHOWN)} {verb} no valid sample, so nothing is known of them")]


# ---------------------------------------------------------------- small pieces


def _name(text: str) -> str:
    return bounded(legal(text))


def _line(text: str, limit: int) -> str:
    """The first line of a text from outside."""
    return shown(legal(text).strip().partition("\n")[0], limit)


def _moment(fields: Fields, key: str) -> float:
    """POSIX seconds of an ISO 8601 time with a zone."""
    text = fields.text(key)
    try:
        moment = datetime.datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.timestamp()
    except (ValueError, OverflowError):
        pass
    return fields.refuse(key, f"is {shown(text, 40)!r}, which is no time with a zone")
