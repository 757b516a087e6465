"""Which cases a commit has no standing proof of: the stored proofs beside what the commit's tree holds."""

from __future__ import annotations

from collections.abc import Collection

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Finding
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import proof_rules
from shipmoor_hooks.rules.reduction import Question
from shipmoor_hooks.sharing.shared_runs import SharedRuns
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Proof


def unproven_new(
    place: Place, question: Question, new_at_tip: Collection[str], commit: str, shared: SharedRuns | None = None
) -> list[Finding]:
    """CASE_UNPROVEN for each case that is new between the runs of base and tip and has no proof that stands at `commit`.

    `shared` gives the proofs of others that count at the base.
    """
    suite = question.suite.name
    asked = proof_rules.asked_of(new_at_tip, question.base, question.tip)
    found = unproven(place.git, place.common_dir, suite, asked, commit, shared)
    return [replace(finding, suite=suite, variant=question.variant) for finding in found]


def unproven(
    git: Git, common_dir: str, suite: str, cases: Collection[str], commit: str, shared: SharedRuns | None = None
) -> list[Finding]:
    """CASE_UNPROVEN for each of these cases that has no proof that stands at the commit."""
    stored = {case: records.find(common_dir, Proof, suite, case) for case in cases}
    if shared is not None:
        for case, (own, broken) in stored.items():
            stored[case] = (own + shared.records(Proof, "cases", records.case_folder(suite, case)), broken)
    every = [proof for proofs, _ in stored.values() for proof in proofs]
    names = names_at(git, commit, proof_rules.paths_of(every)) if every else {}
    found = []
    for case, (proofs, broken) in stored.items():
        damaged = broken[0].text if broken else ""
        found.append(proof_rules.unproven(case, proofs, names, suite, damaged))
    return [finding for finding in found if finding is not None]


def names_at(git: Git, commit: str, paths: Collection[str]) -> dict[str, str | None]:
    """git's names of what stands at these paths of a commit, "" for its whole tree; None where nothing stands."""
    lines = [p for p in paths if "\n" not in p]
    asked = "".join(f"{commit}:{path}\n" for path in lines).encode("utf-8", "surrogateescape")
    answers = git.output("cat-file", "--batch-check=%(objectname)", stdin=asked).decode("utf-8", "surrogateescape")
    found: dict[str, str | None] = dict.fromkeys(paths)
    for path, answer in zip(lines, answers.splitlines(), strict=True):
        found[path] = None if answer.endswith(" missing") else answer
    return found
