"""The packages of a monorepo: folders below the root that have test runners of their own, and what does not count for each.

A package is found where its own manifest stands and a runner shows there. What a runner at the root covers by itself is no
package. Each package's suite leaves the other packages out of its tree, but for those that it names in a manifest or an import.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.wiring.runner_signs import LOOKS, RunnerFound, Tree

MANIFESTS: tuple[str, ...] = (
    *(
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "pytest.ini",
        "tox.ini",
        "package.json",
        "go.mod",
        "Cargo.toml",
        "pom.xml",
    ),
    *("build.gradle", "build.gradle.kts", "phpunit.xml", "phpunit.xml.dist", ".rspec", "Gemfile", "CMakeLists.txt"),
)
# Folders whose manifests belong to what is shown, vendored or made, not to what is measured.
NO_PACKAGES: frozenset[str] = frozenset(
    {
        *(
            "node_modules",
            "vendor",
            "third_party",
            "thirdparty",
            "external",
            "site-packages",
            "venv",
            "env",
            "__pycache__",
        ),
        *(
            "examples",
            "example",
            "samples",
            "sample",
            "demos",
            "demo",
            "docs",
            "doc",
            "playground",
            "templates",
            "template",
        ),
        *("benchmarks", "benchmark", "fixtures", "testdata", "tests", "test", "specs", "spec", "t"),
        *("build", "dist", "target", "out"),
    }
)
DEEPEST = 3
MOST = 30
SOURCES: tuple[str, ...] = (
    *(".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".vue", ".svelte"),
    *(".go", ".rs", ".java", ".kt", ".rb", ".php"),
)
IMPORT = re.compile(r"^.*\b(?:import|from|require|use|mod|include|require_relative|extern)\b.*$", re.MULTILINE)
_FILES_READ = 3_000
_BYTES_READ = 200_000


@dataclass(frozen=True, slots=True)
class Package:
    """A folder (relative, `/` between) with its runner, and the paths that do not count for its suite."""

    folder: str
    found: RunnerFound
    exclude: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # the other packages' folders that it names, and that count for it


def find(top: str, at_root: Sequence[RunnerFound]) -> tuple[Package, ...]:
    """The packages of a repository; () for one that is a single package. `at_root`: the runners that the root shows."""
    covered = {one.runner for one in at_root} - _spread_out(top)
    found: list[Package] = []
    for folder in _folders(top):
        if any(folder.startswith(one.folder + "/") for one in found):
            continue  # a part of a package that is one
        package = _package(top, folder, covered)
        if package is not None:
            found.append(package)
    if len(found) > MOST or len(found) + bool(at_root) < 2:
        return ()
    return tuple(_scoped(top, one, found) for one in found)


def left_at_root(top: str, at_root: Sequence[RunnerFound], packages: Sequence[Package]) -> tuple[RunnerFound, ...]:
    """The root's own runners beside the packages: a workspace's root only hands on what its members have."""
    handed_on = _spread_out(top) & {one.found.runner for one in packages}
    return tuple(one for one in at_root if one.runner not in handed_on)


def _spread_out(top: str) -> set[str]:
    """Runners that the root names only for its members: those of a declared workspace of packages."""
    tree = Tree(top)
    spread: set[str] = set()
    try:
        package = json.loads(tree.text("package.json") or "{}")
    except ValueError:
        package = {}
    if (isinstance(package, dict) and package.get("workspaces")) or tree.first("pnpm-workspace.yaml"):
        spread |= {"vitest", "jest", "mocha", "jasmine", "tap", "node"}
    if "workspace" in tree.toml("Cargo.toml"):
        spread |= {"nextest"}
    if "<modules>" in tree.text("pom.xml"):
        spread |= {"maven"}
    if tree.first("go.work") and not tree.first("go.mod"):
        spread |= {"gotestsum"}
    uv = tree.toml("pyproject.toml").get("tool")
    if isinstance(uv, dict) and isinstance(uv.get("uv"), dict) and "workspace" in uv["uv"]:
        spread |= {"pytest"}
    return spread


def _folders(top: str) -> list[str]:
    """The folders with a manifest, at most DEEPEST below the root, in order."""
    found = []
    for here, folders, files in os.walk(top):
        where = os.path.relpath(here, top)
        depth = 0 if where == "." else where.count(os.sep) + 1
        folders[:] = sorted(f for f in folders if f not in NO_PACKAGES and not f.startswith("."))
        if depth >= DEEPEST:
            folders[:] = []
        if depth and any(name in files for name in MANIFESTS):
            found.append(where.replace(os.sep, "/"))
    return sorted(found)


def _package(top: str, folder: str, covered: set[str]) -> Package | None:
    tree = Tree(os.path.join(top, folder))
    looked = (look(tree) for look in LOOKS)
    for one in looked:
        if one is None or one.runner in covered or one.format:
            continue
        moved = replace(
            one,
            command=command_in(folder, one),
            because=f"in {folder}: {one.because}",
            reports=tuple(f"{folder}/{path}" for path in one.reports),
            setup=tuple(("env", "-C", folder, *words) for words in one.setup),
        )
        return Package(folder, moved)
    return None


def command_in(folder: str, found: RunnerFound) -> tuple[str, ...]:
    """The runner's command for one folder, started at the root of the repository as every command of a policy is."""
    words = found.command
    if words == ("pytest", "-q"):
        return (*words, "--rootdir=.", folder)  # ids begin at the root, whatever configuration the folder has
    if words[:2] == ("uv", "run"):
        return ("uv", "run", "--directory", folder, *words[2:])
    if words[:1] == ("poetry",):
        return ("poetry", "-C", folder, *words[1:])
    if words[:1] == ("pnpm",):
        return ("pnpm", "-C", folder, *words[1:])
    return ("env", "-C", folder, *words)


