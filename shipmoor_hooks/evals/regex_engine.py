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
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import IO, Any, cast

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.evals.matching import Answer, Question

DEADLINE = 3.0  # seconds for one match
START = 30.0  # seconds until a new process says that it is ready
GRACE = 5.0  # seconds for all that is not matching: sending, parsing, compiling
BATCH = 4 << 20  # characters of text that are sent at once
LONG = 4096  # characters: texts above are not wrapped in JSON
LONGEST_TEXT = 16 << 20  # characters
LONGEST_PATTERN = 64 << 10  # characters
MISSING = "the regular expressions of eval graders need a JavaScript engine that is not installed"
INSTALL = 'pip install "shipmoor-hooks[evals]"'


_COMMON = {0: Answer((0,)), 1: Answer((1,))}


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
        refused = _too_large(questions)
        answers = dict(refused)
        for batch in _batches([i for i in range(len(questions)) if i not in refused], questions):
            answers.update(zip(batch, self._batch([questions[i] for i in batch]), strict=True))
        return tuple(answers[i] for i in range(len(questions)))

    def _batch(self, questions: Sequence[Question]) -> list[Answer]:
        """A batch whole; where the process is lost over it, each half by itself, down to the question that did it."""
        try:
            return self._exchange(questions)
        except _Gone as gone:
            self.close()
            if len(questions) == 1:
                return [Answer(unknown=str(gone))]
        middle = len(questions) // 2
        return self._batch(questions[:middle]) + self._batch(questions[middle:])

    def _exchange(self, questions: Sequence[Question]) -> list[Answer]:
        request = _request(questions)
        self._start()
        try:
            for part in request:
                self._input.write(part)
            self._input.flush()
        except OSError as error:
            raise _Gone("the engine ended before it was asked") from error
        patience = 2 * self.deadline + GRACE + sum(map(len, request)) / (4 << 20)
        while (line := self._line(patience)) == b".":
            pass
        return [self._answer(row) for row in json.loads(line)]

    def _answer(self, row: Any) -> Answer:
        if isinstance(row, list):
            return _COMMON.get(row[0]) or Answer((row[0],)) if len(row) == 1 else Answer(tuple(row))
        if "threw" in row:
            return Answer(threw=row["threw"])
        if "late" in row:
            return Answer(unknown=f"no answer within {self.deadline:g} s")
        return Answer(unknown=f"the match is beyond the engine's limits ({row['limit']})")

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


def _request(questions: Sequence[Question]) -> list[bytes]:
    """What `regex_worker` reads. Each text is sent once; long ones as they are, which is what makes long traces cheap."""
    short: dict[str, int] = {}
    long: dict[str, int] = {}
    data: list[bytes] = []
    for text in dict.fromkeys([text for question in questions for text in question.texts]):
        if len(text) > LONG:
            with contextlib.suppress(UnicodeEncodeError):  # lone surrogates: only JSON can write them
                data.append(text.encode("utf-8"))
                long[text] = len(long)
                continue
        short[text] = len(short)
    place = short | {text: len(short) + index for text, index in long.items()}
    patterns: dict[tuple[str, str, bool], int] = {}
    asked = [
        [patterns.setdefault((q.pattern, q.flags, q.count), len(patterns)), *[place[text] for text in q.texts]]
        for q in questions
    ]
    whole = {"texts": list(short), "patterns": list(patterns), "questions": asked}
    head = json.dumps(whole, separators=(",", ":")).encode("ascii") + b"\n"
    return [b" ".join(b"%d" % len(d) for d in data) + b"\n", head, *data]


def _too_large(questions: Sequence[Question]) -> dict[int, Answer]:
    """The answers to what is too large to be tried, by position; patterns and texts are looked at once each."""
    pattern = max((len(p) for p in {q.pattern for q in questions}), default=0)
    text = max((len(t) for t in {t for q in questions for t in q.texts}), default=0)
    if pattern <= LONGEST_PATTERN and text <= LONGEST_TEXT:
        return {}
    return {i: answer for i, q in enumerate(questions) if (answer := _refused(q)) is not None}


def _refused(question: Question) -> Answer | None:
    if len(question.pattern) > LONGEST_PATTERN:
        return Answer(
            unknown=f"the pattern has {len(question.pattern):,} characters; at most {LONGEST_PATTERN:,} are tried"
        )
    longest = max((len(t) for t in question.texts), default=0)
    if longest > LONGEST_TEXT:
        return Answer(unknown=f"the text has {longest:,} characters; at most {LONGEST_TEXT:,} are tried")
    return None


def _batches(indexes: Sequence[int], questions: Sequence[Question]) -> Iterator[list[int]]:
    """Runs of questions whose texts, each counted once, stay below BATCH (a single larger one goes alone)."""
    batch: list[int] = []
    texts: set[str] = set()
    size = 0
    for index in indexes:
        question = questions[index]
        # Most questions are about a text that the one before was about.
        news = set() if texts.issuperset(question.texts) else set(question.texts) - texts
        added = sum(map(len, news))
        if batch and size + added > BATCH:
            yield batch
            batch, texts, size = [], set(), 0
            news = set(question.texts)
            added = sum(map(len, news))
        batch.append(index)
        texts |= news
        size += added + len(question.pattern)
    if batch:
        yield batch
