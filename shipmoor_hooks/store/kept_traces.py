"""Traces of a run of evals that we saw: kept beside the spool, and the program's own folders taken away (design, section 8).

A result names where its traces lie. Such a path is believed only for a run that we started, and only where it leads to a
folder of the program's own making, of ours to read, that is no older than the run.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.eval_model import EvalResult, EvalRun, EvalSample
from shipmoor_hooks.evals import workspace
from shipmoor_hooks.evals.definitions import CaseDefinition
from shipmoor_hooks.evals.graders import focus_paths
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.model import Report
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.limits import bounded
from shipmoor_hooks.store import trace_store
from shipmoor_hooks.store.trace_store import KeptTrace
from shipmoor_hooks.trees.held_folder import remove_tree

_FOLDER = re.compile(r"(?:claude-eval|shipmoor-hooks-eval)-[\w-]+")
_TRACE = os.path.join("out", "trace.jsonl")
_FIRST = 1 << 20  # bytes of a trace that its first record may take
_CLOCKS = 5.0  # seconds by which a file system's time may differ from ours


def keep(
    common_dir: str,
    about: KeptTrace,
    evals: EvalRun,
    result: EvalResult,
    cases: Mapping[str, CaseDefinition],
    *,
    scaffolds: bool,
) -> EvalRun:
    """The run with the name of each trace that could be kept, and with the model that the traces name where none was asked for.

    `about` holds suite, run and moment; `cases` are the definitions by the `dir` of the result; `scaffolds` says whether
    they ran, in which case nobody knows which files the session itself made. Raises EnvironmentFault.
    """
    found = []
    models: set[str] = set()
    for case, asked, paths in zip(evals.cases, result.run.cases, result.traces, strict=True):
        definition = cases.get(asked.dir)
        samples: list[EvalSample] = []
        for number, (sample, path) in enumerate(zip(case.samples, paths, strict=True), 1):
            base = folder_of(path, about.recorded)
            data = _bytes(path) if base else None
            kept = ""
            if data is not None:
                models.add(_model(data))
                row = replace(
                    about,
                    case=case.id,
                    sample=number,
                    expectation=case.expectation or "",
                    passed=sample.is_green(evals.threshold) if sample.is_valid else None,
                )
                kept = trace_store.keep(common_dir, row, data, _workspace(base, definition, scaffolds))
            samples.append(replace(sample, trace=kept))
        found.append(replace(case, samples=tuple(samples)))
    return replace(evals, cases=tuple(found), model=evals.model or " and ".join(sorted(models - {""})))


def drop(reports: Iterable[Report], since: float) -> None:
    """Take away the folders that the program left behind because we asked it to; `since` is when the run started."""
    for report in reports:
        result = report.evals
        paths = [] if result is None else [*(p for row in result.traces for p in row), *result.other_traces]
        for base in {folder_of(path, since) for path in paths} - {""}:
            remove_tree(base)


def folder_of(path: str, since: float) -> str:
    """The program's temporary folder that a trace lies in; "" for any other path, and for a folder older than the run."""
    if not path.endswith(os.sep + _TRACE) or not os.path.isabs(path):
        return ""
    base = path[: -len(_TRACE) - 1]
    above = os.path.dirname(base)
    if not _FOLDER.fullmatch(os.path.basename(base)) or os.path.realpath(above) != above:
        return ""
    try:
        status = os.lstat(base)
    except (OSError, ValueError):
        return ""
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return base if ours and max(status.st_ctime, status.st_mtime) >= since - _CLOCKS else ""


def _bytes(path: str) -> bytes | None:
    """The trace's bytes; None for what is no plain file or too large to be kept."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > trace_store.MOST_TRACE:
            return None
        return stream.read(trace_store.MOST_TRACE + 1)


def _model(trace: bytes) -> str:
    """The model that a session's first record names; "" where it names none."""
    try:
        first = json.loads(trace[:_FIRST].partition(b"\n")[0])
    except (ValueError, RecursionError):
        return ""
    named = first.get("model") if isinstance(first, dict) and first.get("type") == "system" else None
    return bounded(legal(named)) if isinstance(named, str) else ""


def _workspace(base: str, definition: CaseDefinition | None, scaffolds: bool) -> Workspace:
    """What graders may ask for beside the trace. The program seals what it leaves where it is not root."""
    sealed = os.path.join(base, "sealed")
    if os.path.isdir(sealed) and not os.path.islink(sealed):
        with suppress(OSError):
            os.chmod(sealed, 0o700)
    homes = (os.path.join(base, "home", "cwd"), os.path.join(sealed, "home", "cwd"))
    cwd = next((home for home in homes if os.path.isdir(home)), "")
    if not cwd or definition is None:
        return Workspace()
    made_here = not (scaffolds and definition.scaffold_script)
    created = tuple(sorted(_files(cwd))) if made_here else None
    return Workspace(created, workspace.read(cwd, focus_paths(definition.graders)))


def _files(folder: str) -> set[str]:
    """Every file and link below a folder, relative; links are not followed, folders do not count."""
    found = set()
    for here, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]
        found |= {os.path.relpath(os.path.join(here, name), folder) for name in (*files, *links)}
    return found
