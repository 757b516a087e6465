"""Disclosures: which lines count, which finding each lets through, why a line is not used, and the line to paste."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from repo_builder import RepoBuilder

from shipmoor_hooks.model import Code, CommitMessage, Disclosure, DisclosureLine, Finding, Trailer
from shipmoor_hooks.rules.trailer_lines import counted, hashed, matches
from shipmoor_hooks.rules.trailers import (
    TAKES,
    case_hash,
    disclose,
    line_to_paste,
    malformed,
    misplaced,
    misplaced_notes,
    ours,
)

COMMIT = "c0ffee" * 6 + "0123"
A, B, STAR = "tests/test_a.py::test_a", "tests/test_a.py::test_b", "tests/test_a.py::test_mul[2*3]"
ODD = "tests/test_a.py::test_c[a -- b => c]"


def line(text: str) -> DisclosureLine:
    key, _, value = text.partition(": ")
    return DisclosureLine(COMMIT, Trailer(key), value)


def gone(case: str, code: Code = Code.CASE_REMOVED, **more: Any) -> Finding:
    return Finding(code, f"{case} is gone", case=case, **more)


def judge(
    findings: Sequence[Finding],
    *texts: str,
    known: Sequence[str] = (),
    new: Sequence[str] = (),
    pattern: str = "",
) -> tuple[list[str], list[str]]:
    """The cases that are disclosed, and what is said of the lines that are not used."""
    filled, notes = disclose(findings, [line(t) for t in texts], known=known, new_at_tip=new, reason_pattern=pattern)
    assert [f.case for f in filled] == [f.case for f in findings]
    assert all(n.code is Code.DISCLOSURE_UNUSED for n in notes)
    return [f.case or "" for f in filled if f.disclosed], [n.message for n in notes]


# ---------------------------------------------------------------- which lines there are


def messages(repo: RepoBuilder, revisions: str = "HEAD") -> list[CommitMessage]:
    """Commits as git tells them: trailers by git's own parser, one for each line of its answer."""
    found = []
    for sha in repo.git("rev-list", "--reverse", revisions).split():
        listed = repo.git("log", "-1", "--format=%(trailers:only,unfold,separator=%x00)", sha)
        trailers = tuple((k, v.strip()) for k, _, v in (t.partition(":") for t in listed.split("\0") if t))
        found.append(CommitMessage(sha, trailers, repo.git("log", "-1", "--format=%B", sha)))
    return found


@pytest.mark.parametrize(
    ("message", "read", "elsewhere"),
    [
        pytest.param("Change", [], [], id="no trailers at all"),
        pytest.param("Change\n\nSigned-off-by: Ada <a@b.c>", [], [], id="a trailer of somebody else"),
        pytest.param(
            "Change\n\nTest-Removed trailers are read now.\nTest-Removed: is the key.", [], [], id="prose about the key"
        ),
        pytest.param("Change\n\nTest-Removed: a -- why", ["a -- why"], [], id="one line"),
        pytest.param("Change\n\ntest-REMOVED: a -- why", ["a -- why"], [], id="the key in any case"),
        pytest.param(
            "Change\n\nTest-Removed: a -- why\nSigned-off-by: Ada <a@b.c>\nTest-Removed: b -- why",
            ["a -- why", "b -- why"],
            [],
            id="several with one key",
        ),
        pytest.param("Change\n\nTest-Removed: a --\n  a long\n  why", ["a -- a long why"], [], id="a folded value"),
        pytest.param("Test-Removed: a -- why", [], ["a -- why"], id="the subject"),
        pytest.param("Change\n\nTest-Removed: a -- why\n\nMore words", [], ["a -- why"], id="not the last paragraph"),
        pytest.param(
            "Change\n\nSome prose\nand more\nand more\nTest-Removed: a -- why", [], ["a -- why"], id="under prose"
        ),
        pytest.param(
            "Squashed commit of the following:\n\ncommit 1234\n\n    Drop it\n\n"
            "    Test-Removed: a -- why\n      goes on\n    Test-Removed: b -- why",
            [],
            ["a -- why goes on", "b -- why"],
            id="the body that merge --squash leaves",
        ),
        pytest.param(
            "Drop it (#7)\n\n* Drop it\n\nTest-Removed: a -- why\n\n* Tidy up",
            [],
            ["a -- why"],
            id="the body that a hosted squash leaves",
        ),
        pytest.param("Change\n\n* Test-Removed: a -- why\n\nEnd", [], ["a -- why"], id="behind a bullet"),
        pytest.param(
            "Change\n\nTest-Removed: a -- why\n\nTest-Removed: a -- why",
            ["a -- why"],
            [],
            id="said twice, once in the right place",
        ),
        pytest.param("Change\n\nTest-Removed: a\n\nEnd", [], [], id="a wrong line in a wrong place"),
    ],
)
def test_lines_are_found_where_git_reads_trailers(
    repo: RepoBuilder, message: str, read: list[str], elsewhere: list[str]
) -> None:
    repo.commit(message)
    commits = messages(repo)
    assert [x.value for x in ours(commits)] == read
    assert [x.value for x in misplaced(commits)] == elsewhere
    assert {x.trailer for x in (*ours(commits), *misplaced(commits))} <= {Trailer.REMOVED}


