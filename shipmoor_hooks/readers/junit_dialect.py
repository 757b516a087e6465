"""Which tool wrote a JUnit file, told from its content, never from its name. "junit" where nothing gives it away."""

from __future__ import annotations

import re

from shipmoor_hooks.readers.junit_elements import SuiteElement
from shipmoor_hooks.readers.junit_tally import Tally

_BY_ROOT_NAME = {
    "pytest tests": "pytest",
    "nextest-run": "nextest",
    "vitest tests": "vitest",
    "jest tests": "jest",
    "Mocha Tests": "mocha",
    "AllTests": "googletest",
}
_BY_SUITE_NAME = {"pytest": "pytest", "rspec": "rspec", "nose2-junit": "nose2"}
_XMLRUNNER_SUITE = re.compile(r".-\d{14}\Z")


def dialect_of(tally: Tally) -> str:
    """One word for the whole file. Roots speak first, then the first suite, then what all cases have in common."""
    first = tally.first_suite
    return (
        next((word for root in tally.roots if (word := _by_root(root))), "")
        or (_by_suite(tally.roots[0], first) if first is not None else "")
        or _by_cases(tally)
        or "junit"
    )


def _by_root(root: SuiteElement) -> str:
    if any(k.endswith("noNamespaceSchemaLocation") and "surefire" in v for k, v in root.attributes.items()):
        return "surefire"
    return _BY_ROOT_NAME.get(root.name, "")


def _by_suite(root: SuiteElement, suite: SuiteElement) -> str:
    if suite.name in _BY_SUITE_NAME:
        return _BY_SUITE_NAME[suite.name]
    if root.tag == "testsuites" and root.attributes.get("id") == "" and "hostname" in suite.attributes:
        return "playwright"
    if suite.attributes.get("hostname") == "tbd":
        return "catch2"
    if suite.name == "test" == suite.attributes.get("package"):
        return "libtest"
    if suite.name.endswith(".bats"):
        return "bats"
    if _XMLRUNNER_SUITE.search(suite.name):
        return "unittest"
    return "go" if "go.version" in suite.attributes else ""


def _by_cases(tally: Tally) -> str:
    if not tally.cases:
        return ""
    if tally.has_pytest_type:
        return "pytest"
    first = tally.first_attributes or frozenset()
    if {"assertions", "line"} <= first or "class" in first:
        return "phpunit"
    if "node" in tally.could_be:
        return "node"
    if "go" in tally.could_be:
        return "go"
    if "behave" in tally.could_be:
        return "behave"
    root = tally.roots[0]
    if "robot" in tally.could_be and root.tag == "testsuite" and root.suites:
        return "robot"
    return ""
