"""`intent_approval.py --check BRIEF`: the intent gate. `--hash BRIEF` prints the mark that an approval writes.

The mark is the SHA-256 of the text below `## Intent`: a changed intent is an intent that nobody approved.
"""

import hashlib
import re
import sys

from findings import answer, error, read
from front_matter import split

KEY = "intent_approved_hash"


def mark_of(body: str) -> str:
    section = re.search(r"^## Intent[ \t]*\n(.*?)(?=^## |\Z)", body, re.DOTALL | re.MULTILINE)
    return hashlib.sha256((section[1] if section else "").strip().encode()).hexdigest()


def errors_of(text: str) -> list[dict[str, str]]:
    head, body = split(text)
    mark = (head or {}).get(KEY)
    if not mark:
        return [error("BRIEF_INTENT_NOT_APPROVED", f"the brief carries no {KEY}")]
    if mark != mark_of(body):
        return [error("BRIEF_INTENT_CHANGED", "the intent was changed after it was approved")]
    return []


def main(words: list[str]) -> int:
    if len(words) != 2 or words[0] not in ("--check", "--hash"):
        print("usage: intent_approval.py --check|--hash BRIEF", file=sys.stderr)
        return 2
    text = read(words[1])
    if text is None:
        return answer("intent", [error("BRIEF_UNREADABLE", "the brief cannot be read")])
    if words[0] == "--hash":
        print(mark_of(split(text)[1]))
        return 0
    return answer("intent", errors_of(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
