"""Plain policies: whatever the plain reader takes means the same to the policy's own reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks import policy
from shipmoor_hooks.errors import PolicyFault
from shipmoor_hooks.quick import plain_policy

SUITE = '[suite.unit]\ncommand = ["pytest", "-q"]\n'


def means_the_same(text: str) -> bool:
    """Whether the plain reader took the text; then the policy's reader gives the same values."""
    plain = plain_policy.read(text.encode())
    if plain is None:
        return False
    whole = policy.parse(text.encode(), policy.OWN_FILE)
    assert (plain.target, plain.evidence) == (whole.target, whole.evidence.word)
    assert list(plain.suites) == list(whole.suites)
    for name, suite in whole.suites.items():
        table = plain.suites[name]
        assert tuple(table.get("reports", ())) == suite.reports  # type: ignore[arg-type]
        assert tuple(table.get("same", ())) == suite.same  # type: ignore[arg-type]
        odd = (suite.exclude, suite.variants, suite.shards, suite.proofs, suite.require)
        assert not any(odd)
    return True


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(SUITE, id="one_suite"),
        pytest.param(f'# words\n\n[gate]\ntarget = "origin/main" # more\n\n{SUITE}', id="comments"),
        pytest.param('[gate]\nevidence = "observed"\nmode = "warn"\nwindow = 12\n', id="the_gate"),
        pytest.param(
            '[suite.a-b_1]\ncommand = "pytest -q tests/unit"\nreports = ["build/*.xml", "x.xml",]\n', id="a_string"
        ),
        pytest.param(
            '[suite.unit]\nreports=[]\nreruns="all"\nsame = ["model"]\nnot_covered = ["a", "a"]\n', id="lists"
        ),
    ],
)
def test_plain_policies_are_taken(text: str) -> None:
    assert means_the_same(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[gate]\ntarget = 'origin/main'\n", id="another_string"),
        pytest.param('[gate]\ntarget = "origin/m\\u0061in"\n', id="an_escape"),
        pytest.param('[gate]\ntarget = """origin/main"""\n', id="a_long_string"),
        pytest.param('[gate]\ntarget = "origin/m\u00e4in"\n', id="beyond_ascii"),
        pytest.param('[gate]\r\ntarget = "origin/main"\r\n', id="other_line_ends"),
        pytest.param('[gate]\ntarget = "origin/main"\t\n', id="a_tab"),
        pytest.param('gate.target = "origin/main"\n', id="a_dotted_key"),
        pytest.param('gate = { target = "origin/main" }\n', id="a_table_in_a_line"),
        pytest.param('[gate]\n"target" = "origin/main"\n', id="a_quoted_key"),
        pytest.param("[gate]\n[gate]\n", id="a_table_twice"),
        pytest.param('[gate]\nmode = "warn"\nmode = "warn"\n', id="a_key_twice"),
        pytest.param('[gate]\nmode = "no"\n', id="a_wrong_word"),
        pytest.param("[gate]\nwindow = 012\n", id="a_wrong_number"),
        pytest.param("[gate]\nwindow = 0\n", id="a_number_too_small"),
        pytest.param('[gate]\nmode = ["warn"]\n', id="a_wrong_type"),
        pytest.param('[gate]\nother = "x"\n', id="an_unknown_key"),
        pytest.param('[other]\nmode = "warn"\n', id="an_unknown_table"),
        pytest.param('[gate.disclosure]\nreason = "#"\n', id="a_reason"),
        pytest.param('[suite.unit]\ncommand = [\n"pytest"]\n', id="several_lines"),
        pytest.param('[suite.unit]\ncommand = ["pytest" "-q"]\n', id="no_comma"),
        pytest.param('[suite.unit]\ncommand = ["pytest"] x\n', id="words_behind"),
        pytest.param('[suite.unit]\ncommand = []\n', id="no_command"),
        pytest.param('[suite.unit]\ncommand = "pytest \'x\'"\n', id="quotes_of_the_shell"),
        pytest.param('[suite.unit]\nreports = ["../x.xml"]\n', id="a_report_outside"),
        pytest.param('[suite.unit]\nreports = ["x", "x"]\n', id="a_report_twice"),
        pytest.param('[suite.unit]\nexclude = ["docs/**"]\n', id="paths_that_do_not_count"),
        pytest.param('[suite.unit]\nformat = "plugin-eval"\n', id="evals"),
        pytest.param("[suite.unit]\nproofs = true\n", id="proofs"),
        pytest.param("[suite.unit", id="no_bracket"),
        pytest.param('x = "y"\n', id="a_key_before_any_table"),
    ],
)  # fmt: skip
def test_whatever_is_not_plain_is_left_alone(text: str) -> None:
    assert plain_policy.read(text.encode()) is None


_PIECES = st.sampled_from([
    "[gate]", "[suite.unit]", "[suite.e2e]", "[gate.disclosure]", "target = ", "evidence = ", "command = ", "reports = ",
    "same = ", "reruns = ", "window = ", '"origin/main"', '"observed"', '"all"', '["a", "b"]', '["a"', "]", "[", "]", '"', "'",
    ",", "#", " ", "\n", "\n", "\n", "12", "0", "-", "\\", "x", "=", "é", "\t", '"""',
])  # fmt: skip


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_what_is_taken_means_the_same(text: str) -> None:
    """Never a policy that the whole reader refuses or reads otherwise."""
    try:
        means_the_same(text)
    except PolicyFault as fault:
        raise AssertionError(f"{text!r} was taken: {fault.message}") from fault


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_what_is_put_behind_a_plain_policy_changes_no_meaning(text: str) -> None:
    means_the_same(SUITE + text)
