"""What the suites and cases of a JUnit file add up to, counted while they come: nothing is kept for each of them."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

from shipmoor_hooks.readers.junit_elements import OUTCOME_ATTRIBUTES, TEARDOWN, Element, Result, Row, SuiteElement

_COUNTED = ("tests", "failures", "errors", "skipped")
_GO_NAME = re.compile(r"Test|Benchmark|Example|Fuzz|\[(?:build|setup) failed\]\Z|Failure\Z")
_BEHAVE_STATUS = frozenset({"passed", "failed", "error", "skipped", "untested", "undefined"})


class Tally:
    """Numbers, and the first of each kind that a message may name."""

    def __init__(self) -> None:
        self.suites = 0
        self.cases = 0
        self.roots: list[SuiteElement] = []
        self.first_suite: SuiteElement | None = None  # the first `testsuite`
        self.foreign_root = ""  # the first root that holds another format's elements and nothing of ours
        self.started: float | None = None  # the earliest time that carries a zone, POSIX seconds
        self.ran = False  # a case has a time or a result
        self.has_pytest_type = False  # a result's type is one of pytest's
        self.has_teardown = False  # a result is a teardown's, as pytest marks it
        self.first_attributes: frozenset[str] | None = None  # names of those of the first case
        self.could_be = {"node", "go", "behave", "robot"}  # dialects that no case has contradicted so far
        self.results: Counter[str] = Counter()  # children of cases by tag
        self.outermost: Counter[str] = Counter()  # what the outermost suites that count say
        self.told_cases = 0  # cases of suites that count their tests
        self.emptied: SuiteElement | None = None  # the first suite that declares tests and holds none
        self.number_emptied = 0
        self.skipped_whole: SuiteElement | None = None
        self.red: list[SuiteElement] = []  # suites with an error or a failure of their own
        self._declared: Counter[str] = Counter()
        self._silent: set[str] = set()

    def declared(self, attribute: str) -> int | None:
        """The sum of what every `testsuite` says, None where one does not say."""
        known = self.first_suite is not None and attribute not in self._silent
        return self._declared[attribute] if known else None

    # ---------------------------------------------------------------- cases

    def add(self, element: Element) -> None:
        """A case, or a row of them, is told."""
        if isinstance(element, Row):
            shared, names = element.shared, element.names
        else:
            shared, names = element, [element.name]
        suite = shared.suite
        self.cases += len(names)
        suite.cases += len(names)
        if not self.could_be:
            return
        if "node" in self.could_be and shared.classname != "test":
            self.could_be.discard("node")
        if "robot" in self.could_be and shared.classname != ".".join(suite.path):
            self.could_be.discard("robot")
        is_behave = shared.classname == suite.name and shared.attributes.get("status") in _BEHAVE_STATUS
        if "behave" in self.could_be and not is_behave:
            self.could_be.discard("behave")
        if "go" in self.could_be:
            in_package = suite.name and shared.classname in (suite.name, "")
            if not in_package or not all(map(_GO_NAME.match, names)):
                self.could_be.discard("go")

    def add_result(self, result: Result) -> None:
        self.ran = True
        self.has_teardown = self.has_teardown or result.mark == TEARDOWN
        self.results[result.tag] += 1
        self.has_pytest_type = self.has_pytest_type or result.type.startswith("pytest.")

    def see_attributes(self, attributes: dict[str, str]) -> None:
        """The attributes of a case that has not those of the one before."""
        if self.first_attributes is None:
            self.first_attributes = frozenset(attributes)
        self.ran = self.ran or not attributes.keys().isdisjoint(OUTCOME_ATTRIBUTES)

    # ---------------------------------------------------------------- suites

    def begin(self, tag: str, attributes: dict[str, str], parent: SuiteElement | None) -> SuiteElement:
        suite = SuiteElement(tag, attributes, parent, self.suites)
        self.suites += 1
        if parent is None:
            self.roots.append(suite)
        else:
            parent.suites += 1
        if tag == "testsuite" and self.first_suite is None:
            self.first_suite = suite
        self._count(suite)
        moment = _moment(attributes.get("timestamp", ""))
        if moment is not None:
            self.started = moment if self.started is None else min(self.started, moment)
        return suite

    def _count(self, suite: SuiteElement) -> None:
        above = suite.parent.told if suite.parent is not None else frozenset()
        told = {attribute: n for attribute in _COUNTED if (n := suite.number(attribute)) is not None}
        self.outermost.update({attribute: n for attribute, n in told.items() if attribute not in above})
        suite.told = above | told.keys() if told.keys() - above else above
        if suite.tag == "testsuite":
            self._declared.update(told)
            self._silent.update(attribute for attribute in _COUNTED if attribute not in told)

    def end(self, suite: SuiteElement | None) -> SuiteElement | None:
        """The suite is whole; the one around it."""
        if suite is None:
            return None
        parent = suite.parent
        suite.held += suite.cases
        if parent is not None:
            parent.held += suite.held
        elif not suite.cases and not suite.suites and suite.foreign and not self.foreign_root:
            self.foreign_root = f"{suite.tag}> with <{suite.foreign}"
        tests = suite.number("tests")
        self.told_cases += suite.cases if tests is not None else 0
        if not suite.held and tests:
            self.number_emptied += 1
            self.emptied = _earlier(suite, self.emptied)
        tags = {result.tag for result in suite.results}
        if tags & {"skipped", "skip", "ignored"}:
            self.skipped_whole = _earlier(suite, self.skipped_whole)
        if tags & {"error", "failure"}:
            self.red.append(suite)
        return parent


def _earlier(suite: SuiteElement, other: SuiteElement | None) -> SuiteElement:
    return suite if other is None or suite.position < other.position else other


def _moment(word: str) -> float | None:
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None
