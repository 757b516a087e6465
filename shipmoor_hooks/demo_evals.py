"""`demo --evals`: what happens to an eval suite, in a throwaway repository, with the example's plugin and no model.

Eight of eight; a planted fault fells its case; a loosened grader is refused; a red that the base shows too clears. The
agent plays a script that lies beside the repository, as a model does: it can change its words while no file here changes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping

from shipmoor_hooks.demo import Stage, stage_in
from shipmoor_hooks.errors import EnvironmentFault

EXAMPLE = "voyage"
_LEFT_OUT = shutil.ignore_patterns("results", "__pycache__")
_FAULT = "finding-id"
_CASE = "review-validate-flags-bad-finding-id"


def play(environ: Mapping[str, str], tell: Callable[[str], None], *, keep: bool = False) -> str | None:
    """Play the story; the folder when it is kept. Raises EnvironmentFault when the extra or a step is missing."""
    if any(importlib.util.find_spec(name) is None for name in ("py_mini_racer", "yaml")):
        raise EnvironmentFault(
            "eval suites need a pattern engine and a YAML reader", 'pip install "shipmoor-hooks[evals]"'
        )
    example = example_folder()
    folder = tempfile.mkdtemp(prefix="shipmoor-hooks-demo-")
    try:
        _story(stage_in(folder, EXAMPLE, environ, tell), example)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return folder if keep else None


def example_folder() -> str:
    """The example's plugin, which lies in the source beside the package. Raises EnvironmentFault where it is not there."""
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = os.path.join(source, "examples", EXAMPLE)
    if not os.path.isdir(found):
        raise EnvironmentFault(
            f"the example {EXAMPLE} comes with the source and is not in this installation",
            "make demo-evals, in a clone",
        )
    return found


def _story(stage: Stage, example: str) -> None:
    tell = stage.tell
    model = os.path.join(os.path.dirname(stage.repository), "model.json")
    tell("# 1. A plugin, its gates as code, and eight cases. The replay agent plays the model's part.")
    _set_up(stage, example, model)
    stage.ours("run", "--suite", "evals", shown=_counts)
    stage.do("git", "push", "-q", "-u", "origin", "main")

    tell("\n# 2. A gate breaks: any finding id is taken. The case that was made for it falls, and the push is refused.")
    stage.do("git", "switch", "-q", "-c", "faster", quiet=True)
    stage.do("git", "apply", os.path.join("faults", f"{_FAULT}.patch"))
    stage.do("git", "commit", "-q", "-am", "Take any finding id")
    stage.ours("run", "--suite", "evals", expected=1, shown=_counts)
    stage.do("git", "push", "origin", "faster", expected=1)

    tell("\n# 3. With the gate whole again, a grader is loosened instead. Eight of eight, and refused all the same.")
    stage.do("git", "reset", "-q", "--hard", "main", quiet=True)
    stage.replace(f"evals/{_CASE}/case.yaml", "REVIEW_BAD_FINDING_ID", "REVIEW_[A-Z_]+")
    stage.do("git", "commit", "-q", "-am", "Take any rule's code")
    stage.ours("run", "--suite", "evals", shown=_counts)
    stage.do("git", "push", "origin", "faster", expected=1)

    tell(
        "\n# 4. A harmless change on the day when the model words one reply in another way: a red that cannot be argued away."
    )
    stage.do("git", "reset", "-q", "--hard", "main", quiet=True)
    stage.replace("README.md", "A small plugin", "A very small plugin")
    stage.do("git", "commit", "-q", "-am", "Say how small it is")
    stage.replace(model, "A brief is required.", "Please write a brief first.")
    stage.ours("run", "--suite", "evals", expected=1, shown=_counts)
    stage.do("git", "push", "origin", "faster", expected=1)

    tell(
        "\n# 5. It is cleared by the same red at the base, measured on the same day: the change did not break the promise."
    )
    stage.ours("run", "--suite", "evals", "--at", "main", expected=1, shown=_counts)
    stage.do("git", "push", "origin", "faster")
    tell(
        "\n# That is all. Next: shipmoor-hooks eval check, and shipmoor-hooks prove CASE --fault PATCH, in a plugin of yours."
    )


def _set_up(stage: Stage, example: str, model: str) -> None:
    """The plugin as a repository with a remote and the hooks; its agent plays `model`."""
    remote = os.path.join(os.path.dirname(stage.repository), "remote.git")
    shutil.copytree(example, stage.repository, dirs_exist_ok=True, ignore=_LEFT_OUT)
    shutil.copyfile(os.path.join(example, "replay.json"), model)
    agent = [sys.executable, "-P", "-m", "shipmoor_hooks.evals.replay_agent", model]
    stage.replace("shipmoor-hooks.toml", '["shipmoor-hooks-replay", "./replay.json"]', json.dumps(agent))
    stage.replace("shipmoor-hooks.toml", "--runs 1", "--runs 1 --concurrency 4")
    stage.do("git", "init", "-q", "-b", "main", ".", quiet=True)
    stage.do("git", "init", "-q", "--bare", "-b", "main", remote, quiet=True)
    stage.do("git", "remote", "add", "origin", remote, quiet=True)
    stage.ours("init")
    stage.do("git", "add", "-A", quiet=True)
    stage.do("git", "commit", "-q", "-m", "A plugin and its evals")


def _counts(line: str) -> bool:
    """Of a run's many lines those that count: what fell, and what was stored."""
    return line.startswith(("✗", "    ✗", "shipmoor-hooks"))
