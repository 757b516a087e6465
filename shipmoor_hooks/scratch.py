"""Scratch worktrees: a revision checked out beside the user's worktree for as long as a block runs (design, section 9).

They lie where platformdirs says and are removed again however the block ends; what a killed process left is cleared
away by the next one that comes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from shipmoor_hooks import place as places
from shipmoor_hooks.errors import EnvironmentFault, RepositoryFault
from shipmoor_hooks.git import last_line
from shipmoor_hooks.place import Place
from shipmoor_hooks.state import scratch_root
from shipmoor_hooks.trees.held_folder import held_folder, remove_dead, remove_tree

PREFIX = "shipmoor-scratch-"
# A checkout would start the user's post-checkout hook, which belongs to the user's own checkouts.
HOOKLESS = ("-c", f"core.hooksPath={os.devnull}")


@contextmanager
def worktree_at(place: Place, revision: str, environ: Mapping[str, str]) -> Iterator[Place]:
    """The place of a new detached worktree of `revision`, removed when the block is left, also by an interrupt.

    Raises RepositoryFault when there is no such commit, EnvironmentFault when git cannot make the worktree.
    """
    commit = place.git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit is None:
        raise RepositoryFault(f"{revision} is not a commit of this repository", "git log --oneline --all")
    root = scratch_root(environ)
    remove_dead(root)
    _forget_missing(place, root)
    with held_folder(root, PREFIX) as folder:
        # git names the worktree after the last part of its path; it has to be one of a kind.
        top = os.path.join(folder, os.path.basename(folder))
        try:
            done = place.git.run(*HOOKLESS, "worktree", "add", "--quiet", "--detach", top, commit)
            if done.returncode:
                said = last_line(done.stderr.decode("utf-8", "replace"))
                raise EnvironmentFault(f"git cannot check {revision} out into a scratch worktree: {said}", "free space")
            yield places.find(top, environ)
        finally:
            remove_tree(top)
            _forget(place, top)


def _forget(place: Place, top: str) -> None:
    """Drop git's record of a worktree whose folder is gone. `git worktree prune` would drop those of others, too."""
    place.git.run("worktree", "remove", "--force", "--force", top)


def _forget_missing(place: Place, root: str) -> None:
    """Drop the records of scratch worktrees that `remove_dead` has cleared away."""
    listed = place.git.run("worktree", "list", "--porcelain").stdout.decode("utf-8", "surrogateescape")
    ours = os.path.join(os.path.realpath(root), PREFIX)
    for line in listed.splitlines():
        top = line.removeprefix("worktree ")
        if top != line and top.startswith(ours) and not os.path.lexists(top):
            _forget(place, top)
