"""What happens at a commit: post-commit says what is measured, commit-msg reads our trailers (design, sections 4 and 7).

Nothing of the gate depends on these: cherry-picks, rebases and `git am` run few of them. They tell early what the push
would tell late.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from shipmoor_hooks import history, place, policy, report_files
from shipmoor_hooks.errors import EXIT_ALLOWED, EXIT_REFUSED, EnvironmentFault, EvidenceFault, UsageFault
from shipmoor_hooks.model import CommitMessage, Policy
from shipmoor_hooks.output import say
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import trailers
from shipmoor_hooks.standing_now import standings
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.visible import visible

_OFFERED = 5


def run_post_commit(
    directory: str, environ: Mapping[str, str], now: float, out: TextIO | None, err: TextIO | None
) -> int:
    """Pick up fresh report files that the policy names, then say in a line a suite what this commit's tree has."""
    where = place.find(directory, environ, in_hook=True)
    if where.is_bare:
        return EXIT_ALLOWED
    rules = policy.load_worktree(where)
    if rules is None or not rules.suites:
        return EXIT_ALLOWED
    _pick_up(where, rules, environ, now, err)
    tree = history.tree_of(where.git, "HEAD")
    for standing in standings(where.git, Spool(where.common_dir, where.worktree), rules, tree, {}):
        say(out, "shipmoor-hooks: " + visible(standing.line(now)))
    return EXIT_ALLOWED


def _pick_up(where: Place, rules: Policy, environ: Mapping[str, str], now: float, err: TextIO | None) -> None:
    """Import the reports that the policy's globs name and that are about this tree; whatever is stale is left alone."""
    for suite in rules.suites.values():
        files = report_files.expand(suite.reports, where.require_top()) if suite.reports else []
        if not files or suite.variants:
            continue
        from shipmoor_hooks import capture  # the readers are needed only where there are reports

        try:
            capture.import_reports(where, rules, suite, files, environ=environ, now=now, inside=True)
        except EvidenceFault:
            continue  # stale or unreadable: the line about the suite says that there is no run
        except EnvironmentFault as fault:
            say(err, f"shipmoor-hooks: {visible(fault.message)}")


def run_commit_msg(
    path: str, directory: str, environ: Mapping[str, str], now: float, _out: TextIO | None, err: TextIO | None
) -> int:
    """Refuse a message whose trailers of ours are malformed or misplaced; offer the lines that the run at hand asks for."""
    where = place.find(directory, environ, in_hook=True)
    try:
        with open(path, "rb") as stream:
            raw = stream.read()
    except OSError as error:
        raise UsageFault(f"the message file {path} cannot be read: {error.strerror}") from error
    message = history.cleaned_message(where.git, raw)
    commit = CommitMessage(
        "this message", history.trailers_of_message(where.git, message), message.decode("utf-8", "replace")
    )
    wrong = [f"{visible(w)}" for line in trailers.ours([commit]) if (w := trailers.malformed(line))]
    wrong += [
        f"`{visible(line.trailer.value)}: {visible(line.value)}` stands outside the last paragraph, where git reads no trailers"
        for line in trailers.misplaced([commit])
    ]
    for text in wrong:
        say(err, f"shipmoor-hooks: {text}")
    if wrong:
        say(err, "  next: mend the message; every line is `Test-Removed: CASE -- REASON`, in the last paragraph")
        return EXIT_REFUSED
    _offer(where, commit, environ, now, err)
    return EXIT_ALLOWED


def _offer(where: Place, commit: CommitMessage, environ: Mapping[str, str], now: float, err: TextIO | None) -> None:
    """Where a run of the tree about to be committed is at hand and something is smaller: the lines, and no refusal."""
    if where.is_bare or history.commit_of(where.git, "HEAD") is None:
        return
    from shipmoor_hooks import gate

    try:
        findings = gate.findings_of_commit(where, commit, environ, now)
    except (UsageFault, EnvironmentFault):
        return  # no target yet, or nothing to compare: the push will tell
    lines = [(f, trailers.line_to_paste(f)) for f in findings if f.refuses]
    offered = [(f, line) for f, line in lines if line]
    if not offered:
        return
    say(err, f"shipmoor-hooks: against the merge base {len(lines)} findings are not disclosed yet:")
    for finding, line in offered[:_OFFERED]:
        say(err, f"  {finding.code.value}: {visible(line or '')}")
    if len(offered) > _OFFERED:
        say(err, f"  and {len(offered) - _OFFERED} more: shipmoor-hooks gate")
