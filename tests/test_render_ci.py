"""The verdict for continuous integration hosts: what they show, and that no name becomes a command, a link or markup."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from gate_world import GateWorld, said
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder
from test_render import verdict

from shipmoor_hooks.model import Code, Count, Decision, Disclosure, Finding, SuiteCount, Trailer
from shipmoor_hooks.render_ci import (
    MOST_ANNOTATIONS,
    MOST_CHARACTERS,
    as_github,
    as_gitlab,
    as_markdown,
    code_span,
    file_of,
    fingerprint,
)

GONE = Finding(
    Code.CASE_REMOVED,
    "tests/test_cart.py::test_b stands at the base.",
    "Restore the case.\nOr say why:\nTest-Removed: tests/test_cart.py::test_b -- <reason>",
    suite="unit",
    case="tests/test_cart.py::test_b",
)
ADDED = Finding(Code.CASE_ADDED, "t.py::c is new.", suite="unit", case="t.py::c")
WAYS = "%0ARestore the case.%0AOr say why:%0ATest-Removed: tests/test_cart.py::test_b -- <reason>"
SAID = Disclosure("0" * 40, Trailer.REMOVED, "it is gone (#212)")
# Every way to tell a host something from inside a line: commands of both forms, mentions, links, markup, a closing fence.
HOSTILE = "x\n::stop-commands::y\r##[add-mask]z%0A::error::a,b`````\n```\n@everyone <img src=x> | [l](http://h) \x1b[31m \u202e"


# ---------------------------------------------------------------- GitHub


def test_a_finding_is_an_annotation_on_its_file() -> None:
    lines = as_github(verdict(GONE, ADDED)).splitlines()
    assert lines == [
        "shipmoor-hooks: refused: 1 case is gone",
        "::error file=tests/test_cart.py,title=CASE_REMOVED in unit::tests/test_cart.py::test_b stands at the base."
        + WAYS,
        "::notice file=t.py,title=CASE_ADDED in unit::t.py::c is new.",
    ]


def test_what_is_disclosed_or_only_warned_of_is_no_error() -> None:
    assert "::notice file=tests/test_cart.py,title=CASE_REMOVED in unit (disclosed)::" in as_github(
        verdict(replace(GONE, disclosed=SAID), decision=Decision.ALLOWED)
    )
    assert "\n::warning " in as_github(verdict(GONE, decision=Decision.ALLOWED, warned=True))


def test_properties_are_escaped_as_the_toolkit_does_it() -> None:
    named = replace(GONE, case="t/a,b:100%.py::x", suite="u: 50%, more")
    assert "file=t/a%2Cb%3A100%25.py,title=CASE_REMOVED in u%3A 50%25%2C more::" in as_github(verdict(named))


def test_only_what_github_shows_is_written() -> None:
    many = [replace(GONE, case=f"t.py::{i}") for i in range(MOST_ANNOTATIONS + 5)]
    text = as_github(verdict(*many))
    assert text.count("::error ") == MOST_ANNOTATIONS
    assert "and 5 more of level error" in text


@pytest.mark.parametrize(
    "finding",
    [
        pytest.param(replace(GONE, message=HOSTILE), id="in the message"),
        pytest.param(replace(GONE, case=HOSTILE), id="in the case"),
        pytest.param(replace(GONE, suite=HOSTILE, variant=HOSTILE), id="in the suite"),
        pytest.param(replace(GONE, next_step=HOSTILE), id="in the way out"),
    ],
)
def test_a_hostile_name_adds_no_line_and_no_command(finding: Finding) -> None:
    told = verdict(finding, ref=HOSTILE)
    plain = as_github(verdict(GONE, ref="refs/heads/x"))
    text = as_github(told)
    assert len(text.splitlines()) == len(plain.splitlines())
    assert all(line.startswith(("shipmoor-hooks: ", "::error ")) for line in text.splitlines())
    assert not any("##[" in line for line in text.splitlines() if not line.startswith("::"))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


@given(st.text(), st.text(), st.text())
def test_whatever_the_text_a_command_is_one_line(message: str, case: str, suite: str) -> None:
    text = as_github(verdict(replace(GONE, message=message, case=case, suite=suite or "s")))
    head, command, end = text.split("\n")
    assert (head.startswith("shipmoor-hooks: "), command.startswith("::error "), end) == (True, True, "")
    properties = command.removeprefix("::error ").partition("::")[0]
    assert [p.partition("=")[0] for p in properties.split(",")] in (["title"], ["file", "title"])


# ---------------------------------------------------------------- GitLab


def test_a_finding_is_an_issue_of_the_code_quality_report() -> None:
    issues = as_gitlab(verdict(GONE, ADDED))
    assert [(i["check_name"], i["severity"], i["location"]) for i in issues] == [
        ("CASE_REMOVED", "critical", {"path": "tests/test_cart.py", "lines": {"begin": 1}}),
        ("CASE_ADDED", "info", {"path": "t.py", "lines": {"begin": 1}}),
    ]
    assert all(set(i) == {"description", "check_name", "fingerprint", "severity", "location"} for i in issues)
    assert len({i["fingerprint"] for i in issues}) == 2


def test_a_fingerprint_stays_while_words_change_and_is_never_shared() -> None:
    assert fingerprint(GONE) == fingerprint(replace(GONE, message="other words", base=Count(1, 1)))
    assert fingerprint(GONE) != fingerprint(replace(GONE, variant="py312"))
    twice = as_gitlab(verdict(GONE, GONE))
    assert twice[0]["fingerprint"] != twice[1]["fingerprint"]


@pytest.mark.parametrize(
    ("case", "file"),
    [
        pytest.param("tests/a.py::t", "tests/a.py", id="a file and a name"),
        pytest.param("pkg.Class::t", "pkg.Class", id="a class name looks like a file"),
        pytest.param("Suite::t", "", id="no file"),
        pytest.param("/etc/passwd.txt::t", "", id="absolute"),
        pytest.param("../x.py::t", "", id="outside"),
        pytest.param("a/../../x.py::t", "", id="outside by a detour"),
        pytest.param("C:\\x.py::t", "", id="of another system"),
        pytest.param("x.py", "", id="no name"),
    ],
)
def test_a_location_is_a_path_below_the_root(case: str, file: str) -> None:
    assert file_of(replace(GONE, case=case)) == file


# ---------------------------------------------------------------- Markdown


def test_the_markdown_has_the_verdict_the_numbers_and_the_ways_out() -> None:
    row = SuiteCount("unit", None, Count(2, 2), Count(1, 1))
    text = as_markdown(verdict(GONE, ADDED, suites=(row,)))
    assert "`refused: 1 case is gone`" in text
    assert "| `unit` | 2 of 2 | 1 of 1 |" in text
    assert "Test-Removed: tests/test_cart.py::test_b -- <reason>" in text
    assert "<summary>1 note</summary>" in text


def outside_code(markdown: str) -> str:
    """The text without fenced blocks and code spans, each found by its own fence (CommonMark, 4.5 and 6.1)."""
    kept, fence = [], ""
    for line in markdown.splitlines():
        bare = line.strip()
        if not fence and (opened := re.fullmatch("(`{3,})[^`]*", bare)):
            fence = opened.group(1)
        elif fence and bare == fence:
            fence = ""
        elif not fence:
            kept.append(line)
    assert not fence, "a block that is not closed"
    return re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", "\n".join(kept))


def test_a_hostile_name_is_code_and_nothing_else() -> None:
    finding = replace(GONE, message=HOSTILE, case=HOSTILE, suite=HOSTILE, next_step=HOSTILE)
    note = replace(ADDED, message=HOSTILE, case=HOSTILE)
    told = verdict(finding, note, ref=HOSTILE, suites=(SuiteCount(HOSTILE, HOSTILE, None, None),))
    left = outside_code(as_markdown(told))
    assert "everyone" not in left
    assert "img" not in left
    assert "http" not in left


@given(st.text(alphabet="`a |\n", max_size=40))
def test_code_is_closed_by_its_own_fence_only(text: str) -> None:
    line = text.replace("\n", " ")
    assert outside_code(code_span(f"x{line}x")).strip() == ""
    assert (
        "x" not in outside_code(as_markdown(verdict(replace(GONE, message=f"x{text}x", next_step="x", suite="x"))))[30:]
    )


def test_a_long_verdict_fits_a_comment_and_says_what_is_left_out() -> None:
    many = [replace(GONE, case=f"{'t' * 3000}{i}::x", suite=f"s{i % 40}", message="m" * 3000) for i in range(400)]
    text = as_markdown(verdict(*many))
    assert len(text) <= MOST_CHARACTERS
    assert "more lines: shipmoor-hooks gate" in text
    outside_code(text)


# ---------------------------------------------------------------- the command


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    """A measured base and a branch that lost a case."""
    made = GateWorld(repo, repo.bare_remote())
    repo.write(".gitignore", "build/\n")
    repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = ["pytest"]\n')
    made.commit(["a", "b"])
    repo.git("push", "-q", "-u", "origin", "main")
    made.branch("work", ["a"])
    return made


def test_the_formats_of_the_command_line(world: GateWorld) -> None:
    words = ["gate", "--base", "main", "--format"]
    github = world.repo.tool(*words, "github")
    assert (github.returncode, github.stdout.count(b"\n::error ")) == (1, 1)
    gitlab = world.repo.tool(*words, "gitlab")
    assert (gitlab.returncode, json.loads(gitlab.stdout)[0]["check_name"]) == (1, "CASE_REMOVED")
    assert b"`refused: 1 case is gone`" in world.repo.tool(*words, "markdown").stdout
    wrong = world.repo.tool(*words, "teamcity")
    assert wrong.returncode == 2
    assert "text, json, github, gitlab or markdown" in said(wrong)


def test_the_step_summary_is_added_to_and_its_absence_changes_nothing(world: GateWorld) -> None:
    summary = world.repo.path.parent / "summary.md"
    summary.write_text("before\n")
    told = {"GITHUB_STEP_SUMMARY": str(summary)}
    assert world.repo.tool("gate", "--base", "main", "--format", "github", env=told).returncode == 1
    assert summary.read_text().startswith("before\n### shipmoor-hooks\n")
    for words in (["--format", "json"], []):
        world.repo.tool("gate", "--base", "main", *words, env=told)
    assert summary.read_text().count("### shipmoor-hooks") == 1
    nowhere = {"GITHUB_STEP_SUMMARY": str(world.repo.path / "no" / "such")}
    done = world.repo.tool("gate", "--base", "main", "--format", "github", env=nowhere)
    assert done.returncode == 1
    assert "cannot be written" in said(done)
