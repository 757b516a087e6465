"""A small language for runs and a judge without git: `a P, b F` on both sides -> findings, for the tests of the rules.

Cases are written `name outcome`: P passed, F failed, E error, S skipped, X expected to fail; `2*` in front of the outcome
says how often the id stands, `1/3` behind it k of n samples. `C` is a file that does not load, `M` a module that skips
itself, `U` a failure outside every case, `R` an exit code that no case explains. A name without `::` or `/` is a test of
`t/s.py`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence

from shipmoor_hooks.model import (
    Case,
    Code,
    CommitMessage,
    Evidence,
    Finding,
    Outcome,
    RecordKind,
    Revision,
    Run,
    Suite,
    Verdict,
)
from shipmoor_hooks.rules import conditions, reduction, verdict
from shipmoor_hooks.rules.reduction import Question
from shipmoor_hooks.rules.selection import Stock, choose

NOW = 1_800_000_000.0
HOUR = 3600.0
LETTERS = {
    "P": Outcome.PASSED,
    "F": Outcome.FAILED,
    "E": Outcome.ERROR,
    "S": Outcome.SKIPPED,
    "X": Outcome.XFAILED,
}
KINDS = {
    "C": (Outcome.ERROR, RecordKind.FILE),
    "M": (Outcome.SKIPPED, RecordKind.FILE),
    "U": (Outcome.ERROR, RecordKind.SUITE),
    "R": (Outcome.FAILED, RecordKind.RUN),
}
BASE, TIP = "b" * 40, "7" * 40
_WORD = re.compile(r"(?:(\d+)\*)?([PFESXCMUR])(?: ?(\d+)/(\d+))?")


def known_of(comparison: reduction.Comparison) -> frozenset[str]:
    """All ids that a disclosure may name."""
    return frozenset().union(*comparison.ids)


def full(name: str) -> str:
    return name if "::" in name or "/" in name else f"t/s.py::{name}"


def case(text: str) -> Case:
    name, word = re.fullmatch(r"(.+?) (\S+(?: \d+/\d+)?)", text.strip()).groups()  # type: ignore[union-attr]
    count, letter, passed, samples = _WORD.fullmatch(word).groups()  # type: ignore[union-attr]
    outcome, kind = KINDS.get(letter) or (LETTERS[letter], RecordKind.CASE)
    case_id = name if kind is RecordKind.FILE else f"<run>::exit {name}" if kind is RecordKind.RUN else full(name)
    covers = "" if kind is not RecordKind.FILE else name if name.endswith("/") else f"{name}::"
    covers = covers.removesuffix("__init__.py::")  # a package's file stands for its folder
    times = int(count or 1)
    of = int(samples or times)
    return Case(case_id, outcome, times, int(passed or (of if outcome.is_green else 0)), of, kind, covers)


def cases(text: str) -> tuple[Case, ...]:
    rows = [case(item) for item in text.split(", ") if item]
    return tuple(sorted(rows, key=lambda c: (c.id, c.kind.value)))


def run(text: str, age: float = 1.0, **more: object) -> Run:
    """A complete run of these cases that started `age` hours ago."""
    started = NOW - age * HOUR
    made = Run("", "unit", "0" * 40, "0" * 40, Evidence.IMPORTED, started, started, cases(text), exit_code=0)
    made = dataclasses.replace(made, **more)  # type: ignore[arg-type]
    return (
        made
        if made.id
        else dataclasses.replace(made, id=hashlib.md5(repr(made).encode(), usedforsecurity=False).hexdigest())
    )


def runs(side: str | Sequence[Run]) -> tuple[Run, ...]:
    return (run(side),) if isinstance(side, str) else tuple(side)


def compare(
    base: str | Sequence[Run],
    tip: str | Sequence[Run],
    suite: Suite | None = None,
    renames: Mapping[str, str] | None = None,
    window: float = 24.0,
) -> reduction.Comparison:
    question = Question(suite or Suite("unit"), None, runs(base), runs(tip), NOW, window, renames, "0123456789ab")
    return reduction.compare(question)


def told(findings: Sequence[Finding]) -> list[str]:
    """`CODE name`, sorted; names of `t/s.py` are short."""
    return sorted(f"{f.code.value} {(f.case or '').removeprefix('t/s.py::')}".strip() for f in findings)


def commit(*trailers: str) -> CommitMessage:
    rows = [line.partition(": ") for line in trailers]
    return CommitMessage("c" * 40, tuple((key, value) for key, _, value in rows), "Say it\n\n" + "\n".join(trailers))


def conclude(
    findings: Sequence[Finding] = (),
    comparison: reduction.Comparison | None = None,
    trailers: Sequence[str] = (),
    mode: str = "refuse",
    reason: str = "",
) -> Verdict:
    return verdict.conclude(
        base=Revision(BASE, BASE),
        tip=Revision(TIP, TIP),
        ref="",
        counts=[comparison.count] if comparison else [],
        findings=[*findings, *(comparison.findings if comparison else ())],
        commits=[commit(*trailers)] if trailers else [],
        known=known_of(comparison) if comparison else (),
        new_at_tip=comparison.new_at_tip if comparison else (),
        reason_pattern=reason,
        mode=mode,
    )


def judge(
    base: Stock,
    tip: Stock,
    suite: Suite,
    trailers: Sequence[str] = (),
    evidence: Evidence = Evidence.IMPORTED,
) -> Verdict:
    """The gate without git: choose, compare, conclude. A side without a usable run gives its first problem's code."""
    there, here = choose(base, suite, evidence), choose(tip, suite, evidence)
    findings = []
    for choice, code in ((there, Code.NO_RUN_AT_BASE), (here, Code.NO_RUN_AT_TIP)):
        if not choice.usable:
            rows = [p for found in choice.problems.values() for p in found]
            findings.append(Finding(rows[0].code if rows else code, "missing.", "run it", suite.name))
    common = sorted(set(there.usable) & set(here.usable), key=lambda v: v or "")
    if not findings and not common:
        findings.append(Finding(Code.VARIANT_MISSING, "none in common.", "run it", suite.name))
    counts, known, new_at_tip = [], set(), set()
    for variant in common:
        base_runs, tip_runs, notes = conditions.comparable(there.usable[variant], here.usable[variant], suite.same)
        findings += notes
        if base_runs:
            result = reduction.compare(Question(suite, variant, base_runs, tip_runs, NOW))
            counts.append(result.count)
            findings += result.findings
            known |= known_of(result)
            new_at_tip |= result.new_at_tip
    return verdict.conclude(
        base=Revision(BASE, BASE),
        tip=Revision(TIP, TIP),
        ref="",
        counts=counts,
        findings=findings,
        commits=[commit(*trailers)] if trailers else [],
        known=known,
        new_at_tip=new_at_tip,
    )
