"""Which suites of a policy are eval suites, and where their plugin stands (design, sections 5 and 8). Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from shipmoor_hooks.model import Policy, Suite

FORMAT = "plugin-eval"


def is_program(command: Sequence[str]) -> bool:
    """Whether a command calls `claude plugin eval`, by whatever path."""
    return tuple(command[1:3]) == ("plugin", "eval")


def is_evals(suite: Suite) -> bool:
    """Is it an eval suite, by its format, its agent or its command?"""
    return suite.format == FORMAT or bool(suite.agent) or is_program(suite.command)


def eval_suites(policy: Policy | None) -> tuple[Suite, ...]:
    """The eval suites of a policy, in its order."""
    return () if policy is None else tuple(s for s in policy.suites.values() if is_evals(s))


def root_of(suite: Suite | None) -> str:
    """The plugin's folder below the worktree's top: the target of the suite's command, "" for the top."""
    word = suite.command[3] if suite is not None and is_program(suite.command) and len(suite.command) > 3 else ""
    path = posixpath.normpath(word) if word and not word.startswith(("-", "/")) else ""
    return "" if path in ("", ".") or path.startswith("..") else path
