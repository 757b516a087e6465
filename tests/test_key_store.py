"""Real key stores: a gnome-keyring of our own on a bus of our own, and everything that a key store can do wrong.

The key store runs in `dbus-run-session` (Debian: gnome-keyring, dbus); where that is not installed these tests say so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shipmoor_hooks.seals import key_record, key_store, session_copy
from shipmoor_hooks.seals.key_ring import KeyRing

SECRET_SERVICE = "keyring.backends.SecretService.Keyring"
needs_store = pytest.mark.skipif(
    not (shutil.which("dbus-run-session") and shutil.which("gnome-keyring-daemon")),
    reason="gnome-keyring and dbus-run-session are not installed here",
)
UNLOCKED = "printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 && exec "
LOCKED = UNLOCKED[: -len("&& exec ")] + (
    "&& gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets "
    "--method org.freedesktop.Secret.Service.Lock \"['/org/freedesktop/secrets/collection/login']\" >/dev/null && exec "
)
# The key ring as a command would use it: what it made or found, how long it took, and what was to be told.
PATIENT = "from shipmoor_hooks.seals import key_store; key_store.READ_SECONDS = key_store.WRITE_SECONDS = 30.0\n"
ASK = """
import json, os, time
from shipmoor_hooks.seals.key_ring import KeyRing
ring = KeyRing(os.environ)
began = time.monotonic()
sealer = ring.sealer()
record = ring.record()
print(json.dumps({"key": sealer.key and sealer.key.id, "backend": record and record.backend, "note": sealer.note,
                  "why_not": sealer.why_not, "seconds": time.monotonic() - began}))
"""


@pytest.fixture
def wanting(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who wants a key store; the session's folder lies on the disk."""
    env = {k: v for k, v in environment.items() if k not in ("SHIPMOOR_HOOKS_SEAL", "PYTHON_KEYRING_BACKEND")}
    return env | {"XDG_DATA_HOME": str(tmp_path / "data")}


