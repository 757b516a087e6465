"""Disclosures: which trailer names which finding, and why one names none (design, sections 4 and 10.33).

A disclosure tells, it does not approve. Two laws hold here. A line changes only the findings that it names: whatever
other lines stand beside it, its own name and count decide. And nothing that is said lets a red through. So the count
of a wildcard is the number of all cases of its kind that it matches, also those that another line names exactly: would
it count "the rest", a line about one case could make the count of another line right or wrong. The exact reason wins.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.model import Code, Disclosure, DisclosureLine, Finding, Level, Trailer
from shipmoor_hooks.rules.trailer_lines import (
    NO_REASON,
    TAKES,
    arrows,
    case_hash,
    counted,
    divide,
    hashed,
    line_to_paste,
    malformed,
    matches,
    told,
    wrong_name,
    wrong_rename,
)
from shipmoor_hooks.rules.trailer_search import misplaced, misplaced_notes, ours

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

__all__ = ["TAKES", "case_hash", "disclose", "line_to_paste", "malformed", "misplaced", "misplaced_notes", "ours"]

_MOST_HINTS = 10
_MOST_COMPARED = 500


def disclose(
    findings: Sequence[Finding],
    lines: Sequence[DisclosureLine],
    *,
    known: Iterable[str],
    new_at_tip: Collection[str],
    reason_pattern: str = "",
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings, each with the disclosure that names it, and a DISCLOSURE_UNUSED note for each line that names none.

    `known` are the ids that stand at base or tip, `new_at_tip` those that ran at the tip and did not stand at the base,
    `reason_pattern` the policy's. The first of several lines counts; one discloses its case in all suites and variants.
    """
    if not lines:
        return tuple(findings), ()
    book = _Book(findings, frozenset(known), frozenset(new_at_tip), reason_pattern)
    divided = [(line, *divide(line.value, book.is_whole(line.trailer))) for line in lines]
    # Wildcards come last: a wrong count then tells how many of its cases have a line of their own.
    order = sorted(range(len(divided)), key=lambda number: book.is_wild(*divided[number][:2]))
    unused = {number: book.enter(*divided[number]) for number in order}
    notes = (
        Finding(Code.DISCLOSURE_UNUSED, f"{told(line, subject)} is not used: {unused[number]}.")
        for number, (line, subject, _) in enumerate(divided)
        if unused[number]
    )
    return tuple(book.filled()), tuple(notes)


