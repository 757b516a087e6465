"""`doctor`: what works in this worktree and what not, and the proof that a push from here reaches the gate."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import ShipmoorError
from shipmoor_hooks.model import Policy
from shipmoor_hooks.place import Place
from shipmoor_hooks.policy import load_worktree
from shipmoor_hooks.rules.unstable_wording import STEADY
from shipmoor_hooks.standing_now import standings
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.trees import tree
from shipmoor_hooks.wiring import hosts, probe, seal_check, yaml_edit
from shipmoor_hooks.wiring.file_change import read_text
from shipmoor_hooks.wiring.hook_files import CHAINED, LEGACY, STAGES, HooksFolder, hooks_folder, owner
from shipmoor_hooks.wiring.hook_source import HOOKS, STAGE_OF
from shipmoor_hooks.wiring.hosts import Host

OLDEST_GIT = (2, 34)
INIT = "shipmoor-hooks init"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `ok`: True works, False does not, None: good to know; `says` is a full sentence."""

    name: str
    ok: bool | None
    says: str
    next_step: str = ""


def examine(place: Place, environ: Mapping[str, str]) -> list[Check]:
    """Every check, in the order in which one depends on the other. Nothing is written in the repository."""
    folder = hooks_folder(place)
    host = hosts.detect(place, folder, environ)
    checks = [_git(place), _folder(folder, host)]
    checks += [_stage(folder, stage, environ) for stage in STAGES]
    checks += [check for stage in STAGES if (check := _earlier(folder, stage)) is not None]
    seen = seal_check.look(environ)
    checks.append(Check("seal", seen.ok, seen.says, seen.next_step))
    configured = _configuration(place, host)
    checks += [configured] if configured is not None else []
    if place.top is not None:
        checks += [*_policy(place), _tree(place), *_ids(place)]
    return [*checks, _proof(place, host, environ, checks)]


def _git(place: Place) -> Check:
    told = place.git.text("version")
    found = re.search(r"(\d+)\.(\d+)", told)
    version = (int(found[1]), int(found[2])) if found else OLDEST_GIT
    if version < OLDEST_GIT:
        return Check("git", False, f"{told} is older than 2.34.", "install a newer git")
    return Check("git", True, f"{told}.")


def _folder(folder: HooksFolder, host: Host) -> Check:
    why = f" (core.hooksPath = {folder.configured}, {folder.scope})" if folder.configured else ""
    where = f"git looks for hooks in {folder.path}{why}"
    if os.path.isdir(folder.path):
        return Check("hooks folder", True, f"{where}.")
    if folder.is_relative:
        way = "npx husky" if host is Host.HUSKY else f"git config core.hooksPath FOLDER, an absolute one; then {INIT}"
        return Check("hooks folder", False, f"{where}, which is not there in this worktree: no hook runs here.", way)
    return Check("hooks folder", False, f"{where}, which is not there.", INIT)


def _stage(folder: HooksFolder, stage: str, environ: Mapping[str, str]) -> Check:
    """Only the gate is needed at a push; the two hooks of a commit tell early what the push tells late."""
    path = os.path.join(folder.path, stage)
    bad = False if stage == "pre-push" else None
    try:
        standing = owner(path)
        kept = owner(path + LEGACY)
    except ShipmoorError as fault:
        return Check(stage, bad, f"{fault.message}.", fault.next_step)
    if not standing:
        return Check(stage, bad, f"no {stage} hook is installed.", INIT)
    if not os.access(path, os.X_OK):
        return Check(stage, bad, f"{path} is not executable, so git leaves it out.", f"chmod +x {path}")
    if standing == "shipmoor-hooks":
        return _shim(stage, path, environ)
    if standing == "foreign":
        return Check(stage, bad, f"{path} is not ours, and does not call us as far as can be seen.", INIT)
    if standing not in (Host.PRE_COMMIT.value, Host.PREK.value) or stage != "pre-push":
        return Check(stage, True, f"{standing} runs the {stage} hooks.")
    if kept != "shipmoor-hooks":
        says = f"{standing} runs the {stage} hooks; of a push it shows one ref, and no deletion."
        return Check(stage, None, says, INIT)
    if not os.access(path + LEGACY, os.X_OK):
        says = f"{path}{LEGACY} is not executable, so {standing} leaves our hook out without a word."
        return Check(stage, False, says, f"chmod +x {path}{LEGACY}")
    return _shim(stage, path + LEGACY, environ)


def _shim(stage: str, path: str, environ: Mapping[str, str]) -> Check:
    rows = (read_text(path) or "").splitlines()
    line = next((row for row in rows if row.startswith("python=")), "")
    try:
        python = "".join(shlex.split(line.partition("=")[2]))
    except ValueError:  # edited by hand into something that sh does not read either
        python = ""
    if python and os.access(python, os.X_OK):
        return Check(stage, True, f"{path} is ours and calls {python}.")
    entry = shutil.which("shipmoor-hooks-hook", path=environ.get("PATH"))
    if entry:
        return Check(stage, True, f"{path} is ours and calls {entry}, found on PATH.")
    gone = f"{python} is gone and " if python else ""
    return Check(stage, False, f"{path} is ours, but {gone}shipmoor-hooks-hook is not on PATH.", INIT)


def _earlier(folder: HooksFolder, stage: str) -> Check | None:
    path = os.path.join(folder.path, stage + CHAINED)
    if not os.path.lexists(path):
        return None
    if os.access(path, os.X_OK):
        return Check(f"earlier {stage}", True, f"{path} runs before ours.")
    return Check(f"earlier {stage}", None, f"{path} is not executable and does not run.", f"chmod +x {path}")


