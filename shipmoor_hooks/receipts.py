"""Receipts: what the gate answered to a push is kept, so that a push past the hook shows afterwards (design, section 7).

A receipt says that a tip was judged, not that it was pushed. A commit on the remote without any was pushed past the hook,
from elsewhere, or before there were receipts; `judged` tells which of these can be seen from here.
"""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks import history
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.enums import Enum
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Decision, Verdict
from shipmoor_hooks.place import Place
from shipmoor_hooks.sharing.foreign import foreign_dir
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Receipt

_LOOKED_AT = 400  # the newest receipts: a commit inside a pushed range is looked for among these


class Standing(Enum):
    """What is known about the judgement of a commit."""

    JUDGED = "judged"
    ELSEWHERE = "judged elsewhere"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answer about one commit: the receipts that speak of it (oldest first), and where it already is.

    `within` is the tip of the judged push that the commit was part of ("" where it was the tip itself, or its tree was).
    `on` are the remote-tracking branches that hold the commit.
    """

    standing: Standing
    commit: str
    receipts: tuple[Receipt, ...] = ()
    within: str = ""
    on: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Some judgement let it through."""
        return any(r.verdict == Decision.ALLOWED.value for r in self.receipts)


def keep(place: Place, verdict: Verdict, now: float) -> str:
    """Store the receipt of a verdict. Why it could not be kept, "" when it was: a push does not fail for that."""
    receipt = Receipt(
        id=records.new_id(),
        suite="",
        case="",
        recorded=now,
        ref=verdict.ref,
        commit=verdict.tip.commit or "",
        tree=verdict.tip.tree or "",
        verdict=verdict.decision.value,
        bases=(verdict.base.commit,) if verdict.base.commit else (),
        codes=tuple(dict.fromkeys(f.code.value for f in verdict.findings if f.disclosed is None)),
        warned=verdict.warned,
    )
    try:
        records.write(place.common_dir, receipt)
    except EnvironmentFault as fault:
        return fault.message
    return ""


@dataclass(frozen=True, slots=True)
class Watched:
    """Pushes by what the gate answered, each tip of a ref once (its newest answer). `warned` ones were let through by the
    policy's mode alone: they are the ones that would have been refused."""

    pushes: int
    warned: int
    refused: int
    not_judged: int

    def __str__(self) -> str:
        one = "1 push" if self.pushes == 1 else f"{self.pushes} pushes"
        said = f"{self.warned} of {one} would have been refused"
        said += f"; {self.refused} {'was' if self.refused == 1 else 'were'} refused" if self.refused else ""
        return said + (f"; {self.not_judged} could not be judged" if self.not_judged else "")


def watched(receipts: Sequence[Receipt]) -> Watched:
    """How many of these pushes were let through only because the policy warns. `receipts`: oldest first."""
    newest = {(r.ref, r.commit): r for r in receipts}.values()
    verdicts = [r.verdict for r in newest]
    return Watched(
        pushes=len(newest),
        warned=sum(r.warned for r in newest),
        refused=verdicts.count(Decision.REFUSED.value),
        not_judged=verdicts.count(Decision.CANNOT_EVALUATE.value),
    )


def own(place: Place) -> tuple[Receipt, ...]:
    """The receipts of the pushes from this repository, oldest first."""
    return records.every(place.common_dir, Receipt)[0]


def judged(place: Place, revision: str) -> Judgement:
    """Was this commit judged before it was pushed, here or elsewhere? Raises UsageFault for what is no commit."""
    git = place.git
    commit = history.require_commit(git, revision)
    on = _branches_with(git, commit)
    own, _ = records.every(place.common_dir, Receipt)
    fetched, _ = records.every(foreign_dir(place.common_dir), Receipt)
    known = {r.id for r in own}
    for standing, stock in (
        (Standing.JUDGED, own),
        (Standing.ELSEWHERE, tuple(r for r in fetched if r.id not in known)),
    ):
        exact = tuple(r for r in stock if r.commit == commit)
        if exact:
            return Judgement(standing, commit, exact, on=on)
    tree = history.tree_of(git, commit)
    for standing, stock in ((Standing.JUDGED, own), (Standing.ELSEWHERE, fetched)):
        same = tuple(r for r in stock if r.tree == tree)
        within = _within(git, commit, stock) if not same else None
        if same:
            return Judgement(standing, commit, same, on=on)
        if within is not None:
            return Judgement(standing, commit, (within,), within=within.commit, on=on)
    return Judgement(Standing.NOT_JUDGED, commit, on=on)


def _within(git: Git, commit: str, stock: Sequence[Receipt]) -> Receipt | None:
    """The newest receipt of a push that brought this commit along: an ancestor of its tip, and not of its bases."""
    for receipt in stock[: -_LOOKED_AT - 1 : -1]:
        here = history.commit_of(git, receipt.commit) is not None and history.is_ancestor(git, commit, receipt.commit)
        if here and not any(history.is_ancestor(git, commit, base) for base in receipt.bases):
            return receipt
    return None


def _branches_with(git: Git, commit: str) -> tuple[str, ...]:
    out = git.try_text("for-each-ref", "--format=%(refname:short)", f"--contains={commit}", "refs/remotes/")
    return tuple(name for name in (out or "").split("\n") if name and not name.endswith("/HEAD"))
