"""Verdict -> what a continuous integration host shows: GitHub's annotations, GitLab's code quality, Markdown. Pure.

Names are data here too, and each host has its own way of being told something by a line of output: a workflow command is
escaped as GitHub's toolkit does it, and in Markdown everything from outside stands in code, where nothing is a link, a
mention or markup.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Sequence
from typing import Any

from shipmoor_hooks.model import Code, Finding, Level, SuiteCount, Verdict
from shipmoor_hooks.render import findings, headline, notes
from shipmoor_hooks.visible import visible

MOST_ANNOTATIONS = 10  # a level: GitHub shows no more of one step
MOST_CHARACTERS = 60_000  # of Markdown: a comment of GitHub's holds 65,536, and the frame needs some
POLICY_FILE = "shipmoor-hooks.toml"
# The first form of GitHub's commands is obeyed wherever it stands in a line.
_OLD_COMMAND = re.compile(r"##\[")
_COMMAND_OF = {Level.REFUSE: "error", Level.NO_EVIDENCE: "error", Level.NOTE: "notice"}
_SEVERITY_OF = {Level.REFUSE: "critical", Level.NO_EVIDENCE: "major", Level.NOTE: "info"}


# ---------------------------------------------------------------- GitHub Actions


def as_github(verdict: Verdict) -> str:
    """The headline and a workflow command for each finding, at most ten a level. Ends with a line feed."""
    lines = [_plain_line(headline(verdict))]
    shown = dict.fromkeys(("error", "warning", "notice"), 0)
    for finding in verdict.findings:
        command = _command(verdict, finding)
        shown[command] += 1
        if shown[command] <= MOST_ANNOTATIONS:
            lines.append(_annotation(command, finding))
    for command, number in shown.items():
        if number > MOST_ANNOTATIONS:
            left = number - MOST_ANNOTATIONS
            lines.append(_plain_line(f"and {left} more of level {command} (all of them: gate --format json)"))
    return "\n".join(lines) + "\n"


def _command(verdict: Verdict, finding: Finding) -> str:
    if finding.disclosed is not None:
        return "notice"
    command = _COMMAND_OF[finding.level]
    return "warning" if command == "error" and finding.level is Level.REFUSE and verdict.warned else command


def _annotation(command: str, finding: Finding) -> str:
    title = finding.code.value + (f" in {_suite(finding.suite, finding.variant)}" if finding.suite else "")
    properties = {"file": file_of(finding), "title": title + (" (disclosed)" if finding.disclosed else "")}
    told = ",".join(f"{key}={_property(visible(value))}" for key, value in properties.items() if value)
    return f"::{command} {told}::{_data(_message(finding))}"


def _message(finding: Finding) -> str:
    """The sentence, and its ways out below it; every line made visible."""
    lines = [*finding.message.split("\n"), *(finding.next_step.split("\n") if finding.disclosed is None else [])]
    return "\n".join(visible(line) for line in lines if line)


def _data(text: str) -> str:
    """The message of a workflow command, escaped as GitHub's toolkit does it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property of a workflow command: a colon or a comma would end it."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _plain_line(text: str) -> str:
    """A line for the log that is no command: not `::x::` at its start, and not the older `##[x]` anywhere."""
    text = _OLD_COMMAND.sub(r"##\\x5b", text)
    return f"shipmoor-hooks: {text}"


# ---------------------------------------------------------------- GitLab


def as_gitlab(verdict: Verdict) -> list[dict[str, Any]]:
    """The findings as GitLab's code quality report: a list of issues, each with a fingerprint that stays the same."""
    issues = []
    seen: dict[str, int] = {}
    for finding in verdict.findings:
        mark = fingerprint(finding)
        seen[mark] = seen.get(mark, 0) + 1
        level = Level.NOTE if finding.disclosed else finding.level
        issues.append(
            {
                "description": _message(finding).replace("\n", " "),
                "check_name": finding.code.value,
                "fingerprint": mark if seen[mark] == 1 else hashlib.sha256(f"{mark} {seen[mark]}".encode()).hexdigest(),
                "severity": "minor" if verdict.warned and level is Level.REFUSE else _SEVERITY_OF[level],
                "location": {"path": visible(file_of(finding) or POLICY_FILE), "lines": {"begin": 1}},
            }
        )
    return issues


def fingerprint(finding: Finding) -> str:
    """What makes two findings of two verdicts the same one: code, suite, variant and case."""
    parts = (finding.code.value, finding.suite, finding.variant, finding.case)
    told = "\0".join("" if part is None else part for part in parts)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def file_of(finding: Finding) -> str:
    """The file that a finding speaks of, relative to the root; "" where its case names none."""
    if finding.code is Code.POLICY_LOOSENED:
        return POLICY_FILE
    path, colons, _ = (finding.case or "").partition("::")
    if not colons or "." not in posixpath.basename(path):
        return ""
    if path.startswith(("/", "../")) or "\\" in path or posixpath.normpath(path) != path:
        return ""
    return path


# ---------------------------------------------------------------- Markdown


def as_markdown(verdict: Verdict) -> str:
    """The verdict for a comment or a step summary. Ends with a line feed."""
    parts = [f"### shipmoor-hooks\n\n{code_span(headline(verdict))}"]
    if verdict.suites:
        parts.append(_table(verdict.suites))
    left = MOST_CHARACTERS - sum(map(len, parts))
    told = findings(verdict)
    if told:
        parts.append(fenced("\n\n".join(told), left // 2))
    remarks = notes(verdict)
    if remarks:
        number = sum(f.level is Level.NOTE for f in verdict.findings)
        summary = f"<summary>{number} {'note' if number == 1 else 'notes'}</summary>"
        parts.append("\n\n".join(["<details>" + summary, fenced("\n".join(remarks), left // 3), "</details>"]))
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[SuiteCount]) -> str:
    lines = ["| suite | base | tip |", "| --- | --- | --- |"]
    for row in rows[:200]:
        name = code_span(visible(_suite(row.suite, row.variant))).replace("|", "\\|")
        lines.append(f"| {name} | {row.base or 'not measured'} | {row.tip or 'not measured'} |")
    return "\n".join(lines)


def _suite(suite: str, variant: str | None) -> str:
    return f"{suite} [{variant}]" if variant else suite


def code_span(text: str) -> str:
    """One line as code, whatever backticks it holds (CommonMark, 6.1)."""
    fence = "`" * (_longest_run(text) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def fenced(text: str, most: int) -> str:
    """Lines as a block of code; what is longer than `most` characters is cut at a line and says so."""
    if len(text) > most:
        kept = text[:most].rpartition("\n")[0]
        left = text.count("\n") - kept.count("\n")
        text = f"{kept}\n(and {left} more lines: shipmoor-hooks gate)"
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
