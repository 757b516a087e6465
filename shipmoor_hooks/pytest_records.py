"""pytest's reports, as its hooks hand them out, become what a run holds of each test (design, sections 7 "Ids" and 10.14).

Pure, and neither pytest nor the model is imported: a report is whatever has these attributes, an outcome is its letter
(`case_list.Outcome.letter`), and records are made of it all when a run is told in full (`pytest_record_list`). What pytest's
XML hides is seen here: a test that passed although it was expected to fail, and which attempt failed.
"""

from __future__ import annotations

import posixpath

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Locate = Callable[[str], str]  # pytest's path, relative to its rootdir, to one relative to the worktree's root
    # The node id of a test that passed and no more; else node id, outcome, the outcomes of the attempts before.
    Finished = str | tuple[str, str, str]

PASSED, FAILED, ERROR, SKIPPED, XFAILED = "pfesx"
RED = "fe"
_BADNESS = "pxsfe"


class _Test:
    """One test while its phases come in: the outcomes of this attempt, and the attempts before it."""

    __slots__ = ("attempts", "is_rerun", "outcomes")

    def __init__(self, outcomes: str, attempts: str) -> None:
        self.outcomes, self.attempts = outcomes, attempts
        self.is_rerun = False  # this attempt is counted among the attempts already

    def worst(self, among: str = _BADNESS) -> str:
        """The worst outcome of this attempt, of those that are asked for; "" where there is none."""
        return max((o for o in self.outcomes if o in among), key=_BADNESS.index, default="")


class Records:
    """Collects the reports of one session. Reports of several workers may come in any order between each other."""

    __slots__ = ("_crashed", "_files", "_open", "_passing", "finished", "locate", "passed_unexpectedly")

    def __init__(self, locate: Locate) -> None:
        self.locate = locate
        self.finished: list[Finished] = []
        self.passed_unexpectedly: list[str] = []
        self._open: dict[tuple[str, str], _Test] = {}
        # Tests whose call passed, with nothing more to tell yet.
        self._passing: set[tuple[str, str]] = set()
        self._crashed: dict[str, str] = {}
        self._files: dict[tuple[str, str], None] = {}  # what does not load or skips itself, and which of the two

    def phase(self, report: Any) -> None:
        """A report of setup, call or teardown, of a subtest, or of a worker that crashed (`when` is "???" then)."""
        if report.when == "setup" and report.outcome == "passed" and not (self._open or self._passing or self._crashed):
            return  # what most tests begin with: nothing is known of them yet
        key = (str(report.nodeid), _worker(report))
        if key not in self._open:
            if report.outcome == "passed" and not self._crashed and self._goes_on_passing(key, report):
                return
            passed = PASSED if key in self._passing else ""
            self._passing.discard(key)
            self._open[key] = _Test(passed, self._crashed.pop(key[0], ""))
        test = self._open[key]
        if report.when == "setup":
            test.is_rerun = False
        if report.outcome == "rerun":
            if not test.is_rerun:
                test.attempts += FAILED if report.when == "call" else ERROR
            test.is_rerun = True
            test.outcomes = ""
        elif report.when == "call" or report.outcome != "passed":
            outcome = outcome_of(report)
            test.outcomes += outcome
            if outcome == PASSED and hasattr(report, "wasxfail") and not hasattr(report, "context"):
                self.passed_unexpectedly.append(key[0])
        if report.when not in ("setup", "call"):
            self._close(key, another_worker=report.when != "teardown")

    def _goes_on_passing(self, key: tuple[str, str], report: Any) -> bool:
        """The cheap way of most tests: setup, call and teardown pass, and nothing else is said of them."""
        if key in self._passing:
            if report.when != "teardown":
                return False
            self._passing.discard(key)
            self.finished.append(key[0])
            return True
        if report.when == "call" and not hasattr(report, "wasxfail") and not hasattr(report, "context"):
            self._passing.add(key)
            return True
        return bool(report.when == "setup")

    def _close(self, key: tuple[str, str], *, another_worker: bool) -> None:
        """An attempt is over. One that is run again leaves the test open; after a crash another worker runs it."""
        test = self._open[key]
        if test.attempts and not test.outcomes and not another_worker:
            return
        del self._open[key]
        if not test.outcomes:
            self._crashed[key[0]] = test.attempts
        else:
            self.finished.append((key[0], test.worst(), test.attempts))

    def collected(self, report: Any) -> None:
        """A collector's report: a file or class that does not load, or a module that skips itself."""
        if report.outcome != "passed":
            self._files.setdefault((str(report.nodeid), ERROR if report.outcome == "failed" else SKIPPED))

    @property
    def are_tests_alone(self) -> bool:
        """Nothing but tests that ran to their end, once each: no file, no rerun, none open, none a surprise."""
        is_more = self._files or self._open or self._crashed or self.passed_unexpectedly
        return not is_more and all(isinstance(one, str) or not one[2] for one in self.finished)

    @property
    def files(self) -> list[tuple[str, str]]:
        """Node id and outcome of what does not load or skips itself, in the order of its appearance."""
        return list(self._files)

    @property
    def tests(self) -> list[Finished]:
        """The tests so far; one that is still open and has a red phase counts with it."""
        opened = [(key[0], red, test.attempts) for key, test in self._open.items() if (red := test.worst(RED))]
        return [*self.finished, *opened]

    def broken_files(self) -> list[str]:
        """What does not load, as paths, in the order of its appearance."""
        parts = [split(nodeid) for nodeid, outcome in self._files if outcome in RED]
        return list(
            dict.fromkeys(self.locate(path) or [dotted(self.locate(path)), *names][-1] for path, names in parts)
        )


def split(nodeid: str) -> tuple[str, list[str]]:
    """The path of a node id and the names behind it; whatever stands in the outermost brackets belongs to the last
    name."""
    path, found, rest = nodeid.partition("::")
    if not found:
        return path, []
    names, bracket, parameters = rest.partition("[")
    parts = names.split("::")
    parts[-1] += bracket + parameters
    return path, parts


def dotted(path: str) -> str:
    """A path as pytest's XML writes it in a class name."""
    return path.removesuffix(".py").replace("/", ".")


def outcome_of(report: Any) -> str:
    """The letter of one phase. Failing outside the call is an error; a skip with `wasxfail` was expected to fail."""
    if report.outcome == "failed":
        return FAILED if report.when == "call" else ERROR
    if report.outcome == "skipped":
        return XFAILED if hasattr(report, "wasxfail") else SKIPPED
    return PASSED


def located(rootdir: str, top: str) -> Locate:
    """How to turn paths relative to pytest's rootdir into paths relative to the worktree's root; both are absolute
    and real. A path outside the worktree stays as pytest wrote it."""
    if rootdir == top:
        return lambda path: path

    def locate(path: str) -> str:
        whole = posixpath.normpath(posixpath.join(rootdir, path))
        if whole == top:
            return ""
        return whole[len(top) + 1 :] if whole.startswith(top + "/") else path

    return locate


def _worker(report: Any) -> str:
    """The xdist worker that ran a test, "" without one. A crash is reported by the controller, for the worker."""
    node = getattr(report, "node", None)
    gateway = getattr(node, "gateway", None)
    return str(getattr(gateway, "id", "")) or str(getattr(report, "worker_id", ""))
