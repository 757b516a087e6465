"""The empty folder in which a sample runs, outside the repository: its files before and after, and a copy of the plugin.

The agent is handed copies alone: no path of the eval folder, the traces or the spool. The copy of the plugin leaves out
git's folder, the eval folders, and links that lead out of it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.evals.result_files import write_bytes
from shipmoor_hooks.trees.held_folder import remove_tree

OUT, TRACE = "out", "trace.jsonl"
_NEVER_COPIED = frozenset({".git", "__pycache__"})


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Absolute folders of one sample: `cwd` is the empty one below `home`; `plugin` is "" where there is none."""

    base: str
    home: str
    cwd: str
    temporary: str
    plugin: str
    dirs: tuple[str, ...]
    history: str


def make(plugin_root: str, hidden: Collection[str], add_dirs: Sequence[str], history: str) -> RunFolder:
    """A new workspace. `hidden` are absolute folders that no copy holds; `add_dirs` and `history` absolute paths or "".

    Raises EnvironmentFault when it cannot be made.
    """
    try:
        # The real path: an agent that asks for its folder is told that one.
        base = os.path.realpath(tempfile.mkdtemp(prefix="shipmoor-hooks-eval-"))
    except OSError as error:
        raise EnvironmentFault(
            f"no workspace can be made: {error.strerror}", "set TMPDIR to a folder with space"
        ) from error
    home, temporary = os.path.join(base, "home"), os.path.join(base, "tmp")
    cwd = os.path.join(home, "cwd")
    plugin = os.path.join(base, "plugin", os.path.basename(plugin_root) or "plugin") if plugin_root else ""
    dirs = tuple(os.path.join(base, "dirs", f"{n}-{os.path.basename(path)}") for n, path in enumerate(add_dirs))
    copied_history = os.path.join(base, "history.jsonl") if history else ""
    try:
        for folder in (cwd, temporary):
            os.makedirs(folder)
        for source, target in zip((plugin_root, *add_dirs), (plugin, *dirs), strict=True):
            if target:
                _copy(source, target, os.path.realpath(source), {os.path.realpath(h) for h in hidden})
        if history:
            shutil.copyfile(history, copied_history)
    except OSError as error:
        remove_tree(base)
        raise EnvironmentFault(f"{error.filename or base} cannot be copied: {error.strerror}", "free space") from error
    return RunFolder(base, home, cwd, temporary, plugin, dirs, copied_history)


def remove(workspace: RunFolder) -> None:
    """Take a workspace away, whatever modes its agent set."""
    remove_tree(workspace.base)


def leave_trace(workspace: RunFolder, trace: bytes, *, keep_home: bool) -> str:
    """Write the trace of an ended session, and take away all but it (and the session's folder); the trace's path.

    Raises EnvironmentFault.
    """
    path = os.path.join(workspace.base, OUT, TRACE)
    write_bytes(path, trace)
    for name in os.listdir(workspace.base):
        if name != OUT and not (keep_home and name == "home"):
            remove_tree(os.path.join(workspace.base, name))
    return path


def forget_trace(path: str) -> None:
    """Take away what `leave_trace` left."""
    remove_tree(os.path.dirname(os.path.dirname(path)))


def paths(folder: str) -> frozenset[str]:
    """Every file and link below a folder (links are not followed, folders do not count), relative, with `/`."""
    found = set()
    for here, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]
        for name in (*files, *links):
            found.add(os.path.relpath(os.path.join(here, name), folder).replace(os.sep, "/"))
    return frozenset(found)


def created(workspace: RunFolder, before: Collection[str]) -> tuple[str, ...]:
    """The paths that are there now and were not before, in the order of their UTF-16 units."""
    new = paths(workspace.cwd) - set(before)
    return tuple(sorted(new, key=lambda path: path.encode("utf-16-be", "surrogatepass")))


def _copy(source: str, target: str, top: str, hidden: Collection[str]) -> None:
    """Copy a folder's plain files, its folders and the links that stay inside `top`."""
    os.makedirs(target)
    with os.scandir(source) as entries:
        for entry in entries:
            real = os.path.realpath(entry.path)
            if entry.name in _NEVER_COPIED or real in hidden:
                continue
            there = os.path.join(target, entry.name)
            if entry.is_symlink():
                link = os.readlink(entry.path)
                if not os.path.isabs(link) and os.path.commonpath([top, real]) == top:
                    os.symlink(link, there)
            elif entry.is_dir():
                _copy(entry.path, there, top, hidden)
            elif stat.S_ISREG(entry.stat().st_mode):
                shutil.copy2(entry.path, there)
