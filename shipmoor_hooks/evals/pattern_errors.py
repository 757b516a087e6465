"""Why a pattern is no regular expression, in the words of the program's own engine (design, section 8). Pure.

The program runs on JavaScriptCore, we match by V8: both refuse the same patterns and word it differently. What has no
counterpart keeps V8's words.
"""

from __future__ import annotations

import re

_PREFIX = "Invalid regular expression: "
_WORDS = {
    "Nothing to repeat": "nothing to repeat",
    "Invalid quantifier": "nothing to repeat",
    "Unterminated group": "missing )",
    "Unmatched ')'": "unmatched parentheses",
    "Invalid group": "unrecognized character after (?",
    "Invalid capture group name": "invalid group specifier name",
    "Duplicate capture group name": "duplicate group specifier name",
    "Invalid named reference": "invalid \\k<> named backreference",
    "Invalid named capture referenced": "invalid \\k<> named backreference",
    "Range out of order in character class": "range out of order in character class",
    "Unterminated character class": "missing terminating ] for character class",
    "Incomplete quantifier": "incomplete {} quantifier for Unicode pattern",
    "numbers out of order in {} quantifier": "numbers out of order in {} quantifier",
    "Lone quantifier brackets": "unmatched ] or } bracket for Unicode pattern",
    "Invalid property name": "invalid property expression",
    "Invalid property name in character class": "invalid property expression",
    "Invalid escape": "invalid escaped character for Unicode pattern",
    "Invalid Unicode escape": "invalid escaped character for Unicode pattern",
    "Invalid class escape": "invalid escaped character for Unicode pattern",
    "Invalid decimal escape": "invalid backreference for Unicode pattern",
    "Invalid character in character class": "invalid class set character",
    "\\ at end of pattern": "\\ at end of pattern",
}
_NUMBER = re.compile(r"\\[1-9]")
_MODIFIERS = re.compile(r"\(\?[ims-]+[):]")


def worded(reason: str, pattern: str) -> str:
    """The whole message for V8's `reason`."""
    if reason.startswith("Invalid flags"):
        return "Invalid flags supplied to RegExp constructor."
    if reason in ("Invalid escape", "Invalid class escape") and _NUMBER.search(pattern):
        return _PREFIX + "invalid backreference for Unicode pattern"
    if reason == "Lone quantifier brackets" and "{" in pattern:
        return _PREFIX + "incomplete {} quantifier for Unicode pattern"
    if reason == "Invalid group" and _MODIFIERS.search(pattern):
        return _PREFIX + "invalid regular expression modifier"
    return _PREFIX + _WORDS.get(reason, reason)
