"""Files that a person names for `eval grade`: a grader, a trace, the list of created files (design, section 8)."""

from __future__ import annotations

import json
import os
import stat

from shipmoor_hooks.errors import EvidenceFault, UsageFault
from shipmoor_hooks.evals.case_values import Issues
from shipmoor_hooks.evals.definitions import Grader
from shipmoor_hooks.evals.grader_schema import read_grader

MOST = 512 << 20  # bytes of a trace
MOST_GRADER = 1 << 20


def read_bytes(path: str, most: int = MOST) -> bytes:
    """The bytes of a plain file, wherever it lies; a pipe is not waited for. Raises EvidenceFault."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            there = os.fstat(handle)
            if not stat.S_ISREG(there.st_mode):
                raise EvidenceFault(f"{path} is not a plain file")
            if there.st_size > most:
                raise EvidenceFault(f"{path} has {there.st_size:,} bytes; at most {most:,} are read")
            return stream.read()
    except (OSError, ValueError) as error:
        raise EvidenceFault(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def grader(path: str) -> Grader:
    """The grader that a JSON file holds; its name may be left out. Raises UsageFault with every fault in one line."""
    try:
        value = json.loads(read_bytes(path, MOST_GRADER).decode("utf-8-sig"), parse_constant=_no_number)
    except EvidenceFault as fault:
        raise UsageFault(fault.message) from fault
    except (ValueError, RecursionError) as error:
        raise UsageFault(f"{path} is no JSON: {error}") from error
    if isinstance(value, dict):
        value.setdefault("name", os.path.splitext(os.path.basename(path))[0])
    issues = Issues()
    found = read_grader(issues, "grader", value)
    if found is None or issues.found:
        raise UsageFault(f"{path} is no grader: {'; '.join(issues.found)}")
    return found


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")


def created(path: str) -> tuple[str, ...]:
    """The created paths that a file lists: a JSON array, a JSON object with `files_created`, names that each end in a NUL,
    or one name a line. Raises EvidenceFault."""
    data = read_bytes(path)
    text = data.decode("utf-8", "surrogateescape")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        value = value.get("files_created")
        if not isinstance(value, list):
            raise EvidenceFault(f"{path} is an object without the list `files_created`")
    if isinstance(value, list):
        if not all(isinstance(name, str) for name in value):
            raise EvidenceFault(f"{path} lists something that is no file name")
        return tuple(value)
    lines = text.split("\0" if "\0" in text else "\n")
    return tuple(name for name in lines if name)