def _configuration(place: Place, host: Host) -> Check | None:
    """Whether the host's configuration in the working tree names our hooks, as other clones need it."""
    names = {Host.PRE_COMMIT: hosts.PRE_COMMIT_FILES, Host.PREK: hosts.PREK_FILES, Host.LEFTHOOK: hosts.LEFTHOOK_FILES}
    if host is Host.PLAIN or place.top is None:
        return None
    if host is Host.HUSKY:
        files = [os.path.join(".husky", stage) for stage in STAGES]
        missing = [
            name for name in files if "shipmoor-hooks-hook" not in (read_text(os.path.join(place.top, name)) or "")
        ]
    else:
        text = read_text(os.path.join(place.top, hosts.configuration(place.top, names[host]))) or ""
        missing = [STAGE_OF[hook] for hook in HOOKS if not yaml_edit.mentions(text, hook)]
    if missing:
        return Check(host.value, False, f"{host.value}'s configuration does not name us: {', '.join(missing)}.", INIT)
    return Check(host.value, True, f"{host.value}'s configuration names all our hooks.")


def _policy(place: Place) -> list[Check]:
    try:
        policy = load_worktree(place)
    except ShipmoorError as fault:
        return [Check("policy", False, fault.message.replace("\n", "; ") + ".", fault.next_step)]
    if policy is None:
        return [Check("policy", False, "there is no policy, so nothing is measured.", INIT)]
    if not policy.suites:
        says = f"{policy.source} names no suite, so nothing is measured."
        return [Check("policy", False, says, f"edit {policy.source}"), _target(place, policy)]
    return [Check("policy", True, f"{policy.source} names {', '.join(policy.suites)}."), _target(place, policy)]


def _target(place: Place, policy: Policy) -> Check:
    if (
        place.git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", policy.target + "^{commit}")
        is not None
    ):
        return Check("target", True, f"pushes are compared with the merge base with {policy.target}.")
    remote = policy.target.split("/")[0]
    way = f"git remote set-head {remote} --auto" if policy.target.endswith("/HEAD") else f"git fetch {remote}"
    return Check("target", None, f"{policy.target} is not known here; a push asks the remote for it.", way)


def _tree(place: Place) -> Check:
    try:
        found = tree.capture(place)
    except ShipmoorError as fault:
        return Check("tree", False, f"{fault.message}.", fault.next_step)
    if found.tree is None:
        return Check("tree", False, f"a run here is bound to nothing: {'; '.join(found.reasons)}.")
    why = f", because {found.why}" if found.why else ""
    ways = {"head": "it is HEAD's", "memory": "put together in memory", "index": "by a temporary index"}
    return Check("tree", True, f"the working tree is {found.tree}: {ways.get(found.way, found.way)}{why}.")


def _ids(place: Place) -> list[Check]:
    """Ids that change from run to run, as far as HEAD's tree was measured twice; they are compared by number only."""
    try:
        policy = load_worktree(place)
        name = place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD^{tree}")
        if policy is None or name is None:
            return []
        rows = standings(place.git, Spool(place.common_dir, place.worktree), policy, name, {})
    except ShipmoorError as fault:
        return [Check("ids", False, f"{fault.message}.", fault.next_step)]
    return [Check(f"ids of {row.name}", None, f"{row.unstable_line()}.", STEADY) for row in rows if row.unstable]


def _proof(place: Place, host: Host, environ: Mapping[str, str], checks: list[Check]) -> Check:
    gate = next(check for check in checks if check.name == "pre-push")
    named = any(check.name == host.value and check.ok for check in checks)
    if gate.ok is False or (host is not Host.PLAIN and gate.ok is None and not named):
        return Check("proof", False, "no push was tried, since nothing here would call the gate.", gate.next_step)
    try:
        answer = probe.ask(place, environ, _other_hooks(place, host))
    except ShipmoorError as fault:
        return Check("proof", None, f"no push could be tried: {fault.message}.", fault.next_step)
    if answer.called and answer.whole:
        return Check("proof", True, "a push from this worktree reaches the gate, with git's whole list of refs.")
    if answer.called and host not in (Host.PRE_COMMIT, Host.PREK):
        says = "a push from this worktree calls the gate without git's list of refs, so nothing would be judged."
        return Check("proof", False, says, INIT)
    if answer.called:
        return Check("proof", None, f"a push from this worktree reaches the gate; {host.value} shows it one ref.", INIT)
    if answer.hung:
        says = (
            f"a push from this worktree hung for {probe.SECONDS:.0f} s: is the program in a hook's first line missing?"
        )
        return Check("proof", False, says, INIT)
    said = f" (git said: {answer.said})" if answer.said else ""
    return Check("proof", False, f"a push from this worktree does not reach the gate{said}.", INIT)


def _other_hooks(place: Place, host: Host) -> tuple[str, ...]:
    """The ids of a pre-commit configuration's hooks but ours, so that a trial does not run the user's own."""
    if host not in (Host.PRE_COMMIT, Host.PREK):
        return ()
    top = place.require_top()
    text = read_text(os.path.join(top, hosts.configuration(top, hosts.PREK_FILES))) or ""
    ids = re.findall(r"""\bid\s*[:=]\s*["']?([A-Za-z0-9_.-]+)""", text)
    return tuple(dict.fromkeys(one for one in ids if one != "shipmoor-gate"))
