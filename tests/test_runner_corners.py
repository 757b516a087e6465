"""The runners' corners: a report that the user names already, pairs of reporters, commands moved to the root, odd words."""

from __future__ import annotations

import shlex

import pytest

from shipmoor_hooks import runners
from shipmoor_hooks.runners.runner import shell_words

PYTEST = runners.RUNNERS["pytest"]


def told(command: str, **environ: str) -> tuple[list[str], list[str]]:
    """The command that is run for this one, and the reports that it writes."""
    words = shlex.split(command)
    runner = runners.recognise(words)
    assert runner is not None
    answer = runner.prepare(words, environ, "/fresh")
    return list(answer.command), list(answer.reports)


@pytest.mark.parametrize(
    ("command", "reports"),
    [
        ("gotestsum --junitfile r.xml -- ./...", ["r.xml"]),
        ("phpunit --log-junit r.xml", ["r.xml"]),
        ("rspec --format RspecJunitFormatter --out r.xml", ["r.xml"]),
    ],
)
def test_a_report_that_the_user_names_is_read_where_it_is(command: str, reports: list[str]) -> None:
    assert told(command) == (shlex.split(command), reports)


def test_gotestsum_may_be_told_by_its_environment() -> None:
    assert told("gotestsum", GOTESTSUM_JUNITFILE="[r].xml") == (["gotestsum"], ["[[]r].xml"])


def test_a_formatter_of_the_users_own_that_writes_to_the_terminal_gets_a_file_beside_it() -> None:
    command, reports = told("rspec --format RspecJunitFormatter")
    assert command[-4:] == ["--format", "RspecJunitFormatter", "--out", "/fresh/rspec.xml"]
    assert reports == ["/fresh/rspec.xml"]


def test_mochas_own_junit_reporter_is_told_by_environment() -> None:
    words = shlex.split("npx mocha -R mocha-junit-reporter")
    runner = runners.recognise(words)
    assert runner is not None
    answer = runner.prepare(words, {}, "/fresh")
    assert answer.environ == {"MOCHA_FILE": "/fresh/mocha.xml"}
    assert list(answer.command)[-2:] == ["--reporter-option", "includePending=true"]


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("node --test", ["--test-reporter=spec", "--test-reporter-destination=stdout"]),
        ("node --test --test-reporter=tap", ["--test-reporter-destination=stdout"]),
        ("node --test --test-reporter=tap --test-reporter-destination=t.tap", []),
    ],
)
def test_reporters_of_node_pair_up_with_their_destinations(command: str, extra: list[str]) -> None:
    ours = ["--test-reporter=junit", "--test-reporter-destination=/fresh/node.xml"]
    found, _ = told(command)
    assert found == ["node", *ours, *extra, *shlex.split(command)[1:]]


@pytest.mark.parametrize(
    ("command", "folder", "default", "want"),
    [
        ("pytest -q", "sub", (), "pytest -q sub"),
        ("pytest -q", "", (), "pytest -q"),
        ("pytest -q", "sub", ("sub/tests",), "pytest -q sub/tests"),
        ("pytest tests ../other", "sub", (), "pytest sub/tests other"),
        ("pytest /abs @file", "sub", (), "pytest /abs @file"),
        ("pytest tests", "", ("ignored",), "pytest tests"),
    ],
)
def test_a_command_as_if_it_had_been_started_at_the_root(
    command: str, folder: str, default: tuple[str, ...], want: str
) -> None:
    assert list(PYTEST.from_top(shlex.split(command), folder, default)) == shlex.split(want)


def test_a_command_without_a_known_runner_is_none() -> None:
    with pytest.raises(ValueError, match="no known runner in make test"):
        PYTEST.from_top(["make", "test"], "sub")


@pytest.mark.parametrize(("text", "words"), [("-k 'a b'", ["-k", "a b"]), ("-k 'a b", ["-k", "'a", "b"]), ("", [])])
def test_an_open_quote_is_split_at_blanks(text: str, words: list[str]) -> None:
    assert shell_words(text) == words


@pytest.mark.parametrize("command", ["env A=1", "uv run", "timeout 5", "npx"])
def test_a_launcher_with_nothing_behind_it_names_no_runner(command: str) -> None:
    assert runners.recognise(shlex.split(command)) is None


def test_options_of_one_dash_may_be_written_with_two() -> None:
    assert list(runners.narrowing(shlex.split("gotestsum -- --run X ./..."), {}, ["gotestsum"])) == ["--run X"]
