"""A result as `claude plugin eval` writes it: the aggregate-result.json of schema version 1, key by key.

Pure. Scores are doubles, added up in the graders' order, so that they equal the program's to the last bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals import scores
from shipmoor_hooks.evals.definitions import (
    BASELINE,
    FILE_EXISTS,
    LLM,
    REGEX,
    TOOL_ORDER,
    CaseDefinition,
    Grader,
    Verdict,
)
from shipmoor_hooks.evals.run_options import RunOptions
from shipmoor_hooks.evals.scores import CaseScore


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One sample as it ended. `verdicts` follow the case's graders; None when it was not graded. Seconds, US dollars."""

    started: float
    seconds: float
    turns: int = 0
    cost: float = 0.0
    error: str = ""
    trace: str = ""
    verdicts: tuple[Verdict, ...] | None = None

    def passed(self, graders: Sequence[Grader]) -> bool:
        return scores.run_passed(self.score(graders))

    def score(self, graders: Sequence[Grader]) -> float:
        """Passed weight of all weight; 0 for a sample that was not graded."""
        if self.verdicts is None:
            return 0.0
        return scores.run_score([g.weight for g in graders], [bool(v.passed) for v in self.verdicts])


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case with the samples that were taken of it, at least one."""

    case: CaseDefinition
    samples: tuple[SampleResult, ...]

    @property
    def scored(self) -> CaseScore:
        return scores.case_score([sample.score(self.case.graders) for sample in self.samples])

    @property
    def score(self) -> float:
        return self.scored.score

    @property
    def passed_samples(self) -> int:
        return sum(sample.passed(self.case.graders) for sample in self.samples)

    def meets(self, threshold: float) -> bool:
        return scores.meets(self.score, threshold)


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The whole result. `root` is the plugin's folder, absolute; `partial` why it is not whole ("" where it is)."""

    root: str
    version: str
    started: float
    seconds: float
    cases: tuple[CaseResult, ...]
    options: RunOptions
    plugins: tuple[Mapping[str, str], ...] = ()
    partial: str = ""

    @property
    def passed(self) -> int:
        return sum(case.meets(self.options.threshold) for case in self.cases)

    @property
    def cost(self) -> float:
        return sum(sample.cost for case in self.cases for sample in case.samples)


def text_of(result: SuiteResult) -> str:
    """The file's text: two blanks of indent, a line feed at the end."""
    return json.dumps(document(result), indent=2, ensure_ascii=False) + "\n"


def document(result: SuiteResult) -> dict[str, object]:
    """The result's keys in the program's order."""
    options = result.options
    suite = {
        "root": result.root,
        "ablation": "none",
        "caseFilter": options.case,
        "tagFilters": list(options.tags) or None,
        "modelOverride": options.model,
        "judgeModel": options.judge_model,
        "threshold": _number(options.threshold),
        "concurrency": options.concurrency,
        "plugins": [dict(plugin) for plugin in result.plugins],
    }
    whole = scores.suite_score([case.scored for case in result.cases], options.threshold)
    return {
        "schemaVersion": 1,
        "claudeVersion": result.version,
        "startedAt": timestamp(result.started),
        "durationSeconds": round(result.seconds),
        "costUsd": _number(result.cost),
        "partial": bool(result.partial),
        **({"partialReason": result.partial} if result.partial else {}),
        "suite": _given(suite),
        "cases": [_case(case) for case in result.cases],
        "aggregates": {
            "casesTotal": whole.total,
            "casesPassed": whole.passed,
            "overallScore": _number(whole.overall_score),
            "overallPassRate": _number(whole.overall_pass_rate),
        },
    }


def timestamp(seconds: float) -> str:
    """ISO 8601 with milliseconds and Z, as JavaScript writes it."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def folder_name(started: float) -> str:
    """The name of a result's folder: its start without the marks that a file system may refuse."""
    return timestamp(started).replace(":", "-").replace(".", "-")


def _case(result: CaseResult) -> dict[str, object]:
    case, scored = result.case, result.scored
    return {
        "name": case.name,
        "dir": case.dir,
        "source": case.source,
        "promptMarkdown": case.prompt,
        **({"model": case.model} if case.model else {}),
        "runsPerCase": case.runs,
        "timeoutSeconds": case.timeout_seconds,
        "maxTurns": case.max_turns,
        "graders": [_grader(grader) for grader in case.graders],
        "arms": {"with": [_sample(sample, case.graders) for sample in result.samples]},
        "aggregates": {"score": _number(scored.score), "passRate": _number(scored.pass_rate)},
    }


def _grader(grader: Grader) -> dict[str, object]:
    written = dict(grader.config)
    arm = {"arm": grader.arm} if grader.arm else {}
    whole: dict[str, object] = {"name": grader.name, "type": grader.type, "weight": _number(grader.weight)}
    if grader.type in (LLM, BASELINE):
        whole["graderMarkdown"] = written.get("criteria", "")
    if grader.type == REGEX:
        defaults = {"target": "last_message", "pattern": "", "flags": "", "match": "contains"}
        written = {k: written.get(k, default) for k, default in defaults.items()}
    elif grader.type == FILE_EXISTS:
        written = {"path": written.get("path", ""), "exists": written.get("exists", True)}
    elif grader.type == LLM:
        written = {"criteria": written.get("criteria", ""), "focus": written.get("focus", "last_message")}
    elif grader.type == TOOL_ORDER:
        written = {k: {"tool": v} if isinstance(v, str) else v for k, v in written.items()}
    return {**whole, "config": {**written, **arm}}


def _sample(sample: SampleResult, graders: Sequence[Grader]) -> dict[str, object]:
    verdicts = () if sample.verdicts is None else zip(graders, sample.verdicts, strict=True)
    return {
        "score": _number(sample.score(graders)),
        "passed": sample.passed(graders),
        "turns": sample.turns,
        "costUsd": _number(sample.cost),
        "judgeCostUsd": 0,
        "durationSeconds": round(sample.seconds),
        "startedAt": timestamp(sample.started),
        "error": sample.error or None,
        "tracePath": sample.trace,
        "skippedPaidGraders": any(
            verdict.passed is None and grader.type in (LLM, BASELINE)
            for grader, verdict in zip(graders, sample.verdicts or (), strict=False)
        ),
        "graders": [
            {
                "name": grader.name,
                "passed": bool(verdict.passed),
                "weight": _number(grader.weight),
                "explanation": verdict.explanation,
                "withOnly": False,
                "scored": True,
            }
            for grader, verdict in verdicts
        ],
    }


def _given(values: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value is not None}


def _number(value: float) -> float | int | None:
    """A whole number without a point and no number as null, as JavaScript writes them."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 1e15 else value
