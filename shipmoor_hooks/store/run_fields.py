"""The fields of a stored run's payload -> the run (design, section 9).

Whatever a field holds is data from outside. It stands apart from `entry` because the hook's quick path has opened the
envelope already, and loads neither JSON nor OpenSSL.
"""

from __future__ import annotations

import binascii
import zlib

from shipmoor_hooks.case_list import OF_LETTER
from shipmoor_hooks.model import (
    Case,
    CaseList,
    Change,
    Code,
    Evidence,
    Outcome,
    Problem,
    RecordKind,
    ReportFile,
    Run,
    Shard,
)
from shipmoor_hooks.store import id_lists

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from shipmoor_hooks.eval_model import EvalRun
    from shipmoor_hooks.id_list import IdList

_MOST_SHARDS = 10_000
_INFINITE = float("inf")


def run_of(fields: Mapping[str, Any], inventory: IdList | bytes | None) -> Run:
    """The run of a payload. `inventory` holds the ids that it names, as a list or as text (None: there are none).

    Raises KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError and zlib.error where a field is not
    as it is written.
    """
    return Run(
        id=_text(fields["id"]),
        suite=_text(fields["suite"]),
        variant=_text_or_none(fields["variant"]),
        shard=_shard(fields["shard"]),
        tree=_text_or_none(fields["tree"]),
        scoped_tree=_text_or_none(fields["scoped_tree"]),
        first_tree=_text_or_none(fields["first_tree"]),
        evidence=Evidence[fields["evidence"].upper()],
        started=_moment(fields["started"]),
        finished=None if fields["finished"] is None else _moment(fields["finished"]),
        recorded=_moment(fields["recorded"]),
        worktree=_text(fields["worktree"]),
        sequence=_number(fields["sequence"]),
        command=tuple(map(_text, fields["command"])),
        cwd=_text(fields["cwd"]),
        exit_code=None if fields["exit_code"] is None else _number(fields["exit_code"]),
        runner=_text(fields["runner"]),
        runner_version=_text(fields["runner_version"]),
        reader=_text(fields["reader"]),
        conditions=tuple(sorted((name, _text(value)) for name, value in fields["conditions"].items())),
        reports=tuple(ReportFile(_text(n), _text(d), _number(m)) for n, d, m in fields["reports"]),
        head=_text_or_none(fields["head"]),
        changes=tuple(Change(_text(p), _text_or_none(m), _text_or_none(o)) for p, m, o in fields["changes"]),
        untracked=tuple(map(_text, fields["untracked"])),
        clock_suspect=fields["clock_suspect"] is not False,
        problems=tuple(Problem(Code(c), _text(m), _text(n)) for c, m, n in fields["problems"]),
        cases=_cases(fields["cases"], inventory),
        evals=_evals(fields["evals"]) if "evals" in fields else None,
        key=_text(fields.get("sealed_by", "")),
        label=_text(fields.get("label", "")),
        surface=tuple(sorted((path, _text(digest)) for path, digest in fields.get("surface", {}).items())),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r:.40} is no whole number")
    return value


def _moment(value: Any) -> float:
    """A time that can be compared: finite, so that sorting by it is an order."""
    seconds = float(value)
    if not abs(seconds) < _INFINITE:
        raise ValueError(f"{seconds} is no time")
    return seconds


def _shard(value: Any) -> Shard | None:
    if value is None:
        return None
    index, total = map(_number, value)
    if not 1 <= index <= total <= _MOST_SHARDS:
        raise ValueError(f"{index}/{total} is no shard")
    return Shard(index, total)


def _evals(value: Any) -> EvalRun:
    from shipmoor_hooks.store import eval_entry  # most runs hold none

    return eval_entry.eval_run(value)


def _cases(stored: Mapping[str, Any], inventory: IdList | bytes | None) -> CaseList:
    if not stored["number"]:
        return CaseList([], b"", {})
    ids = id_lists.of_text(stored["inventory"], inventory) if isinstance(inventory, bytes) else inventory
    if ids is None or ids.name != stored["inventory"]:
        raise ValueError("the list of its case ids is missing or damaged")
    outcomes = zlib.decompressobj().decompress(binascii.a2b_base64(stored["outcomes"]), len(ids) + 1)
    if not len(ids) == len(outcomes) == stored["number"]:
        raise ValueError("ids and outcomes differ in number")
    if unknown := outcomes.translate(None, bytes(OF_LETTER)):
        raise ValueError(f"{unknown[:1]!r} is no outcome")
    others = {}
    for key, details in stored["details"].items():
        position = int(key)
        if position < 0:
            raise IndexError(f"{key} is no case")
        others[position] = _case(ids[position], OF_LETTER[outcomes[position]], details)
    found = CaseList(ids, outcomes, {i: case for i, case in sorted(others.items()) if not case.is_plain})
    if stored.get("counts", found.counts_by_letter()) != found.counts_by_letter():
        raise ValueError("the outcomes are not as many as it says")
    return found


def _case(name: str, outcome: Outcome, details: dict[str, Any]) -> Case:
    passed, samples = details.get("samples", (int(outcome.is_green), 1))
    return Case(
        name,
        outcome,
        count=_number(details.get("count", 1)),
        passed=_number(passed),
        samples=_number(samples),
        kind=RecordKind(details.get("kind", "case")),
        covers=_text(details.get("covers", "")),
        raws=tuple(map(_text, details.get("raws", ()))),
    )
