"""The files of stored records: what is kept beside runs, readable from every worktree (design, sections 8 and 9).

    <common dir>/shipmoor-hooks/records/<kind>/
      cases/<digest of suite and case>/<name>.record   one file a record, in the folder of the case that it speaks of
      keys/<digest of the key>/<name>.record           the same file again, in the folder of its key

A name starts with the moment of recording in milliseconds. Like runs, records appear whole or not at all, go through the
envelope, and are never overwritten; one that cannot be read is handed back as broken, never left out.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from typing import TypeVar

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.model import Code, Sealing
from shipmoor_hooks.seals import key_ring
from shipmoor_hooks.store import envelope, plain_fields
from shipmoor_hooks.store.record_model import Clearing, Label, Overlay, Proof, Receipt, Record, Regrade
from shipmoor_hooks.store.spool import FOLDER, Broken
from shipmoor_hooks.whole_files import lock, name_by_time, names, read_bytes, real_folder, write_whole

RECORDS = "records"
SUFFIX = ".record"
VERSION = 1
KINDS: Mapping[type, str] = {
    Proof: "proof",
    Regrade: "regrade",
    Label: "label",
    Receipt: "receipt",
    Clearing: "clearing",
    Overlay: "overlay",
}
_Kind = TypeVar("_Kind", bound=Record)


def new_id() -> str:
    """An id that no other record has."""
    return os.urandom(16).hex()


def payload_type(kind: type) -> str:
    """The media type of a kind of record, without a version."""
    return f"application/vnd.shipmoor-hooks.{KINDS[kind]}+json"


def write(common_dir: str, record: Record, environ: Mapping[str, str] | None = None) -> str:
    """Store a record, sealed; the path of its file. Raises EnvironmentFault when it cannot be written.

    `environ` (the process's own when it is left out) says where the seal key is.
    """
    kind = type(record)
    payload = json.dumps(plain_fields.written(record), separators=(",", ":"), ensure_ascii=True).encode("ascii")
    sealer = key_ring.of(os.environ if environ is None else environ).sealer()
    stored = envelope.wrap(payload_type(kind), VERSION, payload, sealer.key)
    root = os.path.join(common_dir, FOLDER)
    try:
        real_folder(root)
        with lock(root + "/lock", fcntl.LOCK_SH):
            path = real_folder(root, RECORDS, KINDS[kind], "cases", case_folder(record.suite, record.case))
            path += "/" + name_of(record)
            write_whole(path, stored)
            if record.key:
                twin = real_folder(root, RECORDS, KINDS[kind], "keys", key_folder(record.key))
                write_whole(twin + "/" + name_of(record), stored)
    except OSError as error:
        raise EnvironmentFault(
            f"the {KINDS[kind]} could not be stored below {root}: {error.strerror or error}",
            "free some space or mend the permissions, then try again",
        ) from error
    return path


def find(common_dir: str, kind: type[_Kind], suite: str, case: str) -> tuple[tuple[_Kind, ...], tuple[Broken, ...]]:
    """The records of one kind about one case, oldest first, and what cannot be read there."""
    return _read_folders(kind, [_path(common_dir, kind, "cases", case_folder(suite, case))])


def find_key(common_dir: str, kind: type[_Kind], key: str) -> tuple[tuple[_Kind, ...], tuple[Broken, ...]]:
    """The records of one kind under one key (see record_model), oldest first, and what cannot be read there."""
    return _read_folders(kind, [_path(common_dir, kind, "keys", key_folder(key))])


def every(common_dir: str, kind: type[_Kind]) -> tuple[tuple[_Kind, ...], tuple[Broken, ...]]:
    """All records of one kind, oldest first, and what cannot be read."""
    folder = _path(common_dir, kind, "cases")
    return _read_folders(kind, [os.path.join(folder, n) for n in names(folder)])


def name_of(record: Record) -> str:
    return name_by_time(record.recorded, record.id) + SUFFIX


def case_folder(suite: str, case: str) -> str:
    """The folder's name for a case: names are data and become no path."""
    return _digest(f"{suite}\0{case}")


def key_folder(key: str) -> str:
    return _digest(key)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _path(common_dir: str, kind: type, *parts: str) -> str:
    return os.path.join(common_dir, FOLDER, RECORDS, KINDS[kind], *parts)


def _read_folders(kind: type[_Kind], folders: list[str]) -> tuple[tuple[_Kind, ...], tuple[Broken, ...]]:
    found: list[_Kind] = []
    broken: list[Broken] = []
    keys = key_ring.Checker(os.environ)
    for folder in folders:
        for name in sorted(names(folder)):
            one = _read(kind, keys, os.path.join(folder, name)) if name.endswith(SUFFIX) else None
            if isinstance(one, Broken):
                broken.append(one)
            elif one is not None:
                found.append(one)
    return tuple(sorted(found, key=name_of)), tuple(broken)


def _read(kind: type[_Kind], keys: envelope.Keys, path: str) -> _Kind | Broken | None:
    """The record in a file; None for one that was dropped meanwhile."""
    try:
        record = decode(kind, read_bytes(path), keys)
    except envelope.Unreadable as reason:
        return Broken(path, reason.code, reason.text)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Broken(path, Code.SEAL_BROKEN, f"it cannot be read: {error.strerror}")
    folder, name = os.path.split(path)
    sort, own = folder.split(os.sep)[-2:]
    place = key_folder(record.key) if sort == "keys" else case_folder(record.suite, record.case)
    if own != place or name != name_of(record):
        return Broken(path, Code.SEAL_BROKEN, "it lies in the place of another record")
    return record


def decode(kind: type[_Kind], stored: bytes, keys: envelope.Keys | None = None) -> _Kind:
    """The record of a stored envelope. Raises Unreadable, with `keys` also for a seal of a key that is none of them."""
    told = envelope.opened(payload_type(kind), VERSION, stored, keys)
    if told.sealing is Sealing.FOREIGN:
        raise envelope.Unreadable(Code.SEAL_FOREIGN, f"it was sealed by a key that is not known here ({told.key})")
    try:
        return plain_fields.read(kind, told.fields)
    except (TypeError, ValueError, RecursionError) as broken:
        raise envelope.Unreadable(Code.SEAL_BROKEN, f"a field is missing or wrong ({broken})") from broken
