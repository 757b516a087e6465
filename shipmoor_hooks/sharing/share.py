"""`publish`: the runs and records of this machine into a ref of the repository's own remote.

Any git host will do. The new tree is the union of what stands there and what is ours; the push names the value that it was
made from (`--force-with-lease`), so that of several at once one wins and the others begin again: nothing is lost. Only
plumbing is used, and neither the index nor the working tree is touched.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Mapping, Sequence

from shipmoor_hooks import history
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault, UsageFault
from shipmoor_hooks.git import Git, last_line
from shipmoor_hooks.git_process import Finished, TookTooLong
from shipmoor_hooks.place import Place
from shipmoor_hooks.sharing import published
from shipmoor_hooks.sharing.foreign import SIGNATURE_SUFFIX
from shipmoor_hooks.sharing.outgoing import Outgoing
from shipmoor_hooks.sharing.published import RUNS_REF, Published, Refused, Sort, inventory_path, tracking_ref
from shipmoor_hooks.store import entry, envelope

DAY = 86400.0
DEPTH_DAYS = 90.0
PATIENCE = 120.0  # seconds that publishing goes on trying
MOST_COMMITS = 200  # then the history of the ref starts anew with one
_ASK = 60.0  # seconds for one question to the remote
_RACES = (
    "stale info",
    "cannot lock ref",
    "failed to update ref",
    "fetch first",
    "incorrect old value",
    "failed to lock",
)
# Nothing that a person's configuration adds to a push or a fetch belongs to this one.
_BARE = ("-c", "push.followTags=false", "-c", "push.gpgSign=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false")


@dataclass(frozen=True, slots=True)
class Shared:
    """What `publish` did: names of new files, how many were dropped for their age, what was refused or withheld, and why."""

    remote: str
    commit: str | None
    new: tuple[str, ...] = ()
    dropped: int = 0
    refused: tuple[Refused, ...] = ()
    withheld: tuple[Refused, ...] = ()
    attempts: int = 0


def the_remote(git: Git, named: str | None, target: str) -> str:
    """The remote that is meant: the one that is named, else the policy's target's, else `origin`. Raises UsageFault."""
    configured = history.remotes(git)
    if named is None:
        fitting = [name for name in configured if target.startswith(f"{name}/")]
        named = max(fitting, key=len, default="origin")
    if named not in configured:
        have = ", ".join(sorted(configured)) or "none"
        raise UsageFault(f"{named!r} is no remote of this repository (remotes: {have})", "git remote -v")
    return named


def publish(
    place: Place, remote: str, outgoing: Outgoing, now: float, days: float = DEPTH_DAYS, held: Sequence[str] = ()
) -> Shared:
    """Bring the entries to the remote. `held` are scoped trees whose runs are kept whatever their age.

    Raises EnvironmentFault when the remote does not take them, GitFault.
    """
    git = place.git
    stored: dict[str, tuple[str, str]] | None = None
    deadline = time.monotonic() + PATIENCE
    attempt = 0
    squash = True
    while True:
        attempt += 1
        there = fetched(git, remote)
        missing = [path for path in outgoing.files if path not in there.blobs]
        kept = {path: ("100644", b.oid) for path, b in there.blobs.items() if not _is_old(path, now, days, held)}
        kept |= there.unknown
        dropped = len(there.blobs) + len(there.unknown) - len(kept)
        if not missing and not dropped and not there.refused:
            return Shared(remote, there.commit, withheld=outgoing.withheld, attempts=attempt)
        if stored is None:
            stored = _store(git, outgoing)
        paths = _without_orphans(kept | {path: stored[path] for path in missing})
        if dropped:
            paths = _with_used_lists(git, there, paths)
        anew = squash and bool(there.commit) and (dropped or _length(git, str(there.commit)) >= MOST_COMMITS)
        commit = published.write_commit(git, paths, None if anew else there.commit, now)
        why = _push(git, remote, commit, there.commit)
        if why is None:
            git.run("update-ref", tracking_ref(remote), commit)
            new = tuple(sorted(missing))
            return Shared(remote, commit, new, dropped, there.refused, outgoing.withheld, attempt)
        moved = any(word in why for word in _RACES) or _value(git, remote) != (there.commit or "")
        if anew and not moved:
            squash = False  # a server that takes no new beginning may take one more commit
            continue
        if not moved:
            raise EnvironmentFault(f"{remote} does not take the runs: {why}", f"git push {remote} may be refused alike")
        if time.monotonic() > deadline:
            raise EnvironmentFault(
                f"{remote} was changed by others {attempt} times in a row, so nothing was published", "publish again"
            )
        time.sleep(random.uniform(0.02, min(0.1 * 2**attempt, 2.0)))  # noqa: S311 - no secret, only apart from the others


def fetched(git: Git, remote: str) -> Published:
    """What the remote has now, its objects brought here. Raises EnvironmentFault when it does not answer."""
    for _ in range(20):
        value = _value(git, remote)
        if not value:
            return Published()
        if git.try_text("rev-parse", "--verify", "--quiet", tracking_ref(remote)) == value:
            return published.read(git, value)
        words = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--refmap=")
        refspec = f"+{RUNS_REF}:{tracking_ref(remote)}"
        done = _ask(git, *_BARE, *words, "--", remote, refspec)
        if done.returncode == 0:
            here = git.try_text("rev-parse", "--verify", "--quiet", tracking_ref(remote))
            return published.read(git, here or value)
        time.sleep(random.uniform(0.02, 0.2))  # noqa: S311 - another process holds the ref, or the remote's has moved
    raise EnvironmentFault(f"the runs of {remote} cannot be fetched: {_said(done)}", f"git fetch {remote}")


def _value(git: Git, remote: str) -> str:
    """Where the remote's ref is now; "" where it has none. Raises EnvironmentFault when the remote does not answer."""
    done = _ask(git, "ls-remote", "--", remote, RUNS_REF)
    if done.returncode:
        raise EnvironmentFault(f"the remote {remote} does not answer: {_said(done)}", f"git ls-remote {remote}")
    rows = (line.partition("\t") for line in done.stdout.decode("utf-8", "surrogateescape").splitlines())
    return next((value for value, _, name in rows if name == RUNS_REF), "")


