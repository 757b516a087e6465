"""What the words without a dash select: paths whose union is run, patterns, or tasks (design 10.27).

Pure. Each comparison takes the words of this run and those of the policy's command and says in words what got smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.runners.words import Word

Compare = Callable[[Sequence[Word], Sequence[Word]], list[str]]


@dataclass(frozen=True, slots=True)
class Paths:
    """Operands are paths whose union is run, with all below them when `deep`. None given means `default`; where that
    is "" the runner's own configuration decides, and that is tracked."""

    default: str = ""
    deep: bool = True

    def __call__(self, words: Sequence[Word], usual: Sequence[Word]) -> list[str]:
        given, wanted = _operands(words), _operands(usual)
        if not given and not self.default:
            return []
        have = [w.value or "" for w in given] or [self.default]
        want = [w.value or "" for w in wanted] or [self.default or "."]
        if all(any(covers(wide, narrow, deep=self.deep) for wide in have) for narrow in want):
            return []
        return [f"only {w}" for w in given] or [f"only {self.default}"]


def paths(default: str = "", *, deep: bool = True) -> Compare:
    """A row's words for `Paths`."""
    return Paths(default, deep)


def patterns(words: Sequence[Word], usual: Sequence[Word]) -> list[str]:
    """Operands are patterns whose union is run; none means all."""
    given, wanted = _operands(words), _operands(usual)
    if not given or (wanted and {w.value for w in wanted} <= {w.value for w in given}):
        return []
    return [f"only {w}" for w in given]


def tasks(words: Sequence[Word], usual: Sequence[Word]) -> list[str]:
    """Operands are tasks: each one that `usual` names and that is left out narrows."""
    given = {w.value for w in _operands(words)}
    return [f"without {w}" for w in _operands(usual) if w.value not in given]


def covers(wide: str, narrow: str, *, deep: bool = True) -> bool:
    """Whether all that `narrow` names is named by `wide` too; `...` is Go's word for all below."""
    wide, narrow = _plain(wide), _plain(narrow)
    if wide in (narrow, "..."):
        return True
    if wide.endswith("/..."):
        return narrow == wide[:-4] or narrow.startswith(wide[:-3])
    if not deep:
        return False
    return wide == "." or narrow.startswith((wide + "/", wide + ":", wide + "["))


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path.rstrip("/") or "."


def _operands(words: Sequence[Word]) -> list[Word]:
    return [w for w in words if w.is_operand]
