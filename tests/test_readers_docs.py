"""docs/readers.md against the readers: each has a section, each dialect a row, and what is refused by name is refused."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.readers import junit_dialect, limits
from shipmoor_hooks.readers.registry import READERS, read

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "readers.md").read_text(encoding="utf-8")


def test_each_reader_has_a_section_and_each_section_a_reader() -> None:
    assert sorted(re.findall(r"^### `(.+)`$", PAGE, re.MULTILINE)) == sorted(READERS)


def test_each_dialect_has_a_row() -> None:
    source = inspect.getsource(junit_dialect)
    returned = set(re.findall(r'return "([a-z0-9]+)"', source)) | {"junit"}
    named = set(junit_dialect._BY_ROOT_NAME.values()) | set(junit_dialect._BY_SUITE_NAME.values())
    named.add("surefire")
    rows = {w for cell in re.findall(r"^\| (`[^|]+`) \|", PAGE, re.MULTILINE) for w in re.findall(r"`([^`]+)`", cell)}
    assert returned | named <= rows
    assert rows - {"rspec --dry-run"} <= returned | named


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("<html/>", "<html>", id="HTML"),
        pytest.param('<coverage line-rate="1"/>', "<coverage>", id="coverage"),
        pytest.param('<!DOCTYPE CUNIT_TEST_RUN_REPORT SYSTEM "x.dtd"><CUNIT_TEST_RUN_REPORT/>', "DTD", id="CUnit"),
        pytest.param(
            '<testsuites xmlns="http://check.sourceforge.net/ns"><suite><title>a</title></suite></testsuites>',
            "<testsuites> with <suite>",
            id="Check",
        ),
        pytest.param('{"numTotalTestSuites":1}', "jest's or vitest's JSON", id="jest"),
        pytest.param('{"anything": 1}', "looks like JSON", id="another JSON"),
        pytest.param("\x00\x01", "binary", id="binary"),
        pytest.param(" \n", "empty", id="empty"),
    ],
)
def test_what_the_page_says_is_refused_is_refused_by_name(text: str, says: str) -> None:
    with pytest.raises(ReportFault) as fault:
        read(text.encode(), None, "r")
    assert says in fault.value.message


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MAX_FILE", "512 MiB a file"),
        ("MAX_JSON", "64 MiB for one JSON document"),
        ("MAX_DEPTH", "64 levels"),
        ("MAX_CASES", "2,000,000 cases"),
        ("MAX_DOCUMENTS", "10,000 documents"),
        ("MAX_TOKEN", "1 MiB for\none tag or line"),
        ("MAX_BAD_BYTES", "1 Mi bytes"),
        ("MAX_NAME", "longer than 4 KiB"),
    ],
)
def test_the_limits_are_those_of_the_readers(name: str, said: str) -> None:
    assert said in PAGE
    number = int(re.sub(r"\D", "", re.search(r"[\d,]+", said).group()))  # type: ignore[union-attr]
    unit = 1024**2 if "Mi" in said else 1024 if "KiB" in said else 1
    assert getattr(limits, name) == number * unit


def test_the_pages_name_each_other() -> None:
    assert "(blind-spots.md)" in PAGE
    assert "(../blind-spots.md)" in (DOCS / "decisions" / "parsers.md").read_text(encoding="utf-8")
    assert "`node-events`" in (DOCS / "blind-spots.md").read_text(encoding="utf-8")
