"""The eval side of a stored run: `EvalRun` to the fields of an entry's payload and back (design, section 8).

Written and read as every record is, by name, defaults left out: a wrong type raises TypeError or ValueError, which `entry`
turns into SEAL_BROKEN.
"""

from __future__ import annotations

from typing import Any

from shipmoor_hooks.eval_model import EvalRun
from shipmoor_hooks.store import plain_fields


def fields_of(run: EvalRun) -> dict[str, Any]:
    """The JSON object of an EvalRun: numbers are finite, names are the model's."""
    written: dict[str, Any] = plain_fields.written(run)
    return written


def eval_run(stored: Any) -> EvalRun:
    """The EvalRun of such an object. Raises TypeError or ValueError."""
    return plain_fields.read(EvalRun, stored)
