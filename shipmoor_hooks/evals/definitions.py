"""What an eval suite says: its cases and graders, as `claude plugin eval` reads them (design, section 8).

Frozen values only. Paths are relative to the plugin's root, with forward slashes; times are seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from shipmoor_hooks.data_classes import dataclass, field

REGEX, TOOL_USED, TOOL_ORDER, FILE_EXISTS, LLM, BASELINE = (
    "regex", "tool_used", "tool_order", "file_exists", "llm", "baseline",
)  # fmt: skip
DEFAULT_RUNS, DEFAULT_MAX_TURNS, DEFAULT_TIMEOUT = 3, 10, 300


@dataclass(frozen=True, slots=True)
class Grader:
    """One grader of a case. `config` holds the keys of its type as they were written, defaults not filled in.

    regex: pattern, flags, match, target (a word or {"source": "file", "path": P}); tool_used: tool, input_match, min, max;
    tool_order: before, after (a name or {"tool": T, "input_match": P}); file_exists: path, exists; llm: criteria, focus;
    baseline: criteria, baseline_file.
    """

    name: str
    type: str
    config: Mapping[str, object]
    weight: float = 1.0
    arm: str = ""


@dataclass(frozen=True, slots=True)
class CaseDefinition:
    """One case, loaded: what `case.yaml`, `prompt.md` and `graders/*.md` of its folder say together.

    `source` is "case_yaml", "prose" or "mixed"; `ignored` the keys that the program reads over without a word; `warnings`
    full sentences about what it silently does not do as written (a grader file without frontmatter, a key written twice);
    `repeated` names the keys that stand more than once, with their file and line.
    """

    name: str
    dir: str
    source: str
    prompt: str
    graders: tuple[Grader, ...]
    schema_version: str = "1.0"
    tags: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    runs: int = DEFAULT_RUNS
    model: str = ""
    max_turns: int = DEFAULT_MAX_TURNS
    timeout_seconds: int = DEFAULT_TIMEOUT
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    append_system_prompt: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    scaffold_script: str = ""
    history_file: str = ""
    add_dirs: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    description: str = ""
    expected_outcome: str = ""


@dataclass(frozen=True, slots=True)
class LoadFault:
    """A case that does not load: the folder or file, and why, in the program's words where it has some."""

    path: str
    message: str

    @property
    def dir(self) -> str:
        """The folder of the case."""
        return self.path.removesuffix("/case.yaml")


@dataclass(frozen=True, slots=True)
class SuiteDefinition:
    """Every case below a plugin's root, in the program's order, and what does not load or is not seen."""

    cases: tuple[CaseDefinition, ...]
    faults: tuple[LoadFault, ...] = ()
    warnings: tuple[str, ...] = ()
    eval_dirs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A path of the case's folder that differs: relative to the folder, lines added and removed (None: not text).

    `status` is "added", "removed", "changed" or "mode" (only its mode or kind changed).
    """

    path: str
    status: str = "changed"
    added: int | None = None
    removed: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a grader says of one recorded run. `passed` is None where it was not graded (`explanation` says why)."""

    passed: bool | None
    explanation: str
