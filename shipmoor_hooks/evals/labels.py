"""`eval label`: a person says whether a recorded reply was correct, and that is kept."""

from __future__ import annotations

from shipmoor_hooks.errors import EvidenceFault, UsageFault
from shipmoor_hooks.evals.cross_table import CORRECT, WRONG
from shipmoor_hooks.store import records, trace_store
from shipmoor_hooks.store.record_model import Label

LABELS = (CORRECT, WRONG)


def label(common_dir: str, trace: str, judgement: str, reason: str, now: float) -> Label:
    """Store what a person says of a kept trace, named by the first digits of its SHA-256. The newest label of a trace counts.

    Raises UsageFault for another word or digits that fit several traces, EvidenceFault where no such trace is kept.
    """
    if judgement not in LABELS:
        raise UsageFault(f"a reply is labelled correct or wrong, not {judgement!r}")
    found = trace_store.by_prefix(common_dir, trace)
    if not found:
        raise EvidenceFault(f"no trace {trace!r} is kept", "shipmoor-hooks eval grade --case CASE lists them")
    if len({kept.sha for kept in found}) > 1:
        raise UsageFault(f"{trace} fits {len({kept.sha for kept in found})} kept traces", "write more of its digits")
    kept = found[-1]
    record = Label(records.new_id(), kept.suite, kept.case, now, kept.sha, judgement, reason)
    records.write(common_dir, record)
    return record
