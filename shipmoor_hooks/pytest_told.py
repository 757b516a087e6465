"""What pytest tells of a session, as plain values: so that the flows behind the plugin can be read and tested without one."""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping


class Asked:
    """What the session was started with. `folder` and `rootdir` are absolute; `testpaths` is the tracked setting."""

    __slots__ = (
        "arguments", "environ", "folder", "plugins", "python", "rootdir", "suite", "testpaths", "variant", "version",
    )  # fmt: skip

    def __init__(
        self,
        *,
        arguments: tuple[str, ...],
        folder: str,
        rootdir: str,
        testpaths: tuple[str, ...],
        version: str,
        plugins: tuple[str, ...],
        python: str,
        suite: str | None,
        variant: str | None,
        environ: Mapping[str, str],
    ) -> None:
        self.arguments, self.folder, self.rootdir, self.testpaths = arguments, folder, rootdir, testpaths
        self.version, self.plugins, self.python = version, plugins, python
        self.suite, self.variant, self.environ = suite, variant, environ

    @property
    def command(self) -> tuple[str, ...]:
        return ("pytest", *self.arguments)


class Ended:
    """What pytest tells at the end, beside the reports. `collected` counts the tests left after deselecting; `stopped` says
    why pytest stopped by itself ("" when it did not)."""

    __slots__ = ("collected", "deselected", "exit_code", "stopped")

    def __init__(self, exit_code: int, collected: int, deselected: int, stopped: str) -> None:
        self.exit_code, self.collected, self.deselected, self.stopped = exit_code, collected, deselected, stopped
