"""What is kept beside runs: proofs, re-grades, labels, receipts, overlays, clearings (design, section 8).

Standard library only, like `model`. Every record has an `id`, the `suite` and the `case` that it speaks of ("" where it
speaks of none), the moment at which it was `recorded` (POSIX seconds), and a `key`: the other thing that it is looked up by.
A kind may gain fields with a default; it never loses one.
"""

from __future__ import annotations

from typing import Protocol

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.eval_model import GraderVerdict
from shipmoor_hooks.model import Outcome


class Record(Protocol):
    """What every kind of record has."""

    @property
    def id(self) -> str: ...
    @property
    def suite(self) -> str: ...
    @property
    def case(self) -> str: ...
    @property
    def recorded(self) -> float: ...
    @property
    def key(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ProofSample:
    """One sample of a case in a proof: what became of it; for an eval case its score, its graders and its list price."""

    outcome: Outcome
    score: float | None = None
    graders: tuple[GraderVerdict, ...] = ()
    cost: float | None = None
    note: str = ""  # why it is what it is, where that is not the case's own outcome
    trace: str = ""  # the SHA-256 of its trace ("" when none is kept)


@dataclass(frozen=True, slots=True)
class Proof:
    """A known positive: a case measured without and with a planted fault.

    `patch` is the SHA-256 of the patch's bytes (hex); `patch_path` where it lies in the repository ("" when outside).
    `expectation` is git's name of what the case demands, found at `expectation_path` in the tree: the case's folder for an
    eval, the test file for an ordinary case, the whole tree ("") where no file is known. `tree` is the tree without the
    fault, `fault_tree` the one with it.
    """

    id: str
    suite: str
    case: str
    recorded: float
    patch: str
    patch_path: str
    expectation: str
    expectation_path: str
    commit: str
    tree: str
    fault_tree: str
    base: tuple[ProofSample, ...]
    fault: tuple[ProofSample, ...]
    command: tuple[str, ...] = ()
    patch_blob: str = ""  # git's name of the patch as a file of the repository

    @property
    def key(self) -> str:
        return self.patch

    @property
    def fell(self) -> int:
        """In how many fault samples the case was red."""
        return sum(s.outcome.is_red for s in self.fault)

    @property
    def is_proven(self) -> bool:
        """Green in every base sample and fallen in every fault sample."""
        samples = bool(self.base) and bool(self.fault)
        return samples and all(s.outcome.is_green for s in self.base) and self.fell == len(self.fault)


@dataclass(frozen=True, slots=True)
class Tally:
    """One row of a re-grade: of how many traces, how many the old and how many the new grader takes.

    `what` is the kind of traces: `green`, `red`, `fault`, `other` (replies of other cases), `correct`, `wrong`, `unlabelled`.
    `ungraded` of them have no verdict under one of the two. `grader` "" is the case as a whole.
    """

    what: str
    old: int
    new: int
    of: int
    ungraded: int = 0
    case: str = ""  # whose replies, where they are another case's
    grader: str = ""


@dataclass(frozen=True, slots=True)
class Regrade:
    """Recorded traces of a case graded with the graders of two versions of its folder.

    `old` and `new` are git's names of the case's folder before and after. `newly_wrong` names traces (SHA-256) that a
    person labelled wrong and that only the new graders take, `newly_fault` those of a planted fault under which the case
    fell by the old graders and passes by the new ones.
    """

    id: str
    suite: str
    case: str
    recorded: float
    old: str
    new: str
    tallies: tuple[Tally, ...] = ()
    graders: tuple[str, ...] = ()
    newly_wrong: tuple[str, ...] = ()
    newly_fault: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.old}..{self.new}"


@dataclass(frozen=True, slots=True)
class Label:
    """A person's judgement of one trace (its SHA-256): `correct` or `wrong`."""

    id: str
    suite: str
    case: str
    recorded: float
    trace: str
    label: str
    reason: str = ""

    @property
    def key(self) -> str:
        return self.trace


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the gate answered to one push of one ref: the tip's commit and tree, the bases, the verdict.

    `warned`: it was let through only because the policy's mode is `warn`.
    """

    id: str
    suite: str
    case: str
    recorded: float
    ref: str
    commit: str
    tree: str
    verdict: str
    bases: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    warned: bool = False

    @property
    def key(self) -> str:
        return self.commit


@dataclass(frozen=True, slots=True)
class Overlay:
    """The tip's code under the base's test files and surface: no run of a tree, since no commit holds that tree.

    `base` and `tip` are the trees of the two commits. `red` are the ids of the base's cases that were red, `unloaded` the
    files that did not load, `laid` how many files were laid over the tip's.
    """

    id: str
    suite: str
    case: str
    recorded: float
    base: str
    tip: str
    passed: int
    of: int
    red: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()
    laid: int = 0
    variant: str | None = None
    command: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.base}..{self.tip}"


@dataclass(frozen=True, slots=True)
class Clearing:
    """A verdict let a red case through because these runs (their ids) show it red at the base, too."""

    id: str
    suite: str
    case: str
    recorded: float
    tip: str
    runs: tuple[str, ...]

    @property
    def key(self) -> str:
        return self.tip
