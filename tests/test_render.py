"""The verdict as text and JSON: golden texts, the schema, what is cut and how that is told, and hostile names."""

from __future__ import annotations

import json
import textwrap
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_world import BASE, TIP, compare, conclude, run

from shipmoor_hooks.describe import case_line, run_line, run_text
from shipmoor_hooks.model import (
    Code,
    Count,
    Decision,
    Disclosure,
    Finding,
    Level,
    Outcome,
    Revision,
    SuiteCount,
    Trailer,
    Verdict,
)
from shipmoor_hooks.render import MOST_FINDINGS, MOST_NOTES, as_json, as_text, counts, headline
from shipmoor_hooks.wrapping import wrapped


def verdict(*findings: Finding, decision: Decision = Decision.REFUSED, **more: object) -> Verdict:
    made = Verdict(decision, True, Revision(BASE, BASE), Revision(TIP, TIP), (), findings)
    return replace(made, **more)  # type: ignore[arg-type]


# ---------------------------------------------------------------- golden texts

COMMAND = "shipmoor-hooks run --suite unit --at 0123456789ab"
ALLOWED = """\
allowed: unit 2 of 2
  unit  base 1 of 1, tip 2 of 2

notes:
  CASE_ADDED t/s.py::b is new and passed.
"""
REFUSED = """\
refused: 1 case is gone, 1 case is newly skipped, 1 case turned red
  unit  base 4 of 4, tip 1 of 3

CASE_REMOVED (1) in unit
  t/s.py::b stands at the base (passed 1 of 1 there) and is not among the 3 cases at the tip.
    Restore the case.
    Or say why in the last paragraph of a commit message of this push:
        Test-Removed: t/s.py::b -- <reason>

CASE_SKIPPED (1) in unit
  t/s.py::c ran at the base (passed 1 of 1) and is skipped at the tip.
    Let the case run again.
    Or say why in the last paragraph of a commit message of this push:
        Test-Skipped: t/s.py::c -- <reason>

CASE_RED (1) in unit
  t/s.py::d passed 1 of 1 at the base and failed at the tip.
    Make it pass, then run the suite again. If the base is red too, measure it: {COMMAND}
""".replace("{COMMAND}", COMMAND)
DISCLOSED = """\
allowed: unit 1 of 1, 1 disclosed
  unit  base 2 of 2, tip 1 of 1

disclosed (1):
  CASE_REMOVED t/s.py::b (Test-Removed: the endpoint is gone)
"""
RENAMED = """\
refused: 2 cases are gone
  unit  base 2 of 2, tip 1 of 1

CASE_REMOVED (2) in unit
  t/s.py::a stands at the base (passed 1 of 1 there) and is not among the 1 case at the tip.
  t/s.py::b stands at the base (passed 1 of 1 there) and is not among the 1 case at the tip.
    Restore the case.
    If t/s.py::n is its new name:
        Test-Renamed: t/s.py::a => t/s.py::n -- <reason>
        Test-Renamed: t/s.py::b => t/s.py::n -- <reason>
    Or say why in the last paragraph of a commit message of this push:
        Test-Removed: t/s.py::a -- <reason>
        Test-Removed: t/s.py::b -- <reason>

notes:
  CASE_ADDED t/s.py::n is new and passed.
"""
NO_EVIDENCE = """\
cannot evaluate: there is no usable evidence for unit

NO_RUN_AT_TIP (1) in unit
  No run of unit stands on the tip's tree (commit 777777777777).
    shipmoor-hooks run --suite unit
"""
SHALLOW = """\
refs/heads/x: cannot evaluate: SHALLOW

SHALLOW (1)
  this clone is shallow.
    git fetch --unshallow
"""
WARNED = """\
would be refused (the policy only warns): 1 case is gone
  unit  base 2 of 2, tip 1 of 1

CASE_REMOVED (1) in unit
  t/s.py::b stands at the base (passed 1 of 1 there) and is not among the 1 case at the tip.
    Restore the case.
    Or say why in the last paragraph of a commit message of this push:
        Test-Removed: t/s.py::b -- <reason>
"""
NO_RUN = Finding(
    Code.NO_RUN_AT_TIP,
    "No run of unit stands on the tip's tree (commit 777777777777).",
    "shipmoor-hooks run --suite unit",
    "unit",
)
CUT_OFF = Finding(Code.SHALLOW, "this clone is shallow.", "git fetch --unshallow")


