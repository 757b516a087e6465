"""From what a report calls a file (a path, a dotted module) to the path of the tested tree. Pure, as `case_id`.

A name that could be two files is none: a wrong file would be worse than a plain `classname::name`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping

from shipmoor_hooks.data_classes import dataclass, field

PYTHON = frozenset({"pytest", "unittest", "nose2"})  # dialects whose class names are Python modules
_DRIVE = re.compile(r"[A-Za-z]:/")
_LEADING = 32  # folders of another machine in front of a path of the tree


def classes_below(classname: str, path: str) -> tuple[str, ...] | None:
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


@dataclass(slots=True)
class FileNames:
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
        if dialect == "behave":  # `basket.Basket` is a feature's file and its title, whatever basket.py there is
            return None
        for prefix, classes in _prefixes(dotted):
            path = self.modules().get(prefix)
            if path is not None:
                return path, classes
        if dialect not in PYTHON:
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

    def path(self, told: str, dialect: str = "") -> str:
        """What a report calls a file, as a path of the tree; the told path itself where the tree does not know it.

        "" for no file, and for an absolute path outside the worktree that ends in no path of the tree (that of another
        checkout does). A relative one may lie below a rootdir only for the dialects of Python, as in `module`.
        """
        path = told.replace("\\", "/") if "/" not in told else told
        if self.root and path.startswith(f"{self.root}/"):
            path = path[len(self.root) + 1 :]
        path = path.removeprefix("./")
        if not path or path in self.tracked:
            return path
        parts = path.split("/")
        if path.startswith(("/", "../")) or _DRIVE.match(path):
            ends = ("/".join(parts[start:]) for start in range(1, min(len(parts), _LEADING)))
            return next((end for end in ends if end in self.tracked), "")
        longer = [p for p in self.by_name().get(parts[-1], ()) if p.endswith(f"/{path}")] if dialect in PYTHON else []
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
