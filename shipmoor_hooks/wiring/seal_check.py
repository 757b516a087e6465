"""What `doctor` says of the seal: where the key is held, and how long it takes to have it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import ShipmoorError
from shipmoor_hooks.seals import key_record, key_ring, key_store, session_copy
from shipmoor_hooks.seals.key_record import FILE, Record


@dataclass(frozen=True, slots=True)
class Seen:
    """`ok`: True new runs are sealed, False they cannot be stored, None they are stored unsealed or it is not known yet."""

    ok: bool | None
    says: str
    next_step: str = ""


def look(environ: Mapping[str, str]) -> Seen:
    """The state of the seal; a key store is asked, nothing is made."""
    try:
        mode = key_ring.mode_of(environ)
        ring = key_ring.KeyRing(environ)
        record = ring.record()
        if record is None:
            return _no_key_yet(environ, mode)
        seen = _in_file(ring, record) if record.backend == FILE else _in_store(ring, record)
    except ShipmoorError as fault:
        return Seen(False, f"{fault.message}.", fault.next_step)
    if mode == "off":
        return Seen(None, f"new runs are unsealed here and count as imported ({_why_off(environ)}); {seen.says}")
    return seen


def _why_off(environ: Mapping[str, str]) -> str:
    return f"{key_ring.VARIABLE}=off" if environ.get(key_ring.VARIABLE) else "CI is set"


def _no_key_yet(environ: Mapping[str, str], mode: str) -> Seen:
    if mode == "off":
        return Seen(None, f"runs are unsealed here and count as imported ({_why_off(environ)}).")
    place = f"a file below {os.path.dirname(key_record.path(environ))}"
    if mode == "file":
        return Seen(None, f"there is no key yet; the next run makes one in {place}.")
    if environ.get("PYTHON_KEYRING_BACKEND") in key_store.NOT_WANTED:
        return Seen(None, f"there is no key yet; the next run makes one in {place} (no key store is wanted here).")
    answer = key_store.get(environ, "", [key_store.SERVICE])
    if answer.backend:
        return Seen(None, f"there is no key yet; {answer.backend} answers in {answer.seconds:.2f} s and will hold it.")
    return Seen(None, f"there is no key yet; the next run makes one in {place} (key store: {answer.reason}).")


def _in_file(ring: key_ring.KeyRing, record: Record) -> Seen:
    began = time.perf_counter()
    key = ring.key(record.key)
    took = (time.perf_counter() - began) * 1000
    where = key_record.key_path(ring.environ, record.key)
    if key is None:
        return Seen(False, f"the seal key {record.key} is gone or damaged: {where}.", "shipmoor-hooks key rotate")
    return Seen(True, f"runs are sealed (same-user) with key {record.key} in {where}, read in {took:.1f} ms.")


def _in_store(ring: key_ring.KeyRing, record: Record) -> Seen:
    keys = ring.ask(record)
    told = f"key {record.key} in {record.backend}"
    if record.key not in keys:
        says = f"runs are stored unsealed: {told} cannot be had, {ring.silence} (after {ring.seconds:.2f} s)."
        return Seen(None, says, "unlock the key store")
    copy = session_copy.path(ring.environ)
    kept = (
        f"kept for the session in {copy}"
        if copy and record.key in session_copy.read(ring.environ)
        else "asked each time"
    )
    return Seen(True, f"runs are sealed (same-user) with {told}, which answered in {ring.seconds:.2f} s; {kept}.")
