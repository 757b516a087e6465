"""Which seal keys are ours and where they are held: a record without a secret, `seal.json` in the state folder.

The choice is sticky: made once, when the first run is sealed. A key that moved by itself from the key store to a file and
back would be another key each time, and every older entry a stranger's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from shipmoor_hooks import state
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.seals import key_files, seal

FILE = "file"  # the backend of a key that lies in a file of ours
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """The current key's id, the backend that holds the keys, when the current one was made (POSIX seconds), the ids that
    only check older entries (ours from before a rotation, and imported ones), and why no key store was used ("")."""

    backend: str
    key: str
    created: float
    retired: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()
    fallback: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id that is ours, the current one first."""
        return (self.key, *self.retired, *self.imported)


def path(environ: Mapping[str, str]) -> str:
    return os.path.join(state.state_path(environ), "seal.json")


def key_path(environ: Mapping[str, str], key_id: str) -> str:
    """Where a key lies that is held in a file."""
    return os.path.join(state.state_path(environ), "keys", f"{key_id}.key")


def load(environ: Mapping[str, str]) -> Record | None:
    """The record; None where no key was made yet. Raises EnvironmentFault for one that cannot be used."""
    where = path(environ)
    data = key_files.read_private(where)
    if data is None:
        return None
    try:
        stored = json.loads(data)
        if stored["version"] != _VERSION:
            raise EnvironmentFault(f"{where} was written by a newer version", "use that version")
        record = Record(
            str(stored["backend"]),
            stored["key"],
            float(stored["created"]),
            tuple(stored["retired"]),
            tuple(stored["imported"]),
            str(stored["fallback"]),
        )
        if not all(isinstance(one, str) and seal.is_id(one) for one in record.ids):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError) as broken:
        raise EnvironmentFault(
            f"{where} is damaged, so it is not known which seal key is yours",
            f"mv {where} {where}.damaged, then shipmoor-hooks key import the files in {os.path.dirname(where)}/keys",
        ) from broken
    return record


def save(environ: Mapping[str, str], record: Record) -> None:
    """Put the record in the place of an earlier one. Raises EnvironmentFault."""
    stored = {
        "version": _VERSION,
        "backend": record.backend,
        "key": record.key,
        "created": record.created,
        "retired": list(record.retired),
        "imported": list(record.imported),
        "fallback": record.fallback,
    }
    key_files.write_private(path(environ), json.dumps(stored, indent=1).encode("ascii") + b"\n")
