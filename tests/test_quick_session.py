"""The pytest plugin's short way: what it stores is, but for what is drawn by chance, what the long way stores.

Every test records one session both ways, in two repositories that are alike. `TAKEN` are sessions that the short way must
record to their end, `LEFT` those that it must not begin, `HANDED` those that the long way ends, each with the reason why.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import place, pytest_session
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.pytest_told import Asked, Ended
from shipmoor_hooks.quick import lean_spool, lean_worktree, quick_session
from shipmoor_hooks.quick.quick_session import QuickRun
from shipmoor_hooks.seals import key_ring, verification
from shipmoor_hooks.store import envelope
from shipmoor_hooks.store.spool import Spool

STARTED = 1_796_000_000.25
POLICY = '[suite.unit]\ncommand = ["pytest", "-q"]\n'
FILES: dict[str, str | bytes | None] = {
    "shipmoor-hooks.toml": POLICY,
    ".gitignore": "*.pyc\nbuild/\n.env\n",
    "conftest.py": "",
    "pyproject.toml": "[project]\n",
    ".github/workflows/ci.yml": "on: push\n",
    "tests/test_a.py": "def test_x(): pass\n",
    "tests/more/test_b.py": "def test_z(): pass\n",
    "src/module.py": "",
}
A, B = "tests/test_a.py", "tests/more/test_b.py"
Change = Callable[[RepoBuilder], object]


def nothing(_: RepoBuilder) -> None:
    """The worktree stays as it is."""


def writes(name: str, text: str = "new\n") -> Change:
    return lambda repo: repo.write(name, text)


def removes(name: str) -> Change:
    return lambda repo: (repo.path / name).unlink()


def some_seconds(_: RepoBuilder) -> None:
    """What was written before is no longer fresh (see `worlds`)."""
    time.sleep(0.02)
    lean_worktree._TICK = 0


def commits(**files: str | bytes | None) -> Change:
    return lambda repo: repo.commit(files={name.replace("__", "/"): text for name, text in files.items()})


def policy(text: str) -> Change:
    return lambda repo: repo.commit(files={"shipmoor-hooks.toml": text})


def gits(*words: str) -> Change:
    return lambda repo: repo.git(*words)


def both(*changes: Change) -> Change:
    return lambda repo: [change(repo) for change in changes]


def report(nodeid: str, when: str, outcome: str = "passed", **more: object) -> SimpleNamespace:
    return SimpleNamespace(nodeid=nodeid, when=when, outcome=outcome, **more)


def ran(nodeid: str, outcome: str = "passed", **more: object) -> list[SimpleNamespace]:
    return [report(nodeid, "setup"), report(nodeid, "call", outcome, **more), report(nodeid, "teardown")]


def passed(*nodeids: str) -> list[SimpleNamespace]:
    return [phase for nodeid in nodeids for phase in ran(nodeid)]


@dataclass
class Case:
    """A session: the worktree before it, its words, what pytest told, what happens meanwhile, how it ended."""

    before: Change = nothing
    words: Sequence[str] = ("-q",)
    told: Sequence[SimpleNamespace] = field(default_factory=lambda: passed(f"{A}::test_x", f"{B}::test_z"))
    meanwhile: Change = nothing
    code: int = 0
    collected: int = 2
    deselected: int = 0
    stopped: str = ""
    environ: dict[str, str] = field(default_factory=dict)
    folder: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def asked(self, repo: RepoBuilder) -> Asked:
        return Asked(**{
            "arguments": tuple(self.words), "folder": str(repo.path / self.folder), "rootdir": str(repo.path),
            "testpaths": (), "version": "9.9", "plugins": ("pytest-xdist 3.5",), "python": "CPython 3.11",
            "suite": None, "variant": None, "environ": repo.env | self.environ, **self.more,
        })  # fmt: skip

    def recorded(self, repo: RepoBuilder, begin: Callable[[Asked], Any]) -> str:
        """The session's line, recorded as `begin` does."""
        self.before(repo)
        run = begin(self.asked(repo))
        for phase in self.told:
            (run.records.collected if phase.when == "collect" else run.records.phase)(phase)
        self.meanwhile(repo)
        ended = Ended(self.code, self.collected, self.deselected, self.stopped)
        line: str = run.finish(ended, STARTED + 1.5)
        return line


