"""Lint of a scaffold: a shell script that runs as you, outside any sandbox, and writes into its workspace alone. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from shipmoor_hooks.evals.check.finding import CheckFinding, Surroundings
from shipmoor_hooks.evals.definitions import CaseDefinition

RULES = {"scaffold-outside": "the scaffold writes outside its workspace; it runs as you, outside any sandbox"}
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
_WRITERS = frozenset(("mv", "rm", "rmdir", "mkdir", "touch", "tee", "truncate", "chmod", "chown", "cd", "pushd"))
_TO_THE_LAST = frozenset(("cp", "ln", "install", "rsync"))
_HARMLESS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/")
_OUTSIDE = re.compile(r"^(?:/|~|\$\{?(?:HOME|OLDPWD|CLAUDE_PLUGIN_ROOT|XDG_[A-Z_]+|TMPDIR)\b|\.\.(?:/|$))|/\.\.(?:/|$)")
_SEPARATORS = frozenset(("|", "||", "&&", ";", "&", "(", ")", "{", "}", "then", "do", "else", "|&"))


def scaffolds(case: CaseDefinition, around: Surroundings) -> Iterator[CheckFinding]:
    path = case.scaffold_script.removeprefix("./")
    script = around.files.get(case.dir, {}).get(path) if path else None
    if script is None:
        return
    for line, target in writes_outside(script):
        yield CheckFinding(
            "scaffold-outside", case.dir, f"{path}:{line} writes to {target!r}, outside its workspace",
            way_out="write below the folder that it starts in",
        )  # fmt: skip


def writes_outside(script: str) -> Iterator[tuple[int, str]]:
    """Line and target of each write that leaves the working folder, as far as words tell: no shell is started."""
    closing: list[str] = []
    for number, line in enumerate(script.splitlines(), 1):
        if closing:
            if line.strip() == closing[0]:
                closing.pop(0)
            continue
        closing = [found[2] for found in _HEREDOC.finditer(line)]
        for target in _targets(_HEREDOC.sub("", line)):
            if _OUTSIDE.search(target) and not target.startswith(_HARMLESS):
                yield number, target


def _targets(line: str) -> Iterator[str]:
    """Where a line's redirects and its writing commands lead."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="<>|&;()")
    lexer.commenters = "#"
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        words = line.split()
    command: list[str] = []
    for number, word in enumerate([*words, ";"]):
        before = words[number - 1] if number else ""
        if word in _SEPARATORS:
            yield from _written(command)
            command = []
        elif before.startswith(">") or before in ("&>", ">&"):
            yield word
        elif not set(word) <= set("<>&") and (command or not re.match(r"[A-Za-z_]\w*=", word)):
            command.append(word)


def _written(command: list[str]) -> Iterator[str]:
    """The operands of one command that it writes to, creates, removes or goes to."""
    program = command[0].rpartition("/")[2] if command else ""
    operands = [word for word in command[1:] if not word.startswith("-")]
    options = [word for word in command[1:] if word.startswith("-")]
    if program in _TO_THE_LAST:
        yield from operands[-1:]
    elif program == "sed":
        yield from operands[1:] if any(o.startswith(("-i", "--in-place")) for o in options) else ()
    elif program in _WRITERS:
        yield from operands
    if "-C" in command[:-1]:
        yield command[command.index("-C") + 1]
    for option in command[1:]:
        if option.startswith(("of=", "--output=", "--target-directory=")):
            yield option.partition("=")[2]
