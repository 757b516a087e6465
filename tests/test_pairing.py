"""The fate of each base case: the same, moved, in a file that does not load or skips itself, one of a row, or gone."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rule_world import run

from shipmoor_hooks.rules.pairing import Fewer, Pairing, pair, row, suffixed
from shipmoor_hooks.rules.standing import at_base, at_tip


def paired(base: str, tip: str, **renames: str) -> Pairing:
    moves = {f"{old}.py": f"{new}.py" for old, new in renames.items()}
    return pair(at_base([run(base)]), at_tip([run(tip)], "latest"), moves)


def test_everything_is_the_same() -> None:
    assert paired("a P, b F", "a S, b P") == Pairing(same={"t/s.py::a": "t/s.py::a", "t/s.py::b": "t/s.py::b"})


def test_each_fate_at_once() -> None:
    base = "a P, g P, p[1] P, q[o0] P, q[o1] P, old.py::x P, t/c.py::x P, t/m.py::x P"
    tip = "a P, n P, p[1_0] P, p[1_1] P, q[o0] P, new.py::x P, t/c.py C, t/m.py M"
    assert paired(base, tip, old="new") == Pairing(
        same={"t/s.py::a": "t/s.py::a", "t/s.py::q[o0]": "t/s.py::q[o0]", "t/s.py::p[1]": "t/s.py::p[1_0]"},
        moved={"old.py::x": "new.py::x"},
        unloadable={"t/c.py": ["t/c.py::x"]},
        self_skipped={"t/m.py::x": "t/m.py"},
        fewer=[Fewer("t/s.py::q", 2, 1)],
        gone=["t/s.py::g"],
        new=["t/s.py::n", "t/s.py::p[1_1]"],
    )


NAMES = ["a", "p[1]", "p[1_0]", "p[1_1]", "p[o0]", "p[o1]", "old.py::x", "new.py::x", "t/c.py::x"]


@pytest.mark.parametrize("record", ["", "t/c.py C", "new.py C", "t/c.py M"])
def test_every_base_case_has_exactly_one_fate(record: str) -> None:
    sets = [c for n in range(4) for c in itertools.combinations(NAMES, n)]
    for base, tip in itertools.product(sets[:60:3], sets[::5]):
        listed = [f"{n} P" for n in base]
        result = paired(", ".join(listed), ", ".join([*(f"{n} P" for n in tip), *filter(None, [record])]), old="new")
        rows = {few.id for few in result.fewer}
        fates = [*result.same, *result.moved, *result.self_skipped, *result.gone]
        fates += [i for ids in result.unloadable.values() for i in ids]
        assert len(fates) == len(set(fates))
        missing = set(at_base([run(", ".join(listed))])) - set(fates)
        assert {i.partition("[")[0] for i in missing} == rows
        taken = [*result.same.values(), *result.moved.values(), *result.new]
        assert sorted(taken) == sorted(i for i in at_tip([run(", ".join(f"{n} P" for n in tip))], "latest").cases)


@pytest.mark.parametrize(
    ("parameters", "want"),
    [
        pytest.param([], None, id="none"),
        pytest.param(["[o0]"], ("o", 1), id="one"),
        pytest.param(["[o1]", "[o0]"], ("o", 2), id="in any order"),
        pytest.param(["[my_arg0]", "[my_arg1]"], ("my_arg", 2), id="a longer word"),
        pytest.param([f"[o{i}]" for i in range(12)], ("o", 12), id="two digits"),
        pytest.param(["[0]", "[1]"], None, id="bare numbers"),
        pytest.param(["[o1]"], None, id="not from zero"),
        pytest.param(["[o0]", "[o2]"], None, id="a gap"),
        pytest.param(["[o0]", "[p1]"], None, id="two words"),
        pytest.param(["[o0]", ""], None, id="one without a parameter"),
        pytest.param(["[o0]", "[o1-x]"], None, id="one that says more"),
        pytest.param(["[o0]", "[o0]"], None, id="one position twice"),
        pytest.param(["[o0"], None, id="not closed"),
    ],
)
def test_a_row_of_positions(parameters: list[str], want: tuple[str, int] | None) -> None:
    assert row(parameters) == want


def test_many_lost_cases_are_paired_in_no_time() -> None:
    many = ", ".join(f"f{i}[o{j}] P" for i in range(4000) for j in range(2))
    files = ", ".join(f"t/f{i}.py C" for i in range(1000))
    result = paired(many, f"a P, {files}")
    assert len(result.gone) == 8000


@pytest.mark.parametrize(
    ("case_id", "number", "want"),
    [("p[1]", 0, "p[1_0]"), ("p[a]", 1, "p[a1]"), ("p[a-1]", 2, "p[a-1_2]"), ("p[]", 0, "p[0]")],
)
def test_the_suffix_is_pytests_own(case_id: str, number: int, want: str) -> None:
    assert suffixed(case_id, number) == want


def test_pytest_itself_numbers_like_that(tmp_path: object) -> None:
    import pathlib
    import subprocess
    import sys

    folder = pathlib.Path(str(tmp_path))
    (folder / "test_s.py").write_text(
        "import pytest\n@pytest.mark.parametrize('v', VALUES)\ndef test_p(v): pass\n".replace(
            "VALUES", "[1, 1, 'a', 'a', 'b']"
        )
    )
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", str(folder)]
    out = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    found = [line for line in out.splitlines() if "::" in line]
    assert found == [suffixed(f"test_s.py::test_p[{v}]", i) for v in ("1", "a") for i in (0, 1)] + [
        "test_s.py::test_p[b]"
    ]


@given(st.text("ab_Z019\xe9\u0663-[", max_size=8))
@example("a00")
@example("a" + "1" * 5000)
@example("7")
@example("a0b1")
def test_a_position_is_what_the_expression_takes(inside: str) -> None:
    match = re.fullmatch(r"([A-Za-z_]+)(0|[1-9][0-9]{0,8})", inside)
    # A row of one begins with 0; what is no position makes no row beside one that is.
    number = int(match[2]) if match else 0
    others = [f"[{match[1] if match else 'a'}{i}]" for i in range(min(number, 50))]
    told = row([*others, f"[{inside}]"])
    assert told == ((match[1], number + 1) if match and number <= 50 else None)
