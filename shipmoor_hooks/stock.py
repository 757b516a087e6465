"""The spool's answer about a tree, as the pure side takes it."""

from __future__ import annotations

from shipmoor_hooks.model import Problem, Run
from shipmoor_hooks.rules import selection

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shipmoor_hooks.store.spool import Found


def stock_of(found: Found) -> selection.Stock:
    """The spool's answer as the pure side takes it."""
    unreadable = tuple(Problem(b.code, f"a stored run cannot be used: {b.text}") for b in found.broken)
    runs: Mapping[str, Run] = {r.id: r for r in found.runs}
    foreign: Mapping[str, Run] = {r.id: r for r in found.foreign if r.id not in runs}
    return selection.Stock(tuple(runs.values()), found.begun, unreadable, tuple(foreign.values()))
