"""Recorded traces, kept beside the spool so that graders can be asked again: local, for their owner's eyes alone (design, 8).

    <common dir>/shipmoor-hooks/traces/
      blobs/<SHA-256>                                  a trace, or a file of the workspace, compressed; written once
      cases/<digest of suite and case>/<name>.trace    what it is a recording of, in an envelope

A trace holds whatever a tool printed: its files are readable by their owner only, and nothing here is ever published.
Everything appears whole or not at all. What is too large to be kept is named as such and never cut.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import zlib
from collections.abc import Collection, Iterable, Iterator

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.errors import EnvironmentFault, EvidenceFault
from shipmoor_hooks.evals.recording import FILE, TOO_LARGE, FocusFile, Workspace
from shipmoor_hooks.model import Code
from shipmoor_hooks.store import envelope, plain_fields
from shipmoor_hooks.store.spool import FOLDER, Broken
from shipmoor_hooks.whole_files import lock, name_by_time, names, read_bytes, real_folder, write_whole

TRACES = "traces"
SUFFIX = ".trace"
PAYLOAD = "application/vnd.shipmoor-hooks.trace+json"
VERSION = 1
RUN, FAULT = "run", "fault"
MOST_TRACE = 64 << 20  # bytes; a larger trace is not kept
MOST_FILE = 1 << 20  # bytes of one file of a workspace, and of all of them together
MOST_FILES = 8 << 20
MOST_CREATED = 20_000  # paths
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A path that graders name, what stood there, and the SHA-256 of its content ("" where it was no file)."""

    path: str
    state: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class KeptTrace:
    """One recording: the trace's SHA-256, the run (or proof), case and sample it belongs to (`sample` counts from 1), and
    what its graders saw.

    `kind` is RUN or FAULT (a sample under a planted fault). `expectation` names the case's folder that ran, `passed` is what
    the sample gave then (None: it measured nothing). `created` is None where the created files are not known.
    """

    sha: str
    suite: str
    case: str
    run: str
    sample: int
    recorded: float
    kind: str = RUN
    expectation: str = ""
    passed: bool | None = None
    created: tuple[str, ...] | None = None
    files: tuple[StoredFile, ...] = ()


def digest(trace: bytes) -> str:
    """The name of a trace: the SHA-256 of its bytes, as hex."""
    return hashlib.sha256(trace).hexdigest()


def keep(common_dir: str, about: KeptTrace, trace: bytes, workspace: Workspace) -> str:
    """Keep a trace and what graders saw beside it; its SHA-256, "" where the trace is too large to be kept.

    `about` says what it is; its `sha`, `created` and `files` are filled in here. Raises EnvironmentFault.
    """
    if len(trace) > MOST_TRACE:
        return ""
    created = workspace.created
    if created is not None and len(created) > MOST_CREATED:
        created = None
    files, contents = _bounded(workspace)
    kept = replace(about, sha=digest(trace), created=created, files=files)
    payload = json.dumps(plain_fields.written(kept), separators=(",", ":"), ensure_ascii=True).encode("ascii")
    root = os.path.join(common_dir, FOLDER)
    try:
        real_folder(root)
        with lock(root + "/lock", fcntl.LOCK_SH):
            blobs = real_folder(root, TRACES, "blobs")
            for content in (trace, *contents):
                _write_blob(blobs, content)
            folder = real_folder(root, TRACES, "cases", _folder_of(kept.suite, kept.case))
            name = name_by_time(kept.recorded, os.urandom(8).hex()) + SUFFIX
            write_whole(f"{folder}/{name}", envelope.wrap(PAYLOAD, VERSION, payload), _PRIVATE)
    except OSError as error:
        raise EnvironmentFault(
            f"the trace could not be kept below {root}: {error.strerror or error}",
            'free some space or mend the permissions, or set traces = "drop" in the suite\'s policy',
        ) from error
    return kept.sha


def _bounded(workspace: Workspace) -> tuple[tuple[StoredFile, ...], list[bytes]]:
    files, contents, total = [], [], 0
    for path, file in sorted(workspace.files.items()):
        content = file.text.encode("utf-8", "surrogatepass") if file.state == FILE else b""
        if len(content) > MOST_FILE or total + len(content) > MOST_FILES:
            files.append(StoredFile(path, TOO_LARGE))
        elif file.state == FILE:
            total += len(content)
            contents.append(content)
            files.append(StoredFile(path, FILE, digest(content)))
        else:
            files.append(StoredFile(path, file.state))
    return tuple(files), contents


def _write_blob(folder: str, content: bytes) -> None:
    path = f"{folder}/{digest(content)}"
    if _content(path) != content:
        write_whole(path, zlib.compress(content, 6), _PRIVATE)


