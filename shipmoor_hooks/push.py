"""What is pushed: the list that git gives a pre-push hook, or what a hook host tells in PRE_COMMIT_* (design, 3 and 9).

Pure. git's own list holds every ref of the push; a host of the pre-commit kind empties it and shows one ref.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import UsageFault

HOST_VARIABLES = (
    "PRE_COMMIT", "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "PRE_COMMIT_LOCAL_BRANCH", "PRE_COMMIT_REMOTE_BRANCH",
    "PRE_COMMIT_REMOTE_NAME", "PRE_COMMIT_REMOTE_URL",
)  # fmt: skip
NOTHING_TO_JUDGE = ("refs/tags/", "refs/notes/", "refs/shipmoor-hooks/")
HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Update:
    """One ref of a push.

    `local` is a revision: an object name from git itself, under a host possibly an expression (`HEAD~1`); None deletes.
    `remote_oid` is the remote's old value; None: the ref is new there, or the host does not tell.
    """

    local_ref: str
    local: str | None
    remote_ref: str
    remote_oid: str | None


@dataclass(frozen=True, slots=True)
class Push:
    """One call of the hook. `remote` is the remote's name, or its URL where it has no name.

    `from_host`: only one ref of the push is visible (`REFS_HIDDEN`), and `remote_oid` is unknown.
    """

    remote: str
    url: str
    updates: tuple[Update, ...]
    from_host: bool


def is_object_name(text: str) -> bool:
    """40 (SHA-1) or 64 (SHA-256) lower-case hex digits."""
    return len(text) in (40, 64) and HEX.issuperset(text)


def is_zeros(text: str) -> bool:
    """The object name that stands for "no object"."""
    return is_object_name(text) and not text.strip("0")


def from_git(arguments: Sequence[str], stdin: bytes) -> Push:
    """The push that git describes: `arguments` are the remote's name and URL, `stdin` has one line a ref (githooks(5)).

    A line is `local-ref SP local-name SP remote-ref SP remote-name LF`; the local ref may be an expression with blanks,
    so it is read from the right. Ref names are bytes, kept by surrogate escapes. Raises UsageFault on any other line.
    """
    remote, url = (*arguments, "", "")[:2]
    updates = tuple(_update(line.decode("utf-8", "surrogateescape")) for line in stdin.split(b"\n") if line)
    return Push(remote, url, updates, from_host=False)


def from_receive(stdin: bytes) -> Push:
    """What a server's pre-receive hook is told: a line is `old-name SP new-name SP ref LF` (githooks(5)).

    The remote is this very repository: it has no name and no URL here. Raises UsageFault on any other line.
    """
    updates = tuple(_received(line.decode("utf-8", "surrogateescape")) for line in stdin.split(b"\n") if line)
    return Push("", "", updates, from_host=False)


def _received(line: str) -> Update:
    fields = line.split(" ", 2)
    if len(fields) != 3 or not is_object_name(fields[0]) or not is_object_name(fields[1]) or not fields[2]:
        raise UsageFault(f"the pre-receive hook was given a line that is not git's: {line[:200]!a}")
    old, new, ref = fields
    return Update(ref, None if is_zeros(new) else new, ref, None if is_zeros(old) else old)


def _update(line: str) -> Update:
    fields = line.rsplit(" ", 3)
    if len(fields) != 4 or not is_object_name(fields[1]) or not is_object_name(fields[3]) or not fields[2]:
        raise UsageFault(
            f"the pre-push hook was given a line that is not git's: {line[:200]!a}",
            "give the hook git's own standard input, or ask by hand: shipmoor-hooks gate",
        )
    local_ref, local, remote_ref, remote_oid = fields
    return Update(
        local_ref, None if is_zeros(local) else local, remote_ref, None if is_zeros(remote_oid) else remote_oid
    )


def from_host(environ: Mapping[str, str]) -> Push | None:
    """The one ref that a host of the pre-commit kind shows in its environment; None when no such host started us.

    PRE_COMMIT_FROM_REF is left alone: it is the remote's old value, or the parent of the oldest commit that the remote
    lacks, or unset, and nothing tells which. Raises UsageFault when the host names no revision at all.
    """
    if not any(environ.get(name) for name in HOST_VARIABLES):
        return None
    local_ref = environ.get("PRE_COMMIT_LOCAL_BRANCH", "")
    local = environ.get("PRE_COMMIT_TO_REF") or local_ref
    if not local or local.startswith("-"):
        raise UsageFault(
            "the hook host names no revision that is pushed, so there is nothing to judge by",
            "ask by hand: shipmoor-hooks gate --tip REVISION",
        )
    gone = is_zeros(local) or local == "(delete)"
    update = Update(local_ref, None if gone else local, environ.get("PRE_COMMIT_REMOTE_BRANCH", ""), None)
    return Push(
        environ.get("PRE_COMMIT_REMOTE_NAME", ""), environ.get("PRE_COMMIT_REMOTE_URL", ""), (update,), from_host=True
    )


def judged(update: Update) -> bool:
    """False where there is nothing to judge: a deletion, a tag, notes, our own refs (design, 10.16)."""
    return update.local is not None and not update.remote_ref.startswith(NOTHING_TO_JUDGE)
