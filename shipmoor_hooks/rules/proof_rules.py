"""Which new cases have no known positive. Pure (design, section 3).

A proof stands as long as the case demands what it demanded when it was proven, and the planted fault is the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence

from shipmoor_hooks.model import Code, Finding, Run
from shipmoor_hooks.store.record_model import Proof

Names = Mapping[str, str | None]  # path -> git's name of what stands there in the tip's tree, None for nothing


def asked_of(new_at_tip: Collection[str], base: Sequence[Run], tip: Sequence[Run]) -> list[str]:
    """The ids that need a proof: cases that ran at the tip and are new, or that only stood at the base without running.

    A case that was added skipped and is let loose in a later push is as new as one that runs at once.
    """
    ran, there = set(), set()
    for case in (c for run in base for c in run.cases if not c.covers):
        there.add(case.id)
        if not case.outcome.is_skip:
            ran.add(case.id)
    ran_at_tip = {c.id for run in tip for c in run.cases if not c.covers and not c.outcome.is_skip}
    return sorted(set(new_at_tip) | ((there - ran) & ran_at_tip))


def paths_of(proofs: Collection[Proof]) -> list[str]:
    """The paths of the tip's tree that decide whether these proofs stand ("" for the whole tree)."""
    return sorted({p.expectation_path for p in proofs} | {p.patch_path for p in proofs if p.patch_path})


def unproven(case: str, proofs: Sequence[Proof], names: Names, suite: str, damaged: str = "") -> Finding | None:
    """CASE_UNPROVEN for a case without a proof that stands; None where one does. `damaged` says what cannot be read."""
    why = [why_not(p, names) for p in proofs]
    if "" in why:
        return None
    reason = why[-1] if why else "no planted fault has shown that it can fall"
    if damaged:
        reason += f"; a stored proof cannot be used: {damaged}"
    return Finding(
        Code.CASE_UNPROVEN,
        f"{case} is new, and {reason}.",
        f"shipmoor-hooks prove {shlex.quote(case)} --fault PATCH --suite {shlex.quote(suite)}",
        case=case,
    )


def why_not(proof: Proof, names: Names) -> str:
    """Why a proof does not stand at the tip, as the end of a sentence; "" where it does."""
    patch = proof.patch_path or f"patch {proof.patch[:12]}"
    if not proof.is_proven:
        return f"under the fault {patch} it fell in {proof.fell} of {len(proof.fault)} samples"
    if names.get(proof.expectation_path) != proof.expectation:
        what = proof.expectation_path or "the tree"
        return f"its proof is stale: {what} is not what was proven at {proof.commit[:12]}"
    there = names.get(proof.patch_path) if proof.patch_path else None
    if there is not None and there != proof.patch_blob:
        return f"its proof is stale: the fault {proof.patch_path} changed since {proof.commit[:12]}"
    return ""
