"""What was fetched from elsewhere: a spool of its own beside ours, laid out alike (design, section 9; issue 5).

    <common dir>/shipmoor-hooks/foreign/shipmoor-hooks/...

Nothing of ours is ever written there, and nothing that was fetched lies among ours: the place tells which is which.
"""

from __future__ import annotations

import os

from shipmoor_hooks.spool import FOLDER

FETCHED = "fetched"  # stands where a worktree's name does


def foreign_dir(common_dir: str) -> str:
    """What stands in for the common git directory where fetched entries are read and written."""
    return os.path.join(common_dir, FOLDER, "foreign")
