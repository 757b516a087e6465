"""A wheel that was just built, installed the way people do it: pipx and uv, each in a home of its own (needs an index)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from repo_builder import RepoBuilder
from test_packaging import PROJECT, build, builds

import shipmoor_hooks

pytestmark = [pytest.mark.network, builds]
# The index that pip is told of on this machine has to reach the installer, and nothing else of the person's settings.
INDEX = (
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_CONFIG_FILE",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "PIP_FIND_LINKS",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(PROJECT, tmp_path_factory.mktemp("wheel"), "wheel")


def tool(name: str, folder: Path, environ: dict[str, str]) -> Path:
    """The program of that name, installed into an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
    done = subprocess.run(
        [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", name],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"{name} cannot be installed here: {done.stderr.strip().splitlines()[-1][:200]}")
    return folder / "bin" / name


WORDS = {
    "pipx": ["pipx", "install", "{wheel}"],
    "uv": ["uv", "tool", "install", "--python", sys.executable, "{wheel}"],
}


@pytest.mark.parametrize("name", WORDS)
def test_an_installed_wheel_works(name: str, wheel: Path, repo: RepoBuilder, tmp_path: Path) -> None:
    home = tmp_path / "person"
    environ = repo.env | {k: os.environ[k] for k in INDEX if k in os.environ}
    environ |= {"PIPX_HOME": str(home / "pipx"), "PIPX_BIN_DIR": str(home / "bin"), "UV_TOOL_DIR": str(home / "uv")}
    environ |= {"UV_TOOL_BIN_DIR": str(home / "bin"), "UV_CACHE_DIR": str(home / "cache")}
    program = tool(name, tmp_path / "tools", environ)
    words = [word.format(wheel=wheel) for word in WORDS[name]]
    done = subprocess.run([str(program), *words[1:]], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    repo.commit("root")
    with_tools = repo.env | {"PATH": f"{home / 'bin'}{os.pathsep}{repo.env['PATH']}"}
    told = subprocess.run(["shipmoor-hooks", "--version"], env=with_tools, capture_output=True, text=True, check=True)
    assert told.stdout == f"shipmoor-hooks {shipmoor_hooks.__version__}\n"
    tree = subprocess.run(
        ["git", "shipmoor", "tree", "HEAD"], cwd=repo.path, env=with_tools, capture_output=True, text=True, check=True
    )
    assert tree.stdout.strip() == repo.git("rev-parse", "HEAD^{tree}")
    assert (home / "bin" / "shipmoor-hooks-hook").exists()
