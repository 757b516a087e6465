"""A plugin's files -> its eval suite: what `claude plugin eval` loads, what it does not load, and what it does not see.

The files come from a folder or from a tree of git (`case_files`); nothing is run and no link is followed out.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping

from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.evals import case_finding, yaml_core
from shipmoor_hooks.evals.case_files import FILE, FOLDER_LINK, LINK, Entry, Files, FolderFiles, TreeFiles
from shipmoor_hooks.evals.case_finding import CASE_FILE, DEFAULT_DIRECTORY, PROMPT_FILE
from shipmoor_hooks.evals.case_schema import CaseRefused, CaseTexts, read_case
from shipmoor_hooks.evals.definitions import BASELINE, LLM, REGEX, CaseDefinition, LoadFault, SuiteDefinition
from shipmoor_hooks.evals.yaml_core import YamlFault
from shipmoor_hooks.git import Git

MANIFEST = ".claude-plugin/plugin.json"
MOST_CASES = 10_000
MOST_TOTAL = 64 << 20
EMPTY = (
    "no case definition: case.yaml and prompt.md are empty or missing here; "
    "write a prompt.md, or a case.yaml with schema_version, name, execution and graders"
)  # fmt: skip
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(?P<front>(?:.*?\r?\n)??)---[ \t]*(?:\r?\n(?P<body>.*))?\Z", re.DOTALL)


def load_folder(top: str) -> SuiteDefinition:
    """The suite of a plugin's folder on disk. Raises EnvironmentFault."""
    return load(FolderFiles(top))


def load_tree(git: Git, tree: str, root: str = "") -> SuiteDefinition:
    """The suite of a tree or commit of git whose plugin lies in the folder `root`. Raises GitFault."""
    return load(TreeFiles(git, tree), root)


def load(files: Files, root: str = "") -> SuiteDefinition:
    """The suite of the plugin whose root is the folder `root` of `files`; paths in it are relative to that root.

    Raises EnvironmentFault where the extra `evals` is missing, and what the source raises; never for what a file holds.
    """
    prefix = f"{root.strip('/')}/" if root.strip("/") else ""
    name, warnings = _directory_name(files, prefix)
    listing = {
        path[len(prefix) :]: entry
        for path, entry in files.listing(lambda folder: _is_outside(folder, prefix, name)).items()
        if path.startswith(prefix)
    }
    source = _Source(files, prefix, listing, name)
    found = case_finding.find(
        (p for p, e in listing.items() if e.kind in (FILE, LINK) and p not in source.folder_links),
        source.folder_links,
        name,
    )
    cases: list[CaseDefinition] = []
    faults = [LoadFault(path, message) for path, message in found.faults]
    folders = found.folders[:MOST_CASES]
    if len(found.folders) > MOST_CASES:
        faults.append(LoadFault(name, f"there are more than {MOST_CASES:,} cases; the rest is not read"))
    source.fetch(folders)
    for folder in folders:
        try:
            cases.append(_case(source, folder))
        except _Refused as refused:
            faults.append(LoadFault(refused.path, str(refused)))
    return SuiteDefinition(
        tuple(cases), tuple(faults), (*warnings, *found.warnings, *_shared_names(cases)), found.directories
    )


def _is_outside(folder: str, prefix: str, name: str) -> bool:
    if not f"{folder}/".startswith(prefix):
        return not prefix.startswith(f"{folder}/")
    return case_finding.is_skipped(folder[len(prefix) :], name)


def _directory_name(files: Files, prefix: str) -> tuple[str, tuple[str, ...]]:
    """What eval directories of this plugin are called (`experimental.evals` of its manifest), and what is wrong with it."""
    path = prefix + MANIFEST
    wanted = files.listing(lambda folder: not f"{path}/".startswith(f"{folder}/"))
    data = files.read([path] if wanted.get(path) and wanted[path].size <= yaml_core.MOST_BYTES else []).get(path, b"{}")
    try:
        manifest = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return DEFAULT_DIRECTORY, (f"{MANIFEST} is not JSON, so the eval directory is {DEFAULT_DIRECTORY}/",)
    experimental = manifest.get("experimental") if isinstance(manifest, dict) else None
    given = experimental.get("evals") if isinstance(experimental, dict) else None
    if given is None:
        return DEFAULT_DIRECTORY, ()
    name = posixpath.normpath(given) if isinstance(given, str) and given.strip() else ""
    if not name or name == "." or name.startswith("/") or ".." in name.split("/") or "\\" in name:
        why = f"{MANIFEST}: experimental.evals is no relative path of plain folders"
        return DEFAULT_DIRECTORY, (f"{why}, so the eval directory is {DEFAULT_DIRECTORY}/",)
    return name, ()


