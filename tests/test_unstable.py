"""Ids that change from run to run: what two runs of one tree show, how groups are compared, that nothing real is hidden."""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from pathlib import Path

import pytest
from gate_world import GateWorld
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder
from rule_world import HOUR, NOW, compare, full, run, told

from shipmoor_hooks.model import Code, Count, Run, Suite
from shipmoor_hooks.place import find
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.rules.unstable import unstable_ids
from shipmoor_hooks.store.inventory import cases_of
from shipmoor_hooks.wiring import doctor

R = "rand[0.1] P"


def groups(*runs: str) -> dict[str, list[str]]:
    """The groups of these runs of one tree, short names."""
    found = unstable_ids([run(text) for text in runs])
    return {g.name.removeprefix("t/s.py::"): [i.removeprefix("t/s.py::") for i in g.ids] for g in found.groups}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param(["a P, x[1] P"], {}, id="one run shows nothing"),
        pytest.param(["a P, x[1] P", "a F, x[1] S"], {}, id="the same ids in both, whatever became of them"),
        pytest.param(["a P, x[1] P", "a P"], {}, id="a smaller run is no other name"),
        pytest.param(["x[1] P", "x[2] P, x[3] P"], {}, id="another number is a smaller run"),
        pytest.param(["a P", "b P"], {}, id="names without anything in common"),
        pytest.param(["x[1] P", "y[2] P"], {}, id="another function"),
        pytest.param(["x[1] P, m.py C", "x[1] P, n.py C"], {}, id="records that are no cases"),
        pytest.param(["p[4711] P", "p[5822] P"], {"p[…]": ["p[4711]", "p[5822]"]}, id="a pid"),
        pytest.param(["p[0.25] P", "p[0.5] P"], {"p[…]": ["p[0.25]", "p[0.5]"]}, id="a random number"),
        pytest.param(["deep rand 0.98 P", "deep rand 0.2 P"], {"deep rand …": ["deep rand 0.2", "deep rand 0.98"]},
            id="a title"),
        pytest.param(["at 2026-01-02 10:11:12 P", "at 2026-01-03 09:00:01 P"],
            {"at … …": ["at 2026-01-02 10:11:12", "at 2026-01-03 09:00:01"]}, id="a time"),
        pytest.param(["d-3fa9c1 P", "d-91bb07 P"], {"d-…": ["d-3fa9c1", "d-91bb07"]}, id="hexadecimal digits"),
        pytest.param(["s[{'b','a'}] P", "s[{'a','b'}] P"], {"s[…]": ["s[{'a','b'}]", "s[{'b','a'}]"]},
            id="the order of a set"),
        pytest.param(["n[John Smith] P", "n[Jane Doe] P"], {"n[…]": ["n[Jane Doe]", "n[John Smith]"]},
            id="any parameter of one function"),
        pytest.param(["x[1] P, x[2] P", "x[1] P, x[3] P"], {"x[…]": ["x[2]", "x[3]"]}, id="a steady one beside it"),
        pytest.param(["x[1] P, y[1] P", "x[2] P, y[1] P, y[2] P"], {"x[…]": ["x[1]", "x[2]"]},
            id="a smaller group beside it stays a row of names"),
    ],
)  # fmt: skip
def test_what_the_runs_of_one_tree_show(runs: list[str], expected: dict[str, list[str]]) -> None:
    assert groups(*runs) == expected
    assert groups(*reversed(runs)) == expected


def test_runs_of_different_trees_show_nothing() -> None:
    assert not unstable_ids([run("x[1] P"), run("x[2] P", tree="1" * 40, scoped_tree="1" * 40)])


def test_a_name_that_stands_in_each_run_of_one_base_is_none_that_changes() -> None:
    """With several merge bases a case must be kept if any of them has it."""
    other = run("x[9] P", 3, tree="1" * 40, scoped_tree="1" * 40)
    before = [run("x[5] P, x[1] P", 1), run("x[5] P, x[2] P", 2), other]
    assert "CASE_REMOVED x[5]" in told(compare(before, "x[7] P, x[8] P").findings)
    assert not [f for f in compare(before, "x[5] P, x[8] P").findings if f.refuses]