def load(common_dir: str, kept: KeptTrace) -> tuple[bytes, Workspace]:
    """The bytes of a kept trace, and what its graders saw. Raises EvidenceFault where they are gone or damaged."""
    blobs = os.path.join(common_dir, FOLDER, TRACES, "blobs")
    trace = _content(f"{blobs}/{kept.sha}") if kept.sha.isalnum() else None
    if trace is None:
        raise EvidenceFault(f"the trace {kept.sha[:12]} of {kept.case} is gone or damaged")
    files = {}
    for file in kept.files:
        content = _content(f"{blobs}/{file.content}") if file.content.isalnum() else None
        if file.state != FILE:
            files[file.path] = FocusFile(file.state)
        elif content is not None:  # a damaged file was not kept, as far as graders are concerned
            files[file.path] = FocusFile(FILE, content.decode("utf-8", "surrogatepass"))
    return trace, Workspace(kept.created, files)


def _content(path: str) -> bytes | None:
    """A blob, checked against its name; None where it is missing or damaged."""
    try:
        content = zlib.decompress(read_bytes(path))
    except (OSError, zlib.error):
        return None
    return content if digest(content) == os.path.basename(path) else None


def of_case(common_dir: str, suite: str, case: str) -> tuple[tuple[KeptTrace, ...], tuple[Broken, ...]]:
    """The recordings of a case, oldest first, and what cannot be read."""
    return _read_all(_paths(_cases(common_dir), [_folder_of(suite, case)]))


def every(common_dir: str, suite: str | None = None) -> tuple[tuple[KeptTrace, ...], tuple[Broken, ...]]:
    """All recordings (of one suite), oldest first, and what cannot be read."""
    root = _cases(common_dir)
    found, broken = _read_all(_paths(root, sorted(names(root))))
    return tuple(k for k in found if suite in (None, k.suite)), broken


def by_prefix(common_dir: str, prefix: str) -> tuple[KeptTrace, ...]:
    """The recordings whose trace's name starts with `prefix` (at least 6 hex digits), oldest first."""
    wanted = prefix.lower()
    if len(wanted) < 6 or not all(c in "0123456789abcdef" for c in wanted):
        return ()
    return tuple(k for k in every(common_dir)[0] if k.sha.startswith(wanted))


def unneeded(common_dir: str, runs: Iterable[str], named: Collection[str], limit: float) -> list[str]:
    """The paths that `gc` may drop: recordings of ordinary runs from before `limit` whose run is none of `runs` and whose
    trace none of `named`, and blobs that no other recording names. What cannot be read is kept, and all blobs with it."""
    kept_runs = set(runs)
    root = _cases(common_dir)
    drop, used, unreadable = [], set(), False
    for path in _paths(root, names(root)):
        kept = _read(path)
        if isinstance(kept, Broken):
            unreadable = True
        elif kept is not None and kept.recorded < limit and _is_loose(kept, kept_runs, named):
            drop.append(path)
        elif kept is not None:
            used |= {kept.sha, *(f.content for f in kept.files)}
    blobs = os.path.join(common_dir, FOLDER, TRACES, "blobs")
    loose = [] if unreadable else [n for n in names(blobs) if not n.startswith(".") and n not in used]
    return drop + [path for n in loose if _mtime(path := os.path.join(blobs, n)) < limit]


def _is_loose(kept: KeptTrace, runs: Collection[str], named: Collection[str]) -> bool:
    """Proofs are never dropped, so neither is what re-grades their known positives."""
    return kept.kind == RUN and kept.run not in runs and kept.sha not in named


def _mtime(path: str) -> float:
    with contextlib.suppress(OSError):
        return os.lstat(path).st_mtime
    return float("inf")


def _cases(common_dir: str) -> str:
    return os.path.join(common_dir, FOLDER, TRACES, "cases")


def _paths(root: str, folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        whole = os.path.join(root, folder)
        yield from (os.path.join(whole, n) for n in names(whole) if n.endswith(SUFFIX))


def _read_all(paths: Iterable[str]) -> tuple[tuple[KeptTrace, ...], tuple[Broken, ...]]:
    rows = [(os.path.basename(path), _read(path)) for path in paths]
    rows.sort(key=lambda row: row[0])
    kept = tuple(k for _, k in rows if isinstance(k, KeptTrace))
    return kept, tuple(b for _, b in rows if isinstance(b, Broken))


def _read(path: str) -> KeptTrace | Broken | None:
    """The recording in a file; None for one that was dropped meanwhile."""
    try:
        kept = plain_fields.read(KeptTrace, envelope.fields_of(PAYLOAD, VERSION, read_bytes(path)))
    except FileNotFoundError:
        return None
    except envelope.Unreadable as reason:
        return Broken(path, reason.code, reason.text)
    except (OSError, TypeError, ValueError, RecursionError) as error:
        return Broken(path, Code.SEAL_BROKEN, f"it cannot be read ({error})")
    if os.path.basename(os.path.dirname(path)) != _folder_of(kept.suite, kept.case):
        return Broken(path, Code.SEAL_BROKEN, "it lies in the place of another case")
    return kept


def _folder_of(suite: str, case: str) -> str:
    """Names are data and become no path."""
    return hashlib.sha256(f"{suite}\0{case}".encode("utf-8", "surrogatepass")).hexdigest()[:40]
