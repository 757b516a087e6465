"""Which tool wrote a JUnit file, told from its content, never from its name. "junit" where nothing gives it away."""

from __future__ import annotations

import re

from shipmoor_hooks.readers.junit_elements import Elements, SuiteElement

_BY_ROOT_NAME = {
    "pytest tests": "pytest",
    "nextest-run": "nextest",
    "vitest tests": "vitest",
    "jest tests": "jest",
    "Mocha Tests": "mocha",
    "AllTests": "googletest",
}
_XMLRUNNER_SUITE = re.compile(r".-\d{14}\Z")
PYTHON = frozenset({"pytest", "unittest", "nose2"})  # dialects whose class names are Python modules


def dialect_of(elements: Elements) -> str:
    """One word for the whole file; the first suite and the first case decide."""
    roots = [suite for suite in elements.suites if suite.parent < 0]
    for root in roots:
        if root.tag == "testsuites" and root.name in _BY_ROOT_NAME:
            return _BY_ROOT_NAME[root.name]
        if any(k.endswith("noNamespaceSchemaLocation") and "surefire" in v for k, v in root.attributes.items()):
            return "surefire"
    suites = [suite for suite in elements.suites if suite.tag == "testsuite"]
    if not suites:
        return "node" if elements.cases and all(c.classname == "test" for c in elements.cases) else "junit"
    return _by_suite(elements, roots[0], suites[0])


def _by_suite(elements: Elements, root: SuiteElement, suite: SuiteElement) -> str:
    first = elements.cases[0] if elements.cases else None
    if suite.name == "pytest" and "errors" in suite.attributes:
        return "pytest"
    if root.tag == "testsuites" and root.attributes.get("id") == "" and "hostname" in suite.attributes:
        return "playwright"
    if suite.attributes.get("hostname") == "tbd":
        return "catch2"
    if suite.name.endswith(".bats"):
        return "bats"
    if _XMLRUNNER_SUITE.search(suite.name):
        return "unittest"
    if suite.name in ("nose2-junit", "nose2.tests"):
        return "nose2"
    if first is None:
        return "junit"
    if {"assertions", "line"} <= first.attributes.keys() or "class" in first.attributes:
        return "phpunit"
    if all(case.classname == "test" for case in elements.cases):
        return "node"
    return "junit"
