"""What follows from the findings: refused before no evidence before allowed, disclosures, and the ways out."""

from __future__ import annotations

import itertools

import pytest
from rule_world import BASE, compare, conclude, run

from shipmoor_hooks.model import (
    Code,
    CommitMessage,
    Count,
    Decision,
    Finding,
    Level,
    Revision,
    SuiteCount,
    Trailer,
    Verdict,
)
from shipmoor_hooks.rules.verdict import conclude as conclude_verdict
from shipmoor_hooks.rules.verdict import decide

REFUSE = Finding(Code.CASE_RED, "it is red.", "Repair it.", "unit", case="t/s.py::a")
LOST = Finding(Code.CASE_REMOVED, "it is gone.", "Restore the case.", "unit", case="t/s.py::a")
MISSING = Finding(Code.NO_RUN_AT_TIP, "no run.", "shipmoor-hooks run", "unit")
NOTE = Finding(Code.CASE_ADDED, "it is new.", suite="unit", case="t/s.py::n")


@pytest.mark.parametrize(
    ("findings", "want"),
    [
        pytest.param([], Decision.ALLOWED, id="nothing to say"),
        pytest.param([NOTE], Decision.ALLOWED, id="a note has no effect"),
        pytest.param([MISSING], Decision.CANNOT_EVALUATE, id="evidence is missing"),
        pytest.param([REFUSE], Decision.REFUSED, id="a refusal"),
        pytest.param([MISSING, REFUSE, NOTE], Decision.REFUSED, id="a refusal outweighs missing evidence"),
        pytest.param([MISSING, NOTE], Decision.CANNOT_EVALUATE, id="missing evidence outweighs notes"),
    ],
)
def test_precedence(findings: list[Finding], want: Decision) -> None:
    for some in itertools.permutations(findings):
        assert decide(some) is want
        verdict = conclude(list(some))
        assert verdict.decision is want
        assert not verdict.warned
        assert {f.code for f in verdict.findings} == {f.code for f in findings}


@pytest.mark.parametrize("code", list(Code), ids=lambda c: c.value)
def test_each_code_has_its_effect(code: Code) -> None:
    want = {Level.REFUSE: Decision.REFUSED, Level.NO_EVIDENCE: Decision.CANNOT_EVALUATE, Level.NOTE: Decision.ALLOWED}
    assert conclude([Finding(code, "so it is.", "do", case="x")]).decision is want[code.level]


def disclosed(verdict: Verdict) -> dict[str, str]:
    return {f.case or "": f.disclosed.reason for f in verdict.findings if f.disclosed}


def test_a_disclosed_finding_stays_in_the_list_and_lets_through() -> None:
    verdict = conclude([LOST], trailers=["Test-Removed: t/s.py::a -- the endpoint is gone"])
    assert verdict.decision is Decision.ALLOWED
    assert verdict.reduced is True
    (finding,) = verdict.findings
    assert finding.level is Level.REFUSE
    assert finding.disclosed is not None
    assert (finding.disclosed.commit, finding.disclosed.trailer) == ("c" * 40, Trailer.REMOVED)
    assert disclosed(verdict) == {"t/s.py::a": "the endpoint is gone"}
    assert finding.next_step == "Restore the case."


def test_one_of_two_disclosed_is_refused_for_the_other() -> None:
    result = compare("a P, b P, c P", "a P")
    verdict = conclude(comparison=result, trailers=["Test-Removed: t/s.py::b -- gone"])
    assert verdict.decision is Decision.REFUSED
    assert disclosed(verdict) == {"t/s.py::b": "gone"}


def test_no_words_let_a_red_through() -> None:
    keys = ("Test-Removed", "Test-Skipped", "Test-Weakened", "Test-Policy", "Test-Unregistered")
    verdict = conclude(comparison=compare("a P", "a F"), trailers=[f"{key}: t/s.py::a -- really" for key in keys])
    assert verdict.decision is Decision.REFUSED
    assert not disclosed(verdict)
    assert sum(f.code is Code.DISCLOSURE_UNUSED for f in verdict.findings) == len(keys)


