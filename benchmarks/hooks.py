"""What our hooks add to a commit, by plain git and under hook hosts; help; merge bases with trailers."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from collections.abc import Iterator

from benchmarks import world
from benchmarks.measure import Command, Rounds, Row, paired, python
from benchmarks.readers import WORK

COMMIT = ["git", "commit", "-q", "--allow-empty", "-m", "Change"]
HOOK = "  - {{id: {id}, name: {id}, language: system, entry: '{entry}', always_run: true, pass_filenames: false}}\n"
ENTRIES = {"noop": "-c pass", "ours": "-m shipmoor_hooks.hook pre-push"}


def rows(folder: str, times: int) -> Iterator[Row]:
    yield from _commit(folder, times)
    yield from _hosts(folder, times)
    start = Command(python("-c", "pass"))
    program = os.path.join(os.path.dirname(sys.executable), "shipmoor-hooks")
    rounds = paired({"python -c pass": start, "help": Command([program, "--help"])}, times)
    yield rounds.row("`--help`", "help", "python -c pass", 7.0)
    repository = world.Repository(os.path.join(folder, "typed"))
    typed = Command([program, "tree"], repository.folder, repository.environ)
    rounds = paired({"python -c pass": start, "typed": typed}, times)
    yield rounds.row("a typed command (`tree`)", "typed", "python -c pass", 7.0)
    yield from _history(folder, times)


def _commit(folder: str, times: int) -> Iterator[Row]:
    commands = {}
    shim = os.path.join(os.path.dirname(os.path.dirname(__file__)), "hooks", "post-commit")
    with open(shim) as stream:
        ours = stream.read().replace("python=''", f"python='{sys.executable}'", 1)
    for name, hook in {"none": "", "raw": f"#!{sys.executable} -I\npass\n", "ours": ours}.items():
        repository = world.Repository(os.path.join(folder, f"commit-{name}"))
        if hook:
            path = os.path.join(repository.folder, ".git", "hooks", "post-commit")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as out:
                out.write(hook)
            os.chmod(path, 0o755)  # noqa: S103  (a hook must be executable)
        commands[name] = Command(COMMIT, repository.folder, repository.environ)
    rounds = paired(commands, times)
    yield rounds.row(
        "what the post-commit hook adds to a commit, plain git", "ours", "raw", 1.3, "a no-op hook, `python -I`",
        less=["none"], less_theirs=["none"], note="the commit itself apart",
    )  # fmt: skip


def _hosts(folder: str, times: int) -> Iterator[Row]:
    for host in ("prek", "pre-commit"):
        program = shutil.which(host, path=os.path.dirname(sys.executable)) or shutil.which(host)
        what = f"our share of a push under {host}, language system"
        if program is None:
            yield Row(what, None, 2.0, "the host's no-op hook", note=f"{host} is not installed here")
            continue
        repository, line = world.gate_world(os.path.join(folder, host), 10_000)
        repository.write(".pre-commit-config.yaml", _config())
        world.git(repository.folder, "add", ".pre-commit-config.yaml")
        tip, base = line.split()[1].decode(), world.git(repository.folder, "rev-parse", "main")
        told = ["--hook-stage", "pre-push", "--from-ref", base, "--to-ref", tip]
        told += ["--remote-branch", "refs/heads/topic", "--local-branch", "refs/heads/topic"]
        commands = {"start": Command(python("-c", "pass"))}
        for hook in ("noop", "ours"):
            words = [program, "run", hook, *told]
            commands[hook] = Command(words, repository.folder, repository.environ)
        yield _share(paired(commands, times), what, host)
    for host in ("lefthook", "husky"):
        if shutil.which(host) is None:
            yield Row(f"{host}'s no-op hook", None, None, "plain git", note=f"{host} is not installed here")


def _share(rounds: Rounds, what: str, host: str) -> Row:
    """(ours - the host's no-op hook) over a start of Python."""
    told = zip(*(rounds.samples[name] for name in ("ours", "noop", "start")), strict=True)
    ratio = statistics.median((ours.cpu - noop.cpu) / start.cpu for ours, noop, start in told)
    note = f"{host} with our gate less {host} with a no-op hook, over `python -c pass`"
    return Row(what, ratio, 2.0, "python -c pass", rounds.median("ours"), rounds.median("noop"), rounds.times, note)


def _history(folder: str, times: int) -> Iterator[Row]:
    """A branch of 20 commits, 500 commits of main behind it, half of all with a trailer."""
    repository = world.Repository(os.path.join(folder, "history"))
    stream = []
    for i in range(520):
        branch = "main" if i < 500 else "topic"
        source = "from refs/heads/main^0\n" if i in (0, 500) else ""
        text = f"Change {i}\n\nTest-Removed: tests/test_a.py::test_{i} -- gone\n" if i % 2 else f"Change {i}\n"
        who = f"Bench <bench@example.org> {1_700_000_000 + i} +0000"
        stream.append(f"commit refs/heads/{branch}\ncommitter {who}\ndata {len(text)}\n{text}{source}\n")
    world.git(repository.folder, "fast-import", "--quiet", stdin="".join(stream))
    here = {"cwd": repository.folder, "environ": repository.environ}
    commands = {
        "ours": Command(python(WORK, "bases", repository.folder), **here),
        "imports": Command(python(WORK, "tree_imports", ""), **here),
        "git merge-base": Command(["git", "merge-base", "main", "topic"], **here),
        "git log": Command(["git", "log", "--format=%H %(trailers:only,unfold) %B", "main..topic"], **here),
        "python -c pass": Command(python("-c", "pass"), **here),
    }
    rounds = paired(commands, times)
    names = ["git merge-base", "git log", "python -c pass"]
    yield rounds.row("merge bases + trailers", "ours", names, 1.2, note="whole process, our imports with it")


def _config() -> str:
    hooks = (HOOK.format(id=name, entry=f"{sys.executable} -I {words}") for name, words in ENTRIES.items())
    return f"repos:\n- repo: local\n  hooks:\n{''.join(hooks)}"
