"""Writes the parts of the docs that the program itself knows, so that they cannot drift from it.

`python docs/generate.py` writes, `python docs/generate.py --check` writes nothing and names what is out of date (exit 1).
Whole files: docs/commands.md, docs/codes/ (the pages that `explain` shows), docs/schemas/policy.schema.json. Blocks between
`<!-- generated: NAME -->` and `<!-- end -->`: in README.md the commands and the codes, elsewhere the trailers, the keys of the
policy, readers, runners.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import policy_schema
import typer
from typer._click import Context

from shipmoor_hooks.cli.main import app_for
from shipmoor_hooks.code_pages import first_sentence, page_of
from shipmoor_hooks.evals.checking import RULES
from shipmoor_hooks.model import Code, Level
from shipmoor_hooks.readers.registry import READERS
from shipmoor_hooks.rules.policy_rules import KEYS
from shipmoor_hooks.rules.trailer_lines import TAKES
from shipmoor_hooks.runners import RUNNERS

ROOT = Path(__file__).parent.parent
WIDTH = 78  # what --help uses on every terminal of 80 columns or more
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
TITLES = {
    Level.REFUSE: "Refused (exit 1)",
    Level.NO_EVIDENCE: "Cannot evaluate (exit 3)",
    Level.NOTE: "Notes (no effect)",
}

COMMANDS_HEAD = """\
# Commands

<!-- written by docs/generate.py from the program's own --help -->

Exit codes, for every command: **0** allowed or done, **1** refused, **2** usage, policy or repository not usable,
**3** evidence missing or unusable, **4** disk, permission, lock, or a bug of ours, **130** interrupted. `run` passes on the
code of the command that it runs; when that is 0 and nothing could be recorded, its own.

The result goes to stdout, talk goes to stderr. `--format json` prints the same result as JSON: fields may be added later,
none is renamed.

Options that stand before the command:
"""


def commands() -> str:
    """docs/commands.md: the help of the program and of every command."""
    group = typer.main.get_command(app_for(None))
    parts = [COMMANDS_HEAD, fenced(help_of(group, "shipmoor-hooks", Context(group, info_name="shipmoor-hooks")))]
    outer = Context(group, info_name="shipmoor-hooks")
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        parts.append(f"## {name}\n\n{fenced(help_of(command, name, outer))}")
        inner = Context(command, parent=outer, info_name=name)
        for word, part in getattr(command, "commands", {}).items():
            parts.append(f"## {name} {word}\n\n{fenced(help_of(part, word, inner))}")
    return "\n".join(parts)


def help_of(command: object, name: str, outer: Context) -> str:
    """What `--help` prints on a terminal that is WIDTH columns wide."""
    parent = None if name == "shipmoor-hooks" else outer
    settings = command.context_settings  # type: ignore[attr-defined]
    context = Context(command, info_name=name, parent=parent, terminal_width=WIDTH, **settings)  # type: ignore[arg-type]
    return str(command.get_help(context))  # type: ignore[attr-defined]


def fenced(text: str) -> str:
    return f"```\n{text.rstrip()}\n```\n"


def codes() -> str:
    """The codes by what they do, one line each."""
    return "\n".join(
        table((title, "when"), [(f"`{c.value}`", first_sentence(c)) for c in Code if c.level is level])
        for level, title in TITLES.items()
    )


def code_index() -> str:
    """The codes by what they do, each with a link to its page."""
    return "\n".join(
        f"## {title}\n\n"
        + table(
            ("code", "when"),
            [(f"[`{c.value}`](codes/{c.value}.md)", first_sentence(c)) for c in Code if c.level is level],
        )
        for level, title in TITLES.items()
    )


def command_list() -> str:
    """Every command with its short help."""
    app = app_for(None)
    rows = [(f"`{c.name}`", str(c.short_help)) for c in (*app.registered_commands, *app.registered_groups)]
    return table(("command", "does"), rows)


def trailers() -> str:
    """Which trailer discloses which code."""
    rows = []
    for code in Code:
        if code.level is Level.REFUSE:
            taken = " or ".join(f"`{t.value}:`" for t in TAKES.get(code, ()))
            rows.append((f"`{code.value}`", taken or "nothing that is said"))
    return table(("finding", "what discloses it"), rows)


def keys() -> str:
    """Every key of the policy, with the direction in which it is looser."""
    rows = [
        (f"`{k.key}`", k.says, k.values, f"`{k.default}`" if k.default else "none", k.looser or "nothing") for k in KEYS
    ]
    return table(("key", "says", "values", "default", "looser is"), rows)


def readers() -> str:
    return ", ".join(f"`{name}`" for name in READERS) + "\n"


def runners() -> str:
    return ", ".join(f"`{name}`" for name in RUNNERS) + "\n"


def check_rules() -> str:
    """Every rule of `eval check`."""
    return table(("rule", "found where"), [(f"`{name}`", says) for name, says in sorted(RULES.items())])


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines) + "\n"


BLOCKS = {
    "codes": codes,
    "code_index": code_index,
    "commands": command_list,
    "trailers": trailers,
    "keys": keys,
    "readers": readers,
    "runners": runners,
    "check_rules": check_rules,
}


def filled(text: str) -> str:
    """The text with every generated block written anew. Raises KeyError for a block that nobody writes."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{BLOCKS[block[2]]()}\n{block[3]}", text)


def wanted() -> dict[Path, str]:
    """What each file that is generated, or holds a generated block, has to say."""
    found = {ROOT / "docs" / "commands.md": commands()}
    found[ROOT / "docs" / "schemas" / "policy.schema.json"] = json.dumps(policy_schema.schema(), indent=2) + "\n"
    found |= {ROOT / "docs" / "codes" / f"{c.value}.md": page_of(c.value) for c in Code}
    for path in sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")]):
        if BLOCK.search(path.read_text()):
            found[path] = filled(path.read_text())
    return found


def main(arguments: list[str]) -> int:
    """Write, or with --check only look; 1 when something is out of date."""
    stale = {p: text for p, text in wanted().items() if not p.exists() or p.read_text() != text}
    if arguments == ["--check"]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: make docs", file=sys.stderr)
        return 1 if stale else 0
    for path, text in stale.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
