"""Where a case's folder belongs: the plugin around it, in a commit's or tree's own words."""

from __future__ import annotations

import posixpath

from shipmoor_hooks import history
from shipmoor_hooks.evals.loading import MANIFEST
from shipmoor_hooks.git import Git


def plugin_of(git: Git, tree: str, folder: str) -> str:
    """The nearest folder above the case that is a plugin, "" for the tree's top."""
    above = posixpath.dirname(folder)
    while above:
        if history.has_object(git, f"{tree}:{above}/{MANIFEST}"):
            return above
        above = posixpath.dirname(above)
    return ""
