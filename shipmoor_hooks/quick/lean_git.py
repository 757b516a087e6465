"""git for the quick paths of the hooks: the repository found by looking, and git asked.

Finding and starting cost the hook path more than git itself does. Whatever is not the plain case gives None, and the long
way (`place`, `git`, `history`) answers: nothing here decides what a repository is.
"""

from __future__ import annotations

import os

from shipmoor_hooks import git_process
from shipmoor_hooks.git_environment import NO_PROMPTS, scrubbed

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEX = frozenset("0123456789abcdef")


class Here:
    """A worktree's repository: its git directory, the common one, the worktree's name, and git's environment."""

    __slots__ = ("common_dir", "environ", "git_dir", "top", "worktree")

    def __init__(self, top: str, git_dir: str, common_dir: str, environ: dict[str, str]) -> None:
        self.top, self.git_dir, self.common_dir, self.environ = top, git_dir, common_dir, environ
        self.worktree = "main" if git_dir == common_dir else git_dir.rpartition("/")[2]


def find(top: str, environ: Mapping[str, str]) -> Here | None:
    """The repository whose worktree's root is `top`, as git starts its hooks there; None where that is not plain to see."""
    git_dir = os.path.join(top, ".git")
    if not os.path.isdir(git_dir):  # a linked worktree: `gitdir: PATH`
        git_dir = _line(git_dir).removeprefix("gitdir: ")
        if not os.path.isabs(git_dir):
            return None
    common_dir = git_dir
    if os.path.lexists(git_dir + "/commondir"):
        common_dir = os.path.normpath(os.path.join(git_dir, _line(git_dir + "/commondir")))
    named = environ.get("GIT_DIR", git_dir)
    if os.path.realpath(os.path.join(top, named)) != os.path.realpath(git_dir) or "GIT_WORK_TREE" in environ:
        return None
    head = _line(git_dir + "/HEAD")
    is_head = head.startswith("ref: refs/") or (len(head) in (40, 64) and _HEX.issuperset(head))
    if not is_head or not all(os.path.isdir(f"{common_dir}/{name}") for name in ("objects", "refs")):
        return None
    if any(os.stat(path).st_uid != os.geteuid() for path in (top, git_dir, common_dir)):
        return None  # git may not trust it
    return Here(top, git_dir, common_dir, scrubbed(environ))


def _line(path: str) -> str:
    """The one line of a small file. Raises OSError, ValueError."""
    with open(path, "rb") as stream:
        text = stream.read(4097).decode("ascii")
    if len(text) > 4096 or text.find("\n") not in (-1, len(text) - 1):
        raise ValueError(path)
    return text.rstrip("\n")


def remotes(here: Here) -> set[str] | None:
    """The remotes of the repository's own configuration that have a URL; None where it is no plain worktree's."""
    with open(here.common_dir + "/config", "rb") as stream:
        text = stream.read().decode("utf-8", "surrogateescape")
    found, section = set(), ""
    for line in text.split("\n"):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line[-1] == "\\":
            return None
        if line[0] == "[":
            if line[-1] != "]":
                return None
            section = line[1:-1]
            if section.lower().startswith(("include", "extensions")):
                return None
            continue
        key, _, value = line.partition("=")
        key, value = key.strip().lower(), value.strip()
        if section.lower() == "core" and (key == "worktree" or (key == "bare" and value != "false")):
            return None
        if section.startswith('remote "') and section[-1] == '"' and key == "url" and value:
            found.add(section[8:-1])
    return found


def ask(here: Here, *words: str, stdin: bytes = b"", seconds: float | None = None) -> bytes | None:
    """What git says to a question; None when it says no, or nothing in time (`seconds`). Raises OSError."""
    environ = here.environ if seconds is None else here.environ | NO_PROMPTS
    try:
        done = git_process.run(("-C", here.top, *words), environ, stdin, seconds)
    except git_process.TookTooLong:
        return None
    return done.stdout if done.returncode == 0 else None


def objects(here: Here, names: Sequence[str]) -> list[tuple[str, str, bytes]] | None:
    """The objects of these names: object name, type, content; None where one is missing or is no plain one."""
    said = ask(here, "cat-file", "--batch", "--follow-symlinks", stdin="".join(f"{n}\n" for n in names).encode())
    found: list[tuple[str, str, bytes]] = []
    at = 0
    while said is not None and at < len(said):
        end = said.index(b"\n", at)
        words = said[at:end].decode("ascii").split(" ")
        if len(words) != 3 or not _HEX.issuperset(words[0]):
            return None
        size = int(words[2])
        found.append((words[0], words[1], said[end + 1 : end + 1 + size]))
        at = end + size + 2
    return found if len(found) == len(names) else None
