"""docs/speed.md: a table a group, the rest of the page left as it stands."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence

from benchmarks.measure import Row, Sample

PAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "docs", "speed.md")
COLUMNS = ("what", "measured", "goal", "against", "CPU ms, ours / theirs", "wall ms", "peak MiB", "rounds", "")
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"


def line(row: Row) -> str:
    """One row for a terminal."""
    verdict = _verdict(row)
    return f"{verdict:<8} {_value(row):>9}  (goal {_goal(row)})  {row.what}, against {row.peer}" + (
        f": {row.note}" if row.note else ""
    )


def write(group: str, rows: Sequence[Row]) -> None:
    """Put the group's table between its marks."""
    with open(PAGE) as stream:
        text = stream.read()
    begin, end = f"<!-- begin {group} -->\n", f"<!-- end {group} -->"
    table = f"{begin}\n{_machine()}\n\n{HEAD}{''.join(map(_row, rows))}\n{end}"
    found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not found.search(text):
        raise SystemExit(f"{PAGE} has no place for {group}: it needs the lines {begin.strip()} and {end}")
    with open(PAGE, "w") as out:
        out.write(found.sub(lambda _: table, text))


def _machine() -> str:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    cores = os.cpu_count()
    return f"Python {platform.python_version()}, git {git}, {platform.system()} on {cores} cores."


def _row(row: Row) -> str:
    cells = [row.what, _value(row), _goal(row), row.peer]
    cells += [_pair(row.ours, row.theirs, what) for what in ("cpu", "wall", "peak")]
    cells += [str(row.times) if row.ratio is not None else "", " ".join(filter(None, [_verdict(row), row.note]))]
    return "| " + " | ".join(cells) + " |\n"


def _value(row: Row) -> str:
    return "not measured" if row.ratio is None else f"{row.ratio:.2f} {row.unit}"


def _goal(row: Row) -> str:
    return "none" if row.limit is None else f"at most {row.limit:g} {row.unit}"


def _verdict(row: Row) -> str:
    if row.ratio is None or row.limit is None:
        return ""
    return "reached" if row.ratio <= row.limit else "missed"


def _pair(ours: Sample | None, theirs: Sample | None, what: str) -> str:
    return " / ".join(f"{getattr(sample, what):.1f}" for sample in (ours, theirs) if sample is not None)
