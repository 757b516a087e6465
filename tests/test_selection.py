"""Which runs may be compared: variants, shards joined or named, and what is set aside for which reason."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rule_world import NOW, cases, run

from shipmoor_hooks.model import Case, Code, Evidence, Outcome, Problem, RecordKind, Run, Sealing, Shard, Suite
from shipmoor_hooks.rules.selection import Choice, Stock, choose, merge_cases, unusable

UNIT = Suite("unit")
PARTIAL = (Problem(Code.RUN_PARTIAL, "only a selection of unit was run (-k a)", "shipmoor-hooks run --suite unit"),)
CUT_OFF = (Problem(Code.RUN_INCOMPLETE, "the report breaks off"),)


def chosen(
    *runs: Run, suite: Suite = UNIT, evidence: Evidence = Evidence.IMPORTED, begun: Sequence[Run] = ()
) -> Choice:
    return choose(Stock(runs, tuple(begun)), suite, evidence)


def seen(choice: Choice) -> tuple[dict[str | None, int], dict[str | None, list[str]]]:
    """How many usable runs each variant has, and the codes of its problems."""
    return (
        {v: len(runs) for v, runs in choice.usable.items()},
        {v: [p.code.value for p in rows] for v, rows in choice.problems.items()},
    )


def shard(index: int, total: int, text: str, age: float = 1.0, **more: object) -> Run:
    return run(text, age, shard=Shard(index, total), **more)


ROWS = [
    pytest.param([], UNIT, {}, {}, id="nothing was measured"),
    pytest.param([run("a P")], UNIT, {None: 1}, {}, id="one whole run"),
    pytest.param([run("a P"), run("a P", suite="e2e")], UNIT, {None: 1}, {}, id="another suite's run is no matter of ours"),
    pytest.param([run("a P", 2), run("a P", 1)], UNIT, {None: 2}, {}, id="two whole runs"),
    pytest.param([run("a P", variant="x"), run("a P", variant="y")], UNIT, {"x": 1, "y": 1}, {}, id="variants stand apart"),
    pytest.param([run("a P", problems=PARTIAL)], UNIT, {}, {None: ["RUN_PARTIAL"]}, id="partial"),
    pytest.param([run("a P", problems=CUT_OFF)], UNIT, {}, {None: ["RUN_INCOMPLETE"]}, id="incomplete"),
    pytest.param([run("")], UNIT, {}, {None: ["RUN_INCOMPLETE"]}, id="no case at all"),
    pytest.param([run("3 R")], UNIT, {}, {None: ["RUN_INCOMPLETE"]}, id="an exit code is no case"),
    pytest.param([run("a P", tree=None)], UNIT, {}, {None: ["TREE_CHANGED"]}, id="bound to nothing"),
    pytest.param([run("a P", 2), run("a P", 1, problems=PARTIAL)], UNIT, {None: 1}, {None: ["RUN_PARTIAL"]},
                 id="a partial run after a whole one is named"),
    pytest.param([run("a P", 1), run("a P", 2, problems=PARTIAL)], UNIT, {None: 1}, {},
                 id="a partial run before a whole one is of no interest"),
    pytest.param([run("a P", 1, variant="x"), run("a P", 2, variant="y", problems=PARTIAL)], UNIT, {"x": 1},
                 {"y": ["RUN_PARTIAL"]}, id="a whole run of another variant does not cover it"),
    pytest.param([run("a P", 3, problems=PARTIAL), run("a P", 2, problems=CUT_OFF)], UNIT, {},
                 {None: ["RUN_INCOMPLETE", "RUN_PARTIAL"]}, id="the newest reason first"),
    # ---------------------------------------------------------------- what the policy asks
    pytest.param([run("a P")], Suite("unit", require=("model",)), {}, {None: ["EVIDENCE_WEAK"]},
                 id="a condition that the policy requires is not told"),
    pytest.param([run("a P", conditions=(("model", "m"),))], Suite("unit", require=("model",)), {None: 1}, {},
                 id="a condition that the policy requires is told"),
    # ---------------------------------------------------------------- shards
    pytest.param([shard(1, 2, "a P"), shard(2, 2, "b P")], UNIT, {None: 1}, {}, id="two of two shards"),
    pytest.param([shard(1, 2, "a P")], UNIT, {}, {None: ["SHARD_MISSING"]}, id="one of two shards"),
    pytest.param([shard(1, 1, "a P")], UNIT, {None: 1}, {}, id="one of one"),
    pytest.param([shard(1, 2, "a P"), shard(2, 3, "b P")], UNIT, {}, {None: ["SHARD_MISSING", "SHARD_MISSING"]},
                 id="two numbers of shards do not mix"),
    pytest.param([shard(1, 2, "a P", 3), shard(2, 2, "b P", 3), shard(1, 3, "a P", 1)], UNIT, {None: 1},
                 {None: ["SHARD_MISSING"]}, id="a whole set beside a newer one that lacks parts"),
    pytest.param([shard(1, 2, "a P"), shard(2, 2, "b P"), shard(1, 3, "a P"), shard(2, 3, "b P"), shard(3, 3, "c P")], UNIT,
                 {None: 2}, {}, id="two whole sets are two runs"),
    pytest.param([shard(1, 2, "a P"), shard(2, 2, "b P", problems=CUT_OFF)], UNIT, {},
                 {None: ["RUN_INCOMPLETE", "SHARD_MISSING"]}, id="a shard that does not count is missing"),
    pytest.param([shard(1, 2, "a P", variant="x"), shard(2, 2, "b P", variant="y")], UNIT, {},
                 {"x": ["SHARD_MISSING"], "y": ["SHARD_MISSING"]}, id="shards of two variants do not join"),
    pytest.param([shard(1, 2, "a P"), shard(2, 2, "b P")], Suite("unit", shards=4), {}, {None: ["SHARD_MISSING"]},
                 id="the policy asks for another number"),
    pytest.param([run("a P")], Suite("unit", shards=2), {}, {None: ["SHARD_MISSING"]}, id="a run that names no shard"),
]  # fmt: skip


@pytest.mark.parametrize(("runs", "suite", "usable", "problems"), ROWS)
def test_what_counts(
    runs: list[Run], suite: Suite, usable: dict[str | None, int], problems: dict[str | None, list[str]]
) -> None:
    assert seen(chosen(*runs, suite=suite)) == (usable, problems)


@pytest.mark.parametrize(("runs", "suite", "usable", "problems"), ROWS)
def test_the_order_in_which_runs_are_found_does_not_matter(
    runs: list[Run], suite: Suite, usable: dict[str | None, int], problems: dict[str | None, list[str]]
) -> None:
    first = chosen(*runs[:4], suite=suite)
    assert all(chosen(*some, suite=suite) == first for some in itertools.permutations(runs[:4]))


@pytest.mark.parametrize(
    ("evidence", "asked", "counts"),
    [(e, a, e >= a) for e in Evidence for a in Evidence],
    ids=lambda v: v.word if isinstance(v, Evidence) else str(v),
)
def test_evidence_counts_from_the_strength_that_the_policy_asks(
    evidence: Evidence, asked: Evidence, counts: bool
) -> None:
    choice = chosen(run("a P", evidence=evidence, sealing=Sealing.SEALED), evidence=asked)
    assert bool(choice.usable) is counts
    if not counts:
        (problem,) = choice.problems[None]
        assert problem.code is Code.EVIDENCE_WEAK
        assert problem.message == f"the run of unit is {evidence.word}, and the policy asks for {asked.word}"


def test_a_joined_run_is_as_weak_as_its_weakest_part() -> None:
    parts = [shard(1, 2, "a P", evidence=Evidence.OBSERVED), shard(2, 2, "b P", evidence=Evidence.REPORTED)]
    assert chosen(*parts).usable[None][0].evidence is Evidence.REPORTED
    assert not chosen(*parts, evidence=Evidence.OBSERVED).usable


# ---------------------------------------------------------------- joined shards


def test_the_newest_of_each_shard_is_joined_and_the_start_is_the_oldest_parts() -> None:
    old, first, second = shard(1, 2, "a F", 5), shard(1, 2, "a P", 1, sequence=7), shard(2, 2, "b P", 3, sequence=2)
    (joined,) = chosen(second, old, first).usable[None]
    assert joined.cases == cases("a P, b P")
    assert joined.started == NOW - 3 * 3600
    assert joined.sequence == 7
    assert joined.shard is None


def test_equal_starts_the_later_sequence_is_the_newest_shard() -> None:
    parts = [shard(1, 1, "a F", 1, sequence=1), shard(1, 1, "a P", 1, sequence=2)]
    assert chosen(*reversed(parts)).usable[None][0].cases == cases("a P")


def test_joined_conditions_exit_code_and_clock_are_those_of_all_parts() -> None:
    parts = [
        shard(1, 3, "a P", conditions=(("model", "x"), ("tool", "1")), exit_code=0),
        shard(2, 3, "b P", conditions=(("model", "y"), ("tool", "1")), exit_code=5, clock_suspect=True),
        shard(3, 3, "c P", conditions=(("judge", "j"),), exit_code=None),
    ]
    (joined,) = chosen(*parts).usable[None]
    assert joined.conditions == (("judge", "j"), ("model", "x and y"), ("tool", "1"))
    assert joined.exit_code == 5
    assert joined.clock_suspect


def test_a_case_in_two_shards_counts_twice_and_the_worst_wins() -> None:
    both = merge_cases([run("a P, b S"), run("a F, t/m.py C"), run("t/m.py::x P")])
    assert {c.id: (c.outcome, c.count, c.passed, c.samples) for c in both}["t/s.py::a"] == (Outcome.FAILED, 2, 1, 2)
    assert [c.id for c in both] == ["t/m.py", "t/m.py::x", "t/s.py::a", "t/s.py::b"]


def test_a_case_and_a_record_of_another_kind_stay_apart_under_one_id() -> None:
    one, other = Case("x", Outcome.PASSED, passed=1), Case("x", Outcome.ERROR, kind=RecordKind.SUITE)
    parts = [replace(run("a P"), cases=(one,)), replace(run("a P"), cases=(other,))]
    assert merge_cases(parts) == (one, other)


def test_raw_names_are_kept_once() -> None:
    one, other = Case("x", Outcome.PASSED, raws=("r", "s")), Case("x", Outcome.PASSED, raws=("s", "t"))
    (both,) = merge_cases([replace(run("a P"), cases=(one,)), replace(run("a P"), cases=(other,))])
    assert both.raws == ("r", "s", "t")


# ---------------------------------------------------------------- what is missing is named, with one command


@pytest.mark.parametrize(
    ("runs", "suite", "message", "command"),
    [
        pytest.param([shard(1, 4, "a P"), shard(3, 4, "c P")], UNIT,
                     "shard 2/4, 4/4 of unit has no run on this tree, and a run of 4 shards counts only whole",
                     "shipmoor-hooks run --suite unit --shard 2/4", id="shards"),
        pytest.param([run("a P")], Suite("unit", shards=2),
                     "the policy says that unit runs in 2 shards, and this run names none",
                     "shipmoor-hooks run --suite unit --shard 1/2", id="no shard named"),
        pytest.param([run("a P", tree=None, shard=Shard(2, 3))], UNIT, "the run of unit is bound to no tree",
                     "shipmoor-hooks run --suite unit --shard 2/3", id="a shard bound to nothing"),
        pytest.param([run("a P")], Suite("unit", require=("judge", "model")),
                     "the run of unit does not tell its judge, model, and the policy requires that",
                     "shipmoor-hooks run --suite unit", id="silent"),
        pytest.param([run("")], UNIT, "the run of unit lists no case", "shipmoor-hooks run --suite unit", id="empty"),
    ],
)  # fmt: skip
def test_reasons(runs: list[Run], suite: Suite, message: str, command: str) -> None:
    (problem,) = chosen(*runs, suite=suite).problems[None]
    assert (problem.message, problem.next_step) == (message, command)


def test_a_run_that_did_not_end_is_a_reason_until_a_whole_one_is_there() -> None:
    begun = run("", 2, problems=CUT_OFF)
    other = run("", 2, suite="e2e")
    (problem,) = chosen(begun=[begun, other]).problems[None]
    assert problem.code is Code.RUN_INCOMPLETE
    assert problem.message == "a run of unit was started on this tree and did not end"
    assert not chosen(run("a P", 1), begun=[begun]).problems
    assert chosen(run("a P", 3), begun=[begun]).problems == {None: (problem,)}


def test_what_cannot_be_read_comes_last_and_stays_beside_whole_runs() -> None:
    broken = Problem(Code.SEAL_BROKEN, "a stored run cannot be used: torn")
    stock = Stock((run("a P", problems=PARTIAL),), unreadable=(broken,))
    assert choose(stock, UNIT, Evidence.IMPORTED).problems == {None: (*PARTIAL, broken)}
    whole = Stock((run("a P", variant="x"),), unreadable=(broken,))
    assert choose(whole, UNIT, Evidence.IMPORTED).problems == {None: (broken,)}


def test_the_first_problem_of_a_run_is_the_reason() -> None:
    assert unusable(run("a P", problems=CUT_OFF + PARTIAL), Evidence.OBSERVED) is CUT_OFF[0]
    assert unusable(run("a P"), Evidence.IMPORTED) is None
