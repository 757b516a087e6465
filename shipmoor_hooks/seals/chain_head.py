"""The head of a worktree's chain of entries: the last number given, the newest entry, the one being written; and links.

It stands beside `chain`, so that the pytest plugin's short way can add an entry without loading what reads one.
"""

from __future__ import annotations

import hashlib
import json
import os

from shipmoor_hooks.data_classes import dataclass

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

HEAD = "sequence"  # the file's name
MOST_NUMBER = 1 << 53
_NUMBER_WIDTH = 31  # the number stands alone in the first line, where it always stood
_WIDTH = 1024


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as its successor names it: number, file name, SHA-256 (hex) of the stored bytes."""

    number: int
    name: str
    digest: str

    def as_list(self) -> list[Any]:
        return [self.number, self.name, self.digest]


@dataclass(frozen=True, slots=True)
class Head:
    """The last number given, the newest entry, and the path (below the worktree's folder) of one being written ("")."""

    number: int = 0
    last: Link | None = None
    writing: str = ""


def digest_of(stored: bytes) -> str:
    return hashlib.sha256(stored).hexdigest()


def link_of(value: Any) -> Link:
    """A link as it stands in a payload. Raises ValueError, TypeError for anything else."""
    number, name, digest = value
    if not (isinstance(number, int) and isinstance(name, str) and isinstance(digest, str)):
        raise TypeError(f"{value!r:.40} is no link")
    return Link(number, name, digest)


def links_behind(last: Link | None, began: str | None, taken_over: Iterable[Link]) -> list[Link]:
    """What a new entry follows: the newest one, unless that is the start entry which it ends (`began`, its digest), and the
    links `taken_over` from that."""
    links = [last] if last is not None and last.digest != began else []
    return links + [link for link in taken_over if link not in links]


def told(links: Iterable[Link], began: str | None) -> dict[str, Any]:
    """The chain's part of a payload."""
    return {"previous": [link.as_list() for link in links], "began": began}


def read_head(handle: int) -> Head | None:
    """The head from its open file; None for a new or a damaged one, which `rebuilt` replaces."""
    number, _, rest = os.pread(handle, 2 * _WIDTH, 0).partition(b"\n")
    try:
        if not number.strip():
            return None
        stored = (
            json.loads(rest) if rest.strip() else {"last": None, "writing": ""}
        )  # a file from before there were links
        last = link_of(stored["last"]) if stored["last"] is not None else None
        head = Head(int(number), last, str(stored["writing"]))
        return head if 0 <= head.number < MOST_NUMBER else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def write_head(handle: int, head: Head) -> None:
    """Write the head in one call, over the same bytes: no new block is needed on a full disk."""
    link = head.last.as_list() if head.last else None
    body = json.dumps({"last": link, "writing": head.writing}, separators=(",", ":"))
    data = f"{head.number:<{_NUMBER_WIDTH}}\n{body}".ljust(_WIDTH).encode("ascii")
    os.pwrite(handle, data, 0)
    if os.fstat(handle).st_size > len(data):  # what stood there was damaged
        os.ftruncate(handle, len(data))
