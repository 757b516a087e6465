"""The DSSE-shaped envelope around everything that the spool keeps (design, section 9).

The payload's bytes are kept as they were digested and are never serialised again; what they are stands in `payloadType`
beside a version. Every kind of entry (a run, a proof, a re-grade) goes through here, so that all are checked alike.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from shipmoor_hooks.model import Code


class Unreadable(Exception):
    """An entry that cannot be used: `code` is SEAL_BROKEN or ENTRY_NEWER, the text says why."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


def wrap(kind: str, version: int, payload: bytes) -> bytes:
    """The envelope of a payload, as one line. `kind` is its media type without a version."""
    outer = {
        "payloadType": f"{kind};version={version}",
        "payload": base64.b64encode(payload).decode("ascii"),
        "signatures": [],
        "digest": "sha256:" + hashlib.sha256(payload).hexdigest(),
    }
    return json.dumps(outer, separators=(",", ":")).encode("ascii") + b"\n"


def fields_of(kind: str, newest: int, stored: bytes) -> dict[str, Any]:
    """The payload as the JSON object that it is, its digest checked before it is parsed. Raises Unreadable."""
    try:
        outer = json.loads(stored)
        declared, text, digest = outer["payloadType"], outer["payload"], outer["digest"]
        name, _, version = declared.partition(";version=")
        payload = base64.b64decode(text, validate=True)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as broken:
        raise Unreadable(Code.SEAL_BROKEN, "it is not an envelope of ours") from broken
    if name != kind or not (version.isascii() and version.isdigit()) or int(version[:9]) == 0:
        raise Unreadable(Code.SEAL_BROKEN, "its payload type is not ours")
    if int(version[:9]) > newest:
        raise Unreadable(
            Code.ENTRY_NEWER, f"it was written by a newer version (format {version}, this one reads {newest})"
        )
    # Base64 has several spellings of some bytes: only the one that was written is the entry.
    if digest != "sha256:" + hashlib.sha256(payload).hexdigest() or base64.b64encode(payload).decode("ascii") != text:
        raise Unreadable(Code.SEAL_BROKEN, "its content does not match its digest")
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
