"""The sentences about ids that change from run to run. Pure (design, section 3)."""

from __future__ import annotations

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Code, Count, Finding
from shipmoor_hooks.rules.unstable import Group, Size
from shipmoor_hooks.rules.wording import several

STEADY = "Give the parameters ids of their own, or name what changes under `normalise` in the policy."


def told(group: Group, base: Size, tip: Size) -> list[Finding]:
    """Ids that change from run to run: what got smaller or worse, and that they were compared as one."""
    names = f"as {group.ids[0]} and {group.ids[-1]} on the base's tree"
    kind = f"{group.name}, whose ids change from run to run ({names}),"
    plain = Finding(
        Code.CASE_UNSTABLE,
        f"{kind} had {several(base.cases)} at the base and has {tip.cases} at the tip; only the number was compared.",
        STEADY,
        case=group.name,
        base=_greens(base),
        tip=_greens(tip),
    )
    found = []
    if tip.cases < base.cases:
        message = f"{kind} had {several(base.cases)} at the base and has {tip.cases} at the tip."
        found.append(replace(plain, code=Code.CASE_FEWER, message=message, next_step=f"Restore the cases. {STEADY}"))
    if tip.red > base.red:
        message = f"{kind} has {tip.red} red at the tip, where the base has shown {base.red}."
        way = "Make them pass, then run the suite again."
        found.append(replace(plain, code=Code.CASE_RED, message=message, next_step=way))
    if tip.skipped > base.skipped:
        message = f"{kind} has {tip.skipped} skipped at the tip, where a run of the base had {base.skipped}."
        found.append(replace(plain, code=Code.CASE_SKIPPED, message=message, next_step="Let the cases run again."))
    return found or [plain]


def _greens(size: Size) -> Count:
    return Count(max(0, size.cases - size.red - size.skipped), size.cases)