@pytest.mark.parametrize(
    ("made", "want"),
    [
        pytest.param(conclude(comparison=compare("a P", "a P, b P")), ALLOWED, id="allowed, with a note"),
        pytest.param(conclude(comparison=compare("a P, b P, c P, d P", "a P, c S, d F")), REFUSED, id="refused, three kinds"),
        pytest.param(
            conclude(comparison=compare("a P, b P", "a P"), trailers=["Test-Removed: t/s.py::b -- the endpoint is gone"]),
            DISCLOSED, id="disclosed",
        ),
        pytest.param(conclude(comparison=compare("a P, b P", "n P")), RENAMED, id="renames offered, each sentence once"),
        pytest.param(conclude([NO_RUN]), NO_EVIDENCE, id="no evidence"),
        pytest.param(replace(conclude([CUT_OFF]), ref="refs/heads/x"), SHALLOW, id="no evidence for the whole push"),
        pytest.param(conclude(comparison=compare("a P, b P", "a P"), mode="warn"), WARNED, id="only a warning"),
    ],
)  # fmt: skip
def test_golden_texts(made: Verdict, want: str) -> None:
    assert as_text(made) == want


def test_a_refusal_beside_missing_evidence_shows_both() -> None:
    text = as_text(conclude([NO_RUN, Finding(Code.POLICY_LOOSENED, "looser.", "Restore it.", case="gate.window")]))
    assert text.startswith("refused: 1 key of the policy is looser\n")
    assert "NO_RUN_AT_TIP (1) in unit" in text
    assert "Test-Policy: gate.window -- <reason>" in text


def test_nothing_compared_is_told() -> None:
    assert headline(verdict(decision=Decision.ALLOWED)) == "allowed: nothing was compared"


def test_variants_are_named_and_lined_up() -> None:
    rows = [SuiteCount("unit", "py312", Count(1, 2), None), SuiteCount("e2e", None, None, Count(2, 2))]
    assert counts(rows) == [
        "unit [py312]  base 1 of 2, tip not measured",
        "e2e           base not measured, tip 2 of 2",
    ]
    text = as_text(verdict(Finding(Code.CASE_RED, "red.", "Mend it.", "unit", "py312", "a"), suites=tuple(rows)))
    assert "CASE_RED (1) in unit [py312]\n" in text


@pytest.mark.parametrize("code", [c for c in Code if c.level is Level.REFUSE], ids=lambda c: c.value)
def test_every_refusing_code_has_words_for_the_headline(code: Code) -> None:
    one, two = (headline(verdict(*[Finding(code, "so.", "do.", case=str(i)) for i in range(n)])) for n in (1, 2))
    assert one.startswith("refused: 1 ")
    assert two.startswith("refused: 2 ")
    assert one[11:] != two[11:]


def test_messages_are_wrapped_and_lines_to_paste_are_not() -> None:
    name = "t/" + "n" * 60 + ".py::x"
    text = as_text(conclude(comparison=compare(f"a P, {name} P", "a P")), width=60)
    assert f"        Test-Removed: {name} -- <reason>" in text.split("\n")
    assert "    among the 1 case at the tip." in text.split("\n")


# ---------------------------------------------------------------- caps


def many(number: int, folder: str = "t/legacy") -> str:
    return ", ".join(f"{folder}/m{i % 3}.py::x{i:04} P" for i in range(number))


def test_a_long_group_is_cut_and_says_where_the_rest_is() -> None:
    made = conclude(comparison=compare(f"a P, {many(40)}", "a P"))
    text = as_text(made)
    assert text.count("stands at the base") == 1
    assert text.count("\n    t/legacy/m") == MOST_FINDINGS - 1
    assert "  and likewise:\n    t/legacy/m0.py::x0003  base 1 of 1\n" in text
    assert "  and 30 more (all of them: --verbose or --format json)\n" in text
    assert as_text(made, verbose=True).count("\n    t/legacy/m") == 39
    assert len(as_json(made)["findings"]) == 40