@dataclass(slots=True)
class _Source:
    """The listing of one plugin and the bytes of the files that define its cases."""

    files: Files
    prefix: str
    listing: Mapping[str, Entry]
    name: str
    folder_links: set[str] = field(default_factory=set)
    contents: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    graders: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the links that lead to folders: a source that cannot tell has their targets read and looked up."""
        self.folder_links = {p for p, e in self.listing.items() if e.kind == FOLDER_LINK}
        links = [
            p for p, e in self.listing.items()
            if e.kind == LINK and case_finding.eval_directory(posixpath.dirname(p), self.name) is not None
        ]  # fmt: skip
        if not links:
            return
        folders = {posixpath.dirname(p) for p in self.listing}
        for path, target in self._read(links).items():
            leads = _leads_to(path, target)
            if any(folder == leads or folder.startswith(f"{leads}/") for folder in folders):
                self.folder_links.add(path)

    def _read(self, paths: list[str]) -> dict[str, bytes]:
        read = self.files.read([self.prefix + path for path in paths])
        return {path[len(self.prefix) :]: data for path, data in read.items()}

    def fetch(self, folders: tuple[str, ...]) -> None:
        """Read the files of all cases at once; what is too large or no plain file is noted in `refused`."""
        wanted: list[str] = []
        known = set(folders)
        for path in self.listing:
            folder, file = posixpath.split(path)
            case, _, last = folder.rpartition("/")
            if last == "graders" and case in known:
                self.graders.setdefault(case, []).append(file)
                if file.endswith(".md"):
                    wanted.append(path)
            if folder in known and file in case_finding.CASE_FILES:
                wanted.append(path)
        total = 0
        plain = []
        for path in sorted(wanted):
            entry = self.listing[path]
            total += entry.size
            if entry.kind != FILE:
                self.refused[path] = "is no plain file; case definitions must be plain files and directories"
            elif entry.size > yaml_core.MOST_BYTES:
                self.refused[path] = f"is larger than {yaml_core.MOST_BYTES >> 20} MiB, which no case needs"
            elif total > MOST_TOTAL:
                self.refused[path] = f"is not read: the cases are larger than {MOST_TOTAL >> 20} MiB together"
            else:
                plain.append(path)
        self.contents = self._read(plain)
        self.refused |= {path: "cannot be read" for path in plain if path not in self.contents}

    def text(self, path: str) -> str | None:
        """The text of a file, None where there is none. Raises _Refused."""
        if path in self.refused:
            raise _Refused(path, f"{posixpath.basename(path)} {self.refused[path]}")
        data = self.contents.get(path)
        return None if data is None else data.decode("utf-8", "replace")


class _Refused(Exception):
    """A case that does not load: where the fault stands and why."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


def _leads_to(path: str, target: bytes) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target.decode("utf-8", "surrogateescape")))


