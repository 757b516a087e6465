"""The outcome of one JUnit record: its children first, its attributes second. Worst wins; a named marker tolerates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from shipmoor_hooks.model import Outcome
from shipmoor_hooks.readers.junit_elements import ATTEMPT_TAGS, MAYFAIL, CaseElement, Result

_SKIPPED_STATUS = frozenset({"disabled", "notrun", "skipped", "ignored", "untested", "pending"})
_SKIPPED_RESULT = frozenset({"skipped", "suppressed", "ignored"})
_FAILED_STATUS = frozenset({"fail", "failed", "failure"})
_ERROR_STATUS = frozenset({"error", "errored", "broken"})
_XFAIL_TYPES = frozenset({"pytest.xfail", "xfail"})


def outcome_of(case: CaseElement) -> Outcome:
    """The final outcome of the record; what its attempts were is `attempts_of`."""
    return _outcome(case.results, case.attributes) if case.results or case.attributes else Outcome.PASSED


def _outcome(results: Sequence[Result], attributes: Mapping[str, str]) -> Outcome:
    by_tag = {result.tag: result for result in results}
    skip = next((by_tag[tag] for tag in ("skipped", "skip", "ignored") if tag in by_tag), None)
    # Tolerated by a marker in the test itself, so a failure beside it is the expected one.
    if skip is not None and "error" not in by_tag and (skip.type == "todo" or skip.mark == MAYFAIL):
        return Outcome.XFAILED
    if "error" in by_tag:
        return Outcome.ERROR
    if "failure" in by_tag:
        return Outcome.FAILED
    if skip is not None:
        return Outcome.XFAILED if skip.type.lower() in _XFAIL_TYPES else Outcome.SKIPPED
    status = attributes.get("status", "").lower()
    result = attributes.get("result", "").lower()
    if status in _SKIPPED_STATUS or result in _SKIPPED_RESULT:
        return Outcome.SKIPPED
    if status in _ERROR_STATUS:
        return Outcome.ERROR
    if status in _FAILED_STATUS:
        return Outcome.FAILED
    return Outcome.PASSED


@lru_cache(maxsize=1024)
def letter_of(result: Result) -> str:
    """The letter of the outcome that a case with this result alone has; "" for a result that marks something more."""
    return "" if result.mark or result.tag in ATTEMPT_TAGS else _outcome([result], {}).letter


def attempts_of(case: CaseElement) -> tuple[Outcome, ...]:
    """The other attempts that the record tells of (surefire, nextest, Playwright): all of them were red."""
    if not case.results:
        return ()
    return tuple(
        Outcome.ERROR if result.tag.endswith("Error") else Outcome.FAILED
        for result in case.results
        if result.tag.startswith(("flaky", "rerun"))
    )
