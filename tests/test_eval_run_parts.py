"""The small parts of a run of evals: words of the command, argv of the agent, the end of a session, the result's files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.errors import EnvironmentFault, UsageFault
from shipmoor_hooks.evals import result_files
from shipmoor_hooks.evals.agent_command import Task, argv_of, granted, variables, wants_prompt
from shipmoor_hooks.evals.definitions import CaseDefinition, Grader, Verdict
from shipmoor_hooks.evals.result_document import CaseResult, SampleResult, SuiteResult, document, folder_name, text_of
from shipmoor_hooks.evals.result_page import page
from shipmoor_hooks.evals.run_options import RunOptions, call_of, parse, with_option, without_options
from shipmoor_hooks.evals.session_end import SessionEnd, session_end
from shipmoor_hooks.evals.stand_in import stand_in
from shipmoor_hooks.model import Suite

EVAL = ("claude", "plugin", "eval")

# ---------------------------------------------------------------- the command's words


@pytest.mark.parametrize(
    ("words", "options"),
    [
        pytest.param("", RunOptions(), id="nothing said"),
        pytest.param("sub/plugin", RunOptions(target="sub/plugin"), id="a target"),
        pytest.param("--runs 1 --threshold 0.5", RunOptions(runs=1, threshold=0.5), id="numbers"),
        pytest.param("--threshold 0", RunOptions(threshold=0.0), id="a threshold of nothing"),
        pytest.param("--runs=2 -j 4", RunOptions(runs=2, concurrency=4), id="other spellings"),
        pytest.param("--runs 1 --runs 3", RunOptions(runs=3), id="the last one wins"),
        pytest.param("--allow-tools Bash Write --runs 1", RunOptions(runs=1, allow_tools=("Bash", "Write")), id="several"),
        pytest.param("--allow-tools Bash,Write", RunOptions(allow_tools=("Bash", "Write")), id="commas"),
        pytest.param("--allow-tools Bash(git:*,x) Bash", RunOptions(allow_tools=("Bash(git:*,x)", "Bash")), id="a pattern"),
        pytest.param("--tag a --tag b c", RunOptions(tags=("a", "b", "c")), id="tags add up"),
        pytest.param("--scaffold --trust-plugin --no-publish", RunOptions(scaffold=True), id="flags"),
        pytest.param("--scaffold --no-scaffold", RunOptions(), id="no wins over scaffold"),
        pytest.param("--json", RunOptions(json_path="-"), id="JSON to stdout"),
        pytest.param("--json out.json", RunOptions(json_path="out.json"), id="JSON to a file"),
        pytest.param("--json sub", RunOptions(json_path="-", target="sub"), id="JSON to stdout, and a target"),
        pytest.param("--max-cost-usd 0", RunOptions(max_cost=0.0), id="a ceiling of nothing"),
        pytest.param("--ablation none", RunOptions(), id="one arm"),
        pytest.param("-- --odd", RunOptions(target="--odd"), id="behind --"),
    ],
)  # fmt: skip
def test_the_words_mean_what_the_program_means(words: str, options: RunOptions) -> None:
    assert parse(words.split()) == options


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param("--zzz", "--zzz is not an option", id="unknown"),
        pytest.param("--runs", "--runs needs a value", id="no value"),
        pytest.param("--runs 0", "--runs takes a whole number from 1", id="no samples"),
        pytest.param("--runs 1.5", "--runs takes a whole number", id="half a sample"),
        pytest.param("-j 9", "--concurrency takes a whole number from 1 to 8", id="too many at once"),
        pytest.param("--threshold 2", "--threshold takes a number from 0 to 1", id="above 1"),
        pytest.param("--threshold nan", "--threshold takes a number", id="no number"),
        pytest.param("--max-cost-usd inf", "--max-cost-usd takes a number", id="no ceiling"),
        pytest.param("--max-cost-usd -1", "--max-cost-usd takes a number", id="a negative ceiling"),
        pytest.param("a b", "one target", id="two targets"),
        pytest.param("--ablation with-without", "only --ablation none", id="another arm"),
    ],
)
def test_words_that_cannot_be_used(words: str, said: str) -> None:
    with pytest.raises(UsageFault, match=said):
        parse(words.split())


def test_an_option_is_set_in_place_of_what_was_said() -> None:
    command = (*EVAL, ".", "--runs", "1", "--allow-tools", "Bash", "Write", "--scaffold")
    assert with_option(command, "--runs", "5") == (
        *EVAL,
        ".",
        "--allow-tools",
        "Bash",
        "Write",
        "--scaffold",
        "--runs",
        "5",
    )
    assert without_options(command, "--scaffold", "--runs") == (*EVAL, ".", "--allow-tools", "Bash", "Write")
    many = (*EVAL, "--allow-tools", "Bash", "--case", "a", ".")
    assert parse(with_option(many, "--allow-tools", "Read", "Edit")[3:]) == RunOptions(
        allow_tools=("Read", "Edit"), case="a"
    )


@given(st.lists(st.sampled_from(["--runs 2", "--scaffold", "--allow-tools A B", "--case x", "--tag t", "--keep-temp"])))
def test_setting_an_option_changes_nothing_else(words: list[str]) -> None:
    command = (*EVAL, ".", *" ".join(words).split())
    before, after = parse(command[3:]), parse(with_option(command, "--model", "m")[3:])
    assert replace(after, model=None) == before
    assert after.model == "m"


@pytest.mark.parametrize(
    ("command", "agent", "replaced"),
    [
        pytest.param((*EVAL, "."), ("a",), True, id="the agent stands in"),
        pytest.param(("/opt/bin/claude", "plugin", "eval"), ("a",), True, id="by whatever path"),
        pytest.param(("env", "X=1", "npx", *EVAL, "."), ("a",), True, id="behind launchers"),
        pytest.param((*EVAL, "."), (), False, id="no agent"),
        pytest.param(("pytest", "-q"), ("a",), False, id="another runner"),
        pytest.param(("claude", "plugin"), ("a",), False, id="another command"),
    ],
)
def test_who_is_started(command: tuple[str, ...], agent: tuple[str, ...], replaced: bool) -> None:
    started = stand_in(Suite("evals", command, agent=agent), command)
    assert (started != command) is replaced
    assert (call_of(command) is not None) is (command[-1] in (".", "eval"))
    if replaced:
        assert started[started.index("--") + 1 :] == command[command.index("eval") + 1 :]
        assert (started[:2] == ("env", "X=1")) is (command[0] == "env")


# ---------------------------------------------------------------- the agent's argv

TASK = Task("do {model} it", model="m", tools=("Read", "Bash"), max_turns=3, plugin="/p", sample=2)


@pytest.mark.parametrize(
    ("agent", "argv"),
    [
        pytest.param(["agent"], ["agent"], id="nothing to fill"),
        pytest.param(["agent", "-p", "{prompt}"], ["agent", "-p", "do {model} it"], id="a prompt is data"),
        pytest.param(["agent", "--tools={tools}"], ["agent", "--tools=Read,Bash"], id="inside a word"),
        pytest.param(["agent", "--model", "{model}"], ["agent", "--model", "m"], id="an option"),
        pytest.param(
            ["agent", "--system", "{system_prompt}", "-x"], ["agent", "-x"], id="an option without a value goes"
        ),
        pytest.param(["agent", "word", "{system_prompt}"], ["agent", "word"], id="an operand before it stays"),
        pytest.param(["./bin/agent", "../up"], ["/srv/plugin/bin/agent", "/srv/up"], id="paths from the plugin"),
        pytest.param(["agent", "{other}"], ["agent", "{other}"], id="no placeholder of ours"),
    ],
)
def test_placeholders(agent: list[str], argv: list[str]) -> None:
    assert list(argv_of(agent, TASK, "/srv/plugin")) == argv
    assert wants_prompt(agent) is ("{prompt}" in agent)


def test_the_variables_say_the_same() -> None:
    told = variables(TASK)
    assert (told["SHIPMOOR_HOOKS_EVAL_TOOLS"], told["SHIPMOOR_HOOKS_EVAL_SAMPLE"]) == ("Read,Bash", "2")
    assert "do" not in " ".join(told.values())


@pytest.mark.parametrize(
    ("allowed", "grants", "given"),
    [
        pytest.param(["Read", "Agent"], [], ("Read", "Agent"), id="tools that change nothing need no grant"),
        pytest.param(["Read", "Bash", "Write"], ["Bash"], ("Read", "Bash"), id="the others do"),
        pytest.param(["Read"], ["Bash", "Read"], ("Read",), id="a grant alone gives nothing"),
        pytest.param(["Bash(git:*)", "Bash"], ["Bash"], ("Bash(git:*)", "Bash"), id="by the tool's name"),
    ],
)
def test_a_tool_needs_the_case_and_the_grant(allowed: list[str], grants: list[str], given: tuple[str, ...]) -> None:
    assert granted(allowed, grants) == given


# ---------------------------------------------------------------- the end of a session


def stream(*records: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(r, ensure_ascii=False).encode() for r in records)


RESULT = {"type": "result", "num_turns": 2, "total_cost_usd": 0.25}


@pytest.mark.parametrize(
    ("trace", "end"),
    [
        pytest.param(b"", SessionEnd(), id="nothing"),
        pytest.param(b"\xff\nnot json\n[1]\n" + b"[" * 5000, SessionEnd(), id="no records"),
        pytest.param(stream(RESULT), SessionEnd(2, 0.25, has_result=True), id="it ended well"),
        pytest.param(stream({"type": "system", "subtype": "init", "claude_code_version": "1", "model": "m"}),
                     SessionEnd(version="1", model="m"), id="it only began"),
        pytest.param(stream({"type": "assistant", "message": {"id": "a"}}, {"type": "assistant", "message": {"id": "a"}},
                            {"type": "assistant", "message": {"id": "s"}, "parent_tool_use_id": "t"}),
                     SessionEnd(turns=1), id="turns of the main agent, where no result counts them"),
        pytest.param(stream(RESULT, RESULT | {"total_cost_usd": 0.5, "num_turns": 3}), SessionEnd(3, 0.5, has_result=True),
                     id="several results: the cost adds up in the last"),
        pytest.param(stream(RESULT | {"num_turns": True, "total_cost_usd": float("inf")}), SessionEnd(has_result=True),
                     id="no numbers"),
        pytest.param(stream(RESULT | {"is_error": True, "result": "API Error: 500", "api_error_status": 500}),
                     SessionEnd(2, 0.25, "API Error: 500", is_api_error=True, has_result=True), id="the service failed"),
        pytest.param(stream(RESULT | {"is_error": True, "subtype": "error_x"}), SessionEnd(2, 0.25, "error_x", has_result=True),
                     id="an error without a text"),
    ],
)  # fmt: skip
def test_the_end_of_a_session(trace: bytes, end: SessionEnd) -> None:
    assert session_end(trace) == end


# ---------------------------------------------------------------- the result


def case(*graders: Grader, name: str = "c", runs: int = 3) -> CaseDefinition:
    return CaseDefinition(name, f"evals/{name}", "case_yaml", "hello", graders, runs=runs)


def taken(*passed: bool | None, error: str = "") -> SampleResult:
    return SampleResult(1e9, 1.4, 2, 0.5, error, "/t", tuple(Verdict(p, "why") for p in passed))


def result(*cases: CaseResult, **options: Any) -> SuiteResult:
    plugins = ({"name": "p", "version": "1", "path": "/p"},)
    return SuiteResult("/p", "2.1.328", 1_700_000_000.25, 9.6, cases, RunOptions(**options), plugins)


REGEX = Grader("says", "regex", {"pattern": "x"})
NO_AGENT = Grader("no-agent", "tool_used", {"tool": "Agent", "min": 0, "max": 0})
# The keys of the real program's file, schema version 1 (FORMAT 6 of its description), sorted, those with ? left out.
KEYS = {
    "": "schemaVersion claudeVersion startedAt durationSeconds costUsd partial suite cases aggregates",
    "suite": "root ablation threshold concurrency plugins",
    "case": "name dir source promptMarkdown runsPerCase timeoutSeconds maxTurns graders arms aggregates",
    "grader": "name type weight config",
    "sample": "score passed turns costUsd judgeCostUsd durationSeconds startedAt error tracePath skippedPaidGraders graders",
    "verdict": "name passed weight explanation withOnly scored",
    "aggregates": "casesTotal casesPassed overallScore overallPassRate",
}


def test_the_result_has_exactly_the_programs_keys() -> None:
    whole: Any = document(result(CaseResult(case(REGEX), (taken(True),))))
    sample = whole["cases"][0]["arms"]["with"][0]
    found = {
        "": whole, "suite": whole["suite"], "case": whole["cases"][0], "grader": whole["cases"][0]["graders"][0],
        "sample": sample, "verdict": sample["graders"][0], "aggregates": whole["aggregates"],
    }  # fmt: skip
    assert {name: " ".join(keys) for name, keys in found.items()} == KEYS
    assert whole["startedAt"] == "2023-11-14T22:13:20.250Z"
    assert folder_name(1_700_000_000.25) == "2023-11-14T22-13-20-250Z"
    assert (whole["durationSeconds"], sample["durationSeconds"], whole["cases"][0]["runsPerCase"]) == (10, 1, 3)


def test_what_was_asked_for_stands_in_the_result() -> None:
    done = replace(result(case="a*", tags=("t",), model="m", judge_model="j"), partial="cost_ceiling")
    whole: Any = document(done)
    assert (whole["partial"], whole["partialReason"]) == (True, "cost_ceiling")
    assert {k: whole["suite"][k] for k in ("caseFilter", "tagFilters", "modelOverride", "judgeModel")} == {
        "caseFilter": "a*", "tagFilters": ["t"], "modelOverride": "m", "judgeModel": "j",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("weights", "passed", "score", "green"),
    [
        pytest.param([1, 1], [True, True], 1, True, id="all"),
        pytest.param([1, 1], [True, False], 0.5, False, id="one of two"),
        pytest.param([0.3, 0.2, 0.1], [True, False, False], 0.3 / (0.3 + 0.2 + 0.1), False, id="doubles in the graders' order"),
        pytest.param([1, 1e-16], [True, False], 1, True, id="as the program: what weighs nothing changes nothing"),
        pytest.param([float("inf")], [True], None, False, id="no number is null"),
        pytest.param([1, 1], [True, None], 0.5, False, id="no verdict is no pass"),
    ],
)  # fmt: skip
def test_scores(weights: list[float], passed: list[bool | None], score: float | None, green: bool) -> None:
    graders = [Grader(f"g{n}", "regex", {"pattern": "x"}, weight) for n, weight in enumerate(weights)]
    sample: Any = document(result(CaseResult(case(*graders), (taken(*passed),))))["cases"]
    assert (sample[0]["arms"]["with"][0]["score"], sample[0]["arms"]["with"][0]["passed"]) == (score, green)


def test_the_threshold_decides_cases_and_nothing_else() -> None:
    half = CaseResult(case(REGEX, NO_AGENT), (taken(True, False), taken(True, True)))
    low: Any = document(result(half, threshold=0.75))
    assert low["aggregates"] == {"casesTotal": 1, "casesPassed": 1, "overallScore": 0.75, "overallPassRate": 0.5}
    assert document(result(half, threshold=0.76))["aggregates"]["casesPassed"] == 0  # type: ignore[index]


def test_configs_stand_as_the_program_writes_them() -> None:
    graders = (
        REGEX, replace(NO_AGENT, arm="both"), Grader("o", "tool_order", {"before": "Bash", "after": {"tool": "Read"}}),
        Grader("f", "file_exists", {"path": "a"}), Grader("j", "llm", {"criteria": "good"}),
    )  # fmt: skip
    cases: Any = document(result(CaseResult(case(*graders), (taken(True, True, True, True, None),))))["cases"]
    assert [g["config"] for g in cases[0]["graders"]] == [
        {"target": "last_message", "pattern": "x", "flags": "", "match": "contains"},
        {"tool": "Agent", "min": 0, "max": 0, "arm": "both"},
        {"before": {"tool": "Bash"}, "after": {"tool": "Read"}},
        {"path": "a", "exists": True},
        {"criteria": "good", "focus": "last_message"},
    ]
    assert cases[0]["graders"][4]["graderMarkdown"] == "good"
    assert cases[0]["arms"]["with"][0]["skippedPaidGraders"] is True


def test_a_sample_without_verdicts_is_written_as_such() -> None:
    cases: Any = document(result(CaseResult(case(REGEX), (SampleResult(1.0, 0.0, error="scaffold failed"),))))["cases"]
    sample = cases[0]["arms"]["with"][0]
    assert (sample["score"], sample["passed"], sample["graders"], sample["tracePath"]) == (0, False, [], "")


def test_names_in_the_page_are_data() -> None:
    evil = case(replace(REGEX, name="<script>alert(1)</script>"), name='"><img src=x onerror=alert(1)>\u202e')
    text = page(result(CaseResult(evil, (taken(True, error="<b>\x1b[31m"),))))
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "default-src 'none'" in text
    assert "http" not in text.replace("http-equiv", "")


def test_the_files_are_written_whole(tmp_path: Path) -> None:
    document_text = text_of(result(CaseResult(case(REGEX, name="\ud800é"), (taken(True),))))
    report = result_files.write(str(tmp_path / "a" / "b"), document_text, "<p>\ud800")
    assert json.loads((tmp_path / "a" / "b" / "aggregate-result.json").read_bytes())["cases"][0]["name"] == "\ud800é"
    assert Path(report).name == "report.html"
    assert sorted(p.name for p in (tmp_path / "a" / "b").iterdir()) == ["aggregate-result.json", "report.html"]
    assert result_files.write(str(tmp_path), document_text, "x", str(tmp_path / "page.html")).endswith("page.html")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        result_files.write_file(str(tmp_path / "file" / "x"), "text")
