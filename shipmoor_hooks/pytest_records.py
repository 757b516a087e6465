"""pytest's reports, as its hooks hand them out, become records (design, section 7 "Ids" and section 10.14).

Pure, and pytest is not imported: a report is whatever has these attributes. Names are those of pytest's own XML, with
the file beside them, so that a case has one id whether it came by the plugin or by a report file. What the XML hides
is seen here: a test that passed although it was expected to fail, and which attempt failed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import Any

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.model import Outcome, Record, RecordKind
from shipmoor_hooks.report_records import Alike, Part, RecordList

Locate = Callable[[str], str]  # pytest's path, relative to its rootdir, to one relative to the worktree's root


@dataclass(slots=True)
class _Test:
    """One test while its phases come in: the outcomes of this attempt, and the attempts before it."""

    outcomes: list[Outcome] = field(default_factory=list)
    attempts: list[Outcome] = field(default_factory=list)
    is_rerun: bool = False  # this attempt is counted among the attempts already


@dataclass(slots=True)
class Records:
    """Collects the reports of one session. Reports of several workers may come in any order between each other."""

    locate: Locate
    finished: list[Record | str] = field(default_factory=list)  # of a test that passed and no more its node id alone
    passed_unexpectedly: list[str] = field(default_factory=list)
    _open: dict[tuple[str, str], _Test] = field(default_factory=dict)
    _passing: set[tuple[str, str]] = field(
        default_factory=set
    )  # tests whose call passed, with nothing more to tell yet
    _crashed: dict[str, list[Outcome]] = field(default_factory=dict)
    _files: dict[tuple[str, str], Record] = field(default_factory=dict)

    def phase(self, report: Any) -> None:
        """A report of setup, call or teardown, of a subtest, or of a worker that crashed (`when` is "???" then)."""
        if report.when == "setup" and report.outcome == "passed" and not (self._open or self._passing or self._crashed):
            return  # what most tests begin with: nothing is known of them yet
        key = (str(report.nodeid), _worker(report))
        if key not in self._open:
            if report.outcome == "passed" and not self._crashed and self._goes_on_passing(key, report):
                return
            passed = [Outcome.PASSED] if key in self._passing else []
            self._passing.discard(key)
            self._open[key] = _Test(passed, self._crashed.pop(key[0], []))
        test = self._open[key]
        if report.when == "setup":
            test.is_rerun = False
        if report.outcome == "rerun":
            if not test.is_rerun:
                test.attempts.append(Outcome.FAILED if report.when == "call" else Outcome.ERROR)
            test.is_rerun = True
            test.outcomes.clear()
        elif report.when == "call" or report.outcome != "passed":
            outcome = outcome_of(report)
            test.outcomes.append(outcome)
            if outcome is Outcome.PASSED and hasattr(report, "wasxfail") and not hasattr(report, "context"):
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
            worst = max(test.outcomes, key=lambda outcome: outcome.badness)
            self.finished.append(self._record(key[0], worst, tuple(test.attempts)))

    def collected(self, report: Any) -> None:
        """A collector's report: a file or class that does not load, or a module that skips itself."""
        if report.outcome == "passed":
            return
        outcome = Outcome.ERROR if report.outcome == "failed" else Outcome.SKIPPED
        key = (str(report.nodeid), outcome.value)
        self._files.setdefault(key, self._record(key[0], outcome, (), RecordKind.FILE))

    def all(self) -> RecordList:
        """The records so far; a test that is still open and has a red phase counts with it."""
        opened = []
        for (nodeid, _), test in self._open.items():
            red = [o for o in test.outcomes if o.is_red]
            if red:
                opened.append(self._record(nodeid, max(red, key=lambda o: o.badness), tuple(test.attempts)))
        return RecordList([*self._files.values(), *self._ended(), *opened])

    def _ended(self) -> Iterator[Part]:
        """What has finished, in its order; tests of one place that passed one after the other together."""
        row: Alike | None = None
        names: list[str] = []
        place = ""  # of the row, as its node ids begin
        for one in self.finished:
            if isinstance(one, Record):
                row = None
                yield one
                continue
            before, _, name = one.rpartition("::")
            if row is not None and name and before == place and "[" not in one:
                names.append(name)
                continue
            record = self._record(one, Outcome.PASSED, ())
            same = row is not None and (row.shared.classname, row.shared.file) == (record.classname, record.file)
            if same and record.name:
                names.append(record.name)
            elif record.name:
                names, place = [record.name], before
                row = Alike(Record("", record.classname, record.file), names)
                yield row
            else:
                row = None
                yield record

    def broken_files(self) -> list[str]:
        """What does not load, as paths, in the order of its appearance."""
        return list(dict.fromkeys(r.file or r.name for r in self._files.values() if r.outcome.is_red))

    def _record(
        self,
        nodeid: str,
        outcome: Outcome,
        attempts: tuple[Outcome, ...],
        kind: RecordKind = RecordKind.CASE,
    ) -> Record:
        path, names = split(nodeid)
        path = self.locate(path)
        *classes, name = [dotted(path), *names]
        return Record(name, ".".join(classes), path, (), outcome, attempts, kind)


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


def outcome_of(report: Any) -> Outcome:
    """The outcome of one phase. Failing outside the call is an error; a skip with `wasxfail` was expected to fail."""
    if report.outcome == "failed":
        return Outcome.FAILED if report.when == "call" else Outcome.ERROR
    if report.outcome == "skipped":
        return Outcome.XFAILED if hasattr(report, "wasxfail") else Outcome.SKIPPED
    return Outcome.PASSED


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
