"""A proof in words and as JSON: what fell, what still passed, and what follows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shipmoor_hooks.rules.wording import several
from shipmoor_hooks.store.record_model import Proof, ProofSample


def lines(proof: Proof) -> list[str]:
    """The result, the answer first."""
    fault = proof.patch_path or f"the patch {proof.patch[:12]}"
    green = sum(s.outcome.is_green for s in proof.base)
    if proof.is_proven:
        head = f"PROVEN: {proof.case} falls under {fault}"
    elif proof.fell:
        head = f"NOT PROVEN: {proof.case} falls under {fault} only sometimes"
    else:
        head = f"NOT PROVEN: {proof.case} does not fall under {fault}"
    found = [head, f"  without the fault: passed {green} of {len(proof.base)}{_scores(proof.base)}"]
    found.append(f"  with the fault: fell {proof.fell} of {len(proof.fault)}{_scores(proof.fault)}")
    found += [f"    {note}" for note in dict.fromkeys(s.note for s in proof.fault if s.note)]
    skips = [s.outcome.value for s in proof.fault if s.outcome.is_skip]
    if skips:
        found.append(f"    {several(len(skips), 'sample')} {skips[0]}: that is no fall")
    fell, held = graders(proof.fault)
    if fell or held:
        found += [f"  fell: {_listed(fell)}", f"  still passed: {_listed(held)}"]
    return found


def graders(samples: Sequence[ProofSample]) -> tuple[dict[str, int], dict[str, int]]:
    """The graders that failed, and those that passed in every sample, each with the number of samples."""
    fell: dict[str, int] = {}
    held: dict[str, int] = {}
    for sample in samples:
        for grader in sample.graders:
            counts = fell if grader.passed is False else held if grader.passed else None
            if counts is not None:
                counts[grader.name] = counts.get(grader.name, 0) + 1
    return fell, {name: n for name, n in held.items() if name not in fell}


def as_json(proof: Proof) -> dict[str, Any]:
    """The schema `shipmoor-hooks.proof/1`."""
    fell, held = graders(proof.fault)
    return {
        "schema": "shipmoor-hooks.proof/1",
        "proof": proof.id,
        "suite": proof.suite,
        "case": proof.case,
        "proven": proof.is_proven,
        "patch": {"sha256": proof.patch, "path": proof.patch_path or None},
        "expectation": {"path": proof.expectation_path, "name": proof.expectation},
        "commit": proof.commit,
        "tree": proof.tree,
        "fault_tree": proof.fault_tree,
        "base": {"passed": sum(s.outcome.is_green for s in proof.base), "of": len(proof.base)},
        "fault": {"fell": proof.fell, "of": len(proof.fault)},
        "scores": {"base": [s.score for s in proof.base], "fault": [s.score for s in proof.fault]},
        "fell": fell,
        "held": held,
        "samples": {"base": [_sample(s) for s in proof.base], "fault": [_sample(s) for s in proof.fault]},
        "command": list(proof.command),
    }


def _sample(sample: ProofSample) -> dict[str, Any]:
    return {
        "outcome": sample.outcome.value,
        "score": sample.score,
        "cost": sample.cost,
        "note": sample.note or None,
        "graders": [{"name": g.name, "type": g.type, "passed": g.passed} for g in sample.graders],
    }


def _scores(samples: Sequence[ProofSample]) -> str:
    known = [f"{s.score:.3g}" for s in samples if s.score is not None]
    return f" (score {', '.join(known)})" if known else ""


def _listed(counts: dict[str, int]) -> str:
    most = max(counts.values(), default=0)
    return ", ".join(n if k == most else f"{n} ({k}x)" for n, k in sorted(counts.items())) or "none"
