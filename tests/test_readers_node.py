"""node's own runner and RSpec, run for real where they are: the events, the nested TAP and the JSON that they write."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from shipmoor_hooks.model import RecordKind, Report
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.store.inventory import cases_of

NODE, RSPEC = shutil.which("node"), shutil.which("rspec")
REPORTER = "export default async function* (source) { for await (const e of source) yield JSON.stringify(e) + '\\n'; }"
FILES = {
    "events.mjs": REPORTER,
    "a.test.mjs": """import test, {describe, it, before} from 'node:test';
test('plain', () => {});
test('parent', async (t) => {
  await t.test('one', () => {});
  await t.test('two', async (t) => { await t.test('deep', () => { throw new Error('deep') }) });
});
test('off', {skip: 'why'}, () => {});
test('later', {todo: true}, () => { throw new Error('x') });
test('hash # in name', () => {});
describe('suite', () => { it('inside', () => {}); it.skip('off inside', () => {}); });
describe('hooked', () => { before(() => { throw new Error('b') }); it('h1', () => {}); });
describe('empty', () => {});
test('by itself', async (t) => { await t.test('fine', () => {}); throw new Error('self'); });
""",
    "b.test.mjs": "import test from 'node:test';\ntest('plain', () => {});",
    "c.test.mjs": "throw new Error('load')",
}
A = "a.test.mjs::"
EVENTS = {
    f"{A}plain": "passed",
    f"{A}parent::one": "passed",
    f"{A}parent::two::deep": "failed",
    f"{A}off": "skipped",
    f"{A}later": "xfailed",
    f"{A}hash # in name": "passed",
    f"{A}suite::inside": "passed",
    f"{A}suite::off inside": "skipped",
    f"{A}hooked::h1": "failed",
    f"{A}by itself::fine": "passed",
    "by itself": "suite: failed",
    "b.test.mjs::plain": "passed",
    "c.test.mjs": "file: failed",
}
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def seen(report: Report, folder: Path) -> dict[str, str]:
    tracked = frozenset(p.relative_to(folder).as_posix() for p in folder.rglob("*.*"))
    return {
        c.id: c.outcome.value if c.kind is RecordKind.CASE else f"{c.kind.value}: {c.outcome.value}"
        for c in cases_of([report], tracked, str(folder), ())
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("node")
    for name, text in FILES.items():
        (made / name).write_text(text)
    return made


def node(folder: Path, *options: str) -> bytes:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NODE_")}
    return subprocess.run([NODE or "", *options], cwd=folder, env=environment, capture_output=True, check=False).stdout


@pytest.fixture(scope="module")
def events(folder: Path) -> bytes:
    return node(folder, "--test", "--test-reporter=./events.mjs")


@needs_node
def test_events_are_cases_with_their_files(folder: Path, events: bytes) -> None:
    report = read(events, None, "events.ndjson")
    assert (report.reader, report.problems) == ("node-events", ())
    assert seen(report, folder) == EVENTS


@needs_node
def test_events_and_nested_tap_tell_the_same_but_for_files(folder: Path, events: bytes) -> None:
    report = read(node(folder, "--test", "--test-reporter=tap"), None, "r.tap")
    assert (report.reader, report.problems) == ("tap", ())
    expected = {i.removeprefix(A).removeprefix("b.test.mjs::"): o for i, o in EVENTS.items() if i != "c.test.mjs"}
    # In TAP a file that does not load is a test, an empty `describe` too, and the hook's suite is red with its test.
    assert seen(report, folder) == expected | {"./c.test.mjs": "failed", "empty": "passed"}


@needs_node
def test_events_that_stop_anywhere_are_never_a_whole_run(events: bytes) -> None:
    lines = events.splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if b'"test:plan","data":{"nesting":0' in line)
    for end in range(1, last + 1):
        assert read(b"".join(lines[:end]), None, "r").problems, end
    without = [line for line in lines if not (b'"test:pass"' in line and b'"plain"' in line)]
    assert "were reported" in read(b"".join(without), None, "r").problems[0].message


@needs_node
def test_one_file_without_the_runner_is_read_as_well(folder: Path) -> None:
    report = read(node(folder, "--test-reporter=./events.mjs", "b.test.mjs"), None, "r")
    assert (seen(report, folder), report.problems) == ({"b.test.mjs::plain": "passed"}, ())


SPEC = """RSpec.shared_examples('twice') { it('shared') { } }
RSpec.describe 'Math' do
  it('adds') { expect(1 + 1).to eq 2 }
  it('fails') { expect(1).to eq 2 }
  xit('off') { }
  it('same') { }
  it('same') { }
  include_examples 'twice'
  describe('hooked') { before(:all) { raise 'x' }; it('h1') { } }
  describe('after') { after(:all) { raise 'y' }; it('k1') { } }
end
"""
PLACE = "spec/a_spec.rb::"


@pytest.mark.skipif(RSPEC is None, reason="rspec is not installed")
def test_rspec_writes_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "a_spec.rb").write_text(SPEC)
    command = [RSPEC or "", "--format", "json"]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout
    report = read(out, None, "r.json")
    assert (report.reader, report.problems, report.harness) == ("rspec-json", (), "rspec")
    assert seen(report, tmp_path) == {
        f"{PLACE}Math adds": "passed",
        f"{PLACE}Math fails": "failed",
        f"{PLACE}Math off": "skipped",
        f"{PLACE}Math same": "passed",
        f"{PLACE}Math shared": "passed",
        f"{PLACE}Math hooked h1": "failed",
        f"{PLACE}Math after k1": "passed",
        "errors outside of examples": "suite: error",
    }
    assert read(json.dumps(json.loads(out), indent=1).encode(), None, "r").records == report.records
    (tmp_path / "spec" / "b_spec.rb").write_text("raise 'load'")
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout
    report = read(out, None, "r.json")
    assert "files that do not load: ./spec/b_spec.rb" in report.problems[0].message
    assert seen(report, tmp_path) == {"spec/b_spec.rb": "file: error"}
