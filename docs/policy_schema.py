"""The policy's JSON schema for editors: `docs/schemas/policy.schema.json` is written from here and from the table of keys.

The program itself is the judge of a policy; the schema says a little less (it cannot compile a pattern or split a command).
"""

from __future__ import annotations

from typing import Any

from shipmoor_hooks.policy import DISCLOSURE_KEYS, FORMATS, GATE_KEYS, SUITE_KEYS
from shipmoor_hooks.rules.policy_rules import KEYS

WORD: dict[str, Any] = {"type": "string", "minLength": 1}
WORDS: dict[str, Any] = {"type": "array", "items": WORD, "uniqueItems": True}
COMMAND: dict[str, Any] = {"anyOf": [WORD, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
TEXT: dict[str, Any] = {"type": "string"}
ABOVE_ZERO: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0}
REPLACEMENT: dict[str, Any] = {
    "type": "object",
    "properties": {"pattern": WORD, "replace": TEXT},
    "required": ["pattern", "replace"],
    "additionalProperties": False,
}
PAIR: dict[str, Any] = {
    "type": "object",
    "properties": {"when": WORD, "also": WORD},
    "required": ["when", "also"],
    "additionalProperties": False,
}
CASE_RULES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "conditions": WORDS,
        "graders": {"type": "array", "items": {"anyOf": [WORD, PAIR]}},
        "judge": {"type": "boolean"},
        "max_seconds": ABOVE_ZERO,
    },
    "additionalProperties": False,
}

# What a value looks like, by the key's name; a key that is missing here fails a test.
SHAPES: dict[str, dict[str, Any]] = {
    "target": WORD,
    "evidence": {"enum": ["observed", "reported", "imported"]},
    "untracked": {"enum": ["warn", "refuse"]},
    "mode": {"enum": ["refuse", "warn"]},
    "window": ABOVE_ZERO,
    "reason": TEXT,
    "command": COMMAND,
    "reports": WORDS,
    "format": {"enum": list(FORMATS)},
    "exclude": WORDS,
    "variants": WORDS,
    "shards": {"type": "integer", "minimum": 2},
    "normalise": {"type": "array", "items": REPLACEMENT},
    "reruns": {"enum": ["latest", "all"]},
    "proofs": {"type": "boolean"},
    "setup": {"type": "array", "items": COMMAND},
    "same": WORDS,
    "require": {"anyOf": [WORDS, CASE_RULES]},
    "not_covered": {"type": "array", "items": WORD},
    "case_command": COMMAND,
    "agent": COMMAND,
    "max_cost": ABOVE_ZERO,
    "traces": {"enum": ["keep", "drop"]},
    "overlay": {"enum": ["note", "refuse"]},
}


def schema() -> dict[str, Any]:
    """The schema of shipmoor-hooks.toml, and of `[tool.shipmoor-hooks]` in pyproject.toml."""
    gate = _properties("gate.", GATE_KEYS) | {"disclosure": _table(_properties("gate.disclosure.", DISCLOSURE_KEYS))}
    suite = _table(_properties("suite.NAME.", SUITE_KEYS))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The policy of shipmoor-hooks",
        **_table(
            {
                "gate": _table(gate),
                "suite": {
                    "type": "object",
                    "patternProperties": {"^[A-Za-z0-9_-]+$": suite},
                    "additionalProperties": False,
                },
            }
        ),
    }


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _properties(prefix: str, keys: Any) -> dict[str, Any]:
    told = {k.key: k for k in KEYS}
    found = {}
    for key in keys:
        row = told[prefix + key]
        default = f" Default: {row.default}." if row.default else ""
        looser = f" Looser is: {row.looser}." if row.looser else ""
        found[key] = {"description": f"{row.says[:1].upper()}{row.says[1:]}.{default}{looser}", **SHAPES[key]}
    return found
