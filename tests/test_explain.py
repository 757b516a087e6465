"""`explain`: a page for each code, and a hint for a name that is none."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from shipmoor_hooks import code_pages
from shipmoor_hooks.cli import pager
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import Code

EXPLAIN = [sys.executable, "-m", "shipmoor_hooks", "explain"]


def explained(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*EXPLAIN, *words], env=dict(environment), capture_output=True, text=True, check=False)


def test_a_page_is_printed_as_it_stands(environment: dict[str, str]) -> None:
    done = explained(environment, "CASE_RED")
    assert (done.returncode, done.stdout, done.stderr) == (0, code_pages.page_of("CASE_RED"), "")


@pytest.mark.parametrize("name", ["case_red", "case-red", " CASE_RED "])
def test_a_code_is_found_however_it_is_typed(name: str) -> None:
    assert code_pages.page_of(name) == code_pages.page_of("CASE_RED")


def test_without_a_code_all_are_listed(environment: dict[str, str]) -> None:
    done = explained(environment)
    assert done.returncode == 0
    assert [c.value for c in Code if c.value not in done.stdout] == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        pytest.param("CASE_REMOVE", "explain CASE_REMOVED", id="a-letter-is-missing"),
        pytest.param("../../etc/passwd", "shipmoor-hooks explain", id="a-path-is-no-code"),
    ],
)
def test_an_unknown_code_is_one_line_and_the_nearest_one(name: str, hint: str, environment: dict[str, str]) -> None:
    with pytest.raises(UsageFault) as caught:
        code_pages.page_of(name)
    assert hint in str(caught.value.next_step)
    assert explained(environment, name).returncode == 2


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        pytest.param({"TERM": "xterm"}, ["less"], id="less-unless-told"),
        pytest.param({"TERM": "xterm", "PAGER": "more -d"}, ["more", "-d"], id="the-usual-variable"),
        pytest.param({"TERM": "xterm", "PAGER": "more", "GIT_PAGER": "most"}, ["most"], id="git's-own-wins"),
        pytest.param({"TERM": "xterm", "PAGER": "cat"}, [], id="cat-means-none"),
        pytest.param({"TERM": "xterm", "PAGER": ""}, [], id="empty-means-none"),
        pytest.param({"TERM": "xterm", "PAGER": "less 'x"}, [], id="a-quote-without-end"),
        pytest.param({"TERM": "dumb", "PAGER": "more"}, [], id="a-dumb-terminal"),
        pytest.param({}, [], id="no-terminal-known"),
    ],
)
def test_which_pager(environ: dict[str, str], command: list[str]) -> None:
    assert pager.pager_of(environ) == command


def on_a_terminal(environ: Mapping[str, str]) -> str:
    """What `explain CASE_RED` writes when stdout is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([*EXPLAIN, "CASE_RED"], env=dict(environ), stdout=theirs, stdin=theirs) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux ends a terminal whose other side is closed with EIO
                break
            if not piece:
                break
            told += piece
        assert process.wait() == 0
    os.close(ours)
    return told.decode().replace("\r\n", "\n")


def test_a_terminal_gets_it_through_the_pager(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "pager"
    script.write_text("#!/bin/sh\necho paged\ncat\n")
    script.chmod(0o755)
    told = on_a_terminal({**environment, "TERM": "xterm", "PAGER": str(script)})
    assert told == "paged\n" + code_pages.page_of("CASE_RED")


def test_a_pager_that_is_not_there_loses_nothing(environment: dict[str, str]) -> None:
    told = on_a_terminal({**environment, "TERM": "xterm", "PAGER": "there-is-no-such-pager"})
    assert told == code_pages.page_of("CASE_RED")
