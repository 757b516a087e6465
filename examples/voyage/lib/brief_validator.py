"""`brief_validator.py --json BRIEF`: the sequencing gate. A brief says its version, and from 2.1 on its phase signals."""

import re
import sys

from findings import answer, error, read
from front_matter import split


def errors_of(text: str) -> list[dict[str, str]]:
    head, _ = split(text)
    if head is None:
        return [error("BRIEF_NO_HEAD", "the brief starts with no head")]
    version = re.fullmatch(r"(\d+)\.(\d+)", str(head.get("brief_version", "")))
    if not version:
        return [error("BRIEF_VERSION_FORMAT", "brief_version is not written as <major>.<minor>")]
    if (int(version[1]), int(version[2])) >= (2, 1) and not head.get("phase_signals"):
        return [error("BRIEF_V51_MISSING_SIGNALS", "a brief from version 2.1 on needs phase_signals")]
    return []


def main(words: list[str]) -> int:
    paths = [word for word in words if not word.startswith("--")]
    if len(paths) != 1:
        print("usage: brief_validator.py --json BRIEF", file=sys.stderr)
        return 2
    text = read(paths[0])
    return answer("brief", [error("BRIEF_UNREADABLE", "the brief cannot be read")] if text is None else errors_of(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
