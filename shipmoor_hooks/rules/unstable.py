"""Ids that come and go: what a name holds when it is made at run time. Pure (design, sections 2 and 3).

Nobody can tell a pid, a seed or the order of a set from data in one report, but two complete runs of one tree can: an id
that only some of them have, while the same number of ids of its form stands in each, is made anew with every run. Such
ids are compared as a group, by number and by colour. Where the numbers differ between the runs of a tree, a run was
smaller than another, and every id counts as a name of its own: a case that is gone is never explained away.
"""

from __future__ import annotations

from shipmoor_hooks.case_list import CaseList
from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.model import RecordKind, Run

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Size:
    """What a run holds of a group: how many cases (repeated ones counted), how many of the ids red, how many skipped."""

    cases: int = 0
    red: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Ids of one form that come and go. `name` is the form with a gap; `ids` those that were seen, sorted."""

    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unstable:
    """The groups of some runs. `steady` ids stand in each of several runs of a tree and belong to no group."""

    groups: tuple[Group, ...] = ()
    steady: frozenset[str] = frozenset()
    _forms: Mapping[tuple[int, str], Group] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.groups)

    def group_of(self, case_id: str) -> Group | None:
        """The group that an id belongs to, also one that was never seen before."""
        if case_id in self.steady or not self.groups:
            return None
        from shipmoor_hooks.rules.id_forms import FORMS

        for level in sorted({level for level, _ in self._forms}):
            found = self._forms.get((level, FORMS[level](case_id)))
            if found is not None:
                return found
        return None

    def sizes(self, run: Run, old_name: Callable[[str], str] = str) -> dict[str, Size]:
        """How much of each group a run holds, by the group's name. `old_name` gives the id before a file was renamed."""
        cases, red, skipped = ({g.name: 0 for g in self.groups} for _ in range(3))
        for case in run.cases:
            if case.kind is RecordKind.CASE and (group := self.group_of(old_name(case.id))) is not None:
                cases[group.name] += case.count
                red[group.name] += case.outcome.is_red
                skipped[group.name] += case.outcome.is_skip
        return {g.name: Size(cases[g.name], red[g.name], skipped[g.name]) for g in self.groups}

    def without(self, cases: Mapping[str, Row], old_name: Callable[[str], str] = str) -> dict[str, Row]:
        """The cases that belong to no group."""
        return {i: row for i, row in cases.items() if self.group_of(old_name(i)) is None} if self else dict(cases)

    def counted(self, cases: Mapping[str, Row], runs: Sequence[Run]) -> dict[str, Row]:
        """As many cases of each group as one run holds, in the place of all the names that they ever had."""
        most = self._sizes_of(runs) if self else {}
        return {i: cases[i] for g in self.groups for i in g.ids[: max(s.cases for s in most[g.name])] if i in cases}

    def compared(
        self, base: Sequence[Run], recent: Sequence[Run], tip: Sequence[Run], old_name: Callable[[str], str]
    ) -> list[tuple[Group, Size, Size]]:
        """Each group with what the base demands and what the deciding runs at the tip have at least, or at worst.

        A red that each run of the base shows is no news; else only one of its `recent` runs explains a red at the tip.
        """
        there, lately, here = self._sizes_of(base), self._sizes_of(recent), self._sizes_of(tip, old_name)
        return [
            (
                g,
                Size(
                    max(s.cases for s in there[g.name]),
                    max([min(s.red for s in there[g.name]), *(s.red for s in lately[g.name])]),
                    min(s.skipped for s in there[g.name]),
                ),
                Size(
                    min(s.cases for s in here[g.name]),
                    max(s.red for s in here[g.name]),
                    max(s.skipped for s in here[g.name]),
                ),
            )
            for g in self.groups
        ]

    def _sizes_of(self, runs: Sequence[Run], old_name: Callable[[str], str] = str) -> dict[str, list[Size]]:
        rows = [self.sizes(run, old_name) for run in runs]
        return {g.name: [sizes[g.name] for sizes in rows] for g in self.groups}


def original(renames: Mapping[str, str]) -> Callable[[str], str]:
    """From an id at the tip to the one that it had before git saw its file renamed (`renames`: old path -> new one)."""
    before = {new: old for old, new in renames.items()}

    def old_name(case_id: str) -> str:
        path, separator, rest = case_id.partition("::")
        return f"{before[path]}{separator}{rest}" if path in before else case_id

    return old_name


def unstable_ids(runs: Sequence[Run]) -> Unstable:
    """What two or more complete runs of one tree show; runs of one suite and variant, also of several trees."""
    trees = [run.scoped_tree or run.tree for run in runs]
    if len(set(trees)) == len(trees):
        return Unstable()  # of one run nobody can tell
    by_tree: dict[str | None, list[frozenset[str]]] = {}
    for tree, run in zip(trees, runs, strict=True):
        by_tree.setdefault(tree, []).append(CaseList.of(run.cases).case_ids())
    from shipmoor_hooks.rules import id_forms

    found: dict[tuple[int, str], set[str]] = {}
    for same_tree in by_tree.values():
        id_forms.learn(same_tree, found)
    if not found:
        return Unstable()
    # Of one run nobody can tell; what stands in each of several runs of some tree is a name, whatever other trees have.
    steady = [frozenset.intersection(*same_tree) for same_tree in by_tree.values() if len(same_tree) > 1]
    forms = {key: Group(id_forms.name(key, ids), tuple(sorted(ids))) for key, ids in sorted(found.items())}
    return Unstable(tuple(forms.values()), frozenset().union(*steady), forms)