def test_many_disclosed_ones_are_cut_as_well() -> None:
    made = conclude(
        comparison=compare(f"a P, {many(40)}", "a P"), trailers=["Test-Removed: t/legacy/* (40) -- dropped"]
    )
    assert made.decision is Decision.ALLOWED
    text = as_text(made)
    assert text.count("Test-Removed: dropped") == MOST_FINDINGS
    assert "  and 30 more (all of them: --verbose or --format json)\n" in text


def test_many_notes_of_one_code_are_one_line() -> None:
    made = conclude(comparison=compare("a P", "a P, b P, c P, d P, e P"))
    assert "  CASE_ADDED (4): t/s.py::b, t/s.py::c, t/s.py::d and 1 more\n" in as_text(made)
    assert as_text(made, verbose=True).count("is new and passed") == 4


def test_notes_without_a_case_are_all_told() -> None:
    notes = [Finding(Code.TARGET_UNCONFIRMED, f"note {i}.") for i in range(5)]
    assert as_text(verdict(*notes, decision=Decision.ALLOWED)).count("TARGET_UNCONFIRMED note") == 5


def test_json_keeps_refusals_whole_and_says_how_many_notes_are_left_out() -> None:
    lost = [Finding(Code.CASE_REMOVED, "gone.", "do.", case=str(i)) for i in range(MOST_NOTES + 5)]
    added = [Finding(Code.CASE_ADDED, "new.", case=str(i)) for i in range(MOST_NOTES + 7)]
    moved = [Finding(Code.CASE_MOVED, "moved.", case=str(i)) for i in range(MOST_NOTES)]
    rows = as_json(verdict(*lost, *added, *moved))["findings"]
    assert len(rows) == len(lost) + 2 * MOST_NOTES
    assert [(r["code"], r["more"]) for r in rows if "more" in r] == [("CASE_ADDED", 7)]


# ---------------------------------------------------------------- one line for many


@pytest.mark.parametrize(
    ("base", "tip", "line"),
    [
        pytest.param(f"a P, {many(11)}", "a P", "Test-Removed: t/legacy/* (11) -- <reason>", id="a folder"),
        pytest.param("a P, " + ", ".join(f"t/m.py::x{i} P" for i in range(12)), "a P",
                     "Test-Removed: t/m.py::* (12) -- <reason>", id="a file"),
        pytest.param("a P, " + ", ".join(f"t/m.py::x[{i}] P" for i in range(12)), "a P",
                     "Test-Removed: t/m.py::* (12) -- <reason>", id="one function's parameters"),
        pytest.param("a P, " + many(11), "a P, " + many(11).replace(" P", " S"),
                     "Test-Skipped: t/legacy/* (11) -- <reason>", id="newly skipped"),
        pytest.param(f"a P, {many(10)}", "a P", None, id="few enough to name"),
        pytest.param("a P, " + ", ".join(f"m{i}::x P" for i in range(12)), "a P", None, id="nothing in common"),
        pytest.param("a P, " + ", ".join(f"t*/m.py::x{i} P" for i in range(12)), "a P", None, id="a star in the name"),
        pytest.param("a P, " + many(12, "t/" + "n" * 90), "a P", None, id="too long for a line"),
        pytest.param("a P, " + many(12, "t -- u"), "a P", None, id="a name that a line cannot hold"),
        pytest.param("a P, t/legacy/z.py::y 2*P, " + many(12), "a P, t/legacy/z.py::y P", None,
                     id="it would also name a case that stands fewer times"),
        pytest.param("a P, t/legacy/z.py::y P, " + many(12), "a P, t/legacy/z.py::y S",
                     "Test-Removed: t/legacy/* (12) -- <reason>", id="a skipped case is of another kind"),
    ],
)  # fmt: skip
def test_a_counted_wildcard_is_offered_only_where_it_is_exactly_right(base: str, tip: str, line: str | None) -> None:
    result = compare(base, tip)
    text = as_text(conclude(comparison=result))
    offered = [row.strip() for row in text.split("\n") if "* (" in row]
    assert offered == ([line] if line else [])
    if line:
        after = conclude(comparison=result, trailers=[line.replace("<reason>", "dropped with the old importer")])
        open_codes = {f.code for f in after.findings if f.refuses}
        assert (Code.CASE_REMOVED if "Removed" in line else Code.CASE_SKIPPED) not in open_codes
        assert not [f for f in after.findings if f.code is Code.DISCLOSURE_UNUSED]


