"""`disclose`: the trailers for the present findings, written into the message of HEAD (design, section 7)."""

from __future__ import annotations

from collections.abc import Callable

from shipmoor_hooks.errors import GitFault, UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Finding, Verdict
from shipmoor_hooks.rules.trailers import line_to_paste

PLACEHOLDER = "<reason>"


def open_findings(verdict: Verdict) -> list[Finding]:
    """The findings that a trailer can disclose and none does yet, one for each line."""
    found: dict[str, Finding] = {}
    for finding in verdict.findings:
        line = line_to_paste(finding) if finding.refuses else None
        if line is not None:
            found.setdefault(line, finding)
    return list(found.values())


def trailers_for(findings: list[Finding], ask: Callable[[Finding], str]) -> list[str]:
    """A trailer for each finding; `ask` gives its reason. Raises UsageFault for an empty reason."""
    lines = []
    for finding in findings:
        reason = " ".join(ask(finding).split())
        if not reason:
            raise UsageFault(
                f"{finding.case} needs a reason", 'shipmoor-hooks disclose --reason "why it is gone (#212)"'
            )
        lines.append((line_to_paste(finding) or "").replace(PLACEHOLDER, reason))
    return lines


def amend(git: Git, lines: list[str]) -> None:
    """Add the trailers to HEAD's message; the tree, the index and the working tree stay. Raises UsageFault, GitFault.

    `--only` without paths keeps what is staged out of the amended commit, which may be an empty one.
    """
    options = [word for line in lines for word in ("--trailer", line)]
    # Whatever the user's configuration does with trailers, every line is added and none replaced.
    plain = ("separators=:", "where=end", "ifExists=addIfDifferent", "ifMissing=add")
    settings = [word for setting in plain for word in ("-c", f"trailer.{setting}")]
    # `commit --trailer` takes a line of dashes in the body for the message's end and puts the lines above it.
    message = git.output("-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%B", "HEAD")
    message = git.output(*settings, "interpret-trailers", "--no-divider", *options, stdin=message)
    kept = ("-c", "i18n.commitEncoding=UTF-8", "commit", "--amend", "--only", "--allow-empty", "--cleanup=whitespace")
    done = git.run(*kept, "--quiet", "--file=-", stdin=message)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise GitFault(
            "git could not amend the message of HEAD: " + (said.splitlines() or ["no reason given"])[-1], stderr=said
        )
