"""`evals.loading`: which cases a plugin has, what does not load and what is silently not seen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks.evals import case_files, loading
from shipmoor_hooks.evals.definitions import Grader, SuiteDefinition
from shipmoor_hooks.git import Git

CASE = """\
schema_version: "1.1"
name: NAME
execution:
  prompt: do it
graders:
  - {name: says, type: regex, pattern: ok}
"""


def case(name: str = "c", more: str = "") -> str:
    return CASE.replace("NAME", name) + more


def suite_of(top: Path, files: Mapping[str, str | bytes]) -> SuiteDefinition:
    for name, content in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return loading.load_folder(str(top))


def dirs(suite: SuiteDefinition) -> list[str]:
    return [c.dir for c in suite.cases]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param({}, [], id="no eval directory"),
        pytest.param({"evals/a/case.yaml": case()}, ["evals/a"], id="a case"),
        pytest.param({"a/case.yaml": case()}, [], id="a case outside"),
        pytest.param({"evals/g/h/case.yaml": case()}, ["evals/g/h"], id="groups of cases"),
        pytest.param({"sub/evals/a/case.yaml": case()}, ["sub/evals/a"], id="an eval directory at any depth"),
        pytest.param(
            {"evals/case.yaml": case(), "evals/a/case.yaml": case(), "sub/evals/b/case.yaml": case()},
            ["evals", "sub/evals/b"],
            id="a case at the top takes those below",
        ),
        pytest.param({"evals/a/case.yaml": case(), "evals/a/b/case.yaml": case()}, ["evals/a"], id="a case in a case"),
        pytest.param({"node_modules/x/evals/a/case.yaml": case()}, [], id="dependencies"),
        pytest.param({".claude/evals/a/case.yaml": case()}, [], id="a tool's folder"),
        pytest.param({"evals/node_modules/case.yaml": case()}, ["evals/node_modules"], id="inside it is a name"),
        pytest.param({"evals/results/t/case.yaml": case()}, [], id="results"),
        pytest.param({"evals/.hidden/case.yaml": case()}, ["evals/.hidden"], id="hidden"),
        pytest.param({"evals/graders/case.yaml": case()}, ["evals/graders"], id="graders is a name like another"),
        pytest.param({"evals/mocks/case.yaml": case()}, [], id="mocks is reserved"),
        pytest.param({"evals/b/case.yaml": case(), "evals/a/case.yaml": case()}, ["evals/a", "evals/b"], id="by path"),
        pytest.param({"evals/a/case.yml": case()}, [], id="another ending"),
        pytest.param({"evals/a/CASE.YAML": case()}, [], id="capitals"),
        pytest.param(
            {
                ".claude-plugin/plugin.json": '{"experimental": {"evals": "quality/evals"}}',
                "quality/evals/a/case.yaml": case(),
                "evals/b/case.yaml": case(),
            },
            ["quality/evals/a"],
            id="the manifest names another directory",
        ),
        pytest.param(
            {".claude-plugin/plugin.json": '{"experimental": {"evals": "../x"}}', "evals/b/case.yaml": case()},
            ["evals/b"],
            id="the manifest names one outside",
        ),
        pytest.param({".claude-plugin/plugin.json": "{", "evals/b/case.yaml": case()}, ["evals/b"], id="no manifest"),
    ],
)
def test_cases_are_found_as_the_program_finds_them(
    tmp_path: Path, repo: RepoBuilder, files: dict[str, str], found: list[str]
) -> None:
    assert dirs(suite_of(tmp_path / "plugin", {"README": "", **files})) == found
    repo.commit(files={f"deep/{name}": content for name, content in {"README": "", **files}.items()})
    assert dirs(loading.load_tree(Git(str(repo.path), repo.env), "HEAD", "deep")) == found


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"evals/a/case.yml": case()}, "evals/a/case.yml is not seen: the name has to be case.yaml",
                     id="another ending"),
        pytest.param({"evals/a/CASE.YAML": case()}, "evals/a/CASE.YAML is not seen: the name has to be case.yaml",
                     id="capitals"),
        pytest.param({"evals/a/Prompt.md": "x"}, "evals/a/Prompt.md is not seen: the name has to be prompt.md",
                     id="a prompt with a capital"),
        pytest.param({"evals/case.yaml": case(), "evals/a/case.yaml": case()},
                     "evals is a case itself, so 1 below it are not run: evals/a", id="a parent swallows"),
        pytest.param({"evals/results/a/case.yaml": case()},
                     "evals/results/a is not run: nothing below a folder named results is", id="results"),
        pytest.param({"evals/a/case.yaml": case("x"), "evals/b/case.yaml": case("x")},
                     '2 cases share the name "x" (evals/a, evals/b); the report and --case filter cannot distinguish '
                     "them", id="one name twice"),
        pytest.param({".claude-plugin/plugin.json": '{"experimental": {"evals": "/x"}}'},
                     ".claude-plugin/plugin.json: experimental.evals is no relative path of plain folders, so the eval "
                     "directory is evals/", id="a manifest's absolute path"),
    ],
)  # fmt: skip
def test_what_is_not_seen_is_said(tmp_path: Path, files: dict[str, str], says: str) -> None:
    assert suite_of(tmp_path, files).warnings == (says,)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"case.yaml": case(more="graders:\n  - {name: h, type: regex, pattern: x}\n")},
                     "case.yaml: the key graders stands twice (line 7); only the last one counts", id="graders twice"),
        pytest.param({"case.yaml": case(more="threshold: 1\n")},
                     "case.yaml: the key threshold is not known and does nothing", id="an unknown key"),
        pytest.param({"case.yaml": case().replace("prompt: do it", "prompt: do it\n  max_turn: 3")},
                     "case.yaml: the key execution.max_turn is not known and does nothing", id="one below execution"),
        pytest.param({"case.yaml": case(), "graders/x.md": "type: regex\n"},
                     "graders/x.md has no front matter, so it is skipped without a word and grades nothing",
                     id="a grader without front matter"),
        pytest.param({"case.yaml": case(), "graders/x.MD": "---\ntype: llm\n---\n"},
                     "graders/x.MD is not seen: only files that end in .md are graders", id="a grader's ending"),
    ],
)  # fmt: skip
def test_what_does_nothing_in_a_case_is_said(tmp_path: Path, files: dict[str, str], says: str) -> None:
    suite = suite_of(tmp_path, {f"evals/a/{name}": content for name, content in files.items()})
    assert suite.faults == ()
    assert suite.cases[0].warnings == (f"evals/a: {says}",)


def without(key: str) -> str:
    return "".join(line for line in case().splitlines(True) if not line.startswith(key))


def graded(text: str) -> str:
    return case().replace("{name: says, type: regex, pattern: ok}", text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(without("schema_version"), 'missing required field schema_version (e.g. "1.0")', id="no version"),
        pytest.param(case().replace('"1.1"', "1.1"), 'missing required field schema_version (e.g. "1.0")',
                     id="a number for the version"),
        pytest.param(case().replace("1.1", "2.0"),
                     'schema_version "2.0" requires a newer Claude Code (this binary supports up to 1.x)',
                     id="a newer version"),
        pytest.param(without("name"), "invalid case.yaml:   name: Required", id="no name"),
        pytest.param(case('""'), "invalid case.yaml:   name: String must contain at least 1 character(s)",
                     id="an empty name"),
        pytest.param(case().partition("graders")[0], "invalid case.yaml:   graders: Required", id="no graders"),
        pytest.param(case().partition("graders")[0] + "graders: []",
                     "invalid case.yaml:   graders: Array must contain at least 1 element(s)", id="an empty list"),
        pytest.param(graded("{name: g, type: exec}"),
                     "invalid case.yaml:   graders.0.type: Invalid discriminator value. Expected 'regex' | 'tool_order' "
                     "| 'tool_used' | 'file_exists' | 'llm' | 'baseline'", id="an unknown type"),
        pytest.param(graded("{name: g, type: regex, pattern: x, zzz: 1}"),
                     "invalid case.yaml:   graders.0: Unrecognized key(s) in object: 'zzz'", id="an unknown key"),
        pytest.param(case(more="  - {name: says, type: regex, pattern: ok}"),
                     'invalid case.yaml:   graders: duplicate grader name "says"', id="a grader's name twice"),
        pytest.param(graded("{name: g, type: regex, pattern: x, match: never}"),
                     "invalid case.yaml:   graders.0.match: must be contains | not_contains | count:N", id="match"),
        pytest.param(graded("{name: g, type: regex, pattern: x, flags: q}"),
                     "invalid case.yaml:   graders.0.flags: must be JS RegExp flags (d g i m s u v y)", id="flags"),
        pytest.param(graded("{name: g, type: regex, pattern: x, target: all}"),
                     "invalid case.yaml:   graders.0.target: Invalid input", id="target"),
        pytest.param(graded("{name: g, type: regex, pattern: x, weight: 0}"),
                     "invalid case.yaml:   graders.0.weight: Number must be greater than 0", id="weight"),
        pytest.param(graded("{name: g, type: tool_used, tool: Bash, min: -1}"),
                     "invalid case.yaml:   graders.0.min: Number must be greater than or equal to 0", id="min"),
        pytest.param(graded("{name: g, type: tool_used, tool: Bash, min: 0.5}"),
                     "invalid case.yaml:   graders.0.min: Expected integer, received float", id="half a call"),
        pytest.param(graded("{name: g, type: regex, pattern: x, arm: with_only}"),
                     "invalid case.yaml:   graders.0.arm: Invalid enum value. Expected 'with-only' | 'both', received "
                     "'with_only'", id="arm"),
        pytest.param(case(more="runs: 51\n"), "invalid case.yaml:   runs: Number must be less than or equal to 50",
                     id="too many runs"),
        pytest.param(case().replace("do it", '""'),
                     "execution.prompt is required (a prompt.md body, or execution.prompt in case.yaml)",
                     id="no prompt"),
        pytest.param("- a\n", "case.yaml must be a YAML object", id="a list"),
        pytest.param("a: [", "YAML parse failed: SyntaxError: YAML Parse error: Unexpected EOF", id="a cut file"),
        pytest.param("", loading.EMPTY, id="an empty file"),
        pytest.param(case(more='plugins: ["../nowhere"]\n'), 'case "c": plugins entry "../nowhere" does not exist',
                     id="a plugin that is not there"),
    ],
)  # fmt: skip
def test_what_does_not_load_says_why_in_the_programs_words(tmp_path: Path, text: str, says: str) -> None:
    suite = suite_of(tmp_path, {"evals/a/case.yaml": text, "evals/b/case.yaml": case("other")})
    assert dirs(suite) == ["evals/b"]
    (fault,) = suite.faults
    assert fault.dir == "evals/a"
    assert fault.message.partition(" (line")[0] == says


def test_the_defaults(tmp_path: Path) -> None:
    (found,) = suite_of(tmp_path, {"evals/a/case.yaml": case()}).cases
    assert (found.runs, found.max_turns, found.timeout_seconds, found.allowed_tools) == (3, 10, 300, ())
    assert (found.source, found.prompt, found.schema_version) == ("case_yaml", "do it", "1.1")
    assert found.graders == (Grader("says", "regex", {"pattern": "ok"}),)


def test_prose_is_a_case_without_yaml(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        {
            "evals/a/prompt.md": "\ufeff---\r\nmax_turns: 5\r\nruns: 2\r\nallowed_tools: [Read]\r\n---\r\n\r\nSay it. \r\n",
            "evals/a/graders/b.md": "---\ntype: regex\nweight: 2\n---\n\n \\d+ \n",
            "evals/a/graders/a.md": "---\ntype: tool_used\ntool: Agent\nmin: 0\nmax: 0\nname: none\n---\n",
            "evals/a/graders/.c.md": "---\ntype: llm\n---\nPASS if so.\n",
            "evals/a/graders/deep/d.md": "---\ntype: llm\n---\nPASS if so.\n",
        },
    )
    (found,) = suite.cases
    assert (found.name, found.source, found.prompt) == ("a", "prose", "Say it.")
    assert (found.runs, found.max_turns, found.allowed_tools) == (2, 5, ("Read",))
    assert [(g.name, g.type, g.weight) for g in found.graders] == [
        (".c", "llm", 1), ("none", "tool_used", 1), ("b", "regex", 2),
    ]  # fmt: skip
    assert found.graders[2].config == {"pattern": "\\d+"}
    assert found.graders[0].config == {"criteria": "PASS if so."}


def test_prompt_md_wins_field_by_field_and_its_graders_come_last(tmp_path: Path) -> None:
    (found,) = suite_of(
        tmp_path,
        {
            "evals/a/case.yaml": case(more="runs: 5\ncontext: {scaffold_script: s.sh, add_dirs: [d]}\n").replace(
                "prompt: do it", "prompt: do it\n  model: m\n  max_turns: 4"
            ),
            "evals/a/prompt.md": "---\nname: other\nmax_turns: 7\n---\nDo that.\n",
            "evals/a/graders/x.md": "---\ntype: file_exists\npath: a\n---\n",
        },
    ).cases
    assert (found.name, found.source, found.prompt) == ("other", "mixed", "Do that.")
    assert (found.runs, found.max_turns, found.model) == (5, 7, "m")
    assert (found.scaffold_script, found.add_dirs) == ("s.sh", ("d",))
    assert [g.name for g in found.graders] == ["says", "x"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"prompt.md": "---\nthreshold: 1\n---\nx"}, 'unknown frontmatter key "threshold" (expected one of: '
                     "schema_version, name, description, tags, plugins, runs, expected_outcome, model, max_turns, "
                     "timeout_seconds, allowed_tools, artifact_publish, growthbook_overrides, append_system_prompt, env)",
                     id="an unknown key"),
        pytest.param({"prompt.md": "---\nruns: x\n---\nx"}, "invalid case.yaml:   runs: Expected number, received string; "
                     "graders: Array must contain at least 1 element(s)", id="two faults at once"),
        pytest.param({"prompt.md": "x", "graders/a.md": "no front matter"},
                     "invalid case.yaml:   graders: Array must contain at least 1 element(s)", id="the only grader"),
        pytest.param({"prompt.md": "x", "graders/a.md": "---\ntype: regex\n---\n"},
                     "invalid case.yaml:   graders.0.pattern: Required", id="a grader without a body"),
        pytest.param({"prompt.md": "x", "graders/a.md": '---\ntype: "\\d"\n---\n'},
                     "graders/a.md: YAML parse failed: SyntaxError: YAML Parse error: Unexpected character",
                     id="a grader's front matter"),
    ],
)  # fmt: skip
def test_prose_that_does_not_load(tmp_path: Path, files: dict[str, str], says: str) -> None:
    suite = suite_of(tmp_path, {f"evals/a/{name}": content for name, content in files.items()})
    (fault,) = suite.faults
    assert fault.path == "evals/a"
    assert fault.message.partition(" (line")[0] == says


def test_mocks_are_for_responders(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, {"evals/mocks/a/case.yaml": case(), "evals/b/mocks/x/tool.md": "x"})
    (fault,) = suite.faults
    assert fault.path == "evals/mocks/a"
    assert fault.message.startswith("mocks/ is reserved for mock responders")


def test_a_link_to_a_folder_is_a_fault_and_never_followed(tmp_path: Path, repo: RepoBuilder) -> None:
    repo.commit(files={"evals/a/case.yaml": case(), "shared/case.yaml": case("hidden"), "evals/b/case.yaml": case("b")})
    os.symlink("../shared", repo.path / "evals" / "linked")
    os.symlink("/etc", repo.path / "evals" / "out")
    repo.commit()
    on_disk = loading.load_folder(str(repo.path))
    in_tree = loading.load_tree(Git(str(repo.path), repo.env), "HEAD")
    assert dirs(on_disk) == dirs(in_tree) == ["evals/a", "evals/b"]
    assert [f.path for f in on_disk.faults] == ["evals/linked", "evals/out"]
    assert [f.path for f in in_tree.faults] == ["evals/linked"]
    assert "is a symbolic link to a directory" in in_tree.faults[0].message


def test_a_case_file_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text(case("secret"))
    suite = suite_of(tmp_path / "plugin", {"evals/b/case.yaml": case("b"), "evals/a/x": ""})
    os.symlink(secret, tmp_path / "plugin" / "evals" / "a" / "case.yaml")
    suite = loading.load_folder(str(tmp_path / "plugin"))
    assert dirs(suite) == ["evals/b"]
    assert [f.message for f in suite.faults] == [
        "case.yaml is no plain file; case definitions must be plain files and directories"
    ]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "evals" / "a").mkdir(parents=True)
    os.mkfifo(tmp_path / "evals" / "a" / "case.yaml")
    assert suite_of(tmp_path, {}).cases == ()


def test_a_bomb_is_the_fault_of_its_own_case(tmp_path: Path) -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    bomb = 'a0: &a0 ["x"]\n' + levels + "name: *a11\n"
    suite = suite_of(tmp_path, {"evals/bomb/case.yaml": bomb, "evals/a/case.yaml": case()})
    assert dirs(suite) == ["evals/a"]
    assert [f.path for f in suite.faults] == ["evals/bomb"]


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, {"evals/a/case.yaml": "#" * (1 << 20) + "\n" + case(), "evals/b/case.yaml": case()})
    assert dirs(suite) == ["evals/b"]
    assert suite.faults[0].message == "case.yaml is larger than 1 MiB, which no case needs"


def test_both_sources_read_the_same(repo: RepoBuilder) -> None:
    files = {f"evals/g{n % 3}/c{n}/case.yaml": case(f"c{n}") for n in range(12)}
    files |= {
        "evals/odd name\nx/case.yaml": case("odd"),
        "evals/\u00fc/prompt.md": "x",
        "evals/\u00fc/graders/a.md": "x",
    }
    repo.commit(files=files)
    assert loading.load_folder(str(repo.path)) == loading.load_tree(Git(str(repo.path), repo.env), "HEAD")


def test_expectations_are_the_trees_of_folders(repo: RepoBuilder) -> None:
    repo.commit(files={"evals/a/case.yaml": case(), "evals/a b/x/case.yaml": case()})
    git = Git(str(repo.path), repo.env)
    folders = case_files.folder_trees(git, "HEAD")
    assert folders["evals/a"] == repo.git("rev-parse", "HEAD:evals/a")
    assert folders["evals/a b/x"] == repo.git("rev-parse", "HEAD:evals/a b/x")
    assert not folders.keys() & {"evals/none", "evals/a/case.yaml"}
    assert folders[""] == repo.git("rev-parse", "HEAD^{tree}")
