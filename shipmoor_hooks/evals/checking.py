"""`eval check`: an eval suite's structure, read from the working tree or a commit, and its pins; no model is asked.

Faults are cases that do not load (exit 2), findings what the lints and pins say (exit 1), notes neither.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.case_files import FILE, Files
from shipmoor_hooks.evals.case_finding import eval_directory
from shipmoor_hooks.evals.check import patterns, pins, requirements, scaffold, structure, tools
from shipmoor_hooks.evals.check.finding import FINDING, NOTE, CheckFinding, Surroundings
from shipmoor_hooks.evals.definitions import CaseDefinition, LoadFault, SuiteDefinition
from shipmoor_hooks.evals.loading import MANIFEST, load
from shipmoor_hooks.evals.matching import Engine
from shipmoor_hooks.model import CaseRules, Suite
from shipmoor_hooks.rules.policy_rules import option

PINS = "pins"
MOST_CODE, MOST_FILE = 16 << 20, 1 << 20
CODE = (".mjs", ".cjs", ".js", ".ts", ".py", ".sh", ".rb", ".go", ".rs", ".pl", ".php", ".java")
_NOT_CODE = frozenset(("node_modules", ".git", "test", "tests", "docs", "results"))
RULES: Mapping[str, str] = {
    **structure.RULES, **tools.RULES, **patterns.RULES, **scaffold.RULES, **requirements.RULES, **pins.RULES,
    "results-not-ignored": "the results folder lies in the working tree and git does not ignore it",
    "tmpdir": "with TMPDIR under /tmp the agent's shell cannot write in its workspace, so a writing fault is masked",
}  # fmt: skip
Lint = Callable[[CaseDefinition, Surroundings], Iterator[CheckFinding]]
LINTS: tuple[Lint, ...] = (
    structure.only_negative, structure.keys, structure.weights, structure.paths, structure.files_written,
    structure.named_files, structure.environment, structure.prompts, structure.mocks,
    tools.tool_names, tools.tools_granted, tools.bounds, tools.writes_by_shell, tools.orders, tools.absences,
    scaffold.scaffolds,
)  # fmt: skip
MASKED = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - where the agent's sandbox cannot write, not where we do


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found. `pinned` counts the pins that were graded, `cases` the cases that load."""

    faults: tuple[tuple[LoadFault, str], ...]
    findings: tuple[CheckFinding, ...]
    notes: tuple[CheckFinding, ...]
    cases: int
    graders: int
    pinned: int


def check(
    files: Files,
    engine: Engine,
    root: str = "",
    suite: Suite | None = None,
    before: tuple[Files, str] | None = None,
    pinned_by: Files | None = None,
    tmpdir: str | None = None,
    ignored: Callable[[str], bool] | None = None,
) -> Checked:
    """Lint the suite of the plugin in the folder `root` of `files` and grade its pins.

    `suite` is the policy's table, if there is one. `before` holds the files of the commit before and its root: a pattern
    that differs there must bring a pin that was red. `pinned_by` gives the pins in place of `files`. `tmpdir` is the
    value of TMPDIR ("" unset, None: not asked), `ignored` says whether git ignores a path below the root.
    """
    definition = load(files, root)
    around = _surroundings(files, root, definition, suite)
    found = [*structure.equal_names(definition), *structure.not_seen(definition)]
    rules = suite.case_rules if suite is not None else CaseRules()
    for case in definition.cases:
        patient = sum(f.rule == "backtracking" for f in found) < patterns.MOST_ENDLESS
        found += _lint(case, around, engine, rules, patient)
    pinned = _pins(pinned_by or files, root, definition)
    older = {} if before is None else {c.name: c for c in load(*before).cases}
    found += _graded_pins(definition, pinned, older, engine, NOTE if pinned_by else FINDING)
    found += _outside(definition, around, suite, tmpdir, ignored)
    faults = tuple((fault, structure.hint_of_fault(fault.message)) for fault in definition.faults)
    return Checked(
        faults,
        tuple(f for f in found if f.level == FINDING),
        tuple(f for f in found if f.level == NOTE),
        len(definition.cases),
        sum(len(c.graders) for c in definition.cases),
        sum(len(p) for p in pinned.values() if not isinstance(p, str)),
    )


