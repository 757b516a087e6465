"""Who runs a suite: the policy's agent stands in for `claude plugin eval`, under the very same words (design, section 8)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from shipmoor_hooks.evals.run_options import is_eval_command
from shipmoor_hooks.model import Suite

COMMAND = "run-cases"


def stand_in(suite: Suite, command: Sequence[str]) -> tuple[str, ...]:
    """What is started in place of `command`: our own runner, where the suite names an agent and the command is
    `claude plugin eval`; else the command itself.
    """
    if not suite.agent or not is_eval_command(command):
        return tuple(command)
    return (sys.executable, "-P", "-m", "shipmoor_hooks", "eval", COMMAND, "--suite", suite.name, "--", *command[3:])
