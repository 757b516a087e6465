"""Setting aside what stands alike changes no word of the comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_world import known_of

from shipmoor_hooks.model import Case, CaseList, Evidence, Outcome, RecordKind, Run, Suite
from shipmoor_hooks.rules import reduction, unchanged
from shipmoor_hooks.rules.reduction import Question, compare, compare_all

TREES = {"base": "a" * 40, "tip": "b" * 40}
IDS = st.sampled_from([
    *(f"t/m.py::f[o{i}]" for i in range(4)), *(f"t/m.py::g[{i}]" for i in range(3)), "t/m.py::g[1_0]", "t/m.py::g[1_1]",
    "t/m.py::f", "t/m.py::f2", "t/n.py::f", "t/n.py::a", "t/n.py::b", "z", "z[", "z[]", "z[x][y]", "t/m.py::f[o0][x]", "z\\",
])  # fmt: skip
OUTCOMES = st.sampled_from([*[Outcome.PASSED] * 4, *Outcome])


def case(name: str, outcome: Outcome, count: int) -> Case:
    return Case(name, outcome, count=count, passed=count * outcome.is_green, samples=count)


CASES = st.dictionaries(IDS, st.tuples(OUTCOMES, st.sampled_from([1, 1, 1, 2])), max_size=16)


def run(name: str, cases: dict[str, tuple[Outcome, int]]) -> Run:
    made = CaseList.of([case(i, *cases[i]) for i in sorted(cases)])
    return Run(name, "unit", TREES[name], TREES[name], Evidence.OBSERVED, 100.0, 100.0, made)


def question(base: Run, tip: Run) -> Question:
    return Question(Suite("unit"), None, (base,), (tip,), 200.0)


@given(CASES, CASES, st.integers(1, 5))
def test_what_is_set_aside_changes_nothing(
    base: dict[str, tuple[Outcome, int]], tip: dict[str, tuple[Outcome, int]], step: int
) -> None:
    asked = question(run("base", base), run("tip", base | tip if step % 2 else tip))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unchanged, "_STEP", step)
        found, whole = compare(asked), compare_all(asked)
    assert (found.count, known_of(found), found.new_at_tip) == (whole.count, known_of(whole), whole.new_at_tip)
    assert sorted(map(repr, found.findings)) == sorted(map(repr, whole.findings))


PLAIN = {f"t.py::t{i:03}": (Outcome.PASSED, 1) for i in range(300)}


def test_only_what_differs_is_looked_at() -> None:
    aside = unchanged.set_aside(
        run("base", PLAIN), run("tip", {**PLAIN, "t.py::t007": (Outcome.FAILED, 1), "new": (Outcome.PASSED, 1)})
    )
    assert aside is not None
    assert (aside.number, aside.passed) == (299, 299)
    assert [c.id for c in aside.tip.cases] == ["new", "t.py::t007"]


@pytest.mark.parametrize("side", ["base", "tip"])
def test_records_of_more_than_a_case_keep_all(side: str) -> None:
    file = Case("t.py", Outcome.ERROR, kind=RecordKind.FILE, covers="t.py::")
    runs = {name: run(name, PLAIN) for name in TREES}
    runs[side] = replace(runs[side], cases=(*runs[side].cases, file))
    assert unchanged.set_aside(runs["base"], runs["tip"]) is None


def test_ids_out_of_order_keep_all() -> None:
    base = run("base", PLAIN)
    assert unchanged.set_aside(replace(base, cases=tuple(base.cases)[::-1]), run("tip", PLAIN)) is None


def test_the_law_sees_a_function_torn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known positive: without the other ids of a function a row of positions would be read otherwise."""
    row = {f"f[o{i}]": (Outcome.PASSED, 1) for i in range(3)}
    asked = question(run("base", row), run("tip", dict(list(row.items())[:2])))
    assert compare(asked).findings == compare_all(asked).findings
    monkeypatch.setattr(unchanged, "_of_function", lambda *_: iter(()))
    assert reduction.compare(asked).findings != compare_all(asked).findings
