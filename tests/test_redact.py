"""What of a command line is not stored with its run (design, section 9): a table, no-op cases first."""

from __future__ import annotations

import pytest
from test_spool import run_of

from shipmoor_hooks.model import Code, Problem
from shipmoor_hooks.sharing import redact

VALUE = "canary+7f3d/99e1"
ENVIRON = {"MY_API_TOKEN": VALUE, "PASSWORD": "short", "EDITOR": "an-editor-with-options", "GREETING": "hello there"}


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        pytest.param(["pytest", "-q", "tests"], "pytest -q tests", id="no secret"),
        pytest.param(["pytest", "--max-tokens=100"], "pytest --max-tokens=100", id="a number of tokens"),
        pytest.param(["pytest", "--token", "-q"], "pytest --token -q", id="an option without a value"),
        pytest.param(["pytest", "hello there"], "pytest hello there", id="a value of no secret name"),
        pytest.param(["pytest", "-k", "short"], "pytest -k short", id="a value too short to be told from a word"),
        pytest.param(["pytest", "-k", "token", "tests"], "pytest -k token tests", id="a word that is no option"),
        pytest.param(["x", "https://host/a:b@c"], "x https://host/a:b@c", id="an at sign behind the host"),
        pytest.param(["x", f"--to={VALUE}"], "x --to=***", id="the value of a variable"),
        pytest.param(["x", "--to=canary%2B7f3d%2F99e1"], "x --to=***", id="as a URL spells it"),
        pytest.param(["x", "Y2FuYXJ5KzdmM2QvOTllMQ=="], "x ***==", id="in base64"),
        pytest.param(["x", "--token=abc"], "x --token=***", id="an option that is called so"),
        pytest.param(["x", "--api-key", "abc"], "x --api-key ***", id="and its value behind it"),
        pytest.param(["env", "DB_PASSWORD=a", "pytest"], "env DB_PASSWORD=*** pytest", id="a variable that is set"),
        pytest.param(["x", "https://ada:pw@host/r"], "x https://ada:***@host/r", id="a password in a URL"),
    ],
)
def test_a_command_is_kept_without_its_secrets(words: list[str], kept: str) -> None:
    line = Problem(Code.RUN_PARTIAL, f"another command than the policy's: {' '.join(words)}", "run it all")
    told = redact.run(run_of(command=tuple(words), conditions=(("argv", " ".join(words)),), problems=(line,)), ENVIRON)
    assert " ".join(told.command) == kept
    assert told.conditions == (("argv", kept),)
    assert told.problems[0].message == f"another command than the policy's: {kept}"
