"""The quick path of the commit-msg hook: most messages speak of no test, and most trees about to be committed have no run.

Then the hook has nothing to say, and that is found without what could judge. Anything else is `commit_hooks`' to look at.
"""

from __future__ import annotations

import os

from shipmoor_hooks.errors import ShipmoorError
from shipmoor_hooks.quick import lean_git
from shipmoor_hooks.whole_files import names, read_bytes

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

# How the keys of our trailers begin, in any case; the long s is one case of it to a regular expression.
OURS = (b"test-", "te\u017ft-".encode())


def has_nothing_to_say(path: str, directory: str, environ: Mapping[str, str]) -> bool:
    """Whether the message in this file holds no line of ours, and the tree about to be committed has no run."""
    try:
        text = read_bytes(os.path.join(directory, path)).lower()
        here = lean_git.find(directory, environ)
        if here is None or lean_git.remotes(here) is None or any(start in text for start in OURS):
            return False
        runs = here.common_dir + "/shipmoor-hooks/runs"
        return not os.path.lexists(runs) or not _has_run(runs, directory, environ)
    except (OSError, ValueError, ShipmoorError):
        return False


def _has_run(runs: str, directory: str, environ: Mapping[str, str]) -> bool:
    from shipmoor_hooks import place
    from shipmoor_hooks.trees.index_tree import tree_of_index

    tree = tree_of_index(place.find(directory, environ, in_hook=True), environ)
    return any(os.path.lexists(f"{runs}/{worktree}/trees/{tree}") for worktree in names(runs))
