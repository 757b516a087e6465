"""What our hooks add to a commit, by plain git and under hook hosts; help; merge bases with trailers."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from collections.abc import Iterator

import shipmoor_hooks
from benchmarks import world
from benchmarks.measure import Command, Row, paired, python
from shipmoor_hooks.wiring.hook_files import shim_text

BASES = """
import os
from shipmoor_hooks import history, place
here = place.find(os.getcwd(), os.environ)
history.messages(here.git, history.merge_bases(here.git, "main", "topic"), "topic")
"""
COMMIT = ["git", "commit", "-q", "--allow-empty", "-m", "Change"]
HOOK = """\
  - id: {id}
    name: {id}
    language: system
    entry: '{entry}'
    stages: [{stage}]
    always_run: true
    pass_filenames: {named}
"""


def rows(folder: str, times: int) -> Iterator[Row]:
    yield from _commit(folder, times)
    yield from _hosts(folder, times)
    start = Command(python("-c", "pass"))
    program = os.path.join(os.path.dirname(sys.executable), "shipmoor-hooks")
    rounds = paired({"python -c pass": start, "help": Command([program, "--help"])}, times)
    yield rounds.row("`--help`", "help", "python -c pass", 7.0)
    repository = world.Repository(os.path.join(folder, "typed"))
    typed = repository.command([program, "explain", "CASE_RED"])
    rounds = paired({"python -c pass": start, "typed": typed}, times)
    yield rounds.row("a typed command (`explain CASE_RED`)", "typed", "python -c pass", 7.0)
    yield from _history(folder, times)


def _commit(folder: str, times: int) -> Iterator[Row]:
    commands = {}
    ours = shim_text("post-commit", sys.executable)
    for name, hook in {"none": "", "raw": f"#!{sys.executable} -I\npass\n", "ours": ours}.items():
        repository = world.Repository(os.path.join(folder, f"commit-{name}"))
        if hook:
            path = os.path.join(repository.folder, ".git", "hooks", "post-commit")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as out:
                out.write(hook)
            os.chmod(path, 0o755)  # noqa: S103  (a hook must be executable)
        commands[name] = repository.command(COMMIT)
    rounds = paired(commands, times)
    yield rounds.row(
        "what the post-commit hook adds to a commit, plain git", "ours", "raw", 1.3, "a no-op hook, `python -I`",
        less=["none"], less_theirs=["none"], note="the commit itself apart",
    )  # fmt: skip


def _hosts(folder: str, times: int) -> Iterator[Row]:
    for host in ("prek", "pre-commit"):
        program = shutil.which(host, path=os.path.dirname(sys.executable)) or shutil.which(host)
        if program is None:
            yield Row(
                f"our share under {host}", None, 2.0, "the host's no-op hook", note=f"{host} is not installed here"
            )
            continue
        repository, line = world.gate_world(os.path.join(folder, host), 10_000)
        tip, base = line.split()[1].decode(), world.git(repository.folder, "rev-parse", "main")
        push = ["--from-ref", base, "--to-ref", tip, "--remote-name", "origin", "--remote-url", repository.remote]
        push += ["--remote-branch", "refs/heads/topic", "--local-branch", "refs/heads/topic"]
        message = os.path.join(repository.folder, ".git", "COMMIT_EDITMSG")
        told = {"pre-push": push, "post-commit": [], "commit-msg": ["--commit-msg-filename", message]}
        for stage, words in told.items():
            yield from _shares(repository, [program, "run", "--hook-stage", stage, *words], stage, times)
    for host in ("lefthook", "husky"):
        if shutil.which(host) is None:
            yield Row(f"{host}'s no-op hook", None, None, "plain git", note=f"{host} is not installed here")


def _shares(repository: world.Repository, words: list[str], stage: str, times: int) -> Iterator[Row]:
    """What our hook adds under a host over `true`, over a start of Python, by our own file and by the console script.

    The script is what the host calls with `language: python`, from an environment that is there.
    """
    start = os.path.join(os.path.dirname(shipmoor_hooks.__file__), "start.py")
    script = os.path.join(os.path.dirname(sys.executable), "shipmoor-hooks-hook")
    entries = {"noop": "true", "file": f"{sys.executable} -I -S {start} {stage}", "script": f"{script} {stage}"}
    named = str(stage == "commit-msg").lower()
    lines = "".join(HOOK.format(id=name, entry=entry, stage=stage, named=named) for name, entry in entries.items())
    repository.write(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n{lines}")
    world.git(repository.folder, "add", ".pre-commit-config.yaml")
    commands = {"start": Command(python("-c", "pass"))}
    for name in entries:
        here = [*words[:2], name, *words[2:]]
        commands[name] = repository.command(here)
    rounds = paired(commands, times)
    host = os.path.basename(words[0])
    for name, kind, limit in (("file", "system", 2.0), ("script", "python", 3.5)):
        told = zip(*(rounds.samples[key] for key in (name, "noop", "start")), strict=True)
        ratio = statistics.median((ours.cpu - noop.cpu) / python.cpu for ours, noop, python in told)
        note = f"{host} with our hook less {host} with `true`, over `python -c pass`"
        yield Row(
            f"our share of {stage} under {host}, language {kind}", ratio, limit, "python -c pass", rounds.median(name),
            rounds.median("noop"), rounds.times, note,
        )  # fmt: skip


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
    questions = {
        "ours": python("-c", BASES),
        "git merge-base": ["git", "merge-base", "main", "topic"],
        "git log": ["git", "log", "--format=%H %(trailers:only,unfold) %B", "main..topic"],
        "python -c pass": python("-c", "pass"),
    }
    commands = {name: repository.command(words) for name, words in questions.items()}
    rounds = paired(commands, times)
    names = ["git merge-base", "git log", "python -c pass"]
    yield rounds.row("merge bases + trailers", "ours", names, 1.2, note="whole process, our imports with it")
