"""What is built: the wheel's files, its metadata, its entry points; and the shims, found in a wheel and in the source."""

from __future__ import annotations

import email
import importlib
import importlib.util
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import shipmoor_hooks
from shipmoor_hooks.model import Code
from shipmoor_hooks.policy import load_worktree
from shipmoor_hooks.wiring.hook_files import STAGES

PROJECT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text())
# Everything in the wheel that is no module. A file that is new here is new for everyone who installs.
OTHER_FILES = {
    "shipmoor_hooks/py.typed",
    "shipmoor_hooks/hooks/commit-msg",
    "shipmoor_hooks/hooks/post-commit",
    "shipmoor_hooks/hooks/pre-push",
    "shipmoor_hooks/hooks/pre-receive",
    "shipmoor_hooks-{version}.dist-info/METADATA",
    "shipmoor_hooks-{version}.dist-info/RECORD",
    "shipmoor_hooks-{version}.dist-info/WHEEL",
    "shipmoor_hooks-{version}.dist-info/entry_points.txt",
    "shipmoor_hooks-{version}.dist-info/licenses/LICENSE",
}
NEEDED_IN_SDIST = (
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
    "Makefile",
    "docs/generate.py",
)

builds = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed here; `make test` brings it"
)


def build(source: Path, target: Path, kind: str) -> Path:
    """Build with hatchling itself: no index is asked."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(words, cwd=source, check=True, capture_output=True, timeout=60)
    return next(target.glob("*.whl" if kind == "wheel" else "*.tar.gz"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(PROJECT, tmp_path_factory.mktemp("wheel"), "wheel")


def modules() -> set[str]:
    """The modules of the source, as the wheel names them."""
    package = PROJECT / "shipmoor_hooks"
    return {str(p.relative_to(PROJECT)) for p in package.rglob("*.py") if "__pycache__" not in p.parts}


def pages() -> set[str]:
    """The pages that `explain` shows."""
    return {f"shipmoor_hooks/codes/{code.value}.md" for code in Code}


def expected() -> set[str]:
    return modules() | pages() | {name.format(version=shipmoor_hooks.__version__) for name in OTHER_FILES}


@builds
def test_the_wheel_holds_the_modules_the_shims_and_nothing_else(wheel: Path) -> None:
    assert set(zipfile.ZipFile(wheel).namelist()) == expected()
    assert "shipmoor_hooks/hook.py" in modules()


@builds
def test_the_shims_stay_executable(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel)
    for stage in STAGES:
        assert packed.getinfo(f"shipmoor_hooks/hooks/{stage}").external_attr >> 16 & 0o111 == 0o111
        assert os.access(PROJECT / "hooks" / stage, os.X_OK)


@builds
def test_a_wheel_built_from_the_source_archive_is_the_same(tmp_path: Path) -> None:
    with tarfile.open(build(PROJECT, tmp_path, "sdist")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    source = next((tmp_path / "unpacked").iterdir())
    assert [name for name in NEEDED_IN_SDIST if not (source / name).is_file()] == []
    again = build(source, tmp_path / "again", "wheel")
    assert set(zipfile.ZipFile(again).namelist()) == expected()


@builds
def test_the_metadata(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel)
    folder = f"shipmoor_hooks-{shipmoor_hooks.__version__}.dist-info"
    told = email.message_from_bytes(packed.read(f"{folder}/METADATA"))
    assert told["Name"] == "shipmoor-hooks"
    assert told["Version"] == shipmoor_hooks.__version__
    assert told["License-Expression"] == "MIT"
    assert told["Requires-Python"] == ">=3.11"
    assert "Typing :: Typed" in told.get_all("Classifier", [])
    assert "dev" not in told.get_all("Provides-Extra", [])
    assert any(need.startswith("typer") and "<0.29" in need for need in told.get_all("Requires-Dist", []))


@builds
@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_the_shims_are_found(kind: str, wheel: Path, tmp_path: Path) -> None:
    """In an installed copy they lie in the package, in the source (an editable install) beside it."""
    root = PROJECT
    if kind == "wheel":
        root = tmp_path / "installed"
        zipfile.ZipFile(wheel).extractall(root)  # noqa: S202 # our own, built a moment ago
    code = (
        "from shipmoor_hooks.wiring import hook_files; "
        "print(hook_files.__file__, *(hook_files.shim_text(s, '/py').count('python=/py\\n') for s in hook_files.STAGES))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(root)},
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().split() == [str(root / "shipmoor_hooks" / "wiring" / "hook_files.py"), "1", "1", "1"]


def entry_points() -> list[str]:
    tables = [SETTINGS["project"].get("scripts", {}), *SETTINGS["project"].get("entry-points", {}).values()]
    return [value for table in tables for value in table.values()]


@pytest.mark.parametrize("value", entry_points())
def test_every_entry_point_loads(value: str) -> None:
    """One that does not breaks more than itself: pytest ends at once when a plugin that is installed cannot be loaded."""
    module, _, name = value.partition(":")
    loaded = importlib.import_module(module)
    assert not name or callable(getattr(loaded, name))


def test_an_entry_point_without_its_module_is_seen() -> None:
    with pytest.raises(ModuleNotFoundError):
        test_every_entry_point_loads("shipmoor_hooks.no_such_module:main")


def test_the_development_packages_are_readable_for_an_old_pip() -> None:
    """The Makefile hands the group to pip as a plain list: no group may include another."""
    group = SETTINGS["dependency-groups"]["dev"]
    assert all(isinstance(entry, str) for entry in group)
    assert any(entry.startswith("pytest>=") for entry in group)


# ---------------------------------------------------------------- the project uses itself


def test_the_projects_own_policy_is_valid_and_measures_what_make_test_runs(environment: dict[str, str]) -> None:
    from shipmoor_hooks.place import Git, Place

    here = Place(Git(str(PROJECT), environment), str(PROJECT), "", "", "main")
    policy = load_worktree(here)
    assert policy is not None
    command = policy.suites["unit"].command
    assert command[command.index("-m", 3) + 1] == "not matrix and not network"
    assert "SELECTION = not matrix$(if $(NETWORK),, and not network)" in (PROJECT / "Makefile").read_text()


def test_pre_commit_accepts_the_projects_own_configuration() -> None:
    words = [sys.executable, "-m", "pre_commit", "validate-config", str(PROJECT / ".pre-commit-config.yaml")]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 0
