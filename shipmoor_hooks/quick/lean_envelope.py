"""Envelopes for the quick paths of the hooks: opened and made without `json`, `base64`, `hashlib` and `hmac`.

Only the very bytes that `envelope.wrap` writes are taken: the outer object is read at its fixed places, and what is found
must be what was written. Digest and seal are checked before the payload is parsed, as there. Whatever does not fit gives
None, and `envelope` says what is wrong with it.
"""

from __future__ import annotations

import binascii

from shipmoor_hooks.digest import sha256

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

RUN_TYPE = "application/vnd.shipmoor-hooks.run+json;version=1"  # of a stored run
_BLOCK = 64  # bytes of SHA-256


def parsed(text: str) -> Any:
    """The value of a JSON text. Raises ValueError or StopIteration."""
    import _json

    scan: Callable[[str, int], tuple[Any, int]] = _json.make_scanner(_Strict)  # type: ignore[arg-type]
    value, end = scan(text, 0)
    if end != len(text):
        raise ValueError("something follows the value")
    return value


class _Strict:
    """What the scanner of `json` asks of a decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    memo: dict[str, str] = {}  # noqa: RUF012  (the scanner empties it after each text)

    @staticmethod
    def parse_constant(name: str) -> float:
        raise ValueError(name)


def quoted(text: str) -> str:
    """A string as JSON, in ASCII."""
    import _json

    told: str = _json.encode_basestring_ascii(text)
    return told


def mark(secret: bytes, payload_type: bytes, payload: bytes) -> str:
    """The seal of a payload, in base64: HMAC-SHA256 (RFC 2104) over DSSE's encoding of type and payload."""
    encoded = b"DSSEv1 %d %b %d %b" % (len(payload_type), payload_type, len(payload), payload)
    key = secret.ljust(_BLOCK, b"\0")
    inner = sha256(bytes(b ^ 0x36 for b in key) + encoded)
    return _base64(sha256(bytes(b ^ 0x5C for b in key) + inner)).decode("ascii")


def opened(
    payload_type: str, stored: bytes, secret: Callable[[str], bytes | None]
) -> tuple[dict[str, Any], bool] | None:
    """The payload's object and whether its seal is ours. `secret` gives a key that is ours by its id, None for any other."""
    head = b'{"payloadType":"%b","payload":"' % payload_type.encode()
    end = stored.find(b'"', len(head))
    middle = b'","signatures":['
    if not stored.startswith(head) or not stored.startswith(middle, end):
        return None
    text = stored[len(head) : end]
    payload = binascii.a2b_base64(text)
    row, found, rest = stored[end + len(middle) :].partition(b"]")
    if not found or _base64(payload) != text or rest != b',"digest":"sha256:%b"}\n' % sha256(payload).hex().encode():
        return None
    key_id = ""
    if row:
        key_id = row[10:26].decode("ascii")
        key = secret(key_id)
        if key is None or row != _signature(key_id, mark(key, payload_type.encode(), payload)):
            return None
    fields = parsed(payload.decode("ascii"))
    if not isinstance(fields, dict) or fields.get("sealed_by") not in ((key_id,) if key_id else (None,)):
        return None
    return fields, bool(key_id)


def wrapped(payload_type: str, payload: bytes, key_id: str, secret: bytes | None) -> bytes:
    """The envelope of a payload as `envelope.wrap` makes it, sealed where there is a key."""
    kind = payload_type.encode()
    row = b"" if secret is None else _signature(key_id, mark(secret, kind, payload))
    digest = sha256(payload).hex().encode()
    told = (kind, _base64(payload), row, digest)
    return b'{"payloadType":"%b","payload":"%b","signatures":[%b],"digest":"sha256:%b"}\n' % told


def _signature(key_id: str, seal: str) -> bytes:
    return f'{{"keyid":"{key_id}","sig":"{seal}"}}'.encode("ascii")


def _base64(data: bytes) -> bytes:
    return binascii.b2a_base64(data, newline=False)
