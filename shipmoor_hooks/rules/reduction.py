"""The rule book: the runs at the base and the runs at the tip of one suite and variant -> findings. Pure (design, section 3).

`compare` asks, of every case, what it was at the base and what it is at the tip. Nothing here knows git, files or the
clock; the wording of each finding stands in `wording`.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.model import Code, Count, Finding, RecordKind, Run, Suite, SuiteCount
from shipmoor_hooks.rules import eval_runs, wording
from shipmoor_hooks.rules.conditions import differing, equal_conditions
from shipmoor_hooks.rules.pairing import Pairing, pair
from shipmoor_hooks.rules.standing import (
    BaseCase,
    Tip,
    TipCase,
    at_base,
    at_tip,
    base_n_of_n,
    deciding,
    failures_at_base,
    n_of_n,
    newest_of,
)
from shipmoor_hooks.rules.unchanged import set_aside
from shipmoor_hooks.rules.unstable import Unstable, original, unstable_ids

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

HOUR = 3600.0
_MAY_HAVE_MOVED = frozenset({Code.CASE_REMOVED, Code.CASE_FEWER, Code.COLLECTION_ERROR})
CLOCK_TOLERANCE = 120.0  # seconds that a run may lie in the future (10.5)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a suite and variant gave: counts, findings (none disclosed yet), and the ids that disclosures may name.

    `ids` are those at base or tip, in several collections that may overlap: one set of them all is only made where a line
    names cases. `new_at_tip` are the cases that ran at the tip and did not stand at the base.
    """

    count: SuiteCount
    findings: tuple[Finding, ...]
    ids: tuple[Collection[str], ...]
    new_at_tip: frozenset[str]

    @property
    def may_have_moved(self) -> bool:
        """Is something gone that may only be somewhere else?"""
        return any(f.code in _MAY_HAVE_MOVED for f in self.findings)


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that the rules look at for one suite and variant; `base_name` is what messages call the base.

    `renames` maps old to new paths as git sees them between base and tip; `now` is the moment the gate was asked (POSIX
    seconds); `window_hours` how old a base run may be to clear a red. `alone` are the runs of single eval cases at the
    base: a red of theirs clears as one of a full run does, and nothing else comes of them.
    """

    suite: Suite
    variant: str | None
    base: tuple[Run, ...]
    tip: tuple[Run, ...]
    now: float
    window_hours: float = 24.0
    renames: Mapping[str, str] | None = None
    base_name: str = "BASE"
    alone: tuple[Run, ...] = ()


def compare(question: Question) -> Comparison:
    """Judge one suite and variant. Both sides must hold at least one usable run."""
    aside = set_aside(question.base[0], question.tip[0]) if len(question.base) == len(question.tip) == 1 else None
    if aside is None:
        return compare_all(question)
    found = compare_all(replace(question, base=(aside.base,), tip=(aside.tip,)), aside.number)
    base, tip = (
        Count(count.passed + aside.passed, count.of + aside.number) if count else None
        for count in (found.count.base, found.count.tip)
    )
    count = replace(found.count, base=base, tip=tip, base_runs=_own(question.base), tip_runs=_own(question.tip))
    return replace(found, count=count, ids=(*found.ids, aside.ids))


def compare_all(question: Question, aside: int = 0) -> Comparison:
    """The same, every case looked at; so many more (`aside`) stand on both sides alike."""
    every = at_base(question.base)
    tip = at_tip(question.tip, question.suite.reruns)
    loose = unstable_ids(question.base)
    renames = question.renames or {}
    base = loose.without(every)
    pairs = pair(base, replace(tip, cases=loose.without(tip.cases, original(renames))), renames)
    found = _lost(base, len(tip.cases) + aside, tip, pairs) + _unstable(question, loose)
    for base_id, tip_id in [*pairs.same.items(), *pairs.moved.items()]:
        found += _kept(question, base[base_id], tip.cases[tip_id])
    found += _new(tip, pairs)
    found += _beside(question, every, tip, pairs)
    found += _conditions(question)
    found += _smaller_runs(question)
    return Comparison(
        SuiteCount(
            question.suite.name,
            question.variant,
            base_n_of_n(question.base, base | loose.counted(every, question.base)),
            n_of_n(tip),
            _own(question.base),
            _own(question.tip),
        ),
        tuple(_placed(f, question) for f in found),
        (every, tip.cases, tip.files, {i for _, i in tip.failures}),
        frozenset(i for i in pairs.new if not tip.cases[i].outcome.is_skip),
    )


def _own(runs: Sequence[Run]) -> tuple[tuple[str, Count], ...]:
    return tuple(sorted(((run.id, run.count) for run in runs), key=lambda row: row[0]))


def _placed(finding: Finding, question: Question) -> Finding:
    return replace(finding, suite=question.suite.name, variant=question.variant)


# ---------------------------------------------------------------- what is gone


def _lost(base: Mapping[str, BaseCase], number: int, tip: Tip, pairs: Pairing) -> list[Finding]:
    return [
        *(wording.removed(base[case_id], number) for case_id in pairs.gone),
        *(wording.fewer_positions(few) for few in pairs.fewer),
        *(wording.does_not_load(tip.files[record], ids) for record, ids in pairs.unloadable.items()),
        *(wording.file_skips_itself(base[i], record) for i, record in pairs.self_skipped.items() if base[i].ran),
        *(wording.moved(base[old], tip.cases[new]) for old, new in pairs.moved.items()),
    ]


# ---------------------------------------------------------------- ids that come and go


def _unstable(question: Question, loose: Unstable) -> list[Finding]:
    """Groups of ids that change from run to run: compared by number and by colour."""
    if not loose:
        return []
    from shipmoor_hooks.rules import unstable_wording

    decide = deciding(question.tip, question.suite.reruns)
    recent = [r for r in question.base if _may_clear(question, r, decide)]
    rows = loose.compared(question.base, recent, decide, original(question.renames or {}))
    return [finding for row in rows for finding in unstable_wording.told(*row)]


def _may_clear(question: Question, run: Run, decide: Sequence[Run]) -> bool:
    age = question.now - run.started
    is_recent = -CLOCK_TOLERANCE <= age <= question.window_hours * HOUR and not run.clock_suspect
    return is_recent and all(equal_conditions(run, t) for t in decide)


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
        return [wording.still_red(tip, base.total, _age(question, base.red_in))]
    alone = [r for r in question.alone if any(c.id == tip.id and c.outcome.is_red for c in r.cases)]
    return _clear(question, tip, base.total, (*base.red_in, *alone))


def _age(question: Question, red_in: Sequence[Run]) -> float:
    return question.now - max(r.started for r in red_in)


def _clear(question: Question, tip: TipCase, base_count: Count | None, red_in: Sequence[Run]) -> list[Finding]:
    """A red of a case that was green at the base: CASE_RED, unless a base run of the last hours shows it red as well."""
    decide = deciding(question.tip, question.suite.reruns)
    suspect = False
    asked = eval_runs.expectations_of(decide, tip.id)
    for run in sorted(red_in, key=lambda r: (-r.started, r.id)):
        age = question.now - run.started
        if age > question.window_hours * HOUR or not all(equal_conditions(run, t) for t in decide):
            continue
        if not eval_runs.has_expectation(run, tip.id, asked):
            continue
        if run.clock_suspect or age < -CLOCK_TOLERANCE:
            suspect = True
            continue
        return [_with_samples(question, tip, wording.cleared(tip, base_count, run, age))]
    found = [wording.red(tip, base_count, question)]
    if suspect:
        found.append(wording.clock_suspect(tip, question))
    return found


def _with_samples(question: Question, tip: TipCase, cleared: Finding) -> Finding:
    """Of an eval case every sample of the window is told: a base that was run until it was red shows."""
    if not eval_runs.is_evals(question.base):
        return cleared
    from shipmoor_hooks.rules import eval_wording

    decide = deciding(question.tip, question.suite.reruns)
    full, alone = ([r for r in runs if _may_clear(question, r, decide)] for runs in (question.base, question.alone))
    told = eval_wording.base_samples(tip.id, full, alone)
    return replace(cleared, message=f"{cleared.message.removesuffix('.')}; {told}.")


# ---------------------------------------------------------------- what is new


def _new(tip: Tip, pairs: Pairing) -> list[Finding]:
    found = []
    for case_id in pairs.new:
        case = tip.cases[case_id]
        found.append(wording.new_red(case) if case.outcome.is_red else wording.added(case))
        if case.outcome.is_green and case.total.passed < case.total.of:
            found.append(wording.flaky(case, None))
    return found


# ---------------------------------------------------------------- what stands beside the cases


def _beside(question: Question, base: Mapping[str, BaseCase], tip: Tip, pairs: Pairing) -> list[Finding]:
    """Red records that are no case: a file that does not load, a failure outside every case, an exit code (10.28).

    They exist only while they are red, so each counts as green in every run of the base that lacks it.
    """
    before = failures_at_base(question.base)
    found = []
    for case_id, case in sorted(tip.files.items()):
        if not case.outcome.is_red or case_id in pairs.unloadable:
            continue
        red_in = before.get((RecordKind.FILE, case_id), ())
        if red_in or any(i.startswith(case.covers) for i in base):
            found += _failure(question, case, red_in)
        else:
            found.append(wording.new_red(case))
    for (kind, case_id), case in sorted(tip.failures.items(), key=lambda row: row[0][1]):
        if case.outcome.is_red:
            red_in = before.get((kind, "" if kind is RecordKind.RUN else case_id), ())
            found += _failure(question, case, red_in)
    return found


def _failure(question: Question, case: TipCase, red_in: Sequence[Run]) -> list[Finding]:
    ids = {r.id for r in red_in}
    green = [r for r in question.base if r.id not in ids]
    if case.kind is RecordKind.RUN:
        green = [r for r in green if r.exit_code in (0, None)]
    if red_in and not green:
        return [wording.still_red(case, None, _age(question, red_in))]
    return _clear(question, case, None, red_in)


# ---------------------------------------------------------------- what the runs were measured under


def _conditions(question: Question) -> list[Finding]:
    """What differs is told; a condition that must be equal and that only one side knows is told as well (10.26)."""
    base, tip = newest_of(question.base), newest_of(question.tip)
    rows = differing(base, tip)
    ours, theirs = dict(base.conditions), dict(tip.conditions)
    rows += [
        (name, ours.get(name, "unknown"), theirs.get(name, "unknown"))
        for name in question.suite.same
        if (name in ours) != (name in theirs)
    ]
    return [wording.conditions_differ(*row) for row in rows]


def _smaller_runs(question: Question) -> list[Finding]:
    """A complete run at the base that lists fewer cases than an older one of its tree is named; it shrinks nothing."""
    found = []
    largest: dict[str | None, int] = {}
    for run in sorted(question.base, key=lambda r: (r.started, r.sequence, r.id)):
        of = run.count.of
        before = largest.get(run.tree, 0)
        if of < before:
            found.append(wording.smaller_run(run, before))
        largest[run.tree] = max(before, of)
    return found
