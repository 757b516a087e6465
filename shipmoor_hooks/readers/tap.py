"""TAP, the Test Anything Protocol, versions 12 to 14, with subtests (also as node's runner writes it)."""

from __future__ import annotations

import re
from collections import defaultdict

from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, within_cap
from shipmoor_hooks.readers.lines import lines_of
from shipmoor_hooks.readers.source import Source

_RESULT = re.compile(
    r"(?P<indent>\s*)(?P<not>not )?ok(?![\w])[ \t]*(?P<number>\d{1,9})?[ \t]*(?:-[ \t]*)?(?P<rest>.*)\Z"
)
_PLAN = re.compile(r"(?P<indent>\s*)1\.\.(?P<count>\d{1,9})(?:\s|\Z)")
_SKIPPED_WHOLE = re.compile(r"1\.\.0\s*#\s*skip", re.IGNORECASE)
_DIRECTIVE = re.compile(r"(?:\A|(?<=[^\\]))#[ \t]*(?P<word>skip|todo)\w*\b", re.IGNORECASE)
_TIME = re.compile(r"(?:\A|(?<=\s))# time=[\d.]+m?s\s*\Z")  # node-tap writes how long it took behind the name
BEGINNING = re.compile(r"\s*(?:TAP version \d|1\.\.\d|(?:not )?ok\b|# Subtest)")
_INDENT = 4  # blanks for one level of subtests


@dataclass(slots=True)
class _Block:
    """The results of one level since its parent's last one; `opened` is the parent of the buffered subtests inside."""

    records: list[Record] = field(default_factory=list)
    results: int = 0
    plan: int | None = None
    last: int = 0  # where the records of the last result begin
    opened: Record | None = None

    def add(self, records: list[Record]) -> None:
        self.last = len(self.records)
        self.records += records
        self.results += 1


def read_tap(source: Source, name: str) -> Report:
    """One TAP stream, or several one after the other (their plans add up).

    Subtests stand in front of their parent's result, or behind it in braces (node-tap's buffered ones). Raises
    ReportFault for an encoding, a line or a number of cases beyond the caps.
    """
    blocks: dict[int, _Block] = defaultdict(_Block)  # by level: results whose parent has not been reported yet
    total = 0
    short: list[str] = []
    bailed_out = in_yaml = ""
    for _, line in lines_of(source, name):
        stripped = line.strip()
        if in_yaml:
            in_yaml = "" if line.rstrip() == f"{in_yaml}..." else in_yaml
        elif stripped == "---" and line.startswith(" "):
            in_yaml = line[: len(line) - len(line.lstrip())]
        elif stripped.startswith("Bail out!"):
            bailed_out = stripped[len("Bail out!") :].strip() or "no reason given"
        elif found := _PLAN.match(line):
            block = blocks[_level(found["indent"])]
            block.plan = int(found["count"]) + (block.plan or 0)
            if _SKIPPED_WHOLE.match(line):
                block.records.append(Record("", "1..0 # skip", outcome=Outcome.SKIPPED, kind=RecordKind.FILE))
        elif found := _RESULT.match(line):
            total += 1
            within_cap(total, name)
            level = _level(found["indent"])
            block = blocks[level]
            record, is_opened = _record(found, block.results + 1)
            if is_opened:
                block.opened = record
            else:
                block.add(_with_children(record, blocks.pop(level + 1, None), short))
        elif stripped == "{" and (block := blocks[_level(line)]).results and len(block.records) == block.last + 1:
            block.opened = block.records.pop()
            block.results -= 1
        elif stripped == "}" and (opened := (block := blocks[level := _level(line)]).opened) is not None:
            block.opened = None
            block.add(_with_children(opened, blocks.pop(level + 1, None), short))
    records = [record for level in sorted(blocks) for record in blocks[level].records]
    is_cut_off = any(block.opened or (level and block.records) for level, block in blocks.items())
    top = blocks[0]
    problems = _problems(top.plan, top.results, bailed_out, is_cut_off) or [incomplete(what) for what in short[:1]]
    return Report(
        reader="tap",
        dialect="tap",
        records=tuple(records),
        problems=(*problems, *problems_without_a_case(records)),
        harness="tap",
        warnings=(f"the plan says {top.plan} tests and {top.results} were reported",)
        if top.plan is not None and top.results > top.plan
        else (),
    )


def _level(line: str) -> int:
    """How deep a line stands: four blanks a level, at most the cap for depth."""
    indent = line[: len(line) - len(line.lstrip())]
    return min(len(indent.expandtabs(_INDENT)) // _INDENT, limits.MAX_DEPTH)


def _record(found: re.Match[str], position: int) -> tuple[Record, bool]:
    """The record of a result line, and whether its subtests follow in braces."""
    rest = found["rest"].rstrip()
    is_opened = rest == "{" or rest.endswith(" {")
    rest = _TIME.sub("", rest[:-1].rstrip() if is_opened else rest)
    directive = _DIRECTIVE.search(rest)
    told = (rest[: directive.start()] if directive else rest).strip()
    name = bounded(legal(told.removesuffix("-").rstrip().replace("\\#", "#"))) or found["number"] or str(position)
    if directive is not None:
        outcome = Outcome.SKIPPED if directive["word"].lower() == "skip" else Outcome.XFAILED
    else:
        outcome = Outcome.FAILED if found["not"] else Outcome.PASSED
    return Record(name, outcome=outcome), is_opened


def _with_children(parent: Record, block: _Block | None, short: list[str]) -> list[Record]:
    """A result, or the results of its subtests under its name; a parent that fails by itself is red beside them.

    What a block planned and did not report goes to `short`.
    """
    if block is None or not block.records:
        return [parent]
    if block.plan is not None and block.results < block.plan:
        short.append(f"{shown(parent.name)!r} planned {block.plan} subtests and {block.results} were reported")
    inner = [replace(child, suites=(parent.name, *child.suites)) for child in block.records]
    if parent.outcome.is_red and not any(child.outcome.is_red for child in block.records):
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
