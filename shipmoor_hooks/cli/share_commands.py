"""The commands that share: publish, fetch, export (design, section 7)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated

import typer

from shipmoor_hooks import describe, history, policy
from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, answer, check_format
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, EvidenceFault, UsageFault
from shipmoor_hooks.model import Policy
from shipmoor_hooks.place import Place
from shipmoor_hooks.sharing import attestation, fetch_runs, outgoing, share, ssh_signatures
from shipmoor_hooks.sharing.published import Refused
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.trees import scoped_tree
from shipmoor_hooks.visible import visible

RemoteArgument = Annotated[
    str | None, typer.Argument(metavar="REMOTE", help="A remote of this repository; the target's where none is named.")
]
DaysOption = Annotated[
    float, typer.Option("--older-than", metavar="DAYS", min=0, help="Runs older than this many days are let go.")
]


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("publish", short_help="Share runs through the remote.", context_settings=CONTEXT)(publish)
    app.command("export", short_help="Runs as in-toto attestations.", context_settings=CONTEXT)(export)
    app.command("fetch", short_help="Bring the runs that others published.", context_settings=CONTEXT)(fetch)


def publish(
    context: typer.Context,
    remote: RemoteArgument = None,
    sign: Annotated[
        str | None, typer.Option("--sign", metavar="KEY", help="Sign with this SSH key; git's own where none is named.")
    ] = None,
    no_sign: Annotated[bool, typer.Option("--no-sign", help="Sign with no key.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Publish also what names your home folder or your address.")
    ] = False,
    days: DaysOption = share.DEPTH_DAYS,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would leave, publish nothing.")] = False,
    output: FormatOption = "text",
) -> int:
    """Share the runs and records of this machine through the repository's own remote (refs/shipmoor-hooks/runs).

    Case ids, outcomes, digests and conditions leave; no output, no trace. What others published stays.
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    if sign and no_sign:
        raise UsageFault("--sign and --no-sign say opposite things")
    rules = _policy(where)
    name = share.the_remote(where.git, remote, rules.target)
    file = "" if no_sign else sign or ssh_signatures.configured_key(where.git)
    key = ssh_signatures.signing_key(where.git, file) if file else None
    there = share.fetched(where.git, name).blobs
    since = call.now - days * share.DAY
    mine = outgoing.collect(where, call.environ, since, there, key, everything=everything)
    if dry_run:
        done = share.Shared(name, None, tuple(sorted(mine.files)), withheld=mine.withheld)
    else:
        done = share.publish(where, name, mine, call.now, days, _held(where, name, rules))
    if output == "json":
        answer(json.dumps(_publish_json(done), indent=1))
    else:
        word = "would publish" if dry_run else "published"
        runs = sum(path.endswith(".run") for path in done.new)
        records = sum(path.endswith(".record") for path in done.new)
        signatures = sum(path.endswith(".sig") for path in done.new)
        told = f"{word} {runs} runs, {records} records, {signatures} signatures"
        told += f"; let go of {done.dropped} old ones" if done.dropped else ""
        answer(visible(f"{told} ({name})"))
    _tell(call, "not published", done.withheld)
    _tell(call, "refused from the remote's tree", done.refused)
    if done.withheld and not everything:
        call.tell("  next: run from inside the worktree with relative paths, or publish --all")
    return 0


