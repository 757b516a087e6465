"""A command of the policy as a child process: its output streams through, a person's interrupt is waited for (design, 7)."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from shipmoor_hooks.errors import UsageFault

STDERR, NOWHERE = 2, subprocess.DEVNULL  # where what a command prints can go instead of our stdout


def run(command: Sequence[str], cwd: str, environ: Mapping[str, str], stdout: int | None = None) -> tuple[int, bool]:
    """The exit code (128 + N for signal N, as a shell has it), and whether a person interrupted it.

    `stdout` is a file descriptor (None: ours). Raises UsageFault when the command cannot be started.
    """
    try:
        process = subprocess.Popen(list(command), cwd=cwd, env=dict(environ), stdout=stdout)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageFault(
            f"{command[0]} cannot be started: {reason}", "check the suite's command in the policy"
        ) from error
    interrupted = False
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            interrupted = True  # the terminal told the child as well; wait for it to end by itself
    return (128 - code if code < 0 else code), interrupted
