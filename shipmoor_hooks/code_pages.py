"""The page of each code: what it means, an example, the ways out (STYLE rule 5). `docs/codes/` holds the same text.

A page is Markdown of a fixed form: the code as the title, a first paragraph whose first sentence says it all, more where
there is more, `## Example`, `## Ways out`.
"""

from __future__ import annotations

import os

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.finding_codes import Code

FOLDER = os.path.join(os.path.dirname(__file__), "codes")


def page_of(name: str) -> str:
    """The page of the code `name` (any letter case, `-` for `_`). Raises UsageFault naming the nearest code."""
    wanted = name.strip().upper().replace("-", "_")
    codes = [c.value for c in Code]
    if wanted not in codes:
        import difflib  # only a wrong name needs it

        near = difflib.get_close_matches(wanted, codes, 1)
        hint = f"shipmoor-hooks explain {near[0]}" if near else "shipmoor-hooks explain"
        raise UsageFault(f"there is no code {name!r}", hint)
    with open(os.path.join(FOLDER, f"{wanted}.md"), encoding="utf-8") as file:
        return file.read()


def first_sentence(code: Code) -> str:
    """What the code says, in one line."""
    body = page_of(code.value).split("\n\n")[1]
    return " ".join(body.split()).split(". ")[0].rstrip(".") + "."
