"""The cross table of a re-grade: what old and new graders take of which traces (design, section 8). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.definitions import Grader
from shipmoor_hooks.store.record_model import Regrade, Tally

GREEN, RED, FAULT, OTHER = "green", "red", "fault", "other"
CORRECT, WRONG, UNLABELLED = "correct", "wrong", "unlabelled"
WHOLE = ""  # the case as a whole, where a grader's name would stand


@dataclass(frozen=True, slots=True)
class Seen:
    """One trace under both: its kind (GREEN, RED, FAULT, OTHER), its label, whose it is, and the verdicts by grader's name
    (WHOLE: all graders together; None: no verdict; a name that a side does not have is not in it)."""

    trace: str
    kind: str
    label: str
    case: str
    old: Mapping[str, bool | None]
    new: Mapping[str, bool | None]


def changed(old: Sequence[Grader], new: Sequence[Grader]) -> tuple[str, ...]:
    """The names of the graders that are not on both sides alike, in the order of the new ones, gone ones last."""
    before, after = {g.name: g for g in old}, {g.name: g for g in new}
    names = [name for name, grader in after.items() if before.get(name) != grader]
    return (*names, *(name for name in before if name not in after))


def tallies(rows: Sequence[Seen], names: Iterable[str]) -> tuple[Tally, ...]:
    """One row a grader, kind and label that has a trace; other cases' replies a row a case."""
    found = []
    for name in (*names, WHOLE):
        own = [row for row in rows if row.kind != OTHER]
        groups = [(kind, "", [r for r in own if r.kind == kind]) for kind in (GREEN, RED, FAULT)]
        runs = [r for r in own if r.kind != FAULT]
        groups += [(label, "", [r for r in runs if r.label == label]) for label in (CORRECT, WRONG, UNLABELLED)]
        others = dict.fromkeys(row.case for row in rows if row.kind == OTHER)
        groups += [(OTHER, case, [r for r in rows if r.kind == OTHER and r.case == case]) for case in others]
        found += [_tally(what, case, name, group) for what, case, group in groups if group]
    return tuple(found)


def _tally(what: str, case: str, name: str, rows: Sequence[Seen]) -> Tally:
    old = sum(row.old.get(name) is True for row in rows)
    new = sum(row.new.get(name) is True for row in rows)
    ungraded = sum(_unknown(row.old, name) or _unknown(row.new, name) for row in rows)
    return Tally(what, old, new, len(rows), ungraded, case, name)


def _unknown(verdicts: Mapping[str, bool | None], name: str) -> bool:
    return name in verdicts and verdicts[name] is None


def newly_wrong(rows: Sequence[Seen], names: Sequence[str]) -> tuple[str, ...]:
    """The traces labelled wrong that a changed grader, or the case as a whole, takes now and did not take before."""
    wrong = [row for row in rows if row.label == WRONG and row.kind != OTHER]
    return tuple(r.trace for r in wrong if any(_newly(r, name) for name in (*names, WHOLE)))


def newly_fault(rows: Sequence[Seen]) -> tuple[str, ...]:
    """The traces of a planted fault under which the case fell, and under the new graders does not fall any more."""
    return tuple(row.trace for row in rows if row.kind == FAULT and _newly(row, WHOLE))


def _newly(row: Seen, name: str) -> bool:
    """A grader that is new takes newly what it takes; one that could not tell before takes newly as well."""
    return row.new.get(name) is True and row.old.get(name) is not True


def lines(record: Regrade) -> list[str]:
    """The cross table in words: a line a grader with both counts, then what they are made of."""
    out = []
    for name in (*record.graders, WHOLE):
        rows = [t for t in record.tallies if t.grader == name]
        own = [t for t in rows if t.what in (GREEN, RED)]
        others = [t for t in rows if t.what == OTHER]
        head = [_counts(own)] if own else ["no trace of a run"]
        if others:
            new, old, of = (sum(getattr(t, field) for t in others) for field in ("new", "old", "of"))
            before = "" if new == old else f" (before: {old})"
            head.append(f"matches {new} of {of} of the other cases' replies{before}")
        out.append(f"{name or 'the case as a whole'}: {'; '.join(head)}")
        parts = [t for t in rows if t.what != OTHER]
        if parts:
            out.append("  " + " · ".join(f"{t.what} {t.old} → {t.new} of {t.of}{_unsure(t.ungraded)}" for t in parts))
        moved = [t for t in others if t.new != t.old]
        out += [f"  replies of {t.case}: {t.old} → {t.new} of {t.of}" for t in moved]
    return out


def _counts(rows: Sequence[Tally]) -> str:
    old, new, of, ungraded = (sum(getattr(t, f) for t in rows) for f in ("old", "new", "of", "ungraded"))
    return f"old {old} of {of}, new {new} of {of}{_unsure(ungraded)}"


def _unsure(ungraded: int) -> str:
    return f" ({ungraded} not graded)" if ungraded else ""
