"""The environment that git gets from us: scrubbed, so that nothing that a hook exports moves it (design, sections 6 and 9).

Location variables (`git rev-parse --local-env-vars`) are dropped, configuration that the user gave by environment is kept;
replace refs, grafts and lazy fetches are off, and nothing takes an optional lock. Loads nothing: a hook starts with it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

# `git rev-parse --local-env-vars` of git 2.55, without the variables that carry configuration (`git -c`, GIT_CONFIG_COUNT):
# those decide how content is hashed, and git must see them.
LOCATION_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR", "GIT_INTERNAL_SUPER_PREFIX", "GIT_REFERENCE_BACKEND",
)  # fmt: skip
# Every question to a remote goes to a program that answers nothing; the user's own ssh command stays as it is.
NO_PROMPTS = {"GIT_ASKPASS": "true", "SSH_ASKPASS": "true", "SSH_ASKPASS_REQUIRE": "force"}


def location_free(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without the variables that tell git which repository, index or object store to use."""
    return {k: v for k, v in environ.items() if k not in LOCATION_VARIABLES}


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of every git that we start."""
    return location_free(environ) | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