def base(*texts: str, age: float = 1.0) -> list[Run]:
    return [run(text, age + number) for number, text in enumerate(texts)]


TWO = base("a P, x[1] P, x[2] P", "a P, x[3] P, x[4] P")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(TWO, "a P, x[1] P, x[2] P", ["CASE_UNSTABLE x[…]"], id="as many under the old names"),
        pytest.param(TWO, "a P, x[7] P, x[8] P", ["CASE_UNSTABLE x[…]"], id="as many under new names"),
        pytest.param(TWO, "a P, x[7] P, x[8] P, x[9] P", ["CASE_UNSTABLE x[…]"], id="more of them"),
        pytest.param(TWO, "a P, x[7] P", ["CASE_FEWER x[…]"], id="one less"),
        pytest.param(TWO, "a P", ["CASE_FEWER x[…]"], id="none is left"),
        pytest.param(TWO, "x[7] P, x[8] P", ["CASE_REMOVED a", "CASE_UNSTABLE x[…]"], id="a real removal beside them"),
        pytest.param(TWO, "x[7] P, x[8] P, x[9] P", ["CASE_REMOVED a", "CASE_UNSTABLE x[…]"],
            id="one more of them is no other case"),
        pytest.param(TWO, "a P, x[7] P, b P", ["CASE_ADDED b", "CASE_FEWER x[…]"], id="another case is none of them"),
        pytest.param(TWO, "a P, x[7] F, x[8] P", ["CASE_RED x[…]"], id="one is red now"),
        pytest.param(TWO, "a P, x[7] S, x[8] P", ["CASE_SKIPPED x[…]"], id="one is skipped now"),
        pytest.param(TWO, "a P, x[7] F", ["CASE_FEWER x[…]", "CASE_RED x[…]"], id="one less and one red"),
        pytest.param(TWO, "a P, x[7] P, x[7b] P", ["CASE_ADDED x[7b]", "CASE_FEWER x[…]"], id="another form is new"),
        pytest.param(base("a P, x[1] F", "a P, x[2] F"), "a P, x[3] F", ["CASE_UNSTABLE x[…]"], id="red in each run"),
        pytest.param(base("a P, x[1] F", "a P, x[2] P"), "a P, x[3] F", ["CASE_UNSTABLE x[…]"],
            id="red in one run of the last hours"),
        pytest.param(base("a P, x[1] F", "a P, x[2] P", age=30), "a P, x[3] F", ["CASE_RED x[…]"],
            id="red in one run of the day before"),
        pytest.param(base("a P, x[1] S", "a P, x[2] P"), "a P, x[3] S", ["CASE_SKIPPED x[…]"],
            id="a skip that one run did not have"),
        pytest.param(base("a P, x[1] P", "a P"), "a P", ["CASE_REMOVED x[1]"],
            id="a smaller run of the base explains nothing"),
        pytest.param(base("a P, x[1] P, x[2] P", "a P, x[2] P, x[3] P", "a P, x[2] P"), "a P, x[2] P, x[9] P",
            ["CASE_ADDED x[9]", "CASE_REMOVED x[1]", "CASE_REMOVED x[3]"], id="nor beside two that balance"),
        pytest.param(base("a P, x[1] P"), "a P, x[2] P", ["CASE_ADDED x[2]", "CASE_REMOVED x[1]"],
            id="one run of the base shows nothing"),
        pytest.param(base("a P, x[1] 2*P", "a P, x[2] 2*P"), "a P, x[3] P", ["CASE_FEWER x[…]"],
            id="cases that share an id count each"),
    ],
)  # fmt: skip
def test_groups_are_compared_by_number_and_colour(before: list[Run], after: str, expected: list[str]) -> None:
    findings = compare(before, after).findings
    assert [t for t in told(findings) if not t.startswith("RUN_SET_ASIDE")] == expected


def test_the_runs_of_the_tip_explain_nothing() -> None:
    """Who pushes makes them: two runs with other names must not turn a case of the base into one of a group."""
    tip = [run("a P, x[2] P", 1), run("a P, x[3] P", 2)]
    assert "CASE_REMOVED x[1]" in told(compare("a P, x[1] P", tip).findings)


