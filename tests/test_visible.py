"""What reaches a terminal: everything that could move it, reorder it or hide in it is spelled out."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.visible import visible


@pytest.mark.parametrize(
    "text",
    ["", "plain", "tests/test_a.py::test_b[1-x]", "ü ñ ß", "日本語", "Ελλάδα", "e\u0301", "😀", "a\u00a0b", "\\x1b"],
)
def test_what_a_person_reads_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="escape"),
        pytest.param("a\x00b", "a\\x00b", id="nul"),
        pytest.param("a\tb\nc\r", "a\\x09b\\x0ac\\x0d", id="tab and line ends"),
        pytest.param("\x7f\x9b", "\\x7f\\x9b", id="delete and the one-byte escape"),
        pytest.param("a\u202eb\u2066", "a\\u202eb\\u2066", id="bidi"),
        pytest.param("a\u200bb\u200d\ufeff\u2060", "a\\u200bb\\u200d\\ufeff\\u2060", id="zero width"),
        pytest.param("so\u00adft", "so\\xadft", id="soft hyphen"),
        pytest.param("a\u2028b\u2029", "a\\u2028b\\u2029", id="separators"),
        pytest.param("\udc80", "\\udc80", id="lone surrogate"),
        pytest.param("\ue000", "\\ue000", id="private use"),
        pytest.param("\u0378", "\\u0378", id="unassigned"),
        pytest.param("\U000e0041", "\\U000e0041", id="tag character"),
        pytest.param("\u034f\u3164\uffa0\u115f\ufe0f", "\\u034f\\u3164\\uffa0\\u115f\\ufe0f", id="drawn as nothing"),
        pytest.param("\U000e0100", "\\U000e0100", id="variation selector"),
    ],
)
def test_what_could_move_a_terminal_is_spelled_out(text: str, want: str) -> None:
    assert visible(text) == want


@given(st.text(st.one_of(st.characters(), st.characters(max_codepoint=0x2FF)), max_size=50))
def test_nothing_slips_through_and_a_second_time_changes_nothing(text: str) -> None:
    told = visible(text)
    assert not {unicodedata.category(c) for c in told} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert visible(told) == told