def test_lines_to_paste_survive_git_and_a_rebase(repo: RepoBuilder) -> None:
    cases = [
        A,
        STAR,
        ODD,
        "t[a  b: c]",
        "C::m()",
        "prüfung[ü–ß]",
        "#5 issue",
        "a: b",
        "x" * 200,
        "a\nb",
        "a (2)",
        "\"q\" 'r' $s",
    ]
    lines = [line_to_paste(gone(case)) or "" for case in cases]
    repo.commit("Start")
    repo.git("switch", "-q", "-c", "work")
    repo.commit("Drop them", ["Signed-off-by: Ada <ada@example.org>"])
    pasted = [word for text in lines for word in ("--trailer", text.replace("<reason>", "agreed (#7)"))]
    repo.git("commit", "-q", "--amend", "--no-edit", "--allow-empty", *pasted)
    repo.git("switch", "-q", "main")
    repo.commit("Meanwhile", files={"other": "x"})
    repo.git("rebase", "-q", "--keep-empty", "main", "work")
    commits = messages(repo, "main..work")
    filled, notes = disclose([gone(c) for c in cases], ours(commits), known=[], new_at_tip=[])
    assert [f.case for f in filled if not f.disclosed] == []
    assert notes == ()
    assert misplaced(commits) == ()


def test_every_commit_and_every_key_counts_in_order(repo: RepoBuilder) -> None:
    first = repo.commit("One", [f"{t.value}: x -- y" for t in Trailer])
    second = repo.commit("Two", ["Test-Removed: x -- y"])
    assert [(x.commit, x.trailer) for x in ours(messages(repo))] == [
        *((first, t) for t in Trailer),
        (second, Trailer.REMOVED),
    ]


