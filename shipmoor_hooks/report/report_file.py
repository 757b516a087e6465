"""Where a report is written: never into a tree untold, since a new file there would belong to the next run's tree."""

from __future__ import annotations

import os

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.place import Place
from shipmoor_hooks.store.spool import FOLDER
from shipmoor_hooks.whole_files import write_whole

IN_TREE = os.path.join("build", "shipmoor-hooks", "report.html")


@dataclass(frozen=True, slots=True)
class Written:
    """The absolute path of the file, and what there is to say about it ("" for nothing)."""

    name: str
    note: str = ""


def write(place: Place, directory: str, file: str | None, text: str) -> Written:
    """Write the page to `file` (relative to `directory`), or to where it disturbs nothing. Raises EnvironmentFault."""
    path = os.path.abspath(os.path.join(directory, file)) if file is not None else _of_itself(place, directory)
    try:
        if file is None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise EnvironmentFault(
            f"{path} cannot be written: {error.strerror or error}", "name another with --output"
        ) from error
    note = ""
    if file is not None and _is_in_tree(place, path) and not _is_ignored(place, path):
        note = f"git does not ignore {os.path.relpath(path, directory)}, so the next run's tree holds it"
    return Written(path, note)


def _of_itself(place: Place, directory: str) -> str:
    path = os.path.join(os.path.abspath(directory), IN_TREE)
    if _is_in_tree(place, path) and _is_ignored(place, path):
        return path
    return os.path.join(place.git_dir, FOLDER, "report.html")


def _is_in_tree(place: Place, path: str) -> bool:
    if place.top is None:
        return False
    top, real = os.path.realpath(place.top), os.path.realpath(path)
    inside = os.path.commonpath([top, real]) == top
    return inside and os.path.commonpath([os.path.realpath(place.git_dir), real]) != os.path.realpath(place.git_dir)


def _is_ignored(place: Place, path: str) -> bool:
    return place.git.run("check-ignore", "-q", "--", path).returncode == 0
