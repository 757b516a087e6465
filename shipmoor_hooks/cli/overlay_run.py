"""`run --overlay BASE`: measures this code under the base's tests, and tells what was changed to pass as far as it can."""

from __future__ import annotations

import json

from shipmoor_hooks import capture, history, overlay
from shipmoor_hooks.cli.context import Call, answer
from shipmoor_hooks.cli.measure_commands import Leg
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.place import Place
from shipmoor_hooks.visible import visible

_SHOWN = 10


def run_overlay(call: Call, where: Place, suite: str | None, sides: tuple[str, str], leg: Leg, output: str) -> int:
    """Run the overlay of two revisions; 0 when it measured something, or when there is nothing to lay over."""
    if leg.words or leg.shard:
        raise UsageFault("an overlay runs the policy's own command, whole", "shipmoor-hooks run --overlay BASE")
    where.require_top()
    base, tip = sides
    variant = leg.variant
    chosen = capture.pick_suite(call.policy(where), suite)
    capture.check_variant(chosen, variant)
    commits = history.require_commit(where.git, base), history.require_commit(where.git, tip)
    if commits[0] == commits[1]:
        raise UsageFault(f"{base} is the commit whose code would be run: there is nothing to compare")
    if not history.is_ancestor(where.git, *commits):
        call.tell(
            f"shipmoor-hooks: {visible(base)} is no ancestor of {visible(tip)}; the gate looks for its own merge base"
        )
    found = overlay.measure(where, chosen, *commits, call.environ, variant)
    if found is None:
        call.tell(
            "shipmoor-hooks: no test file and nothing of the test surface differs, so there is nothing to lay over"
        )
        return 0
    if output == "json":
        names = ("suite", "variant", "base", "tip", "passed", "of", "laid", "red", "unloaded")
        told = {"schema": "shipmoor-hooks.overlay/1", "overlay": found.id}
        answer(json.dumps(told | {name: getattr(found, name) for name in names}, indent=1))
        return 0
    call.tell(
        f"shipmoor-hooks: overlay of {found.suite}: {found.laid} files of {commits[0][:12]} over the code of "
        f"{commits[1][:12]}, {found.passed} of {found.of} passed"
    )
    for name in (*found.unloaded, *found.red)[:_SHOWN]:
        call.tell(f"  red  {visible(name)}")
    call.tell("shipmoor-hooks: the gate names those that pass at the tip (CHANGED_TO_PASS)")
    return 0
