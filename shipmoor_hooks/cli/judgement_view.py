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
        "receipts": [
            {
                "when": moment(r.recorded),
                "ref": r.ref,
                "commit": r.commit,
                "tree": r.tree,
                "bases": list(r.bases),
                "verdict": r.verdict,
                "codes": list(r.codes),
            }
            for r in told.receipts
        ],
    }
