"""`fetch`: what others published comes into a spool of its own, each entry looked at before a byte is stored.

An entry is stored under the names that its own content gives it, and only where they are those under which it was found:
object names, digests and numbers of ours, so that nothing that was published can become a path.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Run
from shipmoor_hooks.place import Place
from shipmoor_hooks.push import is_object_name
from shipmoor_hooks.sharing import foreign, published, share
from shipmoor_hooks.sharing.published import Blob, Published, Refused, Sort, inventory_path, run_path
from shipmoor_hooks.sharing.ssh_signatures import BEGINNING
from shipmoor_hooks.store import entry, envelope, id_lists, records
from shipmoor_hooks.store.record_model import Record
from shipmoor_hooks.store.stored_runs import RUN_SUFFIX, name_of
from shipmoor_hooks.whole_files import lock

DAY = 86400.0
_BY_WORD = {word: kind for kind, word in records.KINDS.items()}


@dataclass(slots=True)
class Fetched:
    """What came: runs, other records, signatures; what was dropped for its age; what is refused, by name, and why."""

    remote: str
    commit: str | None
    runs: list[Run] = field(default_factory=list)
    records: int = 0
    signatures: int = 0
    dropped: int = 0
    refused: list[Refused] = field(default_factory=list)


def fetch(place: Place, remote: str, now: float, days: float = share.DEPTH_DAYS) -> Fetched:
    """Bring what the remote has into the spool of fetched entries. Raises EnvironmentFault, EvidenceFault, GitFault."""
    there = share.fetched(place.git, remote)
    done = Fetched(remote, there.commit, refused=list(there.refused))
    try:
        with lock(foreign.lock_path(place.common_dir), fcntl.LOCK_EX):
            _store(place, there, done)
            done.dropped = _forget(place.common_dir, there, now - days * DAY)
    except OSError as error:
        raise EnvironmentFault(
            f"the fetched runs could not be stored: {error.strerror or error}", "free some space, then fetch again"
        ) from error
    return done


def _store(place: Place, there: Published, done: Fetched) -> None:
    """Runs and records first, then the signatures, which lie beside them."""
    here = {*foreign.stored_names(place.common_dir), *foreign.record_names(place.common_dir)}
    new = {path: blob for path, blob in there.blobs.items() if path.rpartition("/")[2] not in here}
    for path, data in _contents(place.git, new, Sort.RUN):
        try:
            fields = entry.payload_of(data)
            ids = _list_of_ids(place.git, there, entry.inventory_name(fields))
            run = read_run(path, data, ids)
        except envelope.Unreadable as reason:
            done.refused.append(Refused(path, reason.text))
            continue
        _keep_list(place.common_dir, entry.inventory_name(fields), ids)
        foreign.keep(place.common_dir, path.rpartition("/")[2], data, _folders(run))
        done.runs.append(run)
    for path, data in _contents(place.git, new, Sort.RECORD):
        _store_record(place, path, data, done)
    for path, data in _contents(place.git, new, Sort.SIGNATURE):
        _store_signature(place, path, data, done)


def read_run(path: str, data: bytes, ids: bytes | None) -> Run:
    """The run of a published file, found to lie under its own name. Raises Unreadable."""
    run = entry.decode_fields(entry.payload_of(data), ids)
    trees = (run.tree or "", run.scoped_tree or "")
    if not all(is_object_name(tree) for tree in trees) or not run.id.isalnum() or not run.id.isascii():
        raise envelope.Unreadable(Code.SEAL_BROKEN, "it is bound to no tree")
    name = name_of(run) + RUN_SUFFIX
    if path != run_path(trees[1], name):
        raise envelope.Unreadable(Code.SEAL_BROKEN, "it lies in the place of another run or tree")
    return run


def _list_of_ids(git: Git, there: Published, digest: str) -> bytes | None:
    """A published list of case ids by its digest."""
    blob = there.blobs.get(inventory_path(digest))
    return None if blob is None else next(data for _, data in published.contents(git, {blob.oid: blob.size}))


def _contents(git: Git, blobs: Mapping[str, Blob], sort: Sort) -> Iterator[tuple[str, bytes]]:
    """Path and content of the files of a sort; equal content stands under several paths and is read once."""
    paths: dict[str, list[str]] = {}
    for path, blob in blobs.items():
        if blob.sort is sort:
            paths.setdefault(blob.oid, []).append(path)
    sizes = {blob.oid: blob.size for blob in blobs.values() if blob.sort is sort}
    for oid, data in published.contents(git, sizes):
        for path in paths[oid]:
            yield path, data


def _folders(run: Run) -> list[tuple[str, ...]]:
    """Where a run's file lies: below its tree, and below its scoped tree where that is another."""
    found: list[tuple[str, ...]] = [("runs", foreign.FETCHED, "trees", run.tree or "")]
    if run.scoped_tree != run.tree:
        found.append(("runs", foreign.FETCHED, "scoped", run.scoped_tree or ""))
    return found


def _keep_list(common_dir: str, name: str, ids: bytes | None) -> None:
    if ids:
        foreign.keep(common_dir, name, id_lists.file_of(name, ids), [("inventories",)])


def _store_signature(place: Place, path: str, data: bytes, done: Fetched) -> None:
    """Beside the file that it signs, in each place where that lies. Whether it is good is asked when it counts."""
    name = path.rpartition("/")[2]
    signed = name.rsplit(".", 2)[0]
    if not data.startswith(BEGINNING):
        done.refused.append(Refused(path, "it is no SSH signature"))
        return
    folders = foreign.folders_with(place.common_dir, signed)
    foreign.keep(place.common_dir, name, data, folders)
    done.signatures += bool(folders)


def _store_record(place: Place, path: str, data: bytes, done: Fetched) -> None:
    """Below its case and below its key, as ours lie. Kinds that are not known here are a newer version's."""
    _, word, first, rest, name = path.split("/")
    kind = _BY_WORD.get(word)
    if kind is None:
        return
    try:
        record: Record = records.decode(kind, data)
    except envelope.Unreadable as reason:
        done.refused.append(Refused(path, reason.text))
        return
    if first + rest != records.case_folder(record.suite, record.case) or name != records.name_of(record):
        done.refused.append(Refused(path, "it lies in the place of another record"))
        return
    folders: list[tuple[str, ...]] = [(records.RECORDS, word, "cases", first + rest)]
    if record.key:
        folders.append((records.RECORDS, word, "keys", records.key_folder(record.key)))
    foreign.keep(place.common_dir, name, data, folders)
    done.records += 1


def _forget(common_dir: str, there: Published, limit: float) -> int:
    """Drop runs that began before `limit` and are published no more. Nothing of ours is looked at."""
    listed = {path.rpartition("/")[2] for path in there.blobs}
    gone = 0
    for name in foreign.stored_names(common_dir):
        began = name.partition("-")[0]
        if name not in listed and began.isdecimal() and int(began) / 1000 < limit:
            for parts in foreign.folders_with(common_dir, name):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(foreign.root(common_dir), *parts, name))
            gone += name.endswith(RUN_SUFFIX)
    return gone
