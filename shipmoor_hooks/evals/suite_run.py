"""`eval run` with an agent: the suite's cases are loaded, chosen, run, graded, and written as the real program writes them.

Its words are those of `claude plugin eval`, so that one command in the policy says what is measured, whoever measures it.
"""

from __future__ import annotations

import fnmatch
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from shipmoor_hooks import scratch
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.evals import (
    graders,
    loading,
    result_document,
    result_files,
    result_page,
    run_options,
    runner,
    sample,
    trace,
)
from shipmoor_hooks.evals import workspace as folders
from shipmoor_hooks.evals.definitions import CaseDefinition, SuiteDefinition, Verdict
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.evals.regex_engine import RegexEngine
from shipmoor_hooks.evals.run_options import RunOptions
from shipmoor_hooks.evals.runner import Material
from shipmoor_hooks.evals.sample import Setting
from shipmoor_hooks.model import Suite
from shipmoor_hooks.observe import RUN_VARIABLE
from shipmoor_hooks.place import Place

EXIT_LOW, EXIT_TERMINATED = 1, 143


def run(
    place: Place, suite: Suite, words: Sequence[str], cwd: str, environ: Mapping[str, str], tell: Callable[[str], None]
) -> int:
    """Run what the words behind `claude plugin eval` ask for, with the suite's agent; the exit code of the real program.

    Raises UsageFault for words that cannot be used, EnvironmentFault where the agent, the engine or a folder is missing.
    """
    options = _bounded(run_options.parse(words), suite.max_cost)
    if options.eval_dir is not None:
        raise UsageFault(
            "--eval-dir is read from the plugin's manifest here", 'set "experimental": {"evals": DIR} in plugin.json'
        )
    top = os.path.realpath(place.require_top())
    target = os.path.realpath(os.path.join(cwd, options.target))
    root = _plugin_root(target, top)
    sample.check_agent(suite.agent, root, environ)
    found = loading.load_folder(root)
    for name in options.ignored:
        tell(f"⚠ {name} has no effect with an agent of the policy")
    for warning in found.warnings:
        tell(f"⚠ {warning}")
    for fault in found.faults:
        tell(f"✗ {fault.path}: {fault.message}")
    cases = _chosen(found, options, os.path.relpath(target, root))
    if not cases:
        wanted = f" matching --case {json.dumps(options.case)}" if options.case else ""
        tell(f"No eval cases found{wanted} under {root}.")
        return EXIT_LOW
    hidden = (*(os.path.join(root, d) for d in found.eval_dirs), place.common_dir, os.path.join(top, ".git"))
    setting = Setting(root, top, suite.agent, options, environ, tuple(os.path.realpath(h) for h in hidden))
    with _sigterm_interrupts() as terminated:
        done = _run(setting, cases, tell)
    if done.result.cases:
        _write(done, cwd, _places(place, done, found, cwd, environ), tell)
    if not options.keep_temp:
        runner.forget_traces(done)
    if terminated:
        return EXIT_TERMINATED
    return EXIT_LOW if done.exit_code == 0 and found.faults else done.exit_code


def _bounded(options: RunOptions, most: float | None) -> RunOptions:
    """The options with the policy's ceiling, where that is the lower one."""
    given = [amount for amount in (options.max_cost, most) if amount is not None]
    return replace(options, max_cost=min(given)) if given else options


def _plugin_root(target: str, top: str) -> str:
    """The nearest folder at or above the target, inside the worktree, that holds a plugin's manifest; else the target.

    Raises UsageFault for a target that is no folder of the worktree.
    """
    if not os.path.isdir(target) or os.path.commonpath([top, target]) != top:
        raise UsageFault(f"{target} is no folder of this worktree")
    folder = target
    while True:
        if os.path.isfile(os.path.join(folder, loading.MANIFEST)):
            return folder
        if folder == top:
            return target
        folder = os.path.dirname(folder)


def _chosen(found: SuiteDefinition, options: RunOptions, below: str) -> list[CaseDefinition]:
    """The cases that the target, `--case` and `--tag` leave. In a `--case` only `*` is a wildcard."""
    below = "" if below == "." else below.replace(os.sep, "/")
    cases = [c for c in found.cases if not below or c.dir == below or c.dir.startswith(f"{below}/")]
    if options.case is not None:
        pattern = "*".join(_escaped(part) for part in options.case.split("*"))
        cases = [c for c in cases if fnmatch.fnmatchcase(c.name, pattern)]
    return [c for c in cases if not options.tags or set(c.tags) & set(options.tags)]


def _escaped(text: str) -> str:
    """The text with fnmatch's own wildcards taken literally."""
    return "".join(f"[{c}]" if c in "?[" else c for c in text)


def _run(setting: Setting, cases: Sequence[CaseDefinition], tell: Callable[[str], None]) -> runner.Done:
    with RegexEngine() as engine:

        def grade(case: CaseDefinition, material: Material) -> tuple[Verdict, ...]:
            files = folders.read(material.folder, graders.focus_paths(case.graders))
            seen = graders.Recording(trace.read(material.trace), Workspace(material.created, files), case.name)
            return graders.grade(engine, case.graders, seen)

        return runner.run(setting, cases, _plugins(setting.root), grade, tell)


def _plugins(root: str) -> list[dict[str, str]]:
    """The plugin as the result names it; none where there is no manifest that can be read."""
    try:
        with open(os.path.join(root, loading.MANIFEST), encoding="utf-8-sig") as stream:
            manifest = json.load(stream)
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(manifest, dict):
        return []
    return [{"name": str(manifest.get("name", "")), "version": str(manifest.get("version", "")), "path": root}]


def _places(
    place: Place, done: runner.Done, found: SuiteDefinition, cwd: str, environ: Mapping[str, str]
) -> tuple[list[str], bool]:
    """The folders that the result is written to, and whether the last of them is there for a person to look at.

    `run` asks for the result in a folder that it takes away. The usual one gets it as well, unless git would then see new
    files, or the worktree itself is one that goes.
    """
    result, top = done.result, place.require_top()
    name = result_document.folder_name(result.started)
    usual = os.path.join(result.root, (found.eval_dirs or ("evals",))[0], "results", name)
    if not result.options.output_dir:
        return [usual], True
    asked = os.path.join(cwd, result.options.output_dir)
    if RUN_VARIABLE not in environ:
        return [asked], True
    ignored = place.git.run("check-ignore", "-q", os.path.join(usual, result_files.RESULT)).returncode == 0
    stays = ignored and not os.path.basename(top).startswith(scratch.PREFIX)
    return ([asked, usual], True) if stays else ([asked], False)


def _write(done: runner.Done, cwd: str, places: tuple[list[str], bool], tell: Callable[[str], None]) -> None:
    result, options = done.result, done.result.options
    text, html = result_document.text_of(result), result_page.page(result)
    page = os.path.join(cwd, options.report) if options.report else None
    folders, stays = places
    report = [result_files.write(folder, text, html, page) for folder in folders][-1]
    if options.json_path == "-":
        sys.stdout.write(text)
    elif options.json_path:
        result_files.write_file(os.path.join(cwd, options.json_path), text)
    if stays or page:
        tell(f"Report: {report}")


@contextmanager
def _sigterm_interrupts() -> Iterator[list[int]]:
    """A SIGTERM ends the run as an interrupt does, so that what is there is written; the list then holds its number."""
    came: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, before)
