"""A repository with a policy, measured commits, a bare remote and our pre-push hook: for tests of the gate by real pushes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from repo_builder import RepoBuilder

from shipmoor_hooks import capture, place, policy

POLICY = """\
[gate]
target = "origin/HEAD"

[suite.unit]
command = ["pytest", "-q"]
"""
IGNORED = "build/\n"


def junit(cases: Mapping[str, str], classname: str = "tests.test_set") -> str:
    """A report as pytest writes it; values: passed, failed, error, skipped, xfailed."""
    body = {
        "passed": "",
        "failed": '<failure message="assert 0">E assert 0</failure>',
        "error": '<error message="failed on setup">E boom</error>',
        "skipped": '<skipped type="pytest.skip" message="later">later</skipped>',
        "xfailed": '<skipped type="pytest.xfail" message="bug"/>',
    }
    rows = "".join(
        f'<testcase classname="{classname}" name="test_{name}" time="0.1">{body[outcome]}</testcase>'
        for name, outcome in cases.items()
    )
    return f'<testsuites><testsuite name="pytest" tests="{len(cases)}">{rows}</testsuite></testsuites>'


@dataclass
class GateWorld:
    """`measure` stores a run of what is checked out; `push` runs git with the hook in place."""

    repo: RepoBuilder
    remote: Path
    reports: int = field(default=0)

    @classmethod
    def create(
        cls, repo: RepoBuilder, python: Path, *, cases: Sequence[str] = ("a", "b"), push: bool = True
    ) -> GateWorld:
        """main with the policy and one case a line, measured, pushed to `origin`, the hook installed."""
        world = cls(repo, repo.bare_remote())
        repo.write(".gitignore", IGNORED)
        repo.write("shipmoor-hooks.toml", POLICY)
        world.commit(cases, "Add the cart")
        shim = (
            (Path(__file__).parent.parent / "hooks" / "pre-push").read_text().replace("python=''", f"python='{python}'")
        )
        hook = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "hooks" / "pre-push"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(shim)
        hook.chmod(0o755)
        if push:
            repo.git("push", "-q", "--no-verify", "-u", "origin", "main")
            repo.git("remote", "set-head", "origin", "main")
        return world

    def commit(
        self, cases: Sequence[str], message: str = "Change", trailers: Sequence[str] = (), *, measured: bool = True
    ) -> str:
        """A commit whose test file lists these cases, measured all green unless told otherwise."""
        self.repo.write("tests/test_set.py", "".join(f"# test_{c}\n" for c in cases))
        commit = self.repo.commit(message, trailers)
        if measured:
            self.measure(dict.fromkeys(cases, "passed"))
        return commit

    def branch(self, name: str, cases: Sequence[str], trailers: Sequence[str] = (), *, at: str = "main") -> str:
        self.repo.git("switch", "-q", "-c", name, at)
        return self.commit(cases, f"Work on {name}", trailers)

    def measure(self, cases: Mapping[str, str], *, cwd: Path | None = None, **how: object) -> capture.Captured:
        """Import a report of these outcomes for the working tree as it is."""
        return self._import([junit(cases)], cwd or self.repo.path, **how)

    def measure_ids(self, cases: Mapping[str, Sequence[str]]) -> capture.Captured:
        """Import a report a class name, all cases green, as one run."""
        return self._import(
            [junit(dict.fromkeys(names, "passed"), where) for where, names in cases.items()], self.repo.path
        )

    def _import(self, texts: Sequence[str], top: Path, **how: object) -> capture.Captured:
        paths = []
        for text in texts:
            self.reports += 1
            paths.append(top / "build" / f"r{self.reports}.xml")
            paths[-1].parent.mkdir(exist_ok=True)
            paths[-1].write_text(text)
        where = place.find(str(top), self.repo.env)
        rules = policy.load_worktree(where)
        assert rules is not None
        how = {"now": time.time(), "environ": self.repo.env} | how
        return capture.import_reports(where, rules, rules.suites["unit"], [str(p) for p in paths], **how)  # type: ignore[arg-type]

    def push(self, *words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[bytes]:
        return self.repo.process(["git", "push", *words], env=env, cwd=cwd)

    def refs(self) -> dict[str, str]:
        """What the remote has: ref to object name."""
        listed = self.repo.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=self.remote).splitlines()
        return dict(line.split(" ") for line in listed)


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    return (done.stdout + done.stderr).decode("utf-8", "replace")
