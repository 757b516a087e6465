"""One line of `eval check`, and what the lints look at. Values only; pure."""

from __future__ import annotations

from collections.abc import Mapping

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.evals.definitions import CaseDefinition, SuiteDefinition

FINDING, NOTE = "finding", "note"
# Tools that change nothing: granted where a case lists them; all others need `--allow-tools` as well.
UNGUARDED = frozenset({
    "Read", "Glob", "Grep", "NotebookRead", "Skill", "Agent", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
    "TaskStop",
})  # fmt: skip
BUILT_IN = UNGUARDED | {
    "Bash", "PowerShell", "Write", "Edit", "NotebookEdit", "WebFetch", "WebSearch", "ToolSearch", "ExitPlanMode",
    "AskUserQuestion", "BashOutput", "KillShell", "TaskOutput", "SlashCommand", "ListMcpResourcesTool",
    "ReadMcpResourceTool",
}  # fmt: skip
SHELLS = ("Bash", "PowerShell")
WRITERS = ("Write", "Edit", "NotebookEdit", *SHELLS)


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One finding: a stable rule name, where (the case's folder or a path), the grader, one sentence, a way out.

    A NOTE is told and changes no exit code.
    """

    rule: str
    path: str
    message: str
    grader: str = ""
    way_out: str = ""
    level: str = FINDING


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the lints know beside the cases.

    `grants` are the tools that the suite's command grants (None: not known, so every listed tool counts as granted);
    `scaffolds` whether it runs scaffolds (None: not known). `files` holds the texts of each case's own files by folder and
    path, `code` those of the plugin's programs, by path; `plugin` is the plugin's name, `commands` its commands' names.
    """

    suite: SuiteDefinition
    grants: tuple[str, ...] | None = None
    scaffolds: bool | None = None
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    plugin: str = ""
    commands: tuple[str, ...] = ()

    def granted(self, case: CaseDefinition) -> frozenset[str]:
        """The tools that the agent of a case gets, as `claude plugin eval` grants them."""
        listed = {bare(tool) for tool in case.allowed_tools}
        given = listed if self.grants is None else (listed & UNGUARDED) | {bare(tool) for tool in self.grants}
        if "Write" in given:
            given |= {"Edit", "NotebookEdit"}
        return frozenset(given - {tool for tool in case.disallowed_tools if "(" not in tool})


def bare(tool: str) -> str:
    """`Bash(npm test *)` is a grant of Bash."""
    return tool.partition("(")[0].strip()