def test_the_reason_must_match_the_policy() -> None:
    result, line = compare("a P, b P", "a P"), "Test-Removed: t/s.py::b -- see #12"
    assert conclude(comparison=result, trailers=[line], reason=r"#\d+").decision is Decision.ALLOWED
    assert conclude(comparison=result, trailers=[line], reason=r"JIRA-\d+").decision is Decision.REFUSED


def test_a_line_in_the_prose_is_told_and_does_not_count() -> None:
    message = CommitMessage("c" * 40, (), "Say\n\nTest-Removed: t/s.py::a -- gone\n\nMore words\n")
    verdict = conclude_verdict(
        base=Revision(None, None), tip=Revision("1", "2"), ref="r", counts=[], findings=[LOST], commits=[message],
        known=["t/s.py::a"], new_at_tip=[],
    )  # fmt: skip
    assert [f.code for f in verdict.findings] == [Code.CASE_REMOVED, Code.DISCLOSURE_MISPLACED]
    assert verdict.decision is Decision.REFUSED
    assert (verdict.ref, verdict.base) == ("r", Revision(None, None))


# ---------------------------------------------------------------- mode and reduced


@pytest.mark.parametrize(
    ("findings", "want", "warned"),
    [
        pytest.param([], Decision.ALLOWED, False, id="nothing"),
        pytest.param([REFUSE], Decision.ALLOWED, True, id="a refusal only warns"),
        pytest.param([MISSING], Decision.CANNOT_EVALUATE, False, id="missing evidence stays missing"),
        pytest.param([REFUSE, MISSING], Decision.CANNOT_EVALUATE, False, id="also beside a refusal"),
    ],
)
def test_mode_warn(findings: list[Finding], want: Decision, warned: bool) -> None:
    verdict = conclude(findings, mode="warn")
    assert (verdict.decision, verdict.warned) == (want, warned)


@pytest.mark.parametrize(
    ("base", "tip", "want"),
    [
        ("a P", "a P", False),
        ("a P", "a P, b F", False),
        ("a P, b P", "a P", True),
        ("a P", "a F", True),
        ("a P", "a S", True),
    ],
)
def test_reduced_tells_what_is(base: str, tip: str, want: bool) -> None:
    assert conclude(comparison=compare(base, tip)).reduced is want
    assert conclude(comparison=compare(base, tip), mode="warn").reduced is want


def test_reduced_is_null_where_nothing_was_compared() -> None:
    assert conclude([MISSING]).reduced is None
    assert conclude().reduced is None
    first = conclude_verdict(
        base=Revision(BASE, BASE), tip=Revision("1", "2"), ref="", counts=[SuiteCount("unit", None, None, Count(1, 1))],
        findings=[], commits=[], known=[], new_at_tip=[],
    )  # fmt: skip
    assert first.reduced is None


def test_a_loosened_policy_is_reduced_although_nothing_was_compared() -> None:
    assert conclude([Finding(Code.POLICY_LOOSENED, "looser.", "Restore.", case="suite.unit")]).reduced is True


# ---------------------------------------------------------------- the ways out


def step(verdict: Verdict, case: str) -> list[str]:
    return next(f.next_step for f in verdict.findings if f.case == case).split("\n")


def test_the_first_way_out_is_to_restore_the_last_one_the_line_to_paste() -> None:
    assert step(conclude(comparison=compare("a P, b P", "a P")), "t/s.py::b") == [
        "Restore the case.",
        "Or say why in the last paragraph of a commit message of this push:",
        "Test-Removed: t/s.py::b -- <reason>",
    ]


def test_a_rename_is_offered_where_few_cases_are_new() -> None:
    assert step(conclude(comparison=compare("a P, b P", "a P, c P, d F")), "t/s.py::b") == [
        "Restore the case.",
        "If t/s.py::c is its new name:",
        "Test-Renamed: t/s.py::b => t/s.py::c -- <reason>",
        "If t/s.py::d is its new name:",
        "Test-Renamed: t/s.py::b => t/s.py::d -- <reason>",
        "Or say why in the last paragraph of a commit message of this push:",
        "Test-Removed: t/s.py::b -- <reason>",
    ]


