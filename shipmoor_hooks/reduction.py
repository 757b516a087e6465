"""The rule book: the runs at the base and the runs at the tip of one suite and variant -> findings. Pure (design, section 3).

`compare` asks, of every case, what it was at the base and what it is at the tip. Nothing here knows git, files or the
clock; the wording of each finding stands in `wording`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shipmoor_hooks import wording
from shipmoor_hooks.model import Code, Count, Finding, RecordKind, Run, Suite, SuiteCount
from shipmoor_hooks.pairing import Pairing, pair
from shipmoor_hooks.standing import BaseCase, TipCase, at_base, at_tip, base_n_of_n, deciding, n_of_n

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a suite and variant gave: counts, findings (none disclosed yet), and the ids that disclosures may name."""

    count: SuiteCount
    findings: tuple[Finding, ...]
    known: frozenset[str]
    new_at_tip: frozenset[str]


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that the rules look at for one suite and variant; `base_name` is what messages call the base.

    `renames` maps old to new paths as git sees them between base and tip; `now` is the moment the gate was asked (POSIX
    seconds); `window_hours` how old a base run may be to clear a red.
    """

    suite: Suite
    variant: str | None
    base: tuple[Run, ...]
    tip: tuple[Run, ...]
    now: float
    window_hours: float = 24.0
    renames: Mapping[str, str] | None = None
    base_name: str = "BASE"


def compare(question: Question) -> Comparison:
    """Judge one suite and variant. Both sides must hold at least one usable run."""
    base = at_base(question.base)
    tip = at_tip(question.tip, question.suite.reruns)
    pairs = pair(base, tip, question.renames or {})
    found: list[Finding] = []
    found += _lost(base, tip, pairs)
    for base_id, tip_id in [*pairs.same.items(), *pairs.moved.items()]:
        found += _kept(question, base[base_id], tip[tip_id])
    found += _new(question, base, tip, pairs)
    found += _conditions(question)
    found += _smaller_runs(question)
    count = SuiteCount(question.suite.name, question.variant, base_n_of_n(question.base, base), n_of_n(tip))
    placed = tuple(_placed(f, question) for f in found)
    return Comparison(count, placed, frozenset(base) | frozenset(tip), frozenset(pairs.new))


def _placed(finding: Finding, question: Question) -> Finding:
    return Finding(
        finding.code,
        finding.message,
        finding.next_step,
        question.suite.name,
        question.variant,
        finding.case,
        finding.base,
        finding.tip,
        finding.disclosed,
    )


# ---------------------------------------------------------------- what is gone


def _lost(base: Mapping[str, BaseCase], tip: Mapping[str, TipCase], pairs: Pairing) -> list[Finding]:
    number = sum(1 for c in tip.values() if not c.covers and c.kind is RecordKind.CASE)
    return [
        *(wording.removed(base[case_id], number) for case_id in pairs.gone),
        *(wording.fewer_positions(few) for few in pairs.fewer),
        *(wording.does_not_load(tip[record], ids) for record, ids in pairs.unloadable.items()),
        *(wording.file_skips_itself(base[i], record) for i, record in pairs.self_skipped.items() if base[i].ran),
        *(wording.moved(base[old], tip[new]) for old, new in pairs.moved.items()),
    ]


# ---------------------------------------------------------------- what is still there


def _kept(question: Question, base: BaseCase, tip: TipCase) -> list[Finding]:
    found = []
    if tip.count < base.count:
        found.append(wording.fewer_records(base, tip))
    if tip.outcome.is_red:
        found += _red(question, base, tip)
    elif tip.outcome.is_skip:
        if base.ran:
            found.append(wording.skipped(base, tip))
    elif tip.total.passed < tip.total.of:
        found.append(wording.flaky(tip, base))
    return found


def _red(question: Question, base: BaseCase, tip: TipCase) -> list[Finding]:
    if not base.ran:
        return [wording.unskipped_red(base, tip)]
    if not base.green:
        newest = max(base.red_in, key=lambda r: r.started)
        return [wording.still_red(base, tip, question.now - newest.started)]
    return _clear(question, tip, base.total, base.red_in)


def _clear(question: Question, tip: TipCase, base_count: Count | None, red_in: Sequence[Run]) -> list[Finding]:
    """A red of a case that was green at the base: CASE_RED, unless a base run of the last hours shows it red as well."""
    decide = deciding(question.tip, question.suite.reruns)
    suspect = False
    for run in sorted(red_in, key=lambda r: (-r.started, r.id)):
        age = question.now - run.started
        if age > question.window_hours * HOUR or not all(equal_conditions(run, t) for t in decide):
            continue
        if run.clock_suspect or age < 0:
            suspect = True
            continue
        return [wording.cleared(tip, base_count, run, age)]
    found = [wording.red(tip, base_count, question)]
    if suspect:
        found.append(wording.clock_suspect(tip, question))
    return found


# ---------------------------------------------------------------- what is new


def _new(question: Question, base: Mapping[str, BaseCase], tip: Mapping[str, TipCase], pairs: Pairing) -> list[Finding]:
    found = []
    for case_id in pairs.new:
        case = tip[case_id]
        if case.kind is RecordKind.SUITE:
            found += _clear(question, case, None, ())
        else:
            found.append(wording.new_red(case) if case.outcome.is_red else wording.added(case))
    for case_id, case in sorted(tip.items()):
        if case.covers and case.outcome.is_red and case_id not in pairs.unloadable:
            found.append(wording.new_red(case))
        elif case.kind is RecordKind.RUN and case_id not in base:
            found += _exit_code(question, base, case)
    return found


def _exit_code(question: Question, base: Mapping[str, BaseCase], case: TipCase) -> list[Finding]:
    """An exit code that no case explains counts as green in every run that ended 0, so it is a red like another."""
    others = [b for i, b in base.items() if i.startswith("<run>::")]
    red_in = [r for b in others for r in b.red_in]
    if red_in and all(r.exit_code not in (0, None) for r in question.base):
        return [wording.still_red(others[0], case, question.now - max(r.started for r in red_in))]
    return _clear(question, case, None, red_in)


# ---------------------------------------------------------------- what the runs were measured under


def equal_conditions(one: Run, other: Run) -> bool:
    """No condition that both runs know differs."""
    return not differing(one, other)


def differing(one: Run, other: Run) -> list[tuple[str, str, str]]:
    """The conditions that both runs know and that differ: name, value in one, value in the other."""
    theirs = dict(other.conditions)
    return [(k, v, theirs[k]) for k, v in one.conditions if k in theirs and theirs[k] != v]


def _conditions(question: Question) -> list[Finding]:
    newest = max(question.base, key=lambda r: (r.started, r.sequence, r.id))
    tip = max(question.tip, key=lambda r: (r.started, r.sequence, r.id))
    return [wording.conditions_differ(*row) for row in differing(newest, tip)]


def _smaller_runs(question: Question) -> list[Finding]:
    """A complete run at the base that lists fewer cases than an older one of it is named; it shrinks nothing."""
    found = []
    largest = 0
    for run in sorted(question.base, key=lambda r: (r.started, r.sequence, r.id)):
        of = run.count.of
        if of < largest:
            found.append(wording.smaller_run(run, largest))
        largest = max(largest, of)
    return found


def comparable(
    base: Sequence[Run], tip: Sequence[Run], same: Sequence[str], base_name: str = "BASE"
) -> tuple[tuple[Run, ...], list[Finding]]:
    """The base's runs whose `same` conditions equal those of the tip's newest run; where none is left, NOT_COMPARABLE."""
    if not same or not base or not tip:
        return tuple(base), []
    newest = max(tip, key=lambda r: (r.started, r.sequence, r.id))
    fitting = [r for r in base if not [d for d in differing(r, newest) if d[0] in same]]
    if fitting:
        return tuple(fitting), []
    other = max(base, key=lambda r: (r.started, r.sequence, r.id))
    rows = [d for d in differing(other, newest) if d[0] in same]
    return (), [wording.not_comparable(rows, newest, base_name)]


def refusing(findings: Sequence[Finding]) -> list[Finding]:
    return [f for f in findings if f.refuses]


def is_reduced(findings: Sequence[Finding]) -> bool:
    """What is, not what follows: true also when everything that got smaller is disclosed."""
    return any(f.code in _REDUCING for f in findings)


_REDUCING = frozenset({
    Code.CASE_REMOVED, Code.CASE_FEWER, Code.CASE_SKIPPED, Code.CASE_RED, Code.COLLECTION_ERROR,
    Code.EXPECTATION_WEAKENED, Code.SAMPLES_FEWER, Code.POLICY_LOOSENED,
})  # fmt: skip
