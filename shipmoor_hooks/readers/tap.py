"""TAP, the Test Anything Protocol, versions 12 to 14, with subtests (also as node's runner writes it)."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, within_cap
from shipmoor_hooks.readers.lines import lines_of

_RESULT = re.compile(
    r"(?P<indent>\s*)(?P<not>not )?ok(?![\w])[ \t]*(?P<number>\d{1,9})?[ \t]*(?:-[ \t]*)?(?P<rest>.*)\Z"
)
_PLAN = re.compile(r"(?P<indent>\s*)1\.\.(?P<count>\d{1,9})(?:\s|\Z)")
_SKIPPED_WHOLE = re.compile(r"1\.\.0\s*#\s*skip", re.IGNORECASE)
_DIRECTIVE = re.compile(r"(?:\A|(?<=[^\\]))#[ \t]*(?P<word>skip|todo)\w*\b", re.IGNORECASE)
_TIME = re.compile(r"\s#\s*time=[\d.]+m?s\s*\Z")  # what node-tap puts behind a name
BEGINNING = re.compile(r"\s*(?:TAP version \d|1\.\.\d|(?:not )?ok\b|# Subtest)")
_INDENT = 4  # blanks for one level of subtests


def read_tap(data: bytes, name: str) -> Report:
    """One TAP stream. Raises ReportFault for an encoding, a line or a number of cases beyond the caps."""
    pending: dict[int, list[Record]] = defaultdict(list)  # by level: results whose parent has not been reported yet
    plan: int | None = None
    results = total = 0
    bailed_out = ""
    in_yaml = ""
    for _, line in lines_of(data, name):
        stripped = line.strip()
        if in_yaml:
            in_yaml = "" if line.rstrip() == f"{in_yaml}..." else in_yaml
            continue
        if stripped == "---" and line.startswith(" "):
            in_yaml = line[: len(line) - len(line.lstrip())]
        elif line.startswith("Bail out!"):
            bailed_out = stripped[len("Bail out!") :].strip() or "no reason given"
        elif found := _PLAN.match(line):
            plan = int(found["count"]) if not found["indent"] else plan
            if _SKIPPED_WHOLE.match(line):
                pending[0].append(Record("", "1..0 # skip", outcome=Outcome.SKIPPED, kind=RecordKind.FILE))
        elif found := _RESULT.match(line):
            level = min(len(found["indent"].expandtabs(_INDENT)) // _INDENT, limits.MAX_DEPTH)
            results += level == 0
            total += 1
            within_cap(total, name)
            record = _record(found, len(pending[level]) + 1)
            pending[level] += _with_children(record, pending.pop(level + 1, []))
    records = [record for level in sorted(pending) for record in pending[level]]
    problems = _problems(plan, results, bailed_out, cut_off=any(pending[level] for level in pending if level))
    return Report(
        reader="tap",
        dialect="tap",
        records=tuple(records),
        problems=(*problems, *problems_without_a_case(records)),
        harness="tap",
        warnings=(f"the plan says {plan} tests and {results} were reported",)
        if plan is not None and results > plan
        else (),
    )


def _record(found: re.Match[str], position: int) -> Record:
    rest = _TIME.sub("", found["rest"])
    directive = _DIRECTIVE.search(rest)
    told = (rest[: directive.start()] if directive else rest).strip()
    name = bounded(legal(told.removesuffix("-").rstrip().replace("\\#", "#"))) or found["number"] or str(position)
    if directive is not None:
        outcome = Outcome.SKIPPED if directive["word"].lower() == "skip" else Outcome.XFAILED
    else:
        outcome = Outcome.FAILED if found["not"] else Outcome.PASSED
    return Record(name, outcome=outcome)


def _with_children(parent: Record, children: list[Record]) -> list[Record]:
    """A result, or the results of its subtests under its name; a parent that fails by itself is red beside them."""
    if not children:
        return [parent]
    inner = [replace(child, suites=(parent.name, *child.suites)) for child in children]
    if parent.outcome.is_red and not any(child.outcome.is_red for child in children):
        inner.append(replace(parent, kind=RecordKind.SUITE))
    return inner


def _problems(plan: int | None, results: int, bailed_out: str, cut_off: bool) -> list[Problem]:
    if bailed_out:
        return [incomplete(f"the run was given up: {shown(bailed_out)}")]
    if cut_off:
        return [incomplete("the stream ends inside of a subtest")]
    if plan is None and results:
        return [incomplete("the stream has no plan (1..n), so nobody can say whether it is whole")]
    if plan is not None and results < plan:
        return [incomplete(f"the plan says {plan} tests and {results} were reported")]
    return []
