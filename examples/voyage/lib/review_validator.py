"""`review_validator.py --json REVIEW`: is a written review one that the next command can read?"""

import re
import sys

from findings import answer, error, read
from front_matter import split

SEVERITIES = ("BLOCKER", "MAJOR", "MINOR", "SUGGESTION")


def errors_of(text: str) -> list[dict[str, str]]:
    head, body = split(text)
    if head is None:
        return [error("REVIEW_NO_HEAD", "the review starts with no head")]
    found = []
    if head.get("type") != "trekreview":
        found.append(error("REVIEW_WRONG_TYPE", "type is not trekreview"))
    if not re.fullmatch(r"\d+\.\d+", str(head.get("review_version", ""))):
        found.append(error("REVIEW_VERSION_FORMAT", "review_version is not written as <major>.<minor>"))
    for finding, severity in re.findall(r"^### Finding (\S+)[ \t]*(?:\((\w+)\))?", body, re.MULTILINE):
        if not re.fullmatch(r"[0-9a-f]{40}", finding):
            found.append(error("REVIEW_BAD_FINDING_ID", f"{finding} is not an id of 40 hexadecimal digits"))
        if severity not in SEVERITIES:
            found.append(error("REVIEW_BAD_SEVERITY", f"{finding} carries none of {', '.join(SEVERITIES)}"))
    return found


def main(words: list[str]) -> int:
    paths = [word for word in words if not word.startswith("--")]
    if len(paths) != 1:
        print("usage: review_validator.py --json REVIEW", file=sys.stderr)
        return 2
    text = read(paths[0])
    return answer(
        "review", [error("REVIEW_UNREADABLE", "the review cannot be read")] if text is None else errors_of(text)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
