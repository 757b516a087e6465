"""Where keys, logs and scratch worktrees live: the folders that platformdirs names (design, section 9).

The only importer of platformdirs, and only inside the function that asks it: importing it costs more than a hook may. The
keys' folder, which the gate needs, is named here without it; a test holds the two together.
"""

from __future__ import annotations

import os
import stat
import sys

from shipmoor_hooks.errors import EnvironmentFault

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

APPLICATION = "shipmoor-hooks"


def state_path(environ: Mapping[str, str]) -> str:
    """The path of the folder of keys and of what must outlive a run; it is neither made nor looked at."""
    explicit = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(explicit):
        return os.path.join(explicit, APPLICATION)
    home = environ.get("HOME", "") or os.path.expanduser("~")
    below = ("Library", "Application Support") if sys.platform == "darwin" else (".local", "state")
    return os.path.join(home, *below, APPLICATION)


def state_root(environ: Mapping[str, str]) -> str:
    """That folder, made if it is missing. Raises EnvironmentFault (exit 4)."""
    return private_folder(state_path(environ))


def log_root(environ: Mapping[str, str]) -> str:
    """The folder of log files. Raises EnvironmentFault (exit 4)."""
    return _root(environ, "XDG_STATE_HOME", "user_log_dir", "log")


def scratch_root(environ: Mapping[str, str]) -> str:
    """The folder of scratch worktrees. Raises EnvironmentFault (exit 4)."""
    return _root(environ, "XDG_CACHE_HOME", "user_cache_dir", "scratch", own="scratch")


def _root(environ: Mapping[str, str], variable: str, kind: str, below: str = "", own: str = "") -> str:
    """The XDG variable of the environment that was handed in, else what platformdirs says of the process's own."""
    explicit = environ.get(variable, "")
    if os.path.isabs(explicit):
        return private_folder(os.path.join(explicit, APPLICATION, below))
    import platformdirs

    named: str = getattr(platformdirs.PlatformDirs(APPLICATION, appauthor=False), kind)
    return private_folder(os.path.join(named, own))


def private_folder(path: str, may_be_link: bool = True) -> str:
    """`path` as a folder that is ours alone (0700), made when it is missing.

    Where others can write, `may_be_link` has to be False: a link of theirs could lead to any folder of ours.
    Raises EnvironmentFault when it cannot be made, is no folder, or belongs to another user.
    """
    path = os.path.normpath(path)
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        found = os.stat(path, follow_symlinks=may_be_link)
        if not stat.S_ISDIR(found.st_mode):
            raise EnvironmentFault(f"{path} is a link", f"rm {path}")
        if found.st_uid != os.geteuid():
            raise EnvironmentFault(f"{path} belongs to another user", f"sudo chown {os.geteuid()} {path}")
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.chmod(path, 0o700)
    except OSError as refused:
        raise EnvironmentFault(f"{path} cannot be used as a private folder: {refused.strerror}") from refused
    return path
