"""Three projects that nobody here wrote, from their source packages with their own tests: adopt, run, commit, push.

In each: remove a test, skip one, break one, rename a file, move a test between files; each push gets the right answer.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from gate_world import said
from repo_builder import RepoBuilder
from synthetic_history import History

pytestmark = pytest.mark.network

PYTHON_PROJECTS = {"pluggy": "pluggy==1.6.0", "iniconfig": "iniconfig==2.3.1"}
NODE_PROJECT = "process-warning@5.0.0"
# click's own tests give iterators to `parametrize`, which pytest warns of, and click makes errors of warnings. Its tests of
# pagers turn red by chance on a busy machine: ten of 42 commits were told of them, rightly.
COMMANDS = {
    "click==8.3.1": """["pytest", "-q", "-o", "filterwarnings=default", "-k", "not echo_via_pager"]""",
}


@dataclass
class Adopted:
    """A project with its own tests under the gate: measured on main and pushed to a bare remote."""

    repo: RepoBuilder
    remote: Path

    @classmethod
    def adopt(cls, source: Path, env: dict[str, str], command: str = "") -> Adopted:
        """What a new user does: git, a remote, `init`, `run`, commit, push."""
        repo = RepoBuilder(source, env)
        # The project's own hooks come from hosts that no test should depend on.
        (source / ".pre-commit-config.yaml").unlink(missing_ok=True)
        # `init` would run its tests by uv, in an environment of uv's; here they run with the Python at hand.
        (source / "uv.lock").unlink(missing_ok=True)
        repo.git("init", "-q", "-b", "main")
        repo.write(".gitignore", "__pycache__/\n.pytest_cache/\n.hypothesis/\nnode_modules/\n")
        repo.commit("As published")
        remote = repo.bare_remote()
        done = cls(repo, remote)
        done.ours("init")
        if command:
            repo.write("shipmoor-hooks.toml", f'[gate]\ntarget = "origin/main"\n\n[suite.unit]\ncommand = {command}\n')
        repo.commit("Keep the test set honest")
        done.run()
        pushed = done.push("main")
        assert pushed.returncode == 0, said(pushed)
        return done

    def ours(
        self, *words: str, codes: tuple[int, ...] = (0,), timeout: float = 300
    ) -> subprocess.CompletedProcess[bytes]:
        done = self.repo.process(["shipmoor-hooks", *words], timeout=timeout)
        assert done.returncode in codes, said(done)
        return done

    def run(self, codes: tuple[int, ...] = (0,)) -> None:
        self.ours("run", codes=codes)

    def branch(self, name: str) -> None:
        self.repo.git("switch", "-q", "-c", name, "main")

    def push(self, *refs: str) -> subprocess.CompletedProcess[bytes]:
        return self.repo.process(["git", "push", "-q", "origin", *refs])

    def change(
        self, name: str, edit: Callable[[], None], codes: tuple[int, ...] = (0,)
    ) -> subprocess.CompletedProcess[bytes]:
        """A branch with one change, measured and pushed."""
        self.branch(name)
        edit()
        self.repo.commit(name.capitalize())
        self.run(codes)
        return self.push(name)


# ---------------------------------------------------------------- Python


def unpack(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return next(p for p in folder.iterdir() if p.is_dir())


def published(wanted: str, tmp_path: Path, installed_python: Path, environment: dict[str, str]) -> Adopted:
    """A source package from the index, adopted."""
    downloaded = tmp_path / "sdist"
    words = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        ":all:",
        "-d",
        str(downloaded),
        wanted,
    ]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    source = unpack(next(downloaded.iterdir()), tmp_path / "source")
    folders = [str(installed_python.parent), str(Path(sys.executable).parent), environment["PATH"]]
    env = environment | {"PATH": os.pathsep.join(folders), "PYTHONPATH": str(source / "src")}
    return Adopted.adopt(source, env, COMMANDS.get(wanted, ""))


@pytest.fixture
def python_project(
    request: pytest.FixtureRequest, tmp_path: Path, installed_python: Path, environment: dict[str, str]
) -> Adopted:
    return published(PYTHON_PROJECTS[request.param], tmp_path, installed_python, environment)


@dataclass(frozen=True)
class PlainCase:
    """A test function at the top of its file that nothing decorates or feeds: safe to take out, skip, break and move."""

    path: Path
    name: str
    first: int
    last: int


def plain_case(project: Adopted) -> PlainCase:
    for path in sorted((project.repo.path / "testing").glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            plain = isinstance(node, ast.FunctionDef) and not node.decorator_list and not node.args.args
            if isinstance(node, ast.FunctionDef) and plain and node.name.startswith("test_"):
                assert node.end_lineno is not None
                return PlainCase(path, node.name, node.lineno - 1, node.end_lineno)
    raise AssertionError("the project has no plain test function")


def without(case: PlainCase) -> None:
    lines = case.path.read_text().splitlines(keepends=True)
    case.path.write_text("".join(lines[: case.first] + lines[case.last :]))


def with_line(case: PlainCase, line: str, *, inside: bool) -> None:
    """Put a line before the function, or before its first statement."""
    text = case.path.read_text()
    node = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == case.name)
    lines = text.splitlines(keepends=True)
    at = node.body[0].lineno - 1 if inside else case.first
    lines.insert(at, f"    {line}\n" if inside else f"{line}\n")
    case.path.write_text("".join(lines))


def with_another_name(case: PlainCase) -> None:
    case.path.write_text(case.path.read_text().replace(f"def {case.name}(", f"def {case.name}_anew("))


def to_its_own_file(case: PlainCase) -> None:
    """Move the function to a new file, with everything beside the tests that it may need."""
    text = case.path.read_text()
    lines = text.splitlines(keepends=True)
    kept = []
    for node in ast.parse(text).body:
        if not getattr(node, "name", "").startswith(("test_", "Test")):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            kept += lines[first - 1 : node.end_lineno]
    body = lines[case.first : case.last]
    (case.path.parent / "test_moved_here.py").write_text("".join([*kept, "\n\n", *body]))
    without(case)


@pytest.mark.parametrize("python_project", list(PYTHON_PROJECTS), indirect=True)
def test_a_python_project(python_project: Adopted) -> None:
    project = python_project
    case = plain_case(project)
    case_id = f"testing/{case.path.name}::{case.name}"

    removed = project.change("remove-a-test", lambda: without(case))
    assert removed.returncode != 0
    assert "CASE_REMOVED (1)" in said(removed)
    assert f"Test-Removed: {case_id} -- <reason>" in said(removed)
    project.ours("disclose", "--reason", "said twice (#7)")
    assert project.push("remove-a-test").returncode == 0

    skipped = project.change("skip-a-test", lambda: with_line(case, "@__import__('pytest').mark.skip", inside=False))
    assert skipped.returncode != 0
    assert "CASE_SKIPPED (1)" in said(skipped)
    assert case_id in said(skipped)

    broken = project.change("break-a-test", lambda: with_line(case, "assert 2 + 2 == 5", inside=True), codes=(1,))
    assert broken.returncode != 0
    assert "CASE_RED (1)" in said(broken)
    assert "Test-Removed" not in said(broken)
    project.repo.commit("Talk about it", [f"Test-Removed: {case_id} -- it is only red"])
    project.run(codes=(1,))
    assert project.push("break-a-test").returncode != 0

    def rename() -> None:
        project.repo.git("mv", f"testing/{case.path.name}", "testing/test_renamed_here.py")

    renamed = project.change("rename-a-file", rename)
    assert renamed.returncode == 0, said(renamed)

    moved = project.change("move-a-test", lambda: to_its_own_file(case))
    assert moved.returncode == 0, said(moved)

    named_anew = project.change("rename-a-test", lambda: with_another_name(case))
    assert named_anew.returncode != 0
    assert f"If testing/{case.path.name}::{case.name}_anew is its new name" in said(named_anew)
    line = next(text.strip() for text in said(named_anew).splitlines() if text.strip().startswith("Test-Renamed: "))
    trailer = line.replace("<reason>", "says what it does (#8)")
    project.repo.git("commit", "-q", "--amend", "--no-edit", "--trailer", trailer)
    assert project.push("rename-a-test").returncode == 0


# ---------------------------------------------------------------- JavaScript


def test_a_node_project(tmp_path: Path, installed_python: Path, environment: dict[str, str]) -> None:
    subprocess.run(
        ["npm", "pack", "--silent", NODE_PROJECT], cwd=tmp_path, check=True, capture_output=True, timeout=300
    )
    source = unpack(next(tmp_path.glob("*.tgz")), tmp_path / "source")
    (source / "test" / "jest.test.js").unlink(
        missing_ok=True
    )  # its own runner; the package's `test:unit` runs the others
    env = environment | {"PATH": os.pathsep.join([str(installed_python.parent), environment["PATH"]])}
    project = Adopted.adopt(source, env, '["node", "--test"]')
    path = sorted((source / "test").glob("emit-*.test.js"))[0]
    text = path.read_text()
    assert "test('" in text

    removed = project.change("remove-a-file", path.unlink)
    assert removed.returncode != 0
    assert "CASE_REMOVED" in said(removed)

    skipped = project.change("skip-a-test", lambda: path.write_text(text.replace("test('", "test.skip('", 1)) and None)
    assert skipped.returncode != 0
    assert "CASE_SKIPPED (1)" in said(skipped)

    def break_it() -> None:
        path.write_text(text + "\ntest.only && require('node:test')('a new red', () => { throw new Error('no') })\n")

    new_red = project.change("add-a-red-test", break_it, codes=(1,))
    assert new_red.returncode == 0, said(new_red)
    assert "NEW_RED" in said(new_red)

    def rename() -> None:
        project.repo.git("mv", f"test/{path.name}", "test/renamed.test.js")

    renamed = project.change("rename-a-file", rename)
    assert renamed.returncode == 0, said(renamed)


# ---------------------------------------------------------------- a history, replayed

# The folder of each project's tests.
REPLAYED = {"pluggy==1.6.0": "testing", "iniconfig==2.3.1": "testing", "click==8.3.1": "tests"}
COMMITS = int(os.environ.get("SHIPMOOR_HOOKS_REPLAY", "9"))


@pytest.mark.parametrize(
    "wanted", [pytest.param(w, marks=[] if w.startswith("iniconfig") else pytest.mark.matrix) for w in REPLAYED]
)
def test_a_synthetic_history_is_told_what_it_did(
    wanted: str, tmp_path: Path, installed_python: Path, environment: dict[str, str]
) -> None:
    """docs/real-projects.md has the figures of longer ones: SHIPMOOR_HOOKS_REPLAY=30."""
    project = published(wanted, tmp_path, installed_python, environment)
    made = History(project.repo, REPLAYED[wanted], seed=7).make(COMMITS)
    done = project.ours("replay", "--format", "json", "-j", "2", "-n", str(COMMITS), timeout=60 * COMMITS)
    told = {row["commit"]: row for row in json.loads(done.stdout)["commits"]}
    wrong = []
    for one in made:
        findings = told[one.commit]["verdict"]["findings"]
        refusing = [f for f in findings if f["level"] == "refuse" and not f["disclosed"]]
        codes = {f["code"] for f in refusing}
        if codes != set(one.codes) or told[one.commit]["verdict"]["verdict"] == "cannot-evaluate":
            wrong.append((one.kind, [(f["code"], f["case"]) for f in refusing], told[one.commit]["unmeasured"]))
    honest = sum(not one.codes for one in made)
    print(f"{wanted}: {len(made)} commits, {honest} honest; told wrong: {wrong or 'none'}")
    assert wrong == []
