"""Ages and numbers in words."""

from __future__ import annotations

import pytest

from shipmoor_hooks.wording import ago, several


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"), (0, "just now"), (9.9, "just now"), (10, "10 s ago"), (89, "89 s ago"), (90, "2 min ago"),
        (240, "4 min ago"), (5399, "90 min ago"), (5400, "2 h ago"), (23 * 3600, "23 h ago"), (36 * 3600, "2 days ago"),
        (30 * 86400, "30 days ago"),
    ],
)  # fmt: skip
def test_ages(seconds: float, words: str) -> None:
    assert ago(seconds) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases")])
def test_numbers(number: int, words: str) -> None:
    assert several(number) == words
