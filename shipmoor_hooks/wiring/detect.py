"""Which runners a repository uses, and the policy that follows (design, 5)."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.wiring import packages
from shipmoor_hooks.wiring.packages import Package
from shipmoor_hooks.wiring.runner_signs import LOOKS, RunnerFound, Tree

__all__ = ["Layout", "RunnerFound", "detect", "layout", "policy_text"]


@dataclass(frozen=True, slots=True)
class Layout:
    """What is measured in a repository: the root's own runners, and the packages below it (() for a single package)."""

    at_root: tuple[RunnerFound, ...]
    packages: tuple[Package, ...] = ()


def layout(top: str) -> Layout:
    """The runners of a working tree, package by package where there are several."""
    at_root = detect(top)
    found = packages.find(top, at_root)
    return Layout(packages.left_at_root(top, at_root, found) if found else at_root, found)


def detect(top: str) -> tuple[RunnerFound, ...]:
    """Every runner that the working tree shows, the likeliest first; () when there is none that we know."""
    tree = Tree(top)
    return tuple(found for look in LOOKS if (found := look(tree)) is not None)


HEAD = """\
# What shipmoor-hooks measures. The gate reads this file as it stands at the merge base, so a change here is judged by
# what was asked before.

[gate]
target = "origin/HEAD"  # the branch whose merge base a push is compared with
"""

NO_RUNNER = """
# No test runner was recognised in this repository, so nothing is measured yet. Name the command that runs the whole
# test set, and where it leaves its reports (`shipmoor-hooks read FILE` shows what is seen in one):
#
# [suite.unit]
# command = ["make", "test"]
# reports = ["build/reports/*.xml"]
"""


PACKAGES = """
# Several packages, so one suite each. A path under `exclude` does not count for a suite: a change there leaves its runs
# as good as they were. A package that a suite's own manifest or imports name is not excluded; take out of `exclude` what
# you know to be needed, too.
"""


def policy_text(found: tuple[RunnerFound, ...], below: Sequence[Package] = ()) -> str:
    """A shipmoor-hooks.toml: `unit` is the first runner's suite, `evals` the eval cases', others by runner; a package's suite
    has its folder's name."""
    parts = [HEAD]
    taken: set[str] = set()
    folders = tuple(f"{one.folder}/**" for one in below)
    for one in found:
        name = "evals" if one.format == "plugin-eval" else one.runner if "unit" in taken else "unit"
        taken.add(name)
        parts += _suite(name, one, () if one.format else folders)
    if below:
        parts.append(PACKAGES)
    names = packages.suite_names((one.folder for one in below), taken)
    for package in below:
        needs = f"; it names {', '.join(package.needs)}, which counts for it" if package.needs else ""
        parts += _suite(names[package.folder], package.found, package.exclude, needs)
    if not found and not below:
        parts.append(NO_RUNNER)
    return "".join(parts)


def _suite(name: str, one: RunnerFound, exclude: Sequence[str], more: str = "") -> list[str]:
    """The table of one suite, with a comment that says why."""
    why = textwrap.fill(f"Found: {one.because}{more}", 100, initial_indent="# ", subsequent_indent="# ")
    rows = [f"\n{why}\n[suite.{name}]\ncommand = {json.dumps(list(one.command))}\n"]
    rows += [f"setup = {json.dumps([list(words) for words in one.setup])}\n"] if one.setup else []
    rows += [f"reports = {json.dumps(list(one.reports))}\n"] if one.reports else []
    rows += [f"exclude = {json.dumps(list(exclude))}\n"] if exclude else []
    return [*rows, *([f'format = "{one.format}"\n'] if one.format else [])]
