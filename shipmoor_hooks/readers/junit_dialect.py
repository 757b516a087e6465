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
_BY_SUITE_NAME = {"pytest": "pytest", "rspec": "rspec", "nose2-junit": "nose2"}
_XMLRUNNER_SUITE = re.compile(r".-\d{14}\Z")
_GO_NAME = re.compile(r"Test|Benchmark|Example|Fuzz|\[(?:build|setup) failed\]\Z|Failure\Z")
_BEHAVE_STATUS = frozenset({"passed", "failed", "error", "skipped", "untested", "undefined"})


def dialect_of(elements: Elements) -> str:
    """One word for the whole file. Roots speak first, then the first suite, then what all cases have in common."""
    roots = [suite for suite in elements.suites if suite.parent < 0]
    suites = [suite for suite in elements.suites if suite.tag == "testsuite"]
    return (
        next((word for root in roots if (word := _by_root(root))), "")
        or (_by_suite(roots[0], suites[0]) if suites else "")
        or _by_cases(elements, roots)
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


def _by_cases(elements: Elements, roots: list[SuiteElement]) -> str:
    cases = elements.cases
    if not cases:
        return ""
    if any(result.type.startswith("pytest.") for case in cases for result in case.results):
        return "pytest"
    if {"assertions", "line"} <= cases[0].attributes.keys() or "class" in cases[0].attributes:
        return "phpunit"
    if all(case.classname == "test" for case in cases):
        return "node"
    places = [(case, elements.suites[case.suite].name) for case in cases]
    if all(_GO_NAME.match(case.name) and case.classname in (suite, "") and suite for case, suite in places):
        return "go"
    if all(case.attributes.get("status") in _BEHAVE_STATUS and case.classname == suite for case, suite in places):
        return "behave"
    if roots[0].tag == "testsuite" and roots[0].suites:
        paths = {case.suite: ".".join(elements.path(case.suite)) for case in cases}
        if all(case.classname == paths[case.suite] for case in cases):
            return "robot"
    return ""
