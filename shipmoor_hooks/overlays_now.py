"""The overlay runs that stand for one base and tip: a folder look-up for the gate."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Code, Finding, Run, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import overlay_rules
from shipmoor_hooks.sharing.shared_runs import SharedRuns
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Overlay

Sides = tuple[str, str, str]  # the trees of base and tip, and what messages call the base


def findings(
    place: Place,
    shared: SharedRuns,
    suite: Suite,
    variant: str | None,
    sides: Sides,
    base_runs: Sequence[Run],
    tip_runs: Sequence[Run],
) -> list[Finding]:
    """What the overlay of exactly these two trees shows; where the policy refuses by it, that it was never run."""
    base, tip, name = sides
    key = f"{base}..{tip}"
    own, broken = records.find_key(place.common_dir, Overlay, key)
    every = own + shared.records(Overlay, "keys", records.key_folder(key))
    mine = [o for o in every if o.suite == suite.name and o.variant == variant]
    if mine:
        found = overlay_rules.findings(mine, suite, base_runs, tip_runs)
    elif suite.overlay == "refuse" and _is_needed(place, base, tip, suite):
        why = f"; one cannot be read: {broken[0].text}" if broken else ""
        leg = f" --variant {variant}" if variant else ""
        found = [
            Finding(
                Code.NO_RUN_AT_TIP,
                f"{suite.name} asks for an overlay run, and none stands for this base and tip{why}.",
                f"shipmoor-hooks run --suite {suite.name}{leg} --overlay {name}",
            )
        ]
    else:
        found = []
    return [replace(f, suite=suite.name, variant=variant) for f in found]


def _is_needed(place: Place, base: str, tip: str, suite: Suite) -> bool:
    """Do the two differ in a test file or in the surface at all?"""
    from shipmoor_hooks.overlay_plan import lay  # the table of runners is large, and few policies ask for it

    return lay(place.git, base, tip, suite, ()).number > 0
