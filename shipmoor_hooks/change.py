"""One entry of a tree that is not as in HEAD's: by itself, so that a tree is named without the whole model."""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One path whose content in the tested tree differs from HEAD's; `mode` and `oid` are None when it is gone there."""

    path: str
    mode: str | None
    oid: str | None
