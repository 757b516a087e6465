"""The user's seal keys: made once, found again, changed on request (design, sections 2, 9, 10.21 and 10.35).

SHIPMOOR_HOOKS_SEAL says what is wanted: `auto` (the key store, else a file), `keyring`, `file`, or `off`; without it `auto`,
and `off` where CI is set. The gate only looks: it never makes a key.
"""

from __future__ import annotations

import fcntl
import functools
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from shipmoor_hooks import state
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.errors import EnvironmentFault, UsageFault
from shipmoor_hooks.seals import key_files, key_record, key_store, seal, session_copy
from shipmoor_hooks.seals.key_record import FILE, Record
from shipmoor_hooks.whole_files import lock

VARIABLE = "SHIPMOOR_HOOKS_SEAL"
MODES = ("auto", "keyring", "file", "off")
_ROTATE = "shipmoor-hooks key rotate"
_USED = {"XDG_STATE_HOME", VARIABLE, "CI", "PYTHON_KEYRING_BACKEND", *key_store.PASSED, *key_store.DISPLAYS}


@dataclass(frozen=True, slots=True)
class Sealer:
    """What a new entry is sealed with: a key, or None and why not ("": it was not wanted). `note`: what to tell once."""

    key: seal.Key | None
    why_not: str = ""
    note: str = ""


def mode_of(environ: Mapping[str, str]) -> str:
    """What is wanted here. Raises UsageFault for a word that is none of the modes."""
    wanted = environ.get(VARIABLE, "")
    if wanted and wanted not in MODES:
        raise UsageFault(f"{VARIABLE} takes {', '.join(MODES)}, not {wanted!r}")
    if not wanted and environ.get("CI", "").lower() not in ("", "0", "false", "no"):
        return "off"
    return wanted or "auto"


