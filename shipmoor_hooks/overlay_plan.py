"""What an overlay run lays over the tip: the base's test files and surface, as far as they differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

from shipmoor_hooks import runners, surface_changes
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Suite
from shipmoor_hooks.rules.surface_parts import differs
from shipmoor_hooks.surface_table import Files, of_runner
from shipmoor_hooks.trees.tree_listing import GONE, between

# Folders whose files belong to the tests, and names of test files, whatever the runner.
_FOLDERS = frozenset(
    ["tests", "test", "__tests__", "spec", "specs", "testdata", "e2e", "cypress", "__snapshots__", "fixtures"]
)
_NAMES = (
    "test_*.py", "*_test.py", "*.test.*", "*.spec.*", "*_test.go", "*_spec.rb", "*_test.rb", "*Test.java", "*Tests.java",
    "*Test.kt", "*Test.php", "*Tests.cs", "*.bats", "*.t",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lay:
    """What an overlay does to the tip: files that are put back as the base has them, and files that are taken away."""

    back: tuple[str, ...]
    away: tuple[str, ...]

    @property
    def number(self) -> int:
        return len(self.back) + len(self.away)


def lay(git: Git, base: str, tip: str, suite: Suite, files: Collection[str]) -> Lay:
    """The test files and the surface in which two trees differ. `files` are further ones that hold the base's cases.

    A test file that only the tip has stays: it changes no case of the base. A configuration or conftest.py that only the
    tip has goes.
    """
    runner = runners.recognise(suite.command)
    rows = of_runner(runner.name if runner else "")
    changed = between(git, base, tip)
    shared = [path for path in changed if any(row.speaks and row.holds(path) for row in rows)]
    both = surface_changes.contents(git, (base, tip), shared)
    surface = {p for p in changed if any(_counts(row, p, both) for row in rows)}
    ours = {p for p in changed if p in files or p in surface or is_test(p)}
    back = sorted(p for p in ours if changed[p][0] != GONE)
    return Lay(tuple(back), tuple(sorted(p for p in surface if changed[p][0] == GONE)))


def is_test(path: str) -> bool:
    """Whether a path is a test file, or lies in a folder of tests, by its name."""
    *folders, name = path.split("/")
    return not _FOLDERS.isdisjoint(folders) or any(fnmatchcase(name, pattern) for pattern in _NAMES)


def _counts(row: Files, path: str, both: tuple[Mapping[str, bytes], Mapping[str, bytes]]) -> bool:
    return row.holds(path) and (not row.speaks or differs(path, row.speaks, both[0].get(path), both[1].get(path)))
