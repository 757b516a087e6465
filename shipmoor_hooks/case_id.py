"""The one function that makes a case id (design, section 7 "Ids" and section 10.9).

An id is `path::Class::name` where the report or the tested tree tells the file, else `classname::name`. pytest's
plugin, its XML with a `file` attribute and its XML without one give the same id. What a run makes up by itself (the
worktree's root, addresses of objects, temporary folders) is taken out; everything else in a name stands as it is, since
nobody can tell a pid or a seed from data.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from shipmoor_hooks.model import Normalise, Record, RecordKind

_PYTHON = frozenset({"pytest", "unittest", "nose2"})

# What differs from run to run on one tree, in forms that no test author writes by hand.
_VOLATILE = (
    (re.compile(r"(?<= at )0x[0-9a-fA-F]{6,16}(?=\W|\Z)"), "0x*"),
    # Bare ones only where programs have their memory: Linux (mmap, PIE), macOS, Go; Ruby writes 16 digits.
    (re.compile(r"\b0x(?:(?:0000)?[567][0-9a-f]{11}|c0[0-9a-f]{8}|1400[0-9a-f]{7})\b"), "0x*"),
    (re.compile(r"(?<=[\w$\]])@[0-9a-f]{6,8}(?![\w.-])"), "@*"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    (re.compile(r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}(?: \([\w ]+\))?"), "<time>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3,9}(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (
        re.compile(
            r"(?:/private)?(?:/var/folders/[\w+]{2}/[\w+]+/T|/var/tmp|/tmp)/"
            r"(?:tmp[a-z0-9_]{6,8}(?!\w)|pytest-of-[^/\s]+/pytest-\d+|[\w.-]*\d{6,}[\w.-]*)(?:/[\w.+-]+)*"
        ),
        "<tmp>",
    ),
)
_LINES = re.compile(r"\s*[\n\r\t]\s*")
_DIALECT = {
    "googletest": ((re.compile(r"(?<![^/:.])DISABLED_"), ""),),
    "bats": ((re.compile(r"(?<=::)begin \d+ (?=\S)"), ""),),
    "behave": ((re.compile(r" -- @\d+\.\d+(?: ?\Z|(?= ))"), ""),),
    "playwright": ((re.compile(r"(\.[cm]?[jt]sx?):\d+:\d+(?= |::)"), r"\1"),),
    "libtest": ((re.compile(r" \(line \d+\)(?=\Z| )"), ""),),
}


@dataclass(frozen=True, slots=True)
class Identity:
    """`id` names the case; `raw` is the same before anything was taken out of it.

    `covers` is the id prefix of the cases that a record for a whole file stands for ("" otherwise).
    """

    id: str
    raw: str
    covers: str = ""


def identify(
    record: Record,
    dialect: str,
    tracked: frozenset[str] | Container[str],
    root: str,
    normalise: Sequence[Normalise] = (),
) -> Identity:
    """The identity of one record.

    `tracked`: paths of the tested tree; `root`: the worktree's absolute path ("" unknown). A `tracked` that
    cannot be iterated finds no rootdir below the root.
    """
    return namer(tracked, root, normalise).identify(record, dialect)


def namer(tracked: frozenset[str] | Container[str], root: str, normalise: Sequence[Normalise] = ()) -> Namer:
    """What `identify` uses, made once for many records of one tree."""
    if isinstance(tracked, Iterable):
        return _remembered(frozenset(tracked), root.rstrip("/"), tuple(normalise))
    return _made(tracked, root.rstrip("/"), tuple(normalise))


@lru_cache(maxsize=4)
def _remembered(tracked: frozenset[str], root: str, normalise: tuple[Normalise, ...]) -> Namer:
    return _made(tracked, root, normalise)


def _made(tracked: Container[str], root: str, normalise: tuple[Normalise, ...]) -> Namer:
    patterns = [(re.compile(n.pattern), n.replace) for n in normalise]
    in_root = re.compile(rf"(?<![\w./-]){re.escape(root)}(?![\w.-])") if root else None
    return Namer(_Tree(tracked, root), in_root, patterns)


@dataclass(slots=True)
class Namer:
    """Ids for the records of one tree under one policy. Pure: what it remembers only saves time."""

    tree: _Tree
    in_root: re.Pattern[str] | None
    patterns: Sequence[tuple[re.Pattern[str], str]]

    def identify(self, record: Record, dialect: str) -> Identity:
        raw, covers = self._raw(record, dialect)
        changed = self._normalised(raw, dialect)
        return Identity(changed, raw, self._normalised(covers, dialect) if covers else "")

    def _raw(self, record: Record, dialect: str) -> tuple[str, str]:
        if record.kind is RecordKind.RUN:
            return record.name, ""
        if record.kind is RecordKind.SUITE:
            return _joined(*(record.suites if not record.classname else (record.classname,)), record.name), ""
        if record.kind is RecordKind.FILE:
            return self._whole_file(record, dialect)
        path, classes = self._place(record, dialect)
        return _joined(path, *classes, record.name), ""

    def _place(self, record: Record, dialect: str) -> tuple[str, tuple[str, ...]]:
        """The file ("" unknown) and what stands between it and the name."""
        in_tree = self.tree.module(record.classname, dialect)
        if in_tree is not None:
            return in_tree
        path = "" if dialect == "googletest" else self.tree.path(record.file)
        rest = _below(record.classname, path) if path else None
        if rest is not None:
            return path, rest
        if dialect in _PYTHON:
            return "", (record.classname,)
        classname = self.tree.told_path(record.classname)
        if dialect == "playwright" and record.suites and record.suites[0] not in ("", record.classname):
            return "", (record.suites[0], path, classname)
        if dialect == "robot" and len(record.suites) > 1:
            classname = classname.removeprefix(f"{record.suites[0]}.")
        if not classname or (dialect == "node" and classname in ("test", "suite")):
            return path, record.suites
        if path and classname in (path, path.rpartition(".")[0].replace("/", ".")):
            return path, ()
        return path, (classname,)

    def _whole_file(self, record: Record, dialect: str) -> tuple[str, str]:
        """The id of a record for a whole file, class or folder, and the prefix of the ids that it stands for."""
        if dialect in _PYTHON and not record.classname.endswith(("_FailedTest", "ModuleImportFailure")):
            dotted = ".".join(part for part in (record.classname, record.name) if part)
        else:
            dotted = record.name
        found = self.tree.module(dotted, dialect) if dialect in _PYTHON else None
        if found is None and dialect in _PYTHON and self.tree.is_folder(folder := dotted.replace(".", "/")):
            return folder, f"{folder}/"
        if found is None:
            path = self.tree.path(record.file)
            found = (path, _below(dotted, path) or ()) if path else ("", (record.classname or _joined(*record.suites),))
        path, classes = found
        name = _joined(path, *classes)
        folder, slash, last = path.rpartition("/")
        if last == "__init__.py" and slash and not classes:
            return name, f"{folder}/"
        return name, f"{name}::"

    def _normalised(self, raw: str, dialect: str) -> str:
        text = raw
        for pattern, replacement in _DIALECT.get(dialect, ()):
            text = pattern.sub(replacement, text)
        if self.in_root is not None:
            text = self.in_root.sub(".", text)
        for pattern, replacement in self.patterns:
            text = pattern.sub(replacement, text)
        for pattern, replacement in _VOLATILE:
            text = pattern.sub(replacement, text)
        return text if dialect == "pytest" else _LINES.sub(" ", text)


@dataclass(slots=True)
class _Tree:
    """Look-ups in the paths of a tree; the indexes are made when first asked for."""

    tracked: Container[str]
    root: str
    _modules: Mapping[str, str | None] | None = None
    _by_last: Mapping[str, list[str]] | None = None
    _by_name: Mapping[str, list[str]] | None = None
    _folders: frozenset[str] | None = None
    _known: dict[tuple[str, str], tuple[str, tuple[str, ...]] | None] = field(default_factory=dict)

    def paths(self) -> Iterable[str]:
        return self.tracked if isinstance(self.tracked, Iterable) else ()

    def module(self, dotted: str, dialect: str) -> tuple[str, tuple[str, ...]] | None:
        """The file of a dotted Python name and the classes after it: the longest prefix that is a file of the tree.

        For the dialects of Python the prefix may also end exactly one path of the tree (a rootdir below the root).
        """
        if not dotted:
            return None
        key = (dotted, dialect)
        if key not in self._known:
            self._known[key] = self._find_module(dotted, dialect)
        return self._known[key]

    def _find_module(self, dotted: str, dialect: str) -> tuple[str, tuple[str, ...]] | None:
        for prefix, classes in _prefixes(dotted):
            path = self.modules().get(prefix)
            if path is not None:
                return path, classes
        if dialect not in _PYTHON:
            return None
        if dialect == "pytest" and (path := self._text_file(dotted)):
            return path, ()
        for prefix, classes in _prefixes(dotted):
            ends = [d for d in self.by_last().get(prefix.rpartition(".")[2], ()) if d.endswith(f".{prefix}")]
            if len(ends) == 1 and (path := self.modules()[ends[0]]) is not None:
                return path, classes
        return None

    def _text_file(self, dotted: str) -> str:
        """The file that pytest collected and that is no Python (`docs.usage.rst`); "" when none or several could be."""
        exact, longer = [], []
        parts = dotted.split(".")
        for start in range(len(parts)):
            for path in self.by_name().get(".".join(parts[start:]), ()):
                found = path.replace("/", ".")
                if found == dotted:
                    exact.append(path)
                elif found.endswith(f".{dotted}"):
                    longer.append(path)
        fitting = exact or longer
        return fitting[0] if len(fitting) == 1 else ""

    def path(self, told: str) -> str:
        """What a report calls a file, as a path of the tree; the told path itself where the tree does not know it.

        "" for no file, and for an absolute path outside the worktree that ends in no path of the tree.
        """
        path = told.replace("\\", "/") if "/" not in told else told
        if self.root and path.startswith(f"{self.root}/"):
            path = path[len(self.root) + 1 :]
        path = path.removeprefix("./")
        if not path or path in self.tracked:
            return path
        parts = path.split("/")
        for start in range(1, len(parts)):
            shorter = "/".join(parts[start:])
            if start <= _LEADING and shorter in self.tracked:
                return shorter
        if path.startswith(("/", "../")) or re.match(r"[A-Za-z]:/", path):
            return ""
        longer = [p for p in self.by_name().get(parts[-1], ()) if p.endswith(f"/{path}")]
        return longer[0] if len(longer) == 1 else path

    def told_path(self, classname: str) -> str:
        """A class name that is a file's path (vitest, bats, Playwright) as a path of the tree; any other as it is."""
        if "/" not in classname:
            return classname
        path = self.path(classname)
        return path if path and (path in self.tracked or classname.startswith("./")) else classname

    def is_folder(self, folder: str) -> bool:
        if self._folders is None:
            self._folders = frozenset(p.rpartition("/")[0] for p in self.paths())
        return folder in self._folders

    def modules(self) -> Mapping[str, str | None]:
        """Dotted name -> Python file; None where two files have one dotted name."""
        if self._modules is None:
            self._modules = _dotted(p for p in self.paths() if p.endswith(".py"))
        return self._modules

    def by_last(self) -> Mapping[str, list[str]]:
        """Last part of a dotted name -> the dotted names."""
        if self._by_last is None:
            self._by_last = _grouped(self.modules(), ".")
        return self._by_last

    def by_name(self) -> Mapping[str, list[str]]:
        """File name -> the paths."""
        if self._by_name is None:
            self._by_name = _grouped(self.paths(), "/")
        return self._by_name


_LEADING = 32  # folders of another machine in front of a path of the tree


def _dotted(paths: Iterable[str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for path in paths:
        dotted = path.removesuffix(".py").replace("/", ".")
        found[dotted] = None if dotted in found else path
    return found


def _grouped(names: Iterable[str], separator: str) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name.rpartition(separator)[2]].append(name)
    return dict(groups)


def _prefixes(dotted: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    """(prefix, the parts after it), the longest first."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        yield ".".join(parts[:end]), tuple(parts[end:])


def _below(classname: str, path: str) -> tuple[str, ...] | None:
    """The classes of a dotted name after the module that `path` is; None when the name lies elsewhere."""
    if not path.endswith(".py"):
        return None
    module = path.removesuffix(".py").replace("/", ".").split(".")
    parts = classname.split(".")
    # A rootdir below the root leaves the first folders out of the class name.
    for start in range(len(module)):
        if parts[: len(module) - start] == module[start:]:
            return tuple(parts[len(module) - start :])
    return None


def _joined(*parts: str) -> str:
    return "::".join(part for part in parts if part)
