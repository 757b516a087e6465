"""The real `claude plugin eval` on the example's suite: captured as it is, and every grader's verdict equal to our engine's.

It runs from npm in a network namespace without a route, with an empty environment, a scratch home and a dummy key, over the
stand-in of `messages_service.py`. Needs root (for the namespaces), npm, bubblewrap and socat; skips by name without.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shipmoor_hooks.evals import graders, loading, run_folder, trace, workspace
from shipmoor_hooks.evals.definitions import CaseDefinition
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.evals.regex_engine import RegexEngine
from shipmoor_hooks.store import trace_store

ROOT = Path(__file__).parent.parent
VOYAGE = ROOT / "examples" / "voyage"
PACKAGE = "@anthropic-ai/claude-code@2.1.328"
NEEDED = ("npm", "unshare", "bwrap", "socat", "bash")
WORDS = (
    "--trust-plugin", "--ablation", "none", "--runs", "1", "-j", "4", "--scaffold", "--no-publish", "--keep-temp",
    "--allow-tools", "Bash", "Write",
)  # fmt: skip

pytestmark = [
    pytest.mark.network,
    pytest.mark.matrix,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a network namespace here"),
    *(pytest.mark.skipif(shutil.which(p) is None, reason=f"{p} is not installed") for p in NEEDED),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the real program's `claude`."""
    folder = tmp_path_factory.mktemp("npm")
    words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=500)
    if done.returncode:
        pytest.skip(f"npm cannot install {PACKAGE}: {done.stderr.decode().strip().splitlines()[-1:]}")
    return folder / "node_modules" / ".bin"


class Jail:
    """A folder that stands at /mnt inside the namespace: the plugin's repository, a home, and room for temporary files.

    Neither lies below /tmp or /var/tmp, which the program's sandbox hides from Bash.
    """

    def __init__(self, folder: Path, program: Path) -> None:
        self.folder, self.program = folder, program
        self.plugin = folder / "voyage"
        shutil.copytree(VOYAGE, self.plugin, ignore=shutil.ignore_patterns("results", "__pycache__"))
        for name in ("tmp", "home"):
            (folder / name).mkdir()
        policy = self.plugin / "shipmoor-hooks.toml"
        policy.write_text("".join(line for line in policy.read_text().splitlines(True) if not line.startswith("agent")))
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "A plugin and its evals"]):
            subprocess.run(["git", *words], cwd=self.plugin, check=True)

    def run(self, script: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
        environ = {
            "HOME": "/mnt/home", "LANG": "C.UTF-8", "TMPDIR": "/mnt/tmp", "PYTHONPATH": str(ROOT),
            "PATH": os.pathsep.join([str(self.program), str(Path(sys.executable).parent), os.defpath]),
            **dict.fromkeys(
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER",
                 "DISABLE_ERROR_REPORTING"), "1"),
        }  # fmt: skip
        service = [sys.executable, str(ROOT / "tests" / "messages_service.py"), str(script), str(self.folder)]
        return subprocess.run(
            ["unshare", "-n", "-m", *service, "--", *command],
            env=environ,
            capture_output=True,
            check=False,
            timeout=400,
        )

    def outside(self, path: str) -> Path:
        """A path of the namespace, as it reads here."""
        return self.folder / path.removeprefix("/mnt/")


@pytest.fixture
def jail(tmp_path: Path, program: Path, environment: dict[str, str]) -> Jail:
    (tmp_path / "mnt").mkdir()
    return Jail(tmp_path / "mnt", program)


def misbehaving(folder: Path) -> Path:
    """The example's script, with an agent that does what it was told not to do."""
    document = json.loads((VOYAGE / "replay.json").read_text())
    replies = {reply["prompt"]: reply["steps"] for reply in document["replies"]}
    look = {"description": "look around", "prompt": "look", "subagent_type": "general-purpose"}
    replies["/voyage:trekplan"].insert(0, {"call": "Agent", "input": look})
    replies["/voyage:trekplan --project work/importer"].insert(
        1, {"call": "Write", "input": {"file_path": "work/importer/plan.md", "content": "# Plan\n"}}
    )
    replies["/voyage:trekplan --project work/billing"].insert(
        1, {"call": "Bash", "input": {"command": "cd work/billing && echo plan > plan.md"}}
    )
    replies["/voyage:trekplan --project work/importer --export pr"][0]["say"] = "Error: format ‘pr’ is not supported."
    replies["/voyage:trekreview"].insert(0, {"call": "Bash", "input": {"command": "touch 'œuvre\u2028.md'"}})
    replies["/voyage:trekreview --project work/search --validate"][2:] = [{"say": "It did not PASS."}]
    replies["/voyage:trekreview --project work/mailer --validate"][2:] = [{"say": "The review did not PASS."}]
    path = folder / "misbehaving.json"
    path.write_text(json.dumps(document))
    return path


