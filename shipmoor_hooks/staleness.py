"""Is a report about this tree at all? Yesterday's file and a file bound elsewhere are refused by name (design, 10.4)."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks import report_files
from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import Report, Run
from shipmoor_hooks.place import Place
from shipmoor_hooks.report_files import Loaded
from shipmoor_hooks.spool import Spool
from shipmoor_hooks.tree import TreeCapture


def refuse_stale(
    place: Place,
    spool: Spool,
    loaded: Sequence[Loaded],
    reports: Sequence[Report],
    before: TreeCapture,
    *,
    with_times: bool,
) -> None:
    """Raise ReportFault for the first stale file.

    Stale is a file whose digest and mtime both equal those of a report that is bound to another tree, or (`with_times`)
    whose time, its own when it carries a zone and its mtime otherwise, lies before the newest change in the working tree.
    Age alone never makes it stale.
    """
    newest = report_files.newest_mtime(place.require_top(), _paths(place)) if with_times else 0
    for one, report in zip(loaded, reports, strict=True):
        bound = spool.report_tree(one.file)
        if bound is not None and bound != before.tree:
            raise ReportFault(
                f"{one.file.name} is the report of another tree ({bound[:12]}), captured before: it says nothing about "
                "this one",
                "run the suite, then capture its new report",
            )
        time_ns = one.file.mtime_ns if report.started is None else int(report.started * 1e9)
        if with_times and time_ns < newest:
            raise ReportFault(
                f"{one.file.name} is older than the newest file of the working tree, so it is not about what is there now",
                "run the suite again, then capture its new report",
            )


def already_there(spool: Spool, run: Run) -> Run | None:
    """The stored run that was made of the very same report files under the same names, when it is readable; else None."""
    if run.tree is None or not any(spool.report_tree(f) == run.tree for f in run.reports):
        return None
    for other in spool.at_tree(run.tree).runs:
        if (other.reports, other.suite, other.variant, other.shard, other.problems, other.cases) == (
            run.reports, run.suite, run.variant, run.shard, run.problems, run.cases,
        ):  # fmt: skip
            return other
    return None


def remember(spool: Spool, run: Run) -> None:
    """Note which tree each report file is bound to."""
    if run.tree is not None:
        for file in run.reports:
            spool.bind_report(file, run.tree)


def _paths(place: Place) -> list[str]:
    out = place.git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [p for p in out.decode("utf-8", "surrogateescape").split("\0") if p]
