"""How git is asked about a worktree, with the checks that a configuration can weaken at full strength (design, section 6)."""

from __future__ import annotations

# fsmonitor and the untracked cache are trusted by git, not checked; safecrlf turns an answer into a refusal.
STRICT = (
    "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.trustctime=true",
    "-c", "core.checkStat=default", "-c", "core.safecrlf=false",
)  # fmt: skip
STATUS = (
    *STRICT, "status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=none", "--branch",
    "--no-ahead-behind",
)  # fmt: skip
