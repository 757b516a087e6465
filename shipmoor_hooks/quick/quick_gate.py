"""The gate's quick path: the push that most pushes are is answered without loading and asking all that the gate may need.

It answers only where the whole gate would say the very same words: one branch, one merge base, the same plain policy on all
sides, no trailer of ours, and for each suite one complete run at base and tip under the same conditions. Where these have
the same cases with the same outcomes, none red, it is allowed; else `quick_verdict` lets the rules judge. Anything else
gives None, and the gate judges: no rule stands here. Why, and what it costs: docs/decisions/quick-gate.md.
"""

from __future__ import annotations

import os

from shipmoor_hooks import state
from shipmoor_hooks.digest import sha256
from shipmoor_hooks.errors import ShipmoorError
from shipmoor_hooks.quick import lean_git, plain_policy, quick_runs
from shipmoor_hooks.quick.lean_keys import Keys
from shipmoor_hooks.quick.lean_receipt import keep_receipt
from shipmoor_hooks.quick.push_caller import is_dry_run

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from shipmoor_hooks.quick.lean_git import Here

    _Told = TypeVar("_Told")

REMOTE = "origin"
POLICY_FILE = "shipmoor-hooks.toml"
SPOOL = "/shipmoor-hooks"
WAIT = 3.0  # seconds for the remote's answer
NOTHING_TO_JUDGE = ("refs/tags/", "refs/notes/", "refs/shipmoor-hooks/")
# How the keys of our trailers begin, in any case; the long s is one case of it to a regular expression.
_OURS = (b"test-", "te\u017ft-".encode())
_HEX = frozenset("0123456789abcdef")
_LOG = (
    "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showSignature=false",
    "log", "-z", "--right-only", "--boundary", "--format=%m%H %T%n%B",
)  # fmt: skip


class Pushed:
    """The one branch of a push: its name on the remote, the tip, the remote's old value ("" where it has none)."""

    __slots__ = ("name", "old", "tip")

    def __init__(self, name: str, tip: str, old: str) -> None:
        self.name, self.tip, self.old = name, tip, old


class Range:
    """Target, base and tip: commits, the trees of base and tip, and those of the target and of the branch's old value."""

    __slots__ = ("base", "base_tree", "beside", "target", "tip", "tip_tree")

    def __init__(self, target: str, base: tuple[str, str], tip: tuple[str, str], beside: list[str]) -> None:
        self.target, self.beside = target, beside
        (self.base, self.base_tree), (self.tip, self.tip_tree) = base, tip


class Asked:
    """What the hook was called with: git's `arguments` and `stdin` (githooks(5)), where, under which environment, when.

    `said` takes what the remote answers, under its name, so that the gate need not ask again.
    """

    __slots__ = ("arguments", "directory", "environ", "now", "said", "stdin")

    def __init__(
        self,
        arguments: Sequence[str],
        stdin: bytes,
        directory: str,
        environ: Mapping[str, str],
        now: float,
        said: dict[str, Mapping[str, str]],
    ) -> None:
        self.arguments, self.stdin, self.directory = arguments, stdin, directory
        self.environ, self.now, self.said = environ, now, said


class Side:
    """A suite with its run at the base and at the tip (payloads)."""

    __slots__ = ("base", "suite", "tip")

    def __init__(self, suite: str, base: quick_runs.Fields, tip: quick_runs.Fields) -> None:
        self.suite, self.base, self.tip = suite, base, tip

    @property
    def has_news(self) -> bool:
        return not quick_runs.no_news(self.base, self.tip)

    @property
    def count(self) -> str:
        """n of N at the tip, where there is no news."""
        return f"{self.tip['cases']['counts'].get('p', 0)} of {self.tip['cases']['number']}"


class Found:
    """All that an answer rests on: where, what is pushed, over which range, under which policy, the runs, the seal's keys."""

    __slots__ = ("here", "keys", "pushed", "root", "rules", "sides", "span")

    def __init__(
        self, here: Here, pushed: Pushed, span: Range, rules: plain_policy.Plain, sides: Sequence[Side], keys: Keys
    ) -> None:
        self.here, self.pushed, self.span, self.rules = here, pushed, span, rules
        self.sides, self.keys, self.root = sides, keys, here.common_dir + SPOOL


class Answer:
    """The exit code, and what goes to stdout and to stderr ("": nothing)."""

    __slots__ = ("code", "err", "out")

    def __init__(self, code: int, out: str, err: str = "") -> None:
        self.code, self.out, self.err = code, out, err


