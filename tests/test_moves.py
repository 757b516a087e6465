"""A case that only moved: one for one, with git's own evidence, and never one that changed on the way (design, section 3)."""

from __future__ import annotations

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import history, place
from shipmoor_hooks.rules import moved_blocks

HEAD = "import shop\n\n\n"
ONE = "def test_one():\n    basket = shop.basket()\n    assert basket.total() == 5\n"
TWO = "@shop.marked\ndef test_two(value):\n    for item in value:\n\n        assert shop.price(item) > 0\n"
OTHER = "def test_other():\n    assert shop.name\n"


def moves(
    repo: RepoBuilder, before: dict[str, str], after: dict[str, str | None], pairs: dict[str, str]
) -> dict[str, str]:
    base = repo.commit("Before", files=dict(before))
    tip = repo.commit("After", files=dict(after))
    git = place.find(str(repo.path), repo.env).git
    paths = sorted({i.partition("::")[0] for pair in pairs.items() for i in pair})
    diff = moved_blocks.parse(history.moved_lines(git, base, tip, paths, moved_blocks.COLOURS))
    return {old: new for old, new in pairs.items() if moved_blocks.moved(diff, old, new)}


A, B = "tests/test_a.py", "tests/test_b.py"
PAIR = {f"{A}::test_one": f"{B}::test_one"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            {A: HEAD + OTHER + "\n\n" + ONE, B: HEAD + TWO},
            {A: HEAD + OTHER, B: HEAD + TWO + "\n\n" + ONE},
            True,
            id="cut out of one file and put into another",
        ),
        pytest.param({A: HEAD + OTHER + "\n\n" + ONE}, {A: HEAD + OTHER, B: HEAD + ONE}, True, id="into a new file"),
        pytest.param(
            {A: HEAD + OTHER + "\n\n" + ONE},
            {A: HEAD + OTHER, B: HEAD + ONE.replace("== 5", ">= 0")},
            False,
            id="its expectation changed on the way",
        ),
        pytest.param(
            {A: HEAD + OTHER + "\n\n" + ONE},
            {A: HEAD + OTHER, B: HEAD + "def test_one():\n    pass\n"},
            False,
            id="only its name is there",
        ),
        pytest.param(
            {A: HEAD + OTHER + "\n\n" + ONE},
            {A: HEAD + OTHER, B: HEAD + "def test_one():\n    basket = shop.basket()\n    return\n    assert basket.total() == 5\n"},  # noqa: E501
            False,
            id="its lines stand there, but others between them",
        ),
        pytest.param({A: HEAD + ONE, B: HEAD + TWO}, {A: HEAD + ONE, B: HEAD + TWO + "\n\n" + ONE}, False, id="copied, not moved"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_block(repo: RepoBuilder, before: dict[str, str], after: dict[str, str | None], expected: bool) -> None:
    assert moves(repo, before, after, PAIR) == (PAIR if expected else {})


def test_a_decorated_case_with_a_blank_line_and_parameters(repo: RepoBuilder) -> None:
    pair = {f"{A}::test_two[x]": f"{B}::test_two[x]"}
    assert moves(repo, {A: HEAD + OTHER + "\n\n" + TWO}, {A: HEAD + OTHER, B: HEAD + TWO}, pair) == pair


def test_the_users_own_colours_do_not_matter(repo: RepoBuilder) -> None:
    for name in ("old", "new", "oldMoved", "newMoved", "meta"):
        repo.git("config", f"color.diff.{name}", "yellow bold")
    repo.git("config", "color.ui", "never")
    repo.git("config", "diff.noprefix", "false")
    assert moves(repo, {A: HEAD + OTHER + "\n\n" + ONE}, {A: HEAD + OTHER, B: HEAD + ONE}, PAIR) == PAIR


@pytest.mark.parametrize(
    ("gone", "new", "expected"),
    [
        pytest.param(["a.py::t"], ["b.py::u"], {}, id="another name"),
        pytest.param(["a.py::t"], ["b.py::t"], {"a.py::t": "b.py::t"}, id="one for one"),
        pytest.param(["a.py::t[1]"], ["b.py::t[2]"], {}, id="other parameters"),
        pytest.param(["a.py::t"], ["b.py::t", "c.py::t"], {}, id="two arrivals are candidates, no answer"),
        pytest.param(["a.py::t", "b.py::t"], ["c.py::t"], {}, id="two departures"),
        pytest.param(
            ["a.py::T::t[x::y]"], ["b.py::t[x::y]"], {"a.py::T::t[x::y]": "b.py::t[x::y]"}, id="out of a class"
        ),
    ],
)
def test_candidates(gone: list[str], new: list[str], expected: dict[str, str]) -> None:
    assert moved_blocks.candidates(gone, new) == expected
