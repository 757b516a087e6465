"""Verdict -> text and JSON. Pure (design, sections 7 and 9; STYLE rule 5).

Text puts the verdict first, then n of N, then the findings grouped and capped, each group with its ways out. Every piece
that comes from outside goes through `visible`.
"""

from __future__ import annotations

from shipmoor_hooks.model import Code, Count, Decision, Finding, Level, Revision, SuiteCount, Verdict
from shipmoor_hooks.rules.trailer_lines import TAKES, wildcard_to_paste
from shipmoor_hooks.rules.verdict import EXIT_OF
from shipmoor_hooks.visible import visible
from shipmoor_hooks.wrapping import wrapped

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

SCHEMA = "shipmoor-hooks.gate/1"
MOST_NOTES = 1000  # JSON, a code
MOST_FINDINGS = 10  # text, a group
MOST_SENTENCES = 3  # text, a group: above that one sentence stands for all, and the others are listed
MOST_NAMES = 3  # text, notes of one code

_HEADLINE = {
    Code.CASE_REMOVED: ("case is gone", "cases are gone"),
    Code.CASE_FEWER: ("case stands fewer times", "cases stand fewer times"),
    Code.CASE_SKIPPED: ("case is newly skipped", "cases are newly skipped"),
    Code.CASE_RED: ("case turned red", "cases turned red"),
    Code.COLLECTION_ERROR: ("file no longer loads", "files no longer load"),
    Code.EXPECTATION_WEAKENED: ("expectation is weaker", "expectations are weaker"),
    Code.SAMPLES_FEWER: ("case has fewer samples", "cases have fewer samples"),
    Code.POLICY_LOOSENED: ("key of the policy is looser", "keys of the policy are looser"),
    Code.CASE_UNREGISTERED: ("case ran before it was committed", "cases ran before they were committed"),
    Code.CASE_UNPROVEN: ("case has no known positive", "cases have no known positive"),
}


# ---------------------------------------------------------------- JSON


