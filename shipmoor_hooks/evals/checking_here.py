"""`eval check` in a repository: the suite as it stands in the working tree or at a revision, and what came before."""

from __future__ import annotations

import os
import posixpath

from shipmoor_hooks import history
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.evals.case_files import Files, FolderFiles, TreeFiles
from shipmoor_hooks.evals.checking import Checked, check
from shipmoor_hooks.evals.loading import load
from shipmoor_hooks.evals.matching import Engine
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Suite
from shipmoor_hooks.place import Place


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
