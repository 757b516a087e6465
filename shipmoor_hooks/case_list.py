"""What a run says about each case, in as few bytes as the spool keeps: an id, one letter, and what few have beside them.

Standard library only, no input or output. `model` offers these names too; other modules take them from there.
"""

from __future__ import annotations

from _collections_abc import Sequence  # as `os` has it: the package around it costs a tenth of a start

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.enums import Enum

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import overload


class Outcome(Enum):
    """What became of one case in one run. Absent is not an outcome."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"

    @property
    def is_red(self) -> bool:
        return self is Outcome.FAILED or self is Outcome.ERROR

    @property
    def is_green(self) -> bool:
        return self is Outcome.PASSED

    @property
    def is_skip(self) -> bool:
        """Skipped or expected to fail: the rules and n of N treat both alike."""
        return self is Outcome.SKIPPED or self is Outcome.XFAILED

    @property
    def badness(self) -> int:
        """Larger is worse: error 4, failed 3, skipped 2, xfailed 1, passed 0."""
        return _BADNESS[self]

    @property
    def letter(self) -> str:
        """The one character that stands for it in the spool: p, f, e, s, x."""
        return _LETTERS[self]


_BADNESS = {Outcome.PASSED: 0, Outcome.XFAILED: 1, Outcome.SKIPPED: 2, Outcome.FAILED: 3, Outcome.ERROR: 4}
_LETTERS = {
    Outcome.PASSED: "p",
    Outcome.FAILED: "f",
    Outcome.ERROR: "e",
    Outcome.SKIPPED: "s",
    Outcome.XFAILED: "x",
}
OF_LETTER = {ord(letter): outcome for outcome, letter in _LETTERS.items()}
RED_LETTERS = b"fe"


class RecordKind(Enum):
    """What one record of a report speaks about."""

    CASE = "case"
    FILE = "file"  # a whole file that does not load (red) or skips itself; `file` names it
    SUITE = "suite"  # a failure outside every case (suite-level error, a hook); red
    RUN = "run"  # synthetic: the process ended with a code that no case explains


@dataclass(frozen=True, slots=True)
class Case:
    """One case of one run.

    `count` says how many records carried this id; `passed` of `samples` counts attempts and repeated records. `raws` are
    the raw names where normalising changed them. `covers` is set on a record for a whole file: the id prefix of the cases
    that it stands for (`tests/test_a.py::`); such a case is no member of the inventory.
    """

    id: str
    outcome: Outcome
    count: int = 1
    passed: int = 0
    samples: int = 1
    kind: RecordKind = RecordKind.CASE
    covers: str = ""
    raws: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """One record, seen once: its id and its outcome say all."""
        seen_once = self.count == self.samples == 1 and self.passed == self.outcome.is_green
        return seen_once and self.kind is RecordKind.CASE and not self.covers and not self.raws


def _plain(id_: str, outcome: Outcome) -> Case:
    return Case(id_, outcome, passed=int(outcome is Outcome.PASSED))


class CaseList(Sequence[Case]):
    """The cases of one run, in order. `letters` holds one outcome letter for each of `ids`; `others` has, by position,
    the cases that are not plain. A `Case` for each is made when somebody asks for one, and kept from then on."""

    __slots__ = ("_letters_by_number", "_made", "ids", "letters", "others")

    def __init__(self, ids: Sequence[str], letters: bytes, others: Mapping[int, Case]) -> None:
        self.ids, self.letters, self.others = ids, letters, others
        self._made: tuple[Case, ...] | None = None
        self._letters_by_number: dict[int, int] | None = None

    @classmethod
    def of(cls, cases: Iterable[Case]) -> CaseList:
        """The same cases in this form."""
        if isinstance(cases, CaseList):
            return cases
        made = tuple(cases)
        letters = "".join(case.outcome.letter for case in made).encode("ascii")
        return cls([case.id for case in made], letters, {i: case for i, case in enumerate(made) if not case.is_plain})

    def counts(self) -> dict[Outcome, int]:
        """Cases by outcome, each outcome present; the record that stands for an exit code is no case of the suite."""
        counts = {OF_LETTER[letter]: number for letter, number in self._by_letter().items()}
        for case in self.others.values():
            if case.kind is RecordKind.RUN:
                counts[case.outcome] -= 1
        return counts

    def counts_by_letter(self) -> dict[str, int]:
        """Every record by its outcome's letter, letters that none has left out."""
        return {chr(letter): number for letter, number in self._by_letter().items() if number}

    def _by_letter(self) -> Mapping[int, int]:
        """How often each letter stands here; counted once, since every side of a comparison asks."""
        if self._letters_by_number is None:
            self._letters_by_number = {letter: self.letters.count(letter) for letter in OF_LETTER}
        return self._letters_by_number

    def case_ids(self) -> frozenset[str]:
        """The ids of the records that speak of one case each; no `Case` is made for that."""
        if all(case.kind is RecordKind.CASE for case in self.others.values()):
            return frozenset(self.ids)
        beside = {place for place, case in self.others.items() if case.kind is not RecordKind.CASE}
        return frozenset(id_ for place, id_ in enumerate(self.ids) if place not in beside)

    @property
    def has_red(self) -> bool:
        return any(letter in self.letters for letter in RED_LETTERS)

    def __len__(self) -> int:
        return len(self.letters)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Case: ...
        @overload
        def __getitem__(self, index: slice) -> tuple[Case, ...]: ...

    def __getitem__(self, index: int | slice) -> Case | tuple[Case, ...]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Case]:
        return iter(self._all())

    def _all(self) -> tuple[Case, ...]:
        if self._made is None:
            others = self.others
            self._made = tuple(
                others.get(position) or _plain(id_, OF_LETTER[letter])
                for position, (id_, letter) in enumerate(zip(self.ids, self.letters, strict=True))
            )
        return self._made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CaseList):
            return (self.letters, self.others, self.ids) == (other.letters, other.others, other.ids)
        return self._all() == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return f"CaseList.of({self._all()!r})"
