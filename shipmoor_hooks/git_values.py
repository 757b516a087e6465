"""What git tells, as values: they stand beside the model, so that whoever asks git alone need not load it."""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One path whose content in the tested tree differs from HEAD's; `mode` and `oid` are None when it is gone there."""

    path: str
    mode: str | None
    oid: str | None


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit and its tree (None where the side does not exist)."""

    commit: str | None
    tree: str | None


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit in base..tip: its object name, the trailers as git reads them (key, value), and the whole message."""

    commit: str
    trailers: tuple[tuple[str, str], ...]
    message: str
