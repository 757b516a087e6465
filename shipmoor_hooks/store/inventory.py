"""Reports to cases: every record gets its id, records with one id become one case with a count (design, section 3)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter, lt

from shipmoor_hooks.case_id import Identity, namer
from shipmoor_hooks.case_list import OF_LETTER
from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.model import Case, CaseList, Normalise, Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.report_records import Alike, parts_of

# How the readers begin the sentence about a file without a case; it counts only while no other file of the run has one.
EMPTY = "the report holds no"
# How pytest's reader begins the sentence about a count that subtests or lost records explain.
COUNTED = "pytest counted "
_PASSED = Outcome.PASSED.letter


def cases_of(
    reports: Iterable[Report], tracked: frozenset[str] | Container[str], root: str, normalise: Sequence[Normalise] = ()
) -> CaseList:
    """The cases of one run, sorted by id, whatever the order of files and records.

    Records with one id (also from two files) are one case: `count` says how many there were, the worst outcome wins
    (error, failed, skipped, xfailed, passed), attempts and records add up as samples. A record for a whole file that
    shares its id with a case stays a case of its own.
    """
    names = namer(tracked, root, normalise)
    fold = _Fold()
    alike: list[tuple[_Group, list[str], str]] = []  # with their ids, and the dialect
    apart: list[tuple[_Group, str]] = []
    for report in reports:
        for group in _groups(report.records):
            ids = names.identify_alike(group.shared, group.names, report.dialect)
            if ids is None:
                apart.append((group, report.dialect))
            else:
                alike.append((group, ids, report.dialect))
    if not apart and (whole := _in_order(alike)) is not None:
        return whole
    apart += [(group, dialect) for group, ids, dialect in alike if not fold.add_new(ids, group.letters)]
    for group, dialect in apart:
        for record in group.records():
            fold.add(record, names.identify(record, dialect))
    return fold.cases()


def _in_order(groups: Sequence[tuple[_Group, list[str], str]]) -> CaseList | None:
    """The cases where no id stands twice and those of one place come before all of the next, which is the rule; else None.

    This needs no table of the ids, which takes as much fresh memory as they do, and that is what folding costs.
    """
    told = sorted((ids, group.letters) for group, ids, _ in groups)
    if not _ascending(ids := _together(told)):
        told = sorted(_sorted(*own) for own in told)
        if not _ascending(ids := _together(told)):
            return None
    return CaseList(ids, "".join([letters for _, letters in told]).encode("ascii"), {})


def _together(groups: Sequence[tuple[list[str], str]]) -> list[str]:
    return [id_ for own, _ in groups for id_ in own]


def _ascending(ids: list[str]) -> bool:
    return all(map(lt, ids, islice(ids, 1, None)))


def _sorted(ids: list[str], letters: str) -> tuple[list[str], str]:
    """Ids and their letters, sorted by id; of an id that stands twice one letter is told."""
    in_order = sorted(ids)
    if in_order == ids:
        return ids, letters
    of = dict(zip(ids, letters, strict=True))
    return in_order, "".join([of[id_] for id_ in in_order])


@dataclass(slots=True)
class _Group:
    """Cases of one place (`shared`), each with a name, an outcome's letter and no more; or any one other record."""

    shared: Record
    names: list[str]
    letters: str

    def records(self) -> Iterable[Record]:
        if not self.names:
            return (self.shared,)
        return (
            replace(self.shared, name=name, outcome=OF_LETTER[ord(letter)])
            for name, letter in zip(self.names, self.letters, strict=True)
        )


def _groups(records: Sequence[Record]) -> Iterator[_Group]:
    """The records in groups that share a place; only a place's own order is kept, and no order counts here."""
    groups: dict[tuple[str, str, tuple[str, ...]], _Group] = {}
    for part in parts_of(records):
        if isinstance(part, Alike):
            shared, names, letters = part.shared, part.names, part.letters or _PASSED * len(part.names)
        elif part.kind is RecordKind.CASE and part.name and not part.attempts:
            shared, names, letters = part, (part.name,), part.outcome.letter
        else:
            yield _Group(part, [], "")
            continue
        place = (shared.classname, shared.file, shared.suites)
        group = groups.get(place)
        if group is None:
            group = groups[place] = _Group(shared, [], "")
        group.names += names
        group.letters += letters
    yield from groups.values()


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


class _Fold:
    """The records of a run so far, by id: a letter for one that stands alone, all that counts of it for any other."""

    def __init__(self) -> None:
        self.plain: dict[str, str] = {}
        self.folded: dict[tuple[str, str], _Folded] = {}  # by id and kind; "" for a case, so that it sorts first

    def add_new(self, ids: Sequence[str], letters: str) -> bool:
        """Add cases that are seen for the first time. False, and nothing is added, when one of them is not."""
        new = dict(zip(ids, letters, strict=True))
        if len(new) < len(ids) or not self.plain.keys().isdisjoint(new):
            return False
        if self.folded and any((id_, "") in self.folded for id_ in new):
            return False
        self.plain.update(new)
        return True

    def add(self, record: Record, identity: Identity) -> None:
        is_case = record.kind is RecordKind.CASE
        key = (identity.id, "" if is_case else record.kind.value)
        folded = self.folded.get(key)
        if folded is None:
            alone = self.plain.pop(identity.id, None) if is_case else None
            if is_case and alone is None and identity.raw == identity.id and not record.attempts:
                self.plain[identity.id] = record.outcome.letter
                return
            folded = self.folded[key] = _Folded(record.outcome, record.kind)
            if alone is not None:
                folded.add(Record("", outcome=OF_LETTER[ord(alone)]), Identity(identity.id, identity.id))
        folded.add(record, identity)

    def cases(self) -> CaseList:
        """All of them, sorted; of one id a case before the record of a file."""
        ids = sorted([*self.plain, *(id_ for id_, _ in self.folded)])
        letters = bytearray("".join([self.plain.get(id_, "?") for id_ in ids]), "ascii")
        others: dict[int, Case] = {}
        position = -1
        for (id_, _), folded in sorted(self.folded.items(), key=itemgetter(0)):
            first = bisect_left(ids, id_) + (id_ in self.plain)
            position = max(first, position + 1)
            case = folded.case(id_)
            letters[position] = ord(case.outcome.letter)
            if not case.is_plain:
                others[position] = case
        return CaseList(ids, bytes(letters), others)


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
