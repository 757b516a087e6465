"""Real repositories for tests: `RepoBuilder` writes files, commits, clones and runs git, in a sealed environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class RepoBuilder:
    path: Path
    env: dict[str, str]
    clock: int = field(default=1_714_564_800)

    @classmethod
    def create(cls, path: Path, env: Mapping[str, str], *options: str) -> RepoBuilder:
        path.mkdir(parents=True)
        built = cls(path, dict(env))
        built.git("init", "-q", "-b", "main", *options)
        return built

    def process(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 300,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program in the repository; its exit code is the caller's business. It ends after `timeout` seconds."""
        return subprocess.run(
            list(argv),
            cwd=cwd or self.path,
            env=self.env | dict(env or {}),
            input=stdin,
            capture_output=True,
            timeout=timeout,
            check=False,
        )

    def git(
        self, *arguments: str, env: Mapping[str, str] | None = None, stdin: bytes = b"", cwd: Path | None = None
    ) -> str:
        """The output of git without the last line feed; anything but success is an error."""
        done = self.process(["git", *arguments], env=env, stdin=stdin, cwd=cwd)
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode('utf-8', 'replace')}")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def tool(self, *arguments: str, **how: object) -> subprocess.CompletedProcess[bytes]:
        """The command line under test, as a process of its own."""
        return self.process([sys.executable, "-m", "shipmoor_hooks", *arguments], **how)  # type: ignore[arg-type]

    def write(self, name: str, content: str | bytes, mode: int | None = None) -> Path:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            target.chmod(mode)
        return target

    def commit(
        self,
        message: str = "Change",
        trailers: Sequence[str] = (),
        files: Mapping[str, str | bytes | None] | None = None,
    ) -> str:
        """Write `files` (None: remove), stage everything and commit; a minute passes. The commit's object name."""
        for name, content in (files or {}).items():
            if content is None:
                (self.path / name).unlink()
            else:
                self.write(name, content)
        self.git("add", "-A")
        body = message + ("\n\n" + "\n".join(trailers) if trailers else "")
        self.clock += 60
        dates = {"GIT_AUTHOR_DATE": f"@{self.clock} +0000", "GIT_COMMITTER_DATE": f"@{self.clock} +0000"}
        self.git("commit", "-q", "--allow-empty", "-m", body, env=dates)
        return self.sha()

    def sha(self, revision: str = "HEAD") -> str:
        return self.git("rev-parse", revision)

    def bare_remote(self, name: str = "origin", path: Path | None = None) -> Path:
        """A bare remote on loopback's file system, added under `name`."""
        target = path or self.path.parent / f"{name}.git"
        self.git("init", "-q", "--bare", "-b", "main", str(target), cwd=self.path.parent)
        self.git("remote", "add", name, str(target))
        return target

    def index_bytes(self) -> bytes:
        return (self.path / self.git("rev-parse", "--git-path", "index")).read_bytes()

    def objects(self) -> set[str]:
        """Every file below the object store, to prove that nothing was written."""
        top = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "objects"
        return {os.path.relpath(os.path.join(folder, f), top) for folder, _, files in os.walk(top) for f in files}
