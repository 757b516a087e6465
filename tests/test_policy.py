"""The policy: what is read from TOML, from the working tree and from a commit, and how each fault is told."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.errors import EnvironmentFault, GitFault, PolicyFault, RepositoryFault
from shipmoor_hooks.model import CaseRules, Evidence, Normalise, Policy, Suite
from shipmoor_hooks.policy import load_revision, load_worktree, parse

OWN = "shipmoor-hooks.toml"
SHARED = "pyproject.toml"

FULL = """\
[gate]
target = "origin/trunk"
evidence = "observed"
untracked = "refuse"
mode = "warn"
window = 12
[gate.disclosure]
reason = "#\\\\d+"
[suite.unit]
command = ["pytest", "-q"]
reports = ["build/junit/*.xml"]
format = "junit"
exclude = ["docs/**", "*.md", "/build"]
variants = ["linux-py310", "linux-py312"]
shards = 4
normalise = [{ pattern = "0x[0-9a-f]+", replace = "0x" }]
reruns = "all"
proofs = true
setup = [["npm", "ci"], "make 'the thing'"]
same = ["tool"]
require = ["tool"]
not_covered = ["the\\nbrowser"]
case_command = "pytest {case}"
agent = ["agent", "--json"]
max_cost = 2.5
traces = "drop"
overlay = "refuse"
"""


def suite(lines: str) -> Suite:
    return parse(f"[suite.unit]\n{lines}\n".encode(), OWN).suites["unit"]


def faults(text: str | bytes, source: str = OWN) -> str:
    with pytest.raises(PolicyFault) as caught:
        parse(text.encode() if isinstance(text, str) else text, source)
    assert caught.value.exit_code == 2
    return caught.value.message


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        pytest.param("", Policy(), id="an empty file is a policy of defaults"),
        pytest.param("[suite.a]", Policy(suites={"a": Suite("a")}), id="an empty suite is a suite of defaults"),
        pytest.param("# nothing\r\n[gate]\r\n", Policy(), id="comments and other line ends say nothing"),
        pytest.param(
            FULL,
            Policy(
                suites={
                    "unit": Suite(
                        "unit",
                        command=("pytest", "-q"),
                        reports=("build/junit/*.xml",),
                        format="junit",
                        exclude=("docs/**", "*.md", "/build"),
                        variants=("linux-py310", "linux-py312"),
                        shards=4,
                        normalise=(Normalise("0x[0-9a-f]+", "0x"),),
                        reruns="all",
                        proofs=True,
                        setup=(("npm", "ci"), ("make", "the thing")),
                        same=("tool",),
                        require=("tool",),
                        not_covered=("the browser",),
                        case_command=("pytest", "{case}"),
                        agent=("agent", "--json"),
                        max_cost=2.5,
                        traces="drop",
                        overlay="refuse",
                    )
                },
                target="origin/trunk",
                evidence=Evidence.OBSERVED,
                untracked="refuse",
                mode="warn",
                window_hours=12.0,
                reason="#\\d+",
            ),
            id="every key that there is",
        ),
    ],
)
def test_a_policy_is_read(text: str, policy: Policy) -> None:
    assert parse(text.encode(), OWN) == policy


def test_pyproject_holds_the_same_tables_under_ours() -> None:
    text = FULL.replace("[gate", "[tool.shipmoor-hooks.gate").replace("[suite", "[tool.shipmoor-hooks.suite")
    shared = parse(f"[project]\nname = 'x'\n{text}".encode(), SHARED)
    own = parse(FULL.encode(), OWN)
    assert (shared.suites, shared.mode, shared.reason) == (own.suites, own.mode, own.reason)
    assert (own.source, shared.source) == (OWN, SHARED)


@pytest.mark.parametrize(
    ("lines", "reruns", "same"),
    [
        pytest.param("", "latest", (), id="tests: the newest run decides, nothing has to be equal"),
        pytest.param(
            'format = "plugin-eval"',
            "all",
            ("model", "judge", "tool", "plugins", "ablation", "threshold", "grants"),
            id="evals: every run counts, and all conditions have to be equal",
        ),
        pytest.param(
            'format = "plugin-eval"\nreruns = "latest"\nsame = []',
            "latest",
            (),
            id="what is said wins, an empty list too",
        ),
        pytest.param('format = "tap"', "latest", (), id="any other format has the defaults of tests"),
    ],
)
def test_defaults_follow_the_format(lines: str, reruns: str, same: tuple[str, ...]) -> None:
    found = suite(lines)
    assert (found.reruns, found.same) == (reruns, same)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param('command = "pytest -q"', ("pytest", "-q"), id="blanks part the words"),
        pytest.param("""command = 'pytest -k "a or b"'""", ("pytest", "-k", "a or b"), id="quotes hold them together"),
        pytest.param("""command = 'pytest "" x'""", ("pytest", "", "x"), id="an empty word stays one"),
        pytest.param(
            "command = 'a | b > $HOME; c'", ("a", "|", "b", ">", "$HOME;", "c"), id="no shell: nothing is expanded"
        ),
        pytest.param("command = ['a b', '|']", ("a b", "|"), id="a list is taken as it stands"),
    ],
)
def test_a_command_is_split_as_a_shell_splits_words(line: str, words: tuple[str, ...]) -> None:
    assert suite(line).command == words


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("comand = 'x'", "comand: unknown key; did you mean command?", id="a letter missing"),
        pytest.param("normalize = []", "normalize: unknown key; did you mean normalise?", id="the other spelling"),
        pytest.param("Max-Cost = 1", "Max-Cost: unknown key; did you mean max_cost?", id="case and dashes"),
        pytest.param("evidence = 'x'", "evidence: unknown key; it belongs in [gate]", id="a key of the other table"),
        pytest.param(
            "reason = 'x'", "reason: unknown key; it belongs in [gate.disclosure]", id="a key of the inner table"
        ),
        pytest.param(
            "zzzzz = 1", "zzzzz: unknown key; valid are agent, case_command, command", id="nothing near: all are named"
        ),
        pytest.param(
            '"\\u001b[31m" = 1', "'\\x1b[31m': unknown key", id="a key with control characters is shown escaped"
        ),
        pytest.param(
            "command = 7",
            "command: expected a string or a list of strings, found the number 7",
            id="a number as command",
        ),
        pytest.param(
            "not_covered = [1]",
            "not_covered[0]: expected a string, found the number 1",
            id="a number where a sentence stands",
        ),
        pytest.param("command = []", "command: expected a command that names a program", id="no words at all"),
        pytest.param("command = ''", "command: expected a command that names a program", id="an empty string"),
        pytest.param("command = [' ', 'x']", "command: expected a command that names a program", id="a blank program"),
        pytest.param(
            """command = 'a "b'""",
            "command: expected a command that can be split into words: no closing quotation",
            id="bad quoting",
        ),
        pytest.param(
            "command = ['a', 1]", "command[1]: expected a string, found the number 1", id="a number among the words"
        ),
        pytest.param(
            'command = ["a\\u0000"]', "command[0]: expected a word without a null character", id="a null character"
        ),
        pytest.param(
            'command = "a \\u0000"', "command[1]: expected a word without a null", id="a null character in a string"
        ),
        pytest.param("setup = ['a', 1]", "setup[1]: expected a string or a list", id="a number among commands"),
        pytest.param(
            "setup = 'a'",
            "setup: expected a list of commands, found the string 'a'",
            id="one command where a list stands",
        ),
        pytest.param(
            "reports = 'a.xml'",
            "reports: expected a list of paths, found the string 'a.xml'",
            id="one path where a list stands",
        ),
        pytest.param(
            "reports = ['/a.xml']", "reports[0]: expected a path relative to the worktree's root", id="an absolute path"
        ),
        pytest.param(
            "reports = ['~/a.xml']", "reports[0]: expected a path relative to the worktree's root", id="a home"
        ),
        pytest.param(
            "reports = ['a/../../b']",
            'reports[0]: expected a path inside the worktree, without ".."',
            id="a path that climbs out",
        ),
        pytest.param(
            r"reports = ['..\b']",
            'reports[0]: expected a path inside the worktree, without ".."',
            id="climbing with a backslash",
        ),
        pytest.param("reports = ['']", "reports[0]: expected a string that is not empty", id="an empty path"),
        pytest.param(
            "exclude = ['a', '!b']", 'exclude[1]: expected a pattern without "!"', id="a pattern that takes back"
        ),
        pytest.param(
            "exclude = ['../a']",
            'exclude[0]: expected a path inside the worktree, without ".."',
            id="a pattern that climbs out",
        ),
        pytest.param(
            "exclude = ['**/*']",
            "exclude[0]: expected a pattern that leaves something to test",
            id="a pattern over everything",
        ),
        pytest.param(
            'exclude = ["a\\n!b"]', "exclude[0]: expected a string without control characters", id="two patterns in one"
        ),
        pytest.param(
            "exclude = ['a', 'b', 'a']",
            "exclude[2]: expected each value once, found the string 'a' again",
            id="a pattern twice",
        ),
        pytest.param("variants = ['a', 'a']", "variants[1]: expected each value once", id="a variant twice"),
        pytest.param(
            "variants = 'a'",
            "variants: expected a list of strings, found the string 'a'",
            id="one variant where a list stands",
        ),
        pytest.param(
            "shards = 1",
            "shards: expected a whole number of parts, 2 or more, found the number 1",
            id="one part is none",
        ),
        pytest.param(
            "shards = true", "shards: expected a whole number of parts, 2 or more, found true", id="true is no number"
        ),
        pytest.param(
            "shards = 2.0",
            "shards: expected a whole number of parts, 2 or more, found the number 2.0",
            id="parts are whole",
        ),
        pytest.param("max_cost = true", "max_cost: expected an amount above 0, found true", id="true is no amount"),
        pytest.param(
            "max_cost = nan", "max_cost: expected an amount above 0, found the number nan", id="nan is no amount"
        ),
        pytest.param(
            "max_cost = []", "max_cost: expected an amount above 0, found an empty list", id="a list is no amount"
        ),
        pytest.param("proofs = 1", "proofs: expected true or false, found the number 1", id="one is not true"),
        pytest.param(
            "proofs = 2024-01-01",
            "proofs: expected true or false, found the date or time 2024-01-01",
            id="a date is not true",
        ),
        pytest.param(
            "reruns = 'last'",
            'reruns: expected "latest" or "all", found the string \'last\'; did you mean latest?',
            id="a near word",
        ),
        pytest.param("traces = false", 'traces: expected "keep" or "drop", found false', id="no word at all"),
        pytest.param("format = 'junit-xml'", "did you mean junit?", id="a format that nobody reads"),
        pytest.param(
            "normalise = [{ pattern = '(', replace = '' }]",
            "normalise[0].pattern: expected a regular expression that compiles",
            id="a pattern that does not compile",
        ),
        pytest.param(
            "normalise = [{ pattern = '', replace = '' }]",
            "normalise[0].pattern: expected a regular expression that is not empty",
            id="a pattern that matches between all letters",
        ),
        pytest.param(
            r"normalise = [{ pattern = 'a', replace = '\2' }]",
            "normalise[0].replace: expected a replacement that fits its pattern",
            id="a group that the pattern has not",
        ),
        pytest.param(
            r"normalise = [{ pattern = 'a', replace = '\g<x>' }]",
            "normalise[0].replace: expected a replacement that fits its pattern",
            id="a name that the pattern has not",
        ),
        pytest.param(
            "normalise = [{ pattern = 'a' }]", "normalise[0]: expected the key replace as well", id="half a replacement"
        ),
        pytest.param(
            "normalise = [{ pattern = 1, replace = 'a' }]",
            "normalise[0].pattern: expected a string",
            id="a number as pattern",
        ),
        pytest.param(
            "normalise = [{ pattern = 'a', replace = 'b', to = 'c' }]",
            "normalise[0].to: unknown key; valid are pattern, replace",
            id="a key too many",
        ),
        pytest.param(
            "normalise = ['a']",
            "normalise[0]: expected a table { pattern, replace }, found the string 'a'",
            id="a pattern without its table",
        ),
    ],
)
def test_a_fault_in_a_suite_is_told_with_its_line(line: str, said: str) -> None:
    assert f"{OWN}:2: suite.unit.{said}" in (message := faults(f"[suite.unit]\n{line}\n")) or (
        said.startswith("did") and said in message
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("[gates]", ":1: gates: unknown key; did you mean gate?", id="a table that nobody knows"),
        pytest.param("mode = 'warn'", ":1: mode: unknown key; it belongs in [gate]", id="a key outside its table"),
        pytest.param("gate = 1", ":1: gate: expected a table, found the number 1", id="a value where a table stands"),
        pytest.param(
            "suite = []", ":1: suite: expected a table, found an empty list", id="a list where a table stands"
        ),
        pytest.param(
            "[suite]\ncommand = 'x'",
            ":2: suite.command: expected a table; command belongs in a table [suite.NAME]",
            id="a suite without a name",
        ),
        pytest.param(
            "[suite]\nx = 1", ":2: suite.x: expected a table, found the number 1", id="a suite that is a number"
        ),
        pytest.param(
            "[suite.'a b']",
            ":1: suite.'a b': expected a name of letters, digits, _ and - for a suite",
            id="a name with a blank",
        ),
        pytest.param(
            "[gate.disclosure]\nreason = '['",
            ":2: gate.disclosure.reason: expected a regular expression that compiles",
            id="a reason's pattern that does not compile",
        ),
        pytest.param(
            "[gate.disclosure]\nreason = 1",
            ":2: gate.disclosure.reason: expected a regular expression, found the number 1",
            id="a number as a reason's pattern",
        ),
        pytest.param(
            "[gate]\nwindow = 0",
            ":2: gate.window: expected a number of hours above 0, found the number 0",
            id="a window of nothing",
        ),
        pytest.param(
            "[gate]\nwindow = inf",
            ":2: gate.window: expected a number of hours above 0, found the number inf",
            id="a window without end",
        ),
        pytest.param(
            "[gate]\nwindow = true",
            ":2: gate.window: expected a number of hours above 0, found true",
            id="true is no number of hours",
        ),
        pytest.param(
            "[gate]\ntarget = '--all'", ":2: gate.target: expected the name of a branch", id="an option as target"
        ),
        pytest.param(
            "[gate]\ntarget = 'a b'", ":2: gate.target: expected the name of a branch", id="two words as target"
        ),
        pytest.param(
            "[gate]\ntarget = 1", ":2: gate.target: expected a string, found the number 1", id="a number as target"
        ),
        pytest.param(
            "[gate]\nevidence = 'seen'",
            ':2: gate.evidence: expected "observed" or "reported" or "imported"',
            id="a level that is none",
        ),
        pytest.param("[gate]\n\n\nevidence =", ":4: not valid TOML: Invalid value", id="a value missing at the end"),
        pytest.param("[gate]\na = [\n", ":2: not valid TOML: Invalid value", id="a list without its end"),
        pytest.param("[gate]\nx = = 1\n", ":2: not valid TOML: Invalid value", id="a wrong character"),
        pytest.param("[gate]\nx = 1\nx = 2\n", ":3: not valid TOML: Cannot overwrite a value", id="a key twice"),
        pytest.param(b"[gate]\nx = '\xff'\n", ":2: not UTF-8 text: invalid start byte", id="bytes that are no text"),
        pytest.param(b"\xef\xbb\xbf[gate]", ":1: the file starts with a byte order mark", id="a byte order mark"),
        pytest.param("x = " + "[" * 100_000, ":1: lists or tables are nested too deeply", id="a tower of brackets"),
        pytest.param("x = " + "1" * 5000, ":1: not valid TOML: Exceeds the limit", id="a number of 5000 digits"),
        pytest.param("#" * 1_048_577, ":1: the file is larger than 1048576 bytes", id="a file that is no policy"),
    ],
)
def test_a_fault_anywhere_is_told_with_its_line(text: str | bytes, said: str) -> None:
    assert faults(text).startswith(OWN + said)


def test_all_faults_come_at_once_in_the_order_of_the_lines() -> None:
    told = faults(
        "[suite.a]\ncomand = 1\nreruns = 7\n[gate]\nwindow = 'x'\n[suite.b]\nexclude = [\n  '!a',\n  '..',\n]\n"
    )
    assert [line.split(": ")[0] for line in told.splitlines()] == [f"{OWN}:{n}" for n in (2, 3, 5, 8, 9)]


def test_a_fault_in_pyproject_has_the_line_of_pyproject() -> None:
    text = "[project]\nname = 'x'\n\n[tool.shipmoor-hooks.suite.a]\nreruns = 7\n"
    assert faults(text, SHARED).startswith(f"{SHARED}:5: suite.a.reruns: expected")
    assert faults("[project]\n", SHARED) == f"{SHARED}:1: tool.shipmoor-hooks: expected this table, found none"


# ---------------------------------------------------------------- the working tree


def worktree(repo: RepoBuilder) -> Policy | None:
    return load_worktree(place.find(str(repo.path), repo.env))


def test_a_worktree_without_a_policy_has_none(repo: RepoBuilder) -> None:
    assert worktree(repo) is None
    repo.write(SHARED, "[project]\nname = 'x'\n")
    assert worktree(repo) is None
    repo.write(SHARED, "[project]\ndescription = 'about shipmoor-hooks'\n[tool]\n")
    assert worktree(repo) is None


def test_a_broken_pyproject_that_never_speaks_of_us_is_not_ours(repo: RepoBuilder) -> None:
    repo.write(SHARED, "[project\n")
    assert worktree(repo) is None
    repo.write(SHARED, "[project\n[tool.shipmoor-hooks]\n")
    with pytest.raises(PolicyFault, match=r"pyproject\.toml:1: not valid TOML"):
        worktree(repo)


def test_the_file_wins_over_pyproject_even_when_it_is_broken(repo: RepoBuilder) -> None:
    repo.write(SHARED, "[tool.shipmoor-hooks.suite.shared]\n")
    assert worktree(repo) == Policy(suites={"shared": Suite("shared")}, source=SHARED)
    repo.write(OWN, "[suite.own]\n")
    assert worktree(repo) == Policy(suites={"own": Suite("own")}, source=OWN)
    repo.write(OWN, "[suite.own\n")
    with pytest.raises(PolicyFault, match=r"shipmoor-hooks\.toml:1: not valid TOML"):
        worktree(repo)


def test_a_policy_that_is_no_plain_file_is_refused_at_once(repo: RepoBuilder) -> None:
    target = repo.path / OWN
    target.symlink_to("nowhere.toml")
    with pytest.raises(PolicyFault, match="leads nowhere"):
        worktree(repo)
    target.unlink()
    os.mkfifo(target)
    with pytest.raises(PolicyFault, match="not a plain file"):
        worktree(repo)
    target.unlink()
    target.mkdir()
    with pytest.raises(PolicyFault, match="not a plain file"):
        worktree(repo)
    target.rmdir()
    target.symlink_to(OWN)
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        worktree(repo)


def test_a_bare_repository_has_no_working_tree_to_read(tmp_path: Path, environment: dict[str, str]) -> None:
    bare = RepoBuilder.create(tmp_path / "bare.git", environment, "--bare")
    with pytest.raises(RepositoryFault, match="bare"):
        worktree(bare)


# ---------------------------------------------------------------- commits and trees


def at(repo: RepoBuilder, revision: str) -> Policy | None:
    return load_revision(place.find(str(repo.path), repo.env).git, revision)


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
def test_a_revision_is_read_from_its_blobs_never_from_the_working_tree(
    tmp_path: Path, environment: dict[str, str], hash_name: str
) -> None:
    repo = RepoBuilder.create(tmp_path / hash_name, environment, f"--object-format={hash_name}")
    none = repo.commit(files={"README": "x"})
    own = repo.commit(files={OWN: "[suite.a]\n", SHARED: "[tool.shipmoor-hooks.suite.b]\n"})
    shared = repo.commit(files={OWN: None})
    repo.write(OWN, "[suite.dirty]\n")
    repo.git("add", "-A")
    assert at(repo, none) is None
    for name in (own, f"{own}^{{tree}}", repo.sha(f"{own}^{{tree}}"), "HEAD~1"):
        assert at(repo, name) == Policy(suites={"a": Suite("a")}, source=OWN)
    assert at(repo, shared) == Policy(suites={"b": Suite("b")}, source=SHARED)


def test_a_revision_that_is_not_here_is_never_a_revision_without_a_policy(repo: RepoBuilder) -> None:
    repo.commit(files={"README": "x"})
    with pytest.raises(RepositoryFault, match="not in this repository"):
        at(repo, "1" * 40)
    with pytest.raises(RepositoryFault, match="there is no revision 'nonsense'"):
        at(repo, "nonsense")
    with pytest.raises(RepositoryFault, match="there is no revision"):
        at(repo, "--all")


@pytest.mark.parametrize("name", [OWN, SHARED])
def test_a_policy_whose_object_is_missing_is_never_a_policy_that_is_not_there(repo: RepoBuilder, name: str) -> None:
    commit = repo.commit(files={name: "[tool.shipmoor-hooks]\n"})
    blob = repo.sha(f"{commit}:{name}")
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(GitFault, match="is not in this repository"):
        at(repo, commit)


def test_a_link_inside_the_tree_is_followed_any_other_is_refused(repo: RepoBuilder) -> None:
    (repo.path / OWN).symlink_to("config/hooks.toml")
    inside = repo.commit(files={"config/hooks.toml": "[suite.a]\n"})
    assert at(repo, inside) == worktree(repo) == Policy(suites={"a": Suite("a")})
    for target in ("../outside.toml", "nowhere.toml", OWN, "config/hooks.toml/x", "config"):
        (repo.path / OWN).unlink()
        (repo.path / OWN).symlink_to(target)
        with pytest.raises(PolicyFault, match="not a plain file of that tree"):
            at(repo, repo.commit(target))


def test_a_pyproject_link_out_of_the_tree_holds_no_policy_of_ours(repo: RepoBuilder) -> None:
    (repo.path / SHARED).symlink_to("../outside.toml")
    assert at(repo, repo.commit()) is None


def test_a_tree_with_many_files_is_read_by_its_names(repo: RepoBuilder) -> None:
    commit = repo.commit(files={f"file {n}": str(n) for n in range(300)} | {OWN: "[suite.a]\n"})
    assert at(repo, commit) == Policy(suites={"a": Suite("a")})


def test_a_folder_of_that_name_is_refused(repo: RepoBuilder) -> None:
    with pytest.raises(PolicyFault, match="not a plain file of that tree"):
        at(repo, repo.commit(files={f"{OWN}/x": ""}))


# ---------------------------------------------------------------- what every case must hold


def rules(lines: str) -> CaseRules:
    found = suite(f"{lines}\n")
    return replace(found.case_rules, conditions=found.require)


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        pytest.param("", CaseRules(), id="nothing"),
        pytest.param("require = ['tool']", CaseRules(("tool",)), id="a list is that of the conditions"),
        pytest.param("require = { conditions = ['tool'] }", CaseRules(("tool",)), id="so is its key in the table"),
        pytest.param(
            "require = { graders = ['no-agent', { when = 'no-write', also = 'no-bash-write' }], judge = false, "
            "max_seconds = 120 }",
            CaseRules((), ("no-agent",), (("no-write", "no-bash-write"),), False, 120.0),
            id="graders, pairs, no judge, seconds",
        ),
    ],
)
def test_rules_for_every_case(lines: str, read: CaseRules) -> None:
    assert rules(lines) == read


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        pytest.param("require = 3", "require: expected a list of strings or a table, found the number 3", id="a number"),
        pytest.param("require = { grader = [] }", "require.grader: unknown key; did you mean graders?", id="a key"),
        pytest.param("require = { graders = 'x' }", "require.graders: expected a list of names", id="one name"),
        pytest.param("require = { graders = [3] }", "require.graders[0]: expected a string", id="a number for a name"),
        pytest.param("require = { graders = [{ when = 'a' }] }", "require.graders[0]: expected the key also as well",
                     id="half a pair"),
        pytest.param("require = { graders = [{ if = 'a', also = 'b' }] }", "require.graders[0].if: unknown key",
                     id="a pair's key"),
        pytest.param("require = { judge = 'no' }", "require.judge: expected true or false", id="a word for a flag"),
        pytest.param("require = { max_seconds = 0 }", "require.max_seconds: expected a number of seconds above 0",
                     id="no seconds"),
    ],
)  # fmt: skip
def test_rules_that_cannot_be_read(lines: str, says: str) -> None:
    assert f"suite.unit.{says}" in faults(f"[suite.unit]\n{lines}\n")
