"""When a runner's configuration at the tip selects less than the base's: only what is certain."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.rules.surface_parts import differs
from shipmoor_hooks.rules.surface_rules import files_of, narrowed

Files = dict[str, str]


def said(command: str, base: Files, tip: Files) -> str:
    sides = ({path: text.encode() for path, text in side.items()} for side in (base, tip))
    return "; ".join(f"{row.path}: {row.says}" for row in narrowed(command.split(), *sides))


def ini(**options: str) -> Files:
    return {"pytest.ini": "[pytest]\n" + "".join(f"{k} = {v}\n" for k, v in options.items())}


def project(**options: object) -> Files:
    rows = "".join(f"{k} = {json.dumps(v)}\n" for k, v in options.items())
    return {"pyproject.toml": f"[project]\nname = 'x'\n[tool.pytest.ini_options]\n{rows}"}


def package(**keys: object) -> Files:
    return {"package.json": json.dumps(keys)}


# reason: command, base, tip, what is said ("": nothing)
ROWS: dict[str, tuple[str, Files, Files, str]] = {
    # nothing to say
    "no-file-at-all": ("pytest", {}, {}, ""),
    "the-same-file": ("pytest", ini(addopts="-k a"), ini(addopts="-k a"), ""),
    "a-selection-goes-away": ("pytest", ini(addopts="-k a"), ini(), ""),
    "words-that-select-nothing": ("pytest", ini(), ini(addopts="-q --tb=short -n 4"), ""),
    "the-same-moved-to-another-file": ("pytest", ini(addopts="-m fast"), project(addopts="-m fast"), ""),
    "a-wider-pattern": ("pytest", ini(python_files="test_*.py"), ini(python_files="*.py"), ""),
    "the-defaults-written-down": ("pytest", ini(), ini(python_files="test_*.py *_test.py", python_classes="Test"), ""),
    "a-shorter-prefix": ("pytest", ini(python_functions="test_"), ini(python_functions="test"), ""),
    "a-set-of-characters-cannot-be-compared": ("pytest", ini(python_files="[tT]est*.py"), ini(python_files="test*.py"), ""),
    "a-hidden-folder-is-left-out-anyway": ("pytest", ini(), ini(norecursedirs=".git .tox build node_modules"), ""),
    "testpaths-of-everything": ("pytest", ini(), ini(testpaths="."), ""),
    "one-more-testpath": ("pytest", ini(testpaths="tests"), ini(testpaths="tests docs"), ""),
    "a-folder-above": ("pytest", ini(testpaths="tests/unit"), ini(testpaths="tests"), ""),
    "testpaths-beside-paths-in-the-command": ("pytest tests", ini(testpaths="tests docs"), ini(testpaths="tests"), ""),
    "a-file-that-no-longer-parses": ("pytest", ini(), {"pytest.ini": "addopts = -k a\n"}, ""),
    "a-file-that-pytest-does-not-reach": ("pytest", ini(), ini() | {"sub/pytest.ini": "[pytest]\naddopts = -k a\n"}, ""),
    "a-weaker-file-beside-a-stronger": ("pytest", ini(), ini() | project(addopts="-k a"), ""),
    "pytest-started-in-another-folder": ("uv run --directory sub pytest", ini(), ini(addopts="-k a"), ""),
    "another-runner": ("npx jest", ini(), ini(addopts="-k a"), ""),
    "a-program-configures-jest": (
        "npx jest",
        {"jest.config.js": ""} | package(jest={}),
        {"jest.config.js": ""} | package(jest={"testPathIgnorePatterns": ["slow"]}),
        "",
    ),
    "jest-ignores-what-it-does-anyway": (
        "npx jest", package(jest={}), package(jest={"testPathIgnorePatterns": ["/node_modules/"]}), "",
    ),
    "a-script-that-only-prints": ("npm test", package(scripts={"test": "jest"}), package(scripts={"test": "jest --ci"}), ""),
    "another-script": ("npm test", package(scripts={"test": "jest"}), package(scripts={"test": "jest", "lint": "eslint"}), ""),
    # less is selected
    "a-keyword": ("pytest", ini(), ini(addopts="-q -k 'not slow'"), "pytest.ini: addopts now has -k"),
    "a-marker-in-pyproject": ("pytest -q", project(), project(addopts=["-m", "fast"]), "pyproject.toml: addopts now has -m"),
    "an-ignored-file": ("pytest", ini(), ini(addopts="--ignore=tests/slow"), "addopts now has --ignore"),
    "a-stronger-file-appears": ("pytest", project(), project() | ini(addopts="-k a"), "pytest.ini: addopts now has -k"),
    "the-file-of-the-arguments-folder": (
        "pytest sub/tests",
        {"sub/pytest.ini": "[pytest]\n"},
        {"sub/pytest.ini": "[pytest]\naddopts = --deselect a.py::b\n"},
        "sub/pytest.ini: addopts now has --deselect",
    ),
    "tox-ini": ("pytest", {"tox.ini": "[pytest]\n"}, {"tox.ini": "[pytest]\naddopts=-k a\n"}, "tox.ini: addopts"),
    "setup-cfg": ("pytest", {}, {"setup.cfg": "[tool:pytest]\naddopts=-k a\n"}, "setup.cfg: addopts"),
    "pytest-toml": ("pytest", {}, {"pytest.toml": '[pytest]\naddopts=["-k", "a"]\n'}, "pytest.toml: addopts"),
    "a-testpath-dropped": ("pytest", ini(testpaths="tests docs"), ini(testpaths="tests"), "testpaths no longer has docs"),
    "testpaths-where-there-were-none": ("pytest", ini(), ini(testpaths="tests/unit"), "testpaths now has tests/unit"),
    "a-pattern-dropped": ("pytest", ini(), ini(python_files="test_*.py"), "python_files no longer has *_test.py"),
    "a-longer-prefix": ("pytest", ini(), ini(python_functions="test_fast"), "python_functions no longer has test"),
    "a-folder-left-out": ("pytest", ini(), ini(norecursedirs=".* build slow"), "norecursedirs now has slow"),
    "jest-ignores-a-folder": (
        "npx jest", package(jest={}), package(jest={"testPathIgnorePatterns": ["/node_modules/", "/slow/"]}),
        "package.json: testPathIgnorePatterns now has /slow/",
    ),
    "a-pattern-of-jest-dropped": (
        "npx jest",
        {"jest.config.json": '{"testMatch": ["**/*.test.js", "**/*.spec.js"]}'},
        {"jest.config.json": '{"testMatch": ["**/*.test.js"]}'},
        "jest.config.json: testMatch no longer has **/*.spec.js",
    ),
    "mocha-greps": ("npx mocha", {}, {".mocharc.json": '{"grep": "fast"}'}, ".mocharc.json: grep is fast"),
    "rspec-tags": ("rspec", {".rspec": "--colour\n"}, {".rspec": "--colour\n--tag ~slow\n"}, ".rspec: --tag"),
    "nextest-filters": (
        "cargo nextest run", {}, {".config/nextest.toml": "[profile.default]\ndefault-filter = 'not test(slow)'\n"},
        ".config/nextest.toml: default-filter is `not test(slow)`",
    ),
    "a-script-selects": (
        "npm test", package(scripts={"test": "jest"}), package(scripts={"test": "jest -t fast"}),
        "package.json: its script test now selects: -t",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("command", "base", "tip", "want"), ROWS.values(), ids=ROWS)
def test_a_configuration_that_selects_less(command: str, base: Files, tip: Files, want: str) -> None:
    told = said(command, base, tip)
    assert want in told
    assert bool(told) is bool(want)


@pytest.mark.parametrize(("command", "base", "tip", "want"), ROWS.values(), ids=ROWS)
def test_what_is_read_is_asked_for(command: str, base: Files, tip: Files, want: str) -> None:
    if want:
        assert {*base, *tip} <= set(files_of(command.split()))


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "addopts": st.sampled_from(["-q", "-k a", "-m fast", "--ignore=x -q"]),
        "testpaths": st.sampled_from(["tests", "tests docs", "."]),
        "python_files": st.sampled_from(["test_*.py", "*.py", "check_*.py test_*.py"]),
        "norecursedirs": st.sampled_from([".*", "build slow"]),
    },
)


@given(OPTIONS)
def test_a_configuration_against_itself_selects_nothing_less(options: dict[str, str]) -> None:
    assert said("pytest", ini(**options), ini(**options)) == ""
    assert said("pytest", ini(**options), project(**options)) == ""


@given(OPTIONS)
def test_one_more_selection_is_always_told(options: dict[str, str]) -> None:
    more = options | {"addopts": options.get("addopts", "") + " --deselect tests/test_a.py::test_b"}
    assert "addopts now has --deselect" in said("pytest", ini(**options), ini(**more))


PARTS: dict[str, tuple[str, str, str | None, str | None, bool]] = {
    "the-same": ("pyproject.toml", "pytest", "[tool.pytest]\na=1\n", "[tool.pytest]\na=1\n", False),
    "another-table": ("pyproject.toml", "pytest", "[project]\nversion='1'\n", "[project]\nversion='2'\n", False),
    "only-the-layout": ("pyproject.toml", "pytest", "[tool.pytest]\na=1\n", "# hello\n[tool.pytest]\na = 1\n", False),
    "a-dependency": (
        "package.json",
        "jest",
        '{"devDependencies": {"jest": "1"}}',
        '{"devDependencies": {"jest": "2"}}',
        False,
    ),
    "its-own-table": ("pyproject.toml", "pytest", "[tool.pytest]\na=1\n", "[tool.pytest]\na=2\n", True),
    "the-table-is-new": ("setup.cfg", "pytest", "[metadata]\n", "[metadata]\n[tool:pytest]\naddopts=-q\n", True),
    "the-file-is-gone": ("tox.ini", "testenv", "[testenv:py]\ncommands=pytest\n", None, True),
    "a-script": ("package.json", "scripts", '{"scripts": {"test": "a"}}', '{"scripts": {"test": "b"}}', True),
    "it-cannot-be-read": ("pyproject.toml", "pytest", "[tool.pytest]\na=1\n", "[tool.pytest\n", True),
}


@pytest.mark.parametrize(("path", "word", "before", "after", "want"), PARTS.values(), ids=PARTS)
def test_of_a_shared_file_only_the_runner_s_part_counts(
    path: str, word: str, before: str | None, after: str | None, want: bool
) -> None:
    sides = [None if text is None else text.encode() for text in (before, after)]
    assert differs(path, word, *sides) is want
