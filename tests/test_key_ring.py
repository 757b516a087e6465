"""The user's keys in files: made once, sticky, private, rotated, imported (design, 10.21 and 10.35)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from shipmoor_hooks import state
from shipmoor_hooks.errors import EnvironmentFault, UsageFault
from shipmoor_hooks.seals import key_record, key_ring, seal, session_copy
from shipmoor_hooks.seals.key_ring import KeyRing, mode_of


@pytest.fixture
def ring(environment: dict[str, str]) -> KeyRing:
    return KeyRing(environment)


def key_file(ring: KeyRing) -> Path:
    record = ring.record()
    assert record is not None
    return Path(key_record.key_path(ring.environ, record.key))


def sealed_with(ring: KeyRing) -> seal.Key:
    key = ring.sealer().key
    assert key is not None
    return key


# ---------------------------------------------------------------- what is wanted


@pytest.mark.parametrize(
    ("environ", "mode"),
    [
        pytest.param({}, "auto", id="nothing said"),
        pytest.param({"CI": ""}, "auto", id="CI empty"),
        pytest.param({"CI": "false"}, "auto", id="CI says no"),
        pytest.param({"CI": "true"}, "off", id="in CI"),
        pytest.param({"CI": "1"}, "off", id="in another CI"),
        pytest.param({"CI": "true", "SHIPMOOR_HOOKS_SEAL": "file"}, "file", id="in CI, asked for"),
        pytest.param({"CI": "true", "SHIPMOOR_HOOKS_SEAL": "auto"}, "auto", id="in CI, as elsewhere"),
        pytest.param({"SHIPMOOR_HOOKS_SEAL": "off"}, "off", id="off"),
    ],
)
def test_what_is_wanted(environ: dict[str, str], mode: str) -> None:
    assert mode_of(environ) == mode


def test_another_word_is_a_usage_error() -> None:
    with pytest.raises(UsageFault, match="SHIPMOOR_HOOKS_SEAL takes auto, keyring, file, off, not 'on'"):
        mode_of({"SHIPMOOR_HOOKS_SEAL": "on"})


# ---------------------------------------------------------------- where the file lies


def test_the_path_is_the_one_that_platformdirs_names(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate names the folder without platformdirs: the two must not drift apart."""
    for value in (None, str(home / "elsewhere")):
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        if value:
            monkeypatch.setenv("XDG_STATE_HOME", value)
        named = platformdirs.PlatformDirs("shipmoor-hooks", appauthor=False).user_state_dir
        assert state.state_path(os.environ) == named


def test_a_relative_state_folder_is_none_as_the_specification_says(home: Path) -> None:
    there = state.state_path({"HOME": str(home), "XDG_STATE_HOME": "state"})
    assert os.path.isabs(there)
    assert there.startswith(str(home))


# ---------------------------------------------------------------- made once, kept private


def test_looking_makes_nothing(ring: KeyRing) -> None:
    assert ring.record() is None
    assert not ring.knows("0" * 16)
    assert ring.key("0" * 16) is None
    assert not Path(state.state_path(ring.environ)).exists()


def test_off_makes_nothing(environment: dict[str, str]) -> None:
    off = KeyRing(environment | {"SHIPMOOR_HOOKS_SEAL": "off"})
    assert off.sealer().key is None
    assert off.record() is None


def test_the_first_key_is_private_and_stays(ring: KeyRing) -> None:
    old = os.umask(0)
    try:
        key = sealed_with(ring)
    finally:
        os.umask(old)
    path = key_file(ring)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.parent.parent.stat().st_mode & 0o777 == 0o700
    assert seal.from_text(path.read_text()) == key
    assert sealed_with(KeyRing(ring.environ)) == key
    assert key.secret not in Path(key_record.path(ring.environ)).read_bytes()
    assert seal.as_text(key) not in Path(key_record.path(ring.environ)).read_text()


def test_two_users_have_two_keys(environment: dict[str, str], tmp_path: Path) -> None:
    other = environment | {"XDG_STATE_HOME": str(tmp_path / "other")}
    assert sealed_with(KeyRing(environment)) != sealed_with(KeyRing(other))
    record = KeyRing(other).record()
    assert record is not None
    assert not KeyRing(environment).knows(record.key)


