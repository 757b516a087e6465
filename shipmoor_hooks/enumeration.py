"""The first few of many, in a sentence: `a, b, c and 7 more`."""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence


def some(names: Sequence[str], most: int = 5, between: str = ", ") -> str:
    """At most `most` of the names, and how many are left out."""
    left = len(names) - most
    return between.join(names[:most]) + (f" and {left} more" if left > 0 else "")