def answer(asked: Asked) -> Answer | None:
    """What the gate says of a push, its receipt kept; None: the gate must judge."""
    return _unless_odd(lambda: _answer(asked))


def counted(asked: Asked, *, receipt: bool = True) -> tuple[str, list[tuple[str, str]]] | None:
    """The ref of a push without news, and the suites with the n of N that stands on both sides; None: the gate must judge.

    `receipt`: whether one is kept.
    """
    return _unless_odd(lambda: _counted(asked, receipt))


def allowed(name: str, rows: Sequence[tuple[str, str]]) -> str:
    """The gate's headline; `rows` are the suites with their n of N."""
    return f"shipmoor-hooks: {name}: allowed: {', '.join(f'{suite} {count}' for suite, count in rows)}"


def _unless_odd(ask: Callable[[], _Told | None]) -> _Told | None:
    """Whatever cannot be read or written is the gate's to tell: the errors of data that is not as expected stand for None."""
    try:
        return ask()
    except (OSError, ShipmoorError, ImportError):
        return None
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration, ArithmeticError):
        return None  # the data is not of the form that it should have


def _answer(asked: Asked) -> Answer | None:
    found = _found(asked)
    if found is None:
        return None
    if any(side.has_news for side in found.sides):
        from shipmoor_hooks.quick import quick_verdict  # the rules, and what they stand on

        return quick_verdict.answer(found, asked)
    rows = _without_news(found, asked.now, receipt=True)
    return None if rows is None else Answer(0, allowed(found.pushed.name, rows))


def _counted(asked: Asked, receipt: bool) -> tuple[str, list[tuple[str, str]]] | None:
    found = _found(asked)
    if found is None or any(side.has_news for side in found.sides):
        return None
    rows = _without_news(found, asked.now, receipt)
    return None if rows is None else (found.pushed.name, rows)


def _without_news(found: Found, now: float, receipt: bool) -> list[tuple[str, str]] | None:
    """The suites with their n of N; None where the receipt cannot be kept."""
    kept = not receipt or is_dry_run() or keep_receipt(found, now)
    return [(side.suite, side.count) for side in found.sides] if kept else None


def _found(asked: Asked) -> Found | None:
    pushed = _only_branch(asked.stdin)
    here = lean_git.find(asked.directory, asked.environ)
    if pushed is None or here is None or list(asked.arguments[:1]) != [REMOTE] or len(asked.arguments) != 2:
        return None
    if os.path.lexists(here.common_dir + "/shallow") or REMOTE not in (lean_git.remotes(here) or ()):
        return None
    heads = _heads(here)
    if heads:
        asked.said[REMOTE] = heads
    if "HEAD" not in heads or "refs/heads/HEAD" in heads:
        return None
    if not os.path.isdir(here.common_dir + SPOOL):
        return None
    span = _range(here, pushed, heads[f"refs/heads/{heads['HEAD']}"])
    rules = None if span is None else _policy(here, span)
    if span is None or rules is None or not _may_stand(pushed, span, rules, heads):
        return None
    keys = Keys(asked.environ, state.state_path(asked.environ))
    sides = _sides(here.common_dir + SPOOL, span, rules, keys)
    return Found(here, pushed, span, rules, sides, keys) if sides else None


def _only_branch(stdin: bytes) -> Pushed | None:
    """The one ref of a push that is judged, as `push.from_git` reads it."""
    found = []
    for line in stdin.decode("ascii").split("\n"):
        if not line:
            continue
        _, tip, name, old = line.rsplit(" ", 3)
        if not all(len(oid) in (40, 64) and _HEX.issuperset(oid) for oid in (tip, old)) or not name.isprintable():
            return None
        if tip.strip("0") and not name.startswith(NOTHING_TO_JUDGE):
            found.append(Pushed(name, tip, old if old.strip("0") else ""))
    return found[0] if len(found) == 1 else None


def _heads(here: Here) -> dict[str, str]:
    """What the remote itself says, as `history.heads_of_remote` reads it; {} where it does not answer."""
    said = lean_git.ask(here, "ls-remote", "--symref", "--", REMOTE, "HEAD", "refs/heads/*", seconds=WAIT) or b""
    found = {}
    for line in said.decode("utf-8", "surrogateescape").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: refs/heads/") and name == "HEAD":
            found["HEAD"] = value[len("ref: refs/heads/") :]
        elif name.startswith("refs/heads/"):
            found[name] = value
    return found