FIRST = "import os; from shipmoor_hooks.seals.key_ring import KeyRing; print(KeyRing(os.environ).sealer().key.id)"


def test_eight_processes_that_come_first_make_one_key(environment: dict[str, str]) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", FIRST], env=environment, stdout=subprocess.PIPE) for _ in range(8)
    ]
    ids = {process.communicate(timeout=60)[0] for process in started}
    assert len(ids) == 1
    assert len(list((Path(state.state_path(environment)) / "keys").glob("*.key"))) == 1


def _link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)
    path.chmod(0o600)


UNSAFE: dict[str, tuple[Callable[[Path], object], str]] = {
    "others can read it": (lambda p: p.chmod(0o644), "chmod 600 "),
    "the group can write it": (lambda p: p.chmod(0o620), "chmod 600 "),
    "a symbolic link": (_link, "rm "),
    "a second name": (lambda p: os.link(p, p.with_name("second")), "ls -i "),
    "a pipe": (_fifo, "rm "),
    "others can write in its folder": (lambda p: p.parent.chmod(0o777), "chmod 700 "),
}


@pytest.mark.parametrize("reason", UNSAFE)
def test_an_unsafe_key_file_is_refused_with_the_way_out(ring: KeyRing, reason: str) -> None:
    key = sealed_with(ring)
    path = key_file(ring)
    change, way_out = UNSAFE[reason]
    change(path)
    for use in (KeyRing(ring.environ).sealer, lambda: KeyRing(ring.environ).key(key.id)):
        with pytest.raises(EnvironmentFault) as caught:
            use()
        assert caught.value.exit_code == 4
        assert caught.value.next_step.startswith(way_out)
        assert seal.as_text(key) not in caught.value.message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_key_file_of_another_user_is_refused(ring: KeyRing) -> None:
    sealed_with(ring)
    os.chown(key_file(ring), 12345, 12345)
    with pytest.raises(EnvironmentFault, match="belongs to another user"):
        KeyRing(ring.environ).sealer()


@pytest.mark.parametrize("content", ["", "sm1.x.y\n", "\x00" * 80])
def test_a_damaged_key_file_is_named_and_never_replaced_in_silence(ring: KeyRing, content: str) -> None:
    key = sealed_with(ring)
    path = key_file(ring)
    path.write_text(content)
    with pytest.raises(EnvironmentFault, match=f"the seal key {key.id} is gone or damaged") as caught:
        KeyRing(ring.environ).sealer()
    assert caught.value.next_step == "shipmoor-hooks key rotate"
    assert path.read_text() == content
    again, _ = KeyRing(ring.environ).rotate()
    assert again.key != key.id
    assert again.retired == (key.id,)


NO_ID = {"version": 1, "backend": "file", "key": "../x", "created": 0, "retired": [], "imported": [], "fallback": ""}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}', json.dumps(NO_ID), "[" * 100_000])
def test_a_damaged_record_is_named(ring: KeyRing, text: str) -> None:
    sealed_with(ring)
    Path(key_record.path(ring.environ)).write_text(text)
    with pytest.raises(EnvironmentFault, match=r"seal\.json is damaged"):
        KeyRing(ring.environ).sealer()


def test_a_record_of_a_newer_version_is_left_alone(ring: KeyRing) -> None:
    sealed_with(ring)
    path = Path(key_record.path(ring.environ))
    newer = json.dumps(json.loads(path.read_text()) | {"version": 2})
    path.write_text(newer)
    with pytest.raises(EnvironmentFault, match="newer version"):
        KeyRing(ring.environ).sealer()
    assert path.read_text() == newer


def test_a_key_in_a_file_does_not_move_because_a_variable_says_so(ring: KeyRing) -> None:
    sealed_with(ring)
    with pytest.raises(EnvironmentFault, match="your seal key is held in a file") as caught:
        KeyRing(ring.environ | {"SHIPMOOR_HOOKS_SEAL": "keyring"}).sealer()
    assert caught.value.next_step == "SHIPMOOR_HOOKS_SEAL=keyring shipmoor-hooks key rotate"


