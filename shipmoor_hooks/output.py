"""Writing to a terminal, a pipe or nobody: an output that cannot be written never changes what the program answers."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from typing import TextIO


def say(stream: TextIO | None, text: str) -> None:
    """Write the text and a line feed, if anyone reads it."""
    if stream is None:
        return
    try:
        stream.write(text if text.endswith("\n") else f"{text}\n")
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "ascii"
        say(stream, text.encode(encoding, "backslashreplace").decode(encoding))
    except (OSError, ValueError):
        return


def flush(stream: TextIO | None) -> None:
    """Flush; when nobody can read it, send the rest to nowhere, so that the interpreter's own flush at exit is quiet."""
    if stream is None:
        return
    try:
        stream.flush()
    except (OSError, ValueError):
        _to_nowhere(stream)


def _to_nowhere(stream: TextIO) -> None:
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return
