"""Whether to write in colour: NO_COLOR and FORCE_COLOR decide, else a terminal that can (no-color.org, force-color.org)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO


def wanted(environ: Mapping[str, str], stream: TextIO) -> bool:
    """NO_COLOR wins over FORCE_COLOR; both count when they are set and not empty."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environ.get("TERM", "dumb") != "dumb"
