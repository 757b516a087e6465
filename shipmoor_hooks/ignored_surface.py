"""Files that decide what a suite does and that git ignores: they are in no tree, so a run that saw them says so (10.12)."""

from __future__ import annotations

import os

from shipmoor_hooks.git import Git

# Loaded or read by the runners of the table without being asked for.
NAMES = (
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml",
    "sitecustomize.py", "unittest.cfg", "nose2.cfg", "jest.config.*", "vitest.config.*", "vite.config.*", ".mocharc.*",
    "playwright.config.*", "karma.conf.*", "phpunit.xml", "phpunit.xml.dist", ".rspec", "CTestCustom.cmake",
)  # fmt: skip


def ignored(git: Git) -> tuple[str, ...]:
    """The ignored files of the test surface, sorted. What lies in an ignored folder (`.venv/`) is no part of it."""
    patterns = [f":(top,glob)**/{name}" for name in NAMES]
    # With --directory git names an ignored folder and does not go into it.
    out = git.output("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", *patterns)
    return tuple(sorted(os.fsdecode(p) for p in out.split(b"\0") if p and not p.endswith(b"/")))
