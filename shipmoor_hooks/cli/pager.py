"""Long output on a terminal goes through the pager that git would take; everywhere else it is printed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping

from shipmoor_hooks.output import say

_LESS = "FRX"  # what git gives less: leave at once when it fits a screen, keep colours, leave the text on the screen


def show(text: str, environ: Mapping[str, str]) -> None:
    """Print the text; through GIT_PAGER, PAGER or less where stdout is a terminal. The text is made visible already."""
    command = pager_of(environ)
    if not command or not sys.stdout.isatty():
        say(sys.stdout, text)
        return
    surroundings = {"LESS": _LESS, "LV": "-c", **environ}
    try:
        sys.stdout.flush()
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=surroundings)
    except OSError:
        say(sys.stdout, text)
        return
    try:
        pager.communicate(text.encode("utf-8", "backslashreplace"))
    except (BrokenPipeError, KeyboardInterrupt):
        # The reader has seen enough; less itself decides what an interrupt means.
        pager.wait()


def pager_of(environ: Mapping[str, str]) -> list[str]:
    """The pager's argv; empty where none is wanted (`cat`, nothing, a terminal that cannot move its cursor)."""
    if environ.get("TERM", "dumb") == "dumb":
        return []
    wanted = next((environ[n] for n in ("GIT_PAGER", "PAGER") if n in environ), "less")
    try:
        words = shlex.split(wanted)
    except ValueError:
        return []
    return [] if not words or os.path.basename(words[0]) == "cat" else words
