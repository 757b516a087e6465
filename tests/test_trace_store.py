"""Recorded traces beside the spool: kept whole, private, checked, and dropped with their runs."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from shipmoor_hooks.errors import EnvironmentFault, EvidenceFault
from shipmoor_hooks.evals.recording import FILE, MISSING, TOO_LARGE, FocusFile, Workspace
from shipmoor_hooks.store import trace_store
from shipmoor_hooks.store.trace_store import KeptTrace

ABOUT = KeptTrace("", "evals", "plan", "r1", 1, 1000.0, expectation="e1", passed=True)
TRACE = b'{"type":"system"}\n{"type":"result"}'
SEEN = Workspace(("plan.md",), {"plan.md": FocusFile(FILE, "# Plan\n"), "gone": FocusFile(MISSING)})


def blobs(top: Path) -> list[Path]:
    return sorted((top / "shipmoor-hooks/traces/blobs").iterdir())


def entries(top: Path) -> list[Path]:
    return sorted((top / "shipmoor-hooks/traces/cases").rglob("*.trace"))


def keep(top: Path, about: KeptTrace = ABOUT, trace: bytes = TRACE, seen: Workspace = SEEN) -> str:
    return trace_store.keep(str(top), about, trace, seen)


def test_a_trace_is_kept_and_found_with_what_its_graders_saw(tmp_path: Path) -> None:
    sha = keep(tmp_path)
    (kept,), broken = trace_store.of_case(str(tmp_path), "evals", "plan")
    assert not broken
    assert kept == replace(ABOUT, sha=sha, created=("plan.md",), files=kept.files)
    assert trace_store.load(str(tmp_path), kept) == (TRACE, SEEN)
    assert trace_store.by_prefix(str(tmp_path), sha[:8]) == (kept,)
    assert sha == trace_store.digest(TRACE)


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    keep(tmp_path)
    assert {stat.S_IMODE(p.stat().st_mode) for p in [*blobs(tmp_path), *entries(tmp_path)]} == {0o600}


def test_equal_traces_are_stored_once_and_listed_twice(tmp_path: Path) -> None:
    keep(tmp_path)
    keep(tmp_path, replace(ABOUT, sample=2, recorded=2000.0))
    kept, _ = trace_store.of_case(str(tmp_path), "evals", "plan")
    assert [k.sample for k in kept] == [1, 2]
    assert len(blobs(tmp_path)) == 2  # the trace and one file


def test_cases_and_suites_stand_apart(tmp_path: Path) -> None:
    for suite, case in (("evals", "plan"), ("evals", "../plan"), ("more", "plan")):
        keep(tmp_path, replace(ABOUT, suite=suite, case=case))
    assert len(trace_store.of_case(str(tmp_path), "evals", "plan")[0]) == 1
    assert len(trace_store.every(str(tmp_path), "evals")[0]) == 2
    assert len(trace_store.every(str(tmp_path))[0]) == 3


def test_what_is_too_large_is_named_and_never_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_store, "MOST_FILE", 10)
    monkeypatch.setattr(trace_store, "MOST_FILES", 15)
    monkeypatch.setattr(trace_store, "MOST_CREATED", 1)
    files = {name: FocusFile(FILE, text) for name, text in (("a", "x" * 11), ("b", "y" * 9), ("c", "z" * 9))}
    keep(tmp_path, seen=Workspace(("one", "two"), files))
    kept = trace_store.of_case(str(tmp_path), "evals", "plan")[0][0]
    seen = trace_store.load(str(tmp_path), kept)[1]
    assert seen.created is None
    assert {p: f.state for p, f in seen.files.items()} == {"a": TOO_LARGE, "b": FILE, "c": TOO_LARGE}
    monkeypatch.setattr(trace_store, "MOST_TRACE", 5)
    assert keep(tmp_path, replace(ABOUT, case="other")) == ""
    assert not trace_store.of_case(str(tmp_path), "evals", "other")[0]


def test_a_damaged_trace_is_no_trace(tmp_path: Path) -> None:
    sha = keep(tmp_path)
    kept = trace_store.by_prefix(str(tmp_path), sha)[0]
    blob = tmp_path / "shipmoor-hooks/traces/blobs" / sha
    other = next(b for b in blobs(tmp_path) if b != blob)
    blob.write_bytes(other.read_bytes())
    with pytest.raises(EvidenceFault):
        trace_store.load(str(tmp_path), kept)
    keep(tmp_path, replace(ABOUT, sample=2))  # written again, since what stood there was not it
    assert trace_store.load(str(tmp_path), kept)[0] == TRACE


def test_a_damaged_file_was_not_kept(tmp_path: Path) -> None:
    kept = trace_store.by_prefix(str(tmp_path), keep(tmp_path))[0]
    (tmp_path / "shipmoor-hooks/traces/blobs" / trace_store.digest(b"# Plan\n")).unlink()
    assert trace_store.load(str(tmp_path), kept)[1].files == {"gone": FocusFile(MISSING)}


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff\x00"], ids=["empty", "no envelope", "binary"])
def test_an_entry_that_cannot_be_read_is_named(tmp_path: Path, data: bytes) -> None:
    keep(tmp_path)
    entries(tmp_path)[0].write_bytes(data)
    kept, broken = trace_store.of_case(str(tmp_path), "evals", "plan")
    assert (len(kept), len(broken)) == (0, 1)


def test_an_entry_in_another_case_s_place_is_not_believed(tmp_path: Path) -> None:
    keep(tmp_path)
    keep(tmp_path, replace(ABOUT, case="other"))
    one, other = (trace_store._folder_of("evals", case) for case in ("plan", "other"))
    cases = tmp_path / "shipmoor-hooks/traces/cases"
    moved = next((cases / one).iterdir())
    moved.rename(cases / other / moved.name)
    assert len(trace_store.of_case(str(tmp_path), "evals", "other")[1]) == 1


def test_a_link_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shipmoor-hooks").mkdir()
    (tmp_path / "shipmoor-hooks/traces").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentFault):
        keep(tmp_path)
    assert not os.listdir(tmp_path / "elsewhere")


@pytest.mark.parametrize("prefix", ["", "abc", "zzzzzzzz", "../../etc"], ids=["nothing", "short", "no hex", "a path"])
def test_names_that_name_no_trace(tmp_path: Path, prefix: str) -> None:
    keep(tmp_path)
    assert trace_store.by_prefix(str(tmp_path), prefix) == ()


def test_old_traces_go_with_their_runs(tmp_path: Path) -> None:
    keep(tmp_path)
    keep(tmp_path, replace(ABOUT, run="r2", recorded=1001.0), TRACE + b"\n{}")
    keep(tmp_path, replace(ABOUT, run="r3", recorded=9000.0), TRACE + b"\n{} ")
    for blob in blobs(tmp_path):
        os.utime(blob, (1, 1))
    drop = trace_store.unneeded(str(tmp_path), ["r2"], (), 5000.0)
    gone, young, old = (trace_store.digest(t) for t in (TRACE, TRACE + b"\n{} ", TRACE + b"\n{}"))
    names = {os.path.basename(p) for p in drop}
    assert gone in names
    assert not {young, old, trace_store.digest(b"# Plan\n")} & names
    assert len(names) == 2  # its entry and its trace; the file is another recording's too
    entries(tmp_path)[2].write_bytes(b"newer")
    assert gone not in {os.path.basename(p) for p in trace_store.unneeded(str(tmp_path), ["r2"], (), 5000.0)}


@pytest.mark.parametrize(
    ("kind", "named", "gone"),
    [
        pytest.param(trace_store.RUN, False, True, id="a run's"),
        pytest.param(trace_store.FAULT, False, False, id="a fault's stays with its proof"),
        pytest.param(trace_store.RUN, True, False, id="a labelled one stays"),
    ],
)
def test_what_a_person_or_a_proof_needs_stays(tmp_path: Path, kind: str, named: bool, gone: bool) -> None:
    sha = keep(tmp_path, replace(ABOUT, kind=kind))
    drop = trace_store.unneeded(str(tmp_path), [], {sha} if named else set(), 5000.0)
    assert bool(drop) is gone
