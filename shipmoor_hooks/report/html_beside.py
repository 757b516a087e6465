"""What stands beside a suite's runs: disclosures, clearings, proofs, and all that only evals have. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shipmoor_hooks.describe import moment
from shipmoor_hooks.eval_block import PRICE, money
from shipmoor_hooks.report import chart
from shipmoor_hooks.report.html_pieces import chip, facts, folded, more, nothing, table, when
from shipmoor_hooks.report.markup import Child, Markup, bidi, joined, tag
from shipmoor_hooks.report.pages import EvalCaseRow, EvalPart, ProofNow, Track
from shipmoor_hooks.rules.stability import CaseRow, Group
from shipmoor_hooks.rules.stability_wording import TRACE_GONE, bounded
from shipmoor_hooks.rules.suite_versions import SuiteVersion
from shipmoor_hooks.rules.wording import several
from shipmoor_hooks.store.record_model import Label, Regrade

_MOST_GROUPS = 6
_MOST_ROWS = 60


# ---------------------------------------------------------------- every suite


def disclosures(track: Track, place: str) -> Markup | None:
    """The trailers in the history that is shown; they name cases of any suite, so each suite shows those that fit."""
    rows = [(step.commit, line) for step in track.steps for line in step.commit.disclosures]
    if not rows:
        return None
    body = [
        tag("tr", tag("th", tag("code", commit.name[:10]), " ", bidi(commit.subject, class_="words"), scope="row"),
            tag("td", tag("code", line.trailer.value)), tag("td", bidi(line.value), class_="wide"))
        for commit, line in rows[:_MOST_ROWS]
    ]  # fmt: skip
    told = table("disclosure, not approval: what a commit says and why", ["commit", "trailer", "what and why"], body)
    return folded(
        f"{place}-disclosed", "Disclosures", several(len(rows), "line"), told, more(len(rows) - _MOST_ROWS, "line")
    )


def proofs(track: Track, place: str, now: float) -> Markup | None:
    """Planted faults, and whether their case fell."""
    if not track.proofs:
        if not track.suite.proofs:
            return None
        said = nothing("The policy asks a proof of each new case, and none is stored.")
        return folded(f"{place}-proofs", "Proofs", "none", said)
    rows = [_proof(row, now) for row in track.proofs[:_MOST_ROWS]]
    head = ["case", "the fault", "without it", "with it", "stands"]
    standing = sum(not row.why_not for row in track.proofs)
    caption = "a planted fault (a patch in a scratch worktree) under which the case has to fall"
    return folded(
        f"{place}-proofs", "Proofs", f"{standing} of {len(track.proofs)} stand",
        table(caption, head, rows), more(len(track.proofs) - _MOST_ROWS, "proof"),
    )  # fmt: skip


def _proof(row: ProofNow, now: float) -> Markup:
    proof = row.proof
    green = sum(s.outcome.is_green for s in proof.base)
    fell = sorted({g.name for s in proof.fault for g in s.graders if g.passed is False})
    held = sorted({g.name for s in proof.fault for g in s.graders if g.passed} - set(fell))
    graders: list[Child] = []
    if fell or held:
        graders = [tag("br"), tag("span", f"fell: {', '.join(fell) or 'none'}; held: {', '.join(held) or 'none'}",
                                  class_="soft small")]  # fmt: skip
    stands: Child = (
        chip("stands", "is-good") if not row.why_not else joined([chip("does not", "is-warn"), " ", row.why_not])
    )
    return tag(
        "tr",
        tag("th", bidi(proof.case), " ", when(proof.recorded, now), scope="row"),
        tag("td", bidi(proof.patch_path or f"patch {proof.patch[:12]}")),
        tag("td", f"green {green} of {len(proof.base)}", class_="num"),
        tag("td", f"fell {proof.fell} of {len(proof.fault)}", graders, class_="wide"),
        tag("td", stands, class_="wide"),
    )


def clearings(track: Track, place: str, now: float) -> Markup | None:
    """Reds that were let through because the base showed them too."""
    if not track.clearings:
        return None
    rows = [
        tag("tr", tag("th", bidi(c.case), scope="row"), tag("td", tag("code", c.tip[:10])), tag("td", when(c.recorded, now)),
            tag("td", [(tag("code", run[:12]), " ") for run in c.runs]))
        for c in track.clearings[:_MOST_ROWS]
    ]  # fmt: skip
    told = table(
        "a red that the base showed too, on the same day", ["case", "pushed", "when", "runs of the base"], rows
    )
    return folded(f"{place}-cleared", "Clearings", several(len(track.clearings), "red"), told)


# ---------------------------------------------------------------- evals


def eval_parts(track: Track, place: str, now: float) -> list[Markup | None]:
    """The newest run in figures, each case's samples, graders, costs, versions, re-grades and labels."""
    part = track.evals
    if part is None:
        return []
    return [
        folded(f"{place}-newest", "Newest complete run", "in figures", facts(part.block), is_open=True),
        _samples(track, place),
        _graders(part, place),
        _costs(track, part, place),
        _versions(part, place),
        _regrades(part.regrades, place, now),
        _labels(part.labels, place, now),
    ]