def fetch(
    context: typer.Context,
    remote: RemoteArgument = None,
    days: DaysOption = share.DEPTH_DAYS,
    output: FormatOption = "text",
) -> int:
    """Bring the runs that others published. They count where the base's allowed_signers names who signed them.

    Exit 3 when something in the published tree was refused.
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    name = share.the_remote(where.git, remote, _policy(where).target)
    done = fetch_runs.fetch(where, name, call.now, days)
    if output == "json":
        told = {
            "schema": "shipmoor-hooks.fetch/1",
            "remote": name,
            "commit": done.commit,
            "runs": [describe.run_json(run) for run in done.runs],
            "records": done.records,
            "signatures": done.signatures,
            "dropped": done.dropped,
            "refused": _rows(done.refused),
        }
        answer(json.dumps(told, indent=1))
    elif done.commit is None:
        answer(visible(f"{name} has no published runs"))
    else:
        answer(visible(f"{len(done.runs)} new runs, {done.records} records, {done.signatures} signatures from {name}"))
        for run in done.runs[:20]:
            answer("  " + describe.run_line(run, call.now))
        if len(done.runs) > 20:
            answer(f"  and {len(done.runs) - 20} more")
    _tell(call, "refused", tuple(done.refused))
    return EXIT_NO_EVIDENCE if done.refused else 0


def export(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="The id of a run, or its first digits; HEAD's runs without.")
    ] = None,
    output: Annotated[str, typer.Option("--format", metavar="in-toto", help="The form.")] = "in-toto",
) -> int:
    """Runs as in-toto statements, one a line: a test-result, and the whole run. Exit 3 when there is none to export."""
    call: Call = context.obj
    if output != "in-toto":
        raise UsageFault(f"--format takes in-toto, not {output!r}")
    where = call.find()
    spool = Spool(where.common_dir, where.worktree)
    if name is not None:
        if not name.isalnum():
            raise UsageFault(f"{name!r} is no id of a run", "shipmoor-hooks log")
        runs = {run.id: run for run in spool.by_id(name).runs}
        if len(runs) > 1:
            raise UsageFault(f"{name!r} fits {len(runs)} runs: {', '.join(i[:12] for i in sorted(runs)[:5])}")
    else:
        tree = history.tree_of(where.git, history.require_commit(where.git, "HEAD"))
        newest = {(r.suite, r.variant, str(r.shard)): r for r in spool.at_tree(tree).runs if r.is_complete}
        runs = {run.id: run for run in newest.values()}
    if not runs:
        what = f"run {name!r}" if name else "complete run of HEAD's tree"
        raise EvidenceFault(f"the spool has no {what}", "shipmoor-hooks log")
    for run in runs.values():
        if not run.is_complete or run.tree is None:
            why = run.problems[0].message if run.problems else "it is bound to no tree"
            raise EvidenceFault(f"run {run.id[:12]} is no evidence to hand on: {why}", "shipmoor-hooks run")
        answer(attestation.as_lines(attestation.statements(run, _configured_by(where, run.tree))).rstrip("\n"))
    return 0


def _configured_by(where: Place, tree: str) -> dict[str, str]:
    """The policy's file in a tree, with git's name of its content."""
    files = {}
    for path in (policy.OWN_FILE, policy.SHARED_FILE):
        blob = where.git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{tree}:{path}")
        if blob:
            files[path] = blob
    return files


def _policy(where: Place) -> Policy:
    """The working tree's policy, in a bare repository HEAD's; the defaults where there is none."""
    found = policy.load_worktree(where) if where.top else None
    if found is None and history.commit_of(where.git, "HEAD"):
        found = policy.load_revision(where.git, "HEAD")
    return found or Policy()


def _held(where: Place, remote: str, rules: Policy) -> tuple[str, ...]:
    """The trees of the target as it was last fetched, as each suite sees them: their runs stay whatever their age."""
    branch = rules.target.removeprefix(f"{remote}/")
    commit = history.commit_of(where.git, f"refs/remotes/{remote}/{branch}")
    if commit is None:
        return ()
    tree = history.tree_of(where.git, commit)
    scoped = {scoped_tree.scoped_revision(where.git, tree, s.exclude) for s in rules.suites.values() if s.exclude}
    return (tree, *sorted(scoped))


def _publish_json(done: share.Shared) -> dict[str, object]:
    return {
        "schema": "shipmoor-hooks.publish/1",
        "remote": done.remote,
        "commit": done.commit,
        "new": list(done.new),
        "dropped": done.dropped,
        "refused": _rows(done.refused),
        "withheld": _rows(done.withheld),
    }


def _rows(refused: Iterable[Refused]) -> list[dict[str, str]]:
    return [{"name": r.path, "why": r.why} for r in refused]


def _tell(call: Call, word: str, rows: tuple[Refused, ...]) -> None:
    for row in rows[:20]:
        call.tell(f"shipmoor-hooks: {word}: {row.path}: {row.why}")
    if len(rows) > 20:
        call.tell(f"shipmoor-hooks: {word}: and {len(rows) - 20} more")
