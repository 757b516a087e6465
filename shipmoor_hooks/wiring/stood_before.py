"""What stood before `init`: kept so that `init --remove` puts it back byte for byte (design, 10.21).

`<common dir>/shipmoor-hooks/init.json` (0600) names each file that `init` or the hook host's installer changed, the text that
stood there and the digest of what was put there. A file that was changed since is not put back; it is edited.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.place import Place
from shipmoor_hooks.store import plain_fields
from shipmoor_hooks.whole_files import real_folder
from shipmoor_hooks.wiring.file_change import FileChange, read_text, replace

NAME = "init.json"
_LARGEST = 1 << 20  # a hook file longer than this is a program; it is moved, never rewritten


@dataclass(frozen=True, slots=True)
class Before:
    """One file: `path` (relative to the worktree's root, or absolute), the `text` that stood there (None: no file), the digest
    of what `init` left there, the permission bits of the old file, and where the old file was moved to ("" when it was not)."""

    path: str
    new: str
    text: str | None = None
    mode: int = 0o644
    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """All that is known of what stood before; `hooks_path`: the installer of a hook host set core.hooksPath. `folders`
    are those that `init` made."""

    files: tuple[Before, ...] = ()
    hooks_path: bool = False
    folders: tuple[str, ...] = ()

    def of(self, path: str) -> Before | None:
        return next((one for one in self.files if one.path == path), None)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The plain files of some folders, with their texts and permission bits, at one moment."""

    texts: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def snapshot(places: Iterable[str]) -> Snapshot:
    """What stands in these folders (not below them), and which of them are there; a plain file stands for itself."""
    texts: dict[str, tuple[str, int]] = {}
    folders: set[str] = set()
    for place in places:
        paths = [place]
        folders |= {parent for parent in (os.path.dirname(place),) if os.path.isdir(parent)}
        if os.path.isdir(place):
            folders.add(place)
            paths = [os.path.join(place, name) for name in sorted(os.listdir(place))]
        for path in paths:
            found = os.lstat(path) if os.path.lexists(path) else None
            if found is not None and stat.S_ISREG(found.st_mode) and found.st_size <= _LARGEST:
                texts[path] = (read_text(path) or "", stat.S_IMODE(found.st_mode))
    return Snapshot(texts, frozenset(folders))


def load(place: Place) -> Memory:
    """What is remembered; nothing where `init` never ran, or its memory cannot be read."""
    try:
        return plain_fields.read(Memory, json.loads(read_text(_path(place)) or "{}"))
    except (ValueError, TypeError, RecursionError):
        return Memory()


def keep(
    place: Place,
    changes: Iterable[FileChange],
    was: Snapshot,
    then: Snapshot,
    hooks_path: bool,
) -> None:
    """Remember the changes of the working tree and what became of the hooks between two snapshots. Raises EnvironmentFault."""
    known = load(place)
    files = {one.path: one for one in known.files}
    for change in changes:
        name = inside(place, change.path)
        if name and change.new is not None and not change.moved_to:
            _add(files, name, change.old, change.new, 0o644, "")
    for path, (new, _) in then.texts.items():
        name = inside(place, path) or path
        text, mode = was.texts.get(path, (None, 0o644))
        if name in files and name == inside(place, path):
            continue  # one of the changes above
        if new == text or (text is None and any(new == earlier for earlier, _ in was.texts.values())):
            continue  # as it was, or an earlier hook that was moved here: nothing of ours
        moved = [p for p, (t, _) in then.texts.items() if t == text and p not in was.texts]
        _add(files, name, text, new, mode, (inside(place, moved[0]) or moved[0]) if moved else "")
    made = {*known.folders, *(then.folders - was.folders)}
    memory = Memory(tuple(files.values()), known.hooks_path or hooks_path, tuple(sorted(made)))
    if memory == known:
        return
    try:
        root = real_folder(os.path.dirname(_path(place)))
        replace(os.path.join(root, NAME), json.dumps(plain_fields.written(memory), indent=1) + "\n", 0o600)
    except OSError as failed:
        raise EnvironmentFault(f"{_path(place)} cannot be written: {failed.strerror}") from failed


def _add(files: dict[str, Before], name: str, old: str | None, new: str, mode: int, moved_to: str) -> None:
    """A second `init` goes on from the first one's text, unless somebody else changed the file between the two."""
    first = files.get(name)
    if first is not None and old is not None and digest(old) == first.new:
        files[name] = Before(name, digest(new), first.text, first.mode, first.moved_to)
    else:
        files[name] = Before(name, digest(new), old, mode, moved_to)


def forget(place: Place) -> None:
    """Nothing is to be put back any more."""
    try:
        os.unlink(_path(place))
    except FileNotFoundError:
        return
    except OSError as failed:
        raise EnvironmentFault(f"{_path(place)} cannot be removed: {failed.strerror}") from failed


def inside(place: Place, path: str) -> str:
    """The path relative to the worktree's root, "" for one that lies elsewhere or in the git directory."""
    if place.top is None or not path.startswith(place.top + os.sep) or path.startswith(place.common_dir + os.sep):
        return ""
    return os.path.relpath(path, place.top)


def _path(place: Place) -> str:
    return os.path.join(place.common_dir, "shipmoor-hooks", NAME)
