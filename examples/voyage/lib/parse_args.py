"""`parse_args.py COMMAND ARGUMENTS...`: checks what a command was called with, and says what is missing.

A command's file is prose, and a model does not always repeat prose word for word. So the message comes from here.
"""

import sys

from findings import answer, error

REQUIRED = {"trekreview": {"--project": "<dir>"}}
TAKES_VALUE = {"--project", "--brief", "--export"}
USAGE = {
    "trekplan": "Usage: /trekplan --project <dir> | --brief <file> [--export md|json]",
    "trekreview": "Usage: /trekreview --project <dir> [--validate]",
}


def given(words: list[str]) -> dict[str, str]:
    """Each option with its value ("" for one that takes none, and for one whose value is missing)."""
    found = {}
    for position, word in enumerate(words):
        name, equals, value = word.partition("=")
        if not name.startswith("--"):
            continue
        following = words[position + 1] if position + 1 < len(words) else ""
        if not equals and name in TAKES_VALUE and not following.startswith("--"):
            value = following
        found[name] = value
    return found


def main(words: list[str]) -> int:
    command, *rest = words or [""]
    if command not in USAGE:
        print("usage: parse_args.py trekplan|trekreview ARGUMENTS...", file=sys.stderr)
        return 2
    there = given(rest)
    missing = {name: value for name, value in REQUIRED.get(command, {}).items() if not there.get(name)}
    errors = [error("ARG_REQUIRED_MISSING", f"{name} {value} is required") for name, value in missing.items()]
    told = "\n".join(f"Error: {name} {value} is required." for name, value in missing.items())
    return answer("arguments", errors, lines=f"{told}\n{USAGE[command]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
