"""The receipt of a judged push, kept by the quick path as `receipts.keep` keeps it, without loading records."""

from __future__ import annotations

import fcntl
import os

from shipmoor_hooks.digest import sha256
from shipmoor_hooks.quick.lean_envelope import quoted, wrapped
from shipmoor_hooks.whole_files import lock, name_by_time, real_folder, write_whole

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shipmoor_hooks.quick.quick_gate import Found

RECEIPT_TYPE = "application/vnd.shipmoor-hooks.receipt+json;version=1"


def keep_receipt(
    found: Found, now: float, verdict: str = "allowed", codes: Sequence[str] = (), *, warned: bool = False
) -> bool:
    """Keep what was answered: the verdict's word, the codes that are not disclosed. False where the seal's key is not at hand.

    Raises OSError, EnvironmentFault.
    """
    seal = found.keys.for_new()
    if seal is None:
        return False
    name = os.urandom(16).hex()
    span, root = found.span, found.root
    values = {"id": name, "suite": "", "case": "", "ref": found.pushed.name, "commit": span.tip, "tree": span.tip_tree}
    told = {key: quoted(value) for key, value in values.items()}
    more = f',"codes":[{",".join(map(quoted, codes))}]' if codes else ""
    more += ',"warned":true' if warned else ""
    payload = (
        f'{{"id":{told["id"]},"suite":"","case":"","recorded":{now!r},"ref":{told["ref"]},"commit":{told["commit"]},'
        f'"tree":{told["tree"]},"verdict":{quoted(verdict)},"bases":[{quoted(span.base)}]{more}}}'
    ).encode("ascii")
    stored = wrapped(RECEIPT_TYPE, payload, *seal)
    file = name_by_time(now, name) + ".record"
    real_folder(root)
    with lock(root + "/lock", fcntl.LOCK_SH):
        for sort, key in (("cases", "\0"), ("keys", span.tip)):
            folder = real_folder(root, "records", "receipt", sort, sha256(key.encode()).hex()[:40])
            write_whole(f"{folder}/{file}", stored)
    return True
