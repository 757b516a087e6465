"""A real headless Chromium, spoken to over a pipe (the DevTools protocol): no driver, no port, no network of its own."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
WAIT = 60.0  # seconds that an answer may take on a busy machine
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip


def installed() -> str | None:
    """The path of a Chromium, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass
class Tab:
    """One page. `requests` are the addresses that it asked for, `said` what its console and its errors said."""

    browser: Browser
    session: str
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        return self.browser.call(method, self.session, **parameters)

    def look(self, width: int, height: int, *, dark: bool = False, media: str = "", scale: int = 1) -> None:
        """Size of the window in CSS pixels, colour scheme, medium."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def open(self, path: Path) -> None:
        self.browser.loaded = False
        self.call("Page.navigate", url=path.as_uri())
        self.browser.until(lambda: self.browser.loaded)

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page. Raises AssertionError where it throws."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        down: dict[str, object] = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        for event in (down, {"type": "keyUp"}):
            self.call("Input.dispatchKeyEvent", key=key, windowsVirtualKeyCode=code, **event)

    def picture(self, *, height: int = 0) -> bytes:
        """The window as PNG; with `height` that much of the page."""
        more: dict[str, object] = {}
        if height:
            width = self.ask("innerWidth")
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
            more = {"captureBeyondViewport": True, "clip": clip}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"])


class Browser:
    def __init__(self, program: str, profile: str) -> None:
        to_them, ours_out = os.pipe()
        ours_in, from_them = os.pipe()
        # The two that it takes are 3 and 4, and must not be in the way of each other.
        self.give = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in (to_them, from_them)]
        self.write, self.read = ours_out, ours_in
        os.close(to_them)
        os.close(from_them)
        nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        actions = [(os.POSIX_SPAWN_DUP2, nowhere, fd) for fd in (0, 1, 2)]
        actions += [(os.POSIX_SPAWN_DUP2, self.give[0], 3), (os.POSIX_SPAWN_DUP2, self.give[1], 4)]
        environ = os.environ | {"HOME": profile, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        argv = [program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self.pid = os.posix_spawn(program, argv, environ, file_actions=actions, setsid=True)
        for handle in (*self.give, nowhere):
            os.close(handle)
        self.numbers = itertools.count(1)
        self.answers: dict[int, dict[str, Any]] = {}
        self.tabs: dict[str, Tab] = {}
        self.rest = b""
        self.loaded = False

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        for handle in (self.write, self.read):
            os.close(handle)

    def tab(self) -> Tab:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        made = self.tabs[session] = Tab(self, session)
        for domain in ("Page", "Network", "Runtime", "Log"):
            made.call(f"{domain}.enable")
        return made

    def call(self, method: str, session: str = "", **parameters: object) -> dict[str, Any]:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data) :]
        self.until(lambda: number in self.answers)
        answer = self.answers.pop(number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def until(self, done: Any) -> None:
        end = time.monotonic() + WAIT
        while not done():
            ready, _, _ = select.select([self.read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self.read, 1 << 20)
            assert data, "the browser has ended"
            *whole, self.rest = (self.rest + data).split(b"\0")
            for message in whole:
                self._take(json.loads(message))

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self.answers[message["id"]] = message
            return
        tab, told = self.tabs.get(message.get("sessionId", "")), message.get("params", {})
        if message["method"] == "Page.loadEventFired":
            self.loaded = True
        elif tab is not None and message["method"] == "Network.requestWillBeSent":
            tab.requests.append(told["request"]["url"])
        elif tab is not None and message["method"] in (
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ):
            tab.said.append(json.dumps(told))


@contextlib.contextmanager
def started(program: str) -> Iterator[Browser]:
    """A browser with a profile of its own; both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            yield browser
        finally:
            browser.close()
