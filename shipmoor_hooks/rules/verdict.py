"""From findings to the verdict: disclosures, lines to paste, what follows. Pure (design, sections 3, 4 and 10.2)."""

from __future__ import annotations

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import EXIT_ALLOWED, EXIT_NO_EVIDENCE, EXIT_REFUSED
from shipmoor_hooks.model import (
    Code,
    CommitMessage,
    Decision,
    Finding,
    Level,
    Revision,
    SuiteCount,
    Verdict,
)
from shipmoor_hooks.rules.pairing import last_name
from shipmoor_hooks.rules.trailer_lines import line_to_paste, rename_to_paste

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

EXIT_OF = {
    Decision.ALLOWED: EXIT_ALLOWED,
    Decision.REFUSED: EXIT_REFUSED,
    Decision.CANNOT_EVALUATE: EXIT_NO_EVIDENCE,
}
_ORDER = {code: number for number, code in enumerate(Code)}
_RENAMES_OFFERED = 3


def conclude(
    *,
    base: Revision,
    tip: Revision,
    ref: str,
    counts: Sequence[SuiteCount],
    findings: Sequence[Finding],
    commits: Sequence[CommitMessage],
    known: Iterable[str],
    new_at_tip: Collection[str],
    reason_pattern: str = "",
    mode: str = "refuse",
) -> Verdict:
    """Let the commits' trailers disclose what words can disclose, add the ways out, and decide.

    A refusal outweighs missing evidence, missing evidence outweighs nothing (exit 1 before 3 before 0). In mode `warn`
    a refusal is told and let through; evidence that is missing stays missing.
    """
    everything = list(findings)
    if commits:
        from shipmoor_hooks.rules import trailers  # loads what reads messages

        judged, unused = trailers.disclose(
            findings, trailers.ours(commits), known=known, new_at_tip=new_at_tip, reason_pattern=reason_pattern
        )
        everything = [*judged, *unused, *trailers.misplaced_notes(trailers.misplaced(commits))]
    removed = {f.case for f in findings if f.code is Code.CASE_REMOVED}
    offered = sorted(new_at_tip) if max(len(removed), len(new_at_tip)) <= _RENAMES_OFFERED else []
    namesakes: dict[str, list[str]] = {}
    for new in sorted(new_at_tip):
        namesakes.setdefault(last_name(new), []).append(new)
    told = sorted((_with_ways_out(f, _candidates(f, namesakes) or offered) for f in everything), key=_order)
    decision = decide(told)
    let_through = decide(f for f in told if f.level is not Level.REFUSE)
    warned = mode == "warn" and decision is Decision.REFUSED and let_through is Decision.ALLOWED
    if mode == "warn" and decision is Decision.REFUSED:
        decision = let_through
    compared = any(row.base is not None and row.tip is not None for row in counts)
    return Verdict(
        decision=decision,
        reduced=is_reduced(told) or (False if compared else None),
        base=base,
        tip=tip,
        suites=tuple(counts),
        findings=tuple(told),
        ref=ref,
        warned=warned,
        watching=mode == "warn",
    )


def exit_of_push(verdict: Verdict) -> int:
    """The exit code of a push: a policy that only warns lets every one go on."""
    return EXIT_ALLOWED if verdict.watching else EXIT_OF[verdict.decision]


def decide(findings: Iterable[Finding]) -> Decision:
    """What follows from the findings."""
    levels = {f.level for f in findings if f.disclosed is None}
    if Level.REFUSE in levels:
        return Decision.REFUSED
    if Level.NO_EVIDENCE in levels:
        return Decision.CANNOT_EVALUATE
    return Decision.ALLOWED


def _candidates(finding: Finding, namesakes: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The new cases that carry the name of one that is gone: where it may have moved, when git shows no single answer."""
    if finding.code is not Code.CASE_REMOVED or finding.case is None:
        return ()
    found = namesakes.get(last_name(finding.case), ())
    return found if len(found) <= _RENAMES_OFFERED else ()


def _with_ways_out(finding: Finding, new_at_tip: Sequence[str]) -> Finding:
    """The first way out is to restore; then a rename, where there are few candidates; then the line to paste."""
    if not finding.refuses:
        return finding
    paste = line_to_paste(finding)
    if paste is None:
        return finding
    if finding.record:
        return replace(
            finding, next_step="\n".join([finding.next_step, f"Or record what is missing, and say why:\n{paste}"])
        )
    ways = [finding.next_step]
    if finding.code is Code.CASE_REMOVED and finding.case:
        ways += [f"If {new} is its new name:\n{rename_to_paste(finding.case, new)}" for new in new_at_tip]
    ways.append(f"Or say why in the last paragraph of a commit message of this push:\n{paste}")
    return replace(finding, next_step="\n".join(ways))


def _order(finding: Finding) -> tuple[int, str, str, str]:
    return _ORDER[finding.code], finding.suite or "", finding.variant or "", finding.case or ""


def is_reduced(findings: Sequence[Finding]) -> bool:
    """What is, not what follows: true also when everything that got smaller is disclosed."""
    return any(f.code in _REDUCING for f in findings)


_REDUCING = frozenset({
    Code.CASE_REMOVED, Code.CASE_FEWER, Code.CASE_SKIPPED, Code.CASE_RED, Code.COLLECTION_ERROR,
    Code.EXPECTATION_WEAKENED, Code.SAMPLES_FEWER, Code.POLICY_LOOSENED,
})  # fmt: skip
