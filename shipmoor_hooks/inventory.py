"""Reports to cases: every record gets its id, records with one id become one case with a count (design, section 3)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from shipmoor_hooks.case_id import Identity, namer
from shipmoor_hooks.model import Case, Normalise, Outcome, Problem, Record, RecordKind, Report

# How the readers begin the sentence about a file without a case; it counts only while no other file of the run has one.
EMPTY = "the report holds no"
# How pytest's reader begins the sentence about a count that subtests or lost records explain.
COUNTED = "pytest counted "


def cases_of(
    reports: Iterable[Report], tracked: frozenset[str] | Container[str], root: str, normalise: Sequence[Normalise] = ()
) -> tuple[Case, ...]:
    """The cases of one run, sorted by id, whatever the order of files and records.

    Records with one id (also from two files) are one case: `count` says how many there were, the worst outcome wins
    (error, failed, skipped, xfailed, passed), attempts and records add up as samples. A record for a whole file that
    shares its id with a case stays a case of its own.
    """
    names = namer(tracked, root, normalise)
    cases: dict[str, _Folded] = {}
    others: dict[tuple[str, str], _Folded] = {}
    for report in reports:
        for record in report.records:
            identity = names.identify(record, report.dialect)
            if record.kind is RecordKind.CASE:
                folded = cases.get(identity.id) or cases.setdefault(identity.id, _Folded(record.outcome, record.kind))
            else:
                key = (identity.id, record.kind.value)
                folded = others.get(key) or others.setdefault(key, _Folded(record.outcome, record.kind))
            folded.add(record, identity)
    every = [((id_, ""), folded) for id_, folded in cases.items()] + list(others.items())
    return tuple(folded.case(key[0]) for key, folded in sorted(every, key=itemgetter(0)))


def problems_of(reports: Sequence[Report], names: Sequence[str] = (), *, watched: bool = False) -> tuple[Problem, ...]:
    """What stands against a run of several files: each file's problems once, with the file's name where there is one.

    That a file holds no case (a class without tests, one that does not load) is none where another file of the run has
    cases: surefire and others write a file for each class.

    `watched`: we started pytest ourselves, told it to write this file, and it ended by itself with 0 or 1. Then a count
    of more than twice the records is none. pytest writes the file in one go when the session ends and counts each passed
    subtest without a record; what it interrupts it tells by another exit code or a record without a name, and a file that
    is cut off is no XML. Only a hand or a tool between pytest and us can take records out, so the count still refuses
    every report that is handed in, and failures, errors and skips that no record shows are a loss in any case.
    """
    has_case = any(r.kind is RecordKind.CASE for report in reports for r in report.records)
    named = [f"{name}: " if name else "" for name in names] or [""] * len(reports)
    found = [
        replace(problem, message=name + problem.message)
        for report, name in zip(reports, named, strict=True)
        for problem in report.problems
        if not (has_case and problem.message.startswith(EMPTY))
        and not (watched and problem.message.startswith(COUNTED))
    ]
    return tuple(dict.fromkeys(found))


def explained(reports: Sequence[Report], problems: Sequence[Problem]) -> list[str]:
    """What a reader held against the counts of a report and a watched run explains (`problems`: those that stay)."""
    left = [p.message for p in problems]
    counts = [p.message for r in reports for p in r.problems if p.message.startswith(COUNTED)]
    return [f"{m}: the rest are subtests that passed" for m in counts if not any(m in other for other in left)]


@dataclass(slots=True)
class _Folded:
    """The records of one id so far."""

    outcome: Outcome
    kind: RecordKind
    count: int = 0
    passed: int = 0
    samples: int = 0
    covers: str = ""
    raws: set[str] = field(default_factory=set)

    def add(self, record: Record, identity: Identity) -> None:
        if record.outcome.badness > self.outcome.badness:
            self.outcome = record.outcome
        self.count += 1
        self.passed += record.outcome.is_green
        if record.attempts:
            self.passed += sum(outcome.is_green for outcome in record.attempts)
        self.samples += 1 + len(record.attempts)
        self.covers = self.covers or identity.covers
        if identity.raw != identity.id:
            self.raws.add(identity.raw)

    def case(self, id_: str) -> Case:
        raws = tuple(sorted(self.raws))
        return Case(id_, self.outcome, self.count, self.passed, self.samples, self.kind, self.covers, raws)
