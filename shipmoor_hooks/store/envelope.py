"""The DSSE-shaped envelope around everything that the spool keeps (design, section 9).

The payload's bytes are kept as they were sealed and are never serialised again; what they are stands in `payloadType`
beside a version. Every kind of entry (a run, a proof, a re-grade) goes through here, so that all are checked alike: the
seal before the payload is parsed, and the digest where there is no seal that we can check.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any, Protocol

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.model import Code, Sealing
from shipmoor_hooks.seals import seal
from shipmoor_hooks.store.payload import SEALED_BY as SEALED_BY

_COMPACT = (",", ":")


class Unreadable(Exception):
    """An entry that cannot be used: `code` is SEAL_BROKEN or ENTRY_NEWER, the text says why."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Keys(Protocol):
    """The keys that are ours: `knows` is asked about an id, `key` gives it, or None when it cannot be had just now."""

    def knows(self, key_id: str) -> bool: ...

    def key(self, key_id: str) -> seal.Key | None: ...


@dataclass(frozen=True, slots=True)
class Opened:
    """An envelope's payload as the JSON object that it is, what was found of its seal, and the id of the seal's key."""

    fields: dict[str, Any]
    sealing: Sealing
    key: str


def wrap(kind: str, version: int, payload: bytes, key: seal.Key | None = None) -> bytes:
    """The envelope of a payload, as one line. `kind` is its media type without a version; without a key it is unsealed."""
    payload_type = f"{kind};version={version}"
    signatures = [] if key is None else [{"keyid": key.id, "sig": seal.mark(key, payload_type, payload)}]
    outer = {
        "payloadType": payload_type,
        "payload": base64.b64encode(payload).decode("ascii"),
        "signatures": signatures,
        "digest": "sha256:" + hashlib.sha256(payload).hexdigest(),
    }
    return json.dumps(outer, separators=_COMPACT).encode("ascii") + b"\n"


def fields_of(kind: str, newest: int, stored: bytes) -> dict[str, Any]:
    """The payload as the JSON object that it is, whatever its seal says. Raises Unreadable."""
    return opened(kind, newest, stored).fields


def opened(kind: str, newest: int, stored: bytes, keys: Keys | None = None) -> Opened:
    """The payload and what its seal is worth here, checked before it is parsed. Raises Unreadable.

    Without `keys` no seal is checked: what carries one is UNCHECKED.
    """
    try:
        outer = json.loads(stored)
        declared, text, digest = outer["payloadType"], outer["payload"], outer["digest"]
        name, _, version = declared.partition(";version=")
        payload = base64.b64decode(text, validate=True)
        signatures = [(one["keyid"], one["sig"]) for one in outer["signatures"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as broken:
        raise Unreadable(Code.SEAL_BROKEN, "it is not an envelope of ours") from broken
    if name != kind or not (version.isascii() and version.isdigit()) or int(version[:9]) == 0:
        raise Unreadable(Code.SEAL_BROKEN, "its payload type is not ours")
    if int(version[:9]) > newest:
        raise Unreadable(
            Code.ENTRY_NEWER, f"it was written by a newer version (format {version}, this one reads {newest})"
        )
    if not all(isinstance(part, str) for row in signatures for part in row):
        raise Unreadable(Code.SEAL_BROKEN, "it is not an envelope of ours")
    sealing, key = _checked(signatures, declared, payload, keys)
    # JSON and base64 have several spellings of some values: only the one that was written is the entry.
    if (
        digest != "sha256:" + hashlib.sha256(payload).hexdigest()
        or base64.b64encode(payload).decode("ascii") != text
        or json.dumps(outer, separators=_COMPACT).encode("ascii") + b"\n" != stored
    ):
        raise Unreadable(Code.SEAL_BROKEN, "its content does not match its digest")
    fields = _parsed(payload)
    named = fields.get(SEALED_BY)
    if named is not None and named not in [key_id for key_id, _ in signatures]:
        raise Unreadable(Code.SEAL_BROKEN, "it names the key of its seal, and no such seal is there")
    return Opened(fields, sealing, key)


def _checked(
    signatures: list[tuple[str, str]], payload_type: str, payload: bytes, keys: Keys | None
) -> tuple[Sealing, str]:
    """What the seals are worth. One of ours that does not fit breaks the entry, whatever others stand beside it."""
    if not signatures:
        return Sealing.UNSEALED, ""
    found = (Sealing.FOREIGN if keys is not None else Sealing.UNCHECKED), signatures[0][0]
    for key_id, text in signatures:
        if keys is None or not keys.knows(key_id):
            continue
        key = keys.key(key_id)
        if key is None:
            found = found if found[0] is Sealing.SEALED else (Sealing.UNCHECKED, key_id)
        elif not seal.fits(key, text, payload_type, payload):
            raise Unreadable(Code.SEAL_BROKEN, f"its seal (key {key_id}) does not fit its content")
        else:
            found = Sealing.SEALED, key_id
    return found


def _parsed(payload: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(payload)
    except (ValueError, RecursionError) as broken:
        raise Unreadable(Code.SEAL_BROKEN, "its payload is not JSON") from broken
    if not isinstance(fields, dict):
        raise Unreadable(Code.SEAL_BROKEN, "its payload is not an object")
    return fields


def payload_text(stored: bytes) -> str:
    """The payload as it was written, to be searched and not to be read; "" for what is no envelope."""
    try:
        return base64.b64decode(json.loads(stored)["payload"]).decode("utf-8", "replace")
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        return ""


def key_ids(stored: bytes) -> tuple[str, ...]:
    """The ids of the keys that an envelope says it was sealed with: a hint, checked by nobody; none for what is no envelope."""
    try:
        return tuple(str(one["keyid"])[:64] for one in json.loads(stored)["signatures"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
