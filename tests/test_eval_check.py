"""`eval check`: each lint with a known positive, and none of them where nothing is wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from repo_builder import RepoBuilder

from shipmoor_hooks.evals.case_files import FolderFiles
from shipmoor_hooks.evals.check.pattern_shape import MOST_ATTACKS, attacks, is_torn, literals, sample
from shipmoor_hooks.evals.check.pattern_syntax import parse as parse_pattern
from shipmoor_hooks.evals.check.scaffold import writes_outside
from shipmoor_hooks.evals.checking import RULES, Checked, check
from shipmoor_hooks.evals.regex_engine import RegexEngine
from shipmoor_hooks.model import Suite
from shipmoor_hooks.policy import parse

SCHEMA = Path(__file__).parent.parent / "docs" / "schemas" / "eval-check-1.schema.json"
COMMAND = "claude plugin eval . --scaffold --allow-tools Bash Write --ablation none"
GUARDS = """\
  - {name: no-agent, type: tool_used, tool: Agent, min: 0, max: 0}
  - {name: no-write, type: tool_used, tool: Write, min: 0, max: 0}
  - {name: no-bash-write, type: tool_used, tool: Bash, input_match: '>|\\btee\\b', min: 0, max: 0}
"""
ASKS = "  - {name: ran, type: tool_used, tool: Bash, input_match: 'validator\\.mjs'}\n"
HEAD = """\
schema_version: "1.1"
name: NAME
runs: 1
execution:
  prompt: '/ship:plan'
  allowed_tools: [Bash, Read, Write, Agent]
