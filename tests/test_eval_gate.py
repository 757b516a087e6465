"""The gate over eval suites in a real repository: what changed in a case, what a disclosure needs, and what is not loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from eval_world import NO_AGENT, POLICY, SAYS, EvalSpec, regex
from test_eval_capture import EvalCaptureWorld

from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Regrade, Tally

PLAN = EvalSpec("plan")
WIDER = EvalSpec("plan", graders=(regex("says-fail", "FAIL"), NO_AGENT))
DISCLOSED = "Test-Weakened: plan -- the reply may be in lower case (#55)"


class GateWorld(EvalCaptureWorld):
    """Both sides measured, and the verdict."""

    def both(self, base: Sequence[EvalSpec], tip: Sequence[EvalSpec], *, source: bool = True, **how: Any) -> str:
        first = self.start(base)
        self.of(base, age=3000, name="base")
        made = {"src/app.py": "SIDE = 2\n"} if source else {}
        gone = {f: None for case in base if case.folder not in [t.folder for t in tip] for f in case.files()}
        self.repo.commit(
            files={**gone, **{p: t for c in tip for p, t in c.files().items()}, **made},
            trailers=how.get("trailers", ()),
        )
        self.settle()
        self.of(tip, age=60, name="tip")
        return first

    def gate(self, base: str) -> tuple[int, list[str], dict[str, Any]]:
        done = self.repo.tool("gate", "--base", base, "--format", "json")
        told = json.loads(done.stdout)
        found = [
            f"{f['code']} {f['case'] or ''}".strip() + (" disclosed" if f["disclosed"] else "")
            for f in told["findings"]
        ]
        return done.returncode, found, told


@pytest.fixture
def world(repo: Any) -> GateWorld:
    return GateWorld.create(repo, POLICY)  # type: ignore[return-value]


def test_what_changed_is_told_part_by_part(world: GateWorld) -> None:
    base = world.both([PLAN], [WIDER])
    code, found, told = world.gate(base)
    assert (code, found) == (1, ["EXPECTATION_WEAKENED plan"])
    assert "grader says-fail has another pattern" in told["findings"][0]["message"]
    assert "eval regrade" in told["findings"][0]["message"]


def test_words_alone_do_not_disclose_a_changed_pattern(world: GateWorld) -> None:
    base = world.both([PLAN], [WIDER], trailers=[DISCLOSED])
    code, found, _ = world.gate(base)
    assert (code, found) == (1, ["EXPECTATION_WEAKENED plan", "DISCLOSURE_UNUSED"])


def test_a_recorded_regrade_and_words_do(world: GateWorld) -> None:
    base = world.both([PLAN], [WIDER], trailers=[DISCLOSED])
    old, new = (world.repo.sha(f"{rev}:evals/plan") for rev in (base, "HEAD"))
    record = Regrade(records.new_id(), "evals", "plan", world.now, old, new, (Tally("green", 3, 4, 4),))
    records.write(world.place.common_dir, record)
    code, found, _ = world.gate(base)
    assert (code, found) == (0, ["EXPECTATION_WEAKENED plan disclosed"])


def test_where_no_trace_is_kept_a_run_of_the_bases_tree_under_the_new_graders_stands_for_it(world: GateWorld) -> None:
    base = world.both([PLAN], [WIDER], source=False, trailers=[DISCLOSED])
    code, found, _ = world.gate(base)
    assert (code, found) == (0, ["EXPECTATION_WEAKENED plan disclosed"])


def test_a_scaffold_shows_its_diffstat(world: GateWorld) -> None:
    base = world.both([PLAN], [EvalSpec("plan", scaffold="#!/bin/sh\necho FAIL > out.md\n")])
    code, found, told = world.gate(base)
    assert (code, found) == (1, ["EXPECTATION_WEAKENED plan"])
    assert "scaffold" in told["findings"][0]["message"]
    assert "+1" in told["findings"][0]["message"]


def test_a_red_names_its_graders(world: GateWorld) -> None:
    base = world.both([PLAN], [EvalSpec("plan", "F")])
    code, found, told = world.gate(base)
    assert (code, found) == (1, ["CASE_RED plan"])
    assert "1 of 2; fell: says-fail; held: no-agent" in told["findings"][0]["message"]


def test_the_same_red_alone_at_the_base_clears(world: GateWorld) -> None:
    base = world.both([PLAN], [EvalSpec("plan", "F")])
    world.of([EvalSpec("plan", "PPFPP", runs=1)], age=30, name="alone", tree=base, partial=True)
    code, found, told = world.gate(base)
    assert (code, found) == (0, ["CLEARED plan", "RUN_SET_ASIDE"])
    assert "base red 1 of 6 today; full 0 of 1, alone 1 of 5" in told["findings"][0]["message"]


def test_a_case_that_moved_to_another_folder_is_the_same_case(world: GateWorld) -> None:
    base = world.both([PLAN], [EvalSpec("plan", dir="evals/group/plan")])
    assert world.gate(base)[:2] == (0, [])


def test_equal_folders_need_no_reader_of_yaml(world: GateWorld) -> None:
    """What the hook path promises, seen from inside: neither YAML nor what compares cases is imported."""
    base = world.both([PLAN], [PLAN])
    code = (
        "import sys\nfrom shipmoor_hooks import gate, place\nimport os\n"
        f"verdict = gate.by_hand(place.find({str(world.repo.path)!r}, dict(os.environ)), gate.ByHand({base!r}), {world.now})\n"
        "print(verdict.decision.value, *sorted(m for m in sys.modules if m.split('.')[0] in ('yaml', 'py_mini_racer')"
        " or m.startswith(('shipmoor_hooks.evals.loading', 'shipmoor_hooks.case_changes', 'shipmoor_hooks.evals.yaml'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=world.repo.env, capture_output=True, check=True)
    assert done.stdout.decode().split() == ["allowed"]


def test_fewer_samples_than_one_run_of_the_base_took(world: GateWorld) -> None:
    base = world.both([EvalSpec("plan", "PPP", graders=(SAYS,))], [EvalSpec("plan", "PP", graders=(SAYS,))])
    code, found, told = world.gate(base)
    assert (code, found) == (1, ["SAMPLES_FEWER plan"])
    assert "took 3 valid samples of plan at the base and takes 2" in told["findings"][0]["message"]
