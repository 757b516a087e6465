"""The proof that a push from this worktree reaches our hook: a dry run into a throw-away repository (design, 7).

The variable that asks makes the hook refuse, so nothing can be pushed; `--dry-run` sends no object, and neither a
remote nor a ref is made in the user's repository.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from shipmoor_hooks import PROBE
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.git import Git, last_line
from shipmoor_hooks.git_environment import location_free
from shipmoor_hooks.place import Place

SECONDS = 30.0
SEED_REF = "refs/shipmoor-hooks-probe/seed"
# Nothing that the user's configuration adds to a push may leave the machine or wait for somebody.
QUIET = ("-c", "push.recurseSubmodules=no", "-c", "push.followTags=false", "-c", "protocol.file.allow=always")


@dataclass(frozen=True, slots=True)
class Answer:
    """`called`: our hook ran. `whole`: it was given git's list of refs. `said`: git's last line where it did not."""

    called: bool
    whole: bool
    hung: bool = False
    said: str = ""


def ask(place: Place, environ: Mapping[str, str], host_hooks: Sequence[str] = ()) -> Answer:
    """Try a deletion, which every hook manager leaves to git's list; then, for a host that hides it, a branch.

    `host_hooks` are the ids of the host's other hooks, which are told to stay out of it. Raises GitFault when no
    throw-away repository can be made.
    """
    with tempfile.TemporaryDirectory(prefix="shipmoor-hooks-probe-") as folder:
        remote = os.path.join(folder, "remote.git")
        object_format = place.git.try_text("rev-parse", "--show-object-format") or "sha1"
        git = Git(folder, environ)
        git.text("init", "-q", "--bare", "--template=", f"--object-format={object_format}", remote)
        git.directory = remote
        git.text("update-ref", SEED_REF, git.text("hash-object", "-w", "--stdin"))
        answer = _push(place, environ, folder, remote, f":{SEED_REF}")
        unborn = place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None
        if answer.called or answer.hung or unborn or not host_hooks:
            return answer
        skipping = {**environ, "SKIP": ",".join(host_hooks)}
        return _push(place, skipping, folder, remote, "HEAD:refs/heads/shipmoor-hooks-probe")


def _push(place: Place, environ: Mapping[str, str], folder: str, remote: str, refspec: str) -> Answer:
    file = os.path.join(folder, "answer")
    found_by = {k: v for k, v in place.git.environ.items() if k in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR")}
    process = subprocess.Popen(
        ["git", *QUIET, "push", "--dry-run", "--no-signed", remote, refspec],
        cwd=place.git.directory,
        env=location_free(environ) | found_by | {PROBE: file, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    hung = False
    try:
        said = process.communicate(timeout=SECONDS)[1]
    except subprocess.TimeoutExpired:
        hung = True
        os.killpg(process.pid, signal.SIGKILL)
        said = process.communicate()[1]
    try:
        with open(file, "rb") as answer:
            told = answer.read()
    except FileNotFoundError:
        return Answer(called=False, whole=False, hung=hung, said=last_line(said.decode("utf-8", "replace")))
    return Answer(called=True, whole=bool(told.replace(b"called\n", b"")), hung=hung)