def _push(git: Git, remote: str, commit: str, old: str | None) -> str | None:
    """None when the remote took the commit in place of exactly that old value, else what it said."""
    words = (
        "push",
        "--porcelain",
        "--no-verify",
        "--recurse-submodules=no",
        f"--force-with-lease={RUNS_REF}:{old or ''}",
    )
    done = _ask(git, *_BARE, *words, "--", remote, f"{commit}:{RUNS_REF}")
    if done.returncode == 0:
        return None
    lines = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace").splitlines()
    flagged = [line.split("\t")[-1] for line in lines if line.startswith("!")]
    return " ".join([*flagged[:1], last_line(done.stderr.decode("utf-8", "replace"))])


def _ask(git: Git, *words: str) -> Finished:
    try:
        return git.run(*words, timeout=_ASK)
    except TookTooLong as late:
        raise EnvironmentFault(f"the remote did not answer within {_ASK:.0f} s", "try again") from late


def _said(done: Finished) -> str:
    return last_line(done.stderr.decode("utf-8", "replace"))


def _length(git: Git, commit: str) -> int:
    return int(git.text("rev-list", "--count", commit))


def _store(git: Git, outgoing: Outgoing) -> dict[str, tuple[str, str]]:
    """The entries as objects, by one process; the bytes are those that were looked at, not what a file holds by now."""
    with tempfile.TemporaryDirectory(prefix="shipmoor-hooks-") as folder:
        names = []
        for number, data in enumerate(outgoing.files.values()):
            names.append(os.path.join(folder, str(number)))
            with open(names[-1], "wb") as stream:
                stream.write(data)
        listed = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
        out = git.output("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listed).decode("ascii").split()
    return {path: ("100644", oid) for path, oid in zip(outgoing.files, out, strict=True)}


def _is_old(path: str, now: float, days: float, held: Sequence[str]) -> bool:
    """Runs, receipts and clearings age; what a case stands on for good (a proof, a re-grade) does not."""
    parts = path.split("/")
    ages = parts[0] == "runs" or parts[:2] in (["records", "receipt"], ["records", "clearing"])
    if not ages or (parts[0] == "runs" and parts[1] + parts[2] in held):
        return False
    return int(parts[-1].partition("-")[0]) / 1000 < now - days * DAY


def _without_orphans(paths: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Without signatures whose entry is gone."""
    return {
        path: entry
        for path, entry in paths.items()
        if not path.endswith(SIGNATURE_SUFFIX) or path.rsplit(".", 2)[0] in paths
    }


def _with_used_lists(git: Git, there: Published, paths: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Without the lists of case ids that no run names any more; all of them where a run cannot be read (a newer one's)."""
    old = {path: blob for path, blob in there.blobs.items() if path in paths}
    used = {path for path in paths if path not in old}
    runs = {blob.oid: blob.size for blob in old.values() if blob.sort is Sort.RUN}
    try:
        used |= {
            inventory_path(entry.inventory_name(entry.payload_of(data))) for _, data in published.contents(git, runs)
        }
    except envelope.Unreadable:
        return dict(paths)
    return {p: row for p, row in paths.items() if p in used or p not in old or old[p].sort is not Sort.INVENTORY}
