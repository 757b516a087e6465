"""One more run of a tree costs the same however many lie there, and still sets aside what somebody damaged in between."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_spool import OTHER, SCOPED, TREE, run_of

from shipmoor_hooks.model import CaseList, Outcome
from shipmoor_hooks.seals import key_ring, quarantine
from shipmoor_hooks.store import id_lists
from shipmoor_hooks.store.spool import Spool

_SCANDIR = os.scandir
A_WHILE = 0.05  # seconds: more than two ticks of the clock that stamps files


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    key_ring.of(os.environ).sealer()  # the key is there, so that what is counted here are the spool's own calls
    return Spool(str(tmp_path), "main")


def looked_at_by_one_more(spool: Spool, number: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many files and folders a store opens, and how many files it asks for their time, when nobody touched the others
    since the last one, a while ago."""
    time.sleep(A_WHILE)
    spool.finish(run_of(number))
    time.sleep(A_WHILE)
    seen: list[object] = []
    asked: list[object] = []
    another = Spool(spool.common_dir, spool.worktree)
    with monkeypatch.context() as patch:
        for name in ("open", "listdir"):
            patch.setattr(os, name, _told(getattr(os, name), seen))
        patch.setattr(os, "scandir", lambda folder: _Scan(folder, asked))
        another.finish(run_of(number + 1))
    return len(seen), len(asked)


class _Scan:
    """A folder's files, each noted when it is taken."""

    def __init__(self, folder: str, asked: list[object]) -> None:
        self.real, self.asked = _SCANDIR(folder), asked

    def __enter__(self) -> Iterator[os.DirEntry[str]]:
        for one in self.real:
            self.asked.append(one)
            yield one

    def __exit__(self, *_: object) -> None:
        self.real.close()


def _told(real: Callable[..., object], seen: list[object]) -> Callable[..., object]:
    def telling(path: object, *arguments: object, **how: object) -> object:
        seen.append(path)
        return real(path, *arguments, **how)

    return telling


def test_a_run_opens_as_many_files_whether_few_or_many_lie_on_its_tree(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, _ = looked_at_by_one_more(spool, 1, monkeypatch)
    for number in range(10, 110):
        spool.finish(run_of(number))
    many, asked = looked_at_by_one_more(spool, 200, monkeypatch)
    assert len(spool.at_tree(TREE).runs) == 104
    assert many <= few < 20
    assert asked == 64


def _written_over(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"e", b"f", 3))


def _one_bit(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.seek(200)
        byte = stream.read(1)
        stream.seek(200)
        stream.write(bytes([byte[0] ^ 1]))


def _cut(path: Path) -> None:
    os.truncate(path, 100)


def _another_in_its_place(path: Path) -> None:
    other = path.with_name(".other")
    other.write_bytes(b"{}")
    other.replace(path)


def _times_set_back(path: Path) -> None:
    times = path.stat()
    _written_over(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


WAYS: dict[str, Callable[[Path], None]] = {
    "written over": _written_over,
    "one bit flipped in place": _one_bit,
    "cut short": _cut,
    "another file put in its place": _another_in_its_place,
    "written over, and its time set back": _times_set_back,
}


@pytest.mark.parametrize("when", ["at once", "a while later"])
@pytest.mark.parametrize("way", WAYS)
def test_an_old_entry_that_was_damaged_is_set_aside_by_the_next_run(spool: Spool, way: str, when: str) -> None:
    for number in range(1, 4):
        spool.finish(run_of(number, scoped_tree=SCOPED))
    if when == "a while later":
        time.sleep(A_WHILE)
    path = next(p for p in map(Path, spool.paths()) if p.name.endswith(f"{1:032x}.run"))
    WAYS[way](path)
    damaged = path.read_bytes()
    spool.finish(run_of(4))
    assert [Path(p).read_bytes() for p in quarantine.paths(spool.root)] == [damaged]
    assert [r.id for r in spool.at_tree(TREE).runs] == [run_of(n).id for n in (2, 3, 4)]
    assert len(spool.at_tree(TREE).broken) == 1


@pytest.mark.parametrize("place", ["scoped", "trees"])
def test_also_the_copy_under_a_scoped_tree_and_an_entry_of_another_worktree(spool: Spool, place: str) -> None:
    Spool(spool.common_dir, "linked").finish(run_of(1, scoped_tree=SCOPED))
    [path] = Path(spool.root, "runs", "linked", place).rglob("*.run")
    _one_bit(path)
    spool.finish(run_of(2, scoped_tree=SCOPED))
    assert not path.exists()
    assert len([p for p in Path(spool.root, quarantine.FOLDER).rglob("*") if p.is_file()]) == 1


def test_what_lies_on_another_tree_is_left_to_its_readers(spool: Spool) -> None:
    spool.finish(run_of(1))
    path = Path(spool.paths()[0])
    _one_bit(path)
    spool.finish(run_of(2, tree=OTHER, scoped_tree=OTHER, first_tree=OTHER))
    assert [b.path for b in spool.at_tree(TREE).broken] == [str(path)]


def test_a_known_list_is_not_put_together_again(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = CaseList([f"t::{i:05}" for i in range(2000)], Outcome.PASSED.letter.encode() * 2000, {})
    spool.finish(run_of(1, cases=cases))
    sizes = []
    real = id_lists.text_of
    monkeypatch.setattr(id_lists, "text_of", lambda ids: (sizes.append(len(ids)), real(ids))[1])
    spool.finish(run_of(2, cases=cases))
    assert max(sizes) < 1000
