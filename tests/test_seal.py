"""The seal itself: DSSE's encoding, keys as text, what an envelope's seal is worth (design, section 2)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.model import Code, Sealing
from shipmoor_hooks.seals import seal
from shipmoor_hooks.store import envelope
from shipmoor_hooks.store.envelope import Unreadable

OURS = seal.key_of(b"\x01" * 32)
OLD = seal.key_of(b"\x02" * 32)
STRANGER = seal.key_of(b"\x03" * 32)
KIND = "application/vnd.example+json"
PAYLOAD = b'{"a":1}'


class Known:
    """The keys that are ours; one that is locked away is known and not to be had."""

    def __init__(self, *keys: seal.Key, locked: tuple[seal.Key, ...] = ()) -> None:
        self.keys = {k.id: k for k in keys}
        self.ids = {k.id for k in (*keys, *locked)}

    def knows(self, key_id: str) -> bool:
        return key_id in self.ids

    def key(self, key_id: str) -> seal.Key | None:
        return self.keys.get(key_id)


def changed(stored: bytes, **fields: object) -> bytes:
    return json.dumps(json.loads(stored) | fields, separators=(",", ":")).encode() + b"\n"


# ---------------------------------------------------------------- encoding


@pytest.mark.parametrize(
    ("kind", "payload", "encoded"),
    [
        pytest.param("http://example.com/HelloWorld", b"hello world",
                     b"DSSEv1 29 http://example.com/HelloWorld 11 hello world", id="the specification's own example"),
        pytest.param("", b"", b"DSSEv1 0  0 ", id="nothing"),
        pytest.param("ü", "€".encode(), "DSSEv1 2 ü 3 €".encode(), id="lengths are those of bytes"),
    ],
)  # fmt: skip
def test_the_encoding_is_dsses(kind: str, payload: bytes, encoded: bytes) -> None:
    assert seal.pae(kind, payload) == encoded


@given(st.tuples(st.text(), st.binary()), st.tuples(st.text(), st.binary()))
def test_no_two_messages_are_encoded_alike(one: tuple[str, bytes], other: tuple[str, bytes]) -> None:
    assert (seal.pae(*one) == seal.pae(*other)) == (one == other)


def test_the_mark_is_an_hmac_over_it() -> None:
    digest = hmac.new(OURS.secret, seal.pae(KIND, PAYLOAD), hashlib.sha256).digest()
    assert base64.b64decode(seal.mark(OURS, KIND, PAYLOAD)) == digest
    assert seal.fits(OURS, seal.mark(OURS, KIND, PAYLOAD), KIND, PAYLOAD)
    assert not seal.fits(OLD, seal.mark(OURS, KIND, PAYLOAD), KIND, PAYLOAD)


# ---------------------------------------------------------------- a key as text


@given(st.binary(min_size=32, max_size=32))
def test_a_key_comes_back_from_its_text_and_is_short(secret: bytes) -> None:
    key = seal.key_of(secret)
    assert seal.from_text(seal.as_text(key) + "\n") == key
    assert len(seal.as_text(key)) < 80
    assert seal.is_id(key.id)


def test_a_secret_stands_in_no_repr() -> None:
    assert repr(OURS) == f"Key(id='{OURS.id}')"


TEXT = seal.as_text(OURS)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("sm1.", id="a prefix"),
        pytest.param(TEXT[:-2], id="cut off"),
        pytest.param(TEXT.replace("sm1", "sm2"), id="another version"),
        pytest.param(TEXT.replace(OURS.id, OLD.id), id="another key's id"),
        pytest.param(f"sm1.{OURS.id}.%%%", id="no base64"),
        pytest.param("sm1.\ud800.\ud800", id="no text"),
        pytest.param(f"sm1.{seal.key_of(b'x').id}.{base64.urlsafe_b64encode(b'x').decode()}", id="a short secret"),
    ],
)
def test_what_is_no_key(text: str) -> None:
    assert seal.from_text(text) is None


# ---------------------------------------------------------------- what an envelope's seal is worth

SEALED = envelope.wrap(KIND, 1, PAYLOAD, OURS)
BARE = envelope.wrap(KIND, 1, PAYLOAD)
TWICE = changed(
    SEALED, signatures=[json.loads(envelope.wrap(KIND, 1, PAYLOAD, k))["signatures"][0] for k in (STRANGER, OURS)]
)


@pytest.mark.parametrize(
    ("stored", "keys", "sealing"),
    [
        pytest.param(BARE, Known(OURS), Sealing.UNSEALED, id="no seal"),
        pytest.param(SEALED, Known(OURS), Sealing.SEALED, id="our seal"),
        pytest.param(SEALED, Known(OLD, OURS), Sealing.SEALED, id="the seal of a key before a rotation"),
        pytest.param(SEALED, Known(locked=(OURS,)), Sealing.UNCHECKED, id="our key, locked away"),
        pytest.param(SEALED, Known(OLD), Sealing.FOREIGN, id="another's seal"),
        pytest.param(SEALED, Known(), Sealing.FOREIGN, id="nobody has a key here"),
        pytest.param(SEALED, None, Sealing.UNCHECKED, id="not asked for"),
        pytest.param(TWICE, Known(OURS), Sealing.SEALED, id="ours beside another's"),
        pytest.param(TWICE, Known(OLD), Sealing.FOREIGN, id="two of others"),
    ],
)
def test_what_a_seal_is_worth(stored: bytes, keys: Known | None, sealing: Sealing) -> None:
    told = envelope.opened(KIND, 1, stored, keys)
    assert told.sealing is sealing
    assert told.fields == {"a": 1}
    assert bool(told.key) is (sealing is not Sealing.UNSEALED)


FORGED = base64.b64encode(b'{"a":2}').decode()
FORGED_DIGEST = "sha256:" + hashlib.sha256(b'{"a":2}').hexdigest()


@pytest.mark.parametrize(
    ("stored", "says"),
    [
        pytest.param(
            changed(SEALED, payload=FORGED, digest=FORGED_DIGEST), "does not fit", id="edited, digest made anew"
        ),
        pytest.param(
            changed(SEALED, payloadType="application/vnd.example+json;version=01"), "does not fit", id="version"
        ),
        pytest.param(changed(SEALED, signatures=[{"keyid": OURS.id, "sig": ""}]), "does not fit", id="an empty seal"),
        pytest.param(
            changed(SEALED, signatures=[{"keyid": OURS.id, "sig": "ü\ud800"}]), "does not fit", id="no base64"
        ),
        pytest.param(changed(SEALED, signatures=[{"keyid": OURS.id}]), "no", id="no seal in the seal"),
        pytest.param(changed(SEALED, signatures=None), "not an envelope", id="null"),
        pytest.param(changed(SEALED, signatures=[{"keyid": 1, "sig": 2}]), "not an envelope", id="numbers"),
        pytest.param(b" " + SEALED, "does not match", id="a space in front"),
        pytest.param(SEALED.replace(b'"payload":', b'"payload":"","payload":'), "does not match", id="a name twice"),
    ],
)
def test_a_seal_that_is_broken(stored: bytes, says: str) -> None:
    with pytest.raises(Unreadable) as caught:
        envelope.opened(KIND, 1, stored, Known(OURS))
    assert caught.value.code is Code.SEAL_BROKEN
    assert says in caught.value.text


def test_one_seal_of_ours_that_does_not_fit_is_not_made_good_by_one_that_does() -> None:
    own = json.loads(SEALED)["signatures"][0]
    with pytest.raises(Unreadable, match="does not fit"):
        envelope.opened(
            KIND, 1, changed(SEALED, signatures=[own, {"keyid": OLD.id, "sig": own["sig"]}]), Known(OURS, OLD)
        )


def test_the_same_bytes_under_another_type_are_another_entry() -> None:
    """DSSE seals the type with the payload: a sealed label is no sealed proof."""
    moved = changed(SEALED, payloadType="application/vnd.other+json;version=1")
    with pytest.raises(Unreadable, match="does not fit"):
        envelope.opened("application/vnd.other+json", 1, moved, Known(OURS))


def test_a_seal_that_was_taken_off_is_missed_where_the_payload_names_it() -> None:
    named = envelope.wrap(KIND, 1, json.dumps({"sealed_by": OURS.id}).encode(), OURS)
    assert envelope.opened(KIND, 1, named, Known(OURS)).sealing is Sealing.SEALED
    with pytest.raises(Unreadable, match="no such seal is there"):
        envelope.opened(KIND, 1, changed(named, signatures=[]), Known(OURS))
    swapped = changed(named, signatures=[{"keyid": STRANGER.id, "sig": "AA=="}])
    with pytest.raises(Unreadable, match="no such seal is there"):
        envelope.opened(KIND, 1, swapped, Known(OURS))