def _range(here: Here, pushed: Pushed, target: str) -> Range | None:
    """The commits of a push, where there is one merge base and no message speaks of tests.

    A commit of the tip's side whose child is the tip's alone, and which is the target's as well, is a boundary. Where
    there is one boundary, every way to a merge base goes through it: so it is the only one.
    """
    if not target or not _HEX.issuperset(target):
        return None
    said = lean_git.ask(here, *_LOG, f"{target}...{pushed.tip}", "--")
    if not said or any(start in said.lower() for start in _OURS):
        return None
    trees: dict[str, str] = {}
    boundary = []
    for row in said.decode("utf-8", "surrogateescape").split("\0"):
        head = row.partition("\n")[0]
        if not head:
            continue
        commit, _, tree = head[1:].partition(" ")
        if not all(len(oid) in (40, 64) and _HEX.issuperset(oid) for oid in (commit, tree)) or head[0] not in ">-":
            return None
        trees[commit] = tree
        if head[0] == "-":
            boundary.append(commit)
    if len(boundary) != 1 or pushed.tip not in trees or pushed.tip in boundary:
        return None
    (base,) = boundary
    old = [pushed.old] if pushed.old and pushed.old not in (base, pushed.tip) else []
    if any(commit not in trees for commit in old):
        return None  # the branch was rewritten, or the object is not here
    return Range(target, (base, trees[base]), (pushed.tip, trees[pushed.tip]), [trees[c] for c in old])


def _policy(here: Here, span: Range) -> plain_policy.Plain | None:
    """The policy, where it is a plain file and the same one at target, base and tip; the target's tree is noted."""
    commits = dict.fromkeys((span.base, span.tip, span.target))
    asked = [f"{commit}:{POLICY_FILE}" for commit in commits]
    if span.target != span.base:
        asked.append(f"{span.target}^{{tree}}")
    told = lean_git.objects(here, asked)
    if told is None:
        return None
    files = told[: len(commits)]
    if len({content for _, _, content in files}) != 1 or {kind for _, kind, _ in files} != {"blob"}:
        return None
    span.beside += [name for name, _, _ in told[len(commits) :]]
    return plain_policy.read(files[0][2])


def _may_stand(pushed: Pushed, span: Range, rules: plain_policy.Plain, heads: Mapping[str, str]) -> bool:
    """Is the target the branch that was taken, and the push no rewind of it?"""
    remote, _, branch = rules.target.partition("/")
    if remote != REMOTE or "/" in branch:
        return False
    if branch == "HEAD":
        branch = heads["HEAD"]
    if heads.get(f"refs/heads/{branch}") != span.target:
        return False
    if pushed.name != f"refs/heads/{branch}":
        # A target by name is taken from the push itself, where the push updates it as well; here it does not.
        return True
    return span.base == span.target and pushed.old in ("", span.target)


def _sides(root: str, span: Range, rules: plain_policy.Plain, keys: Keys) -> list[Side] | None:
    """Each suite with its two runs, in the policy's order; None where there is anything to ask beside these."""
    trees = (span.base_tree, span.tip_tree, *span.beside)
    stock = {tree: quick_runs.at_tree(root, tree, keys.secret) for tree in dict.fromkeys(trees)}
    rows = [row for row in (stock[tree] for tree in trees) if row is not None]
    if len(rows) != len(trees) or _was_overlaid(root, span):
        return None
    sides = []
    for suite in rules.suites:
        base, tip, *beside = (row.get(suite) for row in rows)
        if base is None or tip is None or not quick_runs.alike(base, tip) or not quick_runs.has_list(root, tip):
            return None
        if not all(_counts_as(run) >= plain_policy.EVIDENCE.index(rules.evidence) for run in (base, tip)):
            return None
        if not all(other is None or any(quick_runs.same_ids(other, one) for one in (base, tip)) for other in beside):
            return None
        sides.append(Side(suite, base, tip))
    return sides


def _was_overlaid(root: str, span: Range) -> bool:
    """Is there an overlay run of this base and tip (records.Overlay), of ours or fetched?"""
    folder = f"records/overlay/keys/{sha256(f'{span.base_tree}..{span.tip_tree}'.encode()).hex()[:40]}"
    return any(os.path.lexists(f"{top}/{folder}") for top in (root, f"{root}/foreign/shipmoor-hooks"))


def _counts_as(run: quick_runs.Fields) -> int:
    """The rank of the evidence that a run may be taken for: whatever no seal holds counts as imported."""
    rank = plain_policy.EVIDENCE.index(run["evidence"])
    return rank if run["sealed"] else 0
