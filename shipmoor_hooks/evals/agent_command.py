"""How an agent of the policy is told what to do: placeholders in its argv, and variables (docs/eval-run.md).

Pure. `{prompt}`, `{model}`, `{tools}`, `{plugin}`, `{max_turns}`, `{disallowed_tools}` and `{system_prompt}` stand in argv;
the prompt comes on stdin where no word asks for it. The variables carry the same, and the number of the sample.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass

VARIABLE = "SHIPMOOR_HOOKS_EVAL_"
# Granted as soon as a case lists them: they change nothing. Every other tool needs --allow-tools too (measured with
# claude 2.1.328, which offers these without any grant).
UNGUARDED_TOOLS = frozenset({"Agent", "Glob", "Grep", "Read", "Skill", "TaskStop", "ToolSearch", "TodoWrite", "LS"})


@dataclass(frozen=True, slots=True)
class Task:
    """One session, as the agent is told it. `tools` are granted, `dirs` and `history` absolute paths of copies."""

    prompt: str
    model: str = ""
    tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    max_turns: int = 0
    plugin: str = ""
    system_prompt: str = ""
    sample: int = 1
    dirs: tuple[str, ...] = ()
    history: str = ""

    @property
    def values(self) -> Mapping[str, str]:
        """Every placeholder but the prompt, with what stands for it; "" where the case says nothing."""
        return {
            "model": self.model,
            "tools": ",".join(self.tools),
            "disallowed_tools": ",".join(self.disallowed_tools),
            "max_turns": str(self.max_turns or ""),
            "plugin": self.plugin,
            "system_prompt": self.system_prompt,
        }


def granted(allowed: Sequence[str], grants: Sequence[str]) -> tuple[str, ...]:
    """The tools of a case that its agent gets: those that change nothing, and those that were granted by name."""
    names = {grant.partition("(")[0] for grant in grants}
    return tuple(dict.fromkeys(t for t in allowed if t in UNGUARDED_TOOLS or t.partition("(")[0] in names))


def argv_of(agent: Sequence[str], task: Task, root: str) -> tuple[str, ...]:
    """The agent's argv. A word that starts with `./` or `../` is a path from `root`, since it starts elsewhere.

    An option whose placeholder has no value is left out with it: `--model {model}` where no model is asked for.
    """
    words: list[str] = []
    for word in agent:
        name = word[1:-1] if word.startswith("{") and word.endswith("}") else ""
        if name in task.values and not task.values[name]:
            if words and words[-1].startswith("-"):
                words.pop()
            continue
        words.append(_filled(word, task, root))
    return tuple(words)


def wants_prompt(agent: Sequence[str]) -> bool:
    """Whether a word of the agent's argv takes the prompt; else it comes on stdin."""
    return any("{prompt}" in word for word in agent)


def variables(task: Task) -> dict[str, str]:
    """What the agent's environment says of the session."""
    told = {VARIABLE + name.upper(): value for name, value in task.values.items()}
    return told | {
        VARIABLE + "SAMPLE": str(task.sample),
        VARIABLE + "DIRS": ":".join(task.dirs),
        VARIABLE + "HISTORY": task.history,
    }


def _filled(word: str, task: Task, root: str) -> str:
    if word.startswith(("./", "../")):
        return os.path.normpath(os.path.join(root, word))
    # In one pass: what stands in a prompt is data, and no placeholder.
    values = {**task.values, "prompt": task.prompt}
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), word)
