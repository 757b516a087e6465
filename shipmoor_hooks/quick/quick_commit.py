"""The quick path of the post-commit hook: what is measured of a commit's tree, said without loading what could measure it.

As with `quick_gate`: it says only what `commit_hooks` would say, and where anything is out of the ordinary it says nothing
and gives None. It knows a plain policy without report files to pick up, and trees with no run or one sealed run a suite.
"""

from __future__ import annotations

import os

from shipmoor_hooks import state
from shipmoor_hooks.ages import ago
from shipmoor_hooks.quick import lean_git, plain_policy, quick_runs
from shipmoor_hooks.quick.lean_keys import Keys
from shipmoor_hooks.whole_files import read_bytes

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shipmoor_hooks.quick.lean_git import Here

POLICY_FILE = "shipmoor-hooks.toml"
SHARED_FILE = "pyproject.toml"
_HEX = frozenset("0123456789abcdef")


def lines(directory: str, environ: Mapping[str, str], now: float) -> list[str] | None:
    """What post-commit prints about the tree of HEAD; None where `commit_hooks` must look."""
    try:
        return _lines(directory, environ, now)
    except (OSError, ImportError):
        return None
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration, ArithmeticError):
        return None  # the data is not of the form that it should have


def _lines(directory: str, environ: Mapping[str, str], now: float) -> list[str] | None:
    here = lean_git.find(directory, environ)
    if here is None or lean_git.remotes(here) is None:
        return None
    if not os.path.lexists(f"{here.top}/{POLICY_FILE}"):
        return None if os.path.lexists(f"{here.top}/{SHARED_FILE}") else []
    rules = plain_policy.read(read_bytes(f"{here.top}/{POLICY_FILE}"))
    if rules is None or any("reports" in table for table in rules.suites.values()):
        return None
    if not rules.suites:
        return []
    stock = _at_head(here, environ)
    if stock is None:
        return None
    told = [_line(name, stock.get(name), rules.evidence, now) for name in rules.suites]
    return [f"shipmoor-hooks: {line}" for line in told if line] if all(told) else None


def _at_head(here: Here, environ: Mapping[str, str]) -> dict[str, quick_runs.Fields] | None:
    """The runs on the tree of HEAD."""
    said = lean_git.ask(here, "rev-parse", "--verify", "HEAD^{tree}") or b""
    tree = said.decode("ascii").rstrip("\n")
    if len(tree) not in (40, 64) or not _HEX.issuperset(tree):
        return None
    root = here.common_dir + "/shipmoor-hooks"
    if not os.path.lexists(f"{root}/runs"):
        return {}
    return quick_runs.at_tree(root, tree, Keys(environ, state.state_path(environ)).secret)


def _line(suite: str, run: quick_runs.Fields | None, evidence: str, now: float) -> str:
    """What is said of a suite; "" where it is more than a line of this form."""
    if run is None:
        return f"{suite}: no run for this tree"
    cases = run["cases"]
    known = plain_policy.EVIDENCE
    counts = run["sealed"] and known.index(run["evidence"]) >= known.index(evidence)
    if not counts or cases["details"] != {} or not 0 < cases["number"] == sum(cases["counts"].values()):
        return ""
    return f"{suite} {cases['counts'].get('p', 0)} of {cases['number']}, {run['evidence']} {ago(now - run['started'])}"