"""


def text(graders: str = ASKS + GUARDS, name: str = "plan", more: str = "") -> str:
    return f"{HEAD.replace('NAME', name)}{more}graders:\n{graders}"


def with_grader(line: str) -> dict[str, str]:
    return {"evals/plan/case.yaml": text(f"{ASKS}  - {line}\n{GUARDS}")}


def suite(lines: str = "", command: str = COMMAND) -> Suite:
    document = f'[suite.evals]\nformat = "plugin-eval"\ncommand = "{command}"\n{lines}\n'
    return parse(document.encode(), "shipmoor-hooks.toml").suites["evals"]


@pytest.fixture(scope="module")
def engine() -> Iterator[RegexEngine]:
    with RegexEngine(1.0) as started:
        yield started


def checked(
    top: Path, files: Mapping[str, str], engine: RegexEngine, policy: Suite | None = None, **how: object
) -> Checked:
    for name, content in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return check(FolderFiles(str(top)), engine, suite=policy or suite(), **how)  # type: ignore[arg-type]


def rules(found: Checked) -> list[str]:
    return [f.rule for f in (*found.findings, *found.notes)]


CLEAN = {
    "evals/plan/case.yaml": text(),
    "evals/plan/scaffold.sh": "mkdir -p proj\ncat > proj/a.md <<'END'\n> quoted ~/x\nEND\n",
    ".claude-plugin/plugin.json": '{"name": "ship"}',
    "commands/plan.md": "Print: A brief is required\n",
}


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({}, id="the case that the others change"),
        pytest.param(with_grader(r"{name: g, type: regex, pattern: 'A brief is required'}"), id="a reply that prose makes"),
        pytest.param(with_grader(r"{name: g, type: regex, target: trace, pattern: 'code\W{1,12}REVIEW_[A-Z_]+'}"),
                     id="a code in the trace"),
        pytest.param(with_grader("{name: g, type: regex, target: trace, pattern: '\"name\":\"Write\"'}"),
                     id="a call in the trace"),
        pytest.param(with_grader(r"{name: g, type: regex, pattern: '(?<!\b[Nn][Oo][Tt] )(?<!n''t )\bPASS(?:ED)?\b'}"),
                     id="a verdict that refuses a not"),
        pytest.param(with_grader(r"{name: g, type: tool_used, tool: Bash, input_match: 'intent\.mjs[^\n]*--check'}"),
                     id="a class without the line feed"),
        pytest.param(with_grader("{name: g, type: file_exists, path: '**/plan.md', exists: false}"), id="no plan"),
        pytest.param(with_grader("{name: g, type: tool_used, tool: mcp__plugin_ship_x__do}"), id="a server's tool"),
        pytest.param(with_grader(r"{name: g, type: regex, pattern: '^(?:\w+[,;] )*\w+[!.]$', flags: m}"), id="a list"),
        pytest.param({"evals/plan/case.yaml": text(more="context: {scaffold_script: scaffold.sh}\n")}, id="a scaffold"),
        pytest.param({"evals/pins/plan.jsonl": ""}, id="no pin yet"),
    ],
)  # fmt: skip
def test_what_is_right_is_clean(tmp_path: Path, engine: RegexEngine, files: dict[str, str]) -> None:
    found = checked(tmp_path, CLEAN | files, engine, tmpdir="/srv/x", ignored=lambda _: True)
    assert [*found.faults, *found.findings, *found.notes] == []


POSITIVES = [
    pytest.param({"evals/plan/case.yaml": text(GUARDS)}, "only-negative", id="only negative graders"),
    pytest.param({"evals/b/case.yaml": text()}, "equal-names", id="equal names"),
    pytest.param({"evals/plan/case.yaml": text(more="threshold: 1\n")}, "unknown-key", id="an unknown key"),
    pytest.param({"evals/plan/case.yaml": text() + "graders:\n" + ASKS + GUARDS}, "duplicate-key", id="graders twice"),
    pytest.param({"evals/x/case.yml": text()}, "not-seen", id="a file that is not seen"),
    pytest.param({"evals/plan/graders/x.md": "type: regex"}, "not-seen", id="a grader without front matter"),
    pytest.param(with_grader("{name: g, type: regex, pattern: x, weight: 1.0e-16}"), "weight", id="a weight too small"),
    pytest.param(with_grader("{name: g, type: regex, pattern: x, weight: .inf}"), "weight", id="an infinite weight"),
    pytest.param(with_grader("{name: g, type: file_exists, path: '/etc/x', exists: false}"), "path-outside",
                 id="an absolute path"),
    pytest.param(with_grader("{name: g, type: file_exists, path: '../x'}"), "path-outside", id="a path that leaves"),
    pytest.param(with_grader("{name: g, type: regex, pattern: x, target: {source: file, path: ../../x}}"),
                 "path-outside", id="a target that leaves"),
    pytest.param(with_grader("{name: g, type: file_exists, path: '*.{md,txt}'}"), "glob-literal", id="braces in a glob"),
    pytest.param(with_grader("{name: g, type: regex, match: not_contains, pattern: x, target: {source: file, path: o.md}}"),
                 "file-never-written", id="not_contains on a file that nothing asks for"),
    pytest.param({"evals/plan/case.yaml": text(more="context: {scaffold_script: none.sh}\n")}, "file-missing",
                 id="a scaffold that is not there"),
    pytest.param({"evals/plan/case.yaml": text().replace("allowed_tools", "env: {FOO: x}\n  allowed_tools")}, "env-key",
                 id="an env key"),
    pytest.param({"evals/plan/case.yaml": text().replace("/ship:plan", "node ${CLAUDE_PLUGIN_ROOT}/x")},
                 "plugin-root-in-prompt", id="the plugin's root in a prompt"),
    pytest.param({"evals/plan/case.yaml": text(more="context: {add_dirs: [res]}\n")}, "add-dirs", id="add_dirs"),
    pytest.param(with_grader("{name: g, type: regex, pattern: 'is required to plan'}")
                 | {"lib/x.mjs": "console.log('A brief is required to plan')"}, "reply-of-code", id="a text that code prints"),
    pytest.param(with_grader("{name: g, type: regex, pattern: BRIEF_MISSING_SIGNALS}")
                 | {"lib/x.mjs": "const CODE = 'BRIEF_MISSING_SIGNALS'"}, "reply-of-code", id="a code that code prints"),
    pytest.param(with_grader("{name: g, type: regex, target: mock_calls, pattern: x}"), "mock-calls", id="no mocks"),
    pytest.param(with_grader("{name: g, type: tool_used, tool: Task, min: 0, max: 0}"), "tool-name", id="Task for Agent"),
    pytest.param(with_grader("{name: g, type: tool_used, tool: bash}"), "tool-name", id="a tool in small letters"),
    pytest.param(with_grader("{name: g, type: tool_used, tool: WebFetch}"), "tool-not-granted", id="not granted"),
    pytest.param(with_grader("{name: g, type: tool_order, before: WebFetch, after: Bash}"), "tool-not-granted",
                 id="an order of what is not granted"),
    pytest.param(with_grader("{name: g, type: tool_used, tool: WebFetch, min: 0, max: 0}"), "guard-not-granted",
                 id="a guard of what is not granted"),
    pytest.param(with_grader("{name: g, type: tool_used, tool: Read, max: 0}"), "max-below-min", id="max: 0 alone"),
    pytest.param(with_grader("{name: g, type: tool_used, tool: Read, min: 3, max: 2}"), "max-below-min", id="3..2"),
    pytest.param({"evals/plan/case.yaml": text(ASKS + GUARDS.rpartition("  - ")[0])}, "no-write-by-shell",
                 id="a redirect slips past"),
    pytest.param(with_grader("{name: g, type: tool_order, before: Read, after: Read}"), "order-of-itself", id="itself"),
    pytest.param(with_grader("{name: g, type: regex, pattern: '(?i)x'}"), "pattern-invalid", id="an inline flag"),
    pytest.param(with_grader("{name: g, type: regex, pattern: x, flags: ii}"), "pattern-invalid", id="a flag twice"),
    pytest.param(with_grader("{name: g, type: regex, pattern: '.*'}"), "pattern-always", id="anything"),
    pytest.param(with_grader("{name: g, type: regex, pattern: ''}"), "pattern-always", id="nothing"),
    pytest.param(with_grader("{name: g, type: tool_used, tool: Bash, input_match: '[^x]?'}"), "pattern-always",
                 id="any input"),
    pytest.param(with_grader("{name: g, type: regex, target: trace, pattern: Write}"), "init-record", id="a tool's name"),
    pytest.param(with_grader("{name: g, type: regex, target: trace, pattern: Task, match: not_contains}"), "init-record",
                 id="the tool that Agent is listed as"),
    pytest.param(with_grader("{name: g, type: regex, target: trace, pattern: 'ship:plan'}"), "init-record",
                 id="a command's name"),
    pytest.param(with_grader("{name: g, type: regex, pattern: 'a$b'}"), "pattern-never", id="an end before something"),
    pytest.param(with_grader("{name: g, type: regex, pattern: 'x^y'}"), "pattern-never", id="a start behind something"),
    pytest.param(with_grader("{name: g, type: regex, target: trace, pattern: '\"name\": \"Write\"'}"), "pattern-never",
                 id="a blank in compact JSON"),
    pytest.param(with_grader(r"{name: g, type: tool_used, tool: Bash, input_match: 'a\nb'}"), "pattern-never",
                 id="a line feed in a call's input"),
    pytest.param(with_grader("{name: g, type: regex, pattern: PASS}"), "verdict-negated", id="a raw PASS"),
    pytest.param(with_grader(r"{name: g, type: regex, pattern: '\b[Pp]ass(ed)?\b'}"), "verdict-negated",
                 id="a bounded one"),
    pytest.param(with_grader('{name: g, type: regex, pattern: "\\bx"}'), "control-character", id="a backspace"),
    pytest.param(with_grader(r"{name: g, type: regex, pattern: '^(?:a+)+$'}"), "backtracking", id="plus of plus"),
    pytest.param(with_grader(r"{name: g, type: regex, pattern: '^(\w+\s?)*$'}"), "backtracking", id="words"),
    pytest.param(with_grader(r"{name: g, type: regex, pattern: '(x|x|x)*y'}"), "backtracking", id="equal branches"),
    pytest.param({"evals/plan/case.yaml": text(more="context: {scaffold_script: scaffold.sh}\n"),
                  "evals/plan/scaffold.sh": "echo x > ~/.bashrc\n"}, "scaffold-outside", id="a scaffold that leaves"),
    pytest.param({"evals/pins/plan.jsonl": "{"}, "pin-file", id="pins that are no JSON"),
    pytest.param({"evals/pins/other.jsonl": ""}, "pin-file", id="pins of no case"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "rule"), POSITIVES)
def test_each_fault_is_found_and_only_it(tmp_path: Path, engine: RegexEngine, files: dict[str, str], rule: str) -> None:
    found = checked(tmp_path, CLEAN | files, engine, tmpdir="/srv/x", ignored=lambda _: True)
    assert found.faults == ()
    assert set(rules(found)) == {rule}


@pytest.mark.parametrize(
    ("policy", "files", "how", "rule"),
    [
        pytest.param(suite(command="claude plugin eval . --scaffold --allow-tools Bash"), {}, {}, "guard-not-granted",
                     id="listed and not granted by the command"),
        pytest.param(suite(command="claude plugin eval . --allow-tools Bash Write"),
                     {"evals/plan/case.yaml": text(more="context: {scaffold_script: scaffold.sh}\n")}, {},
                     "scaffold-not-run", id="a command without --scaffold"),
        pytest.param(suite("require = { graders = ['no-web'] }"), {}, {}, "required-grader", id="a grader by name"),
        pytest.param(suite("require = { graders = [{ when = 'no-write', also = 'no-edit' }] }"), {}, {},
                     "required-grader", id="a grader beside another"),
        pytest.param(suite("require = { judge = false }"), with_grader("{name: g, type: llm, criteria: ok}"), {}, "judge",
                     id="a judge"),
        pytest.param(suite("require = { max_seconds = 60 }"), {}, {}, "max-seconds", id="too long"),
        pytest.param(suite(), {}, {"tmpdir": "/tmp/x"}, "tmpdir", id="TMPDIR under /tmp"),
        pytest.param(suite(), {}, {"ignored": lambda _: False}, "results-not-ignored", id="results that git sees"),
    ],
)  # fmt: skip
def test_what_lies_around_the_cases(
    tmp_path: Path, engine: RegexEngine, policy: Suite, files: dict[str, str], how: dict[str, object], rule: str
) -> None:
    found = checked(tmp_path, CLEAN | files, engine, policy, **how)
    assert {f.rule for f in found.findings} == {rule}


def test_no_tool_that_writes_measures_no_absence(tmp_path: Path, engine: RegexEngine) -> None:
    case = text(
        "  - {name: g, type: file_exists, path: x, exists: false}\n  - {name: r, type: tool_used, tool: Read}\n"
    )
    case = case.replace("[Bash, Read, Write, Agent]", "[Read]")
    found = checked(tmp_path, CLEAN | {"evals/plan/case.yaml": case}, engine, suite(command="claude plugin eval ."))
    assert rules(found) == ["absence-not-measured"]


def test_every_rule_has_a_known_positive() -> None:
    shown = {str(p.values[1]) for p in POSITIVES} | {
        *("guard-not-granted", "scaffold-not-run", "required-grader", "judge", "max-seconds", "tmpdir"),
        *("results-not-ignored", "absence-not-measured", "pin", "pin-missing"),
    }
    assert set(RULES) == shown


def test_patterns_that_do_not_end_cost_no_more_than_a_few(tmp_path: Path) -> None:
    endless = "".join(f"  - {{name: g{n}, type: regex, pattern: '^(?:a+)+{n}$'}}\n" for n in range(40))
    files = {f"evals/c{n}/case.yaml": text(ASKS + endless, f"c{n}") for n in range(3)}
    before = time.perf_counter()
    with RegexEngine(0.05) as quick:
        found = checked(tmp_path, files, quick)
    assert 20 < sum(f.rule == "backtracking" for f in found.findings) < 30
    assert any("are not tried" in f.message for f in found.findings)
    assert time.perf_counter() - before < 60


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab^$.*+?()[]{}|\\dwsb<=!:,-0123\n", max_size=30))
def test_any_pattern_has_a_shape_or_none(pattern: str) -> None:
    shape = parse_pattern(pattern)
    if shape is not None:
        assert isinstance(sample(shape), str)
        assert all(isinstance(run, str) for run in literals(shape))
        assert len(attacks(shape, 40)) <= MOST_ATTACKS
        assert is_torn(shape) in (True, False)


@pytest.mark.parametrize(
    ("script", "targets"),
    [
        pytest.param("mkdir -p a/b\necho x > a/b/c\ncp /etc/hosts ./h\n", [], id="writes inside"),
        pytest.param("cat > x <<'END'\necho > /etc/passwd\nEND\n", [], id="a document that only speaks of it"),
        pytest.param("set -e\nx >/dev/null 2>&1\n", [], id="nowhere"),
        pytest.param("# rm -rf /\n", [], id="a comment"),
        pytest.param("sed 's/a/b/' /etc/hosts > h\n", [], id="reads outside"),
        pytest.param("echo x >> /var/log/y\n", ["/var/log/y"], id="a redirect"),
        pytest.param("rm -rf $HOME/.cache\n", ["$HOME/.cache"], id="the home folder"),
        pytest.param("A=1 tee ../x\n", ["../x"], id="above, behind a variable"),
        pytest.param("true && cp a ~/b\n", ["~/b"], id="the second command"),
        pytest.param("cd / && touch x\n", ["/"], id="goes elsewhere"),
        pytest.param('mkdir -p "a/../../b"\n', ["a/../../b"], id="above, on a detour"),
        pytest.param("sed -i s/a/b/ /etc/hosts\n", ["/etc/hosts"], id="in place"),
        pytest.param("git -C /srv init\n", ["/srv"], id="git elsewhere"),
    ],
)
def test_where_a_scaffold_writes(script: str, targets: list[str]) -> None:
    assert [target for _, target in writes_outside(script)] == targets


# ---------------------------------------------------------------- pins


PIN = json.dumps({"reply": "it passed", "verdict": "pass", "reason": "a right reply in small letters"})
SAYS = r"{name: says-pass, type: regex, pattern: '(?<!\b[Nn][Oo][Tt] )\bPASS(?:ED)?\b'}"
SAYS_ANY = r"{name: says-pass, type: regex, pattern: '(?<!\b[Nn][Oo][Tt] )\b[Pp][Aa][Ss][Ss](?:[Ee][Dd])?\b'}"


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        pytest.param(PIN, "says-pass refuses it", id="a right reply that is refused"),
        pytest.param('{"reply": "PASS", "verdict": "fail", "reason": "r"}', "says-pass takes it", id="a wrong one taken"),
        pytest.param('{"reply": "PASS", "verdict": "pass", "reason": "r"}', "", id="a right one taken"),
        pytest.param('{"reply": "x", "verdict": "fail", "reason": "r", "grader": "says-pass"}', "", id="by one grader"),
        pytest.param('{"reply": "x", "verdict": "fail", "reason": "r", "grader": "none"}', "has no grader 'none'",
                     id="a grader that is not there"),
    ],
)  # fmt: skip
def test_a_pinned_reply_keeps_its_verdict(tmp_path: Path, engine: RegexEngine, line: str, wrong: str) -> None:
    found = checked(tmp_path, CLEAN | with_grader(SAYS) | {"evals/pins/plan.jsonl": line + "\n"}, engine)
    assert [f.rule for f in found.findings] == (["pin"] if wrong else [])
    assert found.pinned == 1
    assert not wrong or wrong in found.findings[0].message


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param('["x"]', "line 1: expected an object of strings", id="a list"),
        pytest.param('{"reply": "x", "verdict": "pass"}', "line 1: no 'reason'", id="no reason"),
        pytest.param(
            '{"reply": "x", "verdict": "maybe", "reason": "r"}', 'line 1: expected "pass" or "fail"', id="verdict"
        ),
        pytest.param(
            '{"reply": "x", "verdict": "pass", "reason": "r", "why": "x"}', "line 1: unknown key 'why'", id="key"
        ),
        pytest.param("[" * 100_000, "line 1: not JSON", id="a tower of brackets"),
    ],
)
def test_pins_that_cannot_be_read(tmp_path: Path, engine: RegexEngine, line: str, says: str) -> None:
    found = checked(tmp_path, CLEAN | {"evals/pins/plan.jsonl": line}, engine)
    assert [(f.rule, f.message.startswith(says)) for f in found.findings] == [("pin-file", True)]


POLICY = f'[suite.evals]\nformat = "plugin-eval"\ncommand = "{COMMAND}"\n'


@pytest.fixture
def suite_repo(repo: RepoBuilder) -> RepoBuilder:
    repo.env["TMPDIR"] = "/srv/elsewhere"
    repo.commit(files=CLEAN | with_grader(SAYS) | {"shipmoor-hooks.toml": POLICY, ".gitignore": "evals/results/\n"})
    return repo


def run(repo: RepoBuilder, *arguments: str) -> tuple[int, dict[str, object]]:
    done = repo.tool("eval", "check", "--format", "json", *arguments)
    document = json.loads(done.stdout or b"{}")
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    return done.returncode, document


def found_rules(document: dict[str, object]) -> list[str]:
    findings = document["findings"]
    assert isinstance(findings, list)
    return [f["rule"] for f in findings]


def test_a_changed_pattern_brings_a_pin_that_was_red_before(suite_repo: RepoBuilder) -> None:
    assert run(suite_repo) == (0, {"schema": "shipmoor-hooks.eval-check/1", "clean": True, "cases": 1, "graders": 5,
                                   "pins": 0, "faults": [], "findings": [], "notes": []})  # fmt: skip
    suite_repo.write("evals/plan/case.yaml", with_grader(SAYS_ANY)["evals/plan/case.yaml"])
    code, document = run(suite_repo)
    assert (code, found_rules(document)) == (1, ["pin-missing"])
    suite_repo.write("evals/pins/plan.jsonl", '{"reply": "PASS", "verdict": "pass", "reason": "green before, too"}\n')
    assert found_rules(run(suite_repo)[1]) == ["pin-missing"]
    suite_repo.write("evals/pins/plan.jsonl", PIN + "\n")
    assert run(suite_repo)[0] == 0
    code, document = run(suite_repo, "--at", "HEAD")
    assert (code, found_rules(document)) == (1, ["pin"])
    suite_repo.commit("A wider pattern")
    assert run(suite_repo)[0] == 0
    suite_repo.commit("Drop the pins", files={"evals/pins/plan.jsonl": None})
    assert run(suite_repo)[0] == 0, "the commit before has the pattern by now"


def test_a_case_that_cannot_be_read_is_exit_2_with_the_nearest_key(suite_repo: RepoBuilder) -> None:
    suite_repo.write(
        "evals/plan/case.yaml", with_grader("{name: g, type: regex, patern: x, pattern: x}")["evals/plan/case.yaml"]
    )
    done = suite_repo.tool("eval", "check")
    assert done.returncode == 2
    said = done.stdout.decode()
    assert "evals/plan/case.yaml: invalid case.yaml:   graders.1: Unrecognized key(s) in object: 'patern'" in said
    assert "next: did you mean pattern?" in said
    assert said.endswith("0 cases, 0 graders, 0 pins: 1 case cannot be read\n")


def test_text_names_rule_grader_and_way_out(suite_repo: RepoBuilder) -> None:
    suite_repo.write(
        "evals/plan/case.yaml", with_grader('{name: "g\\e", type: tool_used, tool: Task}')["evals/plan/case.yaml"]
    )
    done = suite_repo.tool("eval", "check")
    assert done.returncode == 1
    assert done.stdout.decode() == (
        "evals/plan: tool-name: grader g\\x1b: no call is ever named 'Task'\n"
        "  next: did you mean Agent?\n"
        "1 case, 5 graders, 0 pins: 1 finding\n"
    )


def test_results_that_git_would_see_are_found(suite_repo: RepoBuilder) -> None:
    (suite_repo.path / ".gitignore").unlink()
    assert found_rules(run(suite_repo)[1]) == ["results-not-ignored"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("--at", "nowhere"), "nowhere", id="no such commit"),
        pytest.param(("--suite", "unit"), "the policy names no suite 'unit'", id="no such suite"),
        pytest.param(("--root", "../x"), "a folder inside the repository", id="a folder outside"),
        pytest.param(("--root", "lib"), "there is no eval case in", id="no cases"),
        pytest.param(("--format", "xml"), "text or json", id="no such format"),
    ],
)
def test_what_cannot_be_checked_is_exit_2(suite_repo: RepoBuilder, arguments: tuple[str, ...], says: str) -> None:
    done = suite_repo.tool("eval", "check", *arguments)
    assert (done.returncode, says in done.stderr.decode()) == (2, True)
