"""What `regex_engine` sends to `regex_worker`: which patterns to try on which texts (design, section 8). Pure.

Each pattern is tried on each text once, however many questions ask for it, and each text travels once. A match is one number:
`pattern * step + text`, the places of both among all that were asked about, `step` being the number of texts.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.evals.matching import Answer, Question, Told

BATCH = 2 << 20  # characters of text that are sent at once
LONGEST_TEXT = 16 << 20  # characters
LONGEST_PATTERN = 64 << 10  # characters

Pattern = tuple[str, str, bool]  # the pattern, its flags, whether its matches are counted


@dataclass(frozen=True, slots=True)
class Batch:
    """Matches to try, and the texts that they are about, from the one at `first` on."""

    patterns: Sequence[Pattern]
    texts: Sequence[str]
    first: int
    step: int
    matches: Sequence[int]

    def halves(self) -> tuple[Batch, Batch]:
        middle = len(self.matches) // 2
        return replace(self, matches=self.matches[:middle]), replace(self, matches=self.matches[middle:])

    def parts(self) -> Iterator[bytes]:
        """The request: a line with the size of the texts in bytes, a line of JSON, the texts' UTF-8 one after the other.

        The JSON has the number of UTF-16 units of each text, or the text itself where it holds a lone surrogate, which
        UTF-8 cannot write.
        """
        data: list[bytes] = []
        texts: list[int | str] = []
        for text in self.texts:
            try:
                encoded = text.encode("utf-8")
            except UnicodeEncodeError:
                texts.append(text)
                continue
            data.append(encoded)
            texts.append(len(text) if len(encoded) == len(text) else len(text.encode("utf-16-le")) // 2)
        head = {
            "patterns": self.patterns,
            "texts": texts,
            "first": self.first,
            "step": self.step,
            "matches": self.matches,
        }
        yield b"%d\n" % sum(map(len, data))
        yield json.dumps(head, separators=(",", ":")).encode("ascii") + b"\n"
        yield from data


class Asked:
    """Questions, taken apart into matches."""

    def __init__(self, questions: Sequence[Question]) -> None:
        patterns: dict[Pattern, int] = {}
        texts: dict[str, int] = {}
        self._rows = [
            (
                patterns.setdefault((question.pattern, question.flags, question.count), len(patterns)),
                [texts.setdefault(text, len(texts)) for text in question.texts],
            )
            for question in questions
        ]
        self.patterns, self.texts, self.step = list(patterns), list(texts), len(texts)
        self.matches = list(dict.fromkeys([match for row in self._rows for match in self._matches(row)]))

    def _matches(self, row: tuple[int, list[int]]) -> list[int]:
        begin = row[0] * self.step
        return [begin + text for text in row[1]]

    def too_large(self) -> dict[int, Answer]:
        """The answers to matches whose pattern or text is too large to be tried."""
        longest = max((len(pattern) for pattern, _, _ in self.patterns), default=0)
        if longest <= LONGEST_PATTERN and max(map(len, self.texts), default=0) <= LONGEST_TEXT:
            return {}
        return {match: answer for match in self.matches if (answer := self._too_large(match)) is not None}

    def _too_large(self, match: int) -> Answer | None:
        pattern, text = divmod(match, self.step)
        for what, word, most in (
            ("pattern", self.patterns[pattern][0], LONGEST_PATTERN),
            ("text", self.texts[text], LONGEST_TEXT),
        ):
            if len(word) > most:
                return Answer(unknown=f"the {what} has {len(word):,} characters; at most {most:,} are tried")
        return None

    def batches(self, without: Container[int]) -> Iterator[Batch]:
        """All other matches in batches whose texts stay below BATCH (a single larger one goes alone)."""
        starts, batch_of, size = [0], [], 0
        for position, text in enumerate(self.texts):
            if size and size + len(text) > BATCH:
                starts.append(position)
                size = 0
            size += len(text)
            batch_of.append(len(starts) - 1)
        matches: list[list[int]] = [[] for _ in starts]
        for match in self.matches:
            if match not in without:
                matches[batch_of[match % self.step]].append(match)
        for own, start, end in zip(matches, starts, [*starts[1:], self.step], strict=True):
            if own:
                yield Batch(self.patterns, self.texts[start:end], start, self.step, own)

    def told(self, told: Mapping[int, Told]) -> list[list[Told]]:
        """What is told of each text of each question, in order."""
        return [[told[match] for match in self._matches(row)] for row in self._rows]
