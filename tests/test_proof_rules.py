"""Which new cases have no known positive (design, section 3)."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from gate_world import POLICY, GateWorld
from repo_builder import RepoBuilder
from rule_world import full, run
from test_records import FELL, GREEN, PROOF

from shipmoor_hooks import gate, place
from shipmoor_hooks.model import Code, Decision, Outcome, Verdict
from shipmoor_hooks.rules import proof_rules
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Proof, ProofSample

NAMES = {PROOF.expectation_path: PROOF.expectation, PROOF.patch_path: "9" * 40}
STANDS = replace(PROOF, patch_blob="9" * 40)


def found(*proofs: Proof, names: dict[str, str | None] = NAMES) -> str:  # type: ignore[assignment]
    finding = proof_rules.unproven("plan", proofs, names, "evals")
    return finding.message if finding else ""


# ---------------------------------------------------------------- a proof that stands


@pytest.mark.parametrize(
    ("proofs", "names"),
    [
        pytest.param([STANDS], NAMES, id="proven, nothing changed since"),
        pytest.param([STANDS], NAMES | {PROOF.patch_path: None}, id="the patch was never committed"),
        pytest.param([replace(STANDS, patch_path="")], NAMES, id="the patch lies outside the repository"),
        pytest.param([replace(STANDS, fault=(GREEN,)), STANDS], NAMES, id="one fault of two fells it"),
        pytest.param([STANDS, replace(STANDS, expectation="0" * 40)], NAMES, id="one of two is of this version"),
    ],
)
def test_a_proof_that_stands(proofs: list[Proof], names: dict[str, str | None]) -> None:
    assert found(*proofs, names=names) == ""


@pytest.mark.parametrize(
    ("proofs", "names", "says"),
    [
        pytest.param([], NAMES, "no planted fault has shown that it can fall", id="none"),
        pytest.param([replace(STANDS, fault=(GREEN,))], NAMES, "fell in 0 of 1 samples", id="it stayed green"),
        pytest.param([replace(STANDS, fault=(FELL, GREEN))], NAMES, "fell in 1 of 2 samples", id="it fell once of two"),
        pytest.param([replace(STANDS, base=(FELL,))], NAMES, "under the fault", id="red at the base"),
        pytest.param([replace(STANDS, fault=(ProofSample(Outcome.SKIPPED),))], NAMES, "fell in 0 of 1", id="skipped"),
        pytest.param([STANDS], NAMES | {PROOF.expectation_path: "0" * 40}, "is stale: evals/plan", id="the case changed"),
        pytest.param([STANDS], NAMES | {PROOF.expectation_path: None}, "is stale: evals/plan", id="the case moved away"),
        pytest.param([STANDS], NAMES | {PROOF.patch_path: "0" * 40}, "the fault faults/plan.patch changed", id="the patch"),
    ],
)  # fmt: skip
def test_a_case_without_one(proofs: list[Proof], names: dict[str, str | None], says: str) -> None:
    assert says in found(*proofs, names=names)


def test_the_next_step_can_be_pasted() -> None:
    finding = proof_rules.unproven("a b; rm -rf", (), {}, "my suite", damaged="its payload is not JSON")
    assert finding is not None
    assert finding.next_step == "shipmoor-hooks prove 'a b; rm -rf' --fault PATCH --suite 'my suite'"
    assert "a stored proof cannot be used: its payload is not JSON" in finding.message


# ---------------------------------------------------------------- which cases are asked


@pytest.mark.parametrize(
    ("base", "tip", "asked"),
    [
        pytest.param("a P", "a P", [], id="nothing new"),
        pytest.param("a P", "a P, b P", ["b"], id="a new case"),
        pytest.param("a P", "a P, b F", ["b"], id="a new case that is red"),
        pytest.param("a P", "a P, b S", [], id="a new case that does not run yet"),
        pytest.param("a P, b S", "a P, b P", ["b"], id="a case that was added skipped and runs now"),
        pytest.param("a P, b F", "a P, b P", [], id="a case that was red"),
        pytest.param("a P, b S", "a P, b S", [], id="a case that is still skipped"),
    ],
)
def test_which_cases_are_asked(base: str, tip: str, asked: list[str]) -> None:
    before, after = run(base), run(tip)
    new = {c.id for c in after.cases if not c.outcome.is_skip} - {c.id for c in before.cases}
    assert proof_rules.asked_of(new, [before], [after]) == [full(a) for a in asked]


# ---------------------------------------------------------------- the gate


@pytest.fixture
def world(repo: RepoBuilder, tmp_path: Path) -> GateWorld:
    world = GateWorld.create(repo, tmp_path / "python", cases=["a"], push=False)
    repo.write("shipmoor-hooks.toml", POLICY + "proofs = true\n")
    world.commit(["a"], "Ask for proofs")
    repo.git("push", "-q", "--no-verify", "-u", "origin", "main")
    repo.git("remote", "set-head", "origin", "main")
    world.branch("work", ["a", "b"])
    return world


def verdict(world: GateWorld) -> Verdict:
    return gate.by_hand(place.find(str(world.repo.path), world.repo.env), gate.ByHand(), time.time())


def proof_at_tip(world: GateWorld, **how: object) -> None:
    path = "tests/test_set.py"
    stands = replace(
        PROOF, suite="unit", case=f"{path}::test_b", expectation=world.repo.sha(f"HEAD:{path}"), expectation_path=path
    )
    records.write(place.find(str(world.repo.path), world.repo.env).common_dir, replace(stands, **how))  # type: ignore[arg-type]


def unproven(world: GateWorld) -> list[str | None]:
    return [f.case for f in verdict(world).findings if f.code is Code.CASE_UNPROVEN]


def test_a_new_case_without_a_proof_is_refused(world: GateWorld) -> None:
    answer = verdict(world)
    (finding,) = [f for f in answer.findings if f.code is Code.CASE_UNPROVEN]
    assert (answer.decision, answer.reduced, finding.case) == (Decision.REFUSED, False, "tests/test_set.py::test_b")
    assert finding.suite == "unit"
    assert finding.next_step.startswith("shipmoor-hooks prove tests/test_set.py::test_b --fault PATCH")


def test_one_with_a_proof_is_allowed(world: GateWorld) -> None:
    proof_at_tip(world)
    assert (verdict(world).decision, unproven(world)) == (Decision.ALLOWED, [])


def test_a_proof_carries_over_to_the_next_commit_as_long_as_the_case_is_the_same(world: GateWorld) -> None:
    proof_at_tip(world)
    world.repo.write("shop.py", "1\n")
    world.commit(["a", "b"])
    assert unproven(world) == []
    world.commit(["a", "b", "b2"])
    assert unproven(world) == ["tests/test_set.py::test_b", "tests/test_set.py::test_b2"]


def test_a_changed_fault_makes_the_proof_stale(world: GateWorld) -> None:
    world.repo.write("faults/plan.patch", "one\n")
    world.commit(["a", "b"])
    proof_at_tip(world, patch_blob=world.repo.sha("HEAD:faults/plan.patch"))
    assert unproven(world) == []
    world.repo.write("faults/plan.patch", "two\n")
    world.commit(["a", "b"])
    assert unproven(world) == ["tests/test_set.py::test_b"]


def test_a_broken_proof_is_named(world: GateWorld) -> None:
    proof_at_tip(world)
    (path,) = Path(place.find(str(world.repo.path), world.repo.env).common_dir).rglob("cases/*/*.record")
    path.write_bytes(path.read_bytes()[:-40])
    (finding,) = [f for f in verdict(world).findings if f.code is Code.CASE_UNPROVEN]
    assert "a stored proof cannot be used" in finding.message


def test_a_suite_that_does_not_ask(world: GateWorld) -> None:
    world.repo.git("switch", "-q", "main")
    world.repo.write("shipmoor-hooks.toml", POLICY)
    world.commit(["a"], trailers=["Test-Policy: suite.unit.proofs -- later"])
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    world.branch("other", ["a", "b"])
    assert unproven(world) == []
