"""What the files of one case say together -> a `CaseDefinition`, or why the program does not load it. Pure.

`case.yaml` and the front matter of `prompt.md` are one document, in which `prompt.md` wins field by field; the graders of
`case.yaml` come first, those of `graders/*.md` in the order of their names (case format, section 3).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals import case_values as values
from shipmoor_hooks.evals.case_values import MISSING, Issues
from shipmoor_hooks.evals.definitions import DEFAULT_MAX_TURNS, DEFAULT_RUNS, DEFAULT_TIMEOUT, CaseDefinition, Grader
from shipmoor_hooks.evals.grader_schema import read_grader

TOP_KEYS = (
    *("schema_version", "name", "description", "expected_outcome", "tags", "plugins", "runs"),
    *("context", "execution", "graders"),
)
CONTEXT_KEYS = ("scaffold_script", "history_file", "add_dirs")
EXECUTION_KEYS = (
    *("prompt", "model", "max_turns", "timeout_seconds", "allowed_tools", "disallowed_tools"),
    *("append_system_prompt", "env", "artifact_publish", "growthbook_overrides"),
)
# In the program's order, which its complaint about an unknown key shows; the first seven stand at the top of case.yaml.
FRONT_KEYS = (
    *("schema_version", "name", "description", "tags", "plugins", "runs", "expected_outcome"),
    *("model", "max_turns", "timeout_seconds", "allowed_tools", "artifact_publish", "growthbook_overrides"),
    *("append_system_prompt", "env"),
)
_TOP_FRONT_KEYS = FRONT_KEYS[:7]
_MINOR = re.compile(r"1\.[0-9]+")
NO_VERSION = 'missing required field schema_version (e.g. "1.0")'
NO_PROMPT = "execution.prompt is required (a prompt.md body, or execution.prompt in case.yaml)"
NO_GRADER = "graders: Array must contain at least 1 element(s)"
DEFAULT_VERSION = "1.1"


@dataclass(frozen=True, slots=True)
class CaseTexts:
    """The parsed files of one case. `yaml` is None where there is no case.yaml, `front` where there is no prompt.md.

    `graders` are the front matters of `graders/*.md` with name and body filled in.
    """

    dir: str
    yaml: Mapping[str, object] | None = None
    front: Mapping[str, object] | None = None
    body: str = ""
    graders: Sequence[Mapping[str, object]] = ()


class CaseRefused(Exception):
    """The program does not load this case; the text says why, in its words."""


def read_case(texts: CaseTexts) -> CaseDefinition:
    """The case. Raises CaseRefused."""
    merged = _merged(texts)
    _check_version(merged)
    issues = Issues()
    if "execution" not in merged:
        issues.add("execution", values.REQUIRED)
    execution = values.mapping(issues, "execution", merged.get("execution", {}))
    context = values.mapping(issues, "context", merged.get("context", {}))
    top = _Reader(issues, "", merged)
    name = values.string(issues, "name", merged.get("name", MISSING), 1)
    description, expected = top.text("description"), top.text("expected_outcome")
    tags, plugins = top.words("tags"), top.words("plugins")
    runs = top.count("runs", DEFAULT_RUNS, 50)
    run = _Reader(issues, "execution.", execution)
    setting = _Reader(issues, "context.", context)
    limits = (run.count("max_turns", DEFAULT_MAX_TURNS, 200), run.count("timeout_seconds", DEFAULT_TIMEOUT, 3600))
    found = CaseDefinition(
        name=name,
        dir=texts.dir,
        source="prose" if texts.yaml is None else "case_yaml" if texts.front is None and not texts.graders else "mixed",
        prompt=run.text("prompt"),
        graders=_graders(issues, merged.get("graders", MISSING)),
        schema_version=str(merged["schema_version"]),
        tags=tags,
        plugins=plugins,
        runs=runs,
        model=run.text("model"),
        max_turns=limits[0],
        timeout_seconds=limits[1],
        allowed_tools=run.words("allowed_tools"),
        disallowed_tools=run.words("disallowed_tools"),
        append_system_prompt=run.text("append_system_prompt"),
        env=_env(issues, execution.get("env", {})),
        scaffold_script=setting.text("scaffold_script"),
        history_file=setting.text("history_file"),
        add_dirs=setting.words("add_dirs"),
        ignored=_ignored(texts.yaml or {}),
        description=description,
        expected_outcome=expected,
    )
    run.check("artifact_publish", values.boolean)
    run.check("growthbook_overrides", values.mapping)
    if issues.found:
        raise CaseRefused("invalid case.yaml:   " + "; ".join(issues.found))
    if not found.prompt.strip():
        raise CaseRefused(NO_PROMPT)
    return found


def _merged(texts: CaseTexts) -> dict[str, object]:
    """One document of both files, as the program merges them. Raises CaseRefused for a key that prompt.md may not have."""
    front = texts.front
    if front is not None:
        for key in front:
            if key not in FRONT_KEYS:
                raise CaseRefused(f'unknown frontmatter key "{key}" (expected one of: {", ".join(FRONT_KEYS)})')
    merged = dict(texts.yaml or {})
    if front is not None:
        merged |= {key: value for key, value in front.items() if key in _TOP_FRONT_KEYS}
        execution = merged.get("execution", {})
        if isinstance(execution, dict):
            execution = {**execution, **{k: v for k, v in front.items() if k not in _TOP_FRONT_KEYS}}
            merged["execution"] = execution | ({"prompt": texts.body} if texts.body else {})
    if texts.yaml is None:
        merged = {"schema_version": DEFAULT_VERSION, "name": texts.dir.rpartition("/")[2]} | merged
    if texts.graders:
        own = merged.get("graders", [])
        merged["graders"] = [*own, *texts.graders] if isinstance(own, list) else own
    elif texts.yaml is None:
        merged["graders"] = []
    return merged


def _check_version(merged: Mapping[str, object]) -> None:
    version = merged.get("schema_version")
    if not isinstance(version, str) or not version:
        raise CaseRefused(NO_VERSION)
    if not _MINOR.fullmatch(version):
        raise CaseRefused(f'schema_version "{version}" requires a newer Claude Code (this binary supports up to 1.x)')


def _graders(issues: Issues, given: object) -> tuple[Grader, ...]:
    if not isinstance(given, list):
        issues.add("graders", values.expected("array", given))
        return ()
    if not given:
        issues.found.append(NO_GRADER)
    found: list[Grader] = []
    for number, entry in enumerate(given):
        grader = read_grader(issues, f"graders.{number}", entry)
        if grader is None:
            continue
        if any(grader.name == other.name for other in found):
            issues.add("graders", f'duplicate grader name "{grader.name}"')
        found.append(grader)
    return tuple(found)


def _env(issues: Issues, given: object) -> dict[str, str]:
    read = values.mapping(issues, "execution.env", given)
    return {key: values.string(issues, f"execution.env.{key}", value) for key, value in read.items()}


def _ignored(yaml: Mapping[str, object]) -> tuple[str, ...]:
    """Dotted keys of case.yaml that the program reads over without a word."""
    found = [key for key in yaml if key not in TOP_KEYS]
    for name, known in (("context", CONTEXT_KEYS), ("execution", EXECUTION_KEYS)):
        table = yaml.get(name)
        if isinstance(table, dict):
            found += [f"{name}.{key}" for key in table if key not in known]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Reader:
    """The optional keys of one table."""

    issues: Issues
    prefix: str
    table: Mapping[str, object]

    def text(self, key: str) -> str:
        return values.string(self.issues, self.prefix + key, self.table[key]) if key in self.table else ""

    def words(self, key: str) -> tuple[str, ...]:
        return values.strings(self.issues, self.prefix + key, self.table[key]) if key in self.table else ()

    def count(self, key: str, default: int, most: int) -> int:
        return values.integer(self.issues, self.prefix + key, self.table.get(key, default), 1, most)

    def check(self, key: str, read: Callable[[Issues, str, object], object]) -> None:
        if key in self.table:
            read(self.issues, self.prefix + key, self.table[key])
