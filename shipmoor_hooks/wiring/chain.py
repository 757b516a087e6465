"""The hook that stood in our place before: run first, with git's own arguments and standard input (design, 10.21)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

from shipmoor_hooks.output import say

CANNOT_RUN = 126


def run_earlier(path: str, arguments: list[str], stdin: bytes) -> int:
    """The exit code of the earlier hook, 128 + n when signal n ended it.

    0 when it is not executable, since git would not have run it either. A file without `#!` is run by sh, as git does.
    """
    if not os.access(path, os.X_OK):
        return 0
    try:
        code = _run([path, *arguments], stdin)
    except OSError as failed:
        if failed.errno != errno.ENOEXEC:
            why = f"the earlier hook {path} cannot be run: {failed.strerror}"
            say(sys.stderr, f"shipmoor-hooks: {why}\n  next: repair it, or take it away")
            return CANNOT_RUN
        code = _run(["/bin/sh", path, *arguments], stdin)
    return 128 - code if code < 0 else code


def _run(argv: list[str], stdin: bytes) -> int:
    # git's environment goes on untouched: the earlier hook is git's hook, and git-lfs asks for GIT_DIR.
    return subprocess.run(argv, input=stdin, check=False).returncode
