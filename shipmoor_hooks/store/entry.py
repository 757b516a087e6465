"""A stored run as bytes: a DSSE-shaped envelope around a versioned JSON payload (design, section 9).

The payload is kept as the very bytes that were digested; it is never serialised again. Case ids stand in an inventory of
their own, named by its digest, so that a further run with the same ids costs one byte a case. Every version that was ever
written keeps its reader here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from shipmoor_hooks.case_list import OF_LETTER
from shipmoor_hooks.data_classes import dataclass
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
from shipmoor_hooks.seals import seal
from shipmoor_hooks.store import envelope, eval_entry
from shipmoor_hooks.store.envelope import Unreadable
from shipmoor_hooks.store.id_lists import inventory_bytes as inventory_bytes
from shipmoor_hooks.store.id_lists import inventory_digest as inventory_digest
from shipmoor_hooks.store.run_fields import run_fields

_MOST_SHARDS = 10_000
PAYLOAD_TYPE = "application/vnd.shipmoor-hooks.run+json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Encoded:
    """An entry ready to be stored: the envelope's bytes, the inventory's digest (hex), the ids that are in it."""

    envelope: bytes
    inventory_digest: str
    ids: Sequence[str]

    @property
    def inventory(self) -> bytes:
        """The inventory's bytes, put together when they are asked for: the spool mostly has them."""
        return inventory_bytes(self.ids)


def ids_of(inventory: bytes) -> list[str]:
    return inventory.decode("utf-8", "surrogatepass").split("\0")[:-1]


def encode(run: Run, chain: Mapping[str, object] | None = None, key: seal.Key | None = None) -> Encoded:
    """The entry of a run, sealed where there is a key. The cases must be sorted by id, as `inventory.cases_of` gives them.

    `chain` is what binds it to the entry before it (see chain.py).
    """
    cases = CaseList.of(run.cases)
    digest = inventory_digest(cases.ids)
    fields = run_fields(run, cases, digest) | ({"chain": chain} if chain is not None else {})
    payload = json.dumps(fields, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    return Encoded(envelope.wrap(PAYLOAD_TYPE, VERSION, payload, key), digest, cases.ids)


def payload_of(stored: bytes) -> dict[str, Any]:
    """The payload of a run's envelope, its digest checked before it is parsed. Raises Unreadable."""
    return envelope.fields_of(PAYLOAD_TYPE, VERSION, stored)


def decode(stored: bytes, inventory: bytes | None) -> Run:
    """The run of an entry. `inventory` holds the bytes named by the payload (None: there are none). Raises Unreadable."""
    return decode_fields(payload_of(stored), inventory)


def decode_fields(fields: dict[str, Any], inventory: bytes | None = None) -> Run:
    """The run of a payload that `payload_of` gave. Raises Unreadable."""
    try:
        return _run(fields, inventory)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, zlib.error) as broken:
        raise Unreadable(Code.SEAL_BROKEN, f"a field is missing or wrong ({broken})") from broken


def inventory_name(fields: dict[str, Any]) -> str:
    """The digest of the list of case ids that a payload names; "" when it names none."""
    cases = fields.get("cases")
    named = cases.get("inventory") if isinstance(cases, dict) else None
    return named if isinstance(named, str) else ""


def _run(fields: dict[str, Any], inventory: bytes | None) -> Run:
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
        evals=eval_entry.eval_run(fields["evals"]) if "evals" in fields else None,
        key=_text(fields.get(envelope.SEALED_BY, "")),
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
    if not math.isfinite(seconds):
        raise ValueError(f"{seconds} is no time")
    return seconds


def _shard(value: Any) -> Shard | None:
    if value is None:
        return None
    index, total = map(_number, value)
    if not 1 <= index <= total <= _MOST_SHARDS:
        raise ValueError(f"{index}/{total} is no shard")
    return Shard(index, total)


def _cases(stored: dict[str, Any], inventory: bytes | None) -> CaseList:
    if not stored["number"]:
        return CaseList([], b"", {})
    if inventory is None or hashlib.sha256(inventory).hexdigest() != stored["inventory"]:
        raise ValueError("the list of its case ids is missing or damaged")
    ids = ids_of(inventory)
    outcomes = zlib.decompressobj().decompress(base64.b64decode(stored["outcomes"]), len(ids) + 1)
    if not len(ids) == len(outcomes) == stored["number"]:
        raise ValueError("ids and outcomes differ in number")
    if unknown := outcomes.translate(None, bytes(OF_LETTER)):
        raise ValueError(f"{unknown[:1]!r} is no outcome")
    found = CaseList(ids, outcomes, {})
    if stored.get("counts", found.counts_by_letter()) != found.counts_by_letter():
        raise ValueError("the outcomes are not as many as it says")
    others = {}
    for key, details in stored["details"].items():
        position = int(key)
        if position < 0:
            raise IndexError(f"{key} is no case")
        others[position] = _case(ids[position], OF_LETTER[outcomes[position]], details)
    return CaseList(ids, outcomes, {i: case for i, case in sorted(others.items()) if not case.is_plain})


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
