"""`python -m benchmarks [--only GROUP,...] [--times N]`: measure, print, and write docs/speed.md."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time

from benchmarks import page
from benchmarks.measure import TIMES

GROUPS = ("gate", "hooks", "tree", "readers", "spool", "pytest_plugin", "regrade", "scaling")


def measure(group: str, times: int, *, to_page: bool) -> None:
    """Measure and print the rows of one group, and put them into the page."""
    begin, found = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="shipmoor-hooks-bench-") as folder:
        place = os.path.join(folder, "bench")
        os.mkdir(place)
        try:
            for row in importlib.import_module(f"benchmarks.{group}").rows(place, times):
                found.append(row)
                print(page.line(row), flush=True)
        except KeyboardInterrupt:
            print(f"-- {group}: interrupted; the page gets what was measured", file=sys.stderr)
    print(f"-- {group}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
    if to_page:
        page.write(group, found)


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m benchmarks")
    words.add_argument("--only", default="", help=f"groups, with commas between: {', '.join(GROUPS)}")
    words.add_argument("--times", type=int, default=TIMES, help="rounds; the heaviest rows take fewer and say so")
    words.add_argument("--no-page", action="store_true", help="print only")
    asked = words.parse_args()
    groups = [group for group in asked.only.split(",") if group] or list(GROUPS)
    if unknown := set(groups) - set(GROUPS):
        words.error(f"there is no group {', '.join(sorted(unknown))}; there are: {', '.join(GROUPS)}")
    failed = False
    for group in groups:
        # Each in a process of its own: no peak that is measured lies below that of the process which starts the others.
        measuring = os.fork()
        if measuring == 0:
            measure(group, asked.times, to_page=not asked.no_page)
            os._exit(0)
        failed |= os.waitpid(measuring, 0)[1] != 0
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
