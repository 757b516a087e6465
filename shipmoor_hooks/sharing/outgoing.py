"""What this machine has to publish: the files by their published names, signed where there is a key, and what stays here.

Only what was measured leaves: envelopes as they are stored, and lists of case ids. Traces never do. An entry that names a
person's folder or address is withheld, by name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterator, Mapping

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import EvidenceFault
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.place import Place
from shipmoor_hooks.push import is_object_name
from shipmoor_hooks.sharing import foreign, ssh_signatures
from shipmoor_hooks.sharing.published import Refused, inventory_path, run_path
from shipmoor_hooks.sharing.ssh_signatures import SigningKey
from shipmoor_hooks.store import entry, envelope, id_lists, records
from shipmoor_hooks.store.record_model import Clearing, Overlay, Proof, Receipt, Regrade
from shipmoor_hooks.store.spool import FOLDER, RUN_SUFFIX, Spool
from shipmoor_hooks.whole_files import names, read_bytes

KINDS = (Proof, Regrade, Receipt, Clearing, Overlay)


@dataclass(slots=True)
class Outgoing:
    """Published name to bytes, in the order in which they were found; entries that are withheld, and why."""

    files: dict[str, bytes] = field(default_factory=dict)
    held_back: list[Refused] = field(default_factory=list)

    @property
    def withheld(self) -> tuple[Refused, ...]:
        return tuple(self.held_back)


def collect(
    place: Place,
    environ: Mapping[str, str],
    since: float,
    there: Container[str],
    key: SigningKey | None = None,
    *,
    everything: bool = False,
) -> Outgoing:
    """The finished runs that began after `since` (POSIX seconds) and the records, but for what is `there` already.

    `everything` publishes what would be withheld. Raises EnvironmentFault when the key does not sign.
    """
    found = Outgoing()
    private = () if everything else _private(place, environ)
    for path in Spool(place.common_dir, place.worktree).paths():
        name = os.path.basename(path)
        if name.endswith(RUN_SUFFIX) and int(name.partition("-")[0]) / 1000 >= since:
            _add_run(place.common_dir, path, private, found)
    for path, folder, kind in _records(place.common_dir):
        data = _bytes_of(path)
        if data is not None and not _names_somebody(path, data, private, found):
            found.files[f"records/{kind}/{folder[:2]}/{folder[2:]}/{os.path.basename(path)}"] = data
    if key is not None:
        signed = [p for p in found.files if p.startswith(("runs/", "records/"))]
        for path in signed:
            beside = f"{path}.{key.id}{foreign.SIGNATURE_SUFFIX}"
            if beside not in there:
                found.files[beside] = ssh_signatures.sign(found.files[path], key, environ)
    found.files = {path: data for path, data in found.files.items() if path not in there}
    return found


def _add_run(common_dir: str, path: str, private: tuple[str, ...], found: Outgoing) -> None:
    """One run and its list of case ids; a damaged one stays where it is."""
    data = _bytes_of(path)
    if data is None:
        return
    try:
        fields = entry.payload_of(data)
    except envelope.Unreadable as reason:
        found.held_back.append(Refused(os.path.basename(path), reason.text))
        return
    tree = fields.get("scoped_tree") or fields.get("tree")
    if not isinstance(tree, str) or not is_object_name(tree) or _names_somebody(path, data, private, found):
        return
    digest = entry.inventory_name(fields)
    if fields["cases"]["number"]:
        ids = foreign.inventory(common_dir, digest)
        text = _text_of(ids)
        if text is None:
            found.held_back.append(Refused(os.path.basename(path), "its list of case ids is missing or damaged"))
            return
        found.files[inventory_path(digest)] = text
    found.files[run_path(tree, os.path.basename(path))] = data


def _text_of(ids: IdList | None) -> bytes | None:
    try:
        return None if ids is None else id_lists.text_of(ids)
    except EvidenceFault:
        return None


def _records(common_dir: str) -> Iterator[tuple[str, str, str]]:
    """Path, folder and kind of each record that may leave."""
    for kind in KINDS:
        word = records.KINDS[kind]
        cases = os.path.join(common_dir, FOLDER, records.RECORDS, word, "cases")
        for folder in names(cases):
            for name in names(os.path.join(cases, folder)):
                if name.endswith(records.SUFFIX):
                    yield os.path.join(cases, folder, name), folder, word


def _private(place: Place, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What must not leave unasked: the home folder, the worktree's own place, the user's address."""
    told = (environ.get("HOME", ""), place.top or "", place.git.try_text("config", "user.email") or "")
    return tuple(text for text in told if len(text) > len("/x"))


def _names_somebody(path: str, data: bytes, private: tuple[str, ...], found: Outgoing) -> bool:
    text = envelope.payload_text(data)
    for word in private:
        if json.dumps(word)[1:-1] in text:
            found.held_back.append(Refused(os.path.basename(path), f"it names {word}"))
            return True
    return False


def _bytes_of(path: str) -> bytes | None:
    try:
        return read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError as failed:
        raise EvidenceFault(f"{path} cannot be read: {failed.strerror}") from failed
