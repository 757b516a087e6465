"""The data model: one value travels from the readers through the spool and the rules to the reports (design, section 2).

Standard library only, no input or output, no clock. Times are POSIX seconds (UTC) as floats; object names of git are
lower-case hex strings of 40 or 64 digits; paths are relative to the worktree's root, with forward slashes.
"""

from __future__ import annotations

from shipmoor_hooks.case_list import Case as Case
from shipmoor_hooks.case_list import CaseList as CaseList
from shipmoor_hooks.case_list import Outcome as Outcome
from shipmoor_hooks.case_list import RecordKind as RecordKind
from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.enums import Enum, IntEnum
from shipmoor_hooks.finding_codes import Code as Code
from shipmoor_hooks.finding_codes import Level as Level
from shipmoor_hooks.git_values import Change as Change
from shipmoor_hooks.git_values import CommitMessage as CommitMessage
from shipmoor_hooks.git_values import Revision as Revision

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shipmoor_hooks.eval_model import EvalResult, EvalRun


class Evidence(IntEnum):
    """How a run came to us, the weakest first, so that `<` compares strength."""

    IMPORTED = 1
    REPORTED = 2
    OBSERVED = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class Sealing(Enum):
    """What is known of a stored entry's seal here; its value is how it is told. A seal is a MAC, never a signature."""

    SEALED = "sealed (same-user)"
    SIGNED = "signed by an allowed signer"  # somebody else's run, counted because the base's policy names its signer
    UNSEALED = "unsealed"
    UNCHECKED = "sealed, not checked"  # by a key of ours that could not be had just now
    FOREIGN = "foreign seal"  # by a key that is not known here


# ---------------------------------------------------------------- what a reader sees


@dataclass(frozen=True, slots=True)
class Record:
    """One test record as a report tells it, names untouched.

    `suites` holds the names of the enclosing suites, outermost first; `attempts` the outcomes of the earlier attempts that
    the dialect marks as such, oldest first (the final one is `outcome`). `file` is what the report says, unchecked.
    """

    name: str
    classname: str = ""
    file: str = ""
    suites: tuple[str, ...] = ()
    outcome: Outcome = Outcome.PASSED
    attempts: tuple[Outcome, ...] = ()
    kind: RecordKind = RecordKind.CASE


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a report or a run does not count as complete: a code, a full sentence, and the next command where there is one."""

    code: Code
    message: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """One report file, read: the records in the file's order and what is wrong with the whole.

    `started` is the report's own time (None when it has none or one without a zone). `harness` and `harness_version` are
    the runner's name and version as far as the file tells them ("" otherwise). `evals` is set by the reader of eval results.
    """

    reader: str
    dialect: str
    records: Sequence[Record]
    problems: tuple[Problem, ...] = ()
    started: float | None = None
    harness: str = ""
    harness_version: str = ""
    warnings: tuple[str, ...] = ()
    evals: EvalResult | None = None


# ---------------------------------------------------------------- what a run holds


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` (from 1) of `total` of one run."""

    index: int
    total: int

    def __str__(self) -> str:
        return f"{self.index}/{self.total}"


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report file as it was read: the name as given, SHA-256 of its bytes (hex) and its mtime (nanoseconds)."""

    name: str
    sha256: str
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a suite, bound to the tree that was tested.

    `tree` is None for a run that is bound to nothing (`problems` says why); `first_tree` is the tree taken before it
    started. `scoped_tree` is `tree` without the suite's excluded paths. `started` counts for order and for clearing;
    `recorded` is when the entry was written. `conditions` are name and value pairs, sorted by name. `surface` are the
    files that decided what ran and how it was judged, with a digest each (see ignored_surface.digests). `key` is the id of the
    key that the entry says it was sealed with ("" for none): a hint, `sealing` is what was found.
    """

    id: str
    suite: str
    tree: str | None
    scoped_tree: str | None
    evidence: Evidence
    started: float
    recorded: float
    cases: Sequence[Case] = ()
    finished: float | None = None
    variant: str | None = None
    shard: Shard | None = None
    problems: tuple[Problem, ...] = ()
    first_tree: str | None = None
    command: tuple[str, ...] = ()
    cwd: str = ""
    exit_code: int | None = None
    runner: str = ""
    runner_version: str = ""
    reader: str = ""
    conditions: tuple[tuple[str, str], ...] = ()
    reports: tuple[ReportFile, ...] = ()
    head: str | None = None
    changes: tuple[Change, ...] = ()
    untracked: tuple[str, ...] = ()
    clock_suspect: bool = False
    worktree: str = ""
    sequence: int = 0
    evals: EvalRun | None = None
    surface: tuple[tuple[str, str], ...] = ()
    label: str = ""  # names a measurer, where one was named; never derived from host or user
    sealing: Sealing = Sealing.UNSEALED
    key: str = ""

    @property
    def counts_as(self) -> Evidence:
        """The evidence that the rules may take it for: whatever no seal holds could have been written by anybody (10.35)."""
        return self.evidence if self.sealing in (Sealing.SEALED, Sealing.SIGNED) else Evidence.IMPORTED

    @property
    def is_complete(self) -> bool:
        """Only a complete run shows that a case is gone."""
        return not self.problems

    @property
    def is_partial(self) -> bool:
        return any(p.code is Code.RUN_PARTIAL for p in self.problems)

    @property
    def count(self) -> Count:
        """n of N: the synthetic case that stands for an exit code is no case of the suite."""
        counts = CaseList.of(self.cases).counts()
        return Count(counts[Outcome.PASSED], sum(counts.values()))

    def outcomes(self) -> dict[str, int]:
        """Cases by outcome, each outcome present."""
        return {outcome.value: number for outcome, number in CaseList.of(self.cases).counts().items()}


