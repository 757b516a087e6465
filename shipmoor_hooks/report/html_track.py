"""One suite of the page: its line, its commits, its cases by runs, what flakes, its runs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shipmoor_hooks.describe import evidence_text
from shipmoor_hooks.eval_block import PRICE, money
from shipmoor_hooks.model import Case, Run
from shipmoor_hooks.report import chart, html_beside
from shipmoor_hooks.report.html_pieces import chip, folded, more, nothing, table, when
from shipmoor_hooks.report.markup import Child, Markup, bidi, joined, spoken, tag
from shipmoor_hooks.report.pages import CaseChange, Grid, Step, Track
from shipmoor_hooks.report.words import change_words, one_change
from shipmoor_hooks.rules.stability import CaseRow, Group
from shipmoor_hooks.rules.stability_wording import bounded
from shipmoor_hooks.rules.wording import ago, several

MOST_NAMES = 20
MOST_FLAKY = 40
SIGNS = {"passed": "✓", "failed": "✗", "error": "!", "skipped": "–", "xfailed": "x"}
_MEANS = {
    "passed": "passed",
    "failed": "failed",
    "error": "error",
    "skipped": "skipped",
    "xfailed": "expected to fail",
}


def section(track: Track, place: str, now: float) -> Markup:
    """The section of a suite; `place` is its name on the page."""
    newest = track.newest
    parts: list[Child] = [_head(track, place, now)]
    drawn = chart.over_commits(track.steps, track.name)
    if drawn is not None:
        label = f"{track.name}: cases passed of all cases, over {several(len(track.steps), 'commit')}"
        parts.append(
            tag("figure", tag("div", drawn, class_="scroll from-end", tabindex="0", role="group", aria_label=label))
        )
    if newest is None:
        parts.append(tag("p", "No commit that is shown here was measured. ", tag("code", _run_command(track))))
    if track.evals is not None:
        parts += html_beside.eval_parts(track, place, now)
    parts += [
        _history(track, place, now),
        _grid(track, place, now),
        _flaky(track, place),
        html_beside.disclosures(track, place),
        html_beside.proofs(track, place, now),
        html_beside.clearings(track, place, now),
        _slowest(track, place),
        _runs(track, place, now),
        _not_covered(track, place),
    ]
    return tag("section", parts, id=place, aria_labelledby=f"{place}-name")


def _run_command(track: Track) -> str:
    return f"shipmoor-hooks run --suite {track.suite.name}"


def _head(track: Track, place: str, now: float) -> Markup:
    newest = track.newest
    told: list[Child] = [tag("h2", bidi(track.name, class_="words"), id=f"{place}-name")]
    if newest is not None and newest.run is not None:
        told += [
            tag("strong", str(newest.count), class_="num"),
            tag("span", "at ", tag("code", newest.commit.name[:10]), f", {evidence_text(newest.run)}, ",
                when(newest.run.started, now), class_="soft small"),
        ]  # fmt: skip
    return tag("div", told, class_="head")


# ---------------------------------------------------------------- commits


def _history(track: Track, place: str, now: float) -> Markup:
    priced = any(s.cost is not None for s in track.steps)
    rows = [_step(step, now, priced) for step in track.steps]
    head = ["commit", "n of N", "changed", "runs", "evidence", *([PRICE] if priced else []), "committed"]
    return folded(
        f"{place}-commits",
        "Commits",
        several(len(track.steps), "commit"),
        table(f"{track.name} at each commit, the newest first", head, rows),
        is_open=True,
    )


def _step(step: Step, now: float, priced: bool) -> Markup:
    commit = step.commit
    count: Child = (
        tag("span", str(step.count), class_="num") if step.count else tag("span", "not measured", class_="soft")
    )
    if step.run is not None:
        found: Child = [evidence_text(step.run), ", ", when(step.run.started, now)]
    else:
        found = tag("span", step.why or "no run", class_="soft small")
    cells = [
        tag("th", tag("code", commit.name[:10]), " ", bidi(commit.subject, class_="words"), scope="row"),
        tag("td", count, class_="num"),
        tag("td", _changed(step), class_="wide"),
        tag("td", str(step.runs) if step.runs else "–", class_="num"),
        tag("td", found, class_="mid"),
    ]
    if priced:
        cells.append(tag("td", "–" if step.cost is None else money(step.cost), class_="num"))
    cells.append(tag("td", when(commit.when, now)))
    return tag("tr", cells)


def _changed(step: Step) -> Child:
    disclosed = len(step.commit.disclosures)
    if not step.changes and not disclosed:
        return tag("span", "–", class_="soft")
    chips = [chip(words, shade) for words, shade in change_words(step.changes)]
    if disclosed:
        chips.append(chip(f"{disclosed} disclosed", "is-calm"))
    lines = [tag("li", one_change_markup(c)) for c in step.changes[:MOST_NAMES]]
    lines += [tag("li", d.trailer.value, ": ", bidi(d.value)) for d in step.commit.disclosures]
    left = len(step.changes) - MOST_NAMES
    return tag(
        "details",
        tag("summary", tag("span", chips, class_="chips")),
        tag("ul", lines, more(left, "case"), class_="small"),
    )


def one_change_markup(change: CaseChange) -> Markup:
    """A case with what became of it."""
    return joined([one_change(change), " ", bidi(change.case)])


# ---------------------------------------------------------------- the grid


def _grid(track: Track, place: str, now: float) -> Markup | None:
    grid = track.grid
    if not grid.runs:
        return None
    changed = sum(r.is_changed for r in grid.rows)
    head = tag("tr", tag("th", "case", scope="col"), [_column(run, now) for run in grid.runs])
    rows = [
        tag(
            "tr",
            tag("th", bidi(row.case), scope="row"),
            [_cell(c, r) for c, r in zip(row.cells, grid.runs, strict=True)],
        )
        for row in grid.rows
    ]
    caption = f"{track.name}: cases by runs, the newest run first" + _left_out(grid)
    body = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", rows), class_="grid")
    scroll = tag("div", body, class_="scroll", tabindex="0", role="group", aria_label=f"{track.name}: cases by runs")
    told = f"{several(len(grid.rows))}, {several(len(grid.runs), 'run')}; {changed} not alike in all of them"
    return folded(f"{place}-grid", "Cases by runs", told, scroll, tag("div", _key(), class_="small"), is_open=True)


def _left_out(grid: Grid) -> str:
    told = f"; {several(grid.left_out)} more are left out" if grid.left_out else ""
    return told + (f"; {several(grid.runs_left_out, 'older run')} too" if grid.runs_left_out else "")


def _column(run: Run, now: float) -> Markup:
    part = "" if run.is_complete else ", a selection"
    told = f"run {run.id[:12]}, {run.count}, {ago(now - run.started)}{part}"
    return tag("th", tag("span", run.id[:7], class_="id", aria_hidden="true"), spoken(told), scope="col", title=told)


def _cell(case: Case | None, run: Run) -> Markup:
    if case is None:
        shade, sign, means = ("gone", "", "not in this run") if run.is_complete else ("unsaid", "·", "not selected")
    else:
        shade, sign, means = case.outcome.value, SIGNS[case.outcome.value], _MEANS[case.outcome.value]
        if case.samples > 1:
            torn = 0 < case.passed < case.samples
            shade = "torn" if torn else shade
            sign, means = f"{case.passed}/{case.samples}", f"{means}, {case.passed} of {case.samples} samples"
    return tag("td", tag("span", sign, class_=f"cell {shade}", aria_hidden="true"), spoken(means))


def _key() -> Markup:
    rows = [tag("li", tag("span", sign, class_=f"cell {name}", aria_hidden="true"), _MEANS[name])
            for name, sign in SIGNS.items()]  # fmt: skip
    rows += [
        tag("li", tag("span", "1/2", class_="cell torn", aria_hidden="true"), "k of n samples passed"),
        tag("li", tag("span", "", class_="cell gone", aria_hidden="true"), "not in this run"),
        tag("li", tag("span", "·", class_="cell unsaid", aria_hidden="true"), "not selected"),
    ]
    return tag("ul", rows, class_="key")


# ---------------------------------------------------------------- flaky cases


def _flaky(track: Track, place: str) -> Markup | None:
    """Cases that were green and red under equal circumstances; for evals every case, since each is a sample."""
    if track.evals is not None:
        return None  # its own table says it of every case
    rows = list(flaky_rows(track.stability.groups))
    if not rows:
        return folded(
            f"{place}-flaky", "Flaky cases", "none seen",
            nothing("No case was both green and red on one tree. That is no proof: few runs show little."),
        )  # fmt: skip
    body = [
        tag("tr", tag("th", bidi(row.case), scope="row"), tag("td", tag("code", tree[:10])),
            tag("td", str(row.total), class_="num"), tag("td", chart.interval(row.total), " ", bounded(row.total)))
        for tree, row in rows[:MOST_FLAKY]
    ]  # fmt: skip
    caption = "k of n passed on one tree, with the bound that the numbers allow"
    return folded(
        f"{place}-flaky", "Flaky cases", several(len(rows)),
        table(caption, ["case", "tree", "passed", "what that allows"], body), more(len(rows) - MOST_FLAKY, "case"),
        is_open=True,
    )  # fmt: skip


def flaky_rows(groups: Sequence[Group]) -> Iterable[tuple[str, CaseRow]]:
    """Each case that was green and red on one tree, with that tree, the newest first."""
    return ((g.trees[0], row) for g in groups for row in g.rows if 0 < row.total.passed < row.total.of)


# ---------------------------------------------------------------- time, runs, the policy's own words


def _slowest(track: Track, place: str) -> Markup:
    timed = [r for r in (track.evals.cases if track.evals else ()) if r.seconds is not None]
    if not timed:
        said = nothing("The stored runs hold the seconds of a run, not of its cases; the runs below tell them.")
        return folded(f"{place}-slow", "Slowest cases", "not stored", said)
    timed.sort(key=lambda r: -(r.seconds or 0.0))
    rows = [
        tag("tr", tag("th", bidi(r.case), scope="row"), tag("td", f"{r.seconds:.1f} s", class_="num"))
        for r in timed[:10]
    ]
    caption = "mean seconds of a sample"
    return folded(
        f"{place}-slow", "Slowest cases", f"up to {timed[0].seconds:.0f} s", table(caption, ["case", "mean"], rows)
    )


def _runs(track: Track, place: str, now: float) -> Markup:
    rows = [_run(run, now) for run in track.runs]
    head = ["run", "n of N", "evidence", "tree", "took", "measured under", "counts"]
    left = more(track.runs_left_out, "older run")
    body = table("stored runs, the newest first", head, rows) if rows else nothing("No run is stored.")
    return folded(f"{place}-runs", "Runs", several(len(track.runs) + track.runs_left_out, "run"), body, left)


def _run(run: Run, now: float) -> Markup:
    took = "not seen" if run.finished is None else f"{run.finished - run.started:.1f} s"
    under = "; ".join(f"{name} {value}" for name, value in run.conditions)
    counts = "yes" if run.is_complete else f"{run.problems[0].code.value}: {run.problems[0].message}"
    label = joined([" ", chip(run.label, "is-calm")]) if run.label else None
    return tag(
        "tr",
        tag("th", tag("code", run.id[:12]), " ", when(run.started, now), label, scope="row"),
        tag("td", str(run.count), class_="num"),
        tag("td", evidence_text(run), class_="mid"),
        tag("td", tag("code", run.tree[:10]) if run.tree else "bound to nothing"),
        tag("td", took, class_="num"),
        tag("td", bidi(under, class_="small")),
        tag("td", counts, class_="wide"),
    )


def _not_covered(track: Track, place: str) -> Markup | None:
    if not track.suite.not_covered:
        return None
    rows = [tag("li", bidi(text, class_="words")) for text in track.suite.not_covered]
    return folded(
        f"{place}-not-covered", "What it does not cover", str(len(rows)), tag("ul", rows, class_="list"), is_open=True
    )
