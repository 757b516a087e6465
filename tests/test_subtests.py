"""A suite that is mostly subtests: pytest counts more than twice its records, and only a watched run settles that."""

from __future__ import annotations

import json
import re
import sys
from importlib.util import find_spec

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.store.inventory import COUNTED, problems_of

HAS_SUBTESTS = find_spec("_pytest.subtests") is not None  # since pytest 9
pytestmark = pytest.mark.skipif(not HAS_SUBTESTS, reason="this pytest has no subtests")

TESTS = """
def test_many(subtests):
    for i in range(20):
        with subtests.test(i=i):
            pass
def test_more(subtests):
    for i in range(20):
        with subtests.test(i=i):
            assert i != {odd}
def test_plain(): pass
"""
OPTIONS = ["-q", "-p", "no:cacheprovider", "--junitxml=build/own.xml"]


@pytest.fixture
def world(repo: RepoBuilder) -> RepoBuilder:
    repo.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = json.dumps([sys.executable, "-m", "pytest", *OPTIONS])
    repo.commit(
        files={
            ".gitignore": "build/\n__pycache__/\n",
            "shipmoor-hooks.toml": f"[suite.unit]\ncommand = {command}\n",
            "test_a.py": TESTS.format(odd=99),
        }
    )
    return repo


def ran(world: RepoBuilder) -> tuple[int, dict[str, object], str]:
    done = world.tool("run", "--format", "json")
    out = done.stdout.decode()
    return (
        done.returncode,
        json.loads(out[out.index('{"schema"') if '{"schema"' in out else out.index("{\n") :]),
        (done.stderr.decode()),
    )


def test_a_watched_run_of_subtests_is_complete(world: RepoBuilder) -> None:
    code, run, said = ran(world)
    assert (code, run["complete"], run["passed"], run["of"]) == (0, True, 3, 3)
    assert "pytest counted 43 results and the report holds 3 records: the rest are subtests that passed" in said


def test_a_watched_run_with_a_red_subtest_is_complete_as_well(world: RepoBuilder) -> None:
    world.commit("Break one", files={"test_a.py": TESTS.format(odd=7)})
    code, run, _ = ran(world)
    assert (code, run["complete"], run["passed"], run["of"]) == (1, True, 2, 3)


def test_the_same_report_handed_in_proves_nothing(world: RepoBuilder) -> None:
    ran(world)
    own = world.path / "build" / "own.xml"
    handed_in = world.write("build/in.xml", own.read_text().replace('time="', 'time="1'))
    done = world.tool("capture", "--format", "json", str(handed_in))
    run = json.loads(done.stdout)
    assert (done.returncode, run["complete"]) == (3, False)
    assert "pytest counted 43 results and the report holds 3 records" in run["problems"][0]["message"]


def test_records_that_a_tool_takes_out_are_missed(world: RepoBuilder) -> None:
    """A run whose report loses its red records on the way: watched or not, the counts of the children tell."""
    world.commit("Break one", files={"test_a.py": TESTS.format(odd=7)})
    ran(world)
    text = (world.path / "build" / "own.xml").read_text()
    cut = re.sub(r'<testcase [^>]*name="test_more".*?</testcase>', "", text, flags=re.DOTALL)
    assert cut != text
    report = read(cut.encode(), None, "cut.xml")
    assert "failures and its records show 0" in report.problems[0].message
    assert problems_of([report], watched=True) == report.problems


def test_only_the_count_is_settled() -> None:
    text = (
        '<testsuites><testsuite name="pytest" tests="41"><testcase classname="a" name="b"/>{}</testsuite></testsuites>'
    )
    plain = read(text.format("").encode(), None, "r.xml")
    assert [p.message.startswith(COUNTED) for p in plain.problems] == [True]
    assert problems_of([plain], watched=True) == ()
    assert problems_of([plain]) == plain.problems
    stopped = read(text.format('<testcase classname="" name=""/>').encode(), None, "r.xml")
    assert [p.message for p in problems_of([stopped], watched=True)] == [
        "pytest was interrupted: a record names no test"
    ]
