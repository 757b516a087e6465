"""The tree of the working tree against `git status` and against `git add -A` with `git write-tree` on another index."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence

from benchmarks import world
from benchmarks.measure import Command, Row, paired, python

INDEX = "GIT_INDEX_FILE=.git/bench-index"
ADD = f"cp -p .git/index .git/bench-index && {INDEX} git add -A && {INDEX} git write-tree"
# Handed in by -c: the text of a script is compiled at each start, which no program of ours has to be.
CAPTURE = """
import os
from shipmoor_hooks import place
from shipmoor_hooks.trees import tree
assert tree.capture(place.find(os.getcwd(), os.environ)).tree
"""


class Files:
    """A repository of small files, and what is done to them before each round."""

    def __init__(self, folder: str, number: int) -> None:
        self.folder = folder
        self.paths = world.repository_of_files(folder, number)
        self.environ = world.git_environ(folder)

    def forget(self) -> None:
        """The loose objects that the yardstick wrote are gone, so that it writes them again."""
        for name in os.listdir(os.path.join(self.folder, ".git/objects")):
            if len(name) == 2:
                shutil.rmtree(os.path.join(self.folder, ".git/objects", name))

    def change(self, number: int) -> None:
        for path in self.paths[:: max(1, len(self.paths) // number)][:number]:
            with open(os.path.join(self.folder, path), "a") as out:
                out.write("changed\n")

    def restore(self) -> None:
        """As they were committed, and known to the index."""
        world.git(self.folder, "checkout", "-q", "--", ".")
        world.git(self.folder, "update-index", "-q", "--refresh")

    def touch(self) -> None:
        for path in self.paths:
            os.utime(os.path.join(self.folder, path))

    def command(self, words: Sequence[str], before: Callable[[], None] | None = None) -> Command:
        return Command(words, self.folder, self.environ, before=before or self.forget)


def rows(folder: str, times: int) -> Iterator[Row]:
    for number, part in ((10_000, 0.34), (100_000, 0.2)):
        files = Files(os.path.join(folder, f"tree{number}"), number)
        yield from _states(files, number, max(3, int(times * part)))
        shutil.rmtree(files.folder)


def _states(files: Files, number: int, times: int) -> Iterator[Row]:
    start = Command(python("-c", "pass"))
    ours = files.command(python("-c", CAPTURE))
    status = files.command(["git", "status", "--porcelain", "-uall"])
    rounds = paired({"ours": ours, "git status -uall": status, "python -c pass": start}, times)
    what = f"tree, {number:,} files"
    yield rounds.row(f"{what}, clean", "ours", ["git status -uall", "python -c pass"], 1.2)
    yardstick = "git add -A + write-tree"
    states: list[tuple[str, float, Callable[[], None], Callable[[], None] | None]] = [
        ("10 changed", 1.0, lambda: files.change(10), None),
        ("1,000 changed", 0.25, lambda: files.change(1000), None),
        ("all touched", 0.9, lambda: None, files.touch),
    ]
    for state, limit, once, each in states:
        once()
        before = _both(files.forget, each)
        commands = {"ours": files.command(ours.words, before), yardstick: files.command(["sh", "-c", ADD], before)}
        rounds = paired(commands, times if number < 50_000 else 3)
        yield rounds.row(f"{what}, {state}", "ours", yardstick, limit)
        files.restore()
    if number < 50_000:
        huge = os.path.join(files.folder, "huge.bin")
        with open(huge, "wb") as out:
            for _ in range(200):
                out.write(os.urandom(1024 * 1024))
        commands = {"ours": files.command(ours.words), yardstick: files.command(["sh", "-c", ADD])}
        rounds = paired(commands, 3)
        yield rounds.row(f"{what}, a 200 MB untracked file", "ours", yardstick, 0.15)
        os.unlink(huge)


def _both(first: Callable[[], None], second: Callable[[], None] | None) -> Callable[[], None]:
    def before() -> None:
        first()
        if second is not None:
            second()

    return before
