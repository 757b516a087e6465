"""What a JUnit file says, before anybody judges it: its cases in the file's order, and what its suites add up to.

`testcase` counts only as a child of `testsuite` or `testsuites`, at any depth; everything printed (`system-out`,
`properties`, what a test wrote into the file) is passed over unread. Of cases without a result only the names are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from sys import intern

from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.readers.limits import bounded

SUITE_TAGS = frozenset({"testsuite", "testsuites"})
ATTEMPT_TAGS = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
RESULT_TAGS = frozenset({"error", "failure", "skipped", "skip", "ignored"})
COLLECTION = frozenset({"collection failure", "collection skipped"})  # pytest: the whole message
TEARDOWN = "failed on teardown"  # pytest: how the message begins
MAYFAIL = "tagged with !mayfail"  # Catch2: anywhere in it
OUTCOME_ATTRIBUTES = frozenset({"status", "result"})  # of a case; they tell its outcome where no child does
_LONGEST_TYPE = 40  # characters; a type that marks something is one short word


@dataclass(frozen=True, slots=True)
class Result:
    """A child of a case that tells its result: the tag, its `type` if short, what its message marks."""

    tag: str
    type: str
    mark: str


@dataclass(slots=True)
class SuiteElement:
    """One `testsuite` or `testsuites`. `parent` is None for a root; `cases` and `suites` count direct ones, `position`
    says as which of all suites it began."""

    tag: str
    attributes: dict[str, str]
    parent: SuiteElement | None
    position: int
    results: list[Result] = field(default_factory=list)
    cases: int = 0
    suites: int = 0
    held: int = 0  # cases of this suite and of those in it, as far as they are closed
    foreign: str = ""
    told: frozenset[str] = frozenset()  # attributes that this suite counts, or one around it
    _path: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return self.attributes.get("name", "")

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the suite and those around it, outermost first, roots called `testsuites` left out."""
        if self._path is None:
            above = self.parent.path if self.parent is not None else ()
            hidden = not self.name or (self.tag == "testsuites" and self.parent is None)
            self._path = above if hidden else (*above, self.name)
        return self._path

    def number(self, attribute: str) -> int | None:
        """An attribute that counts, None where it is missing or no number."""
        word = self.attributes.get(attribute, "").strip()
        return int(word) if word.isascii() and word.isdigit() and len(word) < 12 else None


@dataclass(slots=True)
class CaseElement:
    """One `testcase`; `attributes` are those others that tell an outcome."""

    name: str
    classname: str
    file: str
    suite: SuiteElement
    attributes: dict[str, str]
    results: list[Result] = field(default_factory=list)

    def is_like(self, other: CaseElement) -> bool:
        """Do both stand in one place and say the same of their outcome?"""
        same_place = self.suite is other.suite and self.classname == other.classname and self.file == other.file
        return same_place and self.attributes == other.attributes


@dataclass(slots=True)
class Row:
    """Cases in a row that have a name (of at most 4 KiB) and share all but their results with `shared`, which has neither;
    `results` has, by position and in order, those of the cases that have some."""

    shared: CaseElement
    names: list[str]
    results: dict[int, list[Result]] = field(default_factory=dict)

    def parted(self) -> Iterator[CaseElement | Row]:
        """The same cases in their order: those that have results by themselves, the others in rows."""
        start = 0
        for position, results in self.results.items():
            if position > start:
                yield Row(self.shared, self.names[start:position])
            yield replace(self.shared, name=self.names[position], results=results)
            start = position + 1
        if start < len(self.names):
            yield Row(self.shared, self.names[start:])


Element = CaseElement | Row


def parted(elements: Iterable[Element]) -> Iterator[Element]:
    """The elements, with each case that has results by itself."""
    for element in elements:
        if isinstance(element, Row) and element.results:
            yield from element.parted()
        else:
            yield element


def result_of(tag: str, attributes: dict[str, str]) -> Result:
    """What counts of a result: of its words only those that mark something, so that millions of results share a few."""
    message, kind = attributes.get("message", ""), attributes.get("type", "")
    mark = message if message in COLLECTION else TEARDOWN if message.startswith(TEARDOWN) else ""
    mark = mark or (MAYFAIL if MAYFAIL in message else "")
    return _shared(tag, kind if len(kind) <= _LONGEST_TYPE else "", mark)


@lru_cache(maxsize=1024)
def _shared(tag: str, kind: str, mark: str) -> Result:
    return Result(tag, kind, mark)


def kept(attributes: dict[str, str]) -> dict[str, str]:
    """The attributes of a suite, each within the cap for a name."""
    return {intern(k): bounded(v) for k, v in attributes.items()}
