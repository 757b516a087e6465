"""What a failed git command is called in the message."""

from __future__ import annotations

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks.errors import GitFault
from shipmoor_hooks.git import Git, first_complaint


@pytest.mark.parametrize(
    "settings",
    [(), ("-c", "core.a=b"), ("-c", "core.a=b", "-c", "core.c=d")],
    ids=["no settings (no-op)", "one", "two"],
)
def test_the_command_is_named_without_its_settings(repo: RepoBuilder, settings: tuple[str, ...]) -> None:
    with pytest.raises(GitFault, match=r"^git rev-parse --verify nowhere failed: ") as failed:
        Git(str(repo.path), repo.env).output(*settings, "rev-parse", "--verify", "nowhere")
    assert failed.value.stderr.startswith("fatal: ")


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("", ""),
        ("fatal: x: cannot be read.\n", "x: cannot be read"),
        ("error: a.txt: is a pipe\nerror: unable to index file\nfatal: updating files failed\n", "a.txt: is a pipe"),
        (
            "fatal: cannot run y\nerror: filter failed\nfatal: x: clean filter 'y' failed\n",
            "x: clean filter 'y' failed",
        ),
        ("warning: w\nsomething else\n", "something else"),
    ],
    ids=["nothing", "one end", "an end in general words", "the last end, not a child's", "neither error nor end"],
)
def test_the_complaint_is_the_line_that_names_the_path(said: str, complaint: str) -> None:
    assert first_complaint(said) == complaint
