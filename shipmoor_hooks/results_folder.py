"""Where `claude plugin eval` puts its results: inside the plugin, where they change the tree unless git ignores them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

DEFAULT = "evals/results/"
WHY = "the program writes them inside the plugin, and each would make another tree"

_WRITTEN = ("aggregate-result.json", "report.html")


def of(paths: Iterable[str]) -> str:
    """The results folder that all these paths lie in, "" where they do not lie in one."""
    folders = {_of(path) for path in paths}
    return folders.pop() if len(folders) == 1 and "" not in folders else ""


def ignore_line(folder: str) -> str:
    """The command that makes git ignore a results folder (it stays tracked where it was)."""
    return f"echo '/{folder}' >> .gitignore && git rm -r --cached --ignore-unmatch {folder}"


def _of(path: str) -> str:
    """The first folder called results below an eval directory, or one that holds what the program writes."""
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if part == "results" and ("evals" in parts[:at] or parts[-1] in _WRITTEN):
            return "/".join(parts[: at + 1]) + "/"
    return ""
