"""Markdown with a head: the few lines of YAML between two `---` that briefs and reviews carry.

Understood are `key: value`, quoted values, and lists as `[a, b]` or as `- item` lines: what the commands write.
"""

import re

Head = dict[str, "str | list[str]"]


def split(text: str) -> tuple[Head | None, str]:
    """The head (None where there is none) and the body."""
    found = re.match(r"---[ \t]*\r?\n(.*?)(?:^|\n)---[ \t]*(?:\r?\n|$)", text, re.DOTALL)
    if not found:
        return None, text
    head: Head = {}
    key = ""
    for line in found.group(1).splitlines():
        item = re.match(r"\s+-\s+(.*)", line)
        pair = re.match(r"([A-Za-z_][\w-]*)\s*:\s*(.*)", line)
        if item and key:
            value = head[key]
            head[key] = [*(value if isinstance(value, list) else []), plain(item.group(1))]
        elif pair:
            key = pair.group(1)
            head[key] = value_of(pair.group(2))
    return head, text[found.end() :]


def value_of(text: str) -> "str | list[str]":
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [plain(part) for part in text[1:-1].split(",") if part.strip()]
    return plain(text)


def plain(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
