"""What changed between base and tip in the files that decide what runs and how it is judged.

A change is a note with its diffstat; where a configuration provably selects less it is POLICY_LOOSENED. One git process
where nothing of the surface changed, and nothing that is not loaded already.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Finding, Suite
from shipmoor_hooks.surface_table import EVERY, SHARED, Files, of_runner, pathspecs

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Changed:
    """One path that differs: `A`, `D`, `M` or `T`, the lines that came and went (None: it is no text)."""

    path: str
    status: str
    added: int | None
    removed: int | None

    def __str__(self) -> str:
        word = {"A": "new, ", "D": "gone, "}.get(self.status, "")
        return f"{self.path} ({word}{_lines(self.added, self.removed)})"


def findings(git: Git, base_tree: str, tip_tree: str, suites: Mapping[str, Suite]) -> list[Finding]:
    """The notes and refusals of the surface, for suites that both sides have (as the base's policy says)."""
    if base_tree == tip_tree:
        return []
    changed = changes(git, base_tree, tip_tree, (*EVERY, *SHARED))
    return _told(git, (base_tree, tip_tree), changed, suites) if changed else []


def changes(git: Git, base_tree: str, tip_tree: str, rows: Sequence[Files]) -> list[Changed]:
    """The paths of these rows that differ between two trees."""
    out = git.output(
        "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-abbrev", base_tree, tip_tree, "--",
        *pathspecs(rows),
    ).decode("utf-8", "surrogateescape")  # fmt: skip
    statuses: dict[str, str] = {}
    found = []
    fields = iter(out.split("\0"))
    for field in fields:
        if field.startswith(":"):
            statuses[next(fields)] = field[-1]
        elif field:
            added, removed, path = field.split("\t", 2)
            found.append(Changed(path, statuses.get(path, "M"), _number(added), _number(removed)))
    return found


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)


def _told(
    git: Git,
    trees: tuple[str, str],
    changed: Sequence[Changed],
    suites: Mapping[str, Suite],
) -> list[Finding]:
    from shipmoor_hooks import runners  # the table of runners is large, and the surface seldom changes
    from shipmoor_hooks.rules import surface_rules

    known = [runners.recognise(suite.command) for suite in suites.values()]
    rows = dict.fromkeys([*(row for r in known for row in of_runner(r.name if r else "")), *SHARED])
    wanted = {name: surface_rules.files_of(suite.command) for name, suite in suites.items()}
    paths = {c.path for c in changed}
    touched = {name for name, files in wanted.items() if not paths.isdisjoint(files)}
    shared = {c.path for c in changed if any(row.speaks and row.holds(c.path) for row in rows)}
    both = contents(git, trees, shared.union(*(wanted[name] for name in touched)) if touched else shared)
    narrowed = [
        Finding(
            Code.POLICY_LOOSENED,
            f"{row.path} selects less for {name} than it did at the base: {row.says}.",
            f"Restore what {row.path} said.",
            case=f"suite.{name}.surface:{row.path}",
            suite=name,
        )
        for name in sorted(touched)
        for row in surface_rules.narrowed(suites[name].command, *(_of(side, wanted[name]) for side in both))
    ]
    return [*_note([c for c in changed if _is_surface(c.path, rows, both)], rows, trees), *narrowed]


def _of(side: Mapping[str, bytes], paths: Sequence[str]) -> dict[str, bytes]:
    return {path: side[path] for path in paths if path in side}


def _is_surface(path: str, rows: Collection[Files], both: Sequence[Mapping[str, bytes]]) -> bool:
    from shipmoor_hooks.rules.surface_parts import differs

    held = [row for row in rows if row.holds(path)]
    before, after = (side.get(path) for side in both)
    return any(not row.speaks or differs(path, row.speaks, before, after) for row in held)


def contents(git: Git, trees: tuple[str, str], paths: Collection[str]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What these paths hold in two trees, by one git process; a path that is no file is left out."""
    both: tuple[dict[str, bytes], dict[str, bytes]] = ({}, {})
    asked = [(side, tree, path) for side, tree in zip(both, trees, strict=True) for path in sorted(paths)]
    asked = [row for row in asked if "\n" not in row[2]]
    if not asked:
        return both
    lines = "".join(f"{tree}:{path}\n" for _, tree, path in asked).encode("utf-8", "surrogateescape")
    out = git.output("cat-file", "--batch", stdin=lines)
    at = 0
    for side, _, path in asked:
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        at = end + 1
        if len(words) < 3 or not words[-1].isdigit():
            continue  # `NAME missing`
        size = int(words[-1])
        if words[-2] == b"blob":
            side[path] = out[at : at + size]
        at += size + 1
    return both


def _note(changed: Sequence[Changed], rows: Collection[Files], trees: tuple[str, str]) -> list[Finding]:
    """One note with the diffstat; files of which there may be thousands are one entry of it."""
    if not changed:
        return []
    many = [c for c in changed if next(row for row in rows if row.holds(c.path)).many]
    entries = [str(c) for c in changed if c not in many]
    if many:
        added, removed = (sum(n or 0 for n in side) for side in zip(*((c.added, c.removed) for c in many), strict=True))
        word = "1 snapshot" if len(many) == 1 else f"{len(many)} snapshots"
        entries.insert(0, f"{word} ({_lines(added, removed)})")
    return [
        Finding(
            Code.SURFACE_CHANGED,
            f"What decides which cases run and how they are judged changed: {some(entries, _SHOWN)}.",
            f"git diff {trees[0][:12]} {trees[1][:12]}",
        )
    ]


def _lines(added: int | None, removed: int | None) -> str:
    return "no text" if added is None or removed is None else f"+{added} -{removed}"
