"""git's own log, as commits with what git draws beside them (design, section 7: a text version like `git log --graph`)."""

from __future__ import annotations

from collections.abc import Iterator

from shipmoor_hooks import history
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import DisclosureLine
from shipmoor_hooks.report.pages import Commit
from shipmoor_hooks.rules import trailer_search

_HEAD, _BELOW = "\x01", "\x02"
# The second and third line are only for what git draws before them: a merge needs one line to fork.
_FORMAT = "%x01%H%x01%T%x01%P%x01%ct%x01%s%n%x02%n%x02"


def commits(git: Git, tip: str, number: int, *, base: str | None = None) -> list[Commit]:
    """At most `number` commits from `tip` back, as git orders them; with `base` only what the base does not have.

    What git draws between two commits is kept with the one above. Raises UsageFault for a revision that is none.
    """
    words = ["log", "--graph", "--no-color", f"--max-count={number}", f"--format={_FORMAT}", tip]
    done = git.run("-c", "log.showSignature=false", "-c", "i18n.logOutputEncoding=UTF-8",
                   *words, *([f"^{base}"] if base else []), "--")  # fmt: skip
    if done.returncode:
        raise UsageFault(f"{tip!r} names no commit with a history", "git log --oneline --all")
    rows = list(_rows(done.stdout.decode("utf-8", "surrogateescape")))
    told = _disclosures(git, [r.name for r in rows])
    return [replace(row, disclosures=told.get(row.name, ())) for row in rows]


def _rows(text: str) -> Iterator[Commit]:
    head: list[str] = []
    graph = ""
    below: list[str] = []
    for line in text.split("\n"):
        if _HEAD in line:
            if head:
                yield _commit(head, graph, below)
            graph, *head = line.split(_HEAD, 5)
            below = []
        elif head:
            below.append(line.partition(_BELOW)[0].rstrip())
    if head:
        yield _commit(head, graph, below)


def _commit(fields: list[str], graph: str, below: list[str]) -> Commit:
    name, tree, parents, when, subject = fields
    while below and not below[-1]:
        below.pop()
    return Commit(name, tree, tuple(parents.split()), float(when), subject, (), graph, tuple(below))


def _disclosures(git: Git, names: list[str]) -> dict[str, tuple[DisclosureLine, ...]]:
    found: dict[str, list[DisclosureLine]] = {}
    for line in trailer_search.ours(history.messages_of(git, names)):
        found.setdefault(line.commit, []).append(line)
    return {name: tuple(lines) for name, lines in found.items()}
