"""The eval side of an entry survives its way through the spool's bytes, and what is not of its shape is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.eval_model import EvalCase, EvalRun, EvalSample, GraderVerdict
from shipmoor_hooks.store import eval_entry

numbers = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(max_size=8)
verdicts = st.builds(GraderVerdict, names, names, st.none() | st.booleans(), numbers, st.booleans())
samples = st.builds(
    EvalSample,
    st.booleans(),
    st.none() | numbers,
    st.lists(verdicts, max_size=2).map(tuple),
    names,
    st.none() | numbers,
    st.none() | numbers,
    st.none() | numbers,
    st.integers(0, 9),
    names,
)
cases = st.builds(
    EvalCase,
    names,
    names,
    st.lists(samples, max_size=3).map(tuple),
    st.none() | names,
    st.none() | st.booleans(),
    st.none() | numbers,
    st.none() | st.integers(0, 50),
)
runs = st.builds(
    EvalRun,
    st.lists(cases, max_size=3).map(tuple),
    program=names,
    threshold=numbers,
    program_passed=st.none() | st.integers(0, 9),
    seconds=st.none() | numbers,
    missing=st.lists(st.tuples(names, names), max_size=2).map(tuple),
    alone=st.booleans(),
    label=names,
)


@given(runs)
def test_what_is_written_is_read_back(run: EvalRun) -> None:
    assert eval_entry.eval_run(eval_entry.fields_of(run)) == run


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param([], id="no-object"),
        pytest.param({"threshold": float("nan")}, id="not-a-number"),
        pytest.param({"threshold": True}, id="a-boolean-for-a-number"),
        pytest.param({"program": 3}, id="a-number-for-a-name"),
        pytest.param({"program_passed": 1.0}, id="a-fraction-for-a-count"),
        pytest.param({"cases": {}}, id="an-object-for-a-list"),
        pytest.param({"cases": [{"id": "a"}]}, id="a-field-is-missing"),
        pytest.param({"missing": [["a"]]}, id="half-a-row"),
    ],
)
def test_another_shape_is_refused(stored: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        eval_entry.eval_run(stored)


def test_a_newer_field_is_left_alone() -> None:
    assert eval_entry.eval_run({"alone": True, "from_the_future": 1}) == EvalRun(alone=True)
