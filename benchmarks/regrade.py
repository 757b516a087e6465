"""Grading 1,000 recorded traces with ten graders each, against the engine alone on the same strings."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator

from benchmarks.measure import Command, Row, paired, python
from benchmarks.readers import WORK

TRACES, GRADERS = 1000, 10


def rows(folder: str, times: int) -> Iterator[Row]:
    what = f"grading {TRACES:,} traces with {GRADERS} graders each"
    if importlib.util.find_spec("py_mini_racer") is None:
        yield Row(what, None, 1.5, "mini-racer on the same strings", note="mini-racer is not installed here")
        return
    path = os.path.join(folder, "traces.json")
    with open(path, "w") as out:
        json.dump([_reply(i) for i in range(TRACES)], out)
    commands = {
        name: Command(python(WORK, name, path)) for name in ("engine", "graders", "graders_imports", "racer_imports")
    }
    rounds = paired(commands, times)
    # The engine runs in a process of its own, so that a pattern can take no more than that down: its start is no grading.
    apart = {"less": ["graders_imports", "racer_imports"], "less_theirs": ["racer_imports"]}
    note = "start and imports apart, of both our processes"
    yield rounds.row(what, "graders", "engine", 1.5, "mini-racer on the same strings", note=note, **apart)


def _reply(i: int) -> str:
    words = " ".join(f"word{(i * 31 + k) % 977}" for k in range(400))
    return f"The booking {i} is confirmed for {i % 28 + 1} May. {words} Total: {i * 7} EUR."
