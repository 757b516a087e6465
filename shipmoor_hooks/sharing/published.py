"""Runs and records as a ref of a repository holds them: `refs/shipmoor-hooks/runs` (docs/decisions/sharing.md).

    runs/<first two digits>/<other digits of the scoped tree>/<start>-<id>.run
    runs/<..>/<..>/<start>-<id>.run.<key>.sig      an SSH signature of that file, by one key
    inventories/<two>/<others>                     a list of case ids, named by its digest
    records/<kind>/<two>/<others>/<time>-<id>.record   (and .sig)

The names and objects of such a ref come from anybody who may push. They are read level by level, each tree once, so that a
tree which unfolds without end costs what it is; nothing of it is ever a path, an argument or a pattern. What is no name of
ours is refused by name where it could do harm (a link, `..`, a huge blob) and left as it is otherwise: a newer version's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.enums import Enum
from shipmoor_hooks.errors import EvidenceFault
from shipmoor_hooks.git import Git

RUNS_REF = "refs/shipmoor-hooks/runs"
MOST_ENTRIES = 500_000
MOST_TREE = 64 << 20  # bytes of one tree object
_READ_AT_ONCE = 64 << 20
_BLOB, _TREE = "100644", "40000"
_SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}")
_HEX = "[0-9a-f]"
_NAME = r"[0-9]{13,}-[0-9A-Za-z]{1,64}"


class Sort(Enum):
    """What a published file is, by its name; the value is the pattern of its path."""

    RUN = rf"runs/{_HEX}{{2}}/{_HEX}{{38}}(?:{_HEX}{{24}})?/{_NAME}\.run"
    INVENTORY = rf"inventories/{_HEX}{{2}}/{_HEX}{{62}}"
    RECORD = rf"records/[a-z]{{1,32}}/{_HEX}{{2}}/{_HEX}{{38}}/{_NAME}\.record"
    SIGNATURE = rf"(?:runs|records/[a-z]{{1,32}})/{_HEX}{{2}}/{_HEX}+/{_NAME}\.(?:run|record)\.{_HEX}{{16}}\.sig"


MOST_BYTES = {Sort.RUN: 64 << 20, Sort.INVENTORY: 512 << 20, Sort.RECORD: 16 << 20, Sort.SIGNATURE: 64 << 10}


@dataclass(frozen=True, slots=True)
class Blob:
    """A published file of a known sort: git's name of its content, and its size in bytes."""

    sort: Sort
    oid: str
    size: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A name in the published tree that is not taken, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Published:
    """The published tree of a commit: files by path; what was left alone (path to mode and object name); what is refused."""

    commit: str | None = None
    blobs: Mapping[str, Blob] = field(default_factory=dict)
    unknown: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()


def tracking_ref(remote: str) -> str:
    """Where the last value of a remote's runs is kept."""
    return f"refs/shipmoor-hooks/remotes/{remote}/runs"


def run_path(scoped_tree: str, name: str) -> str:
    return f"runs/{scoped_tree[:2]}/{scoped_tree[2:]}/{name}"


def inventory_path(digest: str) -> str:
    return f"inventories/{digest[:2]}/{digest[2:]}"


def sort_of(path: str) -> Sort | None:
    return next((sort for sort in Sort if re.fullmatch(sort.value, path)), None)


# ---------------------------------------------------------------- reading


def read(git: Git, commit: str | None) -> Published:
    """What a commit of the ref holds. Raises EvidenceFault when it cannot be listed at all, GitFault."""
    if commit is None:
        return Published()
    return _read_below(git, commit, {"": git.text("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")})


def read_tree(git: Git, commit: str, scoped_tree: str) -> Published:
    """Only what is published for one scoped tree. Raises as `read`."""
    folder = f"runs/{scoped_tree[:2]}/{scoped_tree[2:]}"
    tree = git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{folder}")
    return Published(commit) if tree is None else _read_below(git, commit, {folder: tree})