def _samples(track: Track, place: str) -> Markup | None:
    groups = track.stability.groups
    if not groups:
        return None
    tables = [_group(group) for group in groups[:_MOST_GROUPS]]
    loose = track.stability.intermediate
    if loose:
        tables.append(tag("p", "Not counted, because no commit holds what these ran under:"))
        tables += [_group(group) for group in loose[:_MOST_GROUPS]]
    told = f"{several(sum(r.total.of for r in groups[0].rows), 'sample')} of {several(len(groups[0].rows))}"
    return folded(
        f"{place}-samples", "Samples of each case", f"{told} on the newest tree", *tables,
        more(len(groups) - _MOST_GROUPS, "group"), is_open=True,
    )  # fmt: skip


def _group(group: Group) -> Markup:
    trees = ", ".join(tree[:10] for tree in group.trees)
    label = f", measured by {' and '.join(n or 'nobody named' for n in group.labels)}" if any(group.labels) else ""
    under = "; ".join(f"{n} {v}" for n, v in group.conditions)
    caption = (
        f"tree {trees}{label}: {several(len(group.full_runs), 'full run')}, {group.alone_runs} of single cases"
        + (f" ({under})" if under else "")
    )
    head = ["case", "full runs", "alone", "total", "what that allows", "what fell"]
    return table(caption, head, [_sample_row(row) for row in group.rows[:_MOST_ROWS]])


def _sample_row(row: CaseRow) -> Markup:
    fell: dict[str, int] = {}
    for name in (g for red in row.reds for g in red.graders):
        fell[name] = fell.get(name, 0) + 1
    said: list[Child] = [f"{name} ({number}×) " for name, number in sorted(fell.items())]
    gone = sum(red.has_trace is False for red in row.reds)
    if gone:
        said.append(tag("span", f"{gone} of {len(row.reds)}: {TRACE_GONE} ", class_="soft"))
    said += [tag("span", f"no sample: {why} ", class_="soft") for why in dict.fromkeys(row.invalid)]
    return tag(
        "tr",
        tag("th", bidi(row.case), scope="row"),
        tag("td", str(row.full) if row.full.of else "–", class_="num"),
        tag("td", str(row.alone) if row.alone.of else "–", class_="num"),
        tag("td", tag("strong", str(row.total)), class_="num"),
        tag("td", chart.interval(row.total), " ", bounded(row.total), class_="wide"),
        tag("td", said or "–", class_="wide"),
    )


def _graders(part: EvalPart, place: str) -> Markup | None:
    if not part.cases:
        return None
    rows = [row for case in part.cases for row in _grader_rows(case)]
    number = sum(len(c.graders) for c in part.cases)
    head = ["case", "grader", "kind", "took", "what that allows"]
    caption = "k of n samples that each grader took, under the present expectations"
    return folded(f"{place}-graders", "Graders", several(number, "grader"), table(caption, head, rows))


