"""The commands that set up and clean up: init, doctor, demo, gc."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, answer, check_format
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, UsageFault
from shipmoor_hooks.store import gc as collection
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.visible import visible

if TYPE_CHECKING:
    from shipmoor_hooks.place import Place
    from shipmoor_hooks.wiring.file_change import FileChange


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("init", short_help="Write the policy and wire the hooks.", context_settings=CONTEXT)(init)
    app.command("doctor", short_help="What works here and what does not.", context_settings=CONTEXT)(doctor)
    app.command("demo", short_help="The whole story in a throwaway repository.", context_settings=CONTEXT)(demo)
    app.command("gc", short_help="Drop old runs.", context_settings=CONTEXT)(gc)


def init(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, write nothing.")] = False,
    agent: Annotated[
        str, typer.Option("--agent", metavar="NAME", help="Let a coding agent ask the gate, too: claude-code.")
    ] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Undo what init did; policy and runs are kept.")] = False,
    policy: Annotated[bool, typer.Option("--policy", help="With --remove: take shipmoor-hooks.toml, too.")] = False,
) -> int:
    """Detect the runner, write the policy, wire the hooks; the diff is shown before anything is written."""
    from shipmoor_hooks.wiring import install
    from shipmoor_hooks.wiring.remove import plan_remove

    call: Call = context.obj
    if policy and not remove:
        raise UsageFault("--policy belongs to --remove", "shipmoor-hooks init --remove --policy")
    where = call.find()
    plan = plan_remove(where, call.environ, policy) if remove else install.plan_init(where, call.environ, agent=agent)
    for note in plan.notes:
        call.tell(note)
    if plan.is_done:
        done = "nothing of init is here" if remove else "everything is in place"
        call.tell(f"shipmoor-hooks: {done}")
        _say_paragraph(where, agent)
        return 0
    asks = sys.stdin.isatty() and sys.stderr.isatty() and not yes
    if dry_run or asks:
        answer("\n".join(visible(line) for line in plan.diff().split("\n")))
        for command in plan.commands:
            answer(visible(f"then runs: {shlex.join(command)}"))
    if dry_run:
        return 0
    if asks and not typer.confirm("Undo this?" if remove else "Write this?", err=True):
        call.tell("shipmoor-hooks: nothing was written")
        return 0
    undone = install.apply(plan)
    for change in plan.changes:
        call.tell(f"{_done_with(change)} {change.path}")
    for failure in undone:
        call.tell(f"shipmoor-hooks: {failure}")
    for step in plan.next_steps:
        call.tell(f"  next: {step}")
    _say_paragraph(where, agent)
    return 0


def _say_paragraph(where: Place, agent: str) -> None:
    """A paragraph to paste, where AGENTS.md does not speak of us yet."""
    from shipmoor_hooks.wiring import agent_settings, file_change

    if agent and "shipmoor-hooks" not in (file_change.read_text(f"{where.require_top()}/AGENTS.md") or ""):
        answer(f"For AGENTS.md:\n\n{agent_settings.PARAGRAPH}")


def _done_with(change: FileChange) -> str:
    if change.moved_from:
        return "put back"
    return "removed" if change.new is None else "wrote"


def doctor(context: typer.Context, output: FormatOption = "text") -> int:
    """What works here and what does not, and a push to a throwaway remote that proves that the gate fires."""
    from shipmoor_hooks.wiring import doctor as examination

    call: Call = context.obj
    check_format(output)
    checks = examination.examine(call.find(), call.environ)
    if output == "json":
        rows = [{"check": c.name, "ok": c.ok, "says": c.says, "next": c.next_step or None} for c in checks]
        answer(json.dumps({"schema": "shipmoor-hooks.doctor/1", "checks": rows}, indent=1))
    else:
        for check in checks:
            word = {True: "ok  ", False: "FAIL", None: "note"}[check.ok]
            answer(visible(f"{word}  {check.name}: {check.says}"))
            if check.ok is False and check.next_step:
                answer(visible(f"      next: {check.next_step}"))
    return EXIT_NO_EVIDENCE if any(c.ok is False for c in checks) else 0


def demo(
    context: typer.Context,
    evals: Annotated[
        bool, typer.Option("--evals", help="The story of an eval suite, with an agent and no model.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the throwaway repository for a look.")] = False,
) -> int:
    """The whole story in a throwaway repository: a refusal, a disclosure, an allowed push. Takes under a minute."""
    from shipmoor_hooks import demo as demonstration
    from shipmoor_hooks import demo_evals

    call: Call = context.obj
    play = demo_evals.play if evals else demonstration.play
    folder = play(call.environ, lambda text: answer("\n".join(visible(t) for t in text.split("\n"))), keep=keep)
    if folder:
        call.tell(f"shipmoor-hooks: the repository is in {folder}")
    return 0


def gc(
    context: typer.Context,
    days: Annotated[
        float, typer.Option("--older-than", metavar="DAYS", min=0, help="Drop runs older than this many days.")
    ] = collection.DEFAULT_DAYS,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be dropped, drop nothing.")] = False,
) -> int:
    """Drop old runs. What a branch or tag still stands on is kept."""
    call: Call = context.obj
    where = call.find()
    collect = collection.plan if dry_run else collection.collect
    found = collect(Spool(where.common_dir, where.worktree), where.git, call.now, days)
    word = "would drop" if dry_run else "dropped"
    traces = f", {len(found.traces)} files of traces" if found.traces else ""
    answer(
        f"{word} {len(found.entries)} entries, {len(found.inventories)} inventories, {len(found.leftovers)} leftovers{traces}"
    )
    return 0
