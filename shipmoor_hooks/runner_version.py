"""Which version of a runner measured: it is asked beside the run, so that nobody waits for the answer (design, section 2).

A runner that does not answer, or says something else, has no known version; nothing depends on more than that.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence

_VERSION = re.compile(rb"\b[vV]?(\d+(?:\.\d+)+[0-9A-Za-z.+-]*)")
_PATIENCE = 5.0  # seconds after the run itself has ended


class VersionQuestion:
    """A runner that was asked for its version. `command` None, or one that is no question for a version: not asked."""

    def __init__(self, command: Sequence[str] | None, cwd: str, environ: Mapping[str, str]) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if command and "version" in command[-1]:
            try:
                self._process = subprocess.Popen(
                    list(command),
                    cwd=cwd,
                    env=dict(environ),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
            except (OSError, ValueError):
                self._process = None

    def answer(self) -> str:
        """The first version that it named; "" for none. Waits a few seconds at most, then ends the process."""
        process = self._process
        if process is None:
            return ""
        self._process = None
        try:
            said, _ = process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return ""
        found = None if process.returncode else _VERSION.search(said)
        return found[1].decode("ascii") if found else ""
