"""Who called the pre-push hook: is it `git push --dry-run`, which sends nothing (design, 10.36)?

git tells its hook nothing about that, in no argument and in no variable. So the command lines of the processes above are
looked at: in /proc where there is one, else by `ps`. Where neither can tell, the push is taken for a real one.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FAR = 12  # processes above: a hook host and its shells stand between git and us
# The options of git itself that take the next word as their value.
_GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source")
_PUSH_VALUES = ("--repo", "--receive-pack", "--exec", "--push-option")


def is_dry_run(process: int | None = None) -> bool:
    """Whether the nearest `git push` above this process (or above `process`) only pretends."""
    for words in _ancestors(os.getppid() if process is None else process):
        options = push_options(words)
        if options is not None:
            return pretends(options)
    return False


def push_options(words: Sequence[str]) -> Sequence[str] | None:
    """The words after `push` of a command line of git's; None for any other program or command."""
    if not words:
        return None
    program = os.path.basename(words[0])
    if program == "git-push":
        return words[1:]
    if program != "git":
        return None
    index = 1
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in _GIT_VALUES else 1
    return words[index + 1 :] if words[index : index + 1] == ["push"] else None


def pretends(options: Sequence[str]) -> bool:
    """Whether the options of `git push` say so; the last word counts, as in git."""
    found = False
    index = 0
    while index < len(options):
        word = options[index]
        index += 1
        if word in ("--", "--end-of-options"):
            break
        if word in _PUSH_VALUES:
            index += 1
        elif word.startswith("--"):
            # git takes any beginning that fits one option alone; `--d` would fit two.
            if len(word) >= len("--dr") and "--dry-run".startswith(word):
                found = True
            elif len(word) >= len("--no-dr") and "--no-dry-run".startswith(word):
                found = False
        elif word.startswith("-"):
            letters, value, rest = word[1:].partition("o")
            found = found or "n" in letters
            index += bool(value) and not rest
    return found


def _ancestors(process: int) -> Iterator[list[str]]:
    """The command lines of a process and of those above it, the nearest first."""
    for _ in range(_FAR):
        if process <= 1:
            return
        told = _from_proc(process) or _from_ps(process)
        if told is None:
            return
        process, words = told
        yield words


def _from_proc(process: int) -> tuple[int, list[str]] | None:
    """The parent's number and the words of a process (proc(5)); None where there is no such file."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as stream:
            words = stream.read().decode("utf-8", "surrogateescape").rstrip("\0").split("\0")
        with open(f"/proc/{process}/stat", "rb") as stream:
            # The second field is the program's name in parentheses, which may hold blanks and parentheses itself.
            parent = int(stream.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return parent, words


def _from_ps(process: int) -> tuple[int, list[str]] | None:
    """The same by POSIX's ps, which joins the words with blanks."""
    import subprocess  # only where there is no /proc

    try:
        done = subprocess.run(
            ["ps", "-o", "ppid=", "-o", "args=", "-p", str(process)], capture_output=True, timeout=2, check=False
        )
        parent, *words = done.stdout.decode("utf-8", "surrogateescape").split()
        return int(parent), words
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