def our_verdicts(
    jail: Jail, case: CaseDefinition, sample: dict[str, Any], scratch: Path
) -> list[tuple[str, bool | None, str]]:
    """What our engine says of a sample, from the trace and the folder that the program kept."""
    kept = jail.outside(sample["tracePath"])
    cwd = kept.parent.parent / "home" / "cwd"
    scratch.mkdir()
    if case.scaffold_script:
        subprocess.run(["bash", str(jail.plugin / case.dir / case.scaffold_script)], cwd=scratch, check=True)
    created = tuple(run_folder.paths(str(cwd)) - run_folder.paths(str(scratch)))
    seen = Workspace(created, workspace.read(str(cwd), graders.focus_paths(case.graders)))
    with RegexEngine() as engine:
        verdicts = graders.grade(
            engine, case.graders, graders.Recording(trace.read(kept.read_bytes()), seen, case.name)
        )
    return [(g.name, v.passed, v.explanation) for g, v in zip(case.graders, verdicts, strict=True)]


@pytest.mark.parametrize("behaviour", ["as it should", "as it should not"])
def test_our_engine_agrees_with_the_program_on_every_grader(jail: Jail, tmp_path: Path, behaviour: str) -> None:
    script = VOYAGE / "replay.json" if behaviour == "as it should" else misbehaving(tmp_path)
    done = jail.run(script, "claude", "plugin", "eval", ".", *WORDS, "--output-dir", "/mnt/out")
    assert done.returncode == (0 if behaviour == "as it should" else 1), done.stderr.decode()
    result = json.loads(jail.outside("/mnt/out/aggregate-result.json").read_bytes())
    cases = {case.name: case for case in loading.load_folder(str(jail.plugin)).cases}
    assert len(result["cases"]) == len(cases) == 8
    fell = 0
    for found in result["cases"]:
        (sample,) = found["arms"]["with"]
        theirs = [(g["name"], g["passed"], g["explanation"]) for g in sample["graders"]]
        assert our_verdicts(jail, cases[found["name"]], sample, tmp_path / found["name"]) == theirs
        fell += sum(not g["passed"] for g in sample["graders"])
    assert (fell == 0) is (behaviour == "as it should")
    assert behaviour == "as it should" or fell >= 8


def test_the_program_is_captured_as_it_is(jail: Jail, environment: dict[str, str]) -> None:
    """`run --suite evals` starts the real program, keeps what it gave, and leaves nothing of it behind."""
    tool = [sys.executable, "-m", "shipmoor_hooks"]
    done = jail.run(VOYAGE / "replay.json", *tool, "run", "--suite", "evals", "--format", "json")
    run = json.loads(done.stdout[done.stdout.index(b'{\n "schema"') :])
    assert (done.returncode, run["complete"], run["passed"], run["of"]) == (0, True, 8, 8), done.stderr.decode()
    assert run["evidence"] == "observed"
    assert list((jail.folder / "tmp").glob("claude-eval-*")) == []
    kept, broken = trace_store.every(str(jail.plugin / ".git"), "evals")
    assert (len(kept), broken) == (8, ())
    assert {row.passed for row in kept} == {True}
    definitions = {case.name: case for case in loading.load_folder(str(jail.plugin)).cases}
    with RegexEngine() as engine:
        for row in kept:
            data, seen = trace_store.load(str(jail.plugin / ".git"), row)
            verdicts = graders.grade(
                engine, definitions[row.case].graders, graders.Recording(trace.read(data), seen, row.case)
            )
            assert False not in {v.passed for v in verdicts}, row.case
