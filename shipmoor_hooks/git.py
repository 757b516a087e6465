"""The one place that starts git. Every call has a scrubbed environment, so nothing that a hook exports moves it.

Location variables (`git rev-parse --local-env-vars`) are dropped, configuration that the user gave by environment is kept;
replace refs, grafts and lazy fetches are off, and nothing takes an optional lock (design, sections 6 and 9).
"""

from __future__ import annotations

import os

from shipmoor_hooks import git_process
from shipmoor_hooks.errors import GitFault, RepositoryFault
from shipmoor_hooks.git_environment import LOCATION_VARIABLES, scrubbed

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    _Answer = TypeVar("_Answer")

CONFIGURATION_VARIABLES = ("GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT")


def command_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for a wrapped command: all that `git rev-parse --local-env-vars` lists is dropped."""
    drop = {*LOCATION_VARIABLES, *CONFIGURATION_VARIABLES}
    return {
        k: v
        for k, v in environ.items()
        if k not in drop and not k.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_QUARANTINE_"))
    }


def quarantine(environ: Mapping[str, str]) -> dict[str, str]:
    """What git tells a pre-receive hook about the objects that are not taken in yet (git-receive-pack(1)).

    With them git reads what is pushed, writes beside it, and refuses to move a ref.
    """
    if not environ.get("GIT_QUARANTINE_PATH"):
        return {}
    names = ("GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
    return {name: environ[name] for name in names if environ.get(name)}


def alternates(environ: Mapping[str, str], objects: str) -> str:
    """GIT_ALTERNATE_OBJECT_DIRECTORIES for a throw-away store on top of the store `objects`, and of a quarantine."""
    own = [quoted(objects)]
    if environ.get("GIT_OBJECT_DIRECTORY"):
        own.append(quoted(environ["GIT_OBJECT_DIRECTORY"]))
    if environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES"):
        own.append(environ["GIT_ALTERNATE_OBJECT_DIRECTORIES"])
    return os.pathsep.join(own)


def quoted(path: str) -> str:
    """A path as git reads it in GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted where it holds the separator or a quote."""
    if os.pathsep not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Git:
    """git, bound to one directory.

    `environ` is the caller's environment (scrubbed here); `directory` any folder inside the repository.
    """

    def __init__(self, directory: str, environ: Mapping[str, str]) -> None:
        self.directory = directory
        self.environ = scrubbed(environ)
        self._answers: dict[tuple[str, ...], Any] = {}

    def once(self, question: tuple[str, ...], ask: Callable[[], _Answer]) -> _Answer:
        """The answer to a question about objects by their names, which never come to mean another thing: asked once."""
        if question not in self._answers:
            self._answers[question] = ask()
        answer: _Answer = self._answers[question]
        return answer

    def run(
        self,
        *arguments: str | bytes,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> git_process.Finished:
        """Run git whatever it answers; `timeout` in seconds.

        Raises RepositoryFault when git or the directory is missing, git_process.TookTooLong, GitFault.
        """
        words = ("-C", self.directory, *arguments)
        environ = self.environ | dict(extra) if extra else self.environ
        try:
            done = git_process.run(words, environ, stdin, timeout)
        except FileNotFoundError as missing:
            raise RepositoryFault("git is not on PATH", "install git 2.34 or newer") from missing
        except ChildProcessError as unknown:
            raise GitFault(
                "nobody can tell how git ended: this process was started with SIGCHLD ignored",
                "start it without that (signal(7))",
            ) from unknown
        if done.returncode == 128 and not os.path.isdir(self.directory):
            raise RepositoryFault(f"{self.directory}: there is no such folder")
        return done

    def output(
        self,
        *arguments: str | bytes,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
        ok: Iterable[int] = (0,),
        timeout: float | None = None,
    ) -> bytes:
        """The standard output of a git command. Raises GitFault on an exit code outside `ok`."""
        done = self.run(*arguments, stdin=stdin, extra=extra, timeout=timeout)
        if done.returncode not in tuple(ok):
            said = done.stderr.decode("utf-8", "replace").strip()
            told = [a.decode("utf-8", "replace") if isinstance(a, bytes) else a for a in arguments]
            while told[:1] == ["-c"]:
                del told[:2]
            words = " ".join(told[:3])
            raise GitFault(f"git {words} failed: {last_line(said)}", stderr=said)
        return done.stdout

    def text(self, *arguments: str | bytes, extra: Mapping[str, str] | None = None) -> str:
        """The output as text, surrogate-escaped, without the last line feed. Raises GitFault."""
        return self.output(*arguments, extra=extra).decode("utf-8", "surrogateescape").rstrip("\n")

    def try_text(self, *arguments: str | bytes, extra: Mapping[str, str] | None = None) -> str | None:
        """The output as text, or None when git says no."""
        done = self.run(*arguments, extra=extra)
        return None if done.returncode else done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def last_line(text: str) -> str:
    """The last line of what a program said, "" for nothing."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def first_complaint(said: str) -> str:
    """The line of git's that names the path: how it ended, or the first error where it ended in general words."""
    ends = [line.removeprefix("fatal: ") for line in said.splitlines() if line.startswith("fatal: ")]
    errors = [line.removeprefix("error: ") for line in said.splitlines() if line.startswith("error: ")]
    told = [line for line in ends if line not in ("adding files failed", "updating files failed")]
    return [*told[-1:], *errors, last_line(said)][0].rstrip(".")
