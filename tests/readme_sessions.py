"""The sessions of README and docs: run for real, made comparable; `python tests/readme_sessions.py [PAGE...]` writes anew.

A session stands between `<!-- session: NAME -->` and `<!-- end session -->`. NAME says where it starts: `git` and
`pre-commit` in a repository that knows nothing of us, `adopted` (perhaps with `-WORD` behind it) where init, a first run and
a push were made.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hook_world import install, path_with
from repo_builder import RepoBuilder

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
SESSION = re.compile(r"(<!-- session: ([\w-]+) -->\n)(.*?)(<!-- end session -->)", re.DOTALL)
CONSOLE = re.compile(r"(```console\n)(.*?)(```)", re.DOTALL)
SHOWN_AS = "/src/shop"
CART = "def total(prices):\n    return sum(prices)\n"
TESTS = """\
from cart import total


def test_empty():
    assert total([]) == 0


def test_sum():
    assert total([2, 3]) == 5


def test_negative():
    assert total([2, -3]) == -1
"""
CONFIG = """\
repos:
  - repo: local
    hooks:
      - id: house
        name: house rules
        entry: "true"
        language: system
        pass_filenames: false
        stages: [pre-commit]
"""


def shop(repo: RepoBuilder, python: Path, tools: Path, session: str) -> RepoBuilder:
    """The repository that the README speaks of, with what a person has on PATH: us, pytest, the hook host."""
    tools.mkdir()
    for name in ("pytest", *(["pre-commit"] if session == "pre-commit" else [])):
        (tools / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {name.replace("-", "_")} "$@"\n')
        (tools / name).chmod(0o755)
    repo.env["PATH"] = path_with(python.parent, tools)
    files = {
        "cart.py": CART,
        "tests/test_cart.py": TESTS,
        "conftest.py": "",
        ".gitignore": ".pytest_cache/\n__pycache__/\n",
    }
    repo.commit("Add the cart", files=files | ({".pre-commit-config.yaml": CONFIG} if session == "pre-commit" else {}))
    repo.bare_remote(path=repo.path.parent / "shop.git")
    repo.git("remote", "set-url", "origin", "../shop.git")
    repo.git("push", "-q", "-u", "origin", "main")
    if session.startswith("adopted"):
        adopt(repo)
    return repo


def adopt(repo: RepoBuilder) -> None:
    """What the README's first session does, without a word."""
    repo.git("remote", "set-head", "origin", "main")
    for command in (
        "shipmoor-hooks init --yes",
        "git add -A && git commit -q -m 'Measure the tests'",
        "shipmoor-hooks run",
        "git push -q",
    ):
        done = subprocess.run(["sh", "-c", command], cwd=repo.path, env=repo.env, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()


def played(repo: RepoBuilder, block: str) -> str:
    """The block's commands, each with what it says now, both streams as a terminal shows them."""
    lines = []
    for command in (row[2:] for row in block.splitlines() if row.startswith("$ ")):
        done = subprocess.run(
            ["sh", "-c", f"{{ {command}; }} 2>&1"],
            cwd=repo.path,
            env=repo.env,
            capture_output=True,
            check=False,
            timeout=120,
        )
        said = done.stdout.decode().replace(str(repo.path), SHOWN_AS)
        lines += [f"$ {command}", *(row.rstrip() for row in said.splitlines())]
    return "\n".join(lines).rstrip() + "\n"


def comparable(text: str) -> str:
    """Object names, run ids and times differ from run to run."""
    text = re.sub(r"\b[0-9a-f]{7,40}\b", "HEX", text)
    text = re.sub(r"just now|\b\d+ s ago", "NOW", text)
    return re.sub(r"\b\d+\.\d+ ?s\b", "TIME", text)


def sessions(text: str) -> list[tuple[str, list[str]]]:
    """Each session of a README: its name and its console blocks."""
    return [(name, [block[1] for block in CONSOLE.findall(body)]) for _, name, body, _ in SESSION.findall(text)]


def write(pages: list[Path]) -> None:
    """Put what the commands say now into the pages."""
    from conftest import sealed_environment

    def anew(found: re.Match[str]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder, "home")
            home.mkdir()
            repo = RepoBuilder.create(Path(folder, "shop"), sealed_environment(home))
            shop(repo, install(Path(folder, "venv")), Path(folder, "tools"), found[2])
            body = CONSOLE.sub(lambda block: block[1] + played(repo, block[2]) + block[3], found[3])
        return found[1] + body + found[4]

    for page in pages:
        text = page.read_text()
        if SESSION.search(text):
            page.write_text(SESSION.sub(anew, text))


if __name__ == "__main__":
    named = [Path(word).resolve() for word in sys.argv[1:]]
    os.chdir(Path(__file__).parent)
    write(named or PAGES)
