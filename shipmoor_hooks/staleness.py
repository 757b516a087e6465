"""Is a report about this tree at all? Yesterday's file and a file bound elsewhere are refused by name (design, 10.4)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from shipmoor_hooks import report_files
from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import Report, ReportFile, Run
from shipmoor_hooks.place import Place
from shipmoor_hooks.store.spool import UNBOUND, Spool
from shipmoor_hooks.trees.tree import TreeCapture


def refuse_stale(
    place: Place,
    spool: Spool,
    files: Sequence[ReportFile],
    reports: Sequence[Report],
    before: TreeCapture,
    *,
    measured_on: str,
) -> None:
    """Raise ReportFault for the first stale file.

    Stale is a file whose digest and mtime both equal those of a report that is bound to another tree, or whose time, its
    own when it carries a zone and its mtime otherwise, lies before the newest change in the working tree (`measured_on`
    "worktree"), or among its files that are as the index has them ("index"); a revision has no such time. Age alone never
    makes a report stale.
    """
    newest, last = report_files.newest(place.require_top(), _paths(place, files, measured_on))
    for file, report in zip(files, reports, strict=True):
        bound = spool.report_tree(file)
        if bound is not None and bound != before.tree:
            whose = "a run that is bound to no tree" if bound == UNBOUND else f"another tree ({bound[:12]})"
            raise ReportFault(
                f"{file.name} is the report of {whose}, captured before: it says nothing about this one",
                "run the suite, then capture its new report",
            )
        time_ns = file.mtime_ns if report.started is None else int(report.started * 1e9)
        if time_ns < newest:
            raise ReportFault(
                f"{file.name} is older than {last}, the newest file of the working tree, so it is not about what is "
                "there now",
                f"run the suite again, then capture its new report (ignore {last} in .gitignore when the run writes it)",
            )


def already_there(spool: Spool, run: Run) -> Run | None:
    """The stored run that was made of the very same report files under the same names, when it is readable; else None.

    What was observed or reported stays what it was seen to be: its file handed in again makes no weaker copy of it, and
    no whole run of a selection. A foreign run is nobody's here: what stands beside it is stored.
    """
    if run.tree is None or not any(spool.report_tree(f) == run.tree for f in run.reports):
        return None
    for other in spool.at_tree(run.tree).runs:
        if (other.reports, other.suite, other.variant, other.shard) != (run.reports, run.suite, run.variant, run.shard):
            continue
        if other.evidence > run.evidence or (other.problems, other.cases) == (run.problems, run.cases):
            return other
    return None


def remember(spool: Spool, run: Run) -> None:
    """Note which tree each report file is bound to, also when that is none."""
    for file in run.reports:
        spool.bind_report(file, run.tree or UNBOUND)


def _paths(place: Place, files: Sequence[ReportFile], measured_on: str) -> list[str]:
    """The files whose times count; the reports themselves are left out, since no report is about itself."""
    if measured_on not in ("worktree", "index"):
        return []
    others = ("--others", "--exclude-standard") if measured_on == "worktree" else ()
    paths = place.git.output("ls-files", "-z", "--cached", *others).split(b"\0")
    edited = set(place.git.output("diff-files", "-z", "--name-only").split(b"\0")) if measured_on == "index" else set()
    reports = {file.name for file in files}
    names = (os.fsdecode(p) for p in paths if p and p not in edited)
    return [name for name in names if name not in reports]
