"""What the tests of the runners' table share: a command as words, and what its runner makes of it."""

from __future__ import annotations

import shlex

from shipmoor_hooks import runners

FOLDER = "/fresh"


def split(text: str) -> list[str]:
    return shlex.split(text)


def prepared(command: str, **environ: str) -> runners.Prepared:
    runner = runners.recognise(split(command))
    assert runner is not None
    return runner.prepare(split(command), environ, FOLDER)
