"""Which cases an overlay run shows as changed to pass: green at the tip, red under the base's own test files. Pure.

An old test that a changed interface breaks is red in the overlay as well, so this is a note unless the policy says more.
"""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.model import Code, Finding, RecordKind, Run, Suite
from shipmoor_hooks.rules.standing import at_base, at_tip
from shipmoor_hooks.store.record_model import Overlay

_HONEST = "the test or what judges it changed; a changed interface makes an old test red, too"


def findings(overlays: Sequence[Overlay], suite: Suite, base: Sequence[Run], tip: Sequence[Run]) -> list[Finding]:
    """CHANGED_TO_PASS for each case of the base that is green at the tip and red in the newest overlay; one for each file
    of the base that does not load in it."""
    if not overlays or not base or not tip:
        return []
    newest = max(overlays, key=lambda o: (o.recorded, o.id))
    stood = at_base(base)
    green = {i for i, case in at_tip(tip, suite.reruns).cases.items() if case.outcome.is_green and i in stood}
    raised = suite.overlay == "refuse"
    found = [
        Finding(
            Code.CHANGED_TO_PASS,
            f"{case} passes at the tip, and the base's own version of it is red over the tip's code: {_HONEST}.",
            "Restore what the case demanded, or make the old version pass.",
            case=case,
            raised=raised,
        )
        for case in sorted(green.intersection(newest.red))
    ]
    for file in newest.unloaded:
        lost = sorted(i for i in green if i == file or i.startswith(f"{file}::"))
        if lost:
            found.append(
                Finding(
                    Code.CHANGED_TO_PASS,
                    f"The base's own {file} does not load over the tip's code, so {len(lost)} of its cases that pass at the "
                    f"tip could not be asked: {_HONEST}.",
                    f"Look at what changed in {file}.",
                    case=file,
                    raised=raised,
                )
            )
    return found


def red_ids(cases: Sequence[tuple[RecordKind, str, bool]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of red cases, and of files that do not load."""
    red = tuple(sorted({name for kind, name, is_red in cases if is_red and kind is RecordKind.CASE}))
    return red, tuple(sorted({name for kind, name, is_red in cases if is_red and kind is RecordKind.FILE}))
