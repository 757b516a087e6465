"""An installed shipmoor-hooks for tests of hooks: they start Python with -I, which sees no PYTHONPATH."""

from __future__ import annotations

import os
import site
import sys
import venv
from pathlib import Path

import shipmoor_hooks

SCRIPTS = {"shipmoor-hooks-hook": "shipmoor_hooks.hook", "shipmoor-hooks": "shipmoor_hooks.cli.main"}


def install(folder: Path) -> Path:
    """A virtual environment in which this very source is importable, made without an index; its Python."""
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    library = next((folder / "lib").glob("python*/site-packages"))
    source = Path(shipmoor_hooks.__file__).parent.parent
    (library / "source.pth").write_text("\n".join([str(source), *site.getsitepackages()]) + "\n")
    for name, module in SCRIPTS.items():
        script = folder / "bin" / name
        script.write_text(f"#!{python}\nimport sys\nfrom {module} import main\nsys.exit(main())\n")
        script.chmod(0o755)
    return python


def path_with(*folders: Path) -> str:
    """A PATH on which `folders` stand first and this environment's own scripts are missing."""
    kept = [p for p in os.environ["PATH"].split(os.pathsep) if Path(p) != Path(sys.executable).parent]
    return os.pathsep.join([*map(str, folders), *kept])
