"""push_words: what a line of shell pushes, and what goes past the hooks; a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.push_words import Push, Reading, read

HEAD = Push("", (), alone=True)


@pytest.mark.parametrize(
    ("line", "pushes"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("git status", [], id="another command"),
        pytest.param("echo git push", [], id="words of another program"),
        pytest.param("git commit -m 'git push later'", [], id="a message"),
        pytest.param("git log --grep push", [], id="a word of another git command"),
        pytest.param("git stash push", [], id="stash has a push of its own"),
        pytest.param("cat > x <<'EOF'\ngit push --no-verify\nEOF\n", [], id="a here document"),
        pytest.param("git push", [HEAD], id="a push"),
        pytest.param("/usr/bin/git push origin", [HEAD], id="a remote alone"),
        pytest.param("git push -u origin topic", [Push("", ("topic",), True)], id="a branch"),
        pytest.param("git push origin +a:refs/heads/b c", [Push("", ("a", "c"), True)], id="refspecs"),
        pytest.param("git push origin :gone", [Push("", None, True)], id="a deletion by refspec"),
        pytest.param("git push --delete origin x", [Push("", None, True)], id="a deletion"),
        pytest.param("git push --all", [Push("", None, True)], id="all branches"),
        pytest.param('git push origin "$BRANCH"', [Push("", None, True)], id="a variable"),
        pytest.param("git push -o ci.skip origin main", [Push("", ("main",), True)], id="a push option's value"),
        pytest.param("git push origin main 2>&1 | tail -3", [Push("", ("main",), True)], id="a pipe behind"),
        pytest.param("git push origin main > log", [Push("", ("main",), True)], id="output into a file"),
        pytest.param("git -C sub -c a=b --no-pager push", [Push("sub", (), True)], id="git's own options"),
        pytest.param("cd sub && git push", [Push("sub", (), True)], id="a folder before"),
        pytest.param("cd a && cd b; git -C c push", [Push("a/b/c", (), True)], id="folders below each other"),
        pytest.param("A=1 env B=2 timeout 60 git push", [HEAD], id="programs and values before"),
        pytest.param("git add -A && git commit -m x && git push", [Push("", (), False)], id="a commit before"),
        pytest.param("make\ngit push", [Push("", (), False)], id="a line before"),
        pytest.param("git push && git push origin b", [HEAD, Push("", ("b",), True)], id="two pushes"),
        pytest.param("bash -c 'git push origin a'", [Push("", ("a",), True)], id="a shell in the shell"),
        pytest.param("if true; then git push; fi", [Push("", (), False)], id="a condition"),
        pytest.param("(git push)", [HEAD], id="a sub-shell"),
        pytest.param("git push 'origin", [Push("", (), True)], id="a quote that does not close"),
    ],
)
def test_what_is_pushed(line: str, pushes: list[Push]) -> None:
    assert read(line) == Reading(tuple(pushes), ())


@pytest.mark.parametrize(
    ("line", "around"),
    [
        pytest.param("git push --no-verify", ["git push --no-verify"], id="the option"),
        pytest.param("git push origin main --no-veri", ["git push --no-veri"], id="shortened as git allows"),
        pytest.param("git commit -n -m x", ["git commit -n"], id="the short option of commit"),
        pytest.param("git commit -anm x", ["git commit -anm"], id="among others"),
        pytest.param("git push -n", [], id="of push it is a dry run"),
        pytest.param("git commit -m --no-verify-is-bad", [], id="a longer word"),
        pytest.param("git push -- --no-verify", [], id="behind two dashes"),
        pytest.param("echo --no-verify", [], id="another program"),
        pytest.param(
            "git -c core.hooksPath=/dev/null push", ["-c core.hooksPath=/dev/null"], id="another hooks folder"
        ),
        pytest.param("HUSKY=0 git push", ["HUSKY=0"], id="husky off"),
        pytest.param("export LEFTHOOK=0; git push", ["LEFTHOOK=0"], id="lefthook off, exported"),
        pytest.param("SKIP=a,shipmoor-gate git push", ["SKIP=a,shipmoor-gate"], id="pre-commit's skip"),
        pytest.param("SKIP=flake8 git commit", [], id="another hook left out"),
        pytest.param("bash -c 'git push --no-verify'", ["git push --no-verify"], id="in a shell"),
    ],
)
def test_what_goes_past_the_hooks(line: str, around: list[str]) -> None:
    assert list(read(line).around) == around


@given(st.text(alphabet=st.sampled_from("git push-'\"$;&|()\n<EOF\\ n\0é")))
def test_any_line_is_read(line: str) -> None:
    assert isinstance(read(line), Reading)
