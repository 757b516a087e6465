"""The grader `regex`: a pattern, and the text of a recorded run that it looks at (design, section 8). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from shipmoor_hooks.evals.definitions import Grader, Verdict
from shipmoor_hooks.evals.grader_plan import Plan, Recording, Seen, no_number, threw, unknown
from shipmoor_hooks.evals.matching import Answer, Question, Told
from shipmoor_hooks.evals.recording import FILE, MISSING, NOT_REGULAR, TOO_LARGE, FocusFile, Workspace


def regex(grader: Grader, seen: Seen) -> Plan:
    """A pattern that has to be in the text (or must not, or so many times)."""
    pattern, flags = str(grader.config["pattern"]), str(grader.config.get("flags", ""))
    match = str(grader.config.get("match", "contains"))
    target = grader.config.get("target", "last_message")
    name = f"file {target['path']}" if isinstance(target, Mapping) else str(target)
    if name not in seen.texts:
        text_of = _text_of(target)
        seen.texts[name] = [text_of(recording) for recording in seen.recordings]
    texts = seen.texts[name]
    wanted = int(match.removeprefix("count:")[:18]) if match.startswith("count:") else None
    if match == "not_contains":
        found, absent = Verdict(False, "pattern found (expected absent)"), Verdict(True, "pattern absent as expected")
    else:
        found, absent = Verdict(True, f"matched {pattern}"), Verdict(False, f"pattern not found in {name}")

    def verdict(told: Told) -> Verdict:
        if isinstance(told, Answer):
            return no_number(told, pattern)
        if wanted is not None:
            return Verdict(told == wanted, f"found {told} matches (expected {wanted})")
        return found if told else absent

    def reading(told: Sequence[Sequence[Told]]) -> list[Verdict]:
        verdicts = map(verdict, told[0])
        return [next(verdicts) if isinstance(text, str) else text for text in texts]

    asked = [text for text in texts if isinstance(text, str)]
    return Plan((Question(pattern, flags, asked, wanted is not None),), reading)


def _text_of(target: object) -> Callable[[Recording], str | Verdict]:
    """How to find the text that a regex looks at, or the verdict where there is none."""
    if isinstance(target, Mapping):
        path = str(target["path"])
        return lambda recording: _focus(path, recording.workspace, recording.case)
    return partial(_target, target)


def _target(target: object, recording: Recording) -> str | Verdict:
    trace, workspace = recording.trace, recording.workspace
    if target == "trace":
        return trace.text if trace.records else unknown(trace.unreadable)
    if target == "files":
        if workspace.created is None:
            return unknown("which files the run created is not known")
        return "\n".join(sorted(workspace.created, key=_utf16))
    if target == "mock_calls":
        return unknown("calls of mocks are not kept with a trace")
    return unknown(trace.unreadable) if trace.unreadable else trace.last_message


def _utf16(text: str) -> bytes:
    """JavaScript's order of strings: by UTF-16 unit."""
    return text.encode("utf-16-be", "surrogatepass")


def _focus(path: str, workspace: Workspace, case: str) -> str | Verdict:
    file = workspace.files.get(path)
    if file is None:
        return unknown(f"what stood in the workspace under {path!r} was not kept")
    if file.state == FILE:
        return file.text
    return unknown(f"{path} is too large to be kept") if file.state == TOO_LARGE else threw(_why(file, path, case))


def _why(file: FocusFile, path: str, case: str) -> str:
    if file.state == NOT_REGULAR:
        return f"focus file {path} is not a regular file"
    end = "does not exist"
    if file.state != MISSING:
        end = "escapes the run sandbox (`..` or an absolute path) — it must name something inside it"
    return f'case "{case}" grader focus file "{path}": path "{path}" {end}'
