"""`demo`: the whole story in a throwaway repository, with real git, the real hooks and a real pytest (design, section 7).

A test goes missing, the push is refused, the loss is disclosed, the push goes through; then a test turns red, and no word
lets it through. Everything lies below one temporary folder, which is removed at the end (`keep` leaves it).
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import command_environment

_CART = "def total(prices):\n    return sum(prices)\n"
_TESTS = """\
from cart import total


def test_empty():
    assert total([]) == 0


def test_sum():
    assert total([2, 3]) == 5


def test_negative():
    assert total([2, -3]) == -1
"""
_POLICY = """\
[gate]
target = "origin/HEAD"

[suite.unit]
command = ["pytest", "-q", "--tb=line"]
"""


class Stopped(EnvironmentFault):
    """A step of the demonstration did not end as it should: something on this machine is in the way."""


def _all(_line: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demonstration plays: the repository, the environment of its processes, and who is told."""

    repository: str
    environ: Mapping[str, str]
    tell: Callable[[str], None]

    def write(self, name: str, text: str) -> None:
        path = os.path.join(self.repository, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)

    def replace(self, name: str, old: str, new: str) -> None:
        """Put another text into a file, in the place of one that has to be there."""
        with open(os.path.join(self.repository, name), encoding="utf-8") as stream:
            text = stream.read()
        if old not in text:
            raise Stopped(f"{name} does not hold {old!r}", "shipmoor-hooks doctor")
        self.write(name, text.replace(old, new))

    def do(self, *command: str, expected: int = 0, quiet: bool = False, shown: Callable[[str], bool] = _all) -> None:
        """Run a command and show it with those of its lines that are `shown`. Raises Stopped on another exit code than
        the expected one, and shows them all then."""
        done = subprocess.run(
            list(command), cwd=self.repository, env=dict(self.environ), capture_output=True, check=False, timeout=120
        )
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        failed = (done.returncode != 0) != (expected != 0)
        if not quiet or failed:
            words = ["shipmoor-hooks", *command[3:]] if command[1:3] == ("-m", "shipmoor_hooks") else list(command)
            self.tell(f"$ {shlex.join(words)}")
            for line in said.splitlines():
                if failed or shown(line):
                    self.tell(f"  {line}".rstrip())
        if failed:
            raise Stopped(f"`{shlex.join(command)}` ended with {done.returncode}", "shipmoor-hooks doctor")

    def ours(self, *words: str, expected: int = 0, shown: Callable[[str], bool] = _all) -> None:
        self.do(sys.executable, "-m", "shipmoor_hooks", *words, expected=expected, shown=shown)


def play(environ: Mapping[str, str], tell: Callable[[str], None], *, keep: bool = False) -> str | None:
    """Play the story; the folder when it is kept. Raises EnvironmentFault when pytest or a step is missing."""
    if importlib.util.find_spec("pytest") is None:
        raise EnvironmentFault("the demonstration runs a real pytest, and there is none here", "pip install pytest")
    folder = tempfile.mkdtemp(prefix="shipmoor-hooks-demo-")
    try:
        _story(stage_in(folder, "shop", environ, tell))
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return folder if keep else None


def stage_in(folder: str, name: str, environ: Mapping[str, str], tell: Callable[[str], None]) -> Stage:
    """A stage below `folder`: a repository called `name`, and a home, a state and a folder for temporary files of its own."""
    home = os.path.join(folder, "home")
    repository = os.path.join(folder, name)
    temporary = os.path.join(folder, "tmp")
    for path in (home, repository, temporary):
        os.makedirs(path)
    here = os.path.dirname(sys.executable)
    clean = {k: v for k, v in command_environment(environ).items() if not k.startswith(("PYTEST_", "PRE_COMMIT"))}
    who = {
        f"GIT_{w}_{k}": v for w in ("AUTHOR", "COMMITTER") for k, v in (("NAME", "Demo"), ("EMAIL", "demo@example.org"))
    }
    return Stage(
        repository,
        clean
        | who
        | {
            "HOME": home,
            "TMPDIR": temporary,
            "XDG_STATE_HOME": os.path.join(home, "state"),
            "XDG_CACHE_HOME": os.path.join(home, "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": here + os.pathsep + clean.get("PATH", os.defpath),
        },
        tell,
    )


def _story(stage: Stage) -> None:
    tell = stage.tell
    remote = os.path.join(os.path.dirname(stage.repository), "remote.git")
    tell("# 1. A small shop with three tests, a remote, and the hooks.")
    stage.do("git", "init", "-q", "-b", "main", ".", quiet=True)
    stage.do("git", "init", "-q", "--bare", "-b", "main", remote, quiet=True)
    stage.do("git", "remote", "add", "origin", remote, quiet=True)
    stage.write("cart.py", _CART)
    stage.write("tests/test_cart.py", _TESTS)
    stage.write("conftest.py", "")
    stage.write(".gitignore", ".pytest_cache/\n__pycache__/\n")
    stage.write("shipmoor-hooks.toml", _POLICY)
    stage.ours("init")
    stage.do("git", "add", "-A", quiet=True)
    stage.ours("run", "--suite", "unit")
    stage.do("git", "commit", "-q", "-m", "Add the cart")
    stage.do("git", "push", "-q", "-u", "origin", "main")

    tell("\n# 2. On a branch, a test disappears. The suite is green, and the push is refused.")
    stage.do("git", "switch", "-q", "-c", "faster", quiet=True)
    stage.write("tests/test_cart.py", _TESTS.rpartition("\n\ndef test_negative")[0] + "\n")
    stage.do("git", "commit", "-q", "-am", "Make the cart faster")
    stage.ours("run", "--suite", "unit")
    stage.do("git", "push", "origin", "faster", expected=1)

    tell("\n# 3. If the loss is meant, a trailer in a commit message says so, and the push goes through.")
    stage.ours("disclose", "--reason", "prices are never negative any more (#212)")
    stage.do("git", "push", "-q", "origin", "faster")

    tell("\n# 4. A red cannot be argued away: it is cleared only by the same case red at the base.")
    stage.write("cart.py", _CART.replace("sum(prices)", "sum(prices) + 1"))
    stage.do("git", "commit", "-q", "-am", "Round up", "-m", "Test-Removed: tests/test_cart.py::test_sum -- it is old")
    stage.ours("run", "--suite", "unit", expected=1)
    stage.do("git", "push", "origin", "faster", expected=1)
    tell("\n# That is all. Next: shipmoor-hooks init, in a repository of yours.")