def test_a_misplaced_line_is_a_note_that_names_commit_and_case() -> None:
    (note,) = misplaced_notes([line(f"Test-Removed: {A} -- why")])
    assert note.code is Code.DISCLOSURE_MISPLACED
    assert A in note.message
    assert COMMIT[:12] in note.message
    assert "last paragraph" in note.next_step


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(f"Test-Removed: {A} -- why", None, id="a name and a reason"),
        pytest.param("Test-Removed: tests/x/* (3) -- why", None, id="a wildcard with its count"),
        pytest.param(f"Test-Removed: {B}* (1) -- why", None, id="a wildcard over one name"),
        pytest.param(f"Test-Removed: {STAR} -- why", None, id="a star inside a name may belong to it"),
        pytest.param("Test-Removed: case:3f2a91c0 -- why", None, id="eight digits"),
        pytest.param(f"Test-Renamed: {A} => {B} -- why", None, id="two names"),
        pytest.param(f"Test-Removed: {ODD} -- why", None, id="marks inside a name are for the gate to know"),
        pytest.param("Test-Removed: ", "names nothing", id="nothing at all"),
        pytest.param("Test-Removed: -- why", "no reason", id="a reason alone is a name without one"),
        pytest.param(f"Test-Removed: {A}", "no reason", id="no reason"),
        pytest.param(f"Test-Removed: {A} --", "no reason", id="a mark without a reason"),
        pytest.param(f"Test-Removed: {A} - why", "no reason", id="one dash is no mark"),
        pytest.param(f"Test-Removed: {A} -- <reason>", "no reason", id="the placeholder is no reason"),
        pytest.param("Test-Removed: * (1) -- why", "a bare `*`", id="a bare star with a count"),
        pytest.param("Test-Removed: * -- why", "a bare `*`", id="a bare star"),
        pytest.param("Test-Removed: */*::* (9) -- why", "a bare `*`", id="a star in other clothes"),
        pytest.param("Test-Removed: tests/x/* -- why", "needs the count", id="a wildcard without its count"),
        pytest.param("Test-Removed: case:3f2a91c -- why", "8 to 64 digits", id="seven digits"),
        pytest.param(f"Test-Removed: case:{'a' * 65} -- why", "8 to 64 digits", id="too many digits"),
        pytest.param(f"Test-Renamed: {A} -- why", "two cases", id="a rename without a target"),
        pytest.param(f"Test-Renamed: {A} =>  -- why", "two cases", id="a rename to nothing"),
        pytest.param("Test-Renamed: tests/* => x/* -- why", "never a wildcard", id="a rename of many"),
        pytest.param("Test-Renamed: tests/* (3) => x -- why", "never a wildcard", id="a rename of counted many"),
        pytest.param("Test-Renamed: case:12 => x -- why", "8 to 64 digits", id="a rename by too few digits"),
    ],
)
def test_what_is_wrong_with_a_line_by_itself(text: str, said: str | None) -> None:
    why = malformed(line(text))
    assert (why is None) if said is None else (why is not None and said in why)


# ---------------------------------------------------------------- which finding a line lets through


@pytest.mark.parametrize("code", [pytest.param(c, id=c.value) for c in Code])
def test_each_code_takes_its_own_trailers_and_no_other(code: Code) -> None:
    expected = {
        Code.CASE_REMOVED: {"Test-Removed", "Test-Renamed"},
        Code.CASE_FEWER: {"Test-Removed"},
        Code.CASE_SKIPPED: {"Test-Skipped"},
        Code.EXPECTATION_WEAKENED: {"Test-Weakened"},
        Code.SAMPLES_FEWER: {"Test-Weakened"},
        Code.CHANGED_TO_PASS: {"Test-Weakened"},
        Code.POLICY_LOOSENED: {"Test-Policy"},
        Code.CASE_UNREGISTERED: {"Test-Unregistered"},
    }.get(code, set())
    finding = gone(A, code, raised=code is Code.CHANGED_TO_PASS)  # which is a note unless the policy says more
    taken = set()
    for trailer in Trailer:
        name = f"{A} => {B}" if trailer is Trailer.RENAMED else A
        if judge([finding], f"{trailer.value}: {name} -- why", known=[B], new=[B])[0]:
            taken.add(trailer.value)
    assert taken == expected
    assert (line_to_paste(finding) is not None) is bool(expected)


def test_a_disclosure_says_where_it_stands_and_why() -> None:
    filled, notes = disclose(
        [gone(A)], [line(f"Test-Removed: {A} -- the endpoint is gone (#212)")], known=[], new_at_tip=[]
    )
    assert filled[0].disclosed == Disclosure(COMMIT, Trailer.REMOVED, "the endpoint is gone (#212)")
    assert not filled[0].refuses
    assert notes == ()


