"""Would a run in a scratch worktree import the user's own working tree? An editable install does that silently.

The interpreter that `python` and `pytest` on PATH belong to is asked for the folders that its `.pth` files and finders add.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

from shipmoor_hooks.place import Place

_ASK = """
import glob, os, re, sys, sysconfig
top = os.path.realpath(sys.argv[1])
seen = []
for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
    for name in glob.glob(os.path.join(glob.escape(folder), "*.pth")) + glob.glob(
        os.path.join(glob.escape(folder), "__editable__*.py")
    ):
        with open(name, encoding="utf-8", errors="replace") as stream:
            if re.search(re.escape(top) + r"(?![^/\\s\\x22\\x27])", stream.read()):
                seen.append(os.path.basename(name))
print("\\n".join(sorted(seen)))
"""


def imports_other_tree(place: Place, environ: Mapping[str, str]) -> str | None:
    """A warning when the Python on PATH has an editable install of this working tree, else None."""
    python = shutil.which("python3", path=environ.get("PATH")) or shutil.which("python", path=environ.get("PATH"))
    if python is None:
        return None
    try:
        asked = subprocess.run(
            [python, "-I", "-c", _ASK, place.require_top()],
            capture_output=True,
            timeout=10,
            check=False,
            env=dict(environ),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    names = asked.stdout.decode("utf-8", "replace").split()
    if asked.returncode or not names:
        return None
    return (
        f"{os.path.basename(python)} has an editable install of this working tree ({names[0]}); the scratch worktree's "
        "tests may import your present code. Let the policy's `setup` install there."
    )
