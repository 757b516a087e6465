"""`eval grade`, `eval regrade` and `eval label` in a repository with recorded traces."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from repo_builder import RepoBuilder
from trace_world import said, trace_of, used

from shipmoor_hooks.cli import main as cli
from shipmoor_hooks.error_handler import guarded
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.store import records, trace_store
from shipmoor_hooks.store.record_model import Label, Regrade
from shipmoor_hooks.store.trace_store import FAULT, RUN, KeptTrace

POLICY = '[suite.evals]\ncommand = "claude plugin eval . --trust-plugin"\nformat = "plugin-eval"\n'
NO_AGENT = {"name": "no-agent", "type": "tool_used", "tool": "Agent", "min": 0, "max": 0}


def says(pattern: str) -> dict[str, object]:
    return {"name": "says-pass", "type": "regex", "pattern": pattern}


def case_file(name: str, graders: Sequence[Mapping[str, object]]) -> str:
    rows = "".join(f"  - {json.dumps(g)}\n" for g in graders)
    return f'schema_version: "1.1"\nname: {name}\nexecution: {{prompt: go}}\ngraders:\n{rows}'


@dataclass
class Suite:
    """A plugin with two cases, `good` and `bad`, and recorded replies."""

    repo: RepoBuilder
    capfd: pytest.CaptureFixture[str]
    count: int = 0

    @property
    def common(self) -> str:
        return str(self.repo.path / ".git")

    def call(self, *words: str) -> tuple[int, str, str]:
        code = guarded(lambda: cli.run(["-C", str(self.repo.path), *words]), os.environ)
        done = self.capfd.readouterr()
        return code, done.out, done.err

    def json(self, *words: str) -> tuple[int, Any]:
        code, out, err = self.call(*words, "--format", "json")
        assert out, err
        return code, json.loads(out)

    def change(self, *graders: Mapping[str, object], case: str = "good") -> None:
        self.repo.write(f"evals/{case}/case.yaml", case_file(case, graders))

    def keep(self, reply: str, case: str = "good", *, passed: bool | None = True, kind: str = RUN) -> str:
        self.count += 1
        about = KeptTrace("", "evals", case, f"r{self.count}", 1, 1000.0 + self.count, kind, "e", passed)
        return trace_store.keep(self.common, about, trace_of(used("Bash"), said(reply)), Workspace((), {}))

    def record(self) -> Regrade:
        found, broken = records.every(self.common, Regrade)
        assert not broken
        return found[-1]


@pytest.fixture
def suite(repo: RepoBuilder, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.chdir(repo.path)
    made = Suite(repo, capfd)
    made.change(says("PASS"), NO_AGENT)
    made.change({**says("FAIL"), "name": "says-fail"}, NO_AGENT, case="bad")
    repo.commit("Plugin", files={"shipmoor-hooks.toml": POLICY, ".claude-plugin/plugin.json": '{"name": "probe"}\n'})
    return made


# ---------------------------------------------------------------- one grader over one trace


@pytest.fixture
def one(suite: Suite, tmp_path: Path) -> Any:
    def ask(grader: object, *more: str, trace: bytes | None = None) -> tuple[int, str, str]:
        (tmp_path / "g.json").write_text(grader if isinstance(grader, str) else json.dumps(grader))
        (tmp_path / "t.jsonl").write_bytes(trace if trace is not None else trace_of(used("Bash"), said("It PASSED.")))
        words = ("--grader", str(tmp_path / "g.json"), "--trace", str(tmp_path / "t.jsonl"))
        return suite.call("eval", "grade", *words, "--format", "json", *more)

    return ask


@pytest.mark.parametrize(
    ("grader", "passed", "words"),
    [
        pytest.param({"type": "regex", "pattern": "PASS"}, True, "matched PASS", id="a pattern"),
        pytest.param({"type": "tool_used", "tool": "Agent"}, False, "Agent called 0x (expected 1..∞)", id="a tool"),
        pytest.param({"type": "llm", "criteria": "nice"}, None, "not graded: needs a judge", id="a judge"),
        pytest.param({"type": "file_exists", "path": "a"}, None, None, id="files that nobody listed"),
    ],
)
def test_one_grader_over_one_trace(one: Any, grader: object, passed: bool | None, words: str | None) -> None:
    code, out, _ = one(grader)
    said_ = json.loads(out)
    assert said_["passed"] is passed
    assert words in (None, said_["explanation"])
    assert code == (3 if passed is None else 0)


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param('["docs/a.md"]', id="a JSON list"),
        pytest.param('{"files_created": ["docs/a.md"]}', id="a JSON object"),
        pytest.param("x\ndocs/a.md\n", id="lines"),
        pytest.param("x\0docs/a.md\0", id="names that end in NUL"),
    ],
)
def test_created_files_and_the_workspace_are_given(one: Any, tmp_path: Path, listed: str) -> None:
    (tmp_path / "made").write_text(listed)
    (tmp_path / "left/docs").mkdir(parents=True)
    (tmp_path / "left/docs/a.md").write_text("# A\n")
    (tmp_path / "left/out").symlink_to(tmp_path / "made")
    more = ("--created", str(tmp_path / "made"), "--workspace", str(tmp_path / "left"))
    assert json.loads(one({"type": "file_exists", "path": "**/a.md"}, *more)[1])["passed"] is True
    text = {"type": "regex", "pattern": "^# A", "target": {"source": "file", "path": "../cwd/docs/a.md"}}
    assert json.loads(one(text, *more)[1])["passed"] is True
    outside = {"type": "regex", "pattern": "", "target": {"source": "file", "path": "out"}}
    assert "escapes the run sandbox" in json.loads(one(outside, *more)[1])["explanation"]


@pytest.mark.parametrize(
    "grader",
    [
        pytest.param("{", id="no JSON"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param([1], id="no object"),
        pytest.param({"type": "regexp"}, id="an unknown type"),
        pytest.param({"type": "regex"}, id="no pattern"),
        pytest.param({"type": "regex", "pattern": "a", "flags": "x"}, id="an unknown flag"),
        pytest.param({"type": "regex", "pattern": "a", "match": "count:x"}, id="a match of no kind"),
        pytest.param({"type": "tool_used", "tool": "a", "min": 0.5}, id="half a call"),
        pytest.param({"type": "tool_used", "tool": "a", "minimum": 1}, id="an unknown key"),
        pytest.param('{"type": "regex", "pattern": "a", "weight": NaN}', id="a weight of NaN"),
    ],
)
def test_a_malformed_grader_is_one_clear_line(one: Any, grader: object) -> None:
    code, out, err = one(grader)
    assert (code, out) == (2, "")
    assert err.count("\n") <= 2
    assert "g.json" in err


def test_a_hostile_trace_is_no_verdict(one: Any) -> None:
    for data in (b"", b"\xff\xfe\x00", b"[" * 200_000, trace_of('{"type":"assistant"', said("PASS"))):
        code, out, _ = one({"type": "regex", "pattern": "PASS", "match": "not_contains"}, trace=data)
        assert (code, json.loads(out)["passed"]) == (3, None)


def test_a_missing_trace_is_told(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text('{"type": "regex", "pattern": "a"}')
    code, _, err = suite.call("eval", "grade", "--grader", str(tmp_path / "g.json"), "--trace", "nowhere")
    assert code == 3
    assert "nowhere cannot be read" in err


# ---------------------------------------------------------------- all graders of a case


def test_the_kept_traces_of_a_case_are_graded(suite: Suite) -> None:
    suite.keep("all PASS")
    suite.keep("it passed", passed=False)
    code, found = suite.json("eval", "grade", "--case", "good")
    assert code == 0
    assert [(t["passed"], t["score"]) for t in found["traces"]] == [(True, 1.0), (False, 0.5)]
    assert [g["name"] for g in found["traces"][0]["graders"]] == ["says-pass", "no-agent"]


def test_a_trace_is_named_by_its_first_digits_or_by_its_file(suite: Suite, tmp_path: Path) -> None:
    sha = suite.keep("all PASS")
    (tmp_path / "t.jsonl").write_bytes(trace_of(said("FAIL")))
    assert suite.json("eval", "grade", sha[:10])[1]["traces"][0]["case"] == "good"
    found = suite.json("eval", "grade", str(tmp_path / "t.jsonl"), "--case", "bad")[1]
    assert found["traces"][0]["passed"] is True
    code, out, _ = suite.call("eval", "grade", str(tmp_path / "t.jsonl"), "--case", "bad")
    assert (code, out.splitlines()[0].split()[:2]) == (0, ["passed", "bad"])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param((), 2, id="nothing named"),
        pytest.param(("--case", "good"), 3, id="no trace kept"),
        pytest.param(("--case", "nope"), 3, id="no such case"),
        pytest.param(("deadbeef",), 3, id="no such trace"),
        pytest.param(("shipmoor-hooks.toml",), 2, id="a file without a case"),
        pytest.param(("shipmoor-hooks.toml", "--case", "nope"), 2, id="a file and no such case"),
    ],
)
def test_what_cannot_be_graded_says_so(suite: Suite, words: tuple[str, ...], code: int) -> None:
    assert suite.call("eval", "grade", *words)[0] == code


# ---------------------------------------------------------------- regrade


def recorded(suite: Suite) -> None:
    """Three replies of `good`, one of which said it in lower case and fell, a fault that made it fail, and one of `bad`."""
    suite.keep("all PASS")
    suite.keep("PASSED")
    suite.keep("it passed", passed=False)
    suite.keep("FAIL: broken", passed=False, kind=FAULT)
    suite.keep("FAIL, did not pass", "bad")


WIDER = r"\b[Pp][Aa][Ss][Ss]"


def test_both_counts_and_the_cross_table_are_kept(suite: Suite) -> None:
    recorded(suite)
    suite.change(says(WIDER), NO_AGENT)
    code, found = suite.json("eval", "regrade", "--old", "HEAD")
    assert code == 0
    (row,) = found["regrades"]
    assert (row["case"], row["graders"], row["stands"]) == ("good", ["says-pass"], True)
    table = {(t["grader"], t["what"], t["case"]): (t["old"], t["new"], t["of"]) for t in row["table"]}
    assert table["says-pass", "green", None] == (2, 2, 2)
    assert table["says-pass", "red", None] == (0, 1, 1)
    assert table["says-pass", "fault", None] == (0, 0, 1)
    assert table["says-pass", "other", "bad"] == (0, 1, 1)
    assert table["says-pass", "unlabelled", None] == (2, 3, 3)
    assert table[None, "red", None] == (0, 1, 1)
    stored = suite.record()
    assert stored.key == f"{suite.repo.git('rev-parse', 'HEAD:evals/good')}..{row['new']}"
    suite.repo.commit("Wider")
    assert row["new"] == suite.repo.git("rev-parse", "HEAD:evals/good")


def test_it_is_told_in_words(suite: Suite) -> None:
    recorded(suite)
    suite.change(says(WIDER), NO_AGENT)
    out = suite.call("eval", "regrade", "good")[1]
    assert "says-pass: old 2 of 3, new 3 of 3; matches 1 of 1 of the other cases' replies (before: 0)" in out


def test_two_revisions_are_compared(suite: Suite) -> None:
    recorded(suite)
    suite.change(says(WIDER), NO_AGENT)
    suite.repo.commit("Wider")
    code, found = suite.json("eval", "regrade", "--old", "HEAD~1", "--new", "HEAD")
    assert (code, len(found["regrades"])) == (0, 1)


def test_without_a_trace_nothing_is_shown(suite: Suite) -> None:
    suite.keep("FAIL", "bad")
    suite.change(says(WIDER), NO_AGENT)
    code, _, err = suite.call("eval", "regrade")
    assert code == 3
    assert "rests on no trace" in err


def test_a_reply_labelled_wrong_that_is_newly_taken_does_not_stand(suite: Suite) -> None:
    recorded(suite)
    wrong = trace_store.digest(trace_of(used("Bash"), said("it passed")))
    assert suite.call("eval", "label", wrong[:12], "wrong", "--reason", "it did not run")[0] == 0
    suite.change(says(WIDER), NO_AGENT)
    code, _, err = suite.call("eval", "regrade")
    assert code == 1
    assert "labelled wrong" in err
    assert suite.record().newly_wrong == (wrong,)
    assert suite.call("eval", "label", wrong[:12], "correct")[0] == 0  # the newest label counts
    assert suite.call("eval", "regrade")[0] == 0


def test_a_known_negative_must_still_split_from_its_known_positive(suite: Suite) -> None:
    recorded(suite)
    suite.change(says("[Pp]ass|PASS|FAIL"), NO_AGENT)
    code, found = suite.json("eval", "regrade")
    assert code == 1
    assert len(found["regrades"][0]["newly_fault"]) == 1
    assert "fault" in found["regrades"][0]["why"]


def test_nothing_changed_is_nothing_to_grade(suite: Suite) -> None:
    recorded(suite)
    code, _, err = suite.call("eval", "regrade")
    assert code == 0
    assert "nothing to re-grade" in err
    assert not records.every(suite.common, Regrade)[0]


def test_a_judge_s_grader_has_no_verdict_in_the_table(suite: Suite) -> None:
    recorded(suite)
    suite.change(says("PASS"), NO_AGENT, {"name": "nice", "type": "llm", "criteria": "nice"})
    found = suite.json("eval", "regrade")[1]
    rows = {(t["grader"], t["what"]): t for t in found["regrades"][0]["table"]}
    assert rows["nice", "green"]["ungraded"] == 2
    assert rows["nice", "green"]["new"] == 0


def test_a_damaged_trace_is_named_and_left_out(suite: Suite) -> None:
    recorded(suite)
    sha = trace_store.digest(trace_of(used("Bash"), said("PASSED")))
    Path(suite.common, "shipmoor-hooks/traces/blobs", sha).write_bytes(b"x")
    suite.change(says(WIDER), NO_AGENT)
    code, out, err = suite.call("eval", "regrade")
    assert code == 0
    assert sha[:12] in err
    assert "new 2 of 2" in out


def test_a_case_that_is_on_one_side_only_is_told(suite: Suite) -> None:
    suite.change(says("x"), case="newer")
    assert suite.call("eval", "regrade", "newer")[0] == 2


# ---------------------------------------------------------------- label


@pytest.mark.parametrize(
    ("trace", "word", "code"),
    [
        pytest.param("kept", "correct", 0, id="correct"),
        pytest.param("kept", "wrong", 0, id="wrong"),
        pytest.param("kept", "perhaps", 2, id="another word"),
        pytest.param("deadbeef", "wrong", 3, id="no such trace"),
    ],
)
def test_a_reply_is_labelled(suite: Suite, trace: str, word: str, code: int) -> None:
    sha = suite.keep("all PASS")
    assert suite.call("eval", "label", sha[:8] if trace == "kept" else trace, word)[0] == code
    labels = records.every(suite.common, Label)[0]
    assert [(row.case, row.trace, row.label) for row in labels] == ([("good", sha, word)] if not code else [])