@pytest.mark.parametrize(
    ("lost", "texts", "named"),
    [
        pytest.param([A, B], [], [], id="no lines"),
        pytest.param([A, B], [f"Test-Removed: {A} -- x"], [A], id="one of two"),
        pytest.param([B + "x", B], [f"Test-Removed: {B} -- x"], [B], id="a longer name is another name"),
        pytest.param([A, B], [f"Test-Removed: {A} -- x", f"Test-Removed: {B} -- y"], [A, B], id="each by its line"),
        pytest.param([STAR], [f"Test-Removed: {STAR} -- x"], [STAR], id="a star that belongs to the name"),
        pytest.param(
            ["t[2x3]", "t[2*3]"], ["Test-Removed: t[2*3] -- x"], ["t[2*3]"], id="such a name never works as a wildcard"
        ),
        pytest.param([ODD], [f"Test-Removed: {ODD} -- x"], [ODD], id="marks inside a known name do not part it"),
        pytest.param(["a", "a -- b"], ["Test-Removed: a -- b -- x"], ["a"], id="the leftmost known name"),
        pytest.param(["a --"], ["Test-Removed: a -- -- x"], ["a --"], id="marks that share a blank"),
        pytest.param(["x (3)"], ["Test-Removed: x (3) -- y"], ["x (3)"], id="a name that looks counted"),
        pytest.param([A], [f"Test-Removed: case:{case_hash(A)[:8]} -- x"], [A], id="eight digits of its hash"),
        pytest.param([A], [f"Test-Removed: case:{case_hash(A).upper()} -- x"], [A], id="its whole hash, in capitals"),
        pytest.param(
            [A, B], ["Test-Removed: tests/test_a.py::* (2) -- x"], [A, B], id="a wildcard with the right count"
        ),
        pytest.param([A, B], ["Test-Removed: tests/*_b (1) -- x"], [B], id="a wildcard with an end"),
        pytest.param([A, B], ["Test-Removed: tests/*.py*b(1) -- x"], [B], id="a wildcard with a middle"),
        pytest.param([B], [f"Test-Removed: {B}* (1) -- x"], [B], id="a wildcard over one name"),
        pytest.param(
            [*(f"tests/old/t{n}" for n in range(40)), B],
            ["Test-Removed: tests/old/* (40) -- dropped (#9)", f"Test-Removed: {B} -- x"],
            [*(f"tests/old/t{n}" for n in range(40)), B],
            id="forty by a wildcard and one by its name",
        ),
        pytest.param(
            [A, B],
            [f"Test-Removed: {A} -- x", "Test-Removed: tests/* (2) -- y"],
            [A, B],
            id="the count is of all that match",
        ),
        pytest.param(
            [A, A, A], ["Test-Removed: tests/* (1) -- y"], [A, A, A], id="a case of three variants counts once"
        ),
        pytest.param([A, A], [f"Test-Removed: {A} -- y"], [A, A], id="one line for a case in two suites"),
        pytest.param([A, B], [f"Test-Removed: {A} -- x"] * 2, [A], id="the same line twice"),
    ],
)
def test_lines_let_their_own_findings_through(lost: list[str], texts: list[str], named: list[str]) -> None:
    assert judge([gone(c) for c in lost], *texts) == (named, [])


def test_the_reason_of_the_exact_line_wins_and_the_first_of_two() -> None:
    texts = ["Test-Removed: tests/* (2) -- all", f"Test-Removed: {A} -- first", f"Test-Removed: {A} -- second"]
    filled, _ = disclose([gone(A), gone(B)], [line(t) for t in texts], known=[], new_at_tip=[])
    assert [f.disclosed.reason for f in filled if f.disclosed] == ["first", "all"]


def test_a_finding_that_is_disclosed_already_keeps_its_disclosure() -> None:
    before = Disclosure("1" * 40, Trailer.REMOVED, "earlier")
    finding = Finding(Code.CASE_REMOVED, "x", case=A, disclosed=before)
    filled, _ = disclose([finding], [line(f"Test-Removed: {A} -- later")], known=[], new_at_tip=[])
    assert filled == (finding,)


