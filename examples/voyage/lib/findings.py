"""How every gate answers: one JSON object on stdout, a line for people on stderr, exit code 0 or 1 (2: wrong usage)."""

import json
import sys


def error(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message}


def answer(gate: str, errors: list[dict[str, str]], *, lines: str = "") -> int:
    """Print the answer. `lines` is what a person is told instead of the list of errors."""
    print(json.dumps({"gate": gate, "valid": not errors, "errors": errors}, ensure_ascii=False))
    if errors:
        sys.stdout.flush()
        print(lines or "\n".join(f"{e['code']}: {e['message']}" for e in errors), file=sys.stderr)
    return 1 if errors else 0


def read(path: str) -> str | None:
    """The text of a file; None where it cannot be read."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError):
        return None
