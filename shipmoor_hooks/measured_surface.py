"""The test surface of one run: looked at when it starts, told and judged when it has ended.

A file that git ignores is in no tree. Where one of them decides what the suite's runner runs, no commit holds what the run
was measured under, so the run counts for none. Of a runner that nobody knows it cannot be said that it reads a file.
"""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks import ignored_surface
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Problem, Report, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.surface_table import BY_RUNNER, SHARED, first, of_runner
from shipmoor_hooks.tested_paths import listing
from shipmoor_hooks.trees.tree import TreeCapture

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """What git ignores of the surface of `runner` ("": not known, so of every runner's)."""

    runner: str = ""
    unusable: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()


NOTHING_SEEN = Seen()


def look(git: Git, suite: Suite, command: Sequence[str], reports: Sequence[Report] = ()) -> Seen:
    """The ignored files of the surface, before a run or beside reports that somebody hands us."""
    runner = runner_of(command, reports) or runner_of(suite.command, ())
    found = ignored_surface.ignored(git, of_runner(runner), suite.exclude)
    return Seen(runner, found.unusable, found.usual)


def runner_of(command: Sequence[str], reports: Sequence[Report]) -> str:
    """The runner by its command or, behind a script, by what its reports say; "" where neither tells."""
    from shipmoor_hooks import runners  # the table of runners is large

    known = runners.recognise(command)
    if known is not None:
        return known.name
    return next((r.harness for r in reports if r.harness in BY_RUNNER), "")


def digests(
    place: Place, suite: Suite, before: TreeCapture, seen: Seen, reports: Sequence[Report]
) -> tuple[tuple[str, str], ...]:
    """What decided the run: each file of its runner's surface, and of what starts suites, with git's name of its content."""
    rows = (*of_runner(seen.runner or runner_of(suite.command, reports)), *SHARED)
    unlisted = (*seen.unusable, *seen.usual)
    return ignored_surface.digests(listing(place, before), place.top or "", unlisted, rows)


def problems(suite: Suite, seen: Seen, reports: Sequence[Report]) -> list[Problem]:
    """Why the run counts for no commit; [] where it does."""
    runner = seen.runner or runner_of((), reports)
    found = [path for path in seen.unusable if first(of_runner(runner), path)] if runner else []
    if not found:
        return []
    one = found[0] if len(found) == 1 else "them"
    return [
        Problem(
            Code.TREE_DIFFERS,
            f"{suite.name} ran with files that decide what {runner} runs and how it is judged, and no commit holds them, "
            f"because git ignores them: {some(found)}",
            f"git add --force {' '.join(found[:_SHOWN])}, or move {one} away; then shipmoor-hooks run --suite {suite.name}",
        )
    ]


def warnings(seen: Seen, told: Sequence[Problem]) -> list[str]:
    """What is told of files that do not make the run unusable."""
    found = list(seen.usual)
    if not any(p.code is Code.TREE_DIFFERS for p in told):
        found += seen.unusable
    said = "files that git ignores may decide what this suite does, and no tree holds them"
    return [f"{said}: {some(sorted(found))}"] if found else []