def _grader_rows(case: EvalCaseRow) -> Iterable[Markup]:
    """A row a grader; the case stands once, beside all of them."""
    for number, grader in enumerate(case.graders):
        name = tag("th", bidi(case.case), scope="row", rowspan=len(case.graders)) if number == 0 else None
        allows = tag("td", chart.interval(grader.count), " ", bounded(grader.count), class_="wide")
        count = tag("td", str(grader.count), class_="num")
        yield tag("tr", name, tag("td", bidi(grader.name)), tag("td", grader.type), count, allows)


def _costs(track: Track, part: EvalPart, place: str) -> Markup | None:
    total = track.stability.cost
    if total is None:
        return None
    rows = [("this change", f"{money(part.cost_of_change)} ({PRICE}): all of its runs, uncounted ones included")]
    rows.append(("all stored runs", f"{money(total)} ({PRICE})"))
    rows += [(f"run {u.id[:12]}, not counted", f"{money(u.cost)}: {u.why}") for u in track.stability.uncounted[:10]]
    cases = [
        tag("tr", tag("th", bidi(c.case), scope="row"), tag("td", money(c.cost), class_="num"))
        for c in part.cases if c.cost is not None
    ]  # fmt: skip
    by_case = table("samples under the present expectations", ["case", PRICE], cases) if cases else None
    return folded(f"{place}-costs", "Costs", f"{money(total)}, {PRICE}", facts(rows), by_case)


def _versions(part: EvalPart, place: str) -> Markup | None:
    if not part.versions:
        return None
    rows = [folded(f"{place}-v{v.number}", f"Version {v.number}", _version_line(v), _version_cases(v))
            for v in reversed(part.versions)]  # fmt: skip
    told = f"{several(len(rows), 'version')}, each a set of cases and expectations that a commit held"
    return folded(f"{place}-versions", "Suite versions", told, tag("div", rows, class_="list"))


def _version_line(version: SuiteVersion) -> str:
    date = moment(version.date)[:10] if version.date is not None else "the commit is gone"
    program = f", program {version.program_version}" if version.program_version else ""
    return f"{version.commit[:10]}, {date}{program}, first run {version.first}"


def _version_cases(version: SuiteVersion) -> Markup:
    rows = [
        tag("tr", tag("th", bidi(c.case), scope="row"), tag("td", bidi(c.promise or "–", class_="words"), class_="wide"),
            tag("td", bidi(c.expected or "–", class_="words"), class_="wide"), tag("td", c.outcome, class_="wide"))
        for c in version.cases
    ]  # fmt: skip
    return table(f"version {version.number}", ["case", "promise", "expected", "first outcome"], rows)


def _regrades(rows: Sequence[Regrade], place: str, now: float) -> Markup | None:
    if not rows:
        return None
    body = [
        tag("tr", tag("th", bidi(r.case), " ", when(r.recorded, now), scope="row"),
            tag("td", f"{t.what}{f' of {t.case}' if t.case else ''}{f', {t.grader}' if t.grader else ''}"),
            tag("td", f"{t.old} of {t.of}", class_="num"), tag("td", f"{t.new} of {t.of}", class_="num"))
        for r in rows[:_MOST_ROWS] for t in r.tallies
    ]  # fmt: skip
    told = table(
        "recorded replies, graded with the old and with the new graders; no run",
        ["case", "replies", "old", "new"],
        body,
    )
    return folded(f"{place}-regrades", "Re-grades", several(len(rows), "record"), told)


def _labels(rows: Sequence[Label], place: str, now: float) -> Markup | None:
    if not rows:
        return None
    body = [
        tag("tr", tag("th", bidi(r.case), scope="row"), tag("td", tag("code", r.trace[:12])),
            tag("td", chip(r.label, "is-good" if r.label == "correct" else "is-bad")),
            tag("td", bidi(r.reason or "–", class_="words"), class_="wide"), tag("td", when(r.recorded, now)))
        for r in rows[:_MOST_ROWS]
    ]  # fmt: skip
    told = table(
        "what a person says of a recorded reply; the newest of a trace counts",
        ["case", "trace", "label", "why", "when"],
        body,
    )
    return folded(f"{place}-labels", "Labels", several(len(rows), "label"), told)
