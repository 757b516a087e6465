"""The payload of a stored run: its fields and their order, whoever the run comes from (design, section 9).

It stands beside `entry`, which reads it back, so that the pytest plugin's short way writes what the long one writes without
loading the model: `PlainRun` and `PlainCases` have what the fields are made of.
"""

from __future__ import annotations

import base64
import zlib

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from typing import Any

    from shipmoor_hooks.model import Case, CaseList, Run

SEALED_BY = "sealed_by"  # the field in which a payload may name its key: then a seal that was taken off is missed
LETTERS = "pfesx"  # of outcomes, in the order in which they are counted


class Word:
    """What stands for a member of the model's enums: the word in the payload."""

    __slots__ = ("value", "word")

    def __init__(self, word: str) -> None:
        self.word = self.value = word


class PlainProblem:
    """Why a run does not count as complete (`model.Problem`)."""

    __slots__ = ("code", "message", "next_step")

    def __init__(self, code: str, message: str, next_step: str = "") -> None:
        self.code, self.message, self.next_step = Word(code), message, next_step


class PlainRun:
    """A run of one of the plain kinds as `model.Run` tells it, its defaults filled in."""

    id: str
    suite: str
    tree: str
    scoped_tree: str
    first_tree: str
    evidence: Word
    started: float
    recorded: float
    variant = shard = evals = None
    finished: float | None = None
    exit_code: int | None = None
    worktree = cwd = runner = runner_version = reader = label = key = ""
    sequence = 0
    clock_suspect = False
    head: str
    command: tuple[str, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()
    surface: tuple[tuple[str, str], ...] = ()
    untracked: tuple[str, ...] = ()
    reports: tuple[Any, ...] = ()
    changes: tuple[Any, ...] = ()
    problems: tuple[PlainProblem, ...] = ()

    def __init__(self, **told: Any) -> None:
        self.__dict__.update(told)


class PlainCases:
    """Cases of which each is told by its id and its outcome's letter (`case_list.CaseList` for all others)."""

    __slots__ = ("ids", "letters")
    others: dict[int, Case] = {}  # noqa: RUF012  (there are none)

    def __init__(self, ids: list[str], letters: bytes) -> None:
        self.ids, self.letters = ids, letters

    def counts_by_letter(self) -> dict[str, int]:
        counts = {letter: self.letters.count(letter.encode("ascii")) for letter in LETTERS}
        return {letter: number for letter, number in counts.items() if number}

    def __len__(self) -> int:
        return len(self.letters)


def fields_of(run: Run | PlainRun, cases: CaseList | PlainCases, inventory: str) -> dict[str, Any]:
    """The fields of an entry's payload, in their order; `inventory` is the digest of the list of the case ids."""
    return {
        "schema": "shipmoor-hooks.run/1",
        "id": run.id,
        "suite": run.suite,
        "variant": run.variant,
        "shard": [run.shard.index, run.shard.total] if run.shard else None,
        "tree": run.tree,
        "scoped_tree": run.scoped_tree,
        "first_tree": run.first_tree,
        "evidence": run.evidence.word,
        "started": run.started,
        "finished": run.finished,
        "recorded": run.recorded,
        "worktree": run.worktree,
        "sequence": run.sequence,
        "command": list(run.command),
        "cwd": run.cwd,
        "exit_code": run.exit_code,
        "runner": run.runner,
        "runner_version": run.runner_version,
        "reader": run.reader,
        "conditions": dict(run.conditions),
        "reports": [[r.name, r.sha256, r.mtime_ns] for r in run.reports],
        "head": run.head,
        "changes": [[c.path, c.mode, c.oid] for c in run.changes],
        "untracked": list(run.untracked),
        "clock_suspect": run.clock_suspect,
        "problems": [[p.code.value, p.message, p.next_step] for p in run.problems],
        **({SEALED_BY: run.key} if run.key else {}),
        **({"label": run.label} if run.label else {}),
        "surface": dict(run.surface),
        **({"evals": _evals(run)} if run.evals is not None else {}),
        "cases": {
            "inventory": inventory,
            "number": len(cases),
            "counts": cases.counts_by_letter(),
            "outcomes": base64.b64encode(_packed(cases.letters)).decode("ascii"),
            "details": {str(i): _details(case) for i, case in cases.others.items()},
        },
    }


def _packed(letters: bytes) -> bytes:
    """Outcome letters in zlib's format. They are runs of one letter: looking for nothing else is faster, and shorter."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_RLE)
    return packer.compress(letters) + packer.flush()


def _evals(run: Run | PlainRun) -> Any:
    from shipmoor_hooks.store import eval_entry  # of the runs that hold evals

    return eval_entry.fields_of(run.evals)  # type: ignore[arg-type]


def _details(case: Case) -> dict[str, Any]:
    """What a case has beside its outcome, where it is not what one green or red record has."""
    details: dict[str, Any] = {}
    if case.count != 1:
        details["count"] = case.count
    if (case.passed, case.samples) != (int(case.outcome.is_green), 1):
        details["samples"] = [case.passed, case.samples]
    if case.kind.value != "case":
        details["kind"] = case.kind.value
    if case.covers:
        details["covers"] = case.covers
    if case.raws:
        details["raws"] = list(case.raws)
    return details