def _lint(
    case: CaseDefinition, around: Surroundings, engine: Engine, rules: CaseRules, patient: bool
) -> Iterator[CheckFinding]:
    """Every lint of one case; its patterns are not tried once too many of others did not end."""
    for lint in LINTS:
        yield from lint(case, around)
    yield from structure.replies_of_code(case, around, patterns.plain_texts(case))
    if patient:
        yield from patterns.check_patterns(case, around, engine)
    else:
        yield CheckFinding("backtracking", case.dir, patterns.NOT_TRIED)
    yield from requirements.required(case, rules)


def grants(suite: Suite | None) -> tuple[str, ...] | None:
    """The tools that the suite's command grants by `--allow-tools`, None where no command of the program is known.

    A suite with an agent of its own is run by the same words.
    """
    if suite is None or "eval" not in suite.command:
        return None
    found: list[str] = []
    taking = False
    for word in suite.command:
        if word.startswith("-"):
            taking = word == "--allow-tools"
            if word.startswith("--allow-tools="):
                found += word.partition("=")[2].split()
        elif taking:
            found += word.replace(",", " ").split() if "(" not in word else [word]
    return tuple(found)


def _surroundings(files: Files, root: str, definition: SuiteDefinition, suite: Suite | None) -> Surroundings:
    prefix = f"{root.strip('/')}/" if root.strip("/") else ""
    listing = files.listing(lambda folder: posixpath.basename(folder) in ("node_modules", ".git"))
    paths = [
        path[len(prefix) :]
        for path, entry in listing.items()
        if path.startswith(prefix) and entry.kind == FILE and entry.size <= MOST_FILE
    ]
    folders = sorted((case.dir for case in definition.cases), key=len, reverse=True)
    held: dict[str, dict[str, str]] = {case: {} for case in ["", *folders]}
    scripts = {posixpath.normpath(f"{c.dir}/{c.scaffold_script}") for c in definition.cases if c.scaffold_script}
    code = _code_paths(paths, definition, {path: listing[prefix + path].size for path in paths})
    texts = files.read([prefix + path for path in (*scripts.intersection(paths), *code, MANIFEST)])
    read = {path[len(prefix) :]: data.decode("utf-8", "replace") for path, data in texts.items()}
    for path in paths:
        case = next((folder for folder in folders if path.startswith(f"{folder}/")), "")
        inside = path[len(case) + 1 :] if case else path
        if case or any(eval_directory(path, posixpath.basename(d)) for d in definition.eval_dirs):
            held[case][inside] = read.get(path, "") if path in scripts else ""
    commands = [path for path in paths if path.startswith("commands/") and path.endswith(".md")]
    command = () if suite is None else suite.command
    return Surroundings(
        suite=definition,
        grants=grants(suite),
        scaffolds="--scaffold" in command if "eval" in command else None,
        files=held,
        code={path: read[path] for path in code if path in read},
        plugin=_plugin_name(read.get(MANIFEST, "")),
        commands=tuple(path.removeprefix("commands/").removesuffix(".md").replace("/", ":") for path in commands),
    )


def _code_paths(paths: Sequence[str], definition: SuiteDefinition, sizes: Mapping[str, int]) -> list[str]:
    """The plugin's programs, without its tests and its eval directories."""
    found, total = [], 0
    for path in sorted(paths):
        words = path.split("/")
        inside = any(path.startswith(f"{d}/") for d in definition.eval_dirs)
        if inside or not path.endswith(CODE) or _NOT_CODE.intersection(words[:-1]):
            continue
        total += sizes[path]
        if total > MOST_CODE:
            break
        found.append(path)
    return found


def _plugin_name(manifest: str) -> str:
    try:
        read = json.loads(manifest) if manifest else {}
    except (ValueError, RecursionError):
        return ""
    name = read.get("name") if isinstance(read, dict) else ""
    return name if isinstance(name, str) else ""


