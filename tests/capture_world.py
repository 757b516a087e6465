"""A repository whose files are an hour old, and reports of any time: for tests of capturing without a push."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from gate_world import junit
from repo_builder import RepoBuilder

from shipmoor_hooks import capture, place, policy
from shipmoor_hooks.capture import Captured
from shipmoor_hooks.model import Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.store.spool import Found, Spool

POLICY = '[suite.unit]\ncommand = ["pytest", "-q"]\n'


@dataclass
class CaptureWorld:
    """`report` writes one (seconds of age), `take` imports files, `found` is what the spool has for a tree."""

    repo: RepoBuilder
    now: float = field(default_factory=time.time)

    @classmethod
    def create(cls, repo: RepoBuilder, policy_text: str = POLICY) -> CaptureWorld:
        """main with the policy and a test file; build/ is ignored."""
        repo.commit(
            files={".gitignore": "build/\n", "shipmoor-hooks.toml": policy_text, "tests/test_set.py": "# a, b\n"}
        )
        world = cls(repo)
        world.settle()
        return world

    @property
    def place(self) -> Place:
        return place.find(str(self.repo.path), self.repo.env)

    def settle(self, age: float = 3600.0) -> None:
        """Make every file of the working tree this old."""
        for name in self.repo.git("ls-files", "-co", "--exclude-standard").splitlines():
            self.touch(self.repo.path / name, age)

    def touch(self, path: Path, age: float) -> None:
        os.utime(path, (self.now - age, self.now - age), follow_symlinks=False)

    def report(self, name: str = "build/r.xml", content: str | None = None, *, age: float = 60.0, **cases: str) -> Path:
        path = self.repo.write(name, junit(cases or {"a": "passed", "b": "passed"}) if content is None else content)
        self.touch(path, age)
        return path

    def suite(self, name: str = "unit") -> Suite:
        rules = policy.load_worktree(self.place)
        assert rules is not None
        return rules.suites[name]

    def take(self, *files: Path | str, **how: object) -> Captured:
        where = self.place
        rules = policy.load_worktree(where)
        assert rules is not None
        given = {"environ": self.repo.env, "now": self.now} | how
        names = [str(self.repo.path / f) for f in files]
        return capture.import_reports(where, rules, self.suite(), names, **given)  # type: ignore[arg-type]

    def found(self, tree: str = "HEAD") -> Found:
        where = self.place
        return Spool(where.common_dir, where.worktree).at_tree(self.repo.sha(f"{tree}^{{tree}}"))

    def stored(self) -> list[str]:
        where = self.place
        return Spool(where.common_dir, where.worktree).paths()
