"""A sealed-off world for every test: own HOME, no system or user git configuration, no templates, fixed author and dates."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hook_world import install
from hypothesis import settings
from repo_builder import RepoBuilder

settings.register_profile("default", deadline=None, print_blob=True)
settings.load_profile("default")

# Whoever starts the tests in the background of a script has them ignore an interrupt, and what they start as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

DROPPED = (
    "GIT_",
    "PRE_COMMIT",
    "PREK",
    "HUSKY",
    "LEFTHOOK",
    "XDG_",
    "SHIPMOOR_HOOKS_",
    "PYTEST_",
    "LC_",
    "LANG",
    "EDITOR",
    "VISUAL",
)
DROPPED_WHOLE = {"CI", "SKIP", "TZ", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}


def sealed_environment(home: Path) -> dict[str, str]:
    """The caller's PATH and little else; everything that git, the hosts and the product would look up lies under `home`."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(DROPPED) and k not in DROPPED_WHOLE}
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(home / name.lower())
    env |= {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", "2024-05-01T12:00:00+00:00"))
    }
    config = home / "gitconfig"
    config.touch()
    (home / "templates").mkdir(exist_ok=True)
    (home / "runtime").mkdir(mode=0o700, exist_ok=True)
    return env | {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "runtime"),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TEMPLATE_DIR": str(home / "templates"),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "SHIPMOOR_HOOKS_SEAL": "file",  # tests/test_key_store.py asks real key stores
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Every test runs in the sealed environment, in process and in the processes that it starts."""
    env = sealed_environment(home)
    for name in list(os.environ):
        if name not in env and name != "PYTEST_CURRENT_TEST":
            monkeypatch.delenv(name)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return env


@pytest.fixture
def repo(tmp_path: Path, environment: dict[str, str]) -> RepoBuilder:
    """An empty repository on branch main."""
    return RepoBuilder.create(tmp_path / "repo", environment)


@pytest.fixture(scope="session")
def installed_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which shipmoor-hooks is installed, as hooks need it."""
    return install(tmp_path_factory.mktemp("installed") / "venv")
