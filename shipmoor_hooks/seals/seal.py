"""The seal: an HMAC-SHA256 over DSSE's encoding of type and payload, and the key that makes it (design, section 2).

A seal says that a process which held this user's key wrote these bytes. It is no signature: whoever can check it can make
it, and so can every process of the same user.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re

from shipmoor_hooks.data_classes import dataclass, field

SIZE = 32  # bytes of a key
_ID = re.compile(r"[0-9a-f]{16}\Z")
_TEXT_PREFIX = "sm1"


@dataclass(frozen=True, slots=True)
class Key:
    """A key and its id: the first 16 hex digits of a digest of it. The secret is in no repr, so in no traceback."""

    id: str
    secret: bytes = field(repr=False)


def key_of(secret: bytes) -> Key:
    return Key(hashlib.sha256(b"shipmoor-keyid-v1" + secret).hexdigest()[:16], secret)


def is_id(text: str) -> bool:
    """Does the text have the form of a key's id?"""
    return _ID.match(text) is not None


def as_text(key: Key) -> str:
    """One line of under 80 characters, which every key store takes: `sm1.<id>.<base64url of the secret>`."""
    return f"{_TEXT_PREFIX}.{key.id}.{base64.urlsafe_b64encode(key.secret).decode('ascii').rstrip('=')}"


def from_text(text: str) -> Key | None:
    """The key of such a line; None for anything else, also for a line whose id does not fit its secret."""
    prefix, _, rest = text.strip().partition(".")
    named, _, encoded = rest.partition(".")
    try:
        secret = base64.b64decode(encoded.encode("ascii") + b"=" * (-len(encoded) % 4), b"-_", validate=True)
    except (ValueError, binascii.Error):
        return None
    key = key_of(secret)
    return key if prefix == _TEXT_PREFIX and len(secret) == SIZE and key.id == named else None


def pae(payload_type: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding, version 1: lengths are those of the bytes, not of the characters."""
    kind = payload_type.encode("utf-8", "surrogatepass")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def mark(key: Key, payload_type: str, payload: bytes) -> str:
    """The seal of a payload, in base64."""
    digest = hmac.new(key.secret, pae(payload_type, payload), hashlib.sha256).digest()
    return base64.b64encode(digest).decode("ascii")


def fits(key: Key, seal: str, payload_type: str, payload: bytes) -> bool:
    """Is this the key's seal of these bytes?"""
    return hmac.compare_digest(mark(key, payload_type, payload).encode("ascii"), seal.encode("utf-8", "replace"))