@pytest.fixture
def worlds(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> tuple[RepoBuilder, RepoBuilder]:
    """Two repositories that are alike, and a user who has a key."""
    monkeypatch.setattr(lean_worktree, "_TICK", lean_worktree._TICK)  # `some_seconds` need not wait for them
    key_ring.of(environment).sealer()
    made = [RepoBuilder.create(tmp_path / name / "work", environment) for name in ("one", "other")]
    for repo in made:
        repo.commit(files=FILES)
    return made[0], made[1]


def short(asked: Asked) -> QuickRun | None:
    return quick_session.begin(asked, STARTED)


def long(asked: Asked) -> Any:
    return pytest_session.begin(asked, STARTED, insisted=False)


def spool(repo: RepoBuilder) -> Spool:
    here = place.find(str(repo.path), repo.env)
    return Spool(here.common_dir, here.worktree, repo.env)


def stored(repo: RepoBuilder) -> dict[str, Any]:
    """The fields of the one entry, in their order, without what is drawn by chance; the chain is whole."""
    own = spool(repo)
    (path,) = own.paths()
    told = envelope.opened("application/vnd.shipmoor-hooks.run+json", 1, Path(path).read_bytes(), own.keys)
    fields = told.fields
    assert verification.verify(own).is_whole
    return fields | {
        "id": "",
        "chain": [len(fields["chain"]["previous"]), bool(fields["chain"]["began"])],
        "seal": told.sealing,
    }


def alike(case: Case, worlds: tuple[RepoBuilder, RepoBuilder]) -> None:
    """Both ways store the same and say the same."""
    said = [case.recorded(repo, how) for repo, how in zip(worlds, (short, long), strict=True)]
    ours, theirs = (stored(repo) for repo in worlds)
    ours["cases"].pop("inventory"), theirs["cases"].pop("inventory")
    assert json.dumps(ours, default=str) == json.dumps(theirs, default=str)
    assert said[0] == said[1]
    first, second = (run.cases for repo in worlds for run in spool(repo).recent(1).runs)
    assert first == second


IDS = [f"{A}::test_x", f"{A}::TestCart::test_y[a b]", f"{A}::TestCart::TestIn::test_z[1-2]", f"{B}::test_z"]
TAKEN = {
    "the-policy's-command": Case(),
    "other-words-of-no-account": Case(words=["-v", "--tb=short", "-s"]),
    "classes-and-parameters": Case(told=passed(*IDS), collected=4),
    "every-outcome": Case(
        told=[*passed(IDS[0]), *ran(IDS[1], "failed"), report(IDS[2], "setup", "failed"), report(IDS[2], "teardown"),
              report(IDS[3], "setup", "skipped"), report(IDS[3], "teardown"), *ran(f"{B}::test_x", "skipped", wasxfail="")],
        collected=5, code=1,
    ),
    "workers-of-xdist": Case(
        told=[report(IDS[0], "call", node=SimpleNamespace(gateway=SimpleNamespace(id="gw0"))),
              report(IDS[3], "call", node=SimpleNamespace(gateway=SimpleNamespace(id="gw1"))),
              report(IDS[3], "teardown", node=SimpleNamespace(gateway=SimpleNamespace(id="gw1"))),
              report(IDS[0], "teardown", node=SimpleNamespace(gateway=SimpleNamespace(id="gw0")))],
    ),
    "a-doctest": Case(told=passed("src/module.py::module.f", "src/module.py::module"), collected=2),
    "a-path": Case(words=[A], told=passed(f"{A}::test_x"), collected=1),
    "a-node-id": Case(words=["-q", f"{A}::TestCart::test_y[a]"], told=passed(f"{A}::TestCart::test_y[a]"), collected=1),
    "all-paths": Case(words=["./"]),
    "testpaths": Case(more={"testpaths": ("tests/",)}),
    "testpaths-named-again": Case(words=["tests"], more={"testpaths": ("tests",)}),
    "a-part-of-testpaths": Case(words=[A], more={"testpaths": ("tests", "docs")}, collected=1),
    "a-keyword": Case(words=["-k", "test_x or test_z", "-m", "not slow"], deselected=3),
    "a-plugin-that-deselects": Case(words=["-x"], deselected=3),
    "stopped-early": Case(words=["-x"], told=ran(f"{A}::test_x", "failed"), code=1, stopped="stopping after 1 failures"),
    "a-suite-of-a-part": Case(policy('[suite.unit]\ncommand = "pytest tests"\n')),
    "a-folder-below": Case(folder="tests"),
    "an-unknown-option": Case(words=["--frobnicate"]),
    "an-absolute-path": Case(words=["/tmp/test_a.py"]),
    "the-environment-selects": Case(environ={"PYTEST_ADDOPTS": "-k x"}),
    "a-path-in-a-folder-below": Case(folder="tests", words=["test_a.py"], collected=1, told=passed(f"{A}::test_x")),
    "many-words": Case(words=["-n2", "--lf", "--cov=src", "--maxfail=1", "--junitxml=build/r.xml"]),
    "an-option-that-counts": Case(words=["-p", "no:cacheprovider"]),
    "behind-python": Case(policy('[suite.unit]\ncommand = "python -m pytest -q"\n')),
    "behind-a-launcher": Case(policy('[suite.unit]\ncommand = ["uv", "run", "pytest"]\n')),
    "another-suite": Case(policy(POLICY + '[suite.web]\ncommand = "npx jest"\n')),
    "the-suite-is-named": Case(more={"suite": "unit"}),
    "a-gate-of-its-own": Case(policy('[gate]\nuntracked = "warn"\nevidence = "observed"\n\n' + POLICY)),
    "ignored-files": Case(both(writes("src/a.pyc"), writes("build/conftest.py"), writes(".env"))),
    "snapshots": Case(commits(tests____snapshots____a_ambr="x", **{"tests/__snapshots__/b.snap": "y"})),
    "an-executable-file": Case(both(gits("update-index", "--chmod=+x", "src/module.py"), gits("commit", "-qm", "x"),
                                    gits("reset", "-q", "--hard"))),
    "a-packed-repository": Case(gits("gc", "-q")),
    "a-detached-head": Case(gits("checkout", "-q", "--detach")),
    "nothing-is-sealed": Case(environ={"SHIPMOOR_HOOKS_SEAL": "off"}),
    "secrets-in-the-environment": Case(environ={"API_TOKEN": "correct-horse", "MY_PASSWORD": "1"}),
    "an-edited-file": Case(writes("src/module.py")),
    "a-staged-file": Case(both(writes("src/module.py"), gits("add", "-A"))),
    "a-deleted-file": Case(removes("src/module.py")),
    "an-untracked-file": Case(writes("tests/test_new.py")),
    "intent-to-add": Case(both(writes("src/new.py"), gits("add", "-N", "src/new.py"))),
    "an-empty-repository-in-the-place-of-a-file": Case(
        both(removes("src/module.py"), lambda repo: RepoBuilder.create(repo.path / "src/module.py", repo.env))
    ),
    "edits-of-every-kind": Case(
        both(writes("src/module.py"), writes("src/b.py", "b"), gits("add", "src/b.py"), writes("src/b.py", "c"),
             writes("tests/test_new.py"), lambda repo: (repo.path / A).chmod(0o755), gits("rm", "-q", "pyproject.toml"),
             lambda repo: (repo.path / "link").symlink_to("src"), writes("conftest.py", "x = 1\n"))
    ),
    "a-test-in-an-untracked-file": Case(writes("tests/test_new.py"), told=passed("tests/test_new.py::test_n"), collected=1),
    "many-untracked-files": Case(both(*(writes(f"docs/{n}.md") for n in range(9)))),
    "staged-and-taken-back": Case(both(writes("src/module.py"), gits("add", "-A"), writes("src/module.py", ""))),
    "old-edits": Case(both(writes("src/module.py"), some_seconds)),
    "old-edits-touched-meanwhile": Case(
        both(writes("src/module.py"), some_seconds), meanwhile=writes("src/module.py")
    ),
    "the-branch-moves-not-its-tree": Case(meanwhile=gits("switch", "-q", "-c", "other")),
    "a-file-that-git-ignores-appears": Case(meanwhile=writes("src/a.pyc")),
}  # fmt: skip


@pytest.mark.parametrize("case", TAKEN.values(), ids=TAKEN)
def test_what_it_records(case: Case, worlds: tuple[RepoBuilder, RepoBuilder], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QuickRun, "long_way", lambda _: pytest.fail("it was handed on"))
    alike(case, worlds)


def test_one_run_after_the_other(worlds: tuple[RepoBuilder, RepoBuilder], monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways in turn add to one chain and read what the other wrote."""
    monkeypatch.setattr(QuickRun, "long_way", lambda _: pytest.fail("it was handed on"))
    repo = worlds[0]
    for number in range(6):
        Case().recorded(repo, short if number % 2 else long)
    found = spool(repo).recent(10)
    assert sorted(run.sequence for run in found.runs) == [2, 4, 6, 8, 10, 12]
    assert not found.broken
    assert verification.verify(spool(repo)).is_whole


LEFT = {
    "attributes-that-changed": Case(writes(".gitattributes", "* text=auto\n")),
    "line-ends-that-git-converts": Case(both(writes(".gitattributes", "* text=auto\n"), gits("add", "-A"),
                                             gits("commit", "-qm", "x"), writes("src/module.py", "a\r\n"))),
    "a-bit-that-hides-edits": Case(gits("update-index", "--assume-unchanged", "src/module.py")),
    "a-skipped-file": Case(gits("update-index", "--skip-worktree", "src/module.py")),
    "a-nested-repository": Case(lambda repo: RepoBuilder.create(repo.path / "inner", repo.env)),
    "a-submodule": Case(gits("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},inner")),
    "an-ignored-conftest": Case(both(commits(_gitignore="conftest.py\n"), commits(), writes(".gitignore", "src/conftest.py\n"),
                                     gits("add", "-A"), gits("commit", "-qm", "x"), writes("src/conftest.py"))),
    "an-ignored-snapshot": Case(both(writes(".gitignore", "*.ambr\n"), gits("add", "-A"), gits("commit", "-qm", "x"),
                                     writes("tests/a.ambr"))),
    "a-policy-with-more": Case(policy(POLICY + 'exclude = ["docs/**"]\n')),
    "untracked-files-are-refused": Case(policy('[gate]\nuntracked = "refuse"\n\n' + POLICY)),
    "two-suites": Case(policy(POLICY + '[suite.more]\ncommand = "pytest more"\n'), more={"suite": "unit"}),
    "a-command-behind-a-shell": Case(policy('[suite.unit]\ncommand = ["sh", "-c", "pytest -q"]\n')),
    "a-variant": Case(more={"variant": "a"}),
    "git-is-told-where-to-look": Case(environ={"GIT_CEILING_DIRECTORIES": "/"}),
    "a-setting-of-git's": Case(gits("config", "include.path", "/nowhere")),
    "a-secret-in-a-word": Case(words=["-k", "not correct-horse"], environ={"API_TOKEN": "correct-horse"}),
    "an-option-that-names-a-secret": Case(words=["-p", "api-key"]),
    "a-key-that-is-gone": Case(environ={"XDG_STATE_HOME": "/nowhere"}),
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT.values(), ids=LEFT)
def test_what_it_leaves_to_the_long_way(case: Case, worlds: tuple[RepoBuilder, RepoBuilder]) -> None:
    case.before(worlds[0])
    assert short(case.asked(worlds[0])) is None
    assert not spool(worlds[0]).paths()


@pytest.mark.parametrize(
    "how", ["an-unborn-head", "no-policy", "a-shared-policy", "no-repository", "a-link", "a-conflict"]
)
def test_places_that_it_leaves(how: str, worlds: tuple[RepoBuilder, RepoBuilder], tmp_path: Path) -> None:
    repo = worlds[0]
    if how == "an-unborn-head":
        repo.git("switch", "-q", "--orphan", "new")
        repo.write("shipmoor-hooks.toml", POLICY)
    elif how == "no-policy":
        repo.commit(files={"shipmoor-hooks.toml": None})
    elif how == "a-shared-policy":
        repo.commit(files={"shipmoor-hooks.toml": None, "pyproject.toml": f"[tool.shipmoor-hooks{POLICY[1:]}"})
    elif how == "no-repository":
        (repo.path / ".git").rename(tmp_path / "moved")
    elif how == "a-link":
        (tmp_path / "link").symlink_to(repo.path)
        repo = RepoBuilder(tmp_path / "link", repo.env)
    else:
        repo.git("switch", "-q", "-c", "other")
        repo.commit(files={"src/module.py": "other\n"})
        repo.git("switch", "-q", "main")
        repo.commit(files={"src/module.py": "main\n"})
        assert repo.process(["git", "merge", "other"]).returncode
    assert short(Case().asked(repo)) is None


HANDED = {
    "an-edited-file-is-edited": Case(writes("src/module.py"), meanwhile=writes("src/module.py", "neu\n")),
    "an-old-edit-is-edited": Case(
        both(writes("src/module.py"), some_seconds), meanwhile=writes("src/module.py", "neu\n")
    ),
    "an-untracked-file-is-edited": Case(writes("src/new.py"), meanwhile=writes("src/new.py", "neu\n")),
    "an-untracked-file-goes": Case(writes("src/new.py"), meanwhile=removes("src/new.py")),
    "an-edit-is-taken-back": Case(writes("src/module.py"), meanwhile=writes("src/module.py", "")),
    "an-edit-is-staged": Case(writes("src/module.py"), meanwhile=gits("add", "-A")),
    "an-edit-is-committed": Case(writes("src/module.py"), meanwhile=commits()),
    "a-file-is-edited": Case(meanwhile=writes("src/module.py")),
    "a-file-is-edited-and-staged": Case(meanwhile=both(writes("src/module.py"), gits("add", "-A"))),
    "a-file-appears": Case(meanwhile=writes("src/new.py")),
    "a-file-goes": Case(meanwhile=removes("src/module.py")),
    "a-file-is-edited-behind-a-bit": Case(
        meanwhile=both(gits("update-index", "--assume-unchanged", "src/module.py"), writes("src/module.py"))
    ),
    "another-commit-of-the-same-tree": Case(meanwhile=commits()),
    "another-commit": Case(meanwhile=commits(src__new="x")),
    "an-edit-that-is-committed": Case(meanwhile=commits(src__module="x")),
    "the-index-is-written-anew": Case(meanwhile=gits("update-index", "--force-write-index")),
    "a-rerun": Case(told=[*ran(f"{A}::test_x", "rerun"), *passed(f"{A}::test_x", f"{B}::test_z")]),
    "a-file-does-not-load": Case(told=[*passed(f"{A}::test_x"), report(B, "collect", "failed")], code=2),
    "a-file-skips-itself": Case(told=[*passed(f"{A}::test_x"), report(B, "collect", "skipped")], collected=1),
    "passes-unexpectedly": Case(told=[*passed(f"{A}::test_x"), *ran(f"{B}::test_z", wasxfail="")]),
    "a-test-that-did-not-end": Case(told=[*passed(f"{A}::test_x"), *ran(f"{B}::test_z")[:2]], code=2),
    "a-code-that-no-case-explains": Case(code=1),
    "red-and-yet-0": Case(told=ran(f"{A}::test_x", "failed"), collected=1),
    "an-internal-error": Case(code=3),
    "interrupted": Case(code=2),
    "no-test": Case(told=[], code=5, collected=0),
    "an-id-twice": Case(told=passed(f"{A}::test_x", f"{A}::test_x")),
    "an-id-once-green-once-red": Case(told=[*passed(f"{A}::test_x"), *ran(f"{A}::test_x", "failed")], code=1),
    "an-address-in-an-id": Case(told=passed(f"{A}::test_x[<f at 0x7f0011223344>]"), collected=1),
    "a-time-in-an-id": Case(told=passed(f"{A}::test_x[2024-05-06T07:08:09.123]"), collected=1),
    "a-file-that-is-in-no-tree": Case(told=passed("build/test_c.py::test_x"), collected=1),
    "a-file-that-is-no-python": Case(told=passed("README.rst::README.rst"), collected=1),
    "two-files-of-one-name": Case(
        commits(**{"tests/more.test_b.py": "", "tests/more/test_b/__init__.py": ""}), told=passed(f"{B}::TestX::test_z"),
        collected=1,
    ),
    "the-configuration-deselects": Case(deselected=2),
}  # fmt: skip


@pytest.mark.parametrize("case", HANDED.values(), ids=HANDED)
def test_what_the_long_way_ends(
    case: Case, worlds: tuple[RepoBuilder, RepoBuilder], monkeypatch: pytest.MonkeyPatch
) -> None:
    handed = []
    real = QuickRun.long_way
    monkeypatch.setattr(QuickRun, "long_way", lambda self: handed.append(1) or real(self))
    alike(case, worlds)
    assert handed


def test_a_start_entry_that_somebody_took_away_is_missed(worlds: tuple[RepoBuilder, RepoBuilder]) -> None:
    repo = worlds[0]
    Case(meanwhile=lambda repo: [os.unlink(path) for path in spool(repo).paths()]).recorded(repo, short)
    assert len(spool(repo).recent(9).runs) == 1
    assert not verification.verify(spool(repo)).is_whole


@pytest.mark.parametrize("how", ["packed", "another-object", "cut-off", "no-zlib"])
def test_head_s_tree_is_git_s_own_where_its_file_does_not_tell(
    how: str, worlds: tuple[RepoBuilder, RepoBuilder]
) -> None:
    """A commit's own file is believed because its bytes have its name; a damaged one is git's to complain about."""
    repo = worlds[0]
    tree, commit = repo.sha("HEAD^{tree}"), repo.sha()
    own = repo.path / ".git/objects" / commit[:2] / commit[2:]
    if how == "packed":
        repo.git("gc", "-q")
    else:
        data = {
            "another-object": zlib.compress(b"commit 5\0tree " + b"1" * 40 + b"\n"),
            "cut-off": own.read_bytes()[:40],
        }
        own.chmod(0o600)
        own.write_bytes(data.get(how, b"x"))
    run = short(Case().asked(repo))
    assert (run.noted.tree if run else None) == (tree if how == "packed" else None)


@pytest.mark.parametrize("where", ["head", "entry", "writing"])
def test_a_damaged_spool_is_left_to_the_long_way(where: str, worlds: tuple[RepoBuilder, RepoBuilder]) -> None:
    repo = worlds[0]
    Case().recorded(repo, short)
    (entry,) = spool(repo).paths()
    head = repo.path / ".git/shipmoor-hooks/runs/main/sequence"
    if where == "head":
        head.write_bytes(b"x" * 40)
    elif where == "entry":
        Path(entry).write_bytes(Path(entry).read_bytes().replace(b"payload", b"PAYLOAD"))
    else:
        head.write_bytes(head.read_bytes().replace(b'"writing":""', b'"writing":"x"'))
    assert short(Case().asked(repo)) is None
    Case().recorded(repo, long)


def test_a_run_that_cannot_be_stored_says_so(
    worlds: tuple[RepoBuilder, RepoBuilder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once a number is taken nothing is tried again: the chain would name what another entry replaces."""
    repo = worlds[0]
    run = short(Case().asked(repo))
    assert run is not None
    for phase in Case().told:
        run.records.phase(phase)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lean_spool, "write_whole", full)
    with pytest.raises(EnvironmentFault, match="No space left"):
        run.finish(Ended(0, 2, 0, ""), STARTED + 1)
    monkeypatch.undo()
    Case().recorded(repo, short if short(Case().asked(repo)) else long)
    assert verification.verify(spool(repo)).is_whole


# ---------------------------------------------------------------- what it costs

# What a session loads of ours beside the plugin itself: nothing that reads a run, no model, no other runner.
LOADED = {
    "pytest_told": "what pytest says, as values",
    "pytest_records": "the outcomes while pytest runs",
    "errors": "of whoever writes files",
    "data_classes": "links of the chain, the test surface, blocks of ids",
    "enums": "the test surface",
    "digest": "SHA-256",
    "git_environment": "git's scrubbed environment",
    "git_process": "git is started",
    "quick": "the package",
    "quick.quick_session": "the short way itself",
    "quick.lean_git": "the repository, found by looking",
    "quick.lean_worktree": "what git says of the worktree",
    "trees": "the package",
    "trees.questions": "how git is asked",
    "quick.plain_policy": "the policy",
    "quick.plain_session": "the session's words",
    "quick.plain_names": "ids, and secrets",
    "quick.lean_spool": "the run is added",
    "quick.lean_envelope": "the envelope and its seal",
    "quick.lean_keys": "the seal key",
    "state": "where the key lies",
    "seals": "the package",
    "seals.chain_head": "what the run follows",
    "store": "the package",
    "store.payload": "the run's fields",
    "store.id_lists": "the list of ids",
    "id_list": "the list of ids, read",
    "whole_files": "files that appear whole",
    "ignored_surface": "the digests of the test surface",
    "surface_table": "the test surface",
}
OF_CHANGES = {
    "git": "further questions",
    "place": "where they are asked",
    "git_values": "a change",
    "trees.git_status": "what changed",
    "trees.tree_in_memory": "the tree with the changes",
    "trees.blob_names": "git's names of files",
    "trees.composed_tree": "the tree's name",
    "trees.tree_listing": "content that is gone",
    "enumeration": "the untracked files in a sentence",
}
# Loaded by pytest itself, whatever its version.
NOT_OURS = ("email.parser", "hmac", "secrets", "tomllib", "pygit2", "keyring", "platformdirs", "typer", "tempfile")
WATCH = """
import os, sys
import pytest
import shipmoor_hooks.pytest_plugin as plugin
before = {}
def watched(hook, **how):
    real = getattr(plugin.Recording, hook)
    def call(self, **given):
        os.environ.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", None)  # of this test, not of the session
        before.setdefault("modules", set(sys.modules))
        return real(self, **given)
    def start(self): return call(self)
    def finish(self, session, exitstatus): return call(self, session=session, exitstatus=exitstatus)
    setattr(plugin.Recording, hook, pytest.hookimpl(**how)(start if "start" in hook else finish))
watched("pytest_sessionstart", tryfirst=True)
watched("pytest_sessionfinish", trylast=True)
counted = {"git": 0, "fsync": 0}
real_spawn, real_sync = os.posix_spawn, os.fsync
def spawn(*given, **named):
    counted["git"] += 1
    return real_spawn(*given, **named)
def sync(handle):
    counted["fsync"] += 1
    return real_sync(handle)
os.posix_spawn, os.fsync = spawn, sync
code = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[plugin])
print("LOADED", *sorted(name for name in set(sys.modules) - before["modules"]))
print("COUNTED", counted["git"], counted["fsync"], code)
"""


def watched(repo: RepoBuilder, *words: str) -> tuple[set[str], list[int]]:
    """What a real session loads between its start and its end, and how many git processes and fsyncs it costs."""
    source = str(Path(quick_session.__file__).parent.parent.parent)
    env = {"PYTHONPATH": source, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = repo.process([sys.executable, "-c", WATCH, *words], env=env)
    told = {line.partition(" ")[0]: line.split()[1:] for line in done.stdout.decode().splitlines()}
    assert "LOADED" in told, done.stdout.decode() + done.stderr.decode()
    return set(told["LOADED"]), [int(number) for number in told["COUNTED"]]


def ours(modules: set[str]) -> set[str]:
    return {name.removeprefix("shipmoor_hooks.") for name in modules if name.startswith("shipmoor_hooks")}


def test_what_a_session_of_one_test_costs(worlds: tuple[RepoBuilder, RepoBuilder]) -> None:
    repo = worlds[0]
    repo.commit(files={".gitignore": "__pycache__/\n"})
    watched(repo, "--shipmoor")
    modules, (git, synced, code) = watched(repo, "--shipmoor", A)
    assert ours(modules) == set(LOADED)
    assert not [name for name in modules if name.startswith(NOT_OURS)]
    # The index and the status at once, the status again. The start entry, the run, the list of ids: each a file
    # and its folder.
    assert (git, synced, code) == (3, 6, 0)
    _, (git, synced, _) = watched(repo, "--shipmoor", A)
    assert (git, synced) == (3, 4), "the list of ids is there"


def test_what_a_session_costs_where_files_changed(worlds: tuple[RepoBuilder, RepoBuilder]) -> None:
    repo = worlds[0]
    repo.commit(files={".gitignore": "__pycache__/\n"})
    repo.write(B, "def test_z(): pass\ndef test_new(): pass\n")
    repo.write("tests/test_c.py", "def test_c(): pass\n")
    os.utime(repo.path / B)
    watched(repo, "--shipmoor")
    time.sleep(2.6)  # else the files are fresh, and hashed again when the session ends
    modules, (git, synced, code) = watched(repo, "--shipmoor", A)
    assert ours(modules) == set(LOADED | OF_CHANGES)
    assert not [name for name in modules if name.startswith(NOT_OURS)]
    # The same and, of what changed, git's settings, its attributes, its name, and the folders around it.
    assert (git, synced, code) == (7, 6, 0)
