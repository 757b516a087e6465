"""`prove`: the known positive. A case is run without and with a planted fault, in scratch worktrees.

The user's working tree is never touched. Each side has a worktree of its own, freshly checked out, so that nothing that the
first side compiled or left behind answers for the second. What is run is stored as a proof and never as a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping

from shipmoor_hooks import history, observe
from shipmoor_hooks.case_samples import CaseRunner, Measured, Side, void
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.git import command_environment, last_line
from shipmoor_hooks.model import Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.scratch import worktree_at
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Proof
from shipmoor_hooks.trees import tree as tree_module

MOST_PATCH_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Patch:
    """A planted fault: its bytes, their SHA-256, and where it lies in the worktree ("" when outside)."""

    data: bytes
    digest: str
    path: str
    blob: str


@dataclass(frozen=True, slots=True)
class Order:
    """What to prove: a case of a suite, under a patch, how many samples on each side, at which revision."""

    suite: Suite
    case: str
    patch: Patch
    samples: int
    revision: str = "HEAD"


def read_patch(place: Place, path: str) -> Patch:
    """A patch file. Raises UsageFault when it is no plain, readable, non-empty file."""
    try:
        with open(path, "rb", opener=_not_waiting) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise UsageFault(f"{path} is not a plain file, so it is no patch")
            data = stream.read(MOST_PATCH_BYTES + 1)
    except OSError as error:
        raise UsageFault(
            f"the patch {path} cannot be read: {error.strerror}", "git diff > FAULT.patch makes one"
        ) from error
    if not data.strip() or len(data) > MOST_PATCH_BYTES:
        what = "is empty" if not data.strip() else f"is larger than {MOST_PATCH_BYTES >> 20} MiB"
        raise UsageFault(f"the patch {path} {what}", "git diff > FAULT.patch makes one")
    top = os.path.realpath(place.require_top())
    real = os.path.realpath(path)
    inside = os.path.relpath(real, top).replace(os.sep, "/") if real.startswith(top + os.sep) else ""
    filters = ("--path", inside) if inside else ("--no-filters",)
    blob = place.git.output("hash-object", "--stdin", *filters, stdin=data).decode("ascii").strip()
    return Patch(data, hashlib.sha256(data).hexdigest(), inside, blob)


def _not_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def prove(
    place: Place,
    order: Order,
    run_case: CaseRunner,
    environ: Mapping[str, str],
    now: float,
    tell: Callable[[str], None],
    stdout: int | None = None,
) -> Proof:
    """Measure the case without and with the fault, and store what came of it. `tell` is given a line before each side.

    Raises EvidenceFault (exit 3) where nothing was measured: the case is not green without the fault, the patch does not
    apply or changes nothing, or a side could not run. UsageFault, RepositoryFault, EnvironmentFault as their makers say.
    """
    commit = history.require_commit(place.git, order.revision)
    name = records.new_id()
    tell(f"{order.case} without the fault, in a scratch worktree of {commit[:12]}")
    with worktree_at(place, commit, environ) as there:
        observe.set_up(order.suite, there.require_top(), command_environment(environ), stdout)
        base = run_case(there, order.case, order.samples, Side(name, is_fault=False))
    _green(order, base)
    tell(f"{order.case} with {order.patch.path or 'the fault'}")
    with worktree_at(place, commit, environ) as there, _planted(there, order, base) as fault_tree:
        observe.set_up(order.suite, there.require_top(), command_environment(environ), stdout)
        fault = run_case(there, order.case, order.samples, Side(name, is_fault=True))
    proof = Proof(
        id=name,
        suite=order.suite.name,
        case=order.case,
        recorded=now,
        patch=order.patch.digest,
        patch_path=order.patch.path,
        patch_blob=order.patch.blob,
        expectation=_expectation(place, commit, base.path),
        expectation_path=base.path,
        commit=commit,
        tree=history.tree_of(place.git, commit),
        fault_tree=fault_tree,
        base=base.samples,
        fault=fault.samples,
        command=base.command.words,
    )
    records.write(place.common_dir, proof)
    return proof


def _green(order: Order, base: Measured) -> None:
    green = sum(s.outcome.is_green for s in base.samples)
    if green < len(base.samples):
        red = next(s for s in base.samples if not s.outcome.is_green)
        raise void(
            f"{order.case} passed {green} of {len(base.samples)} without the fault ({red.outcome.value}"
            f"{f', {red.note}' if red.note else ''}), so a fall under the fault would show nothing",
            "make the case green first, and commit it",
        )


@contextlib.contextmanager
def _planted(there: Place, order: Order, base: Measured) -> Iterator[str]:
    """Apply the patch in a scratch worktree; the tree with it. Raises EvidenceFault when it does not apply, changes nothing,
    or is undone before the block ends."""
    before = tree_module.capture(there)
    patch = order.patch
    done = there.git.run("apply", "--whitespace=nowarn", "-", stdin=patch.data)
    if done.returncode:
        said = last_line(done.stderr.decode("utf-8", "replace"))
        raise void(
            f"the patch does not apply ({said})", f"git apply --check {patch.path or 'PATCH'} at {order.revision}"
        )
    after = tree_module.capture(there)
    changed = tree_module.difference(before, after)
    if after.tree is None:
        raise void(f"the tree with the fault has no name: {'; '.join(after.reasons)}")
    if after.tree == before.tree:
        raise void("the patch changes nothing that git tracks", "plant the fault in a file of the repository")
    planted = {*changed.vanished_or_changed, *changed.appeared}
    own = sorted(p for p in planted if base.path and p.startswith(f"{base.path}/"))
    if own:
        raise void(f"the patch changes what the case demands ({own[0]}), so its fall would show nothing")
    yield after.tree
    undone = tree_module.difference(after, tree_module.capture(there)).vanished_or_changed
    if lost := planted.intersection(undone):
        raise void(f"the run changed {', '.join(sorted(lost)[:3])}, where the fault was planted")


def _expectation(place: Place, commit: str, path: str) -> str:
    """git's name of what the case demands: its folder for an eval, its file, or else the whole tree ("")."""
    name = place.git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{path}")
    if name is None:
        raise void(f"{path} is not in {commit[:12]}, so a proof has nothing to hold on to", "commit it first")
    return name
