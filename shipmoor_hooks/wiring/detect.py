"""Which runners a repository uses, and the policy that follows (design, 5)."""

from __future__ import annotations

import json
import textwrap

from shipmoor_hooks.wiring.runner_signs import LOOKS, RunnerFound, Tree

__all__ = ["RunnerFound", "detect", "policy_text"]


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


def policy_text(found: tuple[RunnerFound, ...]) -> str:
    """A shipmoor-hooks.toml: `unit` is the first runner's suite, `evals` the eval cases', others by runner."""
    parts = [HEAD]
    taken: set[str] = set()
    for one in found:
        name = "evals" if one.format == "plugin-eval" else one.runner if "unit" in taken else "unit"
        taken.add(name)
        why = textwrap.fill(f"Found: {one.because}", 100, initial_indent="# ", subsequent_indent="# ")
        parts.append(f"\n{why}\n[suite.{name}]\ncommand = {json.dumps(list(one.command))}\n")
        if one.setup:
            parts.append(f"setup = {json.dumps([list(words) for words in one.setup])}\n")
        if one.reports:
            parts.append(f"reports = {json.dumps(list(one.reports))}\n")
        if one.format:
            parts.append(f'format = "{one.format}"\n')
    if not found:
        parts.append(NO_RUNNER)
    return "".join(parts)