def _scoped(top: str, package: Package, all_of_them: Sequence[Package]) -> Package:
    """The package with the others' folders excluded, but for those that it needs, directly or through another."""
    others = {one.folder: _names(top, one.folder) for one in all_of_them if one is not package}
    needs: set[str] = set()
    todo = [package.folder]
    while todo:
        said = _says(top, todo.pop())
        for folder, names in others.items():
            if folder not in needs and any(re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", said) for n in names):
                needs.add(folder)
                todo.append(folder)
    left = tuple(f"{folder}/**" for folder in others if folder not in needs)
    return replace(package, exclude=left, needs=tuple(sorted(needs)))


def _names(top: str, folder: str) -> set[str]:
    """By what another package calls this one: its folder's name, and the names in its manifests."""
    tree = Tree(os.path.join(top, folder))
    last = folder.rpartition("/")[2]
    names = {last, last.replace("-", "_"), folder}
    for table in (tree.toml("pyproject.toml").get("project"), tree.toml("Cargo.toml").get("package")):
        if isinstance(table, dict) and isinstance(table.get("name"), str):
            names |= {table["name"], table["name"].replace("-", "_")}
    names |= set(re.findall(r"^\s*\"name\"\s*:\s*\"([^\"]+)\"", tree.text("package.json"), re.MULTILINE)[:1])
    names |= set(re.findall(r"^module[ \t]+(\S+)", tree.text("go.mod"), re.MULTILINE)[:1])
    return names


def _says(top: str, folder: str) -> str:
    """The package's manifests without its own name, and the lines of its sources that import."""
    parts: list[str] = []
    left = _FILES_READ
    for here, folders, files in os.walk(os.path.join(top, folder)):
        folders[:] = [
            f for f in folders if f not in ("node_modules", "target", "build", "dist") and not f.startswith(".")
        ]
        for name in sorted(files):
            path = os.path.join(here, name)
            if left and (name in MANIFESTS or name.endswith(SOURCES)) and os.path.isfile(path):
                left -= 1
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read(_BYTES_READ)
                parts += [text] if name in MANIFESTS else IMPORT.findall(text)
    return "\n".join(parts)


def suite_names(folders: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """A name for each folder's suite: its last part, with more of the path where that is taken."""
    names: dict[str, str] = {}
    used = set(taken)
    folders = list(folders)
    for folder in folders:
        parts = [re.sub(r"[^A-Za-z0-9_-]+", "-", part).strip("-") or "package" for part in folder.split("/")]
        alike = sum(other.rpartition("/")[2] == folder.rpartition("/")[2] for other in folders)
        wanted = next(
            (
                name
                for n in range(1, len(parts) + 1)
                if (name := "-".join(parts[-n:])) not in used and (alike == 1 or n > 1)
            ),
            "-".join(parts),
        )
        number = 2
        while wanted in used:
            wanted, number = f"{'-'.join(parts)}-{number}", number + 1
        used.add(wanted)
        names[folder] = wanted
    return names
