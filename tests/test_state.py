"""The folders for keys, logs and scratch worktrees: where they lie, and that they are ours alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs
import pytest

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.state import log_root, private_folder, scratch_root, state_root

Root = Callable[[Mapping[str, str]], str]


@pytest.mark.parametrize(
    ("root", "below"),
    [
        (state_root, "state/shipmoor-hooks"),
        (log_root, "state/shipmoor-hooks/log"),
        (scratch_root, "cache/shipmoor-hooks/scratch"),
    ],
    ids=["keys", "logs", "scratch worktrees"],
)
def test_where_the_environment_says(root: Root, below: str, environment: dict[str, str], home: Path) -> None:
    found = root(environment)
    assert found == str(home / below)
    assert stat.S_IMODE(os.stat(found).st_mode) == 0o700


@pytest.mark.parametrize(
    ("root", "kind", "below"),
    [(state_root, "user_state_dir", ""), (log_root, "user_log_dir", ""), (scratch_root, "user_cache_dir", "scratch")],
    ids=["keys", "logs", "scratch worktrees"],
)
def test_where_platformdirs_says_otherwise(
    root: Root, kind: str, below: str, environment: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in environment if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    bare = {name: value for name, value in environment.items() if not name.startswith("XDG_")}
    named = getattr(platformdirs.PlatformDirs("shipmoor-hooks", appauthor=False), kind)
    assert root(bare) == os.path.normpath(os.path.join(named, below))
    assert root(bare).startswith(str(home))


@pytest.mark.parametrize("value", ["", "relative/path"], ids=["empty", "relative"])
def test_a_variable_that_names_no_folder_is_ignored(environment: dict[str, str], home: Path, value: str) -> None:
    assert state_root(environment | {"XDG_STATE_HOME": value}).startswith(str(home))


def test_a_folder_that_others_can_read_is_closed(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    private_folder(str(tmp_path / "open"))
    assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o700


def test_a_file_in_its_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(EnvironmentFault, match="file"):
        private_folder(str(tmp_path / "file"))


def test_a_folder_of_another_user_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(tmp_path).st_uid + 1)
    with pytest.raises(EnvironmentFault, match="another user") as refused:
        private_folder(str(tmp_path))
    assert refused.value.next_step.startswith("sudo chown")
