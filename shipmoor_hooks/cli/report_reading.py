"""What `read` shows of a report, and the paths by which its ids name files."""

from __future__ import annotations

from shipmoor_hooks import describe
from shipmoor_hooks.cli.context import Call
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import CaseList, Outcome
from shipmoor_hooks.visible import visible


def paths_here(call: Call) -> tuple[frozenset[str], str]:
    """The paths of the working tree when there is one: ids then name files as `capture` would."""
    try:
        where = call.find()
        top = where.require_top()
        out = where.git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    except UsageFault:
        return frozenset(), ""
    return frozenset(out.decode("utf-8", "surrogateescape").split("\0")), top


def read_text(name: str, reader: str, dialect: str, cases: CaseList) -> str:
    passed = cases.counts()[Outcome.PASSED]
    head = f"{visible(name)}: {passed} of {len(cases)} passed, read as {reader}" + (f" ({dialect})" if dialect else "")
    return "\n".join([head, *(f"  {describe.case_line(c)}" for c in cases)])
