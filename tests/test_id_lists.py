"""Lists of case ids in blocks: what is the same in two lists is known without reading it, and what is read is checked."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_world import run

from shipmoor_hooks.case_list import CaseList
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import EvidenceFault
from shipmoor_hooks.id_list import IdList, shared
from shipmoor_hooks.rules.unchanged import Aside, set_aside
from shipmoor_hooks.store import entry, id_lists

MANY = [f"tests/test_{i // 40:04}.py::test_{i % 40:02}[é\udc80{i}]" for i in range(8000)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "lists"
    made.mkdir()
    return made


def kept(folder: Path, ids: Sequence[str]) -> IdList:
    blocks = id_lists.cut(ids)
    id_lists.store(str(folder), ids, blocks)
    found = id_lists.read(str(folder), blocks.name)
    assert found is not None
    return found


def blocks_read(ids: IdList) -> int:
    return len(ids._read)


# ---------------------------------------------------------------- what goes in comes out


@pytest.mark.parametrize("number", [1, 2, 479, 480, 481, 2000, 8000])
def test_a_list_comes_back_as_it_was(folder: Path, number: int) -> None:
    found = kept(folder, MANY[:number])
    assert list(found) == found[:] == MANY[:number]
    assert found == MANY[:number]
    assert len(found) == number
    assert found.in_order


LISTS = st.lists(st.text("ab/:[]é\udc80", max_size=6), max_size=12)


@given(LISTS, st.data())
def test_a_list_in_blocks_answers_as_a_list(ids: list[str], data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 5), max_size=12))
    starts = [0]
    for size in sizes:
        starts.append(min(len(ids), starts[-1] + size))
    starts.append(len(ids))
    blocks = [ids[a:b] for a, b in pairwise(starts) if b > a]
    told = IdList("", [bytes([n]) for n in range(len(blocks))], [len(b) for b in blocks], blocks.__getitem__)
    assert list(told) == ids
    assert len(told) == len(ids)
    start, stop = (data.draw(st.none() | st.integers(-15, 15)) for _ in range(2))
    step = data.draw(st.sampled_from([None, 1, 2, -1]))
    assert told[start:stop:step] == ids[start:stop:step]
    for position in range(-len(ids), len(ids)):
        assert told[position] == ids[position]
    for outside in (len(ids), -len(ids) - 1):
        with pytest.raises(IndexError):
            told[outside]


@pytest.mark.parametrize("seed", range(20))
def test_a_list_is_cut_alike_whoever_cuts_it_and_its_name_is_that_of_its_ids(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    ids = sorted(chance.sample(MANY, 1200))
    other = sorted(chance.sample(MANY, 1200))
    assert id_lists.cut(ids) == id_lists.cut(list(ids))
    assert (id_lists.cut(ids).name == id_lists.cut(other).name) is (ids == other)


@pytest.mark.parametrize(
    "ids",
    [pytest.param(MANY[::-1], id="from last to first"), pytest.param([*MANY[1:], MANY[0]], id="one out of its place")],
)
def test_ids_that_are_not_in_order_are_one_block(folder: Path, ids: list[str]) -> None:
    found = kept(folder, ids)
    assert (len(found.digests), list(found) == ids, found.in_order) == (1, True, False)


def test_a_list_of_an_earlier_form_is_read_under_its_own_name(folder: Path) -> None:
    text = id_lists.text_of(MANY)
    name = hashlib.sha256(text).hexdigest()
    (folder / name).write_bytes(zlib.compress(text) + b"\0" * 32)
    found = id_lists.read(str(folder), name)
    assert found is not None
    assert (list(found), found.name) == (MANY, name)
    cases = {"inventory": name}
    stored = entry.encode(run("a P, b F"))
    payload = entry.payload_of(stored.envelope)
    earlier = hashlib.sha256(stored.inventory).hexdigest()
    payload["cases"] |= {**cases, "inventory": earlier}
    assert entry.decode_fields(payload, stored.inventory) == run("a P, b F")


# ---------------------------------------------------------------- what is alike is not read


@pytest.mark.parametrize(
    ("ids", "most"),
    [
        pytest.param(MANY, 0, id="nothing"),
        pytest.param(MANY[10:], 3, id="ten gone at the beginning"),
        pytest.param(MANY[:-10], 3, id="ten gone at the end"),
        pytest.param([*MANY[:4000], *MANY[4001:]], 3, id="one gone in the middle"),
        pytest.param(sorted([*MANY, "tests/test_0100.py::test_new"]), 3, id="one new in the middle"),
        pytest.param([*MANY[:2000], *MANY[6000:]], 12, id="half of it gone"),
    ],
)
def test_a_list_that_changed_in_one_place_shares_all_other_blocks(ids: list[str], most: int) -> None:
    before, after = id_lists.cut(MANY), id_lists.cut(ids)
    assert len(before.digests) > 10
    assert len(set(before.digests) - set(after.digests)) <= most


def test_only_the_blocks_in_which_something_changed_are_read(folder: Path) -> None:
    before, after = kept(folder, MANY), kept(folder, [*MANY[:4000], *MANY[4001:]])
    one, other = (replace(run(""), cases=CaseList(ids, b"p" * len(ids), {})) for ids in (before, after))
    aside = set_aside(one, other)
    assert aside is not None
    assert [case.id for case in aside.base.cases] == [MANY[4000]]
    assert max(blocks_read(before), blocks_read(after)) <= 4 < len(before.digests)


def test_cases_that_turned_red_are_looked_up_alone(folder: Path) -> None:
    ids = kept(folder, MANY)
    one, other = (
        replace(run(""), cases=CaseList(ids, b"p" * 4000 + letter + b"p" * 3999, {})) for letter in (b"p", b"f")
    )
    aside = set_aside(one, other)
    assert aside is not None
    assert [case.id for case in aside.tip.cases] == [MANY[4000]]
    assert blocks_read(ids) == 1


@settings(max_examples=60)
@given(st.data())
def test_what_is_set_aside_is_the_same_with_and_without_blocks(data: st.DataObject) -> None:
    chance = random.Random(data.draw(st.integers(0, 1000)))  # noqa: S311
    few = MANY[:1500]
    sides = []
    for _ in range(2):
        gone = set(chance.sample(range(1500), data.draw(st.integers(0, 30))))
        ids = [case for number, case in enumerate(few) if number not in gone]
        letters = bytearray(b"p" * len(ids))
        for place in chance.sample(range(len(ids)), data.draw(st.integers(0, 20))):
            letters[place] = chance.choice(b"pfsex")
        sides.append((ids, bytes(letters)))

    def told(form: Callable[[list[str]], Sequence[str]]) -> Aside | None:
        one, other = (replace(run(""), cases=CaseList(form(ids), letters, {})) for ids, letters in sides)
        return set_aside(one, other)

    def in_blocks(ids: list[str]) -> IdList:
        found = id_lists.of_text(id_lists.cut(ids).name, id_lists.text_of(ids))
        assert found is not None
        return found

    plain, blocks = told(list), told(in_blocks)
    assert (plain is None) == (blocks is None)
    if plain is not None and blocks is not None:
        assert (plain.number, plain.passed) == (blocks.number, blocks.passed)
        assert [c.id for c in plain.base.cases] == [c.id for c in blocks.base.cases]
        assert [c.id for c in plain.tip.cases] == [c.id for c in blocks.tip.cases]
        assert list(plain.ids) == list(blocks.ids)


@pytest.mark.parametrize(
    ("one", "other", "stretches"),
    [
        pytest.param("", "", [], id="nothing"),
        pytest.param("abc", "xyz", [], id="nothing in common"),
        pytest.param("abc", "abc", [(0, 0, 9)], id="all of it"),
        pytest.param("abcd", "bcd", [(3, 0, 9)], id="the first is gone"),
        pytest.param("abcd", "abc", [(0, 0, 9)], id="the last is gone"),
        pytest.param("abcd", "abxcd", [(0, 0, 6), (6, 9, 6)], id="one came"),
        pytest.param("abxcd", "abcd", [(0, 0, 6), (9, 6, 6)], id="one went"),
        pytest.param("abcd", "ayycd", [(0, 0, 3), (6, 9, 6)], id="one became two"),
        pytest.param("abcd", "cxbd", [(3, 6, 3), (9, 9, 3)], id="out of their order"),
    ],
)
def test_shared_blocks_are_told_in_order(one: str, other: str, stretches: list[tuple[int, int, int]]) -> None:
    lists = (IdList("", [x.encode() for x in names], [3] * len(names), lambda _: []) for names in (one, other))
    assert list(shared(*lists)) == stretches


# ---------------------------------------------------------------- damage


def path_of(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


@pytest.mark.parametrize("place", [0, 3, 8, 12, 40, 48, 300, 2000, -40, -1])
def test_a_flipped_bit_anywhere_is_found_by_who_reads_and_mended_by_who_writes(folder: Path, place: int) -> None:
    name = kept(folder, MANY).name
    path = path_of(folder)
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[place] ^= 4
    path.write_bytes(damaged)
    assert id_lists.read(str(folder), name) is None
    kept(folder, MANY)
    assert path.read_bytes() == whole


def marked(name: str, data: bytes) -> bytes:
    return data + hashlib.sha256(name.encode() + data).digest()


@pytest.mark.parametrize("other", [MANY[1:], [*MANY[1:], "zz"], [*MANY[:-1], "tests/test_0199.py::test_39[x]"]])
def test_another_list_under_a_name_is_found_though_its_mark_fits(folder: Path, other: list[str]) -> None:
    name = kept(folder, MANY).name
    data = id_lists.packed(other, id_lists.cut(other))[:-32]
    path_of(folder).write_bytes(marked(name, data))
    assert id_lists.read(str(folder), name) is None
    assert id_lists.read(str(folder), name, whole=False) is None


def test_a_block_that_is_not_what_its_digest_says_is_found_when_it_is_read(folder: Path) -> None:
    """Whoever forges a block can make the mark fit, and not the digest, which the sealed run names."""
    found = kept(folder, MANY)
    data = bytearray(path_of(folder).read_bytes()[:-32])
    block = zlib.compress(id_lists.text_of(found.block(0)), 1)
    at = bytes(data).index(block)
    data[at + 20] ^= 1
    path_of(folder).write_bytes(marked(found.name, bytes(data)))
    forged = id_lists.read(str(folder), found.name)
    assert forged is not None
    assert forged[-1] == MANY[-1]
    with pytest.raises(EvidenceFault, match="does not hold what its name says"):
        forged[0]


@pytest.mark.parametrize(
    "rows", [b"\xff\xff\xff\xff", b"\0\0\0\x11", b"\0\0", b""], ids=["most", "one_more", "cut_off", "none"]
)
def test_more_rows_than_a_file_can_hold_are_none(folder: Path, rows: bytes) -> None:
    name = kept(folder, MANY).name
    data = path_of(folder).read_bytes()
    head = len(b"ids/2\n")
    path_of(folder).write_bytes(data[:head] + rows + data[head + 4 : 700])
    assert id_lists.read(str(folder), name, whole=False) is None


@pytest.mark.parametrize("name", ["", "..", "a/b", "\0", "x" * 64])
def test_a_name_that_is_none_is_no_path(folder: Path, name: str) -> None:
    assert id_lists.read(str(folder), name) is None


@pytest.mark.parametrize(
    "text", [b"", b"a", b"a\0b", b"\xff\0", b"b\0a"], ids=["nothing", "no end", "cut off", "no UTF-8", "another"]
)
def test_text_under_another_name_is_none(text: bytes) -> None:
    assert id_lists.of_text(id_lists.cut(["a", "b"]).name, text) is None
