"""A stored run as bytes: a DSSE-shaped envelope around a versioned JSON payload (design, section 9).

The payload is kept as the very bytes that were digested; it is never serialised again. Case ids stand in an inventory of
their own, named by its digest, so that a further run with the same ids costs one byte a case. Every version that was ever
written keeps its reader here.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.model import (
    CaseList,
    Code,
    Run,
)
from shipmoor_hooks.seals import seal
from shipmoor_hooks.store import envelope, id_lists, payload, run_fields
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
    def inventory(self) -> bytes:
        """The ids as text, put together when it is asked for: the spool mostly has them."""
        return id_lists.text_of(self.ids)


def encode(run: Run, chain: Mapping[str, object] | None = None, key: seal.Key | None = None) -> Encoded:
    """The entry of a run, sealed where there is a key. The cases must be sorted by id, as `inventory.cases_of` gives them.

    `chain` is what binds it to the entry before it (see chain.py).
    """
    cases = CaseList.of(run.cases)
    blocks = id_lists.cut(cases.ids)
    fields = payload.fields_of(run, cases, blocks.name) | ({"chain": chain} if chain is not None else {})
    told = json.dumps(fields, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    return Encoded(envelope.wrap(PAYLOAD_TYPE, VERSION, told, key), cases.ids, blocks)


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
