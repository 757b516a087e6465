"""What `verify COMMIT` says: was this commit judged before it was pushed (design, section 7; docs/how-to/own-server.md)."""

from __future__ import annotations

import json

from shipmoor_hooks import history, receipts
from shipmoor_hooks.cli.context import Call, answer
from shipmoor_hooks.describe import moment
from shipmoor_hooks.errors import EXIT_ALLOWED, EXIT_NO_EVIDENCE, EXIT_REFUSED
from shipmoor_hooks.place import Place
from shipmoor_hooks.receipts import Judgement, Standing
from shipmoor_hooks.rules.wording import ago
from shipmoor_hooks.store.record_model import Receipt
from shipmoor_hooks.visible import visible


def answered(call: Call, where: Place, words: list[str], output: str) -> int | None:
    """Say it where the one word is a commit; None where it is not, so that it may be a run.

    0: some judgement let it through; 1: judged, and never let through; 3: not judged, as far as can be seen from here.
    """
    if len(words) != 1 or words[0].startswith("-") or history.commit_of(where.git, words[0]) is None:
        return None
    told = receipts.judged(where, words[0])
    answer(json.dumps(_as_json(told), indent=1) if output == "json" else _as_text(told, call.now))
    if told.standing is Standing.NOT_JUDGED and told.on:
        call.tell(
            "  next: shipmoor-hooks fetch, it may have been judged elsewhere; else judge it now: shipmoor-hooks gate"
        )
    if told.standing is Standing.NOT_JUDGED:
        return EXIT_NO_EVIDENCE
    return EXIT_ALLOWED if told.allowed else EXIT_REFUSED


def _as_text(told: Judgement, now: float) -> str:
    lines = [f"{told.commit[:12]}  {told.standing.value}"]
    if told.within:
        lines[0] += f", with the push of {told.within[:12]}"
    for receipt in told.receipts[-20:]:
        base = f" against {receipt.bases[0][:12]}" if receipt.bases else ""
        codes = f" ({', '.join(receipt.codes)})" if receipt.codes and receipt.verdict != "allowed" else ""
        lines.append(f"  {receipt.verdict}{base}, {receipt.ref or 'by hand'}, {ago(now - receipt.recorded)}{codes}")
    if told.on:
        past = ": it went there past the hook, or from elsewhere" if told.standing is Standing.NOT_JUDGED else ""
        past = past or (": it went there past the hook" if not told.allowed else "")
        lines.append(f"  on {', '.join(told.on[:5])}{past}")
    return "\n".join(visible(line) for line in lines)


def _as_json(told: Judgement) -> dict[str, object]:
    return {
        "schema": "shipmoor-hooks.judgement/1",
        "standing": told.standing.value,
        "commit": told.commit,
        "within": told.within or None,
        "on": list(told.on),
        "receipts": [_row(r) for r in told.receipts],
    }


def _row(receipt: Receipt) -> dict[str, object]:
    return {
        "when": moment(receipt.recorded),
        "ref": receipt.ref,
        "commit": receipt.commit,
        "tree": receipt.tree,
        "bases": list(receipt.bases),
        "verdict": receipt.verdict,
        "warned": receipt.warned,
        "codes": list(receipt.codes),
    }


def pushes(call: Call, where: Place, number: int, output: str) -> int:
    """What `log --receipts` says: the newest judged pushes, and how many went on only because the policy warns."""
    own = receipts.own(where)
    counted = receipts.watched(own)
    newest = own[: -number - 1 : -1]
    if output == "json":
        told = {"pushes": counted.pushes, "would_have_been_refused": counted.warned, "refused": counted.refused}
        told["not_judged"] = counted.not_judged
        rows = [_row(r) for r in newest]
        answer(json.dumps({"schema": "shipmoor-hooks.receipts/1", **told, "receipts": rows}, indent=1))
        return 0
    for receipt in newest:
        verdict = "would be refused" if receipt.warned else receipt.verdict
        codes = f"  {', '.join(receipt.codes)}" if receipt.codes else ""
        line = f"{receipt.commit[:12]}  {verdict:<16}  {ago(call.now - receipt.recorded)}  {receipt.ref}{codes}"
        answer(visible(line))
    answer(str(counted))
    return 0
