"""Which folders of a plugin are cases, as `claude plugin eval` finds them, and what it passes over without a word. Pure.

A case is a folder that holds `case.yaml` or `prompt.md`, below an eval directory; the outermost one wins.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.enumeration import some

DEFAULT_DIRECTORY = "evals"
CASE_FILE, PROMPT_FILE = "case.yaml", "prompt.md"
CASE_FILES = (CASE_FILE, PROMPT_FILE)
NEVER_ABOVE = ("node_modules", ".git", ".claude")
_ALIKE = {"case.yml", "case.json", "prompt.markdown", "prompt.txt"}
MOCKS = (
    "mocks/ is reserved for mock responders \N{EM DASH} cases placed there are not run; rename the directory"
)  # fmt: skip
LINKED = (
    '"{}" under the eval directory is a symbolic link to a directory \N{EM DASH} case definitions must be plain files '
    "and directories"
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a listing holds. `folders` are the cases in the program's order, `faults` pairs of a path and a sentence."""

    folders: tuple[str, ...]
    directories: tuple[str, ...]
    faults: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def eval_directory(path: str, name: str) -> str | None:
    """The outermost eval directory that a folder is or lies in, None where it lies in none."""
    words, names = path.split("/"), name.split("/")
    for end in range(len(names), len(words) + 1):
        if words[end - len(names) : end] == names and not set(NEVER_ABOVE) & set(words[: end - len(names)]):
            return "/".join(words[:end])
    return None


def is_skipped(folder: str, name: str) -> bool:
    """Whether nothing below a folder can be a case: dependencies and tools' folders outside an eval directory, results."""
    inside = eval_directory(folder, name)
    if inside is None:
        return posixpath.basename(folder) in NEVER_ABOVE
    return ".git" in folder.split("/")


def find(paths: Iterable[str], folder_links: Collection[str], name: str) -> Found:
    """The cases among `paths` (plain files and links to files); `folder_links` are links that lead to a folder."""
    by_folder: dict[str, set[str]] = {}
    directories = set()
    for path in paths:
        folder, file = posixpath.split(path)
        if (top := eval_directory(folder, name)) is not None:
            directories.add(top)
            by_folder.setdefault(folder, set()).add(file)
    faults = []
    for link in sorted(folder_links):
        if eval_directory(link, name) is not None:
            directories.add(eval_directory(link, name) or "")
            faults.append((link, LINKED.format(posixpath.basename(link))))
    holding = sorted(folder for folder, files in by_folder.items() if files.intersection(CASE_FILES))
    folders, warnings = _sorted_out(holding, name, faults)
    warnings += _unseen(by_folder, folders)
    return Found(tuple(folders), tuple(sorted(directories)), tuple(faults), tuple(warnings))


def _sorted_out(holding: Sequence[str], name: str, faults: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The folders that are run, and a sentence for each that is not although it holds a case's file."""
    folders: list[str] = []
    taken: set[str] = set()
    swallowed: dict[str, list[str]] = {}
    warnings = []
    for folder in holding:
        top = eval_directory(folder, name) or ""
        parents = list(_parents(folder))
        outer = next((p for p in parents if p in taken), None)
        below = folder[len(top) :].split("/")[1:]
        if outer is not None:
            if "mocks" not in folder[len(outer) :].split("/"):
                swallowed.setdefault(outer, []).append(folder)
        elif "results" in below:
            warnings.append(f"{folder} is not run: nothing below a folder named results is")
        elif "mocks" in below:
            faults.append((folder, MOCKS))
        else:
            folders.append(folder)
            taken.add(folder)
    for outer, inner in swallowed.items():
        warnings.append(f"{outer} is a case itself, so {len(inner)} below it are not run: {some(inner)}")
    return folders, warnings


def _parents(folder: str) -> Iterable[str]:
    while "/" in folder:
        folder = posixpath.dirname(folder)
        yield folder


def _unseen(by_folder: Mapping[str, set[str]], folders: Collection[str]) -> list[str]:
    """A sentence for each file whose name is nearly that of a case's file: the program does not see it."""
    warnings = []
    for folder, files in sorted(by_folder.items()):
        if folder not in folders and any(parent in folders for parent in _parents(folder)):
            continue
        for file in sorted(files):
            lower = file.lower()
            if file not in CASE_FILES and (lower in CASE_FILES or lower in _ALIKE):
                meant = CASE_FILE if lower.startswith("case") else PROMPT_FILE
                warnings.append(f"{folder}/{file} is not seen: the name has to be {meant}")
    return warnings
