"""Every kind of grader on runs of every kind (design, section 8): verdict and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_world import said, trace_of, used

from shipmoor_hooks.evals import globs, graders, trace
from shipmoor_hooks.evals.definitions import Grader
from shipmoor_hooks.evals.graders import Recording
from shipmoor_hooks.evals.matching import Answer, Question, Told
from shipmoor_hooks.evals.recording import FILE, MISSING, NOT_REGULAR, OUTSIDE, TOO_LARGE, FocusFile, Workspace
from shipmoor_hooks.evals.regex_engine import RegexEngine

CREATED = ("plan.md", "docs/notes/n.md", ".hidden/x", "Ａ.txt", "😀.txt", " lead.txt", "two\nlines.txt")
FILES = {
    "plan.md": FocusFile(FILE, "# Plan\n"),
    "gone.md": FocusFile(MISSING),
    "docs": FocusFile(NOT_REGULAR),
    "/etc/passwd": FocusFile(OUTSIDE),
    "huge": FocusFile(TOO_LARGE),
}
TRACE = trace_of(
    used("Bash", {"command": "check --strict", "n": 1}),
    used("Glob", {"pattern": "*"}),
    used("Bash", {"command": 'echo "x"'}),
    used("Write", {"file_path": "plan.md"}, "t9"),
    said("The review FAILED: F-001 is no id."),
)


@pytest.fixture(scope="module")
def engine() -> Iterator[RegexEngine]:
    with RegexEngine(deadline=0.5) as made:
        yield made


def grader(kind: str, **config: Any) -> Grader:
    return Grader("g", kind, config)


def focus(path: str, **more: Any) -> dict[str, Any]:
    return {"pattern": "Plan", "target": {"source": "file", "path": path}, **more}


SEEN = Recording(trace.read(TRACE), Workspace(CREATED, FILES), "c")
BARE = Recording(trace.read(TRACE), Workspace(), "c")


@pytest.mark.parametrize(
    ("kind", "config", "passed", "words"),
    [
        pytest.param("regex", {"pattern": "FAIL"}, True, "matched FAIL", id="found"),
        pytest.param("regex", {"pattern": "PASS"}, False, "pattern not found in last_message", id="not found"),
        pytest.param("regex", {"pattern": "fail", "flags": "i"}, True, "matched fail", id="a flag"),
        pytest.param("regex", {"pattern": "PASS", "match": "not_contains"}, True, "pattern absent as expected", id="absent"),
        pytest.param(
            "regex", {"pattern": "FAIL", "match": "not_contains"}, False, "pattern found (expected absent)", id="unwanted"
        ),
        pytest.param("regex", {"pattern": "F", "match": "count:2"}, True, "found 2 matches (expected 2)", id="counted"),
        pytest.param("regex", {"pattern": "F", "match": "count:03"}, False, "found 2 matches (expected 3)", id="too few"),
        pytest.param(
            "regex", {"pattern": '"name":"Write"', "target": "trace"}, True, 'matched "name":"Write"', id="in the trace"
        ),
        pytest.param("regex", {"pattern": "F-001$", "target": "trace"}, False, "pattern not found in trace", id="no trace"),
        pytest.param("regex", {"pattern": r"^plan\.md$", "flags": "m", "target": "files"}, True, None, id="a created file"),
        pytest.param("regex", {"pattern": "😀.txt\nＡ.txt$", "target": "files"}, True, None, id="order of UTF-16 units"),
        pytest.param("regex", {"pattern": "^ lead", "target": "files", "flags": "m"}, True, None, id="names as they are"),
        pytest.param("regex", focus("plan.md"), True, "matched Plan", id="in a file"),
        pytest.param(
            "regex", focus("gone.md", match="not_contains"), False,
            'grader threw: case "c" grader focus file "gone.md": path "gone.md" does not exist', id="a file that is not there",
        ),
        pytest.param("regex", focus("docs"), False, "grader threw: focus file docs is not a regular file", id="a folder"),
        pytest.param(
            "regex", focus("/etc/passwd"), False,
            'grader threw: case "c" grader focus file "/etc/passwd": path "/etc/passwd" escapes the run sandbox '
            "(`..` or an absolute path) — it must name something inside it", id="a file outside",
        ),
        pytest.param("regex", focus("huge"), None, "not graded: huge is too large to be kept", id="a file too large"),
        pytest.param("regex", focus("never-kept"), None, None, id="a file that was not kept"),
        pytest.param(
            "regex", {"pattern": "(", "match": "not_contains"}, False,
            "grader threw: Invalid regular expression: missing )", id="an invalid pattern",
        ),
        pytest.param(
            "regex", {"pattern": "a", "flags": "uv"}, False,
            "grader threw: Invalid flags supplied to RegExp constructor.", id="flags at odds",
        ),
        pytest.param("regex", {"pattern": "a", "target": "mock_calls"}, None, None, id="mocks"),
        pytest.param("tool_used", {"tool": "Bash"}, True, "Bash called 2x (expected 1..∞)", id="called"),
        pytest.param("tool_used", {"tool": "bash"}, False, "bash called 0x (expected 1..∞)", id="case counts"),
        pytest.param("tool_used", {"tool": "Task", "min": 0, "max": 0}, True, "Task called 0x (expected 0..0)", id="never"),
        pytest.param("tool_used", {"tool": "Write", "max": 0}, False, "Write called 1x (expected 1..0)", id="max alone"),
        pytest.param("tool_used", {"tool": "Bash", "max": 1}, False, "Bash called 2x (expected 1..1)", id="too often"),
        pytest.param(
            "tool_used", {"tool": "Bash", "input_match": r'^\{"command":"check .*","n":1\}$'}, True,
            "Bash called 1x (expected 1..∞)", id="by its input",
        ),
        pytest.param("tool_used", {"tool": "Bash", "input_match": r'\\"x\\"'}, True, None, id="quotes are escaped"),
        pytest.param(
            "tool_used", {"tool": "Edit", "input_match": "(", "min": 0, "max": 0}, True,
            "Edit called 0x (expected 0..0)", id="an invalid pattern that is never tried",
        ),
        pytest.param("tool_used", {"tool": "Bash", "input_match": "("}, False, None, id="an invalid pattern that is"),
        pytest.param("tool_order", {"before": "Bash", "after": "Glob"}, True, "Bash@0 precedes Glob@1", id="before"),
        pytest.param(
            "tool_order", {"before": "Glob", "after": "Bash"}, False, "Glob@1 does NOT precede Bash@0", id="after"
        ),
        pytest.param("tool_order", {"before": "Bash", "after": "Bash"}, False, None, id="the same call"),
        pytest.param("tool_order", {"before": "Edit", "after": "Nope"}, False, '"before" tool Edit never called', id="none"),
        pytest.param("tool_order", {"before": "Bash", "after": "Edit"}, False, '"after" tool Edit never called', id="one"),
        pytest.param(
            "tool_order", {"before": {"tool": "Bash", "input_match": "echo"}, "after": {"tool": "Write"}}, True,
            "Bash@2 precedes Write@3", id="by their input",
        ),
        pytest.param(
            "tool_order", {"before": {"tool": "Bash", "input_match": "("}, "after": "Glob"}, False, None, id="no pattern"
        ),
        pytest.param("file_exists", {"path": "**/*.md"}, True, "**/*.md exists as expected", id="a file"),
        pytest.param("file_exists", {"path": "n.md"}, False, "n.md missing (expected present)", id="the whole path"),
        pytest.param(
            "file_exists", {"path": "plan.md", "exists": False}, False, "plan.md exists (expected absent)", id="there"
        ),
        pytest.param("file_exists", {"path": "/x", "exists": False}, True, "/x absent as expected", id="absolute never is"),
        pytest.param("llm", {"criteria": "nice"}, None, "not graded: needs a judge", id="a judge"),
        pytest.param(
            "baseline", {"criteria": "nice", "baseline_file": "b.jsonl"}, None, "not graded: needs a judge", id="base"
        ),
        pytest.param("regex", {"pattern": "^(T+h*)+$|x"}, False, None, id="quick enough"),
    ],
)  # fmt: skip
def test_a_grader_on_a_recorded_run(
    engine: RegexEngine, kind: str, config: Mapping[str, Any], passed: bool | None, words: str | None
) -> None:
    verdict = graders.grade(engine, [grader(kind, **config)], SEEN)[0]
    assert verdict.passed is passed
    if words is not None:
        assert verdict.explanation == words
    assert verdict.explanation


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        pytest.param("file_exists", {"path": "**", "exists": False}, id="a file"),
        pytest.param("regex", {"pattern": "x", "match": "not_contains", "target": "files"}, id="the list of files"),
        pytest.param("regex", focus("plan.md", match="not_contains"), id="a file's text"),
    ],
)
def test_what_was_not_kept_is_no_verdict(engine: RegexEngine, kind: str, config: Mapping[str, Any]) -> None:
    assert graders.grade(engine, [grader(kind, **config)], BARE)[0].passed is None


def test_records_that_cannot_be_read_leave_only_the_raw_text(engine: RegexEngine) -> None:
    broken = Recording(trace.read(trace_of(said("x"), '{"type":"assist')), Workspace((), {}), "c")
    asked = [
        grader("tool_used", tool="Agent", min=0, max=0),
        grader("tool_order", before="a", after="b"),
        grader("regex", pattern="x", match="not_contains"),
        grader("regex", pattern="assist", target="trace"),
    ]
    assert [v.passed for v in graders.grade(engine, asked, broken)] == [None, None, None, True]


def test_a_run_that_ended_on_an_api_error_is_not_graded(engine: RegexEngine) -> None:
    data = trace_of(said("x")).replace(b'"is_error":false', b'"is_error":true,"api_error_status":529')
    asked = [grader("regex", pattern="x"), grader("tool_used", tool="Agent", min=0, max=0)]
    assert {v.passed for v in graders.grade(engine, asked, Recording(trace.read(data), Workspace(())))} == {None}


def test_a_pattern_without_an_answer_is_no_verdict_either_way(engine: RegexEngine) -> None:
    late = Recording(trace.read(trace_of(said("a" * 40 + "b"))), Workspace(()), "c")
    pattern = "^(?:(?:a+)+$|a*b)"
    asked = [grader("regex", pattern=pattern, match=match) for match in ("contains", "not_contains", "count:0")]
    assert {v.passed for v in graders.grade(engine, asked, late)} == {None}


def test_several_recordings_are_asked_together_and_answered_apart(engine: RegexEngine) -> None:
    other = Recording(trace.read(trace_of(said("PASSED"))), Workspace(()), "c")
    fails, passes = grader("regex", pattern="FAIL"), grader("regex", pattern="PASS")
    rows = list(graders.grade_many(engine, [((fails, passes), SEEN), ((passes,), other), ((), other)]))
    assert [[v.passed for v in row] for row in rows] == [[True, False], [True], []]


class Noted:
    """An engine that finds nothing anywhere, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[list[Question]] = []

    def each(self, questions: Sequence[Question]) -> list[list[Told]]:
        self.asked.append(list(questions))
        return [[0] * len(question.texts) for question in questions]

    def ask(self, questions: Sequence[Question]) -> tuple[Answer, ...]:
        return tuple(Answer(tuple(row)) for row in self.each(questions))


