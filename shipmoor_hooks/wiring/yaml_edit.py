"""Small edits of a host's YAML configuration, as text, so that the user's comments and order stay (design, 10.21).

Pure. Only plain block style is understood. What is not understood is not edited: every function answers None for it,
and the caller shows the lines to paste.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

TOP_KEY = re.compile(r"(?P<quote>[\"']?)(?P<key>[A-Za-z0-9_.-]+)(?P=quote)[ ]*:(?:[ ]+(?P<rest>.*))?$")
FLOW_LIST = re.compile(r"\[(?P<items>[^\[\]{}#]*)\][ ]*(?:#.*)?$")
BLOCK_ITEM = re.compile(r"(?P<indent> *)-[ ]+(?P<word>[\"']?[a-z-]+[\"']?)[ ]*(?:#.*)?$")


class Lines:
    """A YAML text as lines without their ends, and where its top-level keys stand."""

    def __init__(self, text: str) -> None:
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.rows = text.replace("\r\n", "\n").split("\n")
        if self.rows[-1] == "":
            self.rows.pop()
        self.keys = [(at, match) for at, row in enumerate(self.rows) if (match := TOP_KEY.match(row))]

    def text(self) -> str:
        return self.newline.join([*self.rows, ""])

    @property
    def is_plain(self) -> bool:
        """One document, no directives, no tabs in an indentation."""
        starts = [at for at, row in enumerate(self.rows) if row.startswith(("---", "...", "%"))]
        first = self.keys[0][0] if self.keys else len(self.rows)
        tabs = any("\t" in row[: len(row) - len(row.lstrip())] for row in self.rows)
        return not tabs and len(starts) <= 1 and all(at < first and self.rows[at].rstrip() == "---" for at in starts)

    def find(self, key: str) -> tuple[int, str] | None:
        """The line of a top-level key and what stands behind its colon; None when it is not there exactly once."""
        found = [(at, value_of(match)) for at, match in self.keys if match["key"] == key]
        return found[0] if len(found) == 1 else None

    def has(self, key: str) -> bool:
        return any(match["key"] == key for _, match in self.keys)

    def end(self, start: int, indent: int) -> int:
        """The first line after the block that hangs below line `start`, whose key is indented by `indent`."""
        at = last = start + 1
        while at < len(self.rows):
            row = self.rows[at]
            depth = indent_of(row)
            if is_content(row) and depth <= indent and not (depth == indent and is_item(row)):
                break
            at += 1
            if is_content(row) or (row.strip() and depth > indent):
                last = at
        return last

    def body(self, start: int, indent: int) -> list[str]:
        """The rows of that block that are neither blank nor comments."""
        return [row for row in self.rows[start + 1 : self.end(start, indent)] if is_content(row)]


def value_of(match: re.Match[str]) -> str:
    """What stands behind the colon, without a comment."""
    return re.sub(r"(?:^|\s)#.*$", "", match["rest"] or "").strip()


def indent_of(row: str) -> int:
    return len(row) - len(row.lstrip(" "))


def is_item(row: str) -> bool:
    return row.lstrip().startswith("- ") or row.strip() == "-"


def is_content(row: str) -> bool:
    return bool(row.strip()) and not row.lstrip().startswith("#")


def add_repository(text: str, entry: Sequence[str]) -> str | None:
    """`text`, a .pre-commit-config.yaml, with `entry` (lines of one list item, unindented) at the end of `repos`."""
    lines = Lines(text)
    found = lines.find("repos")
    if not lines.is_plain or found is None:
        return None
    start, value = found
    body = lines.body(start, 0)
    if value == "[]" and not body:
        lines.rows[start] = re.sub(r":[ ]*\[\]", ":", lines.rows[start], count=1)
    elif value or any(row.startswith(("]", "}")) for row in lines.rows):
        return None
    indent = indent_of(body[0]) if body else 0
    if any(indent_of(row) < indent or (indent_of(row) == indent and not is_item(row)) for row in body):
        return None
    end = lines.end(start, 0)
    lines.rows[end:end] = [" " * indent + row for row in entry]
    return lines.text()


def add_hook_types(text: str, wanted: Sequence[str], default: Sequence[str]) -> str | None:
    """`text` with `default_install_hook_types` holding all of `wanted`; where it is unset, `default` stands first."""
    lines = Lines(text)
    key = "default_install_hook_types"
    if not lines.is_plain or not lines.keys:
        return None
    if not lines.has(key):
        lines.rows.insert(lines.keys[0][0], f"{key}: [{', '.join([*default, *wanted])}]")
        return lines.text()
    found = lines.find(key)
    if found is None:
        return None
    start, value = found
    body = lines.body(start, 0)
    if value and not body:
        return _add_to_flow_list(lines, start, value, wanted)
    items = [BLOCK_ITEM.match(row) for row in body]
    if value or not items or not all(items):
        return None
    present = [match["word"].strip("\"'") for match in items if match]
    indent = indent_of(body[0])
    end = lines.end(start, 0)
    lines.rows[end:end] = [f"{' ' * indent}- {word}" for word in wanted if word not in present]
    return lines.text()


def _add_to_flow_list(lines: Lines, start: int, value: str, wanted: Sequence[str]) -> str | None:
    match = FLOW_LIST.match(value)
    if match is None:
        return None
    present = [word.strip() for word in match["items"].split(",") if word.strip()]
    named = {word.strip("\"'") for word in present}
    missing = [word for word in wanted if word not in named]
    if missing:
        lines.rows[start] = lines.rows[start].replace(value, f"[{', '.join([*present, *missing])}]", 1)
    return lines.text()


def add_lefthook_script(text: str, stage: str, name: str, settings: Sequence[str]) -> str | None:
    """`text`, a lefthook.yml, with the script `name` and its `settings` under `STAGE: scripts:`."""
    lines = Lines(text)
    if not lines.is_plain or (lines.has(stage) and lines.find(stage) is None):
        return None
    script = [f'"{name}":', *(f"  {row}" for row in settings)]
    found = lines.find(stage)
    if found is None:
        lines.rows += ["", f"{stage}:", "  scripts:", *(f"    {row}" for row in script)]
        return lines.text()
    start, value = found
    body = lines.body(start, 0)
    indent = indent_of(body[0]) if body else 2
    if value or indent == 0 or any(indent_of(row) < indent for row in body):
        return None
    place = [at for at in range(start + 1, lines.end(start, 0)) if _is_key(lines.rows[at], indent, "scripts")]
    if len(place) > 1 or (place and lines.rows[place[0]].strip() != "scripts:"):
        return None
    if not place:
        added = [" " * indent + "scripts:", *(" " * (indent + 2) + row for row in script)]
        lines.rows[start + 1 : start + 1] = added
        return lines.text()
    below = lines.body(place[0], indent)
    deeper = indent_of(below[0]) if below else indent + 2
    if deeper <= indent:
        return None
    end = lines.end(place[0], indent)
    lines.rows[end:end] = [" " * deeper + row for row in script]
    return lines.text()


def _is_key(row: str, indent: int, key: str) -> bool:
    match = TOP_KEY.match(row[indent:])
    return indent_of(row) == indent and match is not None and match["key"] == key


def mentions(text: str, word: str) -> bool:
    """Whether `word` stands in `text` outside comments."""
    return any(word in re.sub(r"(?:^|\s)#.*$", "", row) for row in text.splitlines())