@dataclass(slots=True)
class _Book:
    """The lines entered so far: what each names, exactly or by a wildcard."""

    findings: Sequence[Finding]
    known: frozenset[str]
    new_at_tip: frozenset[str]
    reason_pattern: str
    exact: dict[Trailer, dict[str, Disclosure]] = field(default_factory=lambda: {t: {} for t in Trailer})
    wild: dict[Trailer, dict[str, Disclosure]] = field(default_factory=lambda: {t: {} for t in Trailer})
    targets: dict[str, str] = field(default_factory=dict)
    # The ids that each trailer could disclose, in the order of the findings.
    open: dict[Trailer, dict[str, None]] = field(default_factory=lambda: {t: {} for t in Trailer})
    codes: dict[str, set[Code]] = field(default_factory=dict)
    # What words alone cannot disclose, by case, and what is missing beside them.
    lacking: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    hints: int = 0

    def __post_init__(self) -> None:
        for finding in self.findings:
            if finding.case is not None and finding.level is Level.REFUSE:
                self.codes.setdefault(finding.case, set()).add(finding.code)
                for trailer in TAKES.get(finding.code, ()):
                    if finding.record:
                        self.lacking[finding.case] = finding.record
                    else:
                        self.open[trailer][finding.case] = None
        self.known |= {finding.case for finding in self.findings if finding.case is not None}

    def filled(self) -> Iterator[Finding]:
        """Each finding with its disclosure, exact before wildcard; untouched where nothing names it."""
        ways = {code: [book[t] for book in (self.exact, self.wild) for t in taken] for code, taken in TAKES.items()}
        for finding in self.findings:
            case = finding.case
            if finding.disclosed is None and case is not None and not finding.record:
                found = next((entries[case] for entries in ways.get(finding.code, ()) if case in entries), None)
                yield replace(finding, disclosed=found) if found else finding
            else:
                yield finding

    def is_whole(self, trailer: Trailer) -> Callable[[str], bool]:
        """Whether a piece of a line is a name as it stands (for a rename: two names)."""
        if trailer is Trailer.RENAMED:
            return lambda text: any(old in self.known and new in self.known for old, new in arrows(text))
        return lambda text: text in self.known

    def is_wild(self, line: DisclosureLine, subject: str) -> bool:
        """Whether a name is a wildcard: it holds a star and is no id. A rename takes none."""
        return line.trailer is not Trailer.RENAMED and "*" in subject and subject not in self.known

    def enter(self, line: DisclosureLine, subject: str, reason: str) -> str | None:
        """Take the line in, or say why it is not used."""
        if not reason:
            return NO_REASON
        if self.reason_pattern and not _fits(self.reason_pattern, reason):
            return f"its reason does not match the policy's pattern `{self.reason_pattern}`"
        disclosure = Disclosure(line.commit, line.trailer, reason)
        if line.trailer is Trailer.RENAMED:
            return self._enter_rename(subject, disclosure)
        if self.is_wild(line, subject):
            return self._enter_wildcard(subject, disclosure)
        found, why = self._named(subject, self.open[line.trailer])
        return why or self._enter_exact(found, disclosure)

    def _enter_exact(self, case: str, disclosure: Disclosure) -> str | None:
        if case in self.open[disclosure.trailer]:
            self.exact[disclosure.trailer].setdefault(case, disclosure)
            return None
        if case in self.lacking and disclosure.trailer is Trailer.WEAKENED:
            return f"words alone do not disclose it: {self.lacking[case]}"
        other = sorted(c.value for c in self.codes.get(case, ()) if c in TAKES)
        if other:
            takes = TAKES[Code(other[0])][0].value
            return f"the finding of this case is {other[0]}, which takes {takes}"
        refused = sorted(c.value for c in self.codes.get(case, ()) if Finding(c, "").refuses)
        return f"{refused[0]} cannot be disclosed" if refused else "nothing was lost there that it could disclose"

    def _enter_wildcard(self, subject: str, disclosure: Disclosure) -> str | None:
        pattern, said = counted(subject) or (subject, None)
        matched = [case for case in self.open[disclosure.trailer] if matches(pattern, case)]
        wrong = wrong_name(f"{pattern} (1)")
        if wrong:
            return wrong
        if said is None:
            return f"a wildcard needs the count of the cases in parentheses: they are {len(matched)}"
        if said != len(matched):
            named = {case for case in matched if any(case in entries for entries in self.exact.values())}
            also = f" ({len(named)} with a line of their own: the count is of all that match)" if named else ""
            return f"its count is wrong: it says {said}, they are {len(matched)}{also}"
        if not matched:
            return "nothing was lost there that it could disclose"
        for case in matched:
            self.wild[disclosure.trailer].setdefault(case, disclosure)
        return None

    def _enter_rename(self, subject: str, disclosure: Disclosure) -> str | None:
        pairs = list(arrows(subject))
        if not pairs:
            return wrong_rename(subject)
        old, new = next((p for p in pairs if p[0] in self.known and p[1] in self.known), pairs[0])
        old, why = self._named(old, self.open[disclosure.trailer])
        if why:
            return why if "*" not in subject else f"{why}; a rename takes no wildcard"
        new, why = self._named(new, self.new_at_tip)
        if why:
            return f"its target did not run at the tip: {why}"
        if new not in self.new_at_tip:
            return "its target is not new: it stands at the base already, or did not run at the tip"
        if self.targets.get(new, old) != old:
            return f"its target stands for `{self.targets[new]}` already"
        why = self._enter_exact(old, disclosure)
        if not why:
            self.targets[new] = old
        return why

    def _named(self, name: str, likely: Collection[str]) -> tuple[str, str | None]:
        """The id that a name means, exact first, then by hash; or why it means none. `likely` ids are offered first."""
        if name in self.known:
            return name, None
        start = hashed(name)
        if start is None:
            return name, f"there is no such case{self._hint(name, likely)}"
        if wrong := wrong_name(name):
            return name, wrong
        if not self.hashes:
            self.hashes = {case_hash(case): case for case in self.known}
        found = [case for digits, case in self.hashes.items() if digits.startswith(start)]
        if len(found) == 1:
            return found[0], None
        return name, f"{len(found)} cases begin like that; give more digits" if found else "there is no such case"

    def _hint(self, name: str, likely: Collection[str]) -> str:
        """The nearest id in words; comparing is slow, so only the first few lines get one."""
        import difflib  # only a wrong name needs it, and the hook path is counted in milliseconds

        self.hints += 1
        if self.hints > _MOST_HINTS:
            return ""
        tail = name.replace("::", "/").rpartition("/")[2]
        alike = sorted(case for case in self.known if case.endswith(tail))[:_MOST_COMPARED]
        pool = [*sorted(likely)[:_MOST_COMPARED], *alike]
        near = difflib.get_close_matches(name, pool, n=1)
        return f" (the nearest is `{near[0]}`)" if near else ""


def _fits(pattern: str, reason: str) -> bool:
    import re  # only a policy with a pattern needs it

    return re.search(pattern, reason) is not None
