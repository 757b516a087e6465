"""A history of small commits over a project's own tests, each with what it did to the test set, made by a seed.

Honest commits leave the test set as large as it was or say what they took; the others do not. So every refusal of an honest one
is a false alarm, and every other one that is let through is a miss.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from repo_builder import RepoBuilder


@dataclass(frozen=True)
class Commit:
    """A commit that was made: its kind, and the codes that it has to be refused with (none: it is honest)."""

    commit: str
    kind: str
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plain:
    """A test function at the top of its file that nothing decorates or feeds: safe to take out, skip, break and move."""

    path: Path
    name: str
    first: int
    last: int
    body: int


def _first_line(node: ast.stmt) -> int:
    """That of its first decorator, where it has one."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


class History:
    """Makes commits in a repository whose tests lie in `folder`; every choice comes from `seed`."""

    def __init__(self, repo: RepoBuilder, folder: str, seed: int) -> None:
        self.repo = repo
        self.folder = repo.path / folder
        self.random = random.Random(seed)  # noqa: S311 # a history, not a secret
        self.number = 0
        self.used: set[str] = set()

    def make(self, commits: int) -> list[Commit]:
        """So many commits, two honest ones to one that is not."""
        honest: list[Callable[[], Commit]] = [
            self._source,
            self._add,
            self._rename_file,
            self._move,
            self._said,
            self._reorder,
        ]
        other: list[Callable[[], Commit]] = [self._remove, self._skip, self._break]
        made = []
        for index in range(commits):
            kinds = other if index % 3 == 2 else honest
            made.append(kinds[(index // 3 if kinds is other else index) % len(kinds)]())
        return made

    # ---------------------------------------------------------------- honest

    def _source(self) -> Commit:
        note = self.repo.path / "NOTES.txt"
        note.write_text((note.read_text() if note.exists() else "") + f"{self._next()}\n")
        return self._commit("change something else")

    def _add(self) -> Commit:
        number = self._next()
        (self.folder / f"test_added_{number}.py").write_text(f"def test_added_{number}():\n    assert {number} >= 0\n")
        return self._commit("add a test")

    def _rename_file(self) -> Commit:
        number = self._next()
        source = self.random.choice(sorted({p.path for p in self._plain()}))
        self.repo.git("mv", str(source), str(source.with_name(f"test_renamed_{number}.py")))
        return self._commit("rename a file")

    def _move(self) -> Commit:
        case = self._choose()
        lines = case.path.read_text().splitlines(keepends=True)
        kept = []
        for node in ast.parse("".join(lines)).body:
            if not getattr(node, "name", "").startswith(("test_", "Test")):
                kept += lines[_first_line(node) - 1 : node.end_lineno]
        target = self.folder / f"test_moved_{self._next()}.py"
        target.write_text("".join([*kept, "\n\n", *lines[case.first : case.last]]))
        case.path.write_text("".join(lines[: case.first] + lines[case.last :]))
        return self._commit("move a test")

    def _said(self) -> Commit:
        case = self._choose()
        self._cut(case)
        return self._commit(
            "remove a test and say so", trailer=f"Test-Removed: {self._id(case)} -- not needed any more"
        )

    def _reorder(self) -> Commit:
        case = self._choose()
        lines = case.path.read_text().splitlines(keepends=True)
        rest = lines[: case.first] + lines[case.last :]
        case.path.write_text("".join([*rest, "\n\n", *lines[case.first : case.last]]))
        return self._commit("reorder tests")

    # ---------------------------------------------------------------- the others

    def _remove(self) -> Commit:
        self._cut(self._choose())
        return self._commit("remove a test", ("CASE_REMOVED",))

    def _skip(self) -> Commit:
        case = self._choose()
        self._insert(case, case.first, "@__import__('pytest').mark.skip\n")
        return self._commit("skip a test", ("CASE_SKIPPED",))

    def _break(self) -> Commit:
        case = self._choose()
        self._insert(case, case.body, "    assert 2 + 2 == 5\n")
        return self._commit("break a test", ("CASE_RED",))

    # ---------------------------------------------------------------- pieces

    def _plain(self) -> list[Plain]:
        found = []
        for path in sorted(self.folder.rglob("test_*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.FunctionDef) and not node.decorator_list and not node.args.args:
                    key = node.name
                    if key.startswith("test_") and not key.startswith("test_added") and key not in self.used:
                        assert node.end_lineno is not None
                        found.append(Plain(path, key, node.lineno - 1, node.end_lineno, _first_line(node.body[0]) - 1))
        return found

    def _choose(self) -> Plain:
        """A function that no earlier commit touched; one that was broken or skipped tells nothing more."""
        case = self.random.choice(self._plain())
        self.used.add(case.name)
        return case

    def _id(self, case: Plain) -> str:
        return f"{case.path.relative_to(self.repo.path)}::{case.name}"

    def _cut(self, case: Plain) -> None:
        lines = case.path.read_text().splitlines(keepends=True)
        case.path.write_text("".join(lines[: case.first] + lines[case.last :]))

    def _insert(self, case: Plain, at: int, line: str) -> None:
        lines = case.path.read_text().splitlines(keepends=True)
        lines.insert(at, line)
        case.path.write_text("".join(lines))

    def _next(self) -> int:
        self.number += 1
        return self.number

    def _commit(self, kind: str, codes: tuple[str, ...] = (), trailer: str = "") -> Commit:
        return Commit(self.repo.commit(kind.capitalize(), [trailer] if trailer else []), kind, codes)
