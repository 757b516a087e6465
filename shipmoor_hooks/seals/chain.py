"""The chain of a worktree's entries: each names the one before it, so that one that was taken out leaves a gap.

    runs/<worktree>/sequence         the last number given, the newest entry (the head), and the one being written
    runs/<worktree>/dropped/<name>   entries that were let go of on purpose: a withdrawn start, what `gc` drops

A link names an entry by its number, its file's name and the SHA-256 of its bytes. A start entry goes when its run is stored;
the run takes over its links, and so does the record of what was dropped. What is cut off at the end is seen by the head
only, which is a file like any other: who can write here can set both back (docs/seal.md says so).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.model import Sealing
from shipmoor_hooks.seals import seal
from shipmoor_hooks.seals.chain_head import HEAD as HEAD
from shipmoor_hooks.seals.chain_head import MOST_NUMBER, links_behind, told
from shipmoor_hooks.seals.chain_head import Head as Head
from shipmoor_hooks.seals.chain_head import Link as Link
from shipmoor_hooks.seals.chain_head import digest_of as digest_of
from shipmoor_hooks.seals.chain_head import link_of as link_of
from shipmoor_hooks.seals.chain_head import read_head as read_head
from shipmoor_hooks.seals.chain_head import write_head as write_head
from shipmoor_hooks.store import envelope
from shipmoor_hooks.whole_files import names, read_bytes, write_whole

FIELD = "chain"  # of an entry's payload: {"previous": links, "began": digest of the start entry or null}
DROPPED = "dropped"
DROPPED_TYPE = "application/vnd.shipmoor-hooks.dropped+json"
DROPPED_VERSION = 1


def fields(last: Link | None, start: bytes) -> dict[str, Any]:
    """The chain's part of a payload: what the entry follows, and the start entry (its bytes, b"" for none) that it ends."""
    began = digest_of(start) if start else None
    return told(links_behind(last, began, links_in(start) if start else ()), began)


def links_in(stored: bytes) -> list[Link]:
    """The links in an entry's bytes; none where it cannot be read, or is from before there were links."""
    try:
        return [link_of(one) for one in _payload(stored)[FIELD]["previous"]]
    except (envelope.Unreadable, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


def began_in(stored: bytes) -> str | None:
    """The digest of the start entry that an entry ended, as its bytes say."""
    try:
        began = _payload(stored)[FIELD]["began"]
    except (envelope.Unreadable, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return began if isinstance(began, str) else None


def settled(head: Head, folder: str) -> Head:
    """The head after a writer that died: the entry that it was writing counts when it is there. Raises OSError."""
    if not head.writing:
        return head
    try:
        stored = read_bytes(os.path.join(folder, head.writing))
    except FileNotFoundError:
        return replace(head, writing="")
    return Head(head.number, Link(head.number, os.path.basename(head.writing), digest_of(stored)), "")


def rebuilt(folder: str) -> Head:
    """The head of a folder whose own is missing or damaged: the entry with the highest number. Raises OSError."""
    best = Head()
    for path in entries(folder):
        stored = read_bytes(path)
        number = _number(stored)
        if best.number < number < MOST_NUMBER:
            best = Head(number, Link(number, os.path.basename(path), digest_of(stored)))
    return best


def entries(folder: str) -> Iterator[str]:
    """The paths of a worktree's entries; scoped copies are left out."""
    trees = os.path.join(folder, "trees")
    for tree in sorted(names(trees)):
        below = os.path.join(trees, tree)
        yield from (os.path.join(below, name) for name in sorted(names(below)) if not name.startswith("."))


def _number(stored: bytes) -> int:
    """The number in an entry's payload, 0 where it cannot be read."""
    try:
        number = _payload(stored)["sequence"]
    except (envelope.Unreadable, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 0
    return number if isinstance(number, int) else 0


def _payload(stored: bytes) -> dict[str, Any]:
    """The payload of an entry of any kind and version. Raises Unreadable, and what JSON of another form raises."""
    kind, _, version = json.loads(stored)["payloadType"].partition(";version=")
    return envelope.fields_of(kind, int(version), stored)


# ---------------------------------------------------------------- what was let go of on purpose


def drop(folder: str, stored: Iterable[bytes], key: seal.Key | None) -> None:
    """Write down that these entries are let go of, before they are. `folder` is there. Raises OSError."""
    gone = {digest_of(one): one for one in stored}
    if not gone:
        return
    rows = [
        [digest, began_in(one), [link.as_list() for link in links_in(one) if link.digest not in gone]]
        for digest, one in gone.items()
    ]
    payload = json.dumps({"entries": rows}, separators=(",", ":")).encode("ascii")
    record = envelope.wrap(DROPPED_TYPE, DROPPED_VERSION, payload, key)
    write_whole(os.path.join(folder, f"{os.urandom(8).hex()}.dropped"), record)


@dataclass(frozen=True, slots=True)
class Dropped:
    """An entry that was let go of: the start entry that it ended, what it followed, what its record's seal is worth."""

    began: str
    previous: tuple[Link, ...]
    sealing: Sealing


def dropped(folder: str, keys: envelope.Keys) -> dict[str, Dropped]:
    """The entries that were let go of, by digest. Records that cannot be read say nothing."""
    found: dict[str, Dropped] = {}
    for name in sorted(names(folder)):
        if not name.endswith(".dropped"):
            continue
        try:
            told = envelope.opened(DROPPED_TYPE, DROPPED_VERSION, read_bytes(os.path.join(folder, name)), keys)
            rows = [(str(d), str(b or ""), tuple(map(link_of, links))) for d, b, links in told.fields["entries"]]
        except (OSError, envelope.Unreadable, ValueError, KeyError, TypeError):
            continue
        found |= {digest: Dropped(began, links, told.sealing) for digest, began, links in rows}
    return found
