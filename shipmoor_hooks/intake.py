"""Report files to reports: each is read once, and what was read is what its digest names (design, 10.4 and 10.19)."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks import report_files
from shipmoor_hooks.model import Report, ReportFile
from shipmoor_hooks.readers import registry


def read_file(path: str, top: str | None, reader: str | None, *, inside: bool) -> tuple[ReportFile, Report]:
    """One report. Raises ReportFault as `report_files.opened` and the readers."""
    with report_files.opened(path, top, inside=inside) as opened:
        report = registry.read(opened, reader, opened.name)
        return opened.file(), report


def read_files(paths: Sequence[str], top: str | None, reader: str | None, *, inside: bool) -> dict[ReportFile, Report]:
    """All of them, in order. The same file twice counts once, also under another name (a link, `./`)."""
    found: dict[ReportFile, Report] = {}
    seen: set[tuple[str, int]] = set()
    for path in paths:
        file, report = read_file(path, top, reader, inside=inside)
        if (file.sha256, file.mtime_ns) not in seen:
            seen.add((file.sha256, file.mtime_ns))
            found[file] = report
    return found
