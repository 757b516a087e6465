"""Files that runners share with other tools (pyproject.toml, setup.cfg, package.json): the parts that speak of one. Pure."""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Mapping
from typing import Any


class Unreadable(ValueError):
    """The file is not what its name says."""


def differs(path: str, word: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether what two versions of a file (None: there is none) say about `word` differs.

    A version that cannot be read says something else than any other, where it holds the word at all.
    """
    try:
        return parts(path, word, before) != parts(path, word, after)
    except Unreadable:
        return any(word.encode() in (content or b"") for content in (before, after))


def parts(path: str, word: str, content: bytes | None) -> dict[str, Any]:
    """The tables, sections or keys of a file whose name holds the word. Raises Unreadable."""
    if content is None:
        return {}
    found = document(path, content)
    if path.endswith(".toml"):
        tool = found.get("tool")
        found = tool if isinstance(tool, dict) else {}
    if word == "test":
        scripts = found.get("scripts")
        found = scripts if isinstance(scripts, dict) else {}
    return {name: value for name, value in found.items() if word in name}


def document(path: str, content: bytes) -> dict[str, Any]:
    """A TOML, JSON or INI file as nested tables. Raises Unreadable; also for a kind that is not read here."""
    try:
        text = content.decode("utf-8-sig")
        if path.endswith(".toml"):
            return tomllib.loads(text)
        if path.endswith((".json", ".mocharc")):
            loaded = json.loads(text)
            if not isinstance(loaded, dict):
                raise Unreadable("no object")
            return loaded
        if path.endswith((".ini", ".cfg")):
            return _sections(text)
    except (UnicodeDecodeError, ValueError, RecursionError, configparser.Error) as fault:
        raise Unreadable(str(fault)) from fault
    raise Unreadable("its kind is not read")


def _sections(text: str) -> dict[str, Mapping[str, str]]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, default_section="")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}
