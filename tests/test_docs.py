"""The docs against the program: nothing is missing, nothing has drifted, and the README's sessions run as they are told."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest
import typer
from readme_sessions import PAGES, README, comparable, played, sessions, shop
from repo_builder import RepoBuilder

from shipmoor_hooks import code_pages, errors
from shipmoor_hooks.cli.main import app_for
from shipmoor_hooks.model import Code, Trailer
from shipmoor_hooks.wiring.hook_source import HOOKS

ROOT = Path(__file__).parent.parent
DOCS = sorted([README, ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
APP = app_for(None)
COMMANDS = [str(c.name) for c in APP.registered_commands]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if str(ROOT / "docs") not in sys.path:
        sys.path.append(str(ROOT / "docs"))  # as it is when the script is started
    spec.loader.exec_module(module)
    return module


def missing(text: str, names: Iterable[str]) -> list[str]:
    """The names that the text does not have as code."""
    return [name for name in names if f"`{name}`" not in text]


# ---------------------------------------------------------------- nothing is missing


def test_the_readme_names_every_command_code_and_hook() -> None:
    assert missing(README.read_text(), [*COMMANDS, *(c.value for c in Code), *HOOKS]) == []


def test_a_name_that_is_missing_is_seen() -> None:
    text = README.read_text().replace("`SHALLOW`", "")
    assert missing(text, ["SHALLOW", "CASE_RED"]) == ["SHALLOW"]


def test_every_code_has_a_page_and_no_page_is_left_over() -> None:
    pages = {p.stem: p.read_text() for p in (ROOT / "shipmoor_hooks" / "codes").iterdir()}
    assert sorted(pages) == sorted(c.value for c in Code)
    assert {name for name, text in pages.items() if not text.startswith(f"# {name}\n\n")} == set()


@pytest.mark.parametrize("code", Code, ids=lambda c: c.value)
def test_a_page_says_what_happened_shows_it_and_names_the_ways_out(code: Code) -> None:
    parts = re.split(r"^## (.+)$", code_pages.page_of(code.value), flags=re.M)
    assert parts[1::2] == ["Example", "Ways out"]
    assert parts[2].strip().startswith(code.value)
    assert parts[4].strip()
    assert code_pages.first_sentence(code).endswith(".")
    assert max(len(line) for line in code_pages.page_of(code.value).splitlines()) <= 128


def test_every_trailer_is_in_the_page_about_disclosures() -> None:
    text = (ROOT / "docs" / "disclosures.md").read_text()
    assert [t.value for t in Trailer if f"`{t.value}:`" not in text] == []


def test_every_exit_code_is_in_the_readme() -> None:
    told = {int(n) for n in re.findall(r"^\| (\d+) \|", README.read_text(), re.M)}
    assert told == {value for name, value in vars(errors).items() if name.startswith("EXIT_")}


# ---------------------------------------------------------------- nothing has drifted


def test_the_generated_parts_are_up_to_date() -> None:
    stale = [p.name for p, text in generator().wanted().items() if not p.exists() or p.read_text() != text]
    assert stale == [], "make docs"


def test_a_generated_part_that_drifted_is_seen() -> None:
    text = README.read_text()
    assert generator().filled(text.replace("Drop old runs.", "Drop runs.")) == text


@pytest.mark.parametrize("words", [[], ["gate"]], ids=["the program", "gate"])
def test_the_help_of_a_real_call_is_in_the_docs(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "shipmoor_hooks", *words, "--help"],
        env=os.environ | {"COLUMNS": "100"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() in (ROOT / "docs" / "commands.md").read_text()


@pytest.mark.parametrize("path", DOCS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", path.read_text()):
        name, _, anchor = target.partition("#")
        assert "://" not in target, f"{path.name} names a host: {target}"
        page = path.parent / name if name else path
        assert page.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
            assert anchor in [re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles], target


# ---------------------------------------------------------------- the sessions


SESSIONS = [
    pytest.param(page, name, blocks, id=f"{page.relative_to(ROOT)}-{name}")
    for page in PAGES
    for name, blocks in sessions(page.read_text())
]


@pytest.mark.parametrize(("page", "name", "blocks"), SESSIONS)
def test_a_session_goes_as_it_is_told(
    page: Path, name: str, blocks: list[str], tmp_path: Path, environment: dict[str, str], installed_python: Path
) -> None:
    repo = shop(RepoBuilder.create(tmp_path / "shop", environment), installed_python, tmp_path / "tools", name)
    for block in blocks:
        assert comparable(played(repo, block)) == comparable(block), f"python tests/readme_sessions.py {page.name}"


def test_both_sessions_are_played_and_a_difference_is_seen() -> None:
    assert [name for name, _ in sessions(README.read_text())] == ["git", "pre-commit"]
    assert comparable("3 passed in 1.62s, run 920feadad2ab") == comparable("3 passed in 0.02s, run 1b3fa5ecfe0d")
    assert comparable("3 of 3") != comparable("2 of 3")


# ---------------------------------------------------------------- the site, and every command line


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="sphinx is not installed here; `make test` brings it")
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(ROOT / "docs"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "merge base" in (tmp_path / "index.html").read_text()


def command_lines(text: str) -> list[str]:
    """What a page tells people to type: `shipmoor-hooks ...` in blocks of shell and in inline code."""
    blocks = re.findall(r"^```(?:sh|console|yaml)\n(.*?)^```", text, re.M | re.S)
    lines = [line.strip() for block in blocks for line in block.splitlines() if "shipmoor-hooks " in line]
    typed = [line.removeprefix("$ ") for line in lines if re.match(r"(\$ )?shipmoor-hooks [a-z-]", line)]
    return typed + re.findall(r"`(shipmoor-hooks [a-z-][^`]*)`", text)


def wrong_words(line: str) -> list[str]:
    """The command and the options of a line that the program does not have."""
    words = [w for w in re.split(r"\s+", line.split("#")[0].split("|")[0].split("&&")[0].split(";")[0]) if w][1:]
    group = typer.main.get_command(APP)
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] == "-C" else words[1:]
    command = group
    while words and hasattr(command, "commands"):
        found = command.commands.get(words[0].split("|")[0])
        if found is None:
            return [words[0]]
        command, words = found, words[1:]
    known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"-h", "--help"}
    asked = words[: words.index("--")] if "--" in words else words
    return [w for w in asked if w.startswith("-") and w.split("=")[0].rstrip("],") not in known and w != "-"]


@pytest.mark.parametrize("path", DOCS, ids=lambda p: str(p.relative_to(ROOT)))
def test_what_a_page_tells_people_to_type_exists(path: Path) -> None:
    lines = command_lines(path.read_text())
    assert {line: wrong_words(line) for line in lines if wrong_words(line)} == {}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        pytest.param("shipmoor-hooks run --at main -- pytest -x", [], id="words-behind-two-dashes-are-the-runner's"),
        pytest.param("shipmoor-hooks judge", ["judge"], id="no-such-command"),
        pytest.param("shipmoor-hooks gate --merge", ["--merge"], id="no-such-option"),
    ],
)
def test_a_command_line_that_is_wrong_is_seen(line: str, wrong: list[str]) -> None:
    assert wrong_words(line) == wrong
