"""Why a suite cannot be evaluated: which side lacks a usable run, and the one command that settles it (design, section 3).

A tree that was almost run is told by the paths that differ (TREE_DIFFERS). Nothing here is ever a list of removed cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shipmoor_hooks import history
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Finding, Problem, Revision, Run, Suite
from shipmoor_hooks.rules.selection import Choice
from shipmoor_hooks.store.spool import Spool

_RECENT = 40  # entries that are looked at for a run on almost this tree
_ALMOST = 20  # paths that may differ


class Missing:
    """The two sides of one suite, and what is missing on each.

    `here` tells whether the tip is checked out; it asks git, so it is called only where something is missing, and so does
    `published`: whether the remote has runs that were not fetched yet.
    """

    def __init__(
        self,
        git: Git,
        spool: Spool,
        suite: Suite,
        bases: Sequence[Revision],
        tip: Revision,
        *,
        here: Callable[[], bool],
        published: Callable[[], bool] = lambda: False,
    ) -> None:
        self.git = git
        self.spool = spool
        self.suite = suite
        self.bases = bases
        self.tip = tip
        self.here = here
        self.published = published

    def sides(self, base: Choice, tip: Choice) -> tuple[list[Finding], list[str | None], list[Finding]]:
        """What is missing, the variants that can be compared, and notes about variants that the policy does not list."""
        wanted = set(self.suite.variants)
        if not tip.usable or not base.usable:
            problems = []
            if not base.usable:
                problems.append(self._none(base, at_tip=False))
            if not tip.usable:
                problems.append(self._none(tip, at_tip=True))
            return problems, [], []
        if wanted:
            problems = [self._variant(tip, v, at_tip=True) for v in self.suite.variants if v not in tip.usable]
            problems += [self._variant(base, v, at_tip=False) for v in self.suite.variants if v not in base.usable]
            unlisted = [v for v in tip.usable if v not in wanted]
            return (
                problems,
                [v for v in self.suite.variants if v in base.usable and v in tip.usable],
                self._notes(unlisted),
            )
        common = sorted(set(base.usable) & set(tip.usable), key=lambda v: v or "")
        others = sorted(set(base.usable) ^ set(tip.usable), key=lambda v: v or "")
        if not common:
            return [self._no_common(base, tip)], [], []
        return [], list(common), self._notes(others)

    def set_aside(self, choice: Choice, variant: str | None, *, at_tip: bool) -> list[Finding]:
        """A run that does not count, beside an older one that does, is named; so is an entry that cannot be read."""
        side = "tip" if at_tip else "base"
        rows = choice.problems.get(variant, ())[:1] or choice.problems.get(None, ())[-1:]
        return [
            self._finding(
                Code.RUN_SET_ASIDE,
                _full(f"Beside the run that counts at the {side} another does not: {problem.message}"),
                "",
                variant,
            )
            for problem in rows
        ]

    # ---------------------------------------------------------------- one side without any usable run

    def _none(self, choice: Choice, *, at_tip: bool) -> Finding:
        problem = self._first_problem(choice)
        side = "tip" if at_tip else "base"
        if problem is not None:
            message = _full(f"At the {side}: {problem.message}")
            return self._finding(problem.code, message, self._command(problem, at_tip, None), None)
        if at_tip:
            almost = self._almost()
            if almost is not None:
                return almost
            name = (self.tip.commit or "")[:12]
            message = f"No run of {self.suite.name} stands on the tip's tree (commit {name})."
            return self._finding(Code.NO_RUN_AT_TIP, message, self._run(at_tip=True), None)
        name = (self.bases[0].commit or "")[:12]
        message = f"No run of {self.suite.name} stands on the base's tree (commit {name})."
        ways = [*(["shipmoor-hooks fetch"] if self.published() else []), self._run(at_tip=False)]
        return self._finding(Code.NO_RUN_AT_BASE, message, "\n".join(ways), None)

    def _command(self, problem: Problem, at_tip: bool, variant: str | None) -> str:
        """What settles a problem: its own way out; where that is a run, one of the right side and variant."""
        step = problem.next_step or self._run(at_tip, variant)
        if not step.startswith("shipmoor-hooks run ") or " --at " in step:
            return step
        return self._run(at_tip, variant) + (f" --shard {step.split(' --shard ')[1]}" if " --shard " in step else "")

    def _first_problem(self, choice: Choice) -> Problem | None:
        rows = [p for v in sorted(choice.problems, key=lambda v: v or "") for p in choice.problems[v]]
        return rows[0] if rows else None

    def _run(self, at_tip: bool, variant: str | None = None) -> str:
        revision = self.tip.commit if at_tip else self.bases[0].commit
        where = "" if at_tip and self.here() else f" --at {(revision or '')[:12]}"
        leg = f" --variant {variant}" if variant else ""
        return f"shipmoor-hooks run --suite {self.suite.name}{leg}{where}"

    def _almost(self) -> Finding | None:
        """The run whose tree is nearest to the tip's, when only a few paths differ."""
        bases = {b.tree for b in self.bases}
        best: tuple[int, Run, list[str]] | None = None
        for run in self.spool.recent(_RECENT).runs:
            if run.suite != self.suite.name or run.head is None or run.tree is None or run.tree in bases:
                continue
            paths = history.differing_paths(self.git, run.head, run.changes, self.tip.tree or "")
            if paths and len(paths) <= _ALMOST and (best is None or len(paths) < best[0]):
                best = (len(paths), run, paths)
        if best is None:
            return None
        _, _, paths = best
        return self._finding(
            Code.TREE_DIFFERS,
            f"{self.suite.name} was run on almost this tree; what differs: {', '.join(paths)}.",
            self._run(at_tip=True),
            None,
        )

    # ---------------------------------------------------------------- variants

    def _variant(self, choice: Choice, variant: str, *, at_tip: bool) -> Finding:
        rows = choice.problems.get(variant, ())
        side = "tip" if at_tip else "base"
        if rows:
            message = _full(f"On {variant} at the {side}: {rows[0].message}")
            return self._finding(rows[0].code, message, self._command(rows[0], at_tip, variant), variant)
        message = f"Variant {variant} of {self.suite.name} has no run at the {side}; the policy asks for it."
        return self._finding(Code.VARIANT_MISSING, message, self._run(at_tip, variant), variant)

    def _no_common(self, base: Choice, tip: Choice) -> Finding:
        there, here = (", ".join(sorted(v or "no variant" for v in c.usable)) for c in (base, tip))
        message = f"Base and tip of {self.suite.name} were measured on different variants: {there}, then {here}."
        first = next((v for v in sorted(base.usable, key=lambda v: v or "") if v), None)
        return self._finding(Code.VARIANT_MISSING, message, self._run(True, first), None)

    def _notes(self, variants: Sequence[str | None]) -> list[Finding]:
        return [
            self._finding(
                Code.VARIANT_UNLISTED,
                f"The runs of {self.suite.name} on {v or 'no variant'} were not judged: only one side has them, or the "
                "policy does not list them.",
                "",
                v,
            )
            for v in variants
        ]

    def _finding(self, code: Code, message: str, next_step: str, variant: str | None) -> Finding:
        return Finding(code, message, next_step, self.suite.name, variant)


def _full(message: str) -> str:
    return message if message.endswith(".") else f"{message}."
