"""Lints of a case as a whole: what its graders leave open, what its files name, what does nothing. Pure."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator, Mapping

from shipmoor_hooks.evals.case_schema import CONTEXT_KEYS, EXECUTION_KEYS, FRONT_KEYS, TOP_KEYS
from shipmoor_hooks.evals.check.finding import NOTE, SHELLS, WRITERS, CheckFinding, Surroundings
from shipmoor_hooks.evals.check.tools import is_negative
from shipmoor_hooks.evals.definitions import BASELINE, FILE_EXISTS, REGEX, CaseDefinition, Grader, SuiteDefinition
from shipmoor_hooks.evals.grader_schema import KEYS

RULES = {
    "only-negative": "every grader passes when the agent does nothing",
    "equal-names": "two cases share a name, so a result does not say which is which",
    "unknown-key": "a key of case.yaml that the program reads over",
    "duplicate-key": "a key stands twice; only the last one counts",
    "not-seen": "a file or folder that looks like part of the suite and is not run",
    "weight": "a grader whose weight leaves no trace in the score, or one that swallows all",
    "path-outside": "a path that no run can hold",
    "glob-literal": "braces, brackets and the like stand for themselves in these globs",
    "file-never-written": "a grader reads a file that nothing writes",
    "file-missing": "a file that the case names is not in its folder",
    "scaffold-not-run": "the suite's command runs no scaffold",
    "env-key": "an env key that makes every run of the case an error",
    "plugin-root-in-prompt": "CLAUDE_PLUGIN_ROOT is empty in the agent's shell",
    "add-dirs": "what add_dirs names is not mapped into the workspace",
    "reply-of-code": "the reply is searched for a text that code prints",
    "mock-calls": "mock_calls is graded and there are no mocks",
}
_LOST = 1e-9
_ENV = re.compile(r"EVAL_[A-Z0-9_]*")
_SENTENCE = 12


def only_negative(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    if case.graders and all(is_negative(g) for g in case.graders):
        yield CheckFinding(
            "only-negative", case.dir, "every grader passes when the agent does nothing, so a run that never worked is green",
            way_out="add a grader that asks for something",
        )  # fmt: skip


def equal_names(suite: SuiteDefinition) -> Iterator[CheckFinding]:
    seen: dict[str, str] = {}
    for case in suite.cases:
        if case.name in seen:
            said = f"it has the name {case.name!r}, as {seen[case.name]} has"
            yield CheckFinding("equal-names", case.dir, said, way_out="give each case a name of its own")
        seen.setdefault(case.name, case.dir)


def not_seen(suite: SuiteDefinition) -> Iterator[CheckFinding]:
    for warning in suite.warnings:
        if "share the name" not in warning:
            path = warning.partition(" ")[0].removesuffix(":")
            yield CheckFinding("not-seen", path, warning.removeprefix(f"{path} "))
    for case in suite.cases:
        for warning in case.warnings:
            said = warning.removeprefix(f"{case.dir}: ")
            if said.startswith("graders/"):
                yield CheckFinding("not-seen", case.dir, said, way_out="give it front matter, or remove it")


def keys(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    for key in case.ignored:
        table, _, word = key.rpartition(".")
        yield CheckFinding(
            "unknown-key", case.dir, f"case.yaml: the key {key} does nothing", way_out=nearest(word, _known(table))
        )
    for said in case.repeated:
        yield CheckFinding("duplicate-key", case.dir, f"{said}; only the last one counts", way_out="remove one")


def _known(table: str) -> tuple[str, ...]:
    return {"context": CONTEXT_KEYS, "execution": EXECUTION_KEYS}.get(table, TOP_KEYS)


def nearest(word: str, known: tuple[str, ...]) -> str:
    """The nearest valid key as a question, also one that belongs elsewhere."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]}?"
    homes = {"execution": EXECUTION_KEYS, "context": CONTEXT_KEYS, "the top level": TOP_KEYS}
    home = next((name for name, keys in homes.items() if word in keys), "")
    grader = next(
        (kind for kind, keys in KEYS.items() if word in keys), "a grader" if word in ("weight", "arm") else ""
    )
    return f"it belongs in {home or grader}" if home or grader else f"valid are {', '.join(sorted(known))}"


def hint_of_fault(message: str) -> str:
    """The nearest valid key for a load error that complains of an unknown one, "" for any other."""
    front = re.search(r'unknown frontmatter key "(.+?)"', message)
    if front:
        return nearest(front[1], FRONT_KEYS)
    grader = re.search(r"Unrecognized key\(s\) in object: '(.+?)'", message)
    valid = tuple(dict.fromkeys(("name", "type", "weight", "arm", *(key for keys in KEYS.values() for key in keys))))
    return nearest(grader[1], valid) if grader else ""