class KeyRing:
    """The keys of one user on one machine, as one environment shows them. A key store is asked at most once."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = dict(environ)
        self._asked: dict[str, seal.Key] | None = None
        self.seconds = 0.0  # that the key store took, when it was asked
        self.silence = ""  # why it gave no key

    # ---------------------------------------------------------------- checking

    def record(self) -> Record | None:
        """What is written down of the keys. Raises EnvironmentFault."""
        return key_record.load(self.environ)

    def knows(self, key_id: str) -> bool:
        record = self.record()
        return record is not None and key_id in record.ids

    def key(self, key_id: str) -> seal.Key | None:
        """A key that is ours; None when it cannot be had just now. Raises EnvironmentFault for a file that others can use."""
        record = self.record()
        return self._of(record, key_id) if record is not None and key_id in record.ids else None

    def _of(self, record: Record, key_id: str) -> seal.Key | None:
        """A key that the record names."""
        if record.backend == FILE:
            return self._from_file(key_id)
        copy = session_copy.read(self.environ)
        return copy[key_id] if key_id in copy else self.ask(record).get(key_id)

    def _from_file(self, key_id: str) -> seal.Key | None:
        data = key_files.read_private(key_record.key_path(self.environ, key_id))
        key = seal.from_text((data or b"").decode("ascii", "replace"))
        return key if key is not None and key.id == key_id else None

    def ask(self, record: Record) -> dict[str, seal.Key]:
        """All keys that the store holds, within its deadline; kept for the session when the current one is among them."""
        if self._asked is None:
            others = [key_store.service_of(one) for one in record.ids]
            answer = key_store.get(self.environ, record.backend, [key_store.SERVICE, *others])
            found = (seal.from_text(text or "") for text in answer.found.values())
            self._asked = {key.id: key for key in found if key is not None and key.id in record.ids}
            self.seconds = answer.seconds
            self.silence = answer.reason or ("" if record.key in self._asked else "it holds no such key")
            if record.key in self._asked:
                session_copy.keep(self.environ, self._asked.values())
        return self._asked

    # ---------------------------------------------------------------- sealing

    def sealer(self) -> Sealer:
        """The key for a new entry, made when there is none yet. Raises EnvironmentFault, UsageFault."""
        mode = mode_of(self.environ)
        if mode == "off":
            return Sealer(None)
        record, note = self.record(), ""
        if record is None:
            record, note = self._first(mode)
        _refuse_other(mode, record)
        key = self._of(record, record.key)
        if key is not None:
            return Sealer(key, note=note)
        if record.backend == FILE:
            where = key_record.key_path(self.environ, record.key)
            raise EnvironmentFault(f"the seal key {record.key} is gone or damaged: {where}", _ROTATE)
        why = f"the key store ({record.backend}) was asked for the seal key: {self.silence}"
        return Sealer(None, f"{why}; so the run is stored unsealed and counts as imported")

    def _first(self, mode: str) -> tuple[Record, str]:
        """The first key of this user here, whoever of several processes comes first."""
        with self._locked():
            record = self.record()
            return (record, "") if record is not None else self._make(mode, None)

    def _make(self, mode: str, before: Record | None) -> tuple[Record, str]:
        """A new current key, in the place of the one `before`; what to tell. The record is written last."""
        key, reason = seal.key_of(os.urandom(seal.SIZE)), ""
        backend = FILE
        if mode != "file":
            backend, key, reason = self._into_store(key, adopt=before is None)
            if not backend and mode == "keyring":
                raise EnvironmentFault(f"no key store can hold the seal key: {reason}", f"set {VARIABLE}=file")
        backend = backend or FILE
        if backend == FILE:
            key_files.write_private(self._key_file(key.id), f"{seal.as_text(key)}\n".encode("ascii"))
        record = Record(backend, key.id, time.time(), fallback=reason)
        if before is not None:
            record = replace(record, retired=(before.key, *before.retired), imported=before.imported)
        key_record.save(self.environ, record)
        session_copy.drop(self.environ)
        # What was just read back need not be asked for again; older keys of a store are, when they are needed.
        self._asked = {key.id: key} if before is None and backend != FILE else None
        if self._asked:
            session_copy.keep(self.environ, self._asked.values())
        if not reason:
            return record, ""
        where = f"no key store is used for the seal key ({reason}); it lies in {self._key_file(key.id)}"
        return record, f"{where}, and stays there until {VARIABLE}=keyring {_ROTATE}"

    def _into_store(self, key: seal.Key, *, adopt: bool) -> tuple[str, seal.Key, str]:
        """Put the key into the best key store, or take the one that it holds: (backend, key, ""), or ("", key, why not)."""
        if self.environ.get("PYTHON_KEYRING_BACKEND") in key_store.NOT_WANTED:
            return "", key, "PYTHON_KEYRING_BACKEND says so"
        there = key_store.get(self.environ, "", [key_store.SERVICE])
        if not there.backend:
            return "", key, there.reason
        old = seal.from_text(there.found.get(key_store.SERVICE) or "")
        if old is not None and adopt:
            return there.backend, old, ""
        text = seal.as_text(key)
        put = key_store.put(self.environ, there.backend, key_store.SERVICE, text)
        if put.found.get(key_store.SERVICE) != text:
            return "", key, put.reason or f"{there.backend} did not keep what was written"
        return put.backend, key, ""

    # ---------------------------------------------------------------- changing

    def rotate(self) -> tuple[Record, str]:
        """A new key for new entries; the old ones stay known for checking. The record, and what to tell."""
        mode = mode_of(self.environ)
        if mode == "off":
            why = f"{VARIABLE} is off" if self.environ.get(VARIABLE) else "CI is set"
            raise UsageFault(f"nothing is sealed here ({why}), so no key is made", f"{VARIABLE}=auto {_ROTATE}")
        with self._locked():
            before = self.record()
            if before is None:
                return self._make(mode, None)
            if mode == "auto":
                mode = "file" if before.backend == FILE else "keyring"
            old = [key for one in before.ids if (key := self.key(one)) is not None]
            if mode == "keyring" and before.key not in [key.id for key in old] and before.backend != FILE:
                raise EnvironmentFault(
                    f"the key store does not give the present key: {self.silence}", f"{VARIABLE}=file {_ROTATE}"
                )
            for key in old:
                self._put_aside(key, "" if mode == "keyring" else FILE)
            return self._make(mode, before)

    def take_in(self, key: seal.Key) -> Record:
        """Know a further key for checking, for example that of a container. The record."""
        with self._locked():
            record = self.record()
            if record is None:
                record, _ = self._make(mode_of(self.environ).replace("off", "auto"), None)
            if key.id not in record.ids:
                self._put_aside(key, record.backend)
                record = replace(record, imported=(*record.imported, key.id))
                key_record.save(self.environ, record)
                self._asked = None
                session_copy.drop(self.environ)
            return record

    def _put_aside(self, key: seal.Key, backend: str) -> None:
        """Hold a key under its own name, for checking only. Raises EnvironmentFault."""
        if backend == FILE:
            key_files.write_private(self._key_file(key.id), f"{seal.as_text(key)}\n".encode("ascii"))
            return
        put = key_store.put(self.environ, backend, key_store.service_of(key.id), seal.as_text(key))
        if put.found.get(key_store.service_of(key.id)) != seal.as_text(key):
            raise EnvironmentFault(f"the key store did not take the key {key.id}: {put.reason or 'it was not kept'}")

    def _key_file(self, key_id: str) -> str:
        where = key_record.key_path(self.environ, key_id)
        state.private_folder(os.path.dirname(where), may_be_link=False)
        return where

    @contextmanager
    def _locked(self) -> Iterator[None]:
        root = state.state_root(self.environ)
        try:
            with lock(os.path.join(root, "seal.lock"), fcntl.LOCK_EX):
                yield
        except OSError as error:
            raise EnvironmentFault(f"{root} cannot be used: {error.strerror or error}") from error


def _refuse_other(mode: str, record: Record) -> None:
    """A wish for another place than the key's own is no order to move it."""
    held = "file" if record.backend == FILE else "keyring"
    if mode not in ("auto", held):
        where = "in a file" if held == "file" else f"in the key store ({record.backend})"
        raise EnvironmentFault(
            f"your seal key is held {where}, and {VARIABLE}={mode} asks for another place",
            f"{VARIABLE}={mode} {_ROTATE}",
        )


def of(environ: Mapping[str, str]) -> KeyRing:
    """The ring of an environment; the same one for equal environments, so that a key store is asked once a process."""
    return _ring(tuple((name, environ[name]) for name in sorted(_USED) if name in environ))


@functools.lru_cache(maxsize=4)
def _ring(environ: tuple[tuple[str, str], ...]) -> KeyRing:
    return KeyRing(dict(environ))


class Checker:
    """The keys for checking a number of entries: what is written down and each key are read once. Lazy, so that who meets
    no seal reads nothing."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._ring = of(environ)
        self._known = functools.cache(self._ids)
        self.key = functools.cache(self._ring.key)

    def _ids(self) -> frozenset[str]:
        record = self._ring.record()
        return frozenset(record.ids if record is not None else ())

    def knows(self, key_id: str) -> bool:
        return key_id in self._known()
