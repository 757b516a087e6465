"""The folder of a result: aggregate-result.json and report.html, written beside each other as the real program does."""

from __future__ import annotations

import os

from shipmoor_hooks.errors import EnvironmentFault

RESULT, PAGE = "aggregate-result.json", "report.html"


def write(folder: str, document: str, page: str, page_path: str | None = None) -> str:
    """Write both files into `folder`, made where it is missing; the page's path. Raises EnvironmentFault."""
    report = page_path or os.path.join(folder, PAGE)
    write_file(os.path.join(folder, RESULT), document)
    write_file(report, page)
    return report


def write_file(path: str, text: str) -> None:
    """Write a text. A lone surrogate becomes \\udXXX, which is JSON's own way to write it. Raises EnvironmentFault."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str, data: bytes) -> None:
    """Write a file, its folder made where it is missing. A reader never finds half of it. Raises EnvironmentFault."""
    half = f"{path}.part"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(half, "wb") as stream:
            stream.write(data)
        os.replace(half, path)
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error.strerror}", "free space") from error
