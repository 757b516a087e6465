"""One git process, started and heard to its end without `subprocess`, whose import costs more than git itself does.

git takes its own care of what `subprocess` would set right in a child (it gives SIGPIPE its default back at its start), and
Python hands down no file that is not asked for.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PIECE = 1 << 16  # bytes: what a pipe holds


class Finished:
    """How a process ended (its exit code; less than zero: the signal that ended it), and what it said."""

    __slots__ = ("returncode", "stderr", "stdout")

    def __init__(self, returncode: int, stdout: bytes, stderr: bytes) -> None:
        self.returncode, self.stdout, self.stderr = returncode, stdout, stderr


class TookTooLong(Exception):
    """The process had not come to its end in the given time, and was ended."""


class Started:
    """A process that runs beside us until `end` is called, which hears it to its end, or `drop`, which ends it."""

    __slots__ = ("_answer", "_complaint", "_ends", "_process", "_told")

    def __init__(self, process: int, ends: set[int], answer: int, complaint: int, told: int) -> None:
        self._process, self._ends = process, ends
        self._answer, self._complaint, self._told = answer, complaint, told

    def end(self, stdin: bytes = b"", seconds: float | None = None) -> Finished:
        """How it ended and what it said; `stdin` goes in meanwhile. Raises as `run` does."""
        try:
            stdout, stderr = _heard(self._ends, self._answer, self._complaint, self._told, stdin, seconds)
            ended, self._process = self._process, 0
            return Finished(os.waitstatus_to_exitcode(os.waitpid(ended, 0)[1]), stdout, stderr)
        finally:
            self.drop()

    def drop(self) -> None:
        """Nobody wants to hear it any more: its pipes are closed, and it is ended."""
        for end in tuple(self._ends):
            _close(self._ends, end)
        if self._process:
            ended, self._process = self._process, 0
            os.kill(ended, 9)
            os.waitpid(ended, 0)


def run(
    words: Sequence[str | bytes], environ: Mapping[str, str], stdin: bytes = b"", seconds: float | None = None
) -> Finished:
    """Run git, as PATH in `environ` finds it, with these words.

    Raises FileNotFoundError where PATH leads to no git, TookTooLong after `seconds`, ChildProcessError where this process
    was started so that nobody learns how its children end, OSError where the system has no process or pipe left.
    """
    return start(words, environ, asks=bool(stdin)).end(stdin, seconds)


def start(words: Sequence[str | bytes], environ: Mapping[str, str], *, asks: bool = False) -> Started:
    """Start git and come back at once; `asks` says that it will be given something to read. Raises as `run` does.

    What it says stays in its pipes until it is heard, and it waits where they are full.
    """
    _fill_standard_streams()
    ends: set[int] = set()
    try:
        answer, says = _pipe(ends)
        complaint, complains = _pipe(ends)
        question, told = _pipe(ends) if asks else (-1, -1)
        listens = (os.POSIX_SPAWN_DUP2, question, 0) if asks else (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        actions = (listens, (os.POSIX_SPAWN_DUP2, says, 1), (os.POSIX_SPAWN_DUP2, complains, 2))
        process = os.posix_spawn(_program(environ), ["git", *words], environ, file_actions=actions)
    except BaseException:
        for end in tuple(ends):
            _close(ends, end)
        raise
    for end in ends - {answer, complaint, told}:
        _close(ends, end)
    return Started(process, ends, answer, complaint, told)


def _heard(
    ends: set[int], answer: int, complaint: int, told: int, stdin: bytes, seconds: float | None
) -> tuple[bytes, bytes]:
    """What comes out of the process until it closes both its outputs; `stdin` goes in by `told` meanwhile."""
    import select
    import time

    until = None if seconds is None else time.monotonic() + seconds
    heard: dict[int, list[bytes]] = {answer: [], complaint: []}
    rest = memoryview(stdin)
    poll = select.poll()
    poll.register(answer, select.POLLIN)
    poll.register(complaint, select.POLLIN)
    if rest:
        os.set_blocking(told, False)
        poll.register(told, select.POLLOUT)
    while answer in ends or complaint in ends:
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            raise TookTooLong
        for end, _ in poll.poll(None if left is None else left * 1000):
            if end == told:
                rest = _tell(told, rest)
            else:
                heard[end].append(os.read(end, _PIECE))
            if not (rest if end == told else heard[end][-1]):
                poll.unregister(end)
                _close(ends, end)
    return b"".join(heard[answer]), b"".join(heard[complaint])


def _tell(told: int, rest: memoryview) -> memoryview:
    """Write what the pipe takes; what is left to write, nothing where nobody listens any more."""
    try:
        return rest[os.write(told, rest[:_PIECE]) :]
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[:0]


def _program(environ: Mapping[str, str]) -> str:
    """The first git on PATH. Raises FileNotFoundError."""
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, "git")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("git")


def _pipe(ends: set[int]) -> tuple[int, int]:
    reading, writing = os.pipe()
    ends.update((reading, writing))
    return reading, writing


def _close(ends: set[int], end: int) -> None:
    ends.discard(end)
    os.close(end)


def _fill_standard_streams() -> None:
    """Where somebody closed one of 0, 1 and 2, a pipe would take its number and be lost when git gets its own."""
    end = os.open(os.devnull, os.O_RDWR)
    while end < 3:
        end = os.open(os.devnull, os.O_RDWR)
    os.close(end)