def test_a_grader_asks_one_question_about_all_recordings() -> None:
    runs = [
        Recording(trace.read(trace_of(used("Bash", {"n": n}), said(f"reply {n}"))), Workspace(())) for n in range(100)
    ]
    asked = [grader("regex", pattern=f"p{n}", target=target) for n in range(4) for target in ("last_message", "trace")]
    asked += [grader("tool_used", tool="Bash", input_match="x"), grader("tool_used", tool="Bash")]
    noted = Noted()
    rows = graders.grade_many(noted, [(asked, run) for run in runs])
    assert [len(questions) for questions in noted.asked] == [9]
    assert [len(question.texts) for question in noted.asked[0]] == [100] * 9
    assert [[v.passed for v in row] for row in rows] == [[False] * 9 + [True]] * 100


def test_recordings_of_every_kind_stand_side_by_side(engine: RegexEngine) -> None:
    """Alone and together every recording has the same verdicts, whichever of them say nothing to a grader."""
    failed = trace_of(said("x")).replace(b'"is_error":false', b'"is_error":true,"api_error_status":529')
    broken = trace_of(said("x"), '{"type":"assist')
    runs = [SEEN, Recording(trace.read(failed)), BARE, Recording(trace.read(broken), Workspace(())), SEEN]
    asked = [
        grader("regex", pattern="F", match="count:2"),
        grader("regex", pattern="(", target="files"),
        grader("regex", **focus("plan.md")),
        grader("tool_used", tool="Bash", input_match="check"),
        grader("tool_order", before={"tool": "Bash", "input_match": "echo"}, after="Write"),
        grader("tool_order", before="Edit", after={"tool": "Write", "input_match": "("}),
        grader("file_exists", path="**"),
        grader("llm", criteria="nice"),
    ]
    together = graders.grade_many(engine, [(asked, run) for run in runs])
    assert together == [graders.grade(engine, asked, run) for run in runs]
    assert len(set(together)) == 4


