"""Clocks, flipped bytes, newer versions, hostile names, secrets and sizes: the other rows of the table in test_endurance."""

from __future__ import annotations

import base64
import random
import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import rule_world
from capture_world import POLICY, CaptureWorld
from gate_world import junit
from repo_builder import RepoBuilder
from share_world import REF
from test_capture import holding
from test_cli import Inside, inside  # noqa: F401 - a fixture
from test_endurance import CANARY, HOSTILE, MOVING, again, spool  # noqa: F401 - a fixture
from test_spool import TREE, run_of

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.seals.verification import verify
from shipmoor_hooks.store.spool import Spool

DAY = 86400.0
BERLIN = ZoneInfo("Europe/Berlin")

# ---------------------------------------------------------------- clocks that jump


@pytest.fixture(params=["UTC", "Europe/Berlin", "Pacific/Auckland"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


NIGHTS = {
    "across midnight": datetime(2026, 6, 10, 0, 3, tzinfo=BERLIN),
    "across the night that loses an hour": datetime(2026, 3, 29, 4, 0, tzinfo=BERLIN),
    "across the night that has an hour twice": datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
    "across new year": datetime(2027, 1, 1, 0, 1, tzinfo=BERLIN),
}


@pytest.mark.parametrize("now", NIGHTS.values(), ids=NIGHTS)
@pytest.mark.parametrize(
    ("age", "expected"),
    [
        pytest.param(0, "CLEARED", id="equal times"),
        pytest.param(300, "CLEARED", id="five minutes"),
        pytest.param(DAY, "CLEARED", id="a day"),
        pytest.param(DAY + 1, "CASE_RED", id="a day and a second"),
        pytest.param(-120, "CLEARED", id="two minutes ahead"),
        pytest.param(-121, "CASE_RED CLOCK_SUSPECT", id="more than that"),
        pytest.param(-DAY, "CASE_RED CLOCK_SUSPECT", id="set back by a day since"),
        pytest.param(-365 * DAY, "CASE_RED CLOCK_SUSPECT", id="a year ahead"),
        pytest.param(365 * DAY, "CASE_RED", id="a year ago"),
    ],
)
def test_a_day_has_86400_seconds_in_every_zone(
    zone: str, monkeypatch: pytest.MonkeyPatch, now: datetime, age: float, expected: str
) -> None:
    monkeypatch.setattr(rule_world, "NOW", now.timestamp())
    base = [rule_world.run("a P", 40 + max(0, age) / 3600), rule_world.run("a F", age / 3600)]
    found = rule_world.told(rule_world.compare(base, "a F").findings)
    assert " ".join(line.split(" ")[0] for line in found) == expected


def test_runs_of_a_clock_that_was_set_back_are_all_kept(spool: Spool) -> None:  # noqa: F811
    for number, moved in enumerate((0.0, -DAY, 365 * DAY, -365 * DAY, 0.0), 1):
        spool.finish(run_of(number, started=1.7e9 + moved, recorded=1.7e9 + moved))
    found = again(spool).at_tree(TREE)
    assert sorted(r.sequence for r in found.runs) == [1, 2, 3, 4, 5]
    assert verify(again(spool)).is_whole


# ---------------------------------------------------------------- one flipped byte


def flipped(whole: bytes, seed: int) -> Iterator[bytes]:
    """The bytes with one bit of them changed, at 200 places."""
    dice = random.Random(seed)  # noqa: S311 - places, no secrets
    for _ in range(200):
        at = dice.randrange(len(whole))
        yield whole[:at] + bytes([whole[at] ^ 1 << dice.randrange(8)]) + whole[at + 1 :]


def test_a_flipped_byte_in_a_list_of_ids_never_gives_other_cases(spool: Spool) -> None:  # noqa: F811
    stored = spool.finish(run_of(1))
    path = Path(spool.inventory_paths()[0])
    for damaged in flipped(path.read_bytes(), 3):
        path.write_bytes(damaged)
        found = spool.at_tree(TREE)
        assert found.runs in ((), (stored,))
        assert bool(found.runs) != bool(found.broken)


def test_a_flipped_byte_in_a_chain_s_head_loses_no_run(spool: Spool) -> None:  # noqa: F811
    path = Path(spool.root, "runs", "main", "sequence")
    spool.finish(run_of(1))
    whole = path.read_bytes().rstrip()
    for number, damaged in enumerate(list(flipped(whole, 5))[::10], 2):
        path.write_bytes(damaged)
        spool.finish(run_of(number, cases=()))
        assert len(spool.at_tree(TREE).runs) == number


# ---------------------------------------------------------------- commands, in this process


PRINTING = (["status"], ["log"], ["show", "RUN"], ["gate", "--base", "HEAD"], ["stability"], ["tree"], ["doctor"], ["verify"],
            ["export"], ["disclose", "--help"], ["gc", "--dry-run"], ["key", "show"])  # fmt: skip
JSON = (["log"], ["show", "RUN"], ["gate", "--base", "HEAD"], ["stability"], ["verify"], ["key", "show"])


def every_command(call: Inside, world: CaptureWorld) -> str:
    """What all commands that print say about the world, in both forms. Exit codes are those of the design."""
    run = world.found().runs[0].id[:12] if world.found().runs else "0"
    said = ""
    for words in (*PRINTING, *([*words, "--format", "json"] for words in JSON)):
        code, out, err = call(*(run if word == "RUN" else word for word in words), cwd=world.repo.path)
        assert code in (0, 1, 2, 3, 4), words
        said += out + err
    return said


@pytest.fixture
def measured(repo: RepoBuilder) -> CaptureWorld:
    world = CaptureWorld.create(repo)
    world.take(world.report())
    return world


def test_a_newer_version_s_entry_is_left_alone_by_every_command(
    inside: Inside,  # noqa: F811
    measured: CaptureWorld,
) -> None:
    (path,) = (Path(measured.repo.path, ".git")).rglob("*.run")
    newer = path.read_bytes().replace(b"version=1", b"version=999")
    path.write_bytes(newer)
    said = every_command(inside, measured)
    assert "newer version" in said
    assert path.read_bytes() == newer
    assert inside("gate", "--base", "HEAD", cwd=measured.repo.path)[0] == 3


def test_no_command_sends_a_hostile_name_to_a_terminal(inside: Inside, repo: RepoBuilder) -> None:  # noqa: F811
    world = CaptureWorld.create(repo)
    shown = "".join(f"&#{ord(c)};" if ord(c) > 31 or c in "\t\r\n" else c for c in HOSTILE)
    bare = "".join(c for c in shown if c >= " ")
    body = f'<testcase classname="t" name="{bare}"><failure message="{bare}"/></testcase><testcase classname="t" name="b"/>'
    world.take(world.report("build/r.xml", f'<testsuite name="pytest" tests="2">{body}</testsuite>'))
    repo.git("switch", "-q", "-c", "--output=\u202epwn".replace("--", "b--"))
    said = every_command(inside, world)
    assert "\\u202e" in said
    assert not MOVING & set(said)
    assert not list(repo.path.glob("pwn*"))


def test_a_secret_is_in_no_byte_that_is_stored_published_or_printed(
    inside: Inside,  # noqa: F811
    repo: RepoBuilder,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remote = repo.bare_remote()
    world = CaptureWorld.create(
        repo, POLICY.replace('"pytest", "-q"', '"sh", "suite.sh"') + 'reports = ["build/s.xml"]\n'
    )
    values = ("MY_API_TOKEN", "DB_PASSWORD", "USER", "LOGNAME", "HOSTNAME", "PLAIN_VARIABLE", "PYTEST_ADDOPTS_SECRET")
    for name in values:
        monkeypatch.setenv(name, CANARY)
        repo.env[name] = CANARY
    report = junit({"a": "failed", "b": "skipped"}).replace("assert 0", f"token {CANARY}").replace("later", CANARY)
    report = report.replace('<testsuite name="pytest"', f'<testsuite hostname="{CANARY}-host" name="pytest"').replace(
        "</testsuite>", f"<system-out>{CANARY}</system-out><system-err>{CANARY}</system-err></testsuite>"
    )
    suite = f"echo {CANARY} >&2\ncat > build/s.xml <<E\n{report}\nE\nexit 1\n"
    repo.write("suite.sh", suite.replace(CANARY, "$MY_API_TOKEN"))
    repo.commit(files={})
    (repo.path / "build").mkdir()
    world.settle()
    repo.git("push", "-q", "--no-verify", "-u", "origin", "main")
    repo.git("remote", "add", "secret", f"https://ada:{CANARY}@127.0.0.1:9/r.git")
    code, out, err = inside("run", "--", "sh", "suite.sh", f"--token={CANARY}", f"https://a:{CANARY}@h/", cwd=repo.path)
    assert (code, "0 of 2" in out + err) == (1, True)
    said = out + err
    inside("run", cwd=repo.path)
    said += every_command(inside, world)
    for words in (
        ["publish", "origin"],
        ["publish", "secret"],
        ["fetch", "secret"],
        ["gate"],
        ["report"],
        ["report", "--format", "text"],
    ):
        code, out, err = inside(*words, cwd=repo.path)
        said += out + err
    assert repo.process(["git", "rev-parse", "--verify", "-q", REF], cwd=remote).returncode == 0, said
    assert CANARY not in said
    kept = [repo.path / ".git" / "shipmoor-hooks", *(home / n for n in ("state", "cache", "runtime", "data", "config"))]
    assert any(folder.exists() for folder in kept)
    assert holding(CANARY, *(folder for folder in kept if folder.exists())) == []
    pages = list(repo.path.rglob("*.html"))
    assert pages
    assert not [page for page in pages if CANARY.encode() in page.read_bytes()]
    published = repo.process(["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"], cwd=remote).stdout
    assert CANARY.encode() not in published
    payloads = re.findall(rb'"payload": ?"([A-Za-z0-9+/=]+)"', published)
    assert payloads
    assert not [p for p in payloads if CANARY.encode() in base64.b64decode(p)]


# ---------------------------------------------------------------- sizes


def nested(levels: int) -> bytes:
    """A case below this many elements, itself among them."""
    return b"<testsuite>" * (levels - 1) + b'<testcase name="a"/>' + b"</testsuite>" * (levels - 1)


def of_cases(number: int) -> bytes:
    rows = "".join(f'<testcase name="{n}"/>' for n in range(number))
    return f'<testsuite tests="{number}">{rows}</testsuite>'.encode()


CAPS: dict[str, tuple[str, int, Callable[[int], bytes], str]] = {
    "levels": ("MAX_DEPTH", 64, nested, "the cap for depth"),
    "cases": ("MAX_CASES", 50, of_cases, "the cap for cases"),
    "bytes of a file": (
        "MAX_FILE",
        500,
        lambda n: b'<testsuite><testcase name="a"/></testsuite>'.ljust(n),
        "the cap for a file",
    ),
}


@pytest.mark.parametrize("what", CAPS)
def test_each_cap_is_exact_and_named(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    name, cap, content, told = CAPS[what]
    monkeypatch.setattr(limits, name, cap)
    for size in (cap - 1, cap):
        assert read(content(size), None, "r.xml")
    with pytest.raises(ReportFault, match=told) as fault:
        read(content(cap + 1), None, "r.xml")
    assert fault.value.exit_code == 3


@pytest.mark.parametrize("length", [limits.MAX_NAME - 1, limits.MAX_NAME, limits.MAX_NAME + 1, 200_000])
def test_a_long_name_stays_one_case_of_its_own(length: int) -> None:
    names = ["x" * length, "x" * (length - 1) + "y"]
    rows = "".join(f'<testcase classname="t" name="{n}"/>' for n in names)
    records = read(f'<testsuite tests="2">{rows}</testsuite>'.encode(), None, "r.xml").records
    assert len({r.name for r in records}) == 2
    assert all(len(r.name.encode()) <= limits.MAX_NAME for r in records)
