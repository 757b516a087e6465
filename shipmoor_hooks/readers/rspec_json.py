"""RSpec's own JSON (`--format json`): one object with `examples`, `messages` and a `summary`.

The file is taken from an example's `id` (`./spec/a_spec.rb[1:2]`), since `file_path` of a shared example names the file
that shares it. The rest of the `id` is a position and no part of the case's. RSpec writes `pending` for what was skipped
and for what ran and failed as expected; both are skipped here.
"""

from __future__ import annotations

import re
from typing import Any

from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.json_document import document
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.lines import word
from shipmoor_hooks.readers.source import Source

READER = "rspec-json"
_OUTCOMES = {"passed": Outcome.PASSED, "failed": Outcome.FAILED, "pending": Outcome.SKIPPED}
_ID = re.compile(r"(.+)\[[\d:]*\]\Z", re.DOTALL)
_NOT_LOADED = re.compile(r"\s*An error occurred while loading (\S.*?)\.\r?(?:\n|\Z)")


def read_rspec_json(source: Source, name: str) -> Report:
    """One case an example. Raises ReportFault for what is no whole JSON object of RSpec's."""
    found = document(source, name)
    examples, summary = found.get("examples"), found.get("summary")
    if not isinstance(examples, list) or not isinstance(summary, dict):
        raise unreadable(name, "this JSON object is not RSpec's: it has no examples or no summary")
    within_cap(len(examples), name)
    records = [_record(example) for example in examples if isinstance(example, dict)]
    outside = _outside(found, _count(summary.get("errors_outside_of_examples_count")))
    return Report(
        READER,
        READER,
        (*records, *outside),
        (*_problems(examples, summary), *problems_without_a_case([*records, *outside])),
        harness="rspec",
        harness_version=bounded(legal(word(found.get("version")))),
        warnings=tuple(f"RSpec says: {shown(t)}" for t in _messages(found) if t.startswith("Run options: include")),
    )


def _record(example: dict[str, Any]) -> Record:
    at = _ID.match(word(example.get("id")))
    path = at.group(1) if at else word(example.get("file_path"))
    told = word(example.get("full_description")) or word(example.get("description"))
    outcome = _OUTCOMES.get(word(example.get("status")), Outcome.ERROR)
    return Record(bounded(legal(told)) or "<nameless>", file=bounded(legal(path)), outcome=outcome)


def _outside(found: dict[str, Any], errors: int) -> list[Record]:
    """What failed outside of every example: spec files that do not load (by their messages), hooks of a context."""
    paths = [match.group(1) for text in _messages(found) if (match := _NOT_LOADED.match(text)) is not None]
    files = [Record("", file=bounded(legal(p)), outcome=Outcome.ERROR, kind=RecordKind.FILE) for p in paths[:errors]]
    if errors > len(files):
        files.append(Record("errors outside of examples", outcome=Outcome.ERROR, kind=RecordKind.SUITE))
    return files


def _messages(found: dict[str, Any]) -> list[str]:
    messages = found.get("messages")
    return [word(message) for message in messages] if isinstance(messages, list) else []


def _problems(examples: list[Any], summary: dict[str, Any]) -> list[Problem]:
    if any(not isinstance(e, dict) for e in examples):
        return [incomplete("an example is no JSON object")]
    counted = _count(summary.get("example_count"))
    if counted > len(examples):
        return [incomplete(f"RSpec counted {counted} examples and the report holds {len(examples)}")]
    return []


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