def test_where_one_line_names_all_the_single_ones_are_left_out() -> None:
    made = conclude(comparison=compare(f"a P, {many(11)}", "a P"))
    assert as_text(made).split("\n")[-4:] == [
        "    Restore the case.",
        "    Or say why in the last paragraph of a commit message of this push, once for all of them:",
        "        Test-Removed: t/legacy/* (11) -- <reason>",
        "",
    ]
    assert as_text(made, verbose=True).count("Test-Removed: ") == 12


@pytest.mark.parametrize("code", [Code.CASE_RED, Code.COLLECTION_ERROR, Code.CASE_UNPROVEN], ids=lambda c: c.value)
def test_no_line_is_offered_for_what_words_cannot_disclose(code: Code) -> None:
    text = as_text(verdict(*[Finding(code, "so.", "do it.", "unit", case=f"t/m.py::x{i}") for i in range(12)]))
    assert "* (" not in text
    assert "    do it.\n" in text


def test_findings_without_a_case_or_a_way_out_are_shown_all_the_same() -> None:
    text = as_text(verdict(*[Finding(Code.CASE_REMOVED, f"gone {i}.") for i in range(12)]))
    assert "CASE_REMOVED (12)\n  gone 0.\n" in text
    assert "* (" not in text


@given(st.lists(st.tuples(st.sampled_from(["a/b/", "a/b/c/", "a/", "z/"]), st.integers(0, 30)), min_size=12, max_size=40),
       st.sets(st.integers(0, 39), max_size=4))  # fmt: skip
def test_what_is_offered_lets_exactly_these_through(names: list[tuple[str, int]], kept: set[int]) -> None:
    ids = sorted({f"{folder}m.py::x{i}" for folder, i in names})
    lost = [
        Finding(Code.CASE_FEWER if n in kept else Code.CASE_REMOVED, "gone.", "do.", "unit", case=i)
        for n, i in enumerate(ids)
    ]
    text = as_text(conclude(lost))
    for row in text.split("\n"):
        if "* (" in row:
            after = conclude(lost, trailers=[row.strip().replace("<reason>", "so it is")])
            codes = {f.code for f in after.findings if f.disclosed}
            assert len(codes) == 1
            assert {f.code for f in after.findings if f.refuses}.isdisjoint(codes)


# ---------------------------------------------------------------- JSON