def _read_below(git: Git, commit: str, level: dict[str, str]) -> Published:
    found: dict[str, tuple[Sort, str]] = {}
    unknown: dict[str, tuple[str, str]] = {}
    refused: list[Refused] = []
    number = 0
    while level:
        below: dict[str, str] = {}
        trees = _trees(git, set(level.values()), len(commit) // 2)
        for folder, oid in level.items():
            for mode, name, entry in trees[oid]:
                number += 1
                if number > MOST_ENTRIES:
                    raise EvidenceFault(f"the published runs hold more than {MOST_ENTRIES} names, so none is taken")
                path = f"{folder}/{name}" if folder else name
                if not _SAFE.fullmatch(name) or name.endswith((".lock", ".git")):
                    refused.append(Refused(path, "its name is none of ours"))
                elif mode == _TREE and _is_folder(path):
                    below[path] = entry
                elif mode == _BLOB and (sort := sort_of(path)) is not None:
                    found[path] = (sort, entry)
                elif mode in (_BLOB, _TREE):
                    unknown[path] = ("100644" if mode == _BLOB else "040000", entry)
                else:
                    refused.append(Refused(path, "it is a link, a submodule or a program, and no entry is one"))
        level = below
    return _sized(git, commit, found, unknown, refused)


def _sized(
    git: Git,
    commit: str,
    found: Mapping[str, tuple[Sort, str]],
    unknown: Mapping[str, tuple[str, str]],
    refused: list[Refused],
) -> Published:
    """The listing with sizes; what is no blob, missing, or larger than its sort may be is refused."""
    sizes = _sizes(git, {oid for _, oid in found.values()}, "blob")
    blobs = {}
    for path, (sort, oid) in found.items():
        size = sizes.get(oid)
        if size is None:
            refused.append(Refused(path, "its content is missing"))
        elif size > MOST_BYTES[sort]:
            refused.append(Refused(path, f"it has {size} bytes, and {MOST_BYTES[sort]} are the most"))
        else:
            blobs[path] = Blob(sort, oid, size)
    left = {}
    for mode, kind in (("100644", "blob"), ("040000", "tree")):
        there = _sizes(git, {oid for told, oid in unknown.values() if told == mode}, kind)
        left.update({path: row for path, row in unknown.items() if row[0] == mode and row[1] in there})
    refused += [Refused(path, "its content is missing") for path in unknown if path not in left]
    return Published(commit, blobs, left, tuple(sorted(refused, key=lambda r: r.path)))


def _is_folder(path: str) -> bool:
    """Is this a folder that we look into? Any other is left alone, whatever lies in it."""
    patterns = (r"runs|inventories|records", rf"(?:runs|inventories)/{_HEX}{{2}}", r"records/[a-z]{1,32}")
    rest = rf"{_HEX}{{38}}(?:{_HEX}{{24}})?"
    deeper = (rf"runs/{_HEX}{{2}}/{rest}", rf"records/[a-z]{{1,32}}/{_HEX}{{2}}(?:/{rest})?")
    return any(re.fullmatch(pattern, path) for pattern in (*patterns, *deeper))


def _trees(git: Git, oids: set[str], width: int) -> dict[str, list[tuple[str, str, str]]]:
    """The entries (mode, name, object name) of tree objects. `width` is the length of an object name in bytes."""
    sizes = _sizes(git, oids, "tree")
    for oid in oids:
        if sizes.get(oid) is None or sizes[oid] > MOST_TREE:
            raise EvidenceFault(f"the published runs cannot be listed: their tree {oid} is missing, or huge")
    try:
        return {oid: list(_entries(data, width)) for oid, data in contents(git, sizes)}
    except ValueError as broken:
        raise EvidenceFault("the published runs cannot be listed: one of their trees is damaged") from broken


def _entries(data: bytes, width: int) -> Iterator[tuple[str, str, str]]:
    """A tree object, read as git writes it: `mode SP name NUL object-name`, again and again."""
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + width
        yield mode.decode("ascii", "replace"), name.decode("utf-8", "surrogateescape"), data[end + 1 : at].hex()


def _sizes(git: Git, oids: Iterable[str], kind: str) -> dict[str, int]:
    """The sizes of those objects that are there and of this type."""
    asked = "".join(f"{oid}\n" for oid in sorted(oids)).encode("ascii")
    if not asked:
        return {}
    out = git.output("cat-file", "--batch-check", stdin=asked).decode("ascii", "replace")
    rows = (line.split(" ") for line in out.splitlines())
    return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[1] == kind}


def contents(git: Git, sizes: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
    """The content of objects whose sizes are known, a few megabytes at a time."""
    batch: list[str] = []
    weight = 0
    for oid, size in sizes.items():
        if batch and weight + size > _READ_AT_ONCE:
            yield from _batch(git, batch)
            batch, weight = [], 0
        batch.append(oid)
        weight += size
    if batch:
        yield from _batch(git, batch)


def _batch(git: Git, oids: list[str]) -> Iterator[tuple[str, bytes]]:
    out = git.output("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode("ascii"))
    at = 0
    for oid in oids:
        end = out.index(b"\n", at)
        size = int(out[at:end].split(b" ")[2])
        yield oid, out[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


# ---------------------------------------------------------------- writing


def write_commit(git: Git, paths: Mapping[str, tuple[str, str]], parent: str | None, now: float) -> str:
    """A commit that holds these entries (path to mode and object name), by `mktree` and `commit-tree` alone.

    Its author is this program and no person. Neither the index nor a working tree is looked at. Raises GitFault.
    """
    tree = _write_tree(git, paths)
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "shipmoor-hooks"), ("EMAIL", ""), ("DATE", f"@{int(now)} +0000"))
    }
    above = ("-p", parent) if parent else ()
    return git.text("commit-tree", tree, *above, "-m", "Runs", extra=who)


def _write_tree(git: Git, paths: Mapping[str, tuple[str, str]]) -> str:
    """Trees from the deepest folder up, all of one depth by one process."""
    folders: dict[str, dict[str, tuple[str, str]]] = {"": {}}
    for path, entry in paths.items():
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, {})[name] = entry
        while folder:
            folder = folder.rpartition("/")[0]
            folders.setdefault(folder, {})
    by_depth: dict[int, list[str]] = {}
    for folder in folders:
        by_depth.setdefault(folder.count("/") + 1 if folder else 0, []).append(folder)
    made = ""
    for depth in sorted(by_depth, reverse=True):
        names = sorted(by_depth[depth])
        rows = b"\0".join(b"".join(_row(*row) for row in sorted(folders[folder].items())) for folder in names)
        out = git.output("mktree", "-z", "--batch", stdin=rows + b"\0").decode("ascii").split()
        for folder, tree in zip(names, out, strict=True):
            above, _, name = folder.rpartition("/")
            if folder:
                folders[above][name] = ("040000", tree)
            made = tree
    return made


def _row(name: str, entry: tuple[str, str]) -> bytes:
    mode, oid = entry
    kind = "tree" if mode == "040000" else "blob"
    return f"{mode} {kind} {oid}\t{name}\0".encode("utf-8", "surrogateescape")
