"""The quick path under a hook host of the pre-commit kind, which shows one ref of a push in PRE_COMMIT_* and no list.

The answer is `quick_gate`'s, in the words that the gate has for it there: with the note that refs are hidden, or, where our
own hook runs first and has said it all, one line on stderr. None wherever that is not plain: then the gate judges.
"""

from __future__ import annotations

import os

from shipmoor_hooks.quick import lean_git, quick_gate

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

TOLD_BEFORE = "shipmoor-hooks: every ref of this push was judged by our own hook, which runs first: see above"
# Our own hook, kept beside the host's, and the line by which it is known (wiring/hook_files).
BESIDE = "pre-push.legacy"
SHIM_LINE = b"# shipmoor-hooks shim: "
_WIDTH = 100  # characters; a longer note is folded, and that is the gate's to do
_LONGEST = 1 << 16  # bytes of a hook file


def answer(
    directory: str, environ: Mapping[str, str], now: float, said: dict[str, Mapping[str, str]]
) -> tuple[str, str] | None:
    """What goes to stdout and to stderr for a push without news; None: the gate must judge, and has what was `said`."""
    remote, url = environ.get("PRE_COMMIT_REMOTE_NAME", ""), environ.get("PRE_COMMIT_REMOTE_URL", "")
    local, tip = environ.get("PRE_COMMIT_LOCAL_BRANCH", ""), environ.get("PRE_COMMIT_TO_REF", "")
    name = environ.get("PRE_COMMIT_REMOTE_BRANCH", "")
    if not url or not local or not name.startswith("refs/"):
        return None
    # What the remote had is not told. The gate takes that as it takes zeros: a branch that is new there.
    told = f"{local} {tip} {name} {'0' * len(tip)}\n".encode("utf-8", "surrogateescape")
    try:
        told_before = _told_before(directory, environ)
        asked = quick_gate.Asked([remote, url], told, directory, environ, now, said)
        found = quick_gate.counted(asked, receipt=not told_before)
    except (OSError, ValueError):
        return None
    if found is None:
        return None
    rows = found[1]
    note = f"  REFS_HIDDEN the hook host shows one ref of a push; only {name} was judged."
    if told_before or len(note) > _WIDTH:
        return ("", TOLD_BEFORE) if told_before else None
    wide = max(len(suite) for suite, _ in rows)
    table = [f"  {suite:<{wide}}  base {count}, tip {count}" for suite, count in rows]
    return "\n".join([quick_gate.allowed(name, rows), *table, "", "notes:", note]), ""


def _told_before(directory: str, environ: Mapping[str, str]) -> bool:
    """Does the host run our own hook first, with git's whole list (`hook_files.stands_beside_host`)?"""
    here = lean_git.find(directory, environ)
    folder = None if here is None else lean_git.ask(here, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
    if folder is None:
        raise ValueError("no plain repository")
    path = os.path.join(folder.decode("utf-8", "surrogateescape").removesuffix("\n"), BESIDE)
    if not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as stream:
        text = stream.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise ValueError(path)
    return SHIM_LINE in text