def in_session(env: dict[str, str], before: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program on a bus of its own, after what starts the key store there."""
    script = before + '"$0" "$@"'
    argv = ["dbus-run-session", "--", "sh", "-c", script, *words]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=60)


def asked(env: dict[str, str], before: str = UNLOCKED, code: str = ASK, *, patient: bool = True) -> dict[str, object]:
    """What `code` prints. Patient: a busy machine may take longer than the deadline, which has tests of its own."""
    done = in_session(env, before, sys.executable, "-c", PATIENT + code if patient else code)
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return told


# ---------------------------------------------------------------- it works


@needs_store
def test_a_key_store_holds_the_key_and_gives_it_again(wanting: dict[str, str]) -> None:
    first = asked(wanting)
    assert (first["backend"], first["note"], first["why_not"]) == (SECRET_SERVICE, "", "")
    again = asked(wanting)
    assert (again["key"], again["backend"]) == (first["key"], SECRET_SERVICE)
    assert not list(Path(wanting["XDG_STATE_HOME"]).rglob("*.key"))


@needs_store
def test_a_key_whose_record_was_lost_is_found_in_the_store(wanting: dict[str, str]) -> None:
    first = asked(wanting)
    Path(key_record.path(wanting)).unlink()
    assert asked(wanting)["key"] == first["key"]


@needs_store
def test_a_rotation_in_the_store_keeps_the_old_key_for_checking(wanting: dict[str, str]) -> None:
    first = asked(wanting)
    code = (
        "import json, os; from shipmoor_hooks.seals.key_ring import KeyRing; from shipmoor_hooks.seals import seal\n"
        "record, _ = KeyRing(os.environ).rotate(); KeyRing(os.environ).take_in(seal.key_of(bytes(32)))\n"
        "record = KeyRing(os.environ).record()\n"
        "print(json.dumps({one: KeyRing(os.environ).key(one) is not None for one in record.ids}))"
    )
    told = asked(wanting, code=code)
    assert len(told) == 3
    assert all(told.values())
    assert first["key"] in told
    assert asked(wanting)["key"] == next(iter(told))


@needs_store
def test_eight_first_processes_at_once_make_one_key(wanting: dict[str, str]) -> None:
    code = (
        "import json, subprocess, sys\n"
        f"ask = {PATIENT + ASK!r}\n"
        "all = [subprocess.Popen([sys.executable, '-c', ask], stdout=subprocess.PIPE) for _ in range(8)]\n"
        "print(json.dumps([json.loads(p.communicate()[0]) for p in all]))"
    )
    told = asked(wanting, code=code)
    assert len({row["key"] for row in told}) == 1  # type: ignore[index]


@needs_store
def test_the_copy_for_the_session_is_used_and_made_again(wanting: dict[str, str]) -> None:
    if not session_copy._in_memory("/dev/shm"):
        pytest.skip("/dev/shm is no memory file system here")
    folder = Path("/dev/shm", f"shipmoor-hooks-test-{os.getpid()}-{os.urandom(4).hex()}")
    folder.mkdir(mode=0o700)
    try:
        env = wanting | {"XDG_RUNTIME_DIR": str(folder)}
        first = asked(env)
        copy = Path(session_copy.path(env))
        assert copy.stat().st_mode & 0o777 == 0o600
        ring = KeyRing(env)  # no bus here, so no key store
        key = ring.key(str(first["key"]))
        assert key is not None
        assert ring.seconds == 0.0
        copy.unlink()
        assert KeyRing(env).key(str(first["key"])) is None
        assert asked(env)["key"] == first["key"]
        assert copy.exists()
    finally:
        shutil.rmtree(folder)


# ---------------------------------------------------------------- it does not


@needs_store
@pytest.mark.skipif(not shutil.which("gdbus"), reason="gdbus is not installed here")
def test_a_locked_store_never_keeps_a_run_waiting(wanting: dict[str, str]) -> None:
    first = asked(wanting)
    told = asked(wanting, LOCKED, patient=False)
    assert told["key"] is None
    assert str(told["why_not"]).endswith("so the run is stored unsealed and counts as imported")
    assert float(str(told["seconds"])) < 4
    assert asked(wanting)["key"] == first["key"]


NO_ANSWER = """
import sys, time
from jeepney.io.blocking import open_dbus_connection
from jeepney import message_bus
bus = open_dbus_connection("SESSION")
bus.send_and_get_reply(message_bus.RequestName("org.freedesktop.secrets"))
open(sys.argv[1], "w").close()
time.sleep(30)
"""


@needs_store
def test_a_store_that_never_answers_is_left_after_two_seconds(wanting: dict[str, str], tmp_path: Path) -> None:
    """As a prompt that nobody answers: the service is there, and its answer never comes."""
    ready = tmp_path / "ready"
    (tmp_path / "deaf.py").write_text(NO_ANSWER)
    before = f"{sys.executable} {tmp_path}/deaf.py {ready} & while [ ! -e {ready} ]; do sleep 0.05; done; "
    told = asked(wanting, before, patient=False)
    assert told["backend"] == "file"
    assert "it did not answer within 2 s" in str(told["note"])
    assert float(str(told["seconds"])) < 5
    assert asked(wanting)["backend"] == "file"  # the choice stays when a key store turns up


@needs_store
def test_a_service_that_never_starts_is_left_after_two_seconds(wanting: dict[str, str], tmp_path: Path) -> None:
    services = tmp_path / "data" / "dbus-1" / "services"
    services.mkdir(parents=True)
    (services / "org.freedesktop.secrets.service").write_text(
        "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sh -c 'exec sleep 20 >/dev/null 2>&1'\n"
    )
    told = asked(wanting, "exec ", patient=False)
    assert told["backend"] == "file"
    assert float(str(told["seconds"])) < 5


def test_no_bus_at_all_is_a_file_with_one_word_about_it(
    wanting: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_store, "READ_SECONDS", 30.0)
    env = {k: v for k, v in wanting.items() if k != "DBUS_SESSION_BUS_ADDRESS"}
    sealer = KeyRing(env).sealer()
    assert sealer.key is not None
    assert sealer.note.startswith("no key store is used for the seal key (none works here); it lies in ")
    assert KeyRing(env).sealer().note == ""


@pytest.mark.parametrize("backend", ["", "no.such.Backend", "os.path", "keyring.backends.null.Keyring",
                                     "keyring.backends.fail.Keyring", "keyring.backends.chainer.ChainerBackend"])  # fmt: skip
def test_keyrings_own_variable_steers_nothing(wanting: dict[str, str], backend: str) -> None:
    env = wanting | {"PYTHON_KEYRING_BACKEND": backend}
    sealer = KeyRing(env).sealer()
    record = KeyRing(env).record()
    assert sealer.key is not None
    assert record is not None
    assert record.backend == "file"


PLANTED = """
from keyring.backend import KeyringBackend
open({mark!r}, "w").close()
class Keyring(KeyringBackend):
    priority = 9
    def get_password(self, service, username): return "sm1.zeros"
    def set_password(self, service, username, password): pass
"""


def test_a_planted_configuration_loads_nothing(wanting: dict[str, str], tmp_path: Path) -> None:
    mark = tmp_path / "loaded"
    (tmp_path / "planted.py").write_text(PLANTED.format(mark=str(mark)))
    text = f"[backend]\ndefault-keyring=planted.Keyring\nkeyring-path={tmp_path}\n"
    for folder in (Path(wanting["XDG_CONFIG_HOME"], "python_keyring"), Path(wanting["HOME"], ".config/python_keyring")):
        folder.mkdir(parents=True)
        (folder / "keyringrc.cfg").write_text(text)
    env = wanting | {
        "PYTHON_KEYRING_BACKEND": "planted.Keyring",
        "PYTHONPATH": str(tmp_path),
        "KEYRING_PROPERTY_X": "y",
    }
    assert KeyRing(env).sealer().key is not None
    assert not mark.exists()
    # Known positive: keyring itself does load it.
    subprocess.run([sys.executable, "-c", "import keyring; keyring.get_keyring()"], env=env, check=False)
    assert mark.exists()


def test_a_key_store_that_was_asked_for_and_is_not_there_is_told(wanting: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=wanting | {"SHIPMOOR_HOOKS_SEAL": "keyring"}, capture_output=True, check=False
    )
    assert b"no key store can hold the seal key: none works here" in done.stderr


def test_a_child_that_fails_at_once_is_no_answer(wanting: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    answer = key_store.get(wanting, "", [key_store.SERVICE])
    assert answer.backend == ""
    assert answer.reason


def test_a_key_is_asked_for_within_its_time(
    wanting: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 60 & sleep 60\n")
    slow.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow))
    began = time.monotonic()
    answer = key_store.get(wanting, "", [key_store.SERVICE])
    assert answer.reason == "it did not answer within 2 s"
    assert time.monotonic() - began < 4
