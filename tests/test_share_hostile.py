"""What anybody may have pushed to the ref: refused by name, and not one byte outside the spool of fetched entries."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from gate_world import GateWorld, said
from repo_builder import RepoBuilder
from share_world import REF, cli, files_below, published

from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Case, Evidence, Outcome, Run
from shipmoor_hooks.sharing import published as published_module
from shipmoor_hooks.sharing.foreign import foreign_dir
from shipmoor_hooks.store import entry, envelope

NOW = 1_700_000_000.0
TREE = "ab" * 20
GOOD = Run("c0ffee", "unit", TREE, TREE, Evidence.OBSERVED, NOW, NOW, (Case("t::a", Outcome.PASSED, passed=1),))
Rows = list[tuple[str, str, bytes]]  # mode, name, object name


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    made = GateWorld(repo, repo.bare_remote())
    repo.commit(files={"shipmoor-hooks.toml": "[suite.unit]\n", "x": "1"})
    repo.git("push", "-q", "origin", "main")
    return made


def blob(world: GateWorld, data: bytes) -> str:
    return world.repo.git("hash-object", "-w", "--stdin", stdin=data)


def raw_tree(world: GateWorld, rows: Mapping[str, tuple[str, str]]) -> str:
    """A tree object with whatever names and modes: git itself would not write some of them."""
    data = b"".join(
        f"{mode} ".encode() + name.encode() + b"\0" + bytes.fromhex(oid) for name, (mode, oid) in rows.items()
    )
    return world.repo.git("hash-object", "-w", "--literally", "-t", "tree", "--stdin", stdin=data)


def nested(world: GateWorld, path: str, entry_of_file: tuple[str, str]) -> str:
    """The root tree that holds one file."""
    for name in reversed(path.split("/")):
        entry_of_file = ("40000", raw_tree(world, {name: entry_of_file}))
    return entry_of_file[1]


def put(world: GateWorld, tree: str) -> None:
    """The tree as the remote's ref, written past every check."""
    commit = world.repo.git("commit-tree", "-m", "x", tree)
    world.repo.git("-c", "transfer.fsckObjects=false", "push", "-q", "-f", "origin", f"{commit}:{REF}")


def put_files(world: GateWorld, files: Mapping[str, bytes]) -> None:
    paths = {path: ("100644", blob(world, data)) for path, data in files.items()}
    put_commit = published_module.write_commit(Git(str(world.repo.path), world.repo.env), paths, None, NOW)
    world.repo.git("push", "-q", "-f", "origin", f"{put_commit}:{REF}")


def files_of(run: Run, **changes: object) -> dict[str, bytes]:
    """The published files of a run; `path` and `ids` take the place of its own."""
    encoded = entry.encode(run)
    name = f"{int(run.started * 1000):013d}-{run.id}.run"
    path = changes.get("path", published_module.run_path(run.scoped_tree or "", name))
    return {
        str(path): encoded.envelope,
        published_module.inventory_path(encoded.blocks.name): bytes(changes.get("ids", encoded.inventory)),  # type: ignore[call-overload]
    }


def fetched(world: GateWorld, code: int = 3) -> str:
    """What `fetch` says; nothing may have changed outside the place of fetched entries and git's own objects and refs."""
    top = world.repo.path.parent
    before = files_below(top)
    done = cli(world.repo, "fetch")
    assert done.returncode == code, said(done)
    new = {path for path, held in files_below(top).items() if before.get(path) != held}
    own = ("repo/.git/objects/", "repo/.git/refs/shipmoor-hooks/", "repo/.git/shipmoor-hooks/foreign/")
    assert {path for path in new if not path.startswith(own)} == set()
    assert "Traceback" not in said(done)
    return said(done)


def stored(world: GateWorld) -> list[str]:
    folder = Path(foreign_dir(str(world.repo.path / ".git")))
    return [path for path in files_below(folder) if not path.endswith("/lock")] if folder.exists() else []


def test_a_good_run_comes_in_by_the_same_way(world: GateWorld) -> None:
    put_files(world, files_of(GOOD))
    assert "1 new runs" in fetched(world, 0)
    assert len(stored(world)) == 2


# ---------------------------------------------------------------- names and modes

HEX = "ab/" + "cd" * 19


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        pytest.param("runs/../../../../hooks/post-checkout", "100644", id="a way up"),
        pytest.param("runs/.git/config", "100644", id="git's own folder"),
        pytest.param("runs/.", "100644", id="the folder itself"),
        pytest.param(f"runs/{HEX}/1700000000000-a\\..\\b.run", "100644", id="a way up of another system"),
        pytest.param(f"runs/{HEX}/1700000000000-\x1b[31m.run", "100644", id="a terminal's escape"),
        pytest.param(f"runs/{HEX}/1700000000000-c0ffee.run", "120000", id="a link"),
        pytest.param(f"runs/{HEX}/1700000000000-c0ffee.run", "100755", id="a program"),
        pytest.param(f"runs/{HEX}", "120000", id="a link in a folder's place"),
        pytest.param("runs", "120000", id="a link in the place of all"),
        pytest.param("--upload-pack=touch x", "100644", id="an option"),
    ],
)
def test_a_hostile_name_or_mode_is_refused_by_name(world: GateWorld, path: str, mode: str) -> None:
    put(world, nested(world, path, (mode, blob(world, b"/etc/passwd"))))
    text = fetched(world)
    assert "refused: " in text
    assert stored(world) == []
    assert "\x1b" not in text
    measured = cli(world.repo, "publish")
    assert measured.returncode == 0, said(measured)
    assert published(world) == {}


