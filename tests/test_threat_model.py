"""The threat model's page: every row names tests, and those tests are there (docs/threat-model.md)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "threat-model.md"
NAMED = re.compile(r"`(test_\w+)::(test_\w+)`")
# The words of the design's promises; a page that says more than them would promise too much.
PROMISED = (
    "A process running as you can use your key.",
    "A test process can lie about itself.",
    "A client hook can be skipped.",
    "the client's evidence can only make CI stricter",
)


def rows() -> list[list[str]]:
    """The cells of the table of attacks."""
    table = PAGE.read_text(encoding="utf-8").partition("## Attacks")[2].partition("## What follows")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def missing(text: str) -> list[str]:
    """The named tests that no file holds."""
    found = []
    for module, function in NAMED.findall(text):
        path = TESTS / f"{module}.py"
        tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module([], [])
        if function not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            found.append(f"{module}::{function}")
    return found


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_each_row_names_tests_that_are_there(row: list[str]) -> None:
    _, _, shown, _ = row
    assert NAMED.findall(shown)
    assert missing(shown) == []


def test_a_name_that_is_none_is_found() -> None:
    assert missing("`test_spool::test_nothing_of_the_kind` `test_nowhere::test_x`") == [
        "test_spool::test_nothing_of_the_kind",
        "test_nowhere::test_x",
    ]


@pytest.mark.parametrize("words", PROMISED)
def test_what_is_not_stopped_is_said(words: str) -> None:
    assert words in " ".join(PAGE.read_text(encoding="utf-8").split())
