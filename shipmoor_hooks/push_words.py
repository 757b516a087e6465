"""What a line of shell does with git: which pushes, of what, and who wants to go past the hooks. Pure.

Made for command lines that a coding agent is about to run. It is no shell: what it cannot read (variables, substitutions) it
says it cannot, and a person who wants to hide a push from it can.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass

ENDS = frozenset({";", "&", "|", "&&", "||", "(", ")", "\n", "{", "}", "!"})
PREFIXES = frozenset(
    {"env", "command", "exec", "nohup", "time", "timeout", "sudo", "builtin", "then", "do", "else", "if", "while"}
)
SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"})
PUSH_VALUES = frozenset({"-o", "--push-option", "--repo", "--receive-pack", "--exec"})
AROUND = re.compile(
    r"(HUSKY=0|LEFTHOOK=(0|false)|(SKIP|PREK_SKIP)=\S*shipmoor-gate\S*|PRE_COMMIT_ALLOW_NO_CONFIG=\S+)$"
)
HERE_DOCUMENT = re.compile(r"(<<-?[ \t]*(['\"]?)(\w+)\2[^\n]*\n)(?:.*\n)*?[ \t]*\3[ \t]*(?=\n|$)")
SHORT_N = frozenset({"commit"})  # of `git push`, -n is a dry run


@dataclass(frozen=True, slots=True)
class Push:
    """One `git push`: the folder that git is told to work in ("" where the shell stands), and the revisions that it names.

    `sources` is None where they cannot be told (a variable, `--all`); () where it names none, which means the branch that
    is checked out. `alone`: nothing before it in the line can have changed what is pushed.
    """

    directory: str
    sources: tuple[str, ...] | None
    alone: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What a command line does. `around` are the words that go past the hooks, as they stand."""

    pushes: tuple[Push, ...] = ()
    around: tuple[str, ...] = ()


def read(line: str, depth: int = 0) -> Reading:
    """The pushes of a line and the ways around the hooks in it."""
    pushes: list[Push] = []
    around: list[str] = []
    alone, directory = True, ""
    for words in commands(line):
        program, rest = _without_prefixes(words, around)
        if program in SHELLS and "-c" in rest[:-1] and depth < 3:
            inner = read(rest[rest.index("-c") + 1], depth + 1)
            pushes += [Push(p.directory or directory, p.sources, alone and p.alone) for p in inner.pushes]
            around += inner.around
            alone = False
        elif program == "cd" and len(rest) == 1 and "$" not in rest[0]:
            directory = _joined(directory, rest[0])
        elif program == "git":
            push = _git(rest, directory, alone, around)
            pushes += [push] if push else []
            alone = alone and push is not None
        elif program:
            alone = False
    return Reading(tuple(pushes), tuple(dict.fromkeys(around)))


def commands(line: str) -> list[list[str]]:
    """The words of each simple command. A line whose quotes do not close is read as words between blanks."""
    line = HERE_DOCUMENT.sub(r"\1", line)
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = re.split(r"[ \t\r]+|(\n|[;&|()])", line)
    found: list[list[str]] = [[]]
    for token in tokens:
        if token is None or token == "":
            continue
        if token in ENDS or not token.strip(";&|()\n"):
            found.append([])
        else:
            found[-1].append(token)
    return [words for words in found if words]


def _without_prefixes(words: Sequence[str], around: list[str]) -> tuple[str, list[str]]:
    """The program, by its last name, and its words; assignments and programs that start another are left out."""
    left = list(words)
    while left:
        word = left[0].rpartition("/")[2]
        if re.match(r"[A-Za-z_][A-Za-z0-9_]*=", left[0]):
            around += [left[0]] if AROUND.match(left[0]) else []
        elif word == "export" and len(left) > 1:
            around += [w for w in left[1:] if AROUND.match(w)]
            return "", []
        elif word not in PREFIXES and not (len(left) < len(words) and re.match(r"-|[\d.]+[smhd]?$", word)):
            return word, left[1:]
        left.pop(0)
    return "", []


def _git(words: Sequence[str], directory: str, alone: bool, around: list[str]) -> Push | None:
    """What a git command pushes; None for one that pushes nothing."""
    left = list(words)
    while left and left[0].startswith("-"):
        option = left.pop(0)
        name, equals, value = option.partition("=")
        if name in GIT_VALUES and not equals and left:
            value = left.pop(0)
        if name == "-C":
            directory = _joined(directory, value)
        elif name == "-c" and value.lower().startswith("core.hookspath"):
            around.append(f"-c {value}")
    if not left:
        return None
    command, rest = left[0], left[1:]
    options = rest[: rest.index("--")] if "--" in rest else rest
    for word in options:
        long = word.startswith("--no-veri") and "--no-verify".startswith(word)
        short = command in SHORT_N and re.fullmatch(r"-[aeipqsvz]*n[a-zA-Z]*", word) is not None
        around += [f"git {command} {word}"] if long or short else []
    return Push(directory, _sources(rest), alone) if command == "push" else None


def _sources(words: Sequence[str]) -> tuple[str, ...] | None:
    """The left sides of the refspecs; deletions are left out, None where they cannot be told."""
    operands: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            operands += left
            break
        if word in PUSH_VALUES and left:
            left.pop(0)
        elif word in {"--all", "--branches", "--mirror", "--tags", "--delete", "-d", "--prune"}:
            return None
        elif not word.startswith("-") and not re.match(r"\d*[<>]", word):
            operands.append(word)
        elif re.fullmatch(r"\d*>>?", word) and left:
            left.pop(0)
    specs = operands[1:]
    if any(set("$`*") & set(spec) for spec in specs):
        return None
    named = tuple(spec.lstrip("+").partition(":")[0] for spec in specs)
    sources = tuple(name for name in named if name)
    return None if specs and not sources else sources


def _joined(folder: str, below: str) -> str:
    return below if below.startswith(("/", "~")) or not folder else f"{folder}/{below}"
