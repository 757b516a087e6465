"""`tree`: the tree id. By itself, so that it loads nothing of what measures and judges."""

from __future__ import annotations

from typing import Annotated

import typer

from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, answer, check_format
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("tree", short_help="The tree id, and how it was found.", context_settings=CONTEXT)(tree)


def tree(
    context: typer.Context,
    revision: Annotated[str | None, typer.Argument(metavar="REV", help="A commit instead of the working tree.")] = None,
    output: FormatOption = "text",
) -> int:
    """The tree id of the working tree (or of REV), and how it was found. Exit 3 when no tree stands for it."""
    call: Call = context.obj
    check_format(output)
    where = call.find()
    if revision is not None:
        from shipmoor_hooks import history

        name = history.tree_of(where.git, history.require_commit(where.git, revision))
        answer(_as_json({"tree": name, "way": "commit"}, None) if output == "json" else name)
        return 0
    from shipmoor_hooks.trees import tree as trees

    seen = trees.capture(where)
    ways = {
        "head": "the working tree is HEAD's tree",
        "memory": f"HEAD's tree with {len(seen.changes)} changed entries, put together in memory",
        "index": f"by a temporary index ({seen.why})",
    }
    if output == "json":
        told = {"tree": seen.tree, "way": seen.way, "why": seen.why, "changed": [c.path for c in seen.changes]}
        answer(_as_json({**told, "reasons": list(seen.reasons)}, 1))
    else:
        if seen.tree:
            answer(seen.tree)
        call.tell(ways[seen.way] if seen.tree else "no tree stands for this working tree")
        for reason in seen.reasons:
            call.tell(reason)
        for path in seen.nested:
            call.tell(f"left out: {path} is a repository of its own")
    return 0 if seen.tree else EXIT_NO_EVIDENCE


def _as_json(told: dict[str, object], indent: int | None) -> str:
    import json

    return json.dumps({"schema": "shipmoor-hooks.tree/1", **told}, indent=indent)