def test_a_submodule_is_refused(world: GateWorld) -> None:
    put(world, nested(world, f"runs/{HEX}/1700000000000-c0ffee.run", ("160000", "12" * 20)))
    assert "no entry is one" in fetched(world)
    assert stored(world) == []


def test_a_blob_that_is_too_large_is_never_read(world: GateWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of(GOOD)
    monkeypatch.setitem(published_module.MOST_BYTES, published_module.Sort.RUN, 100)
    put_files(world, files)
    text = fetched(world)
    assert "100 are the most" in text
    assert stored(world) == []


def test_a_tree_that_unfolds_without_end_costs_what_it_is(world: GateWorld) -> None:
    level = {"x": ("100644", blob(world, b"x"))}
    for _ in range(30):
        tree = raw_tree(world, level)
        level = {f"{i:02x}": ("40000", tree) for i in range(256)}
    bomb = raw_tree(world, {"runs": ("40000", raw_tree(world, level)), "bomb": ("40000", raw_tree(world, level))})
    put(world, bomb)
    started = time.monotonic()
    fetched(world, 0)
    assert time.monotonic() - started < 20
    assert stored(world) == []


def test_too_many_names_are_refused_at_once(world: GateWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published_module, "MOST_ENTRIES", 5)
    put_files(world, {f"inventories/ab/{i:062x}": b"" for i in range(6)})
    assert "more than 5 names" in fetched(world)


# ---------------------------------------------------------------- content


def broken(change: Callable[[bytes], bytes]) -> dict[str, bytes]:
    return {path: change(data) if path.endswith(".run") else data for path, data in files_of(GOOD).items()}


def rewrapped(**fields: object) -> bytes:
    """The good run's payload with other fields, wrapped anew: its digest is right, what it says is not."""
    payload = entry.payload_of(entry.encode(GOOD).envelope) | fields
    return envelope.wrap(entry.PAYLOAD_TYPE, entry.VERSION, json.dumps(payload).encode())


@pytest.mark.parametrize(
    ("files", "told"),
    [
        pytest.param(broken(lambda d: d[:-20]), "not an envelope", id="cut off"),
        pytest.param(broken(lambda d: d.replace(b'"payload":"ey', b'"payload":"eX')), "", id="a byte changed"),
        pytest.param(broken(lambda _: b"[" * 100_000), "not an envelope", id="nested without end"),
        pytest.param(broken(lambda d: d.replace(b"version=1", b"version=9")), "newer version", id="a newer version's"),
        pytest.param(broken(lambda _: rewrapped(tree="../../../x")), "bound to no tree", id="a tree that is a path"),
        pytest.param(broken(lambda _: rewrapped(scoped_tree="../../../x")), "bound to no tree", id="a scoped tree too"),
        pytest.param(broken(lambda _: rewrapped(id="../../x")), "bound to no tree", id="an id that is a path"),
        pytest.param(broken(lambda _: rewrapped(tree=None)), "bound to no tree", id="no tree"),
        pytest.param(broken(lambda _: rewrapped(started=1e400)), "missing or wrong", id="a time without end"),
        pytest.param(files_of(GOOD, ids=b"other\0"), "missing or damaged", id="other case ids"),
        pytest.param(
            {p: d for p, d in files_of(GOOD).items() if p.endswith(".run")}, "missing or damaged", id="no ids"
        ),
        pytest.param(
            files_of(GOOD, path=f"runs/cd/{'cd' * 19}/{int(NOW * 1000)}-c0ffee.run"), "another run", id="another's tree"
        ),
        pytest.param(
            files_of(GOOD, path=f"runs/ab/{'ab' * 19}/{int(NOW * 1000)}-beef.run"), "another run", id="another's name"
        ),
        pytest.param(
            {f"runs/ab/{'ab' * 19}/{int(NOW * 1000)}-c0ffee.run.{'0' * 16}.sig": b"x"}, "no SSH", id="no signature"
        ),
        pytest.param(
            {f"records/receipt/ab/{'ab' * 19}/{int(NOW * 1000)}-c0ffee.record": b"{}"}, "envelope", id="no record"
        ),
    ],
)
def test_content_that_is_not_what_its_name_says_is_refused(
    world: GateWorld, files: Mapping[str, bytes], told: str
) -> None:
    put_files(world, files)
    text = fetched(world)
    assert told in text
    assert stored(world) == []


def test_a_refused_entry_keeps_no_other_out(world: GateWorld) -> None:
    other = replace(GOOD, id="beef")
    put_files(world, files_of(GOOD) | {p: d[:-9] if p.endswith(".run") else d for p, d in files_of(other).items()})
    assert "1 new runs" in fetched(world)


@pytest.mark.parametrize("part", ["", "shipmoor-hooks", "shipmoor-hooks/runs", "shipmoor-hooks/runs/fetched/trees"])
def test_a_link_in_the_place_of_a_folder_is_not_followed(world: GateWorld, part: str) -> None:
    victim = world.repo.path.parent / "victim"
    victim.mkdir()
    link = Path(foreign_dir(str(world.repo.path / ".git"))) / part
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim)
    put_files(world, files_of(GOOD))
    done = cli(world.repo, "fetch")
    assert done.returncode == 4
    assert "link" in said(done)
    assert list(victim.iterdir()) == []


def test_two_contents_under_one_name_leave_the_first(world: GateWorld) -> None:
    put_files(world, files_of(GOOD))
    fetched(world, 0)
    before = {p: hashlib.sha256(p.encode()) for p in stored(world)}
    changed = replace(GOOD, cases=(Case("t::a", Outcome.FAILED),))
    put_files(world, files_of(changed))
    fetched(world, 0)
    assert set(before) == set(stored(world))