def as_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict in the schema `shipmoor-hooks.gate/1`: refusing findings all, notes at most 1,000 a code."""
    return {
        "schema": SCHEMA,
        "verdict": verdict.decision.value,
        "reduced": verdict.reduced,
        "warned": verdict.warned,
        "ref": verdict.ref or None,
        "base": _revision(verdict.base),
        "tip": _revision(verdict.tip),
        "suites": [_suite(s) for s in verdict.suites],
        "findings": [_finding(f, more) for f, more in _capped(verdict.findings)],
    }


def _revision(revision: Revision) -> dict[str, str | None]:
    return {"commit": revision.commit, "tree": revision.tree}


def _count(count: Count | None) -> dict[str, int] | None:
    return {"passed": count.passed, "of": count.of} if count else None


def _suite(row: SuiteCount) -> dict[str, Any]:
    return {
        "suite": row.suite,
        "variant": row.variant,
        "base": _count(row.base),
        "tip": _count(row.tip),
        "runs": {"base": _run_counts(row.base_runs), "tip": _run_counts(row.tip_runs)},
    }


def _run_counts(rows: Sequence[tuple[str, Count]]) -> list[dict[str, Any]]:
    return [{"run": run, "passed": count.passed, "of": count.of} for run, count in rows]


def _finding(finding: Finding, more: int) -> dict[str, Any]:
    disclosed = finding.disclosed
    told: dict[str, Any] = {
        "code": finding.code.value,
        "level": finding.level.value,
        "suite": finding.suite,
        "variant": finding.variant,
        "case": finding.case,
        "base": _count(finding.base),
        "tip": _count(finding.tip),
        "disclosed": {"commit": disclosed.commit, "trailer": disclosed.trailer.value, "reason": disclosed.reason}
        if disclosed
        else None,
        "message": finding.message,
        "next": finding.next_step or None,
    }
    if more:
        told["more"] = more
    return told


def _capped(findings: Sequence[Finding]) -> Iterable[tuple[Finding, int]]:
    """The findings, notes cut at the limit; the last note of a code that was cut says how many are left out."""
    totals: dict[Code, int] = {}
    for finding in findings:
        totals[finding.code] = totals.get(finding.code, 0) + 1
    seen: dict[Code, int] = {}
    for finding in findings:
        number = seen[finding.code] = seen.get(finding.code, 0) + 1
        if finding.level is not Level.NOTE or number <= MOST_NOTES:
            cut = totals[finding.code] - MOST_NOTES
            yield finding, cut if finding.level is Level.NOTE and number == MOST_NOTES and cut > 0 else 0


# ---------------------------------------------------------------- text


def as_text(verdict: Verdict, *, width: int = 100, verbose: bool = False) -> str:
    """The verdict for a person: headline, n of N, findings with their ways out, then notes. Ends with a line feed."""
    lines = [headline(verdict), *(f"  {line}" for line in counts(verdict.suites))]
    lines += [f"\n{part}" for part in findings(verdict, width=width, verbose=verbose)]
    told = notes(verdict, width=width, verbose=verbose)
    if told:
        lines += ["", "notes:", *told]
    return "\n".join(lines) + "\n"


def for_hook(verdict: Verdict) -> tuple[str, str]:
    """What a hook says on stdout, one line where there is nothing to tell, and what follows from it on stderr."""
    if verdict.decision is Decision.ALLOWED and not verdict.warned and not _worth_telling(verdict):
        return f"shipmoor-hooks: {headline(verdict)}", ""
    told = "shipmoor-hooks: " + as_text(verdict)
    if verdict.decision is Decision.ALLOWED:
        return told, ""
    if verdict.watching:
        return told, "shipmoor-hooks: the policy only warns, so the push goes on."
    ref = verdict.ref or "this ref"
    return told, f"shipmoor-hooks: the push of {ref} is refused (exit {EXIT_OF[verdict.decision]})."


def _worth_telling(verdict: Verdict) -> bool:
    quiet = (Code.CASE_ADDED, Code.CASE_MOVED)
    return any(f.code not in quiet for f in verdict.findings)


def findings(verdict: Verdict, *, width: int = 100, verbose: bool = False) -> list[str]:
    """What refuses or cannot be evaluated, a part a group, each with its ways out; then what was disclosed."""
    groups = _groups(f for f in verdict.findings if f.level is not Level.NOTE and f.disclosed is None)
    parts = ["\n".join(_group(group, width, verbose, verdict.findings)) for group in groups]
    disclosed = [f for f in verdict.findings if f.disclosed]
    if disclosed:
        rows = [f"disclosed ({len(disclosed)}):"]
        rows += [f"  {_disclosed(f)}" for f in _first(disclosed, MOST_FINDINGS, verbose)]
        parts.append("\n".join([*rows, *_rest(disclosed, MOST_FINDINGS, verbose)]))
    return parts


def notes(verdict: Verdict, *, width: int = 100, verbose: bool = False) -> list[str]:
    """The lines of the notes."""
    groups = _groups(f for f in verdict.findings if f.level is Level.NOTE)
    return [line for group in groups for line in _notes(group, width, verbose)]


def would_be(verdict: Verdict) -> str:
    """What a push would be told, in a word, whatever the policy's mode."""
    if verdict.warned or verdict.decision is Decision.REFUSED:
        return "would be refused"
    return "would be allowed" if verdict.decision is Decision.ALLOWED else "cannot be evaluated"


def headline(verdict: Verdict) -> str:
    """The answer in one line."""
    where = f"{visible(verdict.ref)}: " if verdict.ref else ""
    open_findings = [f for f in verdict.findings if f.disclosed is None]
    if verdict.decision is Decision.REFUSED or verdict.warned:
        parts = []
        for code, (one, several) in _HEADLINE.items():
            number = sum(f.code is code for f in open_findings)
            if number:
                parts.append(f"{number} {one if number == 1 else several}")
        word = "would be refused (the policy only warns)" if verdict.warned else "refused"
        return f"{where}{word}: {', '.join(parts)}"
    if verdict.decision is Decision.CANNOT_EVALUATE:
        missing = [f for f in open_findings if f.level is Level.NO_EVIDENCE]
        suites = dict.fromkeys(visible(f.suite) for f in missing if f.suite)
        if not suites:
            return f"{where}cannot evaluate: {', '.join(dict.fromkeys(f.code.value for f in missing))}"
        return f"{where}cannot evaluate: there is no usable evidence for {', '.join(suites)}"
    disclosed = sum(f.disclosed is not None for f in verdict.findings)
    told = ", ".join(f"{visible(_name(s))} {s.tip}" for s in verdict.suites) or "nothing was compared"
    return f"{where}allowed: {told}" + (f", {disclosed} disclosed" if disclosed else "")


