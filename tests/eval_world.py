"""Eval suites for tests: case folders as people write them, and results as `claude plugin eval` writes them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

POLICY = (
    '[gate]\ntarget = "origin/HEAD"\n[suite.evals]\n'
    'command = "claude plugin eval . --trust-plugin --ablation none --no-publish --scaffold --allow-tools Bash Write"\n'
    'format = "plugin-eval"\n'
)
MANIFEST = {".claude-plugin/plugin.json": '{"name": "probe", "version": "1.0.0"}\n'}
DEFAULTS: dict[str, dict[str, object]] = {
    "regex": {"target": "last_message", "flags": "", "match": "contains"},
    "tool_used": {},
    "file_exists": {"exists": True},
}


def regex(name: str, pattern: str, **more: object) -> dict[str, object]:
    return {"name": name, "type": "regex", "pattern": pattern, **more}


def no(tool: str) -> dict[str, object]:
    return {"name": f"no-{tool.lower()}", "type": "tool_used", "tool": tool, "min": 0, "max": 0}


SAYS = regex("says-fail", r"\bFAIL\b")
NO_AGENT = no("Agent")


@dataclass(frozen=True)
class EvalSpec:
    """A case: its samples as letters (P green; F the first grader fell; E an error; A aborted; Z no turn; S a paid grader left
    out) and what its folder holds."""

    name: str
    samples: str = "P"
    graders: tuple[dict[str, object], ...] = (SAYS, NO_AGENT)
    prompt: str = "Run the check."
    scaffold: str = "#!/bin/sh\necho fixture > fixture.txt\n"
    runs: int | None = None
    dir: str = ""
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return self.dir or f"evals/{self.name}"

    def files(self) -> dict[str, str]:
        rows = "".join(f"  - {json.dumps(g)}\n" for g in self.graders)
        text = (
            f'schema_version: "1.1"\nname: {json.dumps(self.name)}\nruns: {self.runs or len(self.samples)}\n'
            f"context: {{scaffold_script: scaffold.sh}}\nexecution:\n  prompt: {json.dumps(self.prompt)}\n"
            f"graders:\n{rows}"
        )
        return {f"{self.folder}/case.yaml": text, f"{self.folder}/scaffold.sh": self.scaffold} | {
            f"{self.folder}/{name}": content for name, content in self.more.items()
        }


def files(cases: Sequence[EvalSpec]) -> dict[str, str]:
    return {path: text for case in cases for path, text in case.files().items()}


def stamp(when: float) -> str:
    moment = datetime.datetime.fromtimestamp(when, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def sample(letter: str, graders: Sequence[Mapping[str, Any]], threshold: float, when: float) -> dict[str, Any]:
    marks = [
        {
            "name": g["name"],
            "passed": letter != "F" or i > 0,
            "weight": g.get("weight", 1),
            "explanation": "",
            "withOnly": False,
            "scored": True,
        }
        for i, g in enumerate(graders)
    ]
    score = sum(m["weight"] for m in marks if m["passed"]) / sum(m["weight"] for m in marks)
    return {
        "score": score,
        "passed": score == 1,
        "turns": 0 if letter == "Z" else 3,
        "costUsd": 0.1,
        "judgeCostUsd": 0,
        "durationSeconds": 1,
        "startedAt": stamp(when),
        "error": "timed out after 2s" if letter == "E" else None,
        "tracePath": "/nowhere/claude-eval-abcdef/out/trace.jsonl",
        "skippedPaidGraders": letter == "S",
        "graders": marks,
        **({"aborted": {"server": "s", "tool": "t", "reason": "expect violated"}} if letter == "A" else {}),
    }


def result(
    cases: Sequence[EvalSpec], when: float = 1_790_000_000.0, threshold: float = 1, root: str = "/nowhere", **top: Any
) -> dict[str, Any]:
    """An aggregate-result.json; `top` replaces keys of the document, `suite` and `aggregates` are put over theirs."""
    rows: list[dict[str, Any]] = []
    for case in cases:
        graders = [
            {
                "name": g["name"],
                "type": g["type"],
                "weight": g.get("weight", 1),
                "config": DEFAULTS[str(g["type"])]
                | {k: v for k, v in g.items() if k not in ("name", "type", "weight")},
            }
            for g in case.graders
        ]
        arms = [sample(letter, case.graders, threshold, when) for letter in case.samples]
        mean = sum(a["score"] for a in arms) / len(arms) if arms else 0
        rows.append({
            "name": case.name,
            "dir": case.folder,
            "source": "case_yaml",
            "promptMarkdown": case.prompt,
            "runsPerCase": case.runs or len(case.samples),
            "timeoutSeconds": 300,
            "maxTurns": 10,
            "graders": graders,
            "arms": {"with": arms},
            "aggregates": {"score": mean, "passRate": 1.0},
        })  # fmt: skip
    suite = {
        "root": root,
        "ablation": "none",
        "threshold": threshold,
        "concurrency": 1,
        "plugins": [{"name": "probe", "version": "1.0.0", "path": root}],
    }
    passed = sum(row["aggregates"]["score"] >= threshold for row in rows)
    totals = {"casesTotal": len(rows), "casesPassed": passed, "overallScore": 1.0, "overallPassRate": 1.0}
    return {
        "schemaVersion": 1,
        "claudeVersion": "2.1.328",
        "startedAt": stamp(when),
        "durationSeconds": 5,
        "costUsd": 0.5,
        "partial": False,
        "cases": rows,
        **top,
        "suite": suite | top.get("suite", {}),
        "aggregates": totals | top.get("aggregates", {}),
    }


def written(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()
