"""One process of an eval run (a scaffold or an agent), watched until it ends, is late, or is told to stop.

It leads a process group of its own; whatever of that group is left when it has ended is killed, by the group's id.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import UsageFault

LARGEST_OUTPUT = 256 * 1024 * 1024  # bytes of stdout; more is no trace of a session
_LARGEST_TALK = 64 * 1024  # bytes of stderr that are kept, its end
_GRACE = 2.0  # seconds between a polite signal and the last one
_POLL = 0.05
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended. `code` is 128 + N for signal N. `cut` is why it was ended: "", "timeout", "stopped", "too large"."""

    code: int
    stdout: bytes
    stderr: str
    cut: str
    seconds: float


def run(
    argv: Sequence[str],
    cwd: str,
    environ: Mapping[str, str],
    stdin: bytes,
    timeout: float,
    is_stopped: Callable[[], bool],
) -> Ended:
    """Run a process to its end, at most `timeout` seconds. Raises UsageFault when it cannot be started."""
    begun = time.monotonic()
    out, talk = bytearray(), bytearray()
    cut = ""
    with tempfile.TemporaryFile() as words, selectors.DefaultSelector() as selector:
        words.write(stdin)
        words.seek(0)
        process = _start(argv, cwd, environ, words.fileno())
        streams = ((process.stdout, out), (process.stderr, talk))
        for stream, kept in streams:
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, kept)
        try:
            while not cut and not _has_ended(process):
                _read(selector, _POLL)
                del talk[:-_LARGEST_TALK]
                cut = _reason(begun, timeout, is_stopped, len(out))
            if cut:
                _signal(process, signal.SIGTERM)
                _wait_for_end(process, selector)
        finally:
            # Before the leader is reaped its id is nobody else's, and so is the group's.
            _signal(process, signal.SIGKILL)
            process.wait()
        for _ in range(2):
            _read(selector, 0)
        for stream, _kept in streams:
            if stream is not None:
                stream.close()
    code = process.returncode
    said = bytes(talk[-_LARGEST_TALK:]).decode("utf-8", "replace")
    return Ended(128 - code if code < 0 else code, bytes(out), said, cut, time.monotonic() - begun)


def _start(argv: Sequence[str], cwd: str, environ: Mapping[str, str], stdin: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(environ),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageFault(f"{argv[0]} cannot be started: {reason}", "check `agent` in the policy") from error


def _reason(begun: float, timeout: float, is_stopped: Callable[[], bool], size: int) -> str:
    if is_stopped():
        return "stopped"
    if size > LARGEST_OUTPUT:
        return "too large"
    return "timeout" if time.monotonic() - begun > timeout else ""


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the leader has ended; it is not reaped, so that its id stays its own."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _wait_for_end(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
    until = time.monotonic() + _GRACE
    while not _has_ended(process) and time.monotonic() < until:
        _read(selector, _POLL)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return  # nobody of the group is left


def _read(selector: selectors.BaseSelector, wait: float) -> None:
    """Take what the streams hold; waits at most `wait` seconds."""
    if not selector.get_map():
        time.sleep(wait)
        return
    for key, _ in selector.select(wait):
        while True:
            try:
                block = os.read(key.fd, _BLOCK)
            except BlockingIOError:
                break
            if not block:
                selector.unregister(key.fileobj)
                break
            key.data.extend(block)
            if len(key.data) > LARGEST_OUTPUT:
                break
