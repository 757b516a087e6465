"""What a JUnit file says, before anybody judges it: suites and cases as elements, in the file's order.

`testcase` counts only as a child of `testsuite` or `testsuites`, at any depth; everything printed (`system-out`,
`properties`, what a test wrote into the file) is passed over unread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from sys import intern

from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.xml_events import parse

SUITE_TAGS = frozenset({"testsuite", "testsuites"})
ATTEMPT_TAGS = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
RESULT_TAGS = frozenset({"error", "failure", "skipped", "skip", "ignored"})
COLLECTION = frozenset({"collection failure", "collection skipped"})  # pytest: the whole message
TEARDOWN = "failed on teardown"  # pytest: how the message begins
MAYFAIL = "tagged with !mayfail"  # Catch2: anywhere in it
_LONGEST_TYPE = 40  # characters; a type that marks something is one short word
_KEPT = frozenset({"status", "result", "assertions", "line", "class"})  # what tells an outcome or a dialect
_KNOWN_IN_SUITE = SUITE_TAGS | RESULT_TAGS | {"testcase", "properties", "property", "system-out", "system-err"}


@dataclass(frozen=True, slots=True)
class Result:
    """A child of a case that tells its result: the tag, its `type` if short, what its message marks."""

    tag: str
    type: str
    mark: str


@dataclass(slots=True)
class CaseElement:
    """One `testcase`. `suite` is the position of its suite in `Elements.suites`; `attributes` the
    others that tell an outcome or a dialect."""

    name: str
    classname: str
    file: str
    suite: int
    seconds: float | None
    attributes: dict[str, str]
    results: list[Result] = field(default_factory=list)


@dataclass(slots=True)
class SuiteElement:
    """One `testsuite` or `testsuites`. `parent` is -1 for a root; `cases` and `children` count direct ones."""

    tag: str
    attributes: dict[str, str]
    parent: int
    results: list[Result] = field(default_factory=list)
    cases: int = 0
    suites: int = 0
    foreign: str = ""

    @property
    def name(self) -> str:
        return self.attributes.get("name", "")

    def number(self, attribute: str) -> int | None:
        """An attribute that counts, None where it is missing or no number."""
        word = self.attributes.get(attribute, "").strip()
        return int(word) if word.isascii() and word.isdigit() and len(word) < 12 else None


@dataclass(slots=True)
class Elements:
    """All suites and cases of one file, whatever the number of its documents."""

    suites: list[SuiteElement] = field(default_factory=list)
    cases: list[CaseElement] = field(default_factory=list)
    _paths: dict[int, tuple[str, ...]] = field(default_factory=dict)  # millions of cases share a few

    def path(self, suite: int) -> tuple[str, ...]:
        """The names of a suite and those around it, outermost first, roots called `testsuites` left out."""
        if suite not in self._paths:
            names: list[str] = []
            above = suite
            while above >= 0:
                element = self.suites[above]
                if element.name and not (element.tag == "testsuites" and element.parent < 0):
                    names.append(element.name)
                above = element.parent
            self._paths[suite] = tuple(reversed(names))
        return self._paths[suite]


def read_elements(data: bytes, name: str) -> Elements:
    """Raises ReportFault as `xml_events.parse`, for a root that is not JUnit's (named), for more cases than the cap."""
    sink = _ElementSink(name)
    parse(data, name, sink)
    for suite in sink.elements.suites:
        if suite.parent < 0 and not suite.cases and not suite.suites and suite.foreign:
            raise not_junit(name, f"{suite.tag}> with <{suite.foreign}")
    return sink.elements


def not_junit(name: str, root: str) -> Exception:
    """The refusal of a file whose root is another format's."""
    return unreadable(
        name, f"<{shown(root)}> is not a JUnit report", "name its format with --as, or write a JUnit report"
    )


class _ElementSink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.elements = Elements()
        self.suite = -1  # the suite that we are in
        self.case: CaseElement | None = None
        self.skipping = 0  # how deep inside an element that says nothing
        self.in_properties = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.skipping:
            self.skipping += 1
            if self.in_properties and attributes.get("name") == "go.version":
                self.elements.suites[self.suite].attributes["go.version"] = bounded(attributes.get("value", ""))
        elif self.case is not None:
            if tag in RESULT_TAGS or tag in ATTEMPT_TAGS:
                self.case.results.append(_result(tag, attributes))
            self.skipping = 1
        elif tag in SUITE_TAGS:
            self._open_suite(tag, attributes)
        elif self.suite < 0:
            raise not_junit(self.name, tag)
        elif tag == "testcase":
            self._open_case(attributes)
        else:
            suite = self.elements.suites[self.suite]
            if tag in RESULT_TAGS:
                suite.results.append(_result(tag, attributes))
            elif tag not in _KNOWN_IN_SUITE:
                suite.foreign = suite.foreign or tag
            elif tag == "properties" and not suite.cases:
                self.in_properties = True
            self.skipping = 1

    def end(self, tag: str) -> None:  # noqa: ARG002  (elements are balanced, the tag says nothing new)
        if self.skipping:
            self.skipping -= 1
            self.in_properties = self.in_properties and self.skipping > 0
        elif self.case is not None:
            self.case = None
        else:
            self.suite = self.elements.suites[self.suite].parent

    def _open_suite(self, tag: str, attributes: dict[str, str]) -> None:
        within_cap(len(self.elements.suites) + 1, self.name)
        if self.suite >= 0:
            self.elements.suites[self.suite].suites += 1
        kept = {intern(k): bounded(v) for k, v in attributes.items()}
        self.elements.suites.append(SuiteElement(tag, kept, self.suite))
        self.suite = len(self.elements.suites) - 1

    def _open_case(self, attributes: dict[str, str]) -> None:
        within_cap(len(self.elements.cases) + 1, self.name)
        self.elements.suites[self.suite].cases += 1
        case = CaseElement(
            name=bounded(attributes.pop("name", "")),
            classname=intern(bounded(attributes.pop("classname", ""))),
            file=intern(bounded(attributes.pop("file", ""))),
            suite=self.suite,
            seconds=_seconds(attributes.pop("time", None)),
            attributes={intern(k): intern(bounded(v)) for k, v in attributes.items() if k in _KEPT},
        )
        self.elements.cases.append(case)
        self.case = case


def _result(tag: str, attributes: dict[str, str]) -> Result:
    """What counts of a result: of its words only those that mark something, so that millions of results share a few."""
    message, kind = attributes.get("message", ""), attributes.get("type", "")
    mark = message if message in COLLECTION else TEARDOWN if message.startswith(TEARDOWN) else ""
    mark = mark or (MAYFAIL if MAYFAIL in message else "")
    return _shared(tag, kind if len(kind) <= _LONGEST_TYPE else "", mark)


@lru_cache(maxsize=1024)
def _shared(tag: str, kind: str, mark: str) -> Result:
    return Result(tag, kind, mark)


def _seconds(word: str | None) -> float | None:
    """A duration in seconds; None where it is missing or no finite number that is not negative."""
    try:
        value = float((word or "").replace(",", ""))
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