def test_namesakes_in_other_files_are_shown_as_candidates() -> None:
    base = "t/s.py::a P, t/s.py::late P"
    tip = "t/s.py::a P, t/x.py::late P, t/y.py::late P, " + ", ".join(f"t/s.py::n{i} P" for i in range(9))
    told = step(conclude(comparison=compare(base, tip)), "t/s.py::late")
    assert [line for line in told if line.startswith("Test-Renamed")] == [
        "Test-Renamed: t/s.py::late => t/x.py::late -- <reason>",
        "Test-Renamed: t/s.py::late => t/y.py::late -- <reason>",
    ]


@pytest.mark.parametrize(
    ("base", "tip"),
    [
        pytest.param("a P, b P", "a P, c P, d P, e P, f P", id="many are new"),
        pytest.param("b P, w P, x P, y P, z P", "c P", id="many are gone"),
        pytest.param("a P, b P", "a P, c S", id="what is new did not run"),
        pytest.param("a P, b P", "a P", id="nothing is new"),
    ],
)
def test_no_rename_is_offered(base: str, tip: str) -> None:
    assert "Test-Renamed" not in "\n".join(step(conclude(comparison=compare(base, tip)), "t/s.py::b"))


@pytest.mark.parametrize(
    ("base", "tip", "case", "line"),
    [
        ("a P", "a S", "t/s.py::a", "Test-Skipped: t/s.py::a -- <reason>"),
        ("a 2*P", "a P", "t/s.py::a", "Test-Removed: t/s.py::a -- <reason>"),
        ("p[o0] P, p[o1] P", "p[o0] P", "t/s.py::p", "Test-Removed: t/s.py::p -- <reason>"),
    ],
)
def test_each_kind_offers_its_own_line(base: str, tip: str, case: str, line: str) -> None:
    assert step(conclude(comparison=compare(base, tip)), case)[-1] == line


@pytest.mark.parametrize(("base", "tip"), [("a P", "a F"), ("t/m.py::x P", "t/m.py C")])
def test_where_words_do_not_help_none_are_offered(base: str, tip: str) -> None:
    verdict = conclude(comparison=compare(base, tip))
    assert verdict.decision is Decision.REFUSED
    assert not [f for f in verdict.findings if "\nTest-" in f.next_step]


@pytest.mark.parametrize(
    ("base", "tip"),
    [
        ("a P, b P, c P", "a P"),
        ("a P, b P", "a S, b X"),
        ("p[o0] P, p[o1] P, a 3*P", "p[o0] P, a P"),
        ("x[a -- b => c] P, x[2*3] P, " + "y" * 200 + " P", "a P"),
        ([run("a P", variant="v")], [run("b P", variant="v")]),
    ],
)
def test_the_lines_to_paste_let_through_when_they_are_pasted(base: object, tip: object) -> None:
    result = compare(base, tip)  # type: ignore[arg-type]
    refused = conclude(comparison=result)
    assert refused.decision is Decision.REFUSED
    lines = [
        row for f in refused.findings for row in f.next_step.split("\n") if row.startswith(("Test-Rem", "Test-Sk"))
    ]
    pasted = [row.replace("<reason>", "it is planned") for row in lines]
    after = conclude(comparison=result, trailers=pasted)
    assert after.decision is Decision.ALLOWED
    assert after.reduced is True


def test_findings_stand_in_the_order_of_the_codes_then_of_suite_variant_and_case() -> None:
    rows = [
        Finding(Code.CASE_SKIPPED, "x.", case="a"),
        *(
            Finding(Code.CASE_REMOVED, "x.", suite=s, variant=v, case=c)
            for s, v, c in itertools.product("ba", "yx", "dc")
        ),
        Finding(Code.CASE_REMOVED, "x.", case="z"),
    ]
    told = [(f.code, f.suite or "", f.variant or "", f.case or "") for f in conclude(rows).findings]
    assert told == sorted(told, key=lambda row: (list(Code).index(row[0]), *row[1:]))
