"""What is asked of an engine for JavaScript regular expressions, and what it answers (design, section 8).

Values only, so that the rules (pure) and the engine (edge) can share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from shipmoor_hooks.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """`new RegExp(pattern, flags)` tried on each text from its start; with `count` its matches are counted instead.

    Counting is what `text.matchAll` gives with `g` added: matches do not overlap, empty ones count, `y` holds.
    """

    pattern: str
    flags: str
    texts: Sequence[str]
    count: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One number a text: matches where they were counted, else 1 or 0.

    `threw` is the engine's own message where the pattern is no regular expression; `unknown` our sentence why there is no
    answer (the deadline, the memory, the engine's own limits): then `counts` is empty and nothing was decided.
    """

    counts: tuple[int, ...] = ()
    threw: str = ""
    unknown: str = ""


Told = int | Answer  # of one text: its number, or the answer without numbers that says why there is none


class Engine(Protocol):
    """Whatever matches JavaScript regular expressions."""

    def ask(self, questions: Sequence[Question]) -> tuple[Answer, ...]:
        """One answer a question, in order; a question has none where one of its texts has none. Raises as `each`."""
        ...

    def each(self, questions: Sequence[Question]) -> list[list[Told]]:
        """Of each question what is told of each of its texts, in order, whatever became of the others.

        Raises EnvironmentFault only where there is no engine at all.
        """
        ...
