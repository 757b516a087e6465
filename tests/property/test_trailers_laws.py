"""Laws of disclosures: a line changes only what it names, no line lets a red through, what is offered works."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from shipmoor_hooks.model import Code, CommitMessage, DisclosureLine, Finding, Trailer
from shipmoor_hooks.rules.trailer_lines import matches
from shipmoor_hooks.rules.trailers import TAKES, case_hash, disclose, line_to_paste, malformed, misplaced, ours

IDS = st.one_of(
    st.sampled_from(
        ["t/a::x", "t/a::y", "t/b::x", "t/b::x[2*3]", "t/a -- b", "t/a => b", "t/x (2)", "t/x*", "case:aaaaaaaa"]
    ),
    st.text(alphabet="ab*-> =()12:[]/", min_size=1, max_size=12).filter(str.strip),
)
CODES = st.sampled_from([*TAKES, Code.CASE_RED, Code.COLLECTION_ERROR, Code.CASE_UNPROVEN, Code.CASE_MOVED])
FINDINGS = st.lists(
    st.builds(
        lambda code, case, variant: Finding(code, "m", case=case, variant=variant),
        CODES,
        IDS,
        st.sampled_from([None, "v"]),
    ),
    max_size=8,
)
NAMES = st.one_of(
    IDS,
    st.builds(lambda i: f"case:{case_hash(i)[:10]}", IDS),
    st.builds(lambda i, n: f"{i}* ({n})", IDS, st.integers(0, 4)),
    st.builds(lambda old, new: f"{old} => {new}", IDS, IDS),
)
LINES = st.lists(
    st.builds(
        lambda trailer, name, reason: DisclosureLine("c" * 40, trailer, f"{name} -- {reason}".strip()),
        st.sampled_from(list(Trailer)),
        NAMES,
        st.sampled_from(["why", "", "<reason>", "a -- b", "#1"]),
    ),
    max_size=5,
)
SETS = st.frozensets(IDS, max_size=5)


def filled(
    findings: Sequence[Finding], lines: Sequence[DisclosureLine], known: frozenset[str], new: frozenset[str]
) -> tuple[Finding, ...]:
    return disclose(findings, lines, known=known | new, new_at_tip=new)[0]


@given(FINDINGS, LINES, SETS, SETS)
def test_lines_fill_in_disclosures_and_nothing_else(
    findings: list[Finding], lines: list[DisclosureLine], known: frozenset[str], new: frozenset[str]
) -> None:
    after, notes = disclose(findings, lines, known=known, new_at_tip=new)
    assert [(f.code, f.case, f.variant) for f in after] == [(f.code, f.case, f.variant) for f in findings]
    assert all(f.disclosed is None or f.disclosed.trailer in TAKES[f.code] for f in after)
    assert all(f.disclosed is None or f.disclosed.reason not in ("", "<reason>") for f in after)
    assert len(notes) <= len(lines)
    assert all(n.code is Code.DISCLOSURE_UNUSED and not n.refuses for n in notes)


@given(FINDINGS, LINES, SETS, SETS)
def test_every_line_is_used_or_told(
    findings: list[Finding], lines: list[DisclosureLine], known: frozenset[str], new: frozenset[str]
) -> None:
    for line in lines:
        after, notes = disclose(findings, [line], known=known, new_at_tip=new)
        assert any(f.disclosed for f in after) is not bool(notes)


@given(FINDINGS, LINES, LINES, SETS, SETS)
@example(
    [Finding(Code.CASE_REMOVED, "m", case=c) for c in ("t/a", "t/b")],
    [DisclosureLine("c", Trailer.REMOVED, "t/* (1) -- why")],
    [DisclosureLine("c", Trailer.REMOVED, "t/a -- why")],
    frozenset(),
    frozenset(),
)
def test_a_line_changes_only_the_findings_that_it_names(
    findings: list[Finding],
    lines: list[DisclosureLine],
    more: list[DisclosureLine],
    known: frozenset[str],
    new: frozenset[str],
) -> None:
    before = filled(findings, lines, known, new)
    for line in more:
        alone = filled(findings, [line], known, new)
        after = filled(findings, [*lines, line], known, new)
        for was, named, now in zip(before, alone, after, strict=True):
            assert (now.disclosed is not None) <= (was.disclosed is not None or named.disclosed is not None)
            assert (now.disclosed is not None) >= (was.disclosed is not None)


@given(FINDINGS, LINES, SETS, SETS)
def test_no_line_lets_a_red_through(
    findings: list[Finding], lines: list[DisclosureLine], known: frozenset[str], new: frozenset[str]
) -> None:
    reds = {Code.CASE_RED, Code.COLLECTION_ERROR, Code.CASE_UNPROVEN}
    assert all(f.refuses for f in filled(findings, lines, known, new) if f.code in reds)


@given(FINDINGS, LINES, SETS, SETS, st.randoms())
def test_the_order_of_findings_does_not_matter(
    findings: list[Finding], lines: list[DisclosureLine], known: frozenset[str], new: frozenset[str], random: object
) -> None:
    after = filled(findings, lines, known, new)
    order = list(range(len(findings)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert [after[n] for n in order] == list(filled([findings[n] for n in order], lines, known, new))


@given(IDS, SETS, CODES)
@example("*:", frozenset(), Code.CASE_REMOVED)
def test_what_is_offered_discloses_its_own_finding_alone(case: str, others: frozenset[str], code: Code) -> None:
    # A note that the policy may raise: only then a trailer says anything about it.
    raised = code is Code.CHANGED_TO_PASS
    findings = [Finding(code, "m", case=c, raised=raised) for c in (case, *(others - {case}))]
    pasted = line_to_paste(findings[0])
    assert (pasted is None) is (code not in TAKES)
    if pasted:
        line = ours([CommitMessage("c" * 40, (tuple(pasted.replace("<reason>", "why").split(": ", 1)),), "")])  # type: ignore[arg-type]
        after, notes = disclose(findings, line, known=[], new_at_tip=[])
        assert [f.case for f in after if f.disclosed] == [case]
        assert notes == ()
        assert malformed(line[0]) is None


@given(st.text(alphabet="ab*\n", max_size=8), st.text(alphabet="ab\n", max_size=8))
def test_a_star_stands_for_any_characters(pattern: str, case: str) -> None:
    expression = ".*".join(re.escape(piece) for piece in pattern.split("*"))
    if "*" in pattern:
        assert matches(pattern, case) is bool(re.fullmatch(expression, case, re.DOTALL))


@given(st.text(max_size=200), LINES)
def test_any_message_is_read(message: str, lines: list[DisclosureLine]) -> None:
    text = message + "".join(f"\n{x.trailer.value}: {x.value}" for x in lines)
    found = misplaced([CommitMessage("c" * 40, (), text)])
    assert all(malformed(line) is None for line in found)
