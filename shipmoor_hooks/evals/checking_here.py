"""`eval check` in a repository: which suites of the policy are eval suites, where their plugins lie, what came before."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence

from shipmoor_hooks import history
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.evals.case_files import Files, FolderFiles, TreeFiles
from shipmoor_hooks.evals.checking import Checked, check
from shipmoor_hooks.evals.loading import load
from shipmoor_hooks.evals.matching import Engine
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Policy, Suite
from shipmoor_hooks.place import Place


def eval_suites(policy: Policy | None) -> tuple[Suite, ...]:
    """The suites of a policy that are eval suites: by their format, their command or their agent."""
    suites = () if policy is None else tuple(policy.suites.values())
    return tuple(s for s in suites if s.format == "plugin-eval" or s.agent or is_program(s.command))


def is_program(command: Sequence[str]) -> bool:
    """Whether a command calls `claude plugin eval`, by whatever path."""
    return tuple(command[1:3]) == ("plugin", "eval")


def root_of(suite: Suite | None) -> str:
    """The plugin's folder below the worktree's top: the target of the suite's command, "" for the top."""
    word = suite.command[3] if suite is not None and is_program(suite.command) and len(suite.command) > 3 else ""
    path = posixpath.normpath(word) if word and not word.startswith(("-", "/")) else ""
    return "" if path in ("", ".") or path.startswith("..") else path


def check_worktree(where: Place, engine: Engine, suite: Suite | None, root: str, tmpdir: str) -> Checked:
    """The suite as it stands in the working tree. Raises RepositoryFault in a bare repository, UsageFault without cases."""
    top = where.require_top()
    files = FolderFiles(top)
    found = check(
        files,
        engine,
        root,
        suite,
        before=_before(where.git, files, root),
        tmpdir=tmpdir,
        ignored=lambda path: _is_ignored(where.git, posixpath.join(root, path)),
    )
    return _with_cases(found, os.path.join(top, root) if root else top)


def check_revision(where: Place, engine: Engine, suite: Suite | None, root: str, revision: str) -> Checked:
    """The suite as a commit has it, under the pins of the working tree: those that its graders get wrong are shown.

    Raises RepositoryFault where there is no such commit, UsageFault without cases.
    """
    commit = history.require_commit(where.git, revision)
    files = TreeFiles(where.git, commit)
    pinned = FolderFiles(where.top) if where.top is not None else None
    return _with_cases(check(files, engine, root, suite, pinned_by=pinned), f"{root or '.'} at {revision}")


def _before(git: Git, files: Files, root: str) -> tuple[Files, str] | None:
    """The commit before: HEAD where the working tree's cases differ from it, else its first parent."""
    commit = git.try_text("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if commit is None:
        return None
    held = TreeFiles(git, commit)
    if load(held, root).cases != load(files, root).cases:
        return held, root
    parent = git.try_text("rev-parse", "--verify", "--quiet", "HEAD^1^{commit}")
    return None if parent is None else (TreeFiles(git, parent), root)


def _is_ignored(git: Git, path: str) -> bool:
    return git.run("check-ignore", "-q", "--", path).returncode == 0


def _with_cases(found: Checked, place: str) -> Checked:
    if not found.cases and not found.faults and not found.findings:
        raise UsageFault(
            f"there is no eval case in {place}", "write evals/NAME/case.yaml, or name the plugin with --root"
        )
    return found
