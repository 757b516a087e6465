"""The gate on one's own server: what is pushed is judged before it is taken in, by git's pre-receive hook (design, 10.36).

The objects are still in quarantine: git reads them there, and nothing is written. The evidence is that of this repository:
its own spool, and the runs that were published to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from shipmoor_hooks import evaluate, gate, history, place, push, target
from shipmoor_hooks.errors import EXIT_ALLOWED, EXIT_NO_EVIDENCE
from shipmoor_hooks.git import quarantine
from shipmoor_hooks.model import Verdict
from shipmoor_hooks.output import say
from shipmoor_hooks.place import Place


def run_pre_receive(
    stdin: bytes, directory: str, environ: Mapping[str, str], now: float, out: TextIO | None, err: TextIO | None
) -> int:
    """Judge every ref that is pushed and print what follows; anything but 0 makes git refuse the whole push.

    Raises UsageFault for a line that is not git's, and what judging raises.
    """
    received = push.from_receive(stdin)
    where = place.find(directory, environ, in_hook=True)
    where.git.environ.update(quarantine(environ))
    codes = [EXIT_ALLOWED]
    for update in received.updates:
        verdict = judge_update(where, update, received, now) if push.judged(update) else None
        if verdict is not None:
            codes.append(gate.EXIT_OF[verdict.decision])
            gate.tell(verdict, out, err)
    code = gate.worst(codes)
    if code == EXIT_NO_EVIDENCE:
        say(err, "  next: measure where you work, then hand over the runs: shipmoor-hooks publish, and push again")
    return code


def judge_update(where: Place, update: push.Update, received: push.Push, now: float) -> Verdict | None:
    """The verdict on one ref; None for what is no commit (githooks(5) gives tags and trees as well)."""
    tip = history.commit_of(where.git, update.local or "")
    if tip is None:
        return None
    remotes = target.Remotes(where.git)
    bases = target.bases_of(
        where.git, where.common_dir, tip, update, received, target.on_server(where.git, tip), remotes
    )
    return evaluate.judge(where, evaluate.Request(tip, bases, now, ref=update.remote_ref))
