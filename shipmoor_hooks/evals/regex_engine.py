"""JavaScript regular expressions, matched by V8 in a process of its own (design, section 8).

Every match has a deadline and a memory limit. Past either, and wherever V8 itself gives up, the answer is "unknown", never
a verdict; the process that stopped answering is ended and a new one takes the rest.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, Any, cast

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.evals.matching import Answer, Question, Told
from shipmoor_hooks.evals.regex_request import Asked, Batch

DEADLINE = 3.0  # seconds for one match
START = 30.0  # seconds until a new process says that it is ready
GRACE = 5.0  # seconds for all that is not matching: sending, parsing, compiling
MISSING = "the regular expressions of eval graders need a JavaScript engine that is not installed"
INSTALL = 'pip install "shipmoor-hooks[evals]"'


class _Gone(Exception):
    """The process ended or stopped answering; the text says which."""


class RegexEngine:
    """V8, started when it is first asked and ended by `close` or the end of a `with` block.

    `deadline` is in seconds, for one match. Raises EnvironmentFault (exit 4) when mini-racer is not installed.
    """

    def __init__(self, deadline: float = DEADLINE) -> None:
        self.deadline = deadline
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""

    def __enter__(self) -> RegexEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with contextlib.suppress(OSError):
            process.communicate()

    # ---------------------------------------------------------------- asking

    def ask(self, questions: Sequence[Question]) -> tuple[Answer, ...]:
        """One answer a question, in order."""
        return tuple(_joined(told) for told in self.each(questions))

    def each(self, questions: Sequence[Question]) -> list[list[Told]]:
        """Of each question what is told of each of its texts; what is asked twice is tried once."""
        asked = Asked(questions)
        told: dict[int, Told] = {**asked.too_large()}
        for batch in asked.batches(told):
            told.update(zip(batch.matches, self._batch(batch), strict=True))
        return asked.told(told)

    def _batch(self, batch: Batch) -> list[Told]:
        """A batch whole; where the process is lost over it, each half by itself, down to the match that did it."""
        try:
            return self._exchange(batch)
        except _Gone as gone:
            self.close()
            if len(batch.matches) == 1:
                return [Answer(unknown=str(gone))]
        first, second = batch.halves()
        return self._batch(first) + self._batch(second)

    def _exchange(self, batch: Batch) -> list[Told]:
        self._start()
        size = 0
        try:
            for part in batch.parts():
                size += self._input.write(part)
            self._input.flush()
        except OSError as error:
            raise _Gone("the engine ended before it was asked") from error
        patience = 2 * self.deadline + GRACE + size / (4 << 20)
        while (line := self._line(patience)) == b".":
            pass
        return [told if isinstance(told, int) else self._answer(told) for told in json.loads(line)]

    def _answer(self, told: Mapping[str, Any]) -> Answer:
        if "threw" in told:
            return Answer(threw=told["threw"])
        if "late" in told:
            return Answer(unknown=f"no answer within {self.deadline:g} s")
        return Answer(unknown=f"the match is beyond the engine's limits ({told['limit']})")

    # ---------------------------------------------------------------- the process

    def _start(self) -> None:
        if self._process is not None:
            return
        if importlib.util.find_spec("py_mini_racer") is None:
            raise EnvironmentFault(MISSING, INSTALL)
        command = [sys.executable, "-P", "-m", "shipmoor_hooks.evals.regex_worker", repr(self.deadline)]
        pipe, nobody = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nobody)
        self._input, self._output = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        self._unread = b""
        try:
            self._line(START)
        except _Gone as gone:
            self.close()
            message = "the JavaScript engine (mini-racer) does not start here"
            raise EnvironmentFault(message, f"{INSTALL} --force-reinstall") from gone

    def _line(self, patience: float) -> bytes:
        """The next line that the process writes, waiting `patience` seconds at most. Raises _Gone."""
        handle = self._output.fileno()
        ready = select.poll()
        ready.register(handle, select.POLLIN)
        until = time.monotonic() + patience
        parts = [self._unread]
        while b"\n" not in parts[-1]:
            left = until - time.monotonic()
            if left <= 0 or not ready.poll(left * 1000):
                raise _Gone(f"no answer within {self.deadline:g} s, and the engine had to be ended")
            data = os.read(handle, 1 << 20)
            if not data:
                raise _Gone("the match needs more memory than it is given, and the engine ended")
            parts.append(data)
        line, _, self._unread = b"".join(parts).partition(b"\n")
        return line


def _joined(told: Sequence[Told]) -> Answer:
    """One answer for all texts of a question: the first that there is none for, if any, speaks for all."""
    counts: list[int] = []
    for one in told:
        if isinstance(one, Answer):
            return one
        counts.append(one)
    return Answer(tuple(counts))