def test_a_finding_without_a_case_is_left_alone() -> None:
    finding = Finding(Code.CASE_REMOVED, "all of it")
    assert disclose([finding], [line(f"Test-Removed: {A} -- x")], known=[A], new_at_tip=[])[0] == (finding,)


def test_a_policy_key_is_named_like_a_case() -> None:
    findings = [gone("suite.unit.exclude", Code.POLICY_LOOSENED), gone("suite.unit.same", Code.POLICY_LOOSENED)]
    assert judge(findings, "Test-Policy: suite.unit.exclude -- x")[0] == ["suite.unit.exclude"]
    assert judge(findings, "Test-Policy: suite.unit.* (2) -- x")[0] == ["suite.unit.exclude", "suite.unit.same"]


# ---------------------------------------------------------------- renames


@pytest.mark.parametrize(
    ("texts", "named", "said"),
    [
        pytest.param([f"Test-Renamed: {A} => new -- x"], [A], [], id="to a case that is new at the tip"),
        pytest.param([f"Test-Renamed: {A} => new -- x"] * 2, [A], [], id="the same line twice"),
        pytest.param(
            [f"Test-Renamed: case:{case_hash(A)[:9]} => case:{case_hash('new')[:9]} -- x"],
            [A],
            [],
            id="both by their hashes",
        ),
        pytest.param([f"Test-Renamed: {ODD} => new -- x"], [ODD], [], id="marks inside the old name"),
        pytest.param([f"Test-Renamed: {A} => new[a -- b => c] -- x"], [A], [], id="marks inside the new name"),
        pytest.param(
            [f"Test-Renamed: {A} => new -- x", f"Test-Renamed: {B} => new -- x"],
            [A],
            ["stands for `tests/test_a.py::test_a` already"],
            id="two departures and one arrival: the first",
        ),
        pytest.param([f"Test-Renamed: {A} => old -- x"], [], ["not new"], id="to a case that the base has"),
        pytest.param(
            [f"Test-Renamed: {A} => nowhere -- x"],
            [],
            ["did not run at the tip: there is no such case"],
            id="to a case that never ran",
        ),
        pytest.param(
            [f"Test-Renamed: {A} => newx -- x"], [], ["the nearest is `new`"], id="to a name that is nearly one"
        ),
        pytest.param(
            ["Test-Renamed: nothing => new -- x"], [], ["there is no such case"], id="from a case that there is not"
        ),
        pytest.param(["Test-Renamed: tests/* => new -- x"], [], ["takes no wildcard"], id="of many"),
        pytest.param(["Test-Renamed: tests/* (3) => new/* (3) -- x"], [], ["takes no wildcard"], id="of counted many"),
        pytest.param(
            ["Test-Renamed: old => new -- x"], [], ["nothing was lost there"], id="of a case that still stands"
        ),
        pytest.param([f"Test-Renamed: {A} -- x"], [], ["`old => new`"], id="without a target"),
        pytest.param([f"Test-Renamed: {A} => new"], [], ["no reason"], id="without a reason"),
        pytest.param(
            ["Test-Renamed: old => new -- x", f"Test-Renamed: {A} => new -- x"],
            [A],
            ["nothing was lost"],
            id="a line that is not used takes no target",
        ),
    ],
)
def test_a_rename_names_one_case_and_a_new_target(texts: list[str], named: list[str], said: list[str]) -> None:
    disclosed, notes = judge(
        [gone(A), gone(B), gone(ODD)], *texts, known=["old", "new", "new[a -- b => c]"], new=["new", "new[a -- b => c]"]
    )
    assert disclosed == named
    assert len(notes) == len(said)
    assert all(s in n for s, n in zip(said, notes, strict=True))


