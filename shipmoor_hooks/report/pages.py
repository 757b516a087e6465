"""What a report shows, whatever it is written as: commits, each suite's yardstick over them, and what stands beside it.

Pure data. Times are POSIX seconds, costs list-price US dollars; lists are the newest first.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.model import Case, Count, DisclosureLine, Outcome, Run, Suite, Verdict
from shipmoor_hooks.rules.stability import Stability
from shipmoor_hooks.rules.suite_versions import SuiteVersion
from shipmoor_hooks.store.record_model import Clearing, Label, Proof, Receipt, Regrade


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its tree, its parents, when it was made, the first line of its message, its trailers of ours.

    `graph` is what git draws before it, `below` what git draws before the lines under it.
    """

    name: str
    tree: str
    parents: tuple[str, ...]
    when: float
    subject: str
    disclosures: tuple[DisclosureLine, ...] = ()
    graph: str = ""
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case that stands otherwise than on the other side; None where it does not stand at all."""

    case: str
    before: Outcome | None
    after: Outcome | None

    @property
    def is_added(self) -> bool:
        return self.before is None

    @property
    def is_removed(self) -> bool:
        return self.after is None


@dataclass(frozen=True, slots=True)
class Step:
    """How one suite and variant stands at a commit.

    `run` is the newest one that counts there (None: `why` says why none does, "" where there is none at all), `runs` how many
    count, `cost` what all runs on this tree cost. `changes` are against the measured commit before (() for the first).
    """

    commit: Commit
    count: Count | None = None
    run: Run | None = None
    runs: int = 0
    why: str = ""
    changes: tuple[CaseChange, ...] = ()
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class GridRow:
    """A case over the runs of the grid; None where the run does not hold it."""

    case: str
    cells: tuple[Case | None, ...]
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """Cases by runs: changed cases first, then red ones. `left_out` cases are not shown."""

    runs: tuple[Run, ...] = ()
    rows: tuple[GridRow, ...] = ()
    left_out: int = 0
    runs_left_out: int = 0


@dataclass(frozen=True, slots=True)
class GraderCount:
    """How many of a case's samples one grader took."""

    name: str
    type: str
    count: Count


@dataclass(frozen=True, slots=True)
class EvalCaseRow:
    """One eval case over the samples taken under its present expectation: its graders, its seconds and its list price."""

    case: str
    graders: tuple[GraderCount, ...]
    seconds: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class EvalPart:
    """What only an eval suite has. `block` are the lines that are told of its newest complete run."""

    block: tuple[tuple[str, str], ...]
    cases: tuple[EvalCaseRow, ...]
    versions: tuple[SuiteVersion, ...]
    cost_of_change: float | None
    regrades: tuple[Regrade, ...] = ()
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofNow:
    """A proof, and why it does not stand at the tip ("" where it does)."""

    proof: Proof
    why_not: str


@dataclass(frozen=True, slots=True)
class Track:
    """One suite and variant: its way over the commits, and everything that stands beside it."""

    suite: Suite
    variant: str | None
    steps: tuple[Step, ...]
    grid: Grid
    stability: Stability
    runs: tuple[Run, ...]
    runs_left_out: int = 0
    evals: EvalPart | None = None
    proofs: tuple[ProofNow, ...] = ()
    clearings: tuple[Clearing, ...] = ()
    inventory: tuple[tuple[str, Outcome], ...] = ()

    @property
    def name(self) -> str:
        return self.suite.name + (f" [{self.variant}]" if self.variant else "")

    @property
    def newest(self) -> Step | None:
        """The newest commit at which it was measured."""
        return next((s for s in self.steps if s.count is not None), None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Base against tip of one suite and variant: n of N, and every case that stands otherwise."""

    suite: str
    variant: str | None
    base: Count | None
    tip: Count | None
    changes: tuple[CaseChange, ...]
    samples: tuple[tuple[str, Count, Count], ...] = ()

    @property
    def name(self) -> str:
        return self.suite + (f" [{self.variant}]" if self.variant else "")


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report. `verdict` is None where nothing can be judged, and `no_verdict` says why."""

    project: str
    tip: str
    made: float
    tracks: tuple[Track, ...]
    verdict: Verdict | None
    comparisons: tuple[Comparison, ...] = ()
    no_verdict: str = ""
    receipts: tuple[Receipt, ...] = ()
    broken: tuple[str, ...] = ()
    is_comparison: bool = False
    base_name: str = ""
    tip_name: str = ""
