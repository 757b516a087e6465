"""Ages and numbers in words."""

from __future__ import annotations

import pytest

from shipmoor_hooks.model import Code
from shipmoor_hooks.rules.wording import ago, lost_since_push, several, target_ahead


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


def test_what_the_last_push_had_is_named_up_to_three() -> None:
    note = lost_since_push(["a", "b", "c", "d"], 9)
    assert (note.code, note.next_step) == (Code.LOST_SINCE_PUSH, "")
    assert "a, b, c and 1 more" in note.message
    assert "4 of 9 cases" in note.message
    assert note.message.endswith(".")


def test_what_the_target_has_is_named_with_a_way_to_get_it() -> None:
    note = target_ahead(["a"], 9)
    assert note.code is Code.TARGET_AHEAD
    assert "1 of 9 cases" in note.message
    assert note.message.endswith(": a.")
    assert note.next_step