# ---------------------------------------------------------------- policy


@dataclass(frozen=True, slots=True)
class Normalise:
    """One replacement that is applied to raw names before they become ids; `pattern` is a regular expression."""

    pattern: str
    replace: str


@dataclass(frozen=True, slots=True)
class CaseRules:
    """`[suite.NAME.require]`: `conditions` that every run tells; for eval suites the graders that each case must hold by
    name, pairs (where the first is, the second must be), `judge` False: no judge grades; the most seconds of a case.
    """

    conditions: tuple[str, ...] = ()
    graders: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    judge: bool | None = None
    max_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """A `[suite.NAME]` table of the policy; every default is already filled in."""

    name: str
    command: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    format: str = ""
    exclude: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    shards: int = 0
    normalise: tuple[Normalise, ...] = ()
    reruns: str = "latest"
    proofs: bool = False
    setup: tuple[tuple[str, ...], ...] = ()
    same: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    case_rules: CaseRules = CaseRules()
    not_covered: tuple[str, ...] = ()
    case_command: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    max_cost: float | None = None
    traces: str = "keep"
    overlay: str = "note"


@dataclass(frozen=True, slots=True)
class Policy:
    """The whole policy; `source` is the file that it came from (`shipmoor-hooks.toml` or `pyproject.toml`)."""

    suites: Mapping[str, Suite] = field(default_factory=dict)
    target: str = "origin/HEAD"
    evidence: Evidence = Evidence.IMPORTED
    untracked: str = "warn"
    mode: str = "refuse"
    window_hours: float = 24.0
    reason: str = ""
    source: str = "shipmoor-hooks.toml"


@dataclass(frozen=True, slots=True)
class Loosening:
    """One way in which the tip's policy asks for less than the base's: the dotted key and what changed, in words."""

    key: str
    message: str


# ---------------------------------------------------------------- disclosures


class Trailer(Enum):
    """The keys of our commit trailers."""

    REMOVED = "Test-Removed"
    RENAMED = "Test-Renamed"
    SKIPPED = "Test-Skipped"
    WEAKENED = "Test-Weakened"
    POLICY = "Test-Policy"
    UNREGISTERED = "Test-Unregistered"


@dataclass(frozen=True, slots=True)
class DisclosureLine:
    """One of our trailers, unread: the commit it stands in, its key, its value as git unfolds it."""

    commit: str
    trailer: Trailer
    value: str


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What lets one finding through: the commit, the trailer's key, and the reason that was given."""

    commit: str
    trailer: Trailer
    reason: str


# ---------------------------------------------------------------- the verdict


@dataclass(frozen=True, slots=True)
class Count:
    """k of n, never a percentage alone."""

    passed: int
    of: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.of}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the verdict. `message` is a full sentence, `next_step` the way out (both may hold lines to paste).

    `record` is what words alone lack to disclose it ("" where a trailer is enough). `raised`: the policy makes a refusal of
    what else is a note.
    """

    code: Code
    message: str
    next_step: str = ""
    suite: str | None = None
    variant: str | None = None
    case: str | None = None
    base: Count | None = None
    tip: Count | None = None
    disclosed: Disclosure | None = None
    record: str = ""
    runs: tuple[str, ...] = ()  # the ids of the runs that a clearing rests on
    raised: bool = False

    @property
    def level(self) -> Level:
        return Level.REFUSE if self.raised else self.code.level

    @property
    def refuses(self) -> bool:
        return self.level is Level.REFUSE and self.disclosed is None


@dataclass(frozen=True, slots=True)
class SuiteCount:
    """n of N of one suite and variant at base and tip (None where there is no usable run), and each compared run's own."""

    suite: str
    variant: str | None
    base: Count | None
    tip: Count | None
    base_runs: tuple[tuple[str, Count], ...] = ()
    tip_runs: tuple[tuple[str, Count], ...] = ()


class Decision(Enum):
    """What follows from the findings."""

    ALLOWED = "allowed"
    REFUSED = "refused"
    CANNOT_EVALUATE = "cannot-evaluate"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer about one tip. `reduced` tells what is (None when nothing was compared); `decision` what follows."""

    decision: Decision
    reduced: bool | None
    base: Revision
    tip: Revision
    suites: tuple[SuiteCount, ...]
    findings: tuple[Finding, ...]
    ref: str = ""
    warned: bool = False  # refused, but the policy's mode only warns
    watching: bool = False  # the policy's mode only warns
