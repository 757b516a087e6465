"""Worktrees that tools get wrong: each situation builds one and says what its tree should be and which way finds it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

UNBORN, HEAD, MEMORY, INDEX = "unborn", "head", "memory", "index"


@dataclass
class Built:
    """Where to capture and what is expected; `clear` names files whose bits hide edits, `nested` what is left out."""

    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    clear: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()


@dataclass(frozen=True)
class Situation:
    name: str
    build: Callable[[RepoBuilder], Built | None]
    way: str
    reason: str = ""  # the worktree is bound to nothing, and this is said
    git_refuses: bool = False  # plain `git add -A` gives no tree either


SITUATIONS: list[Situation] = []


def situation(name: str, way: str, reason: str = "", git_refuses: bool = False) -> Callable[..., Callable[..., object]]:
    def register(build: Callable[[RepoBuilder], Built | None]) -> Callable[[RepoBuilder], Built | None]:
        SITUATIONS.append(Situation(name, build, way, reason, git_refuses))
        return build

    return register


def some_files(repo: RepoBuilder, **more: str | bytes) -> None:
    """A first commit: a.txt, src/b.py, src/deep/c.py, tool (executable), link, and whatever else is given."""
    for name, content in {"a.txt": "a\n", "src/b.py": "b\n", "src/deep/c.py": "c\n", **more}.items():
        repo.write(name, content)
    repo.write("tool", "#!/bin/sh\n", 0o755)
    (repo.path / "link").symlink_to("a.txt")
    repo.commit("First")


def raw_name(repo: RepoBuilder, name: bytes, content: bytes = b"raw\n") -> None:
    with open(os.path.join(os.fsencode(repo.path), name), "wb") as file:
        file.write(content)


# ---------------------------------------------------------------- A01: the everyday and the odd


@situation("A01 nothing changed", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)


@situation("A01 all files touched, contents as before", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    for name in ("a.txt", "src/b.py"):
        os.utime(repo.path / name, (1, 1))


@situation("A01 an empty commit and no file at all", HEAD)
def _(repo: RepoBuilder) -> None:
    repo.commit("Nothing")


@situation("A01 changed, then changed back", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("a.txt", "other\n")
    repo.git("add", "a.txt")
    repo.write("a.txt", "a\n")


@situation("A01 an ignored file", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{".gitignore": "*.log\n"})
    repo.write("x.log", "x")


@situation("A01 empty folders and a pipe and a socket, all untracked", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "empty/inner").mkdir(parents=True)
    os.mkfifo(repo.path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(repo.path)  # the name of a socket is short
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)


@situation("A01 modified, deleted, new, staged and ignored", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{".gitignore": "*.log\n", "gone.txt": "x", "src/gone/one.py": "1"})
    repo.write("a.txt", "changed\n")
    (repo.path / "gone.txt").unlink()
    (repo.path / "src/gone/one.py").unlink()
    repo.write("new/file.txt", "new\n")
    repo.write("new/x.log", "ignored\n")
    repo.write("staged.txt", "one\n")
    repo.git("add", "staged.txt")
    repo.write("staged.txt", "two\n")
    repo.write("src/b.py", "staged only\n")
    repo.git("add", "src/b.py")


@situation("A01 everything deleted", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.process(["sh", "-c", "rm -r a.txt src tool link"])


@situation("A01 staged, then deleted", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("new.txt", "x")
    repo.git("add", "new.txt")
    (repo.path / "new.txt").unlink()


@situation("A01 taken out of the index, file kept", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("rm", "-q", "--cached", "a.txt")


@situation("A01 taken out of the index and ignored", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("rm", "-q", "--cached", "a.txt")
    repo.write(".gitignore", "a.txt\n")


@situation("A01 a file became a folder", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "a.txt").unlink()
    repo.write("a.txt/inner", "x")


@situation("A01 a folder became a file", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.process(["rm", "-r", "src"])
    repo.write("src", "a file now\n")


@situation("A01 a folder became a link to a folder that holds the same", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.process(["sh", "-c", "mv src other && ln -s other src"])


@situation("A01 a file became a link, a link a file", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.process(["sh", "-c", "rm a.txt link && ln -s nowhere a.txt && echo x > link"])


@situation("A01 links to nowhere, to a folder and to themselves", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.process(["sh", "-c", "ln -s src tofolder; ln -s nowhere dangling; ln -s loop loop; ln -sf changed link"])


@situation("A01 executable bit set and taken", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "a.txt").chmod(0o755)
    (repo.path / "tool").chmod(0o644)
    repo.write("new-tool", "x", 0o755)


@situation("A01 odd modes", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    for mode in (0o600, 0o604, 0o611, 0o666, 0o700, 0o711, 0o777):
        repo.write(f"mode-{mode:o}", "x", mode)


@situation("A01 core.fileMode off", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "core.fileMode", "false")
    (repo.path / "a.txt").chmod(0o755)
    repo.write("tool", "edited\n", 0o644)
    repo.write("new-tool", "x", 0o755)


@situation("A01 core.symlinks off", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "core.symlinks", "false")
    (repo.path / "link").unlink()
    repo.write("link", "src/b.py")
    (repo.path / "new-link").symlink_to("a.txt")


@situation("A01 names: newline, quote, backslash, tab, carriage return, blanks, dash", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    for number, name in enumerate(
        ('"quoted"', "new\nline", "back\\slash", "tab\t", "cr\r", " lead", "trail ", "-dash", ":(top)x", "*[a]?")
    ):
        repo.write(name, f"{number}\n")
        repo.write(f"dir {name}/{name}", f"{number} deep\n")


@situation("A01 names: composed beside decomposed, and a long path", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    for form in ("NFC", "NFD"):
        repo.write(unicodedata.normalize(form, "ärger"), form)
    repo.write("/".join(["x" * 200] * 15 + ["end"]), "deep\n")


@situation("A01 names that are not UTF-8", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    raw_name(repo, b"latin-\xe9")


@situation("A01 a name that is not UTF-8, unchanged beside a change", MEMORY)
def _(repo: RepoBuilder) -> None:
    raw_name(repo, b"latin-\xe9")
    some_files(repo)
    repo.write("a.txt", "changed\n")


@situation("A01 sorting of folders and files with one stem", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{"a/x": "1", "a-b": "2", "a.b": "3", "a0": "4"})
    for name in ("a/y", "a.c", "a-c", "a+", "ab/x", "a!/x"):
        repo.write(name, name)


@situation("A01 HEAD unborn, files staged and not", INDEX)
def _(repo: RepoBuilder) -> None:
    repo.write("a.txt", "a\n")
    repo.git("add", "a.txt")
    repo.write("b.txt", "b\n")


@situation("A01 HEAD unborn, nothing there", INDEX)
def _(repo: RepoBuilder) -> None:
    return None


@situation("A01 the index is missing", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / ".git/index").unlink()


@situation("A01 alternates, one of them relative", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    borrower = RepoBuilder(repo.path.parent / "borrower", repo.env)
    repo.git("clone", "-q", "--shared", str(repo.path), str(borrower.path), cwd=repo.path.parent)
    third = repo.path.parent / "third"
    borrower.git("clone", "-q", "--shared", str(borrower.path), str(third), cwd=repo.path.parent)
    (third / ".git/objects/info/alternates").write_text("../../../borrower/.git/objects\n")
    repo.path = third
    repo.write("a.txt", "changed\n")


@situation("A01 alternates, the exact way", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    third = repo.path.parent / "with:colon"
    repo.git("clone", "-q", "--shared", str(repo.path), str(third), cwd=repo.path.parent)
    (third / ".git/objects/info/alternates").write_text("../../../repo/.git/objects\n")
    repo.path = third
    repo.write(".gitattributes", "*.txt text\n")
    repo.write("a.txt", "changed\n")


@situation("A01 shallow", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.commit("Second", files={"a.txt": "2\n"})
    repo.git(
        "clone", "-q", "--depth", "1", f"file://{repo.path}", str(repo.path.parent / "shallow"), cwd=repo.path.parent
    )
    repo.path = repo.path.parent / "shallow"
    repo.write("src/b.py", "changed\n")


@situation("A01 a linked worktree of a bare repository", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("clone", "-q", "--bare", str(repo.path), str(repo.path.parent / "bare.git"), cwd=repo.path.parent)
    repo.git("worktree", "add", "-q", "../linked", "main", cwd=repo.path.parent / "bare.git")
    repo.path = repo.path.parent / "linked"
    repo.write("a.txt", "changed\n")
    repo.write("new", "x")


@situation("A01 a separate git directory", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("init", "-q", "--separate-git-dir", str(repo.path.parent / "elsewhere.git"))
    repo.write("a.txt", "changed\n")


@situation("A01 core.worktree", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    work = repo.path.parent / "work"
    work.mkdir()
    repo.git("config", "core.worktree", str(work))
    repo.git("checkout", "-q", "-f", "main", cwd=work, env={"GIT_DIR": str(repo.path / ".git")})
    (work / "a.txt").write_text("changed\n")
    (work / ".git").write_text(f"gitdir: {repo.path / '.git'}\n")
    repo.path = work


@situation("A01 config.worktree that switches the executable bit off", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "core.fileMode", "false")
    repo.write("new-tool", "x", 0o755)


@situation("A01 index version 4", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("update-index", "--index-version", "4")
    repo.write("a.txt", "changed\n")


@situation("A01 index without a checksum, feature.manyFiles", MEMORY)
def _(repo: RepoBuilder) -> None:
    repo.git("config", "feature.manyFiles", "true")
    repo.git("config", "index.skipHash", "true")
    some_files(repo)
    repo.git("status", "-uno")
    repo.write("a.txt", "changed\n")
    repo.write("new/x", "x")


@situation("A01 ignored by info/exclude, core.excludesFile, and inside of an ignored folder", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{".gitignore": "build/\n!build/keep\n"})
    repo.write(".git/info/exclude", "*.tmp\n")
    repo.write("../excludes", "*.bak\n")
    repo.git("config", "core.excludesFile", str(repo.path.parent / "excludes"))
    for name in ("x.tmp", "x.bak", "build/keep", "kept.txt"):
        repo.write(name, "x")


@situation("A01 a tracked file that is ignored, changed", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write(".gitignore", "a.txt\nsrc/\n")
    repo.write("a.txt", "changed\n")
    repo.write("src/b.py", "changed\n")
    repo.write("src/new.py", "ignored\n")


# ---------------------------------------------------------------- A02 to A09: what filters and settings do to content


def attributes(repo: RepoBuilder, text: str, **files: str | bytes) -> None:
    """A first commit with these attributes and files."""
    some_files(repo, **{".gitattributes": text, **files})


@situation("A02 text, eol, -text, ident, macros", MEMORY)
def _(repo: RepoBuilder) -> None:
    attributes(
        repo,
        "[attr]raw -text -ident\n*.txt text\n*.bat text eol=crlf\n*.bin raw\n*.id ident\n",
        **{"x.bat": "one\r\n", "x.bin": "one\r\n", "x.id": "$Id$\n"},
    )
    repo.write("a.txt", "one\r\ntwo\n")
    repo.write("x.bat", "one\r\ntwo\r\n")
    repo.write("x.bin", "one\r\ntwo\n")
    repo.write("x.id", "$Id: something $\nmore\n")
    repo.write("new.txt", "new\r\n")
    repo.write("new.bin", "$Id: kept $\r\n")


@situation("A02 text=auto, new files and files without carriage returns", MEMORY)
def _(repo: RepoBuilder) -> None:
    attributes(repo, "* text=auto\n")
    repo.write("a.txt", "changed\n")
    repo.write("new.txt", "one\r\ntwo\r\n")
    repo.write("new.dat", b"\0\r\n")


@situation("A02 text=auto, carriage returns already in the index", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{"crlf.txt": "one\r\n"})
    repo.commit("Attributes", files={".git/info/attributes": "* text=auto\n"})
    repo.write("crlf.txt", "one\r\ntwo\r\n")


@situation("A02 core.autocrlf=true, carriage returns already in the index", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{"crlf.txt": "one\r\n"})
    repo.git("config", "core.autocrlf", "true")
    repo.write("crlf.txt", "one\r\ntwo\r\n")


@situation("A02 core.autocrlf=input, a file that got carriage returns", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "core.autocrlf", "input")
    repo.write("a.txt", "one\r\n")
    repo.write("new.txt", "one\r\n")


@situation("A02 legacy crlf attribute", MEMORY)
def _(repo: RepoBuilder) -> None:
    attributes(repo, "*.txt crlf\n*.py -crlf\n")
    repo.write("a.txt", "one\r\n")
    repo.write("src/b.py", "one\r\n")


@situation("A02 legacy crlf=auto, carriage returns already in the index", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{"crlf.txt": "one\r\n"})
    repo.write(".git/info/attributes", "* crlf=auto\n")
    repo.write("crlf.txt", "one\r\ntwo\r\n")


@situation("A02 core.attributesFile", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("../attributes", "*.txt text\n")
    repo.git("config", "core.attributesFile", str(repo.path.parent / "attributes"))
    repo.write("a.txt", "one\r\n")


@situation("A03 core.safecrlf refuses nothing here", MEMORY)
def _(repo: RepoBuilder) -> None:
    attributes(repo, "*.txt text\n")
    repo.git("config", "core.safecrlf", "true")
    repo.write("a.txt", "one\r\ntwo\n")


@situation("A04 an attribute added, the files untouched", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{"crlf.txt": "one\r\n"})
    repo.write(".gitattributes", "*.txt text\n")


@situation("A04 an attribute file deeper down, with an edit", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("src/.gitattributes", "*.py text\n")
    repo.write("src/b.py", "one\r\n")


@situation("A04 the attribute file deleted", INDEX)
def _(repo: RepoBuilder) -> None:
    attributes(repo, "*.txt text\n")
    (repo.path / ".gitattributes").unlink()
    repo.write("a.txt", "one\r\n")


@situation("A05 working-tree-encoding", INDEX)
def _(repo: RepoBuilder) -> None:
    attributes(repo, "*.u16 text working-tree-encoding=UTF-16\n", **{"x.u16": "one\n".encode("utf-16")})
    repo.write("x.u16", "zwei ä\n".encode("utf-16"))
    repo.write("new.u16", "drei\n".encode("utf-16"))


@situation("A05 working-tree-encoding that does not fit the bytes", INDEX, "x.u16", git_refuses=True)
def _(repo: RepoBuilder) -> None:
    attributes(repo, "*.u16 text working-tree-encoding=UTF-16\n", **{"x.u16": "one\n".encode("utf-16")})
    repo.write("x.u16", b"no byte order mark\n")


@situation("A06 attribute patterns: quoted, a folder, unset", MEMORY)
def _(repo: RepoBuilder) -> None:
    attributes(repo, '"a b.txt" text\nsrc/ text\n*.py text\nb.py !text\n', **{"a b.txt": "x\n"})
    for name in ("a b.txt", "src/b.py", "src/deep/c.py"):
        repo.write(name, "one\r\n")


@situation("A07 links in place of .gitignore and .gitattributes", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{"ignore-me": "*.log\n", "attributes": "*.txt text\n"})
    (repo.path / ".gitignore").symlink_to("ignore-me")
    (repo.path / ".gitattributes").symlink_to("attributes")
    repo.write("x.log", "x")
    repo.write("a.txt", "one\r\n")


@situation("A08 ignore patterns that end in a slash, with a negation", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{".gitignore": "/*/\n!src/\ntrail \nspaced\\ \nsrc/**/cache/\n"})
    for name in ("new.py", "other/new.py", "src/new.py", "trail", "spaced ", "src/x/cache/y"):
        repo.write(name, "x")


@situation("A09 settings in the environment", MEMORY)
def _(repo: RepoBuilder) -> Built:
    some_files(repo)
    repo.write("new.txt", "one\r\n")
    repo.write("tool-2", "x", 0o755)
    values = {"core.autocrlf": "input", "core.fileMode": "false"}
    env = {"GIT_CONFIG_COUNT": "2"}
    for number, (key, value) in enumerate(values.items()):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return Built(env=env)


@situation("A09 pathspec switches in the environment", INDEX)
def _(repo: RepoBuilder) -> Built:
    some_files(repo)
    repo.write(".gitattributes", "*.txt text\n")
    repo.git("init", "-q", "inner")
    return Built(env={"GIT_LITERAL_PATHSPECS": "1"}, nested=("inner",))


# ---------------------------------------------------------------- A12 to A16: what stands in or beside the worktree


def inner_repository(repo: RepoBuilder, name: str, commit: bool = True) -> None:
    repo.git("init", "-q", name)
    repo.write(f"{name}/inside.py", "x\n")
    if commit:
        repo.git("add", "-A", cwd=repo.path / name)
        repo.git("commit", "-q", "-m", "Inner", cwd=repo.path / name)


@situation("A12 nested repositories, one of them empty, and nothing else", HEAD)
def _(repo: RepoBuilder) -> Built:
    some_files(repo)
    inner_repository(repo, "inner")
    inner_repository(repo, "deep/er/new", commit=False)
    return Built(nested=("deep/er/new", "inner"))


@situation("A12 a linked worktree inside the worktree", MEMORY)
def _(repo: RepoBuilder) -> Built:
    some_files(repo)
    repo.git("worktree", "add", "-q", ".worktrees/agent")
    repo.write(".worktrees/notes.txt", "x")
    repo.write("a.txt", "changed\n")
    return Built(nested=(".worktrees/agent",))


@situation("A12 nested repositories, the exact way", INDEX)
def _(repo: RepoBuilder) -> Built:
    some_files(repo)
    repo.write(".gitattributes", "*.txt text\n")
    repo.write("in[ner]/beside.txt", "x")
    inner_repository(repo, "in[ner]/repo *")
    inner_repository(repo, "empty", commit=False)
    return Built(nested=("empty", "in[ner]/repo *"))


@situation("A12 nested repositories below an unborn HEAD", INDEX)
def _(repo: RepoBuilder) -> Built:
    inner_repository(repo, "inner")
    return Built(nested=("inner",))


@situation("A12 a nested repository that is ignored", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{".gitignore": "inner/\n"})
    inner_repository(repo, "inner")


@situation("A12 a tracked folder that became a repository itself", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("init", "-q", "src")
    repo.write("src/new.py", "x")
    repo.write("src/b.py", "changed\n")


@situation("A14 same size and time restored, core.trustctime off", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "core.trustctime", "false")
    repo.git("config", "core.checkStat", "minimal")
    before = os.stat(repo.path / "a.txt")
    repo.git("update-index", "--refresh")
    repo.write("a.txt", "b\n")
    os.utime(repo.path / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))


@situation("A16 another git holds the lock of the index", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write(".gitattributes", "*.txt text\n")
    repo.write("a.txt", "changed\n")
    repo.write(".git/index.lock", "")


# ---------------------------------------------------------------- A20 to A29: filters, submodules, names, monitors


POINTER = """import hashlib, sys
content = sys.stdin.buffer.read()
print("storing", file=sys.stderr)
print(f"pointer {hashlib.sha256(content).hexdigest()} {len(content)}")
"""


def pointer_filter(repo: RepoBuilder) -> None:
    """A filter that stores a pointer in place of the content, as large-file stores do."""
    repo.write("../pointer.py", POINTER)
    repo.git("config", "filter.pointer.clean", f"'{sys.executable}' -I '{repo.path.parent / 'pointer.py'}'")
    repo.git("config", "filter.pointer.required", "true")


@situation("A20 a clean filter, new and changed files", MEMORY)
def _(repo: RepoBuilder) -> None:
    pointer_filter(repo)
    attributes(repo, "*.bin filter=pointer -text\n", **{"x.bin": b"\0one"})
    repo.write("x.bin", b"\0two")
    repo.write("new.bin", b"\0three")


@situation("A20 a clean filter and line ends that git converts by itself", INDEX)
def _(repo: RepoBuilder) -> None:
    attributes(repo, "*.up text=auto filter=crlf\n", **{"x.up": "one\r\n"})
    repo.git("config", "filter.crlf.clean", "sed 's/$/\\r/'")
    repo.write("x.up", "two\n")


@situation("A21 a clean filter, only touched", HEAD)
def _(repo: RepoBuilder) -> None:
    pointer_filter(repo)
    attributes(repo, "*.bin filter=pointer -text\n", **{"x.bin": b"\0one"})
    os.utime(repo.path / "x.bin", (1, 1))


@situation("A21 a fresh clone with a keyword filter", HEAD)
def _(repo: RepoBuilder) -> None:
    keyword = ("filter.up.clean=tr a-z A-Z", "filter.up.smudge=tr A-Z a-z")
    for setting in keyword:
        repo.git("config", *setting.split("=", 1))
    attributes(repo, "*.up filter=up\n", **{"x.up": "one\n"})
    options = [word for setting in keyword for word in ("-c", setting)]
    repo.git("clone", "-q", *options, str(repo.path), str(repo.path.parent / "clone"), cwd=repo.path.parent)
    repo.path = repo.path.parent / "clone"


@situation("A23 a required filter that is missing", INDEX, "x.bin", git_refuses=True)
def _(repo: RepoBuilder) -> None:
    pointer_filter(repo)
    attributes(repo, "*.bin filter=pointer -text\n", **{"x.bin": b"\0one"})
    repo.git("config", "filter.pointer.clean", "/nowhere/to/be/found")
    repo.write("x.bin", b"\0two")


def submodule(repo: RepoBuilder) -> Path:
    """A repository with the clean submodule sm; its folder."""
    other = RepoBuilder.create(repo.path.parent / "other", repo.env)
    other.commit("One", files={"inside.py": "1\n"})
    some_files(repo)
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "sm")
    repo.commit("Submodule")
    return repo.path / "sm"


@situation("A24 a clean submodule beside a change", MEMORY)
def _(repo: RepoBuilder) -> None:
    submodule(repo)
    repo.write("a.txt", "changed\n")


@situation("A24 a new commit in the submodule", INDEX)
def _(repo: RepoBuilder) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "New", cwd=submodule(repo))


@situation("A24 a submodule that is not checked out", MEMORY)
def _(repo: RepoBuilder) -> None:
    submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "-f", "sm")
    repo.write("a.txt", "changed\n")


@situation("A24 a submodule whose folder is gone", INDEX)
def _(repo: RepoBuilder) -> None:
    submodule(repo)
    repo.process(["rm", "-r", "sm"])


@situation("A24 a submodule removed and staged", INDEX)
def _(repo: RepoBuilder) -> None:
    submodule(repo)
    repo.git("rm", "-q", "sm")


@situation("A24 a submodule just added", INDEX)
def _(repo: RepoBuilder) -> None:
    submodule(repo)
    repo.git("reset", "-q", "--soft", "HEAD~1")


@situation("A24 a file that became a repository", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "a.txt").unlink()
    repo.git("init", "-q", "a.txt")
    repo.git("commit", "-q", "--allow-empty", "-m", "Inner", cwd=repo.path / "a.txt")


@situation("A25 a new commit in a submodule that is to be ignored", INDEX)
def _(repo: RepoBuilder) -> None:
    folder = submodule(repo)
    repo.git("config", "submodule.sm.ignore", "all")
    repo.git("commit", "-q", "--allow-empty", "-m", "New", cwd=folder)


@situation("A26 core.ignoreCase and a rename by case alone", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "core.ignoreCase", "true")
    (repo.path / "a.txt").rename(repo.path / "A.txt")
    repo.write("Src/New.py", "x")


@situation("A27 a pipe in place of a file", INDEX, "a.txt", git_refuses=True)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "a.txt").unlink()
    os.mkfifo(repo.path / "a.txt")


@situation("A28 a monitor that reports nothing", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write(".git/monitor", "#!/bin/sh\nprintf 'token\\0'\n", 0o755)
    repo.git("config", "core.fsmonitor", ".git/monitor")
    repo.git("config", "core.untrackedCache", "true")
    repo.git("update-index", "--fsmonitor")
    repo.git("status")
    repo.write("a.txt", "changed\n")
    repo.write("new.txt", "x")


# ---------------------------------------------------------------- A30 to A34: repositories that libraries cannot read


def sparse(repo: RepoBuilder, *options: str) -> None:
    some_files(repo, **{"kept/x.py": "x\n", "away/y.py": "y\n", "away/deep/z.py": "z\n"})
    repo.git("sparse-checkout", "set", *options)


@situation("A30 sparse checkout, cone, clean", HEAD)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--cone", "kept")


@situation("A30 sparse checkout, cone, changed", MEMORY)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--cone", "kept")
    repo.write("kept/x.py", "changed\n")
    repo.write("kept/new.py", "new\n")


@situation("A30 sparse checkout, patterns, changed", MEMORY)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--no-cone", "/kept/", "/a.txt")
    repo.write("kept/x.py", "changed\n")


@situation("A30 sparse checkout in a linked worktree", MEMORY)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--cone", "kept")
    repo.git("worktree", "add", "-q", "../linked")
    repo.path = repo.path.parent / "linked"
    repo.git("sparse-checkout", "set", "--cone", "kept")
    repo.write("kept/x.py", "changed\n")


@situation("A30 sparse checkout that leaves out an attribute file", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo, **{"kept/x.txt": "x\n", ".gitattributes": "*.txt text\n"})
    repo.git("sparse-checkout", "set", "--no-cone", "/kept/")
    repo.write("kept/x.txt", "one\r\n")


@situation("A31 sparse index", MEMORY)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--cone", "--sparse-index", "kept")
    repo.write("kept/x.py", "changed\n")


@situation("A31 sparse index, the exact way", INDEX)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--cone", "--sparse-index", "kept")
    repo.write("kept/.gitattributes", "*.py text\n")


@situation("A31 split index", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "core.splitIndex", "true")
    repo.git("update-index", "--split-index")
    repo.commit("Second", files={"src/b.py": "2\n"})
    repo.write("a.txt", "changed\n")


@situation("A31 split index, the exact way", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("config", "core.splitIndex", "true")
    repo.git("update-index", "--split-index")
    repo.commit("Second", files={"src/b.py": "2\n"})
    repo.write(".gitattributes", "*.txt text\n")
    repo.write("a.txt", "changed\n")


@situation("A32 a file outside of the cone", MEMORY)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--cone", "kept")
    repo.write("away/new.py", "new\n")
    repo.write("elsewhere/new.py", "new\n")


@situation("A32 a tracked file outside of the cone, put back and changed", MEMORY)
def _(repo: RepoBuilder) -> None:
    sparse(repo, "--cone", "kept")
    repo.write("away/y.py", "changed\n")


@situation("A33 a partial clone with a change", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.commit("Second", files={"a.txt": "2\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    target = repo.path.parent / "partial"
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.path}", str(target), cwd=repo.path.parent)
    repo.path = target
    repo.write("a.txt", "changed\n")


def other_format(repo: RepoBuilder, option: str) -> None:
    """The repository made anew in another format; skipped by name where this git cannot make it."""
    path = repo.path.parent / "other-format"
    try:
        repo.git("init", "-q", "-b", "main", option, str(path), cwd=repo.path.parent)
    except AssertionError:
        pytest.skip(f"this git has no {option}")
    repo.path = path
    some_files(repo)


@situation("A34 SHA-256, clean", HEAD)
def _(repo: RepoBuilder) -> None:
    other_format(repo, "--object-format=sha256")


@situation("A34 SHA-256, changed", INDEX)
def _(repo: RepoBuilder) -> None:
    other_format(repo, "--object-format=sha256")
    repo.write("a.txt", "changed\n")
    repo.write("new.txt", "x")
    (repo.path / "link").unlink()


@situation("A34 reftable", MEMORY)
def _(repo: RepoBuilder) -> None:
    other_format(repo, "--ref-format=reftable")
    repo.write("a.txt", "changed\n")


# ---------------------------------------------------------------- A41 to A56: index and worktree say different things


@situation("A41 after `git commit PATH`", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("a.txt", "2\n")
    repo.write("src/b.py", "2\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "One path", "a.txt")


@situation("A50 an edited file in a submodule", INDEX, "sm is a submodule with uncommitted content")
def _(repo: RepoBuilder) -> None:
    (submodule(repo) / "inside.py").write_text("edited\n")


@situation("A50 an untracked file in a submodule that is to be ignored", INDEX, "sm is a submodule with uncommitted")
def _(repo: RepoBuilder) -> None:
    (submodule(repo) / "new.py").write_text("x\n")
    repo.git("config", "submodule.sm.ignore", "all")


@situation(
    "A50 a file that became a repository with uncommitted content", INDEX, "a.txt is a submodule with uncommitted"
)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    (repo.path / "a.txt").unlink()
    inner_repository(repo, "a.txt")
    repo.write("a.txt/inside.py", "edited\n")


@situation("A51 assume-unchanged and edited", INDEX)
def _(repo: RepoBuilder) -> Built:
    some_files(repo)
    repo.git("update-index", "--assume-unchanged", "a.txt")
    repo.write("a.txt", "hidden\n")
    return Built(clear=("a.txt",))


@situation("A51 skip-worktree and edited, beside both bits and a visible edit", INDEX)
def _(repo: RepoBuilder) -> Built:
    some_files(repo)
    repo.git("update-index", "--skip-worktree", "a.txt", "src/b.py")
    repo.git("update-index", "--assume-unchanged", "src/b.py")
    repo.write("a.txt", "h\n")
    repo.write("src/b.py", "h\n")
    repo.write("tool", "visible\n")
    return Built(clear=("a.txt", "src/b.py"))


@situation("A51 the bits on files that are not there", HEAD)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("update-index", "--assume-unchanged", "a.txt")
    repo.git("update-index", "--skip-worktree", "src/deep/c.py")
    repo.process(["rm", "-r", "a.txt", "src/deep"])


@situation("A51 core.ignoreStat", INDEX)
def _(repo: RepoBuilder) -> Built:
    repo.git("config", "core.ignoreStat", "true")
    some_files(repo)
    repo.write("a.txt", "hidden\n")
    return Built(clear=("a.txt", "src/b.py", "src/deep/c.py", "tool", "link"))


@situation("A55 an unresolved merge", INDEX)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.git("checkout", "-q", "-b", "other")
    repo.commit("Theirs", files={"a.txt": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Ours", files={"a.txt": "ours\n"})
    assert subprocess.run(["git", "merge", "-q", "other"], cwd=repo.path, env=repo.env, capture_output=True).returncode


@situation("A56 intent to add, kept and deleted", MEMORY)
def _(repo: RepoBuilder) -> None:
    some_files(repo)
    repo.write("later.txt", "later\n", 0o755)
    repo.write("never.txt", "never\n")
    repo.git("add", "-N", "later.txt", "never.txt")
    (repo.path / "never.txt").unlink()


@situation("A51 an edit hidden inside a submodule", INDEX, "sm is a submodule with uncommitted content")
def _(repo: RepoBuilder) -> None:
    folder = submodule(repo)
    repo.git("update-index", "--assume-unchanged", "inside.py", cwd=folder)
    (folder / "inside.py").write_text("hidden\n")


@situation("A51 an edit hidden inside a submodule, split index", INDEX, "sm is a submodule with uncommitted content")
def _(repo: RepoBuilder) -> None:
    folder = submodule(repo)
    repo.git("update-index", "--split-index")
    repo.git("update-index", "--assume-unchanged", "inside.py", cwd=folder)
    (folder / "inside.py").write_text("hidden\n")


@situation(
    "A51 an edit hidden inside a submodule, index version 4",
    INDEX,
    "sm is a submodule with uncommitted content",
)
def _(repo: RepoBuilder) -> None:
    folder = submodule(repo)
    repo.git("update-index", "--index-version=4")
    repo.git("update-index", "--assume-unchanged", "inside.py", cwd=folder)
    (folder / "inside.py").write_text("hidden\n")


@situation("A51 a bit inside a submodule that hides no edit", HEAD)
def _(repo: RepoBuilder) -> None:
    repo.git("update-index", "--assume-unchanged", "inside.py", cwd=submodule(repo))


@situation(
    "A50 files in the folder of a submodule that is not checked out", INDEX, "sm is a submodule with uncommitted"
)
def _(repo: RepoBuilder) -> None:
    submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "-f", "sm")
    repo.write("sm/stray.py", "x")


@situation("A50 a submodule that lost its repository", INDEX, "not a git repository", git_refuses=True)
def _(repo: RepoBuilder) -> None:
    (submodule(repo) / ".git").write_text("gitdir: /nowhere\n")
