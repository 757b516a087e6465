"""Report files, opened safely: whatever is no plain file is one clear sentence, and nothing is waited for (design, 10.19)."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

from shipmoor_hooks import report_files
from shipmoor_hooks.errors import ReportFault


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "worktree"
    folder.mkdir()
    return folder


def refused(path: str | Path, top: Path, *words: str, inside: bool = False) -> None:
    with pytest.raises(ReportFault) as fault:
        report_files.known(str(path), str(top), inside=inside)
    assert fault.value.exit_code == 3
    for word in words:
        assert word in fault.value.message


# ---------------------------------------------------------------- what is read


def test_a_plain_file_is_known_by_its_bytes_and_its_time(top: Path) -> None:
    path = top / "build" / "r.xml"
    path.parent.mkdir()
    path.write_bytes(b"<testsuite/>\0")
    os.utime(path, ns=(1, 1_700_000_000_123_456_789))
    with report_files.opened(str(path), str(top)) as report:
        assert b"".join(report.pieces()) == b"<testsuite/>\0"
        file = report.file()
    assert file == report_files.known(str(path), str(top))
    assert file.name == "build/r.xml"
    assert file.sha256 == hashlib.sha256(b"<testsuite/>\0").hexdigest()
    assert file.mtime_ns == 1_700_000_000_123_456_789


def test_what_is_bound_is_what_was_handed_out_last(top: Path) -> None:
    path = top / "r.xml"
    path.write_bytes(b"a" * 100_000)
    with report_files.opened(str(path), str(top)) as report:
        next(report.pieces())  # a look at the beginning binds nothing
        path.write_bytes(b"b" * 90_000)
        handed_out = b"".join(report.pieces())
        path.write_bytes(b"c" * 80_000)
        assert report.file().sha256 == hashlib.sha256(handed_out).hexdigest()
    assert handed_out == b"b" * 90_000


def test_a_file_that_grows_beyond_the_cap_while_it_is_read(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = top / "r.xml"
    path.write_bytes(b"x" * 100_000)
    monkeypatch.setattr(report_files, "MAX_BYTES", 100_000)
    with report_files.opened(str(path), str(top)) as report:
        path.write_bytes(b"x" * 100_001)
        with pytest.raises(ReportFault, match="larger than the limit of 100000"):
            report.file()


def test_a_plain_file_that_a_person_names_may_lie_anywhere_and_its_folder_is_not_told(
    top: Path, tmp_path: Path
) -> None:
    path = tmp_path / "outside.xml"
    path.write_text("x")
    assert report_files.known(str(top / ".." / "outside.xml"), str(top)).name == "outside.xml"
    assert report_files.known(str(path), None).name == "outside.xml"


@pytest.mark.parametrize("name", ["-rf", "--as", "a b.xml", "ü.xml", "%s.xml", "$(touch x).xml", "x\ny.xml", "x" * 250])
def test_a_name_is_only_a_name(top: Path, name: str) -> None:
    (top / name).write_text("x")
    assert report_files.known(str(top / name), str(top)).name == name


def test_a_link_that_stays_in_the_worktree_is_followed(top: Path) -> None:
    (top / "r.xml").write_text("x")
    (top / "latest.xml").symlink_to("r.xml")
    assert report_files.known(str(top / "latest.xml"), str(top)).sha256 == hashlib.sha256(b"x").hexdigest()


# ---------------------------------------------------------------- what is refused


def test_a_missing_file_a_folder_and_a_name_too_long(top: Path) -> None:
    refused(top / "none.xml", top, "none.xml", "no such report file")
    refused(top / ("x" * 300), top, "cannot be opened")
    refused(top / "nul\0.xml", top, "cannot be opened")
    refused(top, top, "a folder")


def test_a_pipe_a_socket_and_a_device_are_not_waited_for(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(top / "pipe.xml")
    refused(top / "pipe.xml", top, "a pipe")
    monkeypatch.chdir(top)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.xml")  # relative: a socket's path has room for 100 bytes
        refused("s.xml", top, "s.xml")
    refused("/dev/zero", top, "a device")
    refused("/dev/null", top, "a device")


LEADING_OUT = {
    "absolute": "{outside}",
    "relative": "../outside.xml",
    "through a folder": "away/outside.xml",
    "to a link": "second.xml",
    "to a device": "/dev/zero",
    "to nothing": "../gone.xml",
}


@pytest.mark.parametrize("reason", LEADING_OUT)
def test_a_link_that_leaves_the_worktree_is_refused(top: Path, tmp_path: Path, reason: str) -> None:
    outside = tmp_path / "outside.xml"
    outside.write_text("secret")
    (top / "away").symlink_to(tmp_path)
    (top / "second.xml").symlink_to(outside)
    (top / "r.xml").symlink_to(LEADING_OUT[reason].format(outside=outside))
    refused(top / "r.xml", top, "leads out of the worktree")


def test_links_in_a_circle(top: Path) -> None:
    (top / "a.xml").symlink_to("b.xml")
    (top / "b.xml").symlink_to("a.xml")
    refused(top / "a.xml", top, "a.xml")


def test_a_folder_beside_the_worktree_whose_name_begins_alike_is_outside(top: Path, tmp_path: Path) -> None:
    (tmp_path / "worktree2").mkdir()
    (tmp_path / "worktree2" / "r.xml").write_text("x")
    (top / "r.xml").symlink_to("../worktree2/r.xml")
    refused(top / "r.xml", top, "leads out of the worktree")
    refused(tmp_path / "worktree2" / "r.xml", top, "leads out of the worktree", inside=True)


def test_a_policy_s_glob_never_leaves_the_worktree_also_not_through_a_folder(top: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.xml").write_text("x")
    (top / "away").symlink_to(tmp_path)
    for path in (top / ".." / "outside.xml", top / "away" / "outside.xml", tmp_path / "outside.xml"):
        refused(path, top, "leads out of the worktree", inside=True)


def test_a_file_that_is_too_large_is_named_with_the_cap(top: Path) -> None:
    path = top / "huge.xml"
    with open(path, "wb") as stream:
        stream.truncate(report_files.MAX_BYTES + 1)  # a sparse file: it takes no room
    refused(path, top, "limit of 536870912")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read(top: Path) -> None:
    (top / "r.xml").write_text("x")
    (top / "r.xml").chmod(0)
    refused(top / "r.xml", top, "Permission denied")


# ---------------------------------------------------------------- globs, and the newest file


def test_globs_name_files_once_and_in_order(top: Path) -> None:
    for name in ("b.xml", "a.xml", "deep/er/c.xml", "folder.xml/x"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("x")
    found = report_files.expand(["*.xml", "a.xml", "**/*.xml"], str(top))
    assert [os.path.relpath(p, top) for p in found] == ["a.xml", "b.xml", "deep/er/c.xml"]
    assert report_files.expand(["none/*.xml", "[", ""], str(top)) == []


def test_a_worktree_whose_own_name_looks_like_a_glob(tmp_path: Path) -> None:
    top = tmp_path / "w[1]*"
    top.mkdir()
    (top / "r.xml").write_text("x")
    assert report_files.expand(["*.xml"], str(top)) == [str(top / "r.xml")]


def test_a_snapshot_passes_over_what_is_no_report(top: Path) -> None:
    (top / "r.xml").write_text("x")
    os.mkfifo(top / "pipe.xml")
    (top / "out.xml").symlink_to("/etc/passwd")
    assert set(report_files.snapshot(["*.xml"], str(top))) == {str(top / "r.xml")}


def test_the_newest_file_is_named_and_a_missing_one_has_no_time(top: Path) -> None:
    for name, moment in (("old", 1), ("new", 3), ("middle", 2)):
        (top / name).write_text("x")
        os.utime(top / name, ns=(moment, moment))
    assert report_files.newest(str(top), ["old", "new", "gone", "middle"]) == (3, "new")
    assert report_files.newest(str(top), []) == (0, "")