def test_the_paths_that_graders_read() -> None:
    asked = [grader("regex", **focus("a")), grader("llm", criteria="c", focus={"source": "file", "path": "b"})]
    assert graders.focus_paths([*asked, grader("regex", **focus("a")), grader("regex", pattern="x")]) == ("a", "b")


# ---------------------------------------------------------------- globs


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        pytest.param("a.md", "a.md", True, id="literal"),
        pytest.param("A.md", "a.md", False, id="case counts"),
        pytest.param("*.md", "a/b.md", False, id="a star stays in its folder"),
        pytest.param("**/*.md", "a.md", True, id="no folder at all"),
        pytest.param("**/*.md", "a/b/c.md", True, id="several folders"),
        pytest.param("**.md", "a/b.md", True, id="two stars are anything"),
        pytest.param("a/**/b", "a/b", True, id="folders in the middle, none"),
        pytest.param("a/**/b", "a/x/y/b", True, id="folders in the middle, two"),
        pytest.param("a/**/b", "ab", False, id="folders need their slash"),
        pytest.param("a?b", "a/b", True, id="a question mark takes a slash"),
        pytest.param("?", "😀", False, id="one UTF-16 unit"),
        pytest.param("??", "😀", True, id="two UTF-16 units"),
        pytest.param("{a,b}.md", "a.md", False, id="no braces"),
        pytest.param("[ab].md", "a.md", False, id="no classes"),
        pytest.param("[ab].md", "[ab].md", True, id="brackets are letters"),
        pytest.param("***", "a/b", True, id="three stars"),
        pytest.param("*", "", True, id="nothing is a name"),
        pytest.param("a", "ab", False, id="the whole path"),
        pytest.param("\\*", "*", False, id="no escapes"),
    ],
)
def test_globs(glob: str, path: str, expected: bool) -> None:
    assert globs.matches(glob, path) is expected


def test_names_are_cut_at_line_feeds_and_trimmed() -> None:
    assert globs.candidates((" a ", "b\nc", "\n", "\ufeffd", "\x85e")) == ("a", "b", "c", "d", "\x85e")


def test_a_glob_of_many_stars_takes_no_time() -> None:
    assert not globs.matches("*a" * 40 + "b", "a" * 400)


@given(st.text(st.sampled_from("ab/*?."), max_size=8), st.text(st.sampled_from("ab/."), max_size=8))
def test_globs_are_what_their_words_say(glob: str, path: str) -> None:
    import re

    pattern = "".join({"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "."}.get(t) or re.escape(t)
                      for t in re.findall(r"\*\*/|\*\*|.", glob))  # fmt: skip
    assert globs.matches(glob, path) is (re.fullmatch(pattern, path, re.DOTALL) is not None)
