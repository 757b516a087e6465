"""How one case of a suite is run by itself: the policy's words, else what the table knows. Pure.

Where neither tells, the whole suite runs and the case is looked for in what it reports: slower, and as true.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.model import Suite
from shipmoor_hooks.runners import plugin_eval
from shipmoor_hooks.runners.launch import locate
from shipmoor_hooks.runners.pytest_runner import GRAMMAR, PYTEST
from shipmoor_hooks.runners.words import parse

PLACE = "{case}"
SAMPLES = "{samples}"


@dataclass(frozen=True, slots=True)
class CaseCommand:
    """The command that runs a case, what it runs in words, and how many samples one call of it takes."""

    words: tuple[str, ...]
    says: str
    samples: int = 1


def command_for(suite: Suite, case: str, path: str, samples: int) -> CaseCommand:
    """The command that runs `case`; `path` is the file in the tree that the id begins with ("" where there is none)."""
    if suite.case_command:
        words = tuple(w.replace(PLACE, case).replace(SAMPLES, str(samples)) for w in suite.case_command)
        return CaseCommand(words, "the case alone", samples if any(SAMPLES in w for w in suite.case_command) else 1)
    call = locate(suite.command)
    if call is not None and call.runner == plugin_eval.NAME:
        # The program's own filter; its names are globs, in which only `*` means anything but itself.
        given = parse(call.tail, plugin_eval.PLUGIN_EVAL)
        options = [t for w in given if w.name not in ("--runs", "--case") for t in w.tokens]
        alone = (*call.head, *options, "--runs", str(samples), "--case", case)
        return CaseCommand(alone, "the case alone", samples)
    if call is not None and call.runner == PYTEST.name and path and case.startswith(f"{path}::"):
        options = [t for w in parse(call.tail, GRAMMAR) if not w.is_operand for t in w.tokens]
        return CaseCommand((*call.head, *options, case), "the case alone")
    return CaseCommand(suite.command, "the whole suite")
