"""The laws of the rule book (STYLE, rule 9): what holds for every pair of runs, whatever stands in them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rule_world import NOW, cases, compare, conclude, judge, run

from shipmoor_hooks.model import Code, Decision, Finding, Problem, Run, Shard, Suite
from shipmoor_hooks.rules.reduction import Comparison
from shipmoor_hooks.rules.selection import Stock
from shipmoor_hooks.rules.trailer_lines import TAKES
from shipmoor_hooks.rules.unstable import unstable_ids

NAMES = [
    "a", "b", "p[1]", "p[1_0]", "p[1_1]", "p[a]", "p[a0]", "p[a1]", "o[o0]", "o[o1]", "o[o2]", "t/m.py::x", "t/m.py::y",
    "t/n.py::x",
]  # fmt: skip
RENAMES = {"t/m.py": "t/n.py"}
WORDS = st.sampled_from(["P", "P", "P", "F", "E", "S", "X", "2*P", "3*F", "P 1/2"])
RECORDS = st.lists(st.sampled_from(["t/m.py C", "t/n.py M", "hook U", "3 R", "4 R"]), unique=True, max_size=2)
TEXTS = st.builds(
    lambda listed, records: ", ".join([*(f"{name} {word}" for name, word in sorted(listed.items())), *records]),
    st.dictionaries(st.sampled_from(NAMES), WORDS, min_size=1, max_size=8),
    RECORDS,
)
AGES = st.sampled_from([-1.0, 0.5, 1.0, 2.0, 23.0, 25.0, 72.0])
CONDITIONS = st.sampled_from([(), (("model", "x"),), (("model", "y"),)])


def made(text: str, age: float, conditions: tuple[tuple[str, str], ...], **more: object) -> Run:
    return run(text, age, conditions=conditions, exit_code=3 if " R" in text else 0, **more)


RUNS = st.builds(made, TEXTS, AGES, CONDITIONS)
SIDES = st.lists(RUNS, min_size=1, max_size=3)
SUITES = st.builds(lambda reruns: Suite("unit", reruns=reruns), st.sampled_from(["latest", "all"]))
MOVES = st.sampled_from([{}, RENAMES])


def refusals(result: Comparison) -> set[tuple[Code, str | None]]:
    return {(f.code, f.case) for f in result.findings if f.refuses}


@given(RUNS, SUITES, MOVES)
def test_a_run_against_itself_is_never_reduced(one: Run, suite: Suite, renames: dict[str, str]) -> None:
    verdict = conclude(comparison=compare([one], [one], suite, renames))
    assert verdict.decision is Decision.ALLOWED
    assert verdict.reduced is False
    assert not [f for f in verdict.findings if f.code in (Code.CASE_ADDED, Code.NEW_RED, Code.CASE_MOVED)]


@given(SIDES, SIDES, SUITES, MOVES, st.sampled_from([*NAMES, "new", "t/n.py::y"]))
def test_one_more_passing_case_adds_no_refusal(
    base: list[Run], tip: list[Run], suite: Suite, renames: dict[str, str], name: str
) -> None:
    (case,) = cases(f"{name} P")
    if any(c.id == case.id for r in tip for c in r.cases):
        return
    more = [replace(r, cases=tuple(sorted((*r.cases, case), key=lambda c: (c.id, c.kind.value)))) for r in tip]
    before, after = refusals(compare(base, tip, suite, renames)), refusals(compare(base, more, suite, renames))
    # A case that was gone may now be there fewer times, and a row of positions that is one no more is told case by case.
    about = [i or "" for _, i in before]
    assert not [
        i for _, i in after - before if not any(b.startswith(i or "") or (i or "").startswith(b) for b in about)
    ]
    assert before or not after


@given(SIDES, SIDES, SUITES, MOVES, st.randoms(use_true_random=False))
def test_the_order_of_cases_and_runs_does_not_matter(
    base: list[Run], tip: list[Run], suite: Suite, renames: dict[str, str], chance: random.Random
) -> None:
    def mixed(side: Sequence[Run]) -> list[Run]:
        shuffled = [replace(r, cases=tuple(chance.sample(r.cases, len(r.cases)))) for r in side]
        return chance.sample(shuffled, len(shuffled))

    one = conclude(comparison=compare(base, tip, suite, renames))
    other = conclude(comparison=compare(mixed(base), mixed(tip), suite, renames))
    assert replace(one, findings=()) == replace(other, findings=())
    assert [(f.code, f.case, f.tip, f.base) for f in one.findings] == [
        (f.code, f.case, f.tip, f.base) for f in other.findings
    ]
    assert sorted(f.message for f in one.findings) == sorted(f.message for f in other.findings)


def lines_of(findings: Sequence[Finding]) -> list[str]:
    """Every line that the findings offer, a rename too."""
    return [row for f in findings for row in f.next_step.split("\n") if row.startswith("Test-")]


@given(SIDES, SIDES, SUITES, MOVES, st.integers(0, 20))
def test_a_disclosure_changes_only_its_own_finding(
    base: list[Run], tip: list[Run], suite: Suite, renames: dict[str, str], number: int
) -> None:
    result = compare(base, tip, suite, renames)
    before = conclude(comparison=result)
    owners = [(f, line) for f in before.findings for line in lines_of([f])]
    if not owners:
        return
    owner, line = owners[number % len(owners)]
    after = conclude(comparison=result, trailers=[line.replace("<reason>", "it is planned")])
    assert not [f for f in after.findings if f.code is Code.DISCLOSURE_UNUSED]
    for was, now in zip(before.findings, after.findings, strict=True):
        named = was.case == owner.case and TAKES.get(was.code, ())[:1] == TAKES[owner.code][:1]
        assert (now.disclosed is not None) is named
        assert named or was == now
    assert before.reduced is after.reduced


ANY_LINE = st.builds(
    lambda key, name, reason: f"{key}: {name} -- {reason}",
    st.sampled_from(
        ["Test-Removed", "Test-Renamed", "Test-Skipped", "Test-Weakened", "Test-Policy", "Test-Unregistered"]
    ),
    st.one_of(
        st.sampled_from(NAMES).map(lambda n: n if "::" in n else f"t/s.py::{n}"),
        st.builds(lambda p, n: f"{p}* ({n})", st.sampled_from(["t/", "t/s.py::", "t/m.py::"]), st.integers(1, 4)),
        st.sampled_from(
            ["t/m.py", "<run>::exit 3", "t/s.py::hook", "t/s.py::a => t/s.py::b", "t/m.py::x => t/n.py::x"]
        ),
    ),
    st.sampled_from(["really", "#1"]),
)


@given(SIDES, SIDES, SUITES, MOVES, st.lists(ANY_LINE, max_size=12))
def test_no_disclosure_clears_a_red(
    base: list[Run], tip: list[Run], suite: Suite, renames: dict[str, str], lines: list[str]
) -> None:
    result = compare(base, tip, suite, renames)
    verdict = conclude(comparison=result, trailers=[*lines, *lines_of(conclude(comparison=result).findings)])
    reds = [f for f in verdict.findings if f.code in (Code.CASE_RED, Code.COLLECTION_ERROR)]
    assert not [f for f in reds if f.disclosed]
    assert len(reds) == sum(f.code in (Code.CASE_RED, Code.COLLECTION_ERROR) for f in result.findings)
    assert not reds or verdict.decision is Decision.REFUSED


@given(SIDES, SIDES, SUITES, st.sets(st.integers(0, 7)), AGES)
def test_a_smaller_run_at_the_base_shrinks_nothing(
    base: list[Run], tip: list[Run], suite: Suite, left_out: set[int], age: float
) -> None:
    one = base[0]
    smaller = tuple(c for n, c in enumerate(one.cases) if n not in left_out)
    further = replace(one, id="f" * 32, started=NOW - max(age, 0.1) * 3600, cases=smaller)
    gone = {Code.CASE_REMOVED, Code.CASE_FEWER, Code.CASE_SKIPPED, Code.COLLECTION_ERROR}
    before, after = (refusals(compare(side, tip, suite)) for side in (base, [*base, further]))
    lost, still_lost = ({row for row in rows if row[0] in gone} for rows in (before, after))
    if unstable_ids(base):
        # Ids that come and go are told as a group or, beside a smaller run, one by one: lost they stay.
        assert bool(lost) <= bool(still_lost)
    else:
        assert lost == still_lost


# ---------------------------------------------------------------- adding evidence

PARTIAL = Problem(Code.RUN_PARTIAL, "only a selection was run")
BROKEN = Problem(Code.SEAL_BROKEN, "a stored run cannot be used")
LEGS = st.sampled_from([None, None, None, "x", "y"])
PARTS = st.sampled_from([None, None, None, Shard(1, 2), Shard(2, 2), Shard(1, 3)])
STORED = st.builds(
    lambda one, leg, part, problem, sequence: replace(
        one, variant=leg, shard=part, problems=problem, sequence=sequence, id=f"{sequence:032x}"
    ),
    RUNS,
    LEGS,
    PARTS,
    st.sampled_from([(), (), (), (PARTIAL,)]),
    st.integers(0, 2**40),
)
SUITES_AT_THE_GATE = st.sampled_from(
    [
        Suite("unit"),
        Suite("unit", reruns="all"),
        Suite("unit", same=("model",)),
        Suite("unit", same=("model",), reruns="all"),
        Suite("unit", shards=2),
        Suite("unit", require=("model",)),
    ]
)
EXTRA = st.one_of(
    STORED.map(lambda r: ("runs", r)), STORED.map(lambda r: ("begun", r)), st.just(("unreadable", BROKEN))
)


def with_extra(stock: Stock, kind: str, extra: object) -> Stock:
    return replace(stock, **{kind: (*getattr(stock, kind), extra)})  # type: ignore[arg-type]


@given(
    st.lists(STORED, min_size=1, max_size=4),
    st.lists(STORED, min_size=1, max_size=4),
    SUITES_AT_THE_GATE,
    EXTRA,
    st.booleans(),
)
def test_adding_evidence_never_turns_a_refusal_into_cannot_evaluate(
    base: list[Run], tip: list[Run], suite: Suite, extra: tuple[str, object], at_tip: bool
) -> None:
    there, here = Stock(tuple(base)), Stock(tuple(tip))
    if judge(there, here, suite).decision is not Decision.REFUSED:
        return
    more = with_extra(here if at_tip else there, *extra)
    after = judge(there, more, suite) if at_tip else judge(more, here, suite)
    assert after.decision is not Decision.CANNOT_EVALUATE


@given(
    st.lists(STORED, min_size=1, max_size=4), st.lists(STORED, min_size=1, max_size=4), SUITES_AT_THE_GATE, st.integers(0, 3),
    st.booleans(),
)  # fmt: skip
def test_the_same_run_once_more_changes_no_refusal(
    base: list[Run], tip: list[Run], suite: Suite, which: int, at_tip: bool
) -> None:
    side = tip if at_tip else base
    once_more = replace(side[which % len(side)], sequence=2**41, id="e" * 32)
    before = judge(Stock(tuple(base)), Stock(tuple(tip)), suite)
    again = Stock((*side, once_more))
    after = judge(Stock(tuple(base)), again, suite) if at_tip else judge(again, Stock(tuple(tip)), suite)
    assert {(f.code, f.case, f.variant) for f in before.findings if f.refuses} == {
        (f.code, f.case, f.variant) for f in after.findings if f.refuses
    }
    assert before.decision is after.decision