def test_the_shape_of_the_json() -> None:
    result = compare("a P, b P", "a P, c F")
    told = as_json(conclude(comparison=result, trailers=["Test-Removed: t/s.py::b -- the endpoint is gone"]))
    runs = told["suites"][0].pop("runs")
    assert {side: [(r["passed"], r["of"]) for r in rows] for side, rows in runs.items()} == {
        "base": [(2, 2)],
        "tip": [(1, 2)],
    }
    assert all(r["run"] for rows in runs.values() for r in rows)
    assert told == {
        "schema": "shipmoor-hooks.gate/1",
        "verdict": "allowed",
        "reduced": True,
        "warned": False,
        "ref": None,
        "base": {"commit": BASE, "tree": BASE},
        "tip": {"commit": TIP, "tree": TIP},
        "suites": [
            {
                "suite": "unit",
                "variant": None,
                "base": {"passed": 2, "of": 2},
                "tip": {"passed": 1, "of": 2},
            },
        ],
        "findings": [
            {
                "code": "CASE_REMOVED",
                "level": "refuse",
                "suite": "unit",
                "variant": None,
                "case": "t/s.py::b",
                "base": {"passed": 1, "of": 1},
                "tip": None,
                "disclosed": {"commit": "c" * 40, "trailer": "Test-Removed", "reason": "the endpoint is gone"},
                "message": "t/s.py::b stands at the base (passed 1 of 1 there) and is not among the 2 cases at the tip.",
                "next": "Restore the case.",
            },
            {
                "code": "NEW_RED",
                "level": "note",
                "suite": "unit",
                "variant": None,
                "case": "t/s.py::c",
                "base": None,
                "tip": {"passed": 0, "of": 1},
                "disclosed": None,
                "message": "t/s.py::c is new and failed.",
                "next": None,
            },
        ],
    }
    assert list(told["findings"][0]) == [
        "code", "level", "suite", "variant", "case", "base", "tip", "disclosed", "message", "next"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("findings", "word"),
    [([], "allowed"), ([NO_RUN], "cannot-evaluate"), ([Finding(Code.CASE_RED, "red.", "do.", case="a")], "refused")],
)
def test_the_word_of_the_verdict(findings: list[Finding], word: str) -> None:
    told = as_json(conclude(findings))
    assert told["verdict"] == word
    assert (told["reduced"], told["suites"]) == (True if word == "refused" else None, [])


# ---------------------------------------------------------------- hostile names

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\x00\x07\x1b\x7f\x9b\r\n\t\u200b\u200d\u2028\u202e\u2066\ufeff\u00ad\u034f\u3164\ufe0f\U000e0041 a"
        ),
        st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, categories=["Cs"]),
    ),
    max_size=20,
)
UNSEEN = set("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u3164\uffa0") | {
    chr(c) for c in range(0xFE00, 0xFE10)
}


def harmless(text: str) -> bool:
    categories = {unicodedata.category(c) for c in text}
    return not UNSEEN & set(text) and not categories & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(HOSTILE, HOSTILE, HOSTILE, st.sampled_from(list(Code)), st.booleans())
def test_no_name_moves_a_terminal(name: str, suite: str, reason: str, code: Code, verbose: bool) -> None:
    given_away = Disclosure("c" * 40, Trailer.REMOVED, reason)
    findings = [
        Finding(
            code,
            f"{name} is {reason}.",
            f"Mend {name}.\nTest-Removed: {name} -- <reason>",
            suite,
            name,
            name,
            Count(1, 1),
        ),
        Finding(Code.CASE_REMOVED, f"{name}.", "do.", suite, None, name, disclosed=given_away),
        *(Finding(Code.CASE_ADDED, f"{name}.", suite=suite, case=f"{name}{i}") for i in range(5)),
    ]
    rows = (SuiteCount(suite, name, None, None), SuiteCount(suite, None, Count(1, 1), Count(1, 1)))
    for decision in Decision:
        made = verdict(*findings, decision=decision, ref=name, suites=rows)
        assert all(harmless(line) for line in as_text(made, verbose=verbose).split("\n"))
        assert harmless(json.dumps(as_json(made)))


@given(HOSTILE, HOSTILE)
def test_no_name_in_a_run_moves_a_terminal(name: str, value: str) -> None:
    one = run("a P", suite=name, variant=value, command=(name, value), conditions=((name, value),), tree=value or None)
    hostile = replace(one, cases=(replace(one.cases[0], id=name, count=2, samples=3),))
    texts = [run_line(hostile, 0.0), *run_text(hostile, 0.0).split("\n"), case_line(hostile.cases[0])]
    assert all(harmless(text) for text in texts)
    assert hostile.cases[0].outcome is Outcome.PASSED


@given(
    st.lists(st.sampled_from(["a", "bb", "ccc", " ", "  ", "-", "\xe9", "x" * 12, "y" * 45]), max_size=25).map("".join),
    st.integers(6, 50),
    st.sampled_from(["", "  ", "    "]),
)
def test_a_sentence_is_wrapped_as_the_standard_library_wraps_it(text: str, width: int, indent: str) -> None:
    assert wrapped(text, width, indent, indent + "  ") == textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
