"""What is kept of one run beside its trace, so that graders can be asked again (design, section 8). Values only."""

from __future__ import annotations

from collections.abc import Mapping

from shipmoor_hooks.data_classes import dataclass, field

FILE, MISSING, NOT_REGULAR, OUTSIDE, TOO_LARGE = "file", "missing", "not-regular", "outside", "too-large"


@dataclass(frozen=True, slots=True)
class FocusFile:
    """A path of the workspace after a run: what stands there (one of the words above), and its text where it is a file.

    The text is UTF-8 with bad bytes as U+FFFD and without a byte order mark, as the program reads it.
    """

    state: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Workspace:
    """`created` are the paths that came to be during the run (None: not known); `files` what stands under the paths that
    graders name, as they name them. A path that is not in `files` was not kept."""

    created: tuple[str, ...] | None = None
    files: Mapping[str, FocusFile] = field(default_factory=dict)