# ---------------------------------------------------------------- rotate, import


def test_a_rotation_gives_a_new_key_and_knows_the_old_ones(ring: KeyRing) -> None:
    keys = [sealed_with(ring)]
    for _ in range(2):
        ring.rotate()
        keys.append(sealed_with(ring))
    assert len({k.id for k in keys}) == 3
    assert all(KeyRing(ring.environ).key(k.id) == k for k in keys)


def test_a_rotation_before_there_is_a_key_makes_the_first(ring: KeyRing) -> None:
    record, _ = ring.rotate()
    assert record.retired == ()
    assert sealed_with(ring).id == record.key


def test_nothing_is_rotated_where_nothing_is_sealed(environment: dict[str, str]) -> None:
    with pytest.raises(UsageFault, match="nothing is sealed here"):
        KeyRing(environment | {"SHIPMOOR_HOOKS_SEAL": "off"}).rotate()


def test_an_imported_key_checks_and_never_seals(ring: KeyRing) -> None:
    own = sealed_with(ring)
    strange = seal.key_of(b"\x07" * 32)
    assert not ring.knows(strange.id)
    assert ring.take_in(strange).imported == (strange.id,)
    assert ring.take_in(strange).imported == (strange.id,)
    assert ring.take_in(own).imported == (strange.id,)
    assert KeyRing(ring.environ).key(strange.id) == strange
    assert sealed_with(KeyRing(ring.environ)) == own
    ring.rotate()
    assert KeyRing(ring.environ).key(strange.id) == strange


def test_the_same_environment_has_the_same_ring_and_another_has_another(environment: dict[str, str]) -> None:
    assert key_ring.of(environment) is key_ring.of(dict(environment, EDITOR="vi"))
    assert key_ring.of(environment) is not key_ring.of(environment | {"XDG_STATE_HOME": "/other"})


# ---------------------------------------------------------------- the session's copy


def test_a_key_in_a_file_is_not_copied(ring: KeyRing) -> None:
    sealed_with(ring)
    assert not Path(session_copy.path(ring.environ)).exists()


def test_nothing_is_copied_to_a_disk(environment: dict[str, str], tmp_path: Path) -> None:
    if session_copy._in_memory(str(tmp_path)):
        pytest.skip("the temporary folder lies on a memory file system")
    session_copy.keep(environment, [seal.key_of(b"\x01" * 32)])
    assert session_copy.read(environment) == {}
    assert session_copy.path({"XDG_RUNTIME_DIR": "relative"}) == ""


@pytest.fixture
def memory(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose session has a folder on a memory file system."""
    if not session_copy._in_memory("/dev/shm"):
        pytest.skip("/dev/shm is no memory file system here")
    folder = Path("/dev/shm", f"shipmoor-hooks-test-{os.getpid()}-{os.urandom(4).hex()}")
    folder.mkdir(mode=0o700)
    yield environment | {"XDG_RUNTIME_DIR": str(folder)}  # type: ignore[misc]
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()


def test_the_copy_is_private_and_forgotten_on_request(memory: dict[str, str]) -> None:
    keys = [seal.key_of(bytes([n]) * 32) for n in (1, 2)]
    session_copy.keep(memory, keys)
    path = Path(session_copy.path(memory))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert session_copy.read(memory) == {k.id: k for k in keys}
    session_copy.drop(memory)
    assert session_copy.read(memory) == {}


def test_a_copy_that_others_can_read_counts_as_none(memory: dict[str, str]) -> None:
    session_copy.keep(memory, [seal.key_of(b"\x01" * 32)])
    Path(session_copy.path(memory)).chmod(0o644)
    assert session_copy.read(memory) == {}


def test_nothing_is_copied_through_a_link(memory: dict[str, str], tmp_path: Path) -> None:
    Path(session_copy.path(memory)).parent.symlink_to(tmp_path)
    session_copy.keep(memory, [seal.key_of(b"\x01" * 32)])
    assert list(tmp_path.glob("*.keys")) == []
