"""From nothing to a refused push, by the README to the letter: its own commands, typed into one shell in a bare environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from readme_sessions import README, ROOT, sessions

INDEX_SETTINGS = ("PIP_", "SSL_", "REQUESTS_CA", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
TOOLS = (
    "git",
    "sh",
    "sed",
    "cat",
    "mkdir",
    "touch",
    "printf",
    "env",
    "uname",
    "dirname",
    "basename",
    "ssh",
    "rm",
    "ls",
)
END = "---typed---"


def typed(name: str) -> list[str]:
    """The commands of a block of the README that people type, a here document with its lines."""
    block = re.search(rf"<!-- typed: {name} -->\n```sh\n(.*?)```", README.read_text(), re.S)
    assert block is not None, name
    return re.findall(r"^.*<<'END'\n(?:.*\n)*?END\n|^.+\n", block[1], re.M)


def asked(block: str) -> list[str]:
    return [row[2:] + "\n" for row in block.splitlines() if row.startswith("$ ")]


@pytest.fixture
def bare(tmp_path: Path, environment: dict[str, str]) -> dict[str, str]:
    """An own HOME, no cache, and a PATH with git, the shell's tools and a Python without packages."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    (tools / "python3").symlink_to(os.path.realpath(sys.executable))
    home = tmp_path / "person"
    home.mkdir()
    kept = {k: v for k, v in os.environ.items() if k.startswith(INDEX_SETTINGS)}
    return kept | {"PATH": str(tools), "HOME": str(home), "LANG": "C.UTF-8", "PIP_NO_CACHE_DIR": "1"}


def play(commands: list[str], env: dict[str, str], cwd: Path) -> list[tuple[int, str]]:
    """Each command's exit code and what it says, typed one after the other into the same shell."""
    script = "".join(f"{command.rstrip()}\nprintf '\\n{END}%s\\n' $?\n" for command in commands)
    done = subprocess.run(
        ["/bin/sh"], input=script, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=280, check=False,
    )  # fmt: skip
    parts = re.split(rf"\n{END}(\d+)\n", done.stdout)
    return [(int(code), said) for said, code in zip(parts[::2], parts[1::2], strict=False)]


def test_the_blocks_are_read() -> None:
    assert [c.split()[0] for c in typed("install")] == ["python3", "~/.shipmoor/bin/pip", "export"]
    assert len(typed("repository")) == 6
    assert typed("repository")[4].endswith("END\n")


@pytest.mark.network
def test_from_nothing_to_a_refused_push(bare: dict[str, str], tmp_path: Path) -> None:
    """Under five minutes; the commands that a person types are counted."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    _, blocks = sessions(README.read_text())[0]
    commands = [*typed("install"), *typed("repository"), *asked(blocks[0]), *asked(blocks[1])]
    began = time.monotonic()
    answers = play(commands, bare, clone)
    took = time.monotonic() - began
    print(f"{len(commands)} commands from nothing to a refused push, {took:.0f} s")
    assert len(answers) == len(commands), answers[-1]
    *before, (code, said) = answers
    failed = [(command, told) for command, (bad, told) in zip(commands, before, strict=False) if bad]
    assert failed == []
    assert code != 0
    assert "CASE_REMOVED" in said
    assert "tests/test_cart.py::test_negative" in said
    assert commands[-1].startswith("git push")
    refs = subprocess.run(
        ["git", "for-each-ref", "--format=%(refname)"],
        cwd=Path(bare["HOME"], "shop.git"),
        capture_output=True,
        check=True,
    )
    assert refs.stdout.decode().split() == ["refs/heads/main"]
    assert len(commands) <= 25
    assert took < 240
