"""The gate's quick path where something about the tests has changed: the rules judge what `quick_gate` has found.

The rules and the words are the gate's own. What gathers for them is leaner: one run a side, of whose ids only the blocks
are read that differ, and git is asked for renames alone, where a case is gone.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Code, Finding, Revision, Run, Sealing, Suite, SuiteCount
from shipmoor_hooks.quick.lean_receipt import keep_receipt
from shipmoor_hooks.quick.push_caller import is_dry_run
from shipmoor_hooks.quick.quick_gate import Answer
from shipmoor_hooks.render import for_hook
from shipmoor_hooks.rules import reduction
from shipmoor_hooks.rules.verdict import conclude, exit_of_push
from shipmoor_hooks.store import id_lists
from shipmoor_hooks.store.run_fields import run_of

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from typing import Any

    from shipmoor_hooks.id_list import IdList
    from shipmoor_hooks.quick.plain_policy import Table
    from shipmoor_hooks.quick.quick_gate import Asked, Found, Side


def answer(found: Found, asked: Asked) -> Answer | None:
    """The verdict on a push and its receipt; None where the gate has more to do (a red that is cleared is written down)."""
    span = found.span
    lists: dict[str, IdList] = {}
    counts: list[SuiteCount] = []
    findings: list[Finding] = []
    new: set[str] = set()
    for side in found.sides:
        question = _question(found, side, asked.now, lists)
        if question is None:
            return None
        result = reduction.compare(question)
        if result.may_have_moved:
            from shipmoor_hooks import moves  # git is asked, and most pushes lose nothing
            from shipmoor_hooks.git import Git

            git = Git(found.here.top, asked.environ)
            result = moves.explained(git, span.base_tree, span.tip_tree, question, result)
        counts.append(result.count)
        findings += result.findings
        new |= result.new_at_tip
    if any(finding.code is Code.CLEARED for finding in findings):
        return None
    verdict = conclude(
        base=Revision(span.base, span.base_tree),
        tip=Revision(span.tip, span.tip_tree),
        ref=found.pushed.name,
        counts=counts,
        findings=findings,
        commits=(),  # none of their messages speaks of tests
        known=(),
        new_at_tip=new,
        mode=found.rules.mode,
    )
    codes = list(dict.fromkeys(f.code.value for f in verdict.findings if f.disclosed is None))
    kept = is_dry_run() or keep_receipt(found, asked.now, verdict.decision.value, codes, warned=verdict.warned)
    return Answer(exit_of_push(verdict), *for_hook(verdict)) if kept else None


def _question(found: Found, side: Side, now: float, lists: dict[str, IdList]) -> reduction.Question | None:
    """What the rules are asked of a suite; None where a run counts for nothing."""
    base, tip = (_run(found.root, fields, lists) for fields in (side.base, side.tip))
    if not base.count.of or not tip.count.of:
        return None
    return reduction.Question(
        suite_of(side.suite, found.rules.suites[side.suite]),
        None,
        (base,),
        (tip,),
        now,
        float(found.rules.window),
        base_name=found.span.base[:12],
    )


def suite_of(name: str, table: Table) -> Suite:
    """A suite of a plain policy, as far as the rules ask of it."""
    same = table.get("same", [])
    return Suite(name, reruns=str(table.get("reruns", "latest")), same=tuple(same) if isinstance(same, list) else ())


def _run(root: str, fields: dict[str, Any], lists: dict[str, IdList]) -> Run:
    """The run of a payload, its ids by name. Raises ValueError where the list is not there, and as `run_of`."""
    name = fields["cases"]["inventory"]
    if name not in lists:
        ids = id_lists.read(f"{root}/inventories", name, whole=False)
        if ids is None:
            raise ValueError(name)
        lists[name] = ids
    run = run_of(fields, lists[name])
    return replace(run, sealing=Sealing.SEALED if fields["sealed"] else Sealing.UNSEALED)