def test_every_deciding_run_of_the_tip_must_hold_the_group() -> None:
    everything = Suite("unit", reruns="all")
    tip = [run("a P, x[7] P, x[8] P", 1), run("a P, x[9] P", 2)]
    assert "CASE_FEWER x[…]" in told(compare(TWO, tip, everything).findings)
    assert "CASE_UNSTABLE x[…]" in told(compare(TWO, tip).findings)


def test_a_group_moves_with_its_file() -> None:
    tip = run("t/new.py::a P, t/new.py::x[7] P, t/new.py::x[8] P")
    assert told(compare(TWO, [tip], renames={"t/s.py": "t/new.py"}).findings) == [
        "CASE_MOVED t/new.py::a",
        "CASE_UNSTABLE x[…]",
    ]
    assert "CASE_FEWER x[…]" in told(compare(TWO, [tip]).findings)


def test_n_of_n_counts_a_group_as_one_run_has_it() -> None:
    found = compare(TWO, "a P, x[7] P, x[8] P")
    assert (found.count.base, found.count.tip) == (Count(3, 3), Count(3, 3))
    assert found.new_at_tip == frozenset()


def test_what_is_said_names_both_ids_and_the_way_out() -> None:
    (finding,) = compare(TWO, "a P, x[7] P").findings
    assert finding.message == (
        "t/s.py::x[…], whose ids change from run to run (as t/s.py::x[1] and t/s.py::x[4] on the base's tree), had "
        "2 cases at the base and has 1 at the tip."
    )
    assert "ids of their own" in finding.next_step
    assert (finding.base, finding.tip) == (Count(2, 2), Count(1, 1))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(("x <0x1>", "x <0x2>"), ("x <0x1>",), "does not: x <0x2>.", id="the one that is gone is named"),
        pytest.param(("x <0x1>", "x <0x2>", "x <0x3>", "x <0x4>", "x <0x5>"), ("x <0x1>",),
            "does not: x <0x2>, x <0x3>, x <0x4> and 1 more.", id="several are counted"),
        pytest.param(("x <0x1>", "x <0x2>"), ("x <0x3>",), "stands 1 time at the tip.", id="names that always change"),
        pytest.param((), (), "stands 1 time at the tip.", id="nothing was normalised"),
    ],
)  # fmt: skip
def test_of_names_that_became_one_id_the_missing_one_is_told(
    before: tuple[str, ...], after: tuple[str, ...], expected: str
) -> None:
    one, other = run("x 2*P"), run("x P")
    base = dataclasses.replace(one, cases=tuple(dataclasses.replace(c, raws=before) for c in one.cases))
    tip = dataclasses.replace(other, cases=tuple(dataclasses.replace(c, raws=after) for c in other.cases))
    (finding,) = compare([base], [tip]).findings
    assert finding.code is Code.CASE_FEWER
    assert finding.message.endswith(expected)


def test_a_literal_keeps_its_own_name() -> None:
    text = "1..3\nok 1 - reads 0xDEADBEEF\nok 2 - reads 0xCAFEBABE\nok 3 - at <O at 0x7f245e3b6a10>\n"
    found = [c.id for c in cases_of([read(text.encode(), None, "r")], frozenset(), "", ())]
    assert found == ["at <O at 0x*>", "reads 0xCAFEBABE", "reads 0xDEADBEEF"]


