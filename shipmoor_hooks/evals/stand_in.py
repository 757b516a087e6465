"""Who runs a suite: the policy's agent stands in for `claude plugin eval`, under the very same words (design, section 8)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from shipmoor_hooks.evals.run_options import call_of
from shipmoor_hooks.model import Suite

COMMAND = "run-cases"


def stand_in(suite: Suite, command: Sequence[str]) -> tuple[str, ...]:
    """What is started in place of `command`: our own runner, where the suite names an agent and the command is
    `claude plugin eval`; else the command itself.
    """
    call = call_of(command) if suite.agent else None
    if call is None:
        return tuple(command)
    # What `env NAME=value` in front of the program sets holds for the agent too; another launcher starts the program alone.
    setting = ("env", *(f"{name}={value}" for name, value in call.environ.items())) if call.environ else ()
    ours = (sys.executable, "-P", "-m", "shipmoor_hooks", "eval", COMMAND, "--suite", suite.name, "--")
    return (*setting, *ours, *call.tail)
