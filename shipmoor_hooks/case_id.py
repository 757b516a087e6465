"""The one function that makes a case id (design, section 7 "Ids" and section 10.9).

An id is `path::Class::name` where the report or the tested tree tells the file, else `classname::name`. pytest's
plugin, its XML with a `file` attribute and its XML without one give the same id. What a run makes up by itself (the
worktree's root, addresses of objects, temporary folders) is taken out; everything else in a name stands as it is, since
nobody can tell a pid or a seed from data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.file_names import PYTHON, FileNames, classes_below
from shipmoor_hooks.model import Normalise, Record, RecordKind
from shipmoor_hooks.quick.plain_names import HINT

# Characters. One name is at most 4 KiB, and a report may nest 64 of them around millions of cases.
LONGEST_ID = 16 * 1024

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
_HINT = re.compile(HINT)  # none of them: none of those; saves time
# The same as plain searches, which are thirty times faster in a long text, and one for the colons of a time.
_SHORT_HINTS = ("0x", "@", "-4")
_HINT_OF_TIME = re.compile(r":\d\d:")
_BREAK = re.compile(r"[\n\r\t]+")  # an indented title is one line of words
_BREAKS = ("\n", "\r", "\t")
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
    return Namer(FileNames(tracked, root), in_root, patterns)


@dataclass(slots=True)
class Namer:
    """Ids for the records of one tree under one policy. Pure: what it remembers only saves time."""

    tree: FileNames
    in_root: re.Pattern[str] | None
    patterns: Sequence[tuple[re.Pattern[str], str]]

    def identify(self, record: Record, dialect: str) -> Identity:
        raw, covers = self._raw(record, dialect)
        changed = self._normalised(raw, dialect)
        return Identity(changed, raw, self._normalised(covers, dialect) if covers else "")

    def identify_alike(self, shared: Record, names: Sequence[str], dialect: str) -> list[str] | None:
        """The ids of cases that share all but their names (none is empty), where nothing has to be taken out of any of
        them; None where `identify` must look at each."""
        if not names or dialect in _DIALECT or self.patterns:
            return None
        path, classes = self._place(shared, dialect)
        place = "::".join(part for part in (path, *classes) if part)
        if len(place) + max(map(len, names)) > LONGEST_ID:
            return None
        before = f"{place}::" if place else ""
        ids = [before + name for name in names]
        return ids if self._is_plain(place, names, dialect) else None

    def _is_plain(self, place: str, names: Sequence[str], dialect: str) -> bool:
        """Is there surely nothing to take out of `place::name`? A name without a slash or a colon is asked for less."""
        text = "\0".join(names)
        hints = _SHORT_HINTS if dialect == "pytest" else (*_SHORT_HINTS, *_BREAKS)
        for hint in hints:
            if hint in text or hint in place:
                return False
        if "/" in text or ":" in text or "::" in self.tree.root:
            text = "\0".join(f"{place}::{name}" for name in names)
        else:
            text = f"{place}::"
        is_long = "/tmp/" in text or "/var/" in text or _HINT_OF_TIME.search(text)  # noqa: S108  (looked for, never used)
        return not is_long and (self.in_root is None or self.tree.root not in text)

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
        path = "" if dialect == "googletest" else self.tree.path(record.file, dialect)
        rest = classes_below(record.classname, path) if path else None
        if rest is not None:
            return path, rest
        if dialect in PYTHON:
            # A class alone beside a file of the tree: a record from inside of pytest, which knows both apart.
            if path and "." not in record.classname and path in self.tree.tracked:
                return path, tuple(record.classname.split("::"))
            return "", (record.classname,)
        classname = self.tree.told_path(record.classname)
        if dialect == "playwright" and record.suites and record.suites[0] not in ("", record.classname):
            return "", (record.suites[0], path, classname)
        if dialect == "robot" and len(record.suites) > 1:
            classname = classname.removeprefix(f"{record.suites[0]}.")
        if not classname and dialect == "jest":  # outside of every describe; the suite is called after another test's
            return path, ()
        if not classname or (dialect == "node" and classname in ("test", "suite")):
            return path, record.suites
        if path and classname in (path, path.rpartition(".")[0].replace("/", ".")):
            return path, ()
        return path, (classname,)

    def _whole_file(self, record: Record, dialect: str) -> tuple[str, str]:
        """The id of a record for a whole file, class or folder, and the prefix of the ids that it stands for."""
        if dialect in PYTHON and not record.classname.endswith(("_FailedTest", "ModuleImportFailure")):
            dotted = ".".join(part for part in (record.classname, record.name) if part)
        else:
            dotted = record.name
        found = self.tree.module(dotted, dialect) if dialect in PYTHON else None
        if found is None and dialect in PYTHON and self.tree.is_folder(folder := dotted.replace(".", "/")):
            return folder, f"{folder}/"
        if found is None:
            path = self.tree.path(record.file, dialect)
            found = (
                (path, classes_below(dotted, path) or ())
                if path
                else ("", (record.classname or _joined(*record.suites),))
            )
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
        if self.in_root is not None and self.tree.root in text:
            text = self.in_root.sub(".", text)
        for pattern, replacement in self.patterns:
            text = pattern.sub(replacement, text)
        if _HINT.search(text):
            for pattern, replacement in _VOLATILE:
                text = pattern.sub(replacement, text)
        text = text.replace("\0", "\\0")  # reports in JSON may hold one; in the spool it ends an id
        return text if dialect == "pytest" or not _BREAK.search(text) else " ".join(map(str.strip, _BREAK.split(text)))


def _joined(*parts: str) -> str:
    """The parts that are not empty; where they are too long together, all but the last become a head and a digest."""
    if sum(map(len, parts)) <= LONGEST_ID:
        return "::".join(part for part in parts if part)
    return "::".join(part for part in (_shortened(parts[:-1]), parts[-1]) if part)


@lru_cache(maxsize=1024)
def _shortened(parts: tuple[str, ...]) -> str:
    whole = "::".join(part for part in parts if part)
    return f"{whole[:512]}…sha256:{hashlib.sha256(whole.encode('utf-8', 'backslashreplace')).hexdigest()}"