def _case(source: _Source, folder: str) -> CaseDefinition:
    """One case. Raises _Refused."""
    yaml_path = f"{folder}/{CASE_FILE}"
    yaml_text, prompt_text = source.text(yaml_path), source.text(f"{folder}/{PROMPT_FILE}")
    if not (yaml_text or "").strip("\ufeff \t\r\n") and not (prompt_text or "").strip("\ufeff \t\r\n"):
        raise _Refused(folder, EMPTY)
    repeated: list[str] = []
    warnings: list[str] = []
    given: Mapping[str, object] | None = None
    if yaml_text is not None and (yaml_text.strip("\ufeff \t\r\n") or prompt_text is None):
        given = _table(folder, CASE_FILE, yaml_text, repeated)
    front, body = (None, "") if prompt_text is None else _front(folder, PROMPT_FILE, prompt_text, repeated)
    graders = _grader_files(source, folder, repeated, warnings)
    try:
        texts = CaseTexts(folder, given, (front or {}) if prompt_text is not None else None, body, graders)
        found = read_case(texts)
    except CaseRefused as refused:
        raise _Refused(yaml_path if given is not None else folder, str(refused)) from refused
    _check_plugins(source, found, yaml_path if given is not None else folder)
    warnings += [f"{key}; only the last one counts" for key in repeated]
    warnings += [f"{CASE_FILE}: the key {key} is not known and does nothing" for key in found.ignored]
    return replace(found, repeated=tuple(repeated), warnings=tuple(f"{folder}: {text}" for text in warnings))


def _table(folder: str, file: str, text: str, repeated: list[str]) -> Mapping[str, object]:
    """The mapping that a YAML text holds. Raises _Refused."""
    try:
        document = yaml_core.load(text)
    except YamlFault as fault:
        words = f"YAML parse failed: SyntaxError: {fault.message}" if "YAML Parse" in fault.message else fault.message
        raise _Refused(folder, words if file == CASE_FILE else f"{file}: {words}") from fault
    repeated += [f"{file}: the key {key.path} stands twice (line {key.line})" for key in document.repeated]
    if document.value is None and file != CASE_FILE:
        return {}
    if not isinstance(document.value, dict):
        raise _Refused(folder, f"{file} must be a YAML object")
    return document.value


def _front(folder: str, file: str, text: str, repeated: list[str]) -> tuple[Mapping[str, object] | None, str]:
    """Front matter and trimmed body of a Markdown file; None where it has no front matter that closes. Raises _Refused."""
    parts = _FRONT.match(text)
    if parts is None:
        return None, text.removeprefix("\ufeff").strip()
    return _table(folder, file, parts["front"], repeated), (parts["body"] or "").strip()


def _grader_files(source: _Source, folder: str, repeated: list[str], warnings: list[str]) -> list[Mapping[str, object]]:
    """The graders of `graders/*.md`, in the order of their names. Raises _Refused."""
    found: list[Mapping[str, object]] = []
    for file in sorted(source.graders.get(folder, ())):
        path = f"graders/{file}"
        if not file.endswith(".md"):
            if file.lower().endswith((".md", ".yaml", ".yml", ".markdown")):
                warnings.append(f"{path} is not seen: only files that end in .md are graders")
            continue
        front, body = _front(folder, path, source.text(f"{folder}/{path}") or "", repeated)
        if front is None:
            warnings.append(f"{path} has no front matter, so it is skipped without a word and grades nothing")
            continue
        bodies = {REGEX: "pattern", LLM: "criteria", BASELINE: "criteria"}
        key = bodies.get(str(front.get("type")))
        found.append({"name": file.removesuffix(".md"), **({key: body} if key and body else {}), **front})
    return found


def _check_plugins(source: _Source, case: CaseDefinition, path: str) -> None:
    """Raises _Refused for an entry of `plugins` that names no folder of this plugin's."""
    for entry in case.plugins:
        leads = posixpath.normpath(posixpath.join(source.prefix + case.dir, entry))
        if entry.startswith("/") or leads.startswith(".."):
            continue
        inside = "" if leads == "." else leads[len(source.prefix) :] if f"{leads}/".startswith(source.prefix) else None
        if inside and not any(p.startswith(f"{inside}/") for p in source.listing):
            raise _Refused(path, f'case "{case.name}": plugins entry "{entry}" does not exist')


def _shared_names(cases: list[CaseDefinition]) -> list[str]:
    by_name: dict[str, list[str]] = {}
    for case in cases:
        by_name.setdefault(case.name, []).append(case.dir)
    return [
        f'{len(dirs)} cases share the name "{name}" ({", ".join(dirs)}); the report and --case filter cannot '
        "distinguish them"
        for name, dirs in by_name.items()
        if len(dirs) > 1
    ]
