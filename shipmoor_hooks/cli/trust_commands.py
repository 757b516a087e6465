"""The commands about seals and keys: verify, key (design, sections 2, 7 and 10.21)."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from shipmoor_hooks.cli import judgement_view
from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, answer, check_format
from shipmoor_hooks.describe import moment, run_line
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, EvidenceFault, UsageFault
from shipmoor_hooks.model import Sealing
from shipmoor_hooks.rules.wording import ago
from shipmoor_hooks.seals import key_ring, seal, verification
from shipmoor_hooks.seals.key_record import FILE, Record, key_path
from shipmoor_hooks.seals.verification import Examined
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.visible import visible

_MOST_KEY = 4096  # bytes: a key is one line of under 80
_WHERE_KEYS_ARE = "shipmoor-hooks key show, where the run was made, names the key's file"

key_app = typer.Typer(
    help="The key that seals runs: show it, make a new one, know another one.",
    context_settings=CONTEXT,
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("verify", short_help="Are the stored runs whole, sealed, and none missing.", context_settings=CONTEXT)(
        verify
    )
    key_app.command("show", short_help="The key's id, where it is held, how old it is.", context_settings=CONTEXT)(show)
    key_app.command("rotate", short_help="Make a new key; older runs stay checkable.", context_settings=CONTEXT)(rotate)
    key_app.command("import", short_help="Know a further key, of a container for example.", context_settings=CONTEXT)(
        take_in
    )
    app.add_typer(key_app, name="key", short_help="The key that seals runs.")


def verify(
    context: typer.Context,
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN|COMMIT]...", help="Ids of runs, or one commit.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every entry and the chains: what no RUN means.")] = False,
    output: FormatOption = "text",
) -> int:
    """Check seals and the chain of stored runs; broken entries are set aside. Exit 3 when one is broken or missing.

    With a commit: was it judged before it was pushed? 0 let through, 1 judged and never let through, 3 not judged.
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    wanted = list(runs or ())
    judged = judgement_view.answered(call, where, wanted, output)
    if judged is not None:
        return judged
    if wanted and everything:
        raise UsageFault("--all and RUN exclude each other")
    for name in wanted:
        if not name.isalnum():
            raise UsageFault(f"{name!r} is no id of a run", "shipmoor-hooks log")
    seen = verification.verify(Spool(where.spool_home, where.worktree, call.environ), wanted)
    if wanted and not (seen.entries or seen.broken):
        raise EvidenceFault(f"the spool has no run {', '.join(wanted)}", "shipmoor-hooks log")
    answer(json.dumps(_as_json(seen), indent=1) if output == "json" else _as_text(seen, call.now, each=bool(wanted)))
    if not seen.is_whole:
        call.tell("  next: run the suites again that these entries belonged to: shipmoor-hooks status")
    return 0 if seen.is_whole else EXIT_NO_EVIDENCE


def _as_text(seen: Examined, now: float, *, each: bool) -> str:
    counts = ", ".join(f"{number} {sealing.value}" for sealing, number in seen.seals.items() if number)
    lines = [f"{seen.entries} entries" + (f": {counts}" if counts else "")]
    lines += [run_line(run, now) for run in seen.runs] if each else []
    lines += [f"missing: {gap}" for gap in seen.gaps]
    lines += verification.codes(seen)
    lines += [f"set aside: {path}" for path in seen.set_aside]
    lines += [f"note: {note}" for note in dict.fromkeys(seen.notes)]
    if not each and seen.is_whole:
        lines.append("no entry is broken, and none is missing from a chain; what a seal proves: docs/seal.md")
    return "\n".join(visible(line) for line in lines)


def _as_json(seen: Examined) -> dict[str, object]:
    return {
        "schema": "shipmoor-hooks.verify/1",
        "entries": seen.entries,
        "sealed": seen.seals[Sealing.SEALED],
        "unsealed": seen.seals[Sealing.UNSEALED],
        "unchecked": seen.seals[Sealing.UNCHECKED],
        "foreign": seen.seals[Sealing.FOREIGN],
        "broken": [{"path": b.path, "code": b.code.value, "message": b.text} for b in seen.broken],
        "missing": seen.gaps,
        "notes": list(dict.fromkeys(seen.notes)),
        "set_aside": seen.set_aside,
        "quarantine": seen.earlier,
    }


def show(context: typer.Context, output: FormatOption = "text") -> int:
    """The id of the key, where it is held and how old it is; never the key. Exit 3 when there is none yet."""
    call: Call = context.obj
    check_format(output)
    ring = key_ring.of(call.environ)
    record = ring.record()
    if record is None:
        raise EvidenceFault("no run was sealed here yet, so there is no key", "shipmoor-hooks run, which makes one")
    answer(_record_json(call, record) if output == "json" else _record_text(call, record))
    return 0


def rotate(context: typer.Context, output: FormatOption = "text") -> int:
    """Make a new key for new runs. The old one stays known, so that older runs can be checked."""
    call: Call = context.obj
    check_format(output)
    record, note = key_ring.of(call.environ).rotate()
    if note:
        call.tell(f"shipmoor-hooks: {note}")
    answer(_record_json(call, record) if output == "json" else _record_text(call, record))
    return 0


def take_in(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FILE", help="A key file; - reads standard input.")],
) -> int:
    """Know a further key of your own, so that runs made in a container or in another account count here.

    Whoever holds that key can then seal runs that count here: import keys of your own only.
    """
    call: Call = context.obj
    key = seal.from_text(_read(call, source))
    if key is None:
        raise UsageFault(f"{source} holds no seal key (one line that begins with sm1.)", _WHERE_KEYS_ARE)
    record = key_ring.of(call.environ).take_in(key)
    known = "is your own key" if key.id == record.key else "is known now: its runs count as sealed here"
    answer(f"key {key.id} {known}")
    return 0


def _read(call: Call, source: str) -> str:
    if source == "-":
        return sys.stdin.buffer.read(_MOST_KEY).decode("ascii", "replace")
    path = os.path.join(call.directory, source)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            return stream.read(_MOST_KEY).decode("ascii", "replace")
    except OSError as error:
        raise UsageFault(f"{source} cannot be read: {error.strerror}", _WHERE_KEYS_ARE) from error


def _record_text(call: Call, record: Record) -> str:
    where = f"file {key_path(call.environ, record.key)}" if record.backend == FILE else record.backend
    rows = [
        ("key", record.key),
        ("held in", where),
        ("made", f"{moment(record.created)} ({ago(call.now - record.created)})"),
    ]
    rows += [("no key store", record.fallback)] if record.fallback else []
    rows += [("checks older runs", one) for one in record.retired] + [("imported", one) for one in record.imported]
    wide = max(len(name) for name, _ in rows)
    return "\n".join(visible(f"{name:<{wide}}  {value}") for name, value in rows)


def _record_json(call: Call, record: Record) -> str:
    told = {
        "schema": "shipmoor-hooks.key/1",
        "key": record.key,
        "backend": record.backend,
        "file": key_path(call.environ, record.key) if record.backend == FILE else None,
        "created": moment(record.created),
        "age_seconds": max(0, int(call.now - record.created)),
        "retired": list(record.retired),
        "imported": list(record.imported),
        "fallback": record.fallback or None,
    }
    return json.dumps(told, indent=1)