# ---------------------------------------------------------------- why a line is not used


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(f"Test-Removed: {A}", "no reason", id="no reason"),
        pytest.param(f"Test-Removed: {A} -- <reason>", "no reason", id="the placeholder"),
        pytest.param("Test-Removed: tests/* (300) -- #1", "it says 300, they are 2.", id="a count too high"),
        pytest.param("Test-Removed: tests/* (1) -- #1", "it says 1, they are 2.", id="a count too low"),
        pytest.param("Test-Removed: tests/* (0) -- #1", "it says 0, they are 2.", id="a count of nothing"),
        pytest.param("Test-Removed: elsewhere/* (0) -- #1", "nothing was lost there", id="right, and nothing"),
        pytest.param(
            "Test-Removed: tests/* -- #1", "needs the count of the cases in parentheses: they are 2", id="no count"
        ),
        pytest.param(
            "Test-Removed: tests/*.py::test_a -- #1",
            "needs the count of the cases in parentheses: they are 1",
            id="no count after a middle",
        ),
        pytest.param("Test-Removed: * (2) -- #1", "a bare `*`", id="a bare star"),
        pytest.param("Test-Removed: ** -- #1", "a bare `*`", id="two bare stars"),
        pytest.param(f"Test-Removed: {A}x -- #1", f"there is no such case (the nearest is `{A}`)", id="nearly a name"),
        pytest.param(
            "Test-Removed: test_a.py::stands -- #1",
            "the nearest is `tests/test_a.py::stands`",
            id="the end of a name that stands",
        ),
        pytest.param("Test-Removed: zzz -- #1", "there is no such case.", id="nothing like it"),
        pytest.param("Test-Removed: case:0000000000 -- #1", "there is no such case.", id="a hash of nothing"),
        pytest.param("Test-Removed: case:00 -- #1", "8 to 64 digits", id="too few digits"),
        pytest.param("Test-Removed: tests/test_a.py::stands -- #1", "nothing was lost there", id="a case that stands"),
        pytest.param(
            f"Test-Skipped: {A} -- #1",
            "the finding of this case is CASE_REMOVED, which takes Test-Removed",
            id="the wrong key",
        ),
        pytest.param("Test-Removed: red -- #1", "CASE_RED cannot be disclosed", id="a red"),
        pytest.param("Test-Removed: moved -- #1", "nothing was lost there", id="a case that only moved"),
        pytest.param(
            f"Test-Removed: {A} -- tidy",
            "does not match the policy's pattern `#\\d`",
            id="a reason without what the policy asks for",
        ),
    ],
)
def test_a_line_that_is_not_used_says_why(text: str, said: str) -> None:
    findings = [gone(A), gone(B), gone("red", Code.CASE_RED), gone("moved", Code.CASE_MOVED)]
    disclosed, notes = judge(findings, text, known=["tests/test_a.py::stands"], pattern=r"#\d")
    assert disclosed == []
    assert len(notes) == 1
    assert said in notes[0]
    assert COMMIT[:12] in notes[0]


def test_a_wrong_count_tells_how_many_have_a_line_of_their_own() -> None:
    texts = ["Test-Removed: tests/* (1) -- x", f"Test-Removed: {A} -- x"]
    disclosed, notes = judge([gone(A), gone(B)], *texts)
    assert disclosed == [A]
    assert "it says 1, they are 2 (1 with a line of their own: the count is of all that match)" in notes[0]


def test_a_hash_that_two_cases_share_needs_more_digits() -> None:
    # Two of the first hundred thousand integers whose hashes begin alike (found by counting).
    first, second = "69235", "95303"
    shared = next(n for n in range(65) if case_hash(first)[:n] != case_hash(second)[:n]) - 1
    assert shared >= 8, "the pair no longer shares eight digits"
    _, notes = judge([gone(first), gone(second)], f"Test-Removed: case:{case_hash(first)[:8]} -- x")
    assert "2 cases begin like that" in notes[0]
    assert judge([gone(first), gone(second)], f"Test-Removed: case:{case_hash(first)[:12]} -- x")[0] == [first]


def test_a_thousand_wrong_names_are_told_without_comparing_each() -> None:
    _, notes = judge([gone(f"tests/t{n}") for n in range(50)], *(f"Test-Removed: tests/x{n} -- x" for n in range(1000)))
    assert len(notes) == 1000
    assert sum("nearest" in n for n in notes) == 10


