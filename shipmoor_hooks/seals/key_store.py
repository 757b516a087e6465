"""The key store of the operating system, asked in a child process with a deadline (design, section 9).

Measured: a locked store whose prompt nobody answers waits without end, and a service that never starts for two minutes.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass, field

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    import subprocess

SERVICE = "shipmoor-hooks.seal.v1"
READ_SECONDS = 2.0
WRITE_SECONDS = 5.0
NOT_WANTED = ("keyring.backends.null.Keyring", "keyring.backends.fail.Keyring")
# What a store may need to be found. Nothing that starts with PYTHON or KEYRING: those steer which code is loaded.
PASSED = (
    *("HOME", "USER", "LOGNAME", "PATH", "LANG", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"),
    *(
        "XDG_CURRENT_DESKTOP",
        "XDG_DATA_HOME",
        "KDE_FULL_SESSION",
        "SYSTEMROOT",
        "APPDATA",
        "LOCALAPPDATA",
        "USERPROFILE",
    ),
)
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the store said: its backend's name ("" when it gave no answer), the texts by service, seconds, and the reason."""

    backend: str
    found: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    seconds: float = 0.0
    reason: str = ""


def get(environ: Mapping[str, str], backend: str, services: Sequence[str]) -> Answer:
    """What the store holds for these services, within 2 s; `backend` "" lets the best one answer."""
    return _ask(environ, [backend or "-", "get", *services], "", READ_SECONDS, PASSED)


def put(environ: Mapping[str, str], backend: str, service: str, secret: str) -> Answer:
    """Store a secret, within 5 s. It is there only when the answer holds it: what was written is read back."""
    return _ask(environ, [backend or "-", "put", service], secret, WRITE_SECONDS, (*PASSED, *DISPLAYS))


def service_of(key_id: str) -> str:
    """The service under which a key lies that is no longer the current one, or that was imported."""
    return f"{SERVICE}.{key_id}"


def _ask(environ: Mapping[str, str], words: Sequence[str], stdin: str, seconds: float, passed: Sequence[str]) -> Answer:
    import subprocess  # loaded where the key store is asked, once a session

    began = time.monotonic()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", os.path.join(os.path.dirname(__file__), "key_store_child.py"), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: environ[name] for name in passed if name in environ},
            cwd=os.sep,
            start_new_session=True,
        )
    except OSError as error:
        return Answer("", reason=f"it could not be asked: {error.strerror}")
    try:
        out, err = process.communicate(stdin.encode("ascii"), timeout=seconds)
    except subprocess.TimeoutExpired:
        return Answer("", seconds=time.monotonic() - began, reason=f"it did not answer within {seconds:.0f} s")
    finally:
        _end(process)
    took = time.monotonic() - began
    try:
        told = json.loads(out) if process.returncode == 0 else {}
        return Answer(str(told["backend"]), dict(told["found"]), took)
    except (ValueError, KeyError, TypeError):
        return Answer("", seconds=took, reason=_reason(process.returncode, err))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Whatever the child started dies with it. Its pipes are closed unread: somebody else may still hold the other ends."""
    import signal

    if process.returncode is None:  # not waited for yet, so the number is still its own
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    process.wait()


def _reason(code: int, said: bytes) -> str:
    """Why there is no answer: the class of the error that the child ended with, never its text, which may be anything."""
    if code == 3:
        return "none works here"
    lines = said.decode("utf-8", "replace").strip().splitlines() or [""]
    kind = lines[-1].partition(":")[0].rpartition(".")[2]
    return f"it failed with {kind}" if kind.isidentifier() else f"it failed (exit {code})"
