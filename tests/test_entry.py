"""A stored run as bytes: what goes in comes out, and whatever was changed on the way is told, never taken."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rule_world import run

from shipmoor_hooks.model import (
    Case,
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
from shipmoor_hooks.store import entry, id_lists
from shipmoor_hooks.store.entry import (
    decode,
    decode_fields,
    encode,
    inventory_name,
    payload_of,
)
from shipmoor_hooks.store.envelope import Unreadable

# ---------------------------------------------------------------- what goes in comes out

TEXT = st.text(st.one_of(st.characters(exclude_characters="\0"), st.characters(categories=["Cs"])), max_size=12)
MAYBE = st.none() | TEXT
TIMES = st.floats(-253_402_300_799, 253_402_300_799)
CASES = st.lists(
    st.builds(
        Case,
        TEXT,
        st.sampled_from(list(Outcome)),
        st.integers(1, 5),
        st.integers(0, 9),
        st.integers(1, 9),
        st.sampled_from(list(RecordKind)),
        TEXT,
        st.lists(TEXT, max_size=2).map(tuple),
    ),
    max_size=6,
).map(tuple)
RUNS = st.builds(
    Run,
    id=TEXT,
    suite=TEXT,
    tree=MAYBE,
    scoped_tree=MAYBE,
    evidence=st.sampled_from(list(Evidence)),
    started=TIMES,
    recorded=TIMES,
    cases=CASES,
    finished=st.none() | TIMES,
    variant=MAYBE,
    shard=st.none() | st.integers(1, 9).flatmap(lambda n: st.builds(Shard, st.integers(1, n), st.just(n))),
    problems=st.lists(st.builds(Problem, st.sampled_from(list(Code)), TEXT, TEXT), max_size=2).map(tuple),
    first_tree=MAYBE,
    command=st.lists(TEXT, max_size=3).map(tuple),
    cwd=TEXT,
    exit_code=st.none() | st.integers(-20, 255),
    runner=TEXT,
    runner_version=TEXT,
    reader=TEXT,
    conditions=st.dictionaries(TEXT, TEXT, max_size=3).map(lambda d: tuple(sorted(d.items()))),
    reports=st.lists(st.builds(ReportFile, TEXT, TEXT, st.integers(0, 2**62)), max_size=2).map(tuple),
    head=MAYBE,
    changes=st.lists(st.builds(Change, TEXT, MAYBE, MAYBE), max_size=2).map(tuple),
    untracked=st.lists(TEXT, max_size=2).map(tuple),
    surface=st.dictionaries(TEXT, TEXT, max_size=2).map(lambda d: tuple(sorted(d.items()))),
    clock_suspect=st.booleans(),
    worktree=TEXT,
    sequence=st.integers(0, 2**40),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(RUNS)
def test_what_goes_in_comes_out(one: Run) -> None:
    stored = encode(one)
    assert decode(stored.envelope, stored.inventory) == one
    assert encode(decode(stored.envelope, stored.inventory)) == stored
    assert inventory_name(payload_of(stored.envelope)) == stored.blocks.name
    assert id_lists.cut(id_lists.ids_of(stored.inventory)).name == stored.blocks.name


@given(st.lists(TEXT, max_size=5))
def test_ids_come_back_in_order(ids: list[str]) -> None:
    assert id_lists.ids_of(id_lists.text_of(ids)) == ids


def test_an_entry_without_cases_needs_no_inventory() -> None:
    stored = encode(run(""))
    assert stored.inventory == b""
    assert decode(stored.envelope, None) == run("")


def test_runs_of_the_same_cases_share_one_inventory() -> None:
    assert encode(run("a P, b F")).blocks.name == encode(run("a S, b P", 3)).blocks.name


def test_a_further_run_costs_about_a_byte_a_case() -> None:
    small, large = (len(encode(run(", ".join(f"x{i} P" for i in range(n)))).envelope) for n in (10, 3000))
    assert large - small < 3000


def test_the_envelope_is_an_ascii_line_in_the_shape_of_dsse() -> None:
    outer = json.loads(encode(run("ü[\u202e] P")).envelope)
    assert list(outer) == ["payloadType", "payload", "signatures", "digest"]
    assert outer["payloadType"] == "application/vnd.shipmoor-hooks.run+json;version=1"
    assert encode(run("ü P")).envelope.isascii()
    assert encode(run("ü P")).envelope.endswith(b"}\n")


# ---------------------------------------------------------------- what was changed is told

ONE = run("a P, b F, c 2*P", variant="v", conditions=(("model", "m"),), exit_code=1)
STORED = encode(ONE)


def reason(envelope: bytes, inventory: bytes | None = STORED.inventory) -> tuple[Code, str]:
    with pytest.raises(Unreadable) as caught:
        decode(envelope, inventory)
    assert str(caught.value) == caught.value.text
    return caught.value.code, caught.value.text


@pytest.mark.parametrize("bit", [0, 3, 7])
def test_a_flipped_bit_never_gives_another_run(bit: int) -> None:
    unnoticed = []
    for place in range(len(STORED.envelope)):
        data = bytearray(STORED.envelope)
        data[place] ^= 1 << bit
        try:
            assert decode(bytes(data), STORED.inventory) == ONE
            unnoticed.append(place)
        except Unreadable:
            continue
    payload = STORED.envelope.index(b'"payload":"') + len(b'"payload":"')
    end = STORED.envelope.index(b'"', payload)
    assert not [p for p in unnoticed if payload <= p < end]
    assert len(unnoticed) <= len(b'"signatures"[]\n')  # the place of the seals says nothing about the run


@pytest.mark.parametrize("bit", [0, 7])
def test_a_flipped_bit_in_the_inventory_is_found(bit: int) -> None:
    for place in range(len(STORED.inventory)):
        data = bytearray(STORED.inventory)
        data[place] ^= 1 << bit
        code, text = reason(STORED.envelope, bytes(data))
        assert code is Code.SEAL_BROKEN
        assert "the list of its case ids is missing or damaged" in text


@given(st.binary(max_size=60))
def test_anything_else_is_no_envelope(data: bytes) -> None:
    code, _ = reason(data)
    assert code is Code.SEAL_BROKEN


@pytest.mark.parametrize("length", [0, 1, 40, len(STORED.envelope) // 2, len(STORED.envelope) - 3])
def test_a_torn_entry(length: int) -> None:
    assert reason(STORED.envelope[:length]) == (Code.SEAL_BROKEN, "it is not an envelope of ours")


def outer(**changes: Any) -> bytes:
    return json.dumps(json.loads(STORED.envelope) | changes, separators=(",", ":")).encode() + b"\n"


def sealed(payload: bytes) -> bytes:
    """The payload with a digest that fits it: what a forger would write."""
    digest = "sha256:" + hashlib.sha256(payload).hexdigest()
    return outer(payload=base64.b64encode(payload).decode(), digest=digest)


@pytest.mark.parametrize(
    ("envelope", "code", "says"),
    [
        pytest.param(outer(payloadType=f"{entry.PAYLOAD_TYPE};version=2"), Code.ENTRY_NEWER,
                     "it was written by a newer version (format 2, this one reads 1)", id="newer"),
        pytest.param(outer(payloadType=f"{entry.PAYLOAD_TYPE};version=" + "9" * 5000), Code.ENTRY_NEWER,
                     "it was written by a newer version", id="a version of five thousand digits"),
        pytest.param(outer(payloadType=f"{entry.PAYLOAD_TYPE};version=0"), Code.SEAL_BROKEN, "its payload type is not ours",
                     id="version 0"),
        pytest.param(outer(payloadType=f"{entry.PAYLOAD_TYPE};version=²"), Code.SEAL_BROKEN, "its payload type is not ours",
                     id="a digit that is no number"),
        pytest.param(outer(payloadType=entry.PAYLOAD_TYPE), Code.SEAL_BROKEN, "its payload type is not ours", id="no version"),
        pytest.param(outer(payloadType="application/json;version=1"), Code.SEAL_BROKEN, "its payload type is not ours",
                     id="another type"),
        pytest.param(outer(payloadType=3), Code.SEAL_BROKEN, "it is not an envelope of ours", id="a type that is no text"),
        pytest.param(outer(payload="%%%"), Code.SEAL_BROKEN, "it is not an envelope of ours", id="no base64"),
        pytest.param(outer(digest="sha256:" + "0" * 64), Code.SEAL_BROKEN, "its content does not match its digest",
                     id="wrong digest"),
        pytest.param(outer(digest=None), Code.SEAL_BROKEN, "its content does not match its digest", id="no digest"),
        pytest.param(b"[1]", Code.SEAL_BROKEN, "it is not an envelope of ours", id="a list"),
        pytest.param(b"[" * 100_000, Code.SEAL_BROKEN, "it is not an envelope of ours", id="deep"),
        pytest.param(sealed(b"not json"), Code.SEAL_BROKEN, "its payload is not JSON", id="payload without JSON"),
        pytest.param(sealed(b"[" * 100_000), Code.SEAL_BROKEN, "its payload is not JSON", id="deep payload"),
        pytest.param(sealed(b"[1]"), Code.SEAL_BROKEN, "its payload is not an object", id="payload without an object"),
        pytest.param(sealed(b"{}"), Code.SEAL_BROKEN, "a field is missing or wrong", id="empty object"),
    ],
)  # fmt: skip
def test_entries_that_cannot_be_used(envelope: bytes, code: Code, says: str) -> None:
    found, text = reason(envelope)
    assert found is code
    assert text.startswith(says)


@pytest.mark.parametrize(
    "inventory",
    [pytest.param(None, id="missing"), pytest.param(b"", id="empty"), pytest.param(b"a\0b\0d\0", id="another")],
)
def test_a_missing_or_damaged_inventory(inventory: bytes | None) -> None:
    code, text = reason(STORED.envelope, inventory)
    assert code is Code.SEAL_BROKEN
    assert text == "a field is missing or wrong (the list of its case ids is missing or damaged)"


FIELDS = payload_of(STORED.envelope)
STRANGE = [None, True, 3, -1, 1.5, float("nan"), float("inf"), "x", "", [], ["x"], [[1]], {}, {"x": 1}, 10**400]


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_a_field_of_another_kind_is_told_and_never_a_crash(name: str) -> None:
    for value in STRANGE:
        try:
            found = decode_fields(FIELDS | {name: value}, STORED.inventory)
        except Unreadable as unreadable:
            assert unreadable.code is Code.SEAL_BROKEN  # noqa: PT017
        else:
            stored = encode(found)
            assert decode(stored.envelope, stored.inventory) == found


@pytest.mark.parametrize("name", [n for n in sorted(FIELDS) if n not in ("schema", "surface")])
def test_a_field_that_is_missing(name: str) -> None:
    with pytest.raises(Unreadable, match="a field is missing or wrong"):
        decode_fields({k: v for k, v in FIELDS.items() if k != name}, STORED.inventory)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"number": 4}, id="another number"),
        pytest.param({"outcomes": base64.b64encode(zlib.compress(b"pf")).decode()}, id="an outcome short"),
        pytest.param({"outcomes": base64.b64encode(zlib.compress(b"pfpp")).decode()}, id="an outcome too many"),
        pytest.param(
            {"outcomes": base64.b64encode(zlib.compress(b"p" * 50_000_000)).decode()}, id="a bomb of outcomes"
        ),
        pytest.param({"outcomes": base64.b64encode(zlib.compress(b"pf?")).decode()}, id="an unknown outcome"),
        pytest.param({"outcomes": base64.b64encode(b"pfp").decode()}, id="not compressed"),
        pytest.param({"details": []}, id="details that are no object"),
        pytest.param({"details": {"0": {"kind": "thing"}}}, id="an unknown kind"),
        pytest.param({"details": {"0": {"count": "2"}}}, id="a count that is no number"),
        pytest.param({"details": {"0": {"samples": [1]}}}, id="half a sample"),
        pytest.param({"details": {"0": {"covers": 1}}}, id="covers that is no text"),
        pytest.param({"details": {"0": {"raws": [1]}}}, id="a raw name that is no text"),
    ],
)
def test_cases_that_do_not_fit(change: dict[str, Any]) -> None:
    fields = FIELDS | {"cases": FIELDS["cases"] | change}
    with pytest.raises(Unreadable, match="a field is missing or wrong"):
        decode_fields(fields, STORED.inventory)


@pytest.mark.parametrize("shard", [[0, 2], [3, 2], [1, 10**9], [1], [1, 2, 3], ["1", "2"], "12"])
def test_shards_that_are_none(shard: Any) -> None:
    with pytest.raises(Unreadable):
        decode_fields(FIELDS | {"shard": shard}, STORED.inventory)


@pytest.mark.parametrize("cases", [None, [], "x", {}])
def test_a_payload_that_names_no_inventory(cases: Any) -> None:
    assert inventory_name({"cases": cases}) == ""
    assert inventory_name({}) == ""