def test_status_and_doctor_list_what_the_runs_show(repo: RepoBuilder, installed_python: Path) -> None:
    """From reports to the verdict of a gate, with real runs in a real spool."""
    world = GateWorld.create(repo, installed_python)
    world.measure({"a": "passed", "b": "passed"})
    assert "ids change" not in repo.tool("status").stdout.decode()
    repo.write("tests/test_set.py", "# test_a\n# test_rand\n")
    repo.commit("Add a random parameter")
    world.measure({"a": "passed", "rand[0.4711]": "passed"})
    world.measure({"a": "passed", "rand[0.5822]": "passed"})
    told = "unit: ids change from run to run, so only their number is compared: tests/test_set.py::test_rand[…]"
    assert told in repo.tool("status").stdout.decode()
    row = json.loads(repo.tool("status", "--format", "json").stdout)["suites"][0]
    assert row["unstable"] == [
        {
            "form": "tests/test_set.py::test_rand[…]",
            "ids": [f"tests/test_set.py::test_rand[0.{n}]" for n in (4711, 5822)],
        }
    ]
    checks = {c.name: c for c in doctor.examine(find(str(repo.path), repo.env), repo.env)}
    assert (checks["ids of unit"].ok, told in checks["ids of unit"].says) == (None, True)
    base = repo.git("rev-parse", "HEAD")
    repo.write("x.txt", "x")
    repo.commit("Change something else")
    world.measure({"a": "passed", "rand[0.6933]": "passed"})
    assert repo.tool("gate", "--base", base).returncode == 0
    repo.write("x.txt", "y")
    repo.commit("Lose it")
    world.measure({"a": "passed"})
    done = repo.tool("gate", "--base", base)
    assert (done.returncode, "CASE_FEWER" in done.stdout.decode()) == (1, True)
    line = "Test-Removed: tests/test_set.py::test_rand[…] -- it tested nothing"
    repo.git("commit", "-q", "--amend", "-m", f"Lose it\n\n{line}")
    assert repo.tool("gate", "--base", base).returncode == 0


NAMES = st.lists(st.sampled_from(["a", "b", "c1", "c2", "x[1]", "x[2]", "y[lo]", "z 7"]), unique=True)


@given(
    NAMES, NAMES, st.integers(0, 3), st.integers(0, 4), st.sets(st.integers(10, 40), min_size=12, max_size=12),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_a_real_removal_beside_unstable_ids_is_never_hidden(
    steady: list[str], kept: list[str], number: int, later: int, made_up: set[int], rng: random.Random
) -> None:
    values = sorted(made_up)
    rng.shuffle(values)

    def one(names: list[str], size: int) -> str:
        return ", ".join([*(f"{n} P" for n in names), *(f"x[{values.pop()}] P" for _ in range(size))])

    before = [run(one(steady, number), 1), run(one(steady, number), 2)]
    tip = one(kept, later)
    lost = {f.case for f in compare(before, tip or "never P").findings if f.code is Code.CASE_REMOVED}
    assert lost >= {full(n) for n in steady} - {full(n) for n in kept}
    fewer = [f for f in compare(before, tip or "never P").findings if f.code is Code.CASE_FEWER]
    arrivals = later + sum(n.startswith("x[") and n not in steady for n in kept)
    assert bool(fewer) == (arrivals < number)


@given(st.lists(st.lists(st.sampled_from(["a", "x[1]", "x[2]", "x[3]", "y7", "y8", "n[q]", "n[r]"]), unique=True,
    min_size=1), min_size=1, max_size=4))  # fmt: skip
def test_a_run_of_the_base_is_never_smaller_than_its_own_groups(rows: list[list[str]]) -> None:
    runs = [run(", ".join(f"{n} P" for n in names), number + 1.0) for number, names in enumerate(rows)]
    loose = unstable_ids(runs)
    members = Counter(g.name for g in loose.groups for _ in g.ids)
    for group in loose.groups:
        sizes = {loose.sizes(r)[group.name].cases for r in runs}
        assert len(sizes) == 1
        assert members[group.name] > sizes.pop()
    findings = compare(runs, [runs[0]]).findings
    assert not [f for f in findings if f.code is Code.CASE_FEWER]
    # What is no member of a group must stand, in whichever run it was.
    gone = {f.case for f in findings if f.code is Code.CASE_REMOVED}
    every = {full(n) for names in rows for n in names}
    assert gone == {i for i in every if loose.group_of(i) is None} - {full(n) for n in rows[0]}


def test_many_ids_cost_no_more_than_their_number() -> None:
    one = run("a P")
    cases = [[full(f"x{n % 500}[{n * 7 + k}]") for n in range(20_000)] for k in range(2)]
    made = [run(", ".join(f"{i} P" for i in ids), age) for ids, age in zip(cases, (1, 2), strict=True)]
    assert len(unstable_ids(made).groups) > 0
    assert one.started == NOW - HOUR
