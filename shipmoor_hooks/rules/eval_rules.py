"""The rules that only eval suites have: expectations, samples, registered cases, single-case runs that clear. Pure.

Design, sections 3, 10.13, 10.17 and 10.26. What changed inside a case's
folder is handed in (`Change`): reading it takes git and YAML, and is asked only for folders that are not the same.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.eval_model import EvalCase
from shipmoor_hooks.model import Finding, Run
from shipmoor_hooks.rules import eval_wording as wording
from shipmoor_hooks.rules.policy_rules import option
from shipmoor_hooks.rules.standing import deciding

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:  # what compares two folders is not loaded where none differs
    from collections.abc import Iterable, Mapping, Sequence

    from shipmoor_hooks.evals.expectations import ChangedPart
    from shipmoor_hooks.store.record_model import Regrade

DEFAULT_THRESHOLD = 1.0


@dataclass(frozen=True, slots=True)
class Change:
    """What a tip's case folder asks otherwise than the base's, part by part, in words.

    `weakened` are the parts that count (a stricter one is disclosed by the same line); `notes` the others; `fewer` says that
    fewer runs are asked for. `record` is the reason why words alone do not disclose it ("" where they do): a changed pattern
    needs its recorded re-grade.
    """

    weakened: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fewer: str = ""
    record: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """A case whose expectation no run of the base has: as it stands there, in which run, and as it stands at the tip."""

    base: EvalCase
    base_run: Run
    tip: EvalCase
    tip_run: Run


@dataclass(frozen=True, slots=True)
class Sides:
    """The runs of both sides that were compared; `command` is the suite's at the base, `reruns` the policy's."""

    base: Sequence[Run]
    tip: Sequence[Run]
    command: Sequence[str] = ()
    reruns: str = "all"


def change_of(parts: Sequence[ChangedPart], lacks: str) -> Change:
    """The parts of a folder as the rules take them; `lacks` is what a changed pattern lacks beside words ("" for nothing)."""
    fewer = [p for p in parts if p.kind == "samples_fewer"]
    return Change(
        weakened=tuple(p.sentence for p in parts if p.kind == "weakened"),
        notes=tuple(p.sentence for p in parts if p.kind == "note"),
        fewer=fewer[0].sentence if fewer else "",
        record=lacks if any(p.needs_regrade for p in parts) else "",
    )


def regrade_lacks(records: Sequence[Regrade]) -> str:
    """Why no re-grade between two folders stands for a disclosure; "" where one does.

    It has to rest on a trace of the case, and the new graders must not take a reply that a person called wrong, nor one
    under a planted fault that the old ones saw: a known negative still splits from its known positive.
    """
    if not records:
        return "no re-grade of recorded traces is stored"
    newest = records[-1]
    if newest.newly_wrong:
        return f"the new graders take {len(newest.newly_wrong)} replies that were labelled wrong"
    if newest.newly_fault:
        return f"the new graders take {len(newest.newly_fault)} traces of planted faults that the old ones did not"
    own = [row for row in newest.tallies if row.what != "other" and row.of > row.ungraded]
    return "" if own else "its re-grade rests on no trace of the case"


def stands_for_regrade(run: Run, row: Moved, differing: Iterable[str]) -> bool:
    """Whether a run is one of the base's tree under the tip's graders: nothing but case folders differ (`differing` paths)."""
    if run.evals is None or not any(
        c.id == row.tip.id and c.expectation == row.tip.expectation and c.valid for c in run.evals.cases
    ):
        return False
    folders = tuple(f"{case.dir}/" for case in run.evals.cases)
    return all(path.startswith(folders) for path in differing)


def keeps_traces(runs: Iterable[Run], case_id: str) -> bool:
    """Whether a trace of the case is kept in one of the runs."""
    return any(s.trace for _, case in _by_id(runs).get(case_id, ()) for s in case.samples)


def moved(sides: Sides) -> list[Moved]:
    """The cases of both sides whose expectation is another one, sorted by id; one that nobody knows is taken for other."""
    before, after = _by_id(sides.base), _by_id(deciding(sides.tip, sides.reruns))
    found = []
    for case_id in sorted(before.keys() & after.keys()):
        known = {case.expectation for _, case in before[case_id]}
        for run, case in after[case_id]:
            if case.expectation is None or case.expectation not in known:
                base_run, base_case = before[case_id][-1]
                found.append(Moved(base_case, base_run, case, run))
                break
    return found


def judged(sides: Sides, changes: Mapping[str, Change]) -> list[Finding]:
    """EXPECTATION_WEAKENED, SAMPLES_FEWER, CASE_UNREGISTERED and their notes, none disclosed yet; `changes` by case id."""
    return [*_weakened(sides, changes), *_fewer_samples(sides, changes), *_unregistered(sides)]


# ---------------------------------------------------------------- expectations


def _weakened(sides: Sides, changes: Mapping[str, Change]) -> list[Finding]:
    asked, has = asked_threshold(sides), min(r.evals.threshold for r in _decide(sides) if r.evals)
    lowered = f"the threshold of the run was {asked:g} and is {has:g}" if has < asked else ""
    both = _by_id(sides.base).keys() & _by_id(sides.tip).keys()
    found = []
    for case_id in sorted(both):
        change = changes.get(case_id, Change())
        parts = [*([lowered] if lowered else []), *change.weakened]
        if parts:
            found.append(wording.weakened(case_id, parts, change.record))
        found += [wording.expectation_note(case_id, note) for note in change.notes]
    return found


def asked_threshold(sides: Sides) -> float:
    """What the base asks: the highest threshold of its runs and of the command that the base's policy names.

    A command that is no `plugin eval` says nothing about it.
    """
    known = [r.evals.threshold for r in sides.base if r.evals is not None]
    if "eval" in sides.command:
        try:
            known.append(float(option(sides.command, "--threshold") or DEFAULT_THRESHOLD))
        except ValueError:
            known.append(DEFAULT_THRESHOLD)
    return max(known, default=DEFAULT_THRESHOLD)


# ---------------------------------------------------------------- samples


def _fewer_samples(sides: Sides, changes: Mapping[str, Change]) -> list[Finding]:
    """Samples of one complete run each: what has piled up on a tree makes up for nothing."""
    before, after = _most_samples(sides.base), _most_samples(_decide(sides))
    found = []
    for case_id in sorted(before.keys() & after.keys()):
        took, takes = before[case_id], after[case_id]
        asked = changes.get(case_id, Change()).fewer
        if takes < took:
            found.append(wording.samples_fewer(case_id, took, takes, asked))
        elif asked:
            found.append(wording.runs_fewer(case_id, asked))
    return found


def _most_samples(runs: Iterable[Run]) -> dict[str, int]:
    """Valid samples of each case in the run that took most of them."""
    found: dict[str, int] = {}
    for case_id, rows in _by_id(runs).items():
        per_run: dict[str, int] = {}
        for run, case in rows:  # two cases of one name are one case
            per_run[run.id] = per_run.get(run.id, 0) + len(case.valid)
        found[case_id] = max(per_run.values())
    return found


# ---------------------------------------------------------------- registered


def _unregistered(sides: Sides) -> list[Finding]:
    """Cases whose expectation the base does not have and HEAD did not hold when it first ran (recorded with the run)."""
    before = {(case_id, case.expectation) for case_id, rows in _by_id(sides.base).items() for _, case in rows}
    found = []
    for case_id, rows in sorted(_by_id(sides.tip).items()):
        if any(c.registered is False and (case_id, c.expectation) not in before for _, c in rows):
            found.append(wording.unregistered(case_id))
    return found


# ---------------------------------------------------------------- what may clear


# ---------------------------------------------------------------- pieces


def _decide(sides: Sides) -> list[Run]:
    return deciding(sides.tip, sides.reruns)


def _by_id(runs: Iterable[Run]) -> dict[str, list[tuple[Run, EvalCase]]]:
    found: dict[str, list[tuple[Run, EvalCase]]] = {}
    for run in sorted(runs, key=lambda r: (r.started, r.sequence, r.id)):
        for case in run.evals.cases if run.evals else ():
            found.setdefault(case.id, []).append((run, case))
    return found