def _pins(files: Files, root: str, definition: SuiteDefinition) -> dict[str, tuple[pins.Pin, ...] | str]:
    """The pins of every file of an eval directory's `pins` folder, or why it cannot be read."""
    prefix = f"{root.strip('/')}/" if root.strip("/") else ""
    folders = tuple(f"{prefix}{directory}/{PINS}/" for directory in definition.eval_dirs)
    listing = files.listing(lambda folder: posixpath.basename(folder) in ("node_modules", ".git"))
    wanted = {
        path: entry for path, entry in listing.items() if path.startswith(folders) and path.endswith(".jsonl")
    } if folders else {}  # fmt: skip
    found: dict[str, tuple[pins.Pin, ...] | str] = {}
    small = [path for path, entry in wanted.items() if entry.kind == FILE and entry.size <= MOST_CODE]
    contents = files.read(small)
    for path in sorted(wanted):
        try:
            found[path[len(prefix) :]] = pins.read_pins(contents[path])
        except KeyError:
            found[path[len(prefix) :]] = "it is no plain file of a size that can be read"
        except pins.PinsRefused as refused:
            found[path[len(prefix) :]] = str(refused)
    return found


def _graded_pins(
    definition: SuiteDefinition,
    pinned: Mapping[str, tuple[pins.Pin, ...] | str],
    older: Mapping[str, CaseDefinition],
    engine: Engine,
    strangers: str,
) -> Iterator[CheckFinding]:
    """`strangers` is the level of pins that are about no case: none of them is wrong where an older commit is asked."""
    by_file = {path: case for case in definition.cases for path in pin_paths(case, definition)}
    for path, held in pinned.items():
        case = by_file.get(path)
        if isinstance(held, str):
            yield CheckFinding("pin-file", path, held)
        elif case is None:
            yield CheckFinding("pin-file", path, "there is no case of this name that loads", level=strangers)
        else:
            yield from pins.pin_findings(case, path, held, engine)
    for case in definition.cases:
        paths = pin_paths(case, definition)
        path = next((p for p in paths if p in pinned), paths[0])
        held = pinned.get(path, ())
        if case.name in older and not isinstance(held, str):
            yield from pins.missing_pins(older[case.name], case, path, held, engine)


def pin_paths(case: CaseDefinition, definition: SuiteDefinition) -> tuple[str, str]:
    """Where the pins of a case may stand: `evals/pins/CASE.jsonl`, by its folder below the eval directory or its name."""
    top = next((d for d in definition.eval_dirs if f"{case.dir}/".startswith(f"{d}/")), "evals")
    below = case.dir[len(top) :].strip("/") or posixpath.basename(case.dir)
    return f"{top}/{PINS}/{below}.jsonl", f"{top}/{PINS}/{case.name}.jsonl"


def _outside(
    definition: SuiteDefinition,
    around: Surroundings,
    suite: Suite | None,
    tmpdir: str | None,
    ignored: Callable[[str], bool] | None,
) -> Iterator[CheckFinding]:
    """What lies around the cases: where results are written, and where the agent's workspace will stand."""
    elsewhere = suite is not None and option(suite.command, "--output-dir") is not None
    for directory in definition.eval_dirs:
        if ignored is not None and not elsewhere and not ignored(f"{directory}/results/aggregate-result.json"):
            said = "results are written into this folder, and git does not ignore it: a run would change the tree"
            yield CheckFinding(
                "results-not-ignored", f"{directory}/results", said, way_out=f"add {directory}/results/ to .gitignore"
            )
    shells = any(structure.needs_outer_folder(case, around) for case in definition.cases)
    if tmpdir is None or not shells or (suite is not None and suite.agent):
        return
    place = posixpath.normpath(tmpdir) if tmpdir else MASKED[0]
    if any(place == masked or place.startswith(f"{masked}/") for masked in MASKED):
        told = f"TMPDIR is {place}" if tmpdir else "TMPDIR is not set, so it is /tmp"
        yield CheckFinding(
            "tmpdir", "TMPDIR", f"{told}: there the agent's shell cannot write, and a case that forbids writing passes",
            way_out="set TMPDIR to a folder outside /tmp, /var/tmp and /dev/shm", level=FINDING if tmpdir else NOTE,
        )  # fmt: skip
