"""The gate as git's hook and as a command: which refs are judged, against what, and what is printed (design, 3 and 7).

Every ref of a push is judged; 1 (refused) outweighs 3 (cannot evaluate), which outweighs 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TextIO

from shipmoor_hooks import evaluate, history, place, receipts, target
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.errors import EXIT_ALLOWED, EXIT_NO_EVIDENCE, EXIT_REFUSED, UsageFault
from shipmoor_hooks.model import Code, CommitMessage, Finding, Verdict
from shipmoor_hooks.output import flush, say
from shipmoor_hooks.place import Place
from shipmoor_hooks.push import Push, Update, judged
from shipmoor_hooks.quick import push_caller
from shipmoor_hooks.render import as_json, as_text, for_hook
from shipmoor_hooks.rules.verdict import EXIT_OF as EXIT_OF
from shipmoor_hooks.rules.verdict import exit_of_push
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.target import Bases, Remotes
from shipmoor_hooks.trees import index_tree
from shipmoor_hooks.visible import visible

FOR_CI = ("github", "gitlab", "markdown")  # formats, beside text and json
_WORST_FIRST = (EXIT_REFUSED, EXIT_NO_EVIDENCE, EXIT_ALLOWED)


@dataclass(frozen=True, slots=True)
class ByHand:
    """What `gate` was asked on the command line."""

    base: str | None = None
    tip: str = "HEAD"
    suite: str | None = None
    merge_result: bool = False


def run_pre_push(
    push: Push,
    directory: str,
    environ: Mapping[str, str],
    now: float,
    out: TextIO | None,
    err: TextIO | None,
    said: Mapping[str, Mapping[str, str]] | None = None,
) -> int:
    """Judge every ref of a push and print what follows; the exit code for git.

    `said` is what remotes have answered already (`target.Remotes`).
    """
    where = place.find(directory, environ, in_hook=True)
    answered: dict[tuple[str, Bases], Verdict] = {}
    codes = [EXIT_ALLOWED]
    remotes = Remotes(where.git, said)
    # Where nobody reads (`out`, `err`), our own hook has judged this very push and kept its receipts.
    silent = (out is None and err is None) or push_caller.is_dry_run()
    for update in push.updates:
        verdict = judge_update(where, update, push, now, remotes, answered) if judged(update) else None
        if verdict is not None:
            codes.append(exit_of_push(verdict))
            tell(verdict, out, err)
            why_not = "" if silent else receipts.keep(where, verdict, now)
            if why_not:
                say(err, f"shipmoor-hooks: no receipt of this verdict was kept: {visible(why_not)}")
            if not silent and any(f.code is Code.CLEARED for f in verdict.findings):
                _keep_clearings(where, verdict, now, err)
    return worst(codes)


def _keep_clearings(where: Place, verdict: Verdict, now: float, err: TextIO | None) -> None:
    from shipmoor_hooks import clearings  # few pushes have one

    why_not = clearings.keep(where, verdict, now)
    if why_not:
        say(err, f"shipmoor-hooks: what cleared a red could not be kept: {visible(why_not)}")


def judge_update(
    where: Place,
    update: Update,
    push: Push,
    now: float,
    remotes: Remotes,
    answered: dict[tuple[str, Bases], Verdict],
) -> Verdict | None:
    """The verdict on one ref of a push; None for what is no commit. Equal tips against equal bases are judged once."""
    tip = history.commit_of(where.git, update.local or "")
    if tip is None:
        if push.from_host:
            raise UsageFault(f"the hook host names {update.local!r}, which is no commit here")
        if not history.has_object(where.git, update.local or ""):
            raise UsageFault(f"{update.local} is to be pushed, but {where.git_dir} has no such object")
        return None
    name = update.remote_ref or update.local_ref
    aim = target.gate_target(where.git, tip, remotes, lambda n: target.for_push(where.git, n, push, remotes))
    bases = target.bases_of(where.git, where.common_dir, tip, update, push, aim, remotes)
    key = (tip, bases)
    if key in answered:
        return replace(answered[key], ref=name)
    notes = (_refs_hidden(name),) if push.from_host else ()
    verdict = evaluate.judge(where, evaluate.Request(tip, bases, now, ref=name, notes=notes))
    answered[key] = verdict
    return verdict


def by_hand(where: Place, asked: ByHand, now: float) -> Verdict:
    """The verdict that a person asks for. Raises UsageFault where base or tip cannot be resolved."""
    git = where.git
    tip = history.require_commit(git, asked.tip)
    if asked.base is not None:
        base = history.require_commit(git, asked.base)
        bases = Bases((base,), None) if asked.merge_result else target.named(git, where.common_dir, tip, base)
    else:
        remotes = Remotes(git)
        aim = target.gate_target(git, tip, remotes, lambda n: target.by_hand(git, n, remotes))
        if asked.merge_result and aim.tip is not None:
            bases = Bases((aim.tip,), aim)
        else:
            bases = target.with_target(git, where.common_dir, tip, aim)
    request = evaluate.Request(tip, bases, now, suite=asked.suite, merge_result=asked.merge_result)
    return evaluate.judge(where, request)


def findings_of_commit(
    where: Place, message: CommitMessage, environ: Mapping[str, str], now: float
) -> tuple[Finding, ...]:
    """What the tree that is about to be committed gives against the target, with the message that it will carry.

    Nothing when no run of that tree is at hand. Raises UsageFault and GitFault where there is no target or no tree.
    """
    git = where.git
    head = history.require_commit(git, "HEAD")
    tree = index_tree.capture_index(where, environ).tree
    if tree is None or not Spool(where.common_dir, where.worktree).at_tree(tree).runs:
        return ()
    remotes = Remotes(git)
    aim = target.gate_target(git, head, remotes, lambda n: target.by_hand(git, n, remotes, ask_remote=False))
    bases = target.with_target(git, where.common_dir, head, aim)
    request = evaluate.Request(head, bases, now, tip_tree=tree, messages=(message,))
    return evaluate.judge(where, request).findings


def worst(codes: Sequence[int]) -> int:
    return next(code for code in _WORST_FIRST if code in codes)


def show(verdict: Verdict, out: TextIO | None, *, output_format: str, width: int, verbose: bool) -> None:
    """Print a verdict that was asked for by hand."""
    if output_format == "json":
        say(out, json.dumps(as_json(verdict), indent=1, ensure_ascii=True))
    elif output_format == "text":
        say(out, as_text(verdict, width=width, verbose=verbose))
    else:
        say(out, _for_ci(verdict, output_format))


def _for_ci(verdict: Verdict, output_format: str) -> str:
    from shipmoor_hooks import render_ci  # a hook never needs it

    if output_format == "gitlab":
        return json.dumps(render_ci.as_gitlab(verdict), indent=1, ensure_ascii=True)
    return render_ci.as_github(verdict) if output_format == "github" else render_ci.as_markdown(verdict)


def tell(verdict: Verdict, out: TextIO | None, err: TextIO | None) -> None:
    """Print a verdict in a hook. git shows both streams."""
    told, follows = for_hook(verdict)
    say(out, told)
    if follows:
        flush(out)  # into a pipe stdout is buffered and stderr is not: the reason comes before what follows from it
        say(err, follows)


def _refs_hidden(name: str) -> Finding:
    return Finding(
        Code.REFS_HIDDEN,
        f"the hook host shows one ref of a push; only {name} was judged.",
        "shipmoor-hooks init",
    )
