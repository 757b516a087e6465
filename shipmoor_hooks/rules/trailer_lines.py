"""One line of a disclosure: read, judged by itself, written to be pasted (design, sections 4 and 10.33). Pure.

`trailer_search` finds them in messages.
"""

from __future__ import annotations

from shipmoor_hooks.digest import sha256
from shipmoor_hooks.model import Code, DisclosureLine, Finding, Trailer

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

# The trailers that let a finding of each code through, the one to offer first. A code that is not here takes none.
TAKES: dict[Code, tuple[Trailer, ...]] = {
    Code.CASE_REMOVED: (Trailer.REMOVED, Trailer.RENAMED),
    Code.CASE_FEWER: (Trailer.REMOVED,),
    Code.CASE_SKIPPED: (Trailer.SKIPPED,),
    Code.EXPECTATION_WEAKENED: (Trailer.WEAKENED,),
    Code.SAMPLES_FEWER: (Trailer.WEAKENED,),
    Code.CHANGED_TO_PASS: (Trailer.WEAKENED,),
    Code.POLICY_LOOSENED: (Trailer.POLICY,),
    Code.CASE_UNREGISTERED: (Trailer.UNREGISTERED,),
}
PLACEHOLDER = "<reason>"
LONGEST_LINE = 100
HASH_DIGITS = 12  # of 8 or more that are read: with eight, two of a hundred thousand ids would share a name

_HEX = frozenset("0123456789abcdef")
NO_REASON = "it gives no reason after ` -- `"


# ---------------------------------------------------------------- one line


def malformed(line: DisclosureLine) -> str | None:
    """What is wrong with a line whatever the runs say, as the rest of a sentence; None when nothing is."""
    subject, reason = divide(line.value, lambda _: False)
    wrong = wrong_rename(subject) if line.trailer is Trailer.RENAMED else wrong_name(subject)
    return wrong or (None if reason else NO_REASON)


def wrong_rename(subject: str) -> str | None:
    old, arrow, new = subject.partition(" => ")
    if not arrow:
        return "it does not name two cases as `old => new`"
    if any(n.endswith("*") or ("*" in n and counted(n)) for n in (old, new)):
        return "a rename names one case and one target, never a wildcard"
    return wrong_name(old) or wrong_name(new)


def wrong_name(name: str) -> str | None:
    if not name:
        return "it names nothing"
    if (digits := hashed(name)) is not None:
        return None if 8 <= len(digits) <= 64 else "`case:` takes 8 to 64 digits of the id's SHA-256"
    told_number = counted(name)
    pattern = told_number[0] if told_number else name
    if "*" in pattern and not any(c.isalnum() for c in pattern):
        return "a bare `*` names nothing in particular"
    if name.endswith("*"):
        return "a wildcard needs the count of the cases in parentheses"
    return None


def counted(text: str) -> tuple[str, int] | None:
    """A name with the number that stands behind it in parentheses, `NAME (3)`; None for anything else."""
    name, _, number = text.rpartition("(")
    name, digits = name.rstrip(), number[:-1]
    is_number = number[-1:] == ")" and len(digits) <= 9 and digits.isascii() and digits.isdigit()
    return (name, int(digits)) if name and is_number and "\n" not in name else None


def hashed(text: str) -> str | None:
    """The digits of `case:DIGITS`, in any case, as lower-case hex; None for anything else."""
    head, digits = text[:5].lower(), text[5:].lower()
    return digits if head == "case:" and _HEX.issuperset(digits) else None


def divide(value: str, is_known: Callable[[str], bool]) -> tuple[str, str]:
    """Name and reason: at the leftmost ` -- ` whose left side is known, else at the leftmost. A placeholder is none."""
    text = value.strip() + " "
    ways = [(text[:at].strip(), text[at + 4 :].strip()) for at in _places(text, " -- ")] or [(text.strip(), "")]
    name, reason = next((way for way in ways if is_known(way[0])), ways[0])
    return name, "" if reason == PLACEHOLDER else reason


def _places(text: str, mark: str) -> Iterator[int]:
    """Every place of a mark, also where two of them share a blank."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def told(line: DisclosureLine, subject: str) -> str:
    return f"{line.trailer.value} for `{subject}` in commit {line.commit[:12]}"


def matches(pattern: str, case: str) -> bool:
    """Whether an id fits a pattern in which `*` stands for any characters and everything else for itself; linear."""
    first, *between, last = pattern.split("*")
    at, end = len(first), len(case) - len(last)
    if at > end or not case.startswith(first) or not case.endswith(last):
        return False
    for piece in between:
        at = case.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def arrows(text: str) -> Iterator[tuple[str, str]]:
    """Every way to read `old => new`; `text` has no blanks around it."""
    for at in _places(text, " => "):
        yield text[:at].strip(), text[at + 4 :].strip()


# ---------------------------------------------------------------- what to paste


def case_hash(case: str) -> str:
    """The SHA-256 of an id's UTF-8 bytes, 64 hex digits."""
    return sha256(case.encode("utf-8", "surrogatepass")).hex()


def line_to_paste(finding: Finding) -> str | None:
    """The trailer that would disclose this finding, its reason still to be written; None where words cannot disclose.

    Never wrapped. An id that a line cannot hold safely, or that makes it longer than 100 characters, goes by its hash.
    """
    takes = TAKES.get(finding.code)
    if takes is None or not finding.case:
        return None
    line = f"{takes[0].value}: {finding.case} -- {PLACEHOLDER}"
    if len(line) <= LONGEST_LINE and _is_plain(finding.case):
        return line
    return f"{takes[0].value}: case:{case_hash(finding.case)[:HASH_DIGITS]} -- {PLACEHOLDER}"


def rename_to_paste(old: str, new: str) -> str:
    """The trailer that would say that a case was renamed; both go by their hash where the ids do not fit a line."""
    line = f"{Trailer.RENAMED.value}: {old} => {new} -- {PLACEHOLDER}"
    if len(line) <= LONGEST_LINE and _is_plain(old) and _is_plain(new):
        return line
    hashed = " => ".join(f"case:{case_hash(case)[:HASH_DIGITS]}" for case in (old, new))
    return f"{Trailer.RENAMED.value}: {hashed} -- {PLACEHOLDER}"


def wildcard_to_paste(cases: Collection[str], others: Iterable[str], trailer: Trailer) -> str | None:
    """One counted line for all these cases: the file or folder that they share; None unless it names them and no others.

    `others` are the ids of every other finding that the same trailer could disclose, since the count is of all that match.
    """
    names = set(cases)
    prefix = _shared_place(names)
    line = f"{trailer.value}: {prefix}* ({len(names)}) -- {PLACEHOLDER}"
    if not prefix or "*" in prefix or not _is_plain(prefix) or len(line) > LONGEST_LINE or wrong_name(f"{prefix}* (1)"):
        return None
    return line if not any(matches(f"{prefix}*", other) for other in others if other not in names) else None


def _shared_place(cases: Collection[str]) -> str:
    """The longest beginning that all the ids have in common, back to the end of a file (`::`) or folder (`/`)."""
    first, last = min(cases), max(cases)  # what the smallest and the largest share, all share
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    head = first[:length].partition("[")[0]
    return head[: max(head.rfind("/") + 1, head.rfind("::") + 2 if "::" in head else 0)]


def _is_plain(case: str) -> bool:
    """Whether git and we read the id back from a line just as it is."""
    marks = any(mark in f" {case} " for mark in (" -- ", " => "))
    misread = wrong_name(case) or counted(case) or case.startswith("case:")
    return case.isprintable() and case == case.strip() and not marks and not misread
