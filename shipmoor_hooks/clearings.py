"""Which runs cleared a red is kept, so that `gc` never lets go of them (design, 10.25).

The gate itself writes nothing. The pre-push hook keeps a record when its verdict is out: only what was pushed rests on it.
"""

from __future__ import annotations

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.model import Code, Verdict
from shipmoor_hooks.place import Place
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Clearing


def keep(place: Place, verdict: Verdict, now: float) -> str:
    """Store what cleared reds in this verdict, once a tip. Why it could not be stored, "" when it was: no push fails for it."""
    tip = verdict.tip.commit or ""
    found = [f for f in verdict.findings if f.code is Code.CLEARED and f.runs]
    if not found:
        return ""
    stored, _ = records.find_key(place.common_dir, Clearing, tip)
    known = {(c.suite, c.case, c.runs) for c in stored}
    try:
        for finding in found:
            row = (finding.suite or "", finding.case or "", finding.runs)
            if row not in known:
                records.write(place.common_dir, Clearing(records.new_id(), row[0], row[1], now, tip, row[2]))
    except EnvironmentFault as fault:
        return fault.message
    return ""