# ---------------------------------------------------------------- what to paste


@pytest.mark.parametrize(
    ("case", "plain"),
    [
        pytest.param(A, True, id="an ordinary name"),
        pytest.param("t[a b: c]", True, id="blanks, colons and brackets"),
        pytest.param(STAR, True, id="a star in the middle"),
        pytest.param("prüfung::fünf", True, id="letters of other languages"),
        pytest.param("x" * 74, True, id="a line of exactly 100 characters"),
        pytest.param("x" * 75, False, id="a line of 101 characters"),
        pytest.param("a -- b", False, id="the mark before a reason"),
        pytest.param("a --", False, id="its beginning at the end"),
        pytest.param("-- a", False, id="its end at the beginning"),
        pytest.param("a => b", False, id="the mark of a rename"),
        pytest.param("a (3)", False, id="what looks like a count"),
        pytest.param("a(3)", False, id="a count without a blank"),
        pytest.param("a*", False, id="a star at the end"),
        pytest.param("*:", False, id="a star and no letter"),
        pytest.param(" a", False, id="a blank in front"),
        pytest.param("a\nTest-Removed: b -- x", False, id="a line feed"),
        pytest.param("a\x1b[31m", False, id="an escape"),
        pytest.param("a\u202eb", False, id="letters that turn the line around"),
        pytest.param("a\udcffb", False, id="bytes that are no text"),
        pytest.param("case:3f2a91c0", False, id="what looks like a hash"),
    ],
)
def test_a_line_to_paste_is_read_back_as_its_own_finding(case: str, plain: bool) -> None:
    pasted = line_to_paste(gone(case))
    assert pasted is not None
    assert len(pasted) <= 100
    assert (pasted == f"Test-Removed: {case} -- <reason>") is plain
    assert plain or re.fullmatch("Test-Removed: case:[0-9a-f]{8,} -- <reason>", pasted)
    assert judge([gone(case), gone("other")], pasted.replace("<reason>", "why"))[0] == [case]
    assert judge([gone(case)], pasted)[0] == [], "the placeholder is no reason"


def test_each_key_is_offered_once() -> None:
    offered = {code: (line_to_paste(gone(A, code)) or "").partition(":")[0] for code in TAKES}
    assert set(offered.values()) == {t.value for t in Trailer} - {"Test-Renamed"}
    assert line_to_paste(Finding(Code.CASE_REMOVED, "no case")) is None


@pytest.mark.parametrize(
    ("pattern", "case", "fits"),
    [
        ("a*c", "abc", True),
        ("a*c", "ac", True),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "a-x-c", False),
        ("a*b*b*c", "abc", False),
        ("a*a", "a", False),
        ("a[1]*", "a[1]x", True),
    ],
)
def test_a_star_stands_for_anything_and_all_else_for_itself(pattern: str, case: str, fits: bool) -> None:
    assert matches(pattern, case) is fits


@given(st.text("ab*( )0123)\t\n\u0663", max_size=14))
@example("a (1234567890)")
@example("a(3)")
@example(" (3)")
@example("a (\u0663)")
@example("a ((3))")
def test_a_counted_name_is_what_the_expression_takes(text: str) -> None:
    match = re.fullmatch(r"(.*\S)\s*\(([0-9]{1,9})\)", text)
    assert counted(text) == (match and (match[1], int(match[2])))


@given(
    st.one_of(
        st.text("cCaAsSeE:0fFg9 ", max_size=10), st.text("0123456789abcdefABCDEF", max_size=9).map("case:".__add__)
    )
)
@example("case:")
@example("CASE:AB")
@example("case:12 ")
def test_a_hashed_name_is_what_the_expression_takes(text: str) -> None:
    match = re.fullmatch(r"(?i)case:([0-9a-f]*)", text)
    assert hashed(text) == (match and match[1].lower())