def weights(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    total = sum(g.weight for g in case.graders)
    for grader in case.graders:
        if grader.weight == float("inf"):
            said = "its weight is infinite, so the score is no number"
        elif grader.weight / total < _LOST:
            said = (
                f"its weight {grader.weight:g} of {total:g} leaves no trace in the score: the case can pass without it"
            )
        else:
            continue
        yield CheckFinding("weight", case.dir, said, grader.name, "give the graders weights of one size")


def paths(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    for grader, path in _paths(case):
        glob = grader.type == FILE_EXISTS
        leaves = path.startswith("/") or (
            ".." in path.split("/") if glob else posixpath.normpath(f"cwd/{path}").partition("/")[0] != "cwd"
        )
        if leaves:
            said = f"{path!r} lies outside the workspace, where no file of a run is looked for"
            yield CheckFinding("path-outside", case.dir, said, grader.name, "name it relative to the workspace")
        elif glob and (odd := [c for c in "{}[]!" if c in path]):
            said = f"{odd[0]!r} in {path!r} stands for itself: only **, * and ? are wildcards"
            yield CheckFinding("glob-literal", case.dir, said, grader.name, "write a grader for each name")


def files_written(case: CaseDefinition, around: Surroundings) -> Iterator[CheckFinding]:
    """A missing file fails the grader whatever its `match`, `not_contains` too."""
    granted = around.granted(case)
    script = around.files.get(case.dir, {}).get(case.scaffold_script.removeprefix("./"), "")
    for grader in case.graders:
        target = grader.config.get("target")
        if grader.type != REGEX or not isinstance(target, Mapping):
            continue
        name = posixpath.basename(str(target["path"]))
        if granted.isdisjoint(WRITERS) and "Agent" not in granted and name not in script:
            said = f"nothing writes {target['path']!r}: no writing tool is granted and the scaffold does not name it"
            yield CheckFinding(
                "file-never-written", case.dir, f"{said}, so the grader fails whatever its match", grader.name
            )
        elif is_negative(grader) and name not in script and not _asked_for(case, name):
            said = f"nothing in this case asks for {target['path']!r}, and where it is missing not_contains fails too"
            yield CheckFinding(
                "file-never-written", case.dir, said, grader.name, "let file_exists ask for the file", NOTE
            )


def _asked_for(case: CaseDefinition, name: str) -> bool:
    return name in case.prompt or any(
        g.type == FILE_EXISTS and str(g.config["path"]).endswith(name) and g.config.get("exists", True)
        for g in case.graders
    )


def named_files(case: CaseDefinition, around: Surroundings) -> Iterator[CheckFinding]:
    held = around.files.get(case.dir)
    named = [("scaffold_script", case.scaffold_script), ("history_file", case.history_file)]
    named += [("baseline_file", str(g.config["baseline_file"])) for g in case.graders if g.type == BASELINE]
    for key, path in named:
        if path and held is not None and posixpath.normpath(path) not in held:
            said = f"{key} names {path!r}, which is not in the case's folder, so every run is an error"
            yield CheckFinding("file-missing", case.dir, said)
    if case.scaffold_script and around.scaffolds is False:
        yield CheckFinding(
            "scaffold-not-run", case.dir, "the case has a scaffold and the suite's command does not run it",
            way_out="add --scaffold to the command",
        )  # fmt: skip


def environment(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    for key in case.env:
        if not _ENV.fullmatch(key):
            said = f"execution.env: {key} makes every run an error: only EVAL_* keys can be set"
            yield CheckFinding("env-key", case.dir, said, way_out=f"call it EVAL_{key}")


def prompts(case: CaseDefinition, _around: Surroundings) -> Iterator[CheckFinding]:
    for word, text in (("prompt", case.prompt), ("append_system_prompt", case.append_system_prompt)):
        if "CLAUDE_PLUGIN_ROOT" in text:
            yield CheckFinding(
                "plugin-root-in-prompt", case.dir, f"the {word} names CLAUDE_PLUGIN_ROOT, which is empty in the agent's shell",
                way_out="let a command of the plugin name the path: there it is filled in",
            )  # fmt: skip
    if case.add_dirs:
        yield CheckFinding(
            "add-dirs", case.dir, "add_dirs maps nothing into the workspace: the agent would have to know the real path",
            way_out="write fixtures by the scaffold",
        )  # fmt: skip


def mocks(case: CaseDefinition, around: Surroundings) -> Iterator[CheckFinding]:
    shared = [p for p in around.files.get("", {}) if "/mocks/" in f"/{p}"]
    own = [p for p in around.files.get(case.dir, {}) if p.startswith("mocks/")]
    for grader in case.graders:
        if "mock_calls" in (grader.config.get("target"), grader.config.get("focus")) and not shared and not own:
            yield CheckFinding(
                "mock-calls", case.dir, "there are no mocks, so the grader fails in every run", grader.name
            )


def replies_of_code(
    case: CaseDefinition, around: Surroundings, texts: Mapping[str, tuple[str, ...]]
) -> Iterator[CheckFinding]:
    """`texts` are, for each grader of the reply, the plain texts that its pattern needs."""
    for grader in case.graders:
        for text in texts.get(grader.name, ()):
            is_sentence = len(text) >= _SENTENCE and " " in text.strip()
            if not is_sentence and not re.fullmatch(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", text):
                continue
            path = next((p for p, source in around.code.items() if text in source), None)
            if path is not None:
                yield CheckFinding(
                    "reply-of-code", case.dir, f"{text!r} is printed by {path}; a model does not always repeat it in full",
                    grader.name, "grade the code's own output: target: trace, by its error code",
                )  # fmt: skip
                break


def _paths(case: CaseDefinition) -> Iterator[tuple[Grader, str]]:
    for grader in case.graders:
        target = grader.config.get("target", grader.config.get("focus"))
        if grader.type == FILE_EXISTS:
            yield grader, str(grader.config["path"])
        elif isinstance(target, Mapping):
            yield grader, str(target["path"])


def needs_outer_folder(case: CaseDefinition, around: Surroundings) -> bool:
    """Whether a temporary folder under /tmp masks what the case measures: its shell can write nowhere then."""
    return any(shell in around.granted(case) for shell in SHELLS)