def counts(suites: Sequence[SuiteCount]) -> list[str]:
    """n of N at base and tip, one line a suite and variant."""
    wide = max((len(visible(_name(s))) for s in suites), default=0)
    return [
        f"{visible(_name(s)):<{wide}}  base {s.base or 'not measured'}, tip {s.tip or 'not measured'}" for s in suites
    ]


def _name(row: SuiteCount) -> str:
    return row.suite + (f" [{row.variant}]" if row.variant else "")


def _groups(findings: Iterable[Finding]) -> list[list[Finding]]:
    groups: dict[tuple[Code, str | None, str | None], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.suite, finding.variant), []).append(finding)
    return list(groups.values())


def _group(group: Sequence[Finding], width: int, verbose: bool, everything: Sequence[Finding]) -> list[str]:
    first = group[0]
    place = f" in {visible(first.suite)}" if first.suite else ""
    place += f" [{visible(first.variant)}]" if first.variant else ""
    lines = [f"{first.code.value} ({len(group)}){place}"]
    shown = _first(group, MOST_FINDINGS, verbose)
    told = shown if len(group) <= MOST_SENTENCES or not all(f.case for f in group) else shown[:1]
    for finding in told:
        lines += _wrapped(finding.message, "  ", width)
    if len(told) < len(shown):
        lines += ["  and likewise:", *(f"    {_case_line(f)}" for f in shown[len(told) :])]
    lines += _rest(group, MOST_FINDINGS, verbose)
    wildcard = _wildcard(group, everything) if len(group) > MOST_FINDINGS else None
    lines += [f"    {line}" for line in _ways_out(shown, names=wildcard is None or verbose)]
    if wildcard:
        lines += ["    Or say why in the last paragraph of a commit message of this push, once for all of them:"]
        lines += [f"        {wildcard}"]
    return lines


def _case_line(finding: Finding) -> str:
    sides = [f"{word} {count}" for word, count in (("base", finding.base), ("tip", finding.tip)) if count]
    return f"{visible(finding.case or '')}  {', '.join(sides)}".rstrip()


def _wildcard(group: Sequence[Finding], everything: Iterable[Finding]) -> str | None:
    """The one counted line that names a group's cases and no others; None where there is none (design, section 4)."""
    takes = TAKES.get(group[0].code)
    cases = {f.case for f in group if f.case is not None}
    if not takes or not cases:
        return None
    rivals = (f.case for f in everything if f.case is not None and takes[0] in TAKES.get(f.code, ()))
    return wildcard_to_paste(cases, rivals, takes[0])


def _ways_out(group: Sequence[Finding], *, names: bool) -> list[str]:
    """The next steps of a group, each sentence once and the lines to paste below it, in the order in which they help.

    `names` is False where one line names all: a part of the lines for single cases would help nobody.
    """
    ways: dict[str, list[str]] = {}
    for finding in group:
        sentence = ""
        for line in finding.next_step.split("\n"):
            if line.startswith("Test-"):
                ways.setdefault(sentence, []).append(visible(line))
            elif line:
                sentence = visible(line)
                ways.setdefault(sentence, [])
    ordered = sorted((s for s in ways if names or not ways[s]), key=lambda s: bool(ways[s]))
    return [line for sentence in ordered for line in (sentence, *(f"    {paste}" for paste in ways[sentence])) if line]


def _notes(group: Sequence[Finding], width: int, verbose: bool) -> list[str]:
    if len(group) <= MOST_NAMES or verbose or group[0].case is None:
        return [line for f in group for line in _wrapped(f"{f.code.value} {f.message}", "  ", width)]
    names = ", ".join(visible(f.case or "") for f in group[:MOST_NAMES])
    return [f"  {group[0].code.value} ({len(group)}): {names} and {len(group) - MOST_NAMES} more"]


def _disclosed(finding: Finding) -> str:
    reason = visible(finding.disclosed.reason) if finding.disclosed else ""
    key = finding.disclosed.trailer.value if finding.disclosed else ""
    return f"{finding.code.value} {visible(finding.case or '')} ({key}: {reason})"


def _first(group: Sequence[Finding], most: int, verbose: bool) -> Sequence[Finding]:
    return group if verbose else group[:most]


def _rest(group: Sequence[Finding], most: int, verbose: bool) -> list[str]:
    left = 0 if verbose else len(group) - most
    return [f"  and {left} more (all of them: --verbose or --format json)"] if left > 0 else []


def _wrapped(message: str, indent: str, width: int) -> list[str]:
    return wrapped(visible(message), max(40, width), indent, indent + "  ")
