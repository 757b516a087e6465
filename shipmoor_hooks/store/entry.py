"""A stored run as bytes: a DSSE-shaped envelope around a versioned JSON payload (design, section 9).

The payload is kept as the very bytes that were digested; it is never serialised again. Case ids stand in an inventory of
their own, named by its digest, so that a further run with the same ids costs one byte a case. Every version that was ever
written keeps its reader here.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.model import (
    Case,
    CaseList,
    Code,
    RecordKind,
    Run,
)
from shipmoor_hooks.seals import seal
from shipmoor_hooks.store import envelope, eval_entry, id_lists, run_fields
from shipmoor_hooks.store.envelope import Unreadable

PAYLOAD_TYPE = "application/vnd.shipmoor-hooks.run+json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Encoded:
    """An entry ready to be stored: the envelope's bytes, the ids that are in it, and where their list is cut."""

    envelope: bytes
    ids: Sequence[str]
    blocks: id_lists.Cut

    @property
    def inventory_digest(self) -> str:
        """The name of the list of its ids."""
        return self.blocks.name

    @property
    def inventory(self) -> bytes:
        """The ids as text, put together when it is asked for: the spool mostly has them."""
        return id_lists.text_of(self.ids)


def encode(run: Run, chain: Mapping[str, object] | None = None, key: seal.Key | None = None) -> Encoded:
    """The entry of a run, sealed where there is a key. The cases must be sorted by id, as `inventory.cases_of` gives them.

    `chain` is what binds it to the entry before it (see chain.py).
    """
    cases = CaseList.of(run.cases)
    blocks = id_lists.cut(cases.ids)
    fields = _fields(run, cases, blocks.name) | ({"chain": chain} if chain is not None else {})
    payload = json.dumps(fields, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    return Encoded(envelope.wrap(PAYLOAD_TYPE, VERSION, payload, key), cases.ids, blocks)


def payload_of(stored: bytes) -> dict[str, Any]:
    """The payload of a run's envelope, its digest checked before it is parsed. Raises Unreadable."""
    return envelope.fields_of(PAYLOAD_TYPE, VERSION, stored)


def decode(stored: bytes, inventory: IdList | bytes | None) -> Run:
    """The run of an entry. `inventory` holds the ids named by the payload (None: there are none). Raises Unreadable."""
    return decode_fields(payload_of(stored), inventory)


def decode_fields(fields: dict[str, Any], inventory: IdList | bytes | None = None) -> Run:
    """The run of a payload that `payload_of` gave. Raises Unreadable."""
    try:
        return run_fields.run_of(fields, inventory)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, zlib.error) as broken:
        raise Unreadable(Code.SEAL_BROKEN, f"a field is missing or wrong ({broken})") from broken


def inventory_name(fields: dict[str, Any]) -> str:
    """The digest of the list of case ids that a payload names; "" when it names none."""
    cases = fields.get("cases")
    named = cases.get("inventory") if isinstance(cases, dict) else None
    return named if isinstance(named, str) else ""


def _fields(run: Run, cases: CaseList, inventory: str) -> dict[str, Any]:
    return {
        "schema": "shipmoor-hooks.run/1",
        "id": run.id,
        "suite": run.suite,
        "variant": run.variant,
        "shard": [run.shard.index, run.shard.total] if run.shard else None,
        "tree": run.tree,
        "scoped_tree": run.scoped_tree,
        "first_tree": run.first_tree,
        "evidence": run.evidence.word,
        "started": run.started,
        "finished": run.finished,
        "recorded": run.recorded,
        "worktree": run.worktree,
        "sequence": run.sequence,
        "command": list(run.command),
        "cwd": run.cwd,
        "exit_code": run.exit_code,
        "runner": run.runner,
        "runner_version": run.runner_version,
        "reader": run.reader,
        "conditions": dict(run.conditions),
        "reports": [[r.name, r.sha256, r.mtime_ns] for r in run.reports],
        "head": run.head,
        "changes": [[c.path, c.mode, c.oid] for c in run.changes],
        "untracked": list(run.untracked),
        "clock_suspect": run.clock_suspect,
        "problems": [[p.code.value, p.message, p.next_step] for p in run.problems],
        **({envelope.SEALED_BY: run.key} if run.key else {}),
        **({"label": run.label} if run.label else {}),
        "surface": dict(run.surface),
        **({"evals": eval_entry.fields_of(run.evals)} if run.evals is not None else {}),
        "cases": {
            "inventory": inventory,
            "number": len(cases),
            "counts": cases.counts_by_letter(),
            "outcomes": base64.b64encode(_packed(cases.letters)).decode("ascii"),
            "details": {str(i): _details(case) for i, case in cases.others.items()},
        },
    }


def _packed(letters: bytes) -> bytes:
    """Outcome letters in zlib's format. They are runs of one letter: looking for nothing else is faster, and shorter."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_RLE)
    return packer.compress(letters) + packer.flush()


def _details(case: Case) -> dict[str, Any]:
    """What a case has beside its outcome, where it is not what one green or red record has."""
    details: dict[str, Any] = {}
    if case.count != 1:
        details["count"] = case.count
    if (case.passed, case.samples) != (int(case.outcome.is_green), 1):
        details["samples"] = [case.passed, case.samples]
    if case.kind is not RecordKind.CASE:
        details["kind"] = case.kind.value
    if case.covers:
        details["covers"] = case.covers
    if case.raws:
        details["raws"] = list(case.raws)
    return details
