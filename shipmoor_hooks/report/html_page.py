"""The page: one HTML file that asks nothing of any network and runs no script. Pure."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from shipmoor_hooks import render
from shipmoor_hooks.describe import evidence_text, moment
from shipmoor_hooks.model import Decision, Finding, Level, Verdict
from shipmoor_hooks.report import chart, html_track, style
from shipmoor_hooks.report.html_pieces import chip, folded, more, nothing, table, when
from shipmoor_hooks.report.markup import Child, Markup, bidi, joined, tag
from shipmoor_hooks.report.pages import Comparison, Page, Track
from shipmoor_hooks.report.words import change_words
from shipmoor_hooks.rules.wording import several
from shipmoor_hooks.visible import visible

_MOST_FINDINGS = 100
_MOST_NOTES = 40
_MOST_CHANGES = 200
_WORDS = {Decision.ALLOWED: "Allowed", Decision.REFUSED: "Refused", Decision.CANNOT_EVALUATE: "Cannot evaluate"}
_SHADES = {Decision.ALLOWED: "is-good", Decision.REFUSED: "is-bad", Decision.CANNOT_EVALUATE: "is-warn"}
_SIGNS = {
    "is-good": "M4 12.5 10 18.5 20 6.5",
    "is-bad": "M6 6 18 18 M18 6 6 18",
    "is-warn": "M12 5 12 13 M12 18 12 18.5",
    "is-calm": "M6 12 18 12",
}


def html(page: Page, version: str = "") -> str:
    """The whole file. It holds no script, and its policy lets none run: names in it are data."""
    sheet = style.sheet()
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode("ascii")
    rules = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=rules),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", _title(page)),
        tag("style", Markup(sheet)),
    )
    places = [f"suite-{number}" for number, _ in enumerate(page.tracks, 1)]
    sections = [html_track.section(t, p, page.made) for t, p in zip(page.tracks, places, strict=True)]
    body = tag(
        "body",
        tag("a", "Skip to the suites", href="#suites", class_="skip"),
        _top(page, places),
        tag(
            "div",
            _side(page, places),
            tag("main", _answer(page), *sections, _beside(page), id="suites", tabindex="-1"),
            class_="frame",
        ),
        _foot(page, version),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _title(page: Page) -> str:
    counts = ", ".join(f"{t.name} {t.newest.count}" for t in page.tracks if t.newest)
    what = f"{page.base_name}…{page.tip_name}" if page.is_comparison else page.project
    return f"{what}: {counts or 'nothing measured'} – shipmoor-hooks"


# ---------------------------------------------------------------- the top


def _top(page: Page, places: Sequence[str]) -> Markup:
    name: list[Child] = [bidi(page.project, class_="words")]
    if page.is_comparison:
        name += [": ", bidi(page.base_name, class_="words"), " against ", bidi(page.tip_name, class_="words")]
    here = page.tracks[0].steps[0].commit if page.tracks and page.tracks[0].steps else None
    told: list[Child] = [tag("code", page.tip[:10])]
    if here is not None:
        told += [" ", bidi(here.subject, class_="words"), ", committed ", when(here.when, page.made)]
    return tag(
        "header",
        tag("p", "shipmoor-hooks report", class_="mark"),
        tag("h1", name),
        tag("p", told, class_="soft"),
        _banner(page),
        tag("div", [_tile(page, t, p) for t, p in zip(page.tracks, places, strict=True)], class_="tiles"),
        class_="top",
    )


def _banner(page: Page) -> Markup:
    verdict = page.verdict
    if verdict is None:
        return _said("is-calm", "No verdict", page.no_verdict or "nothing was judged")
    line = render.headline(verdict)
    word, _, rest = line.removeprefix(f"{visible(verdict.ref)}: ").partition(": ")
    base = f"base {(verdict.base.commit or 'none')[:10]}, tip {(verdict.tip.commit or 'none')[:10]}"
    shade = "is-warn" if verdict.warned else _SHADES[verdict.decision]
    open_ = [f for f in verdict.findings if f.level is not Level.NOTE and f.disclosed is None]
    told = rest if open_ or verdict.decision is Decision.ALLOWED else ""
    return _said(shade, _WORDS[verdict.decision] if not verdict.warned else word.capitalize(), told, base)


def _said(shade: str, word: str, told: str, below: str = "") -> Markup:
    drawn = tag(
        "svg", tag("path", d=_SIGNS[shade], fill="none", stroke="currentColor", stroke_width=3, stroke_linecap="round"),
        viewBox="0 0 24 24", aria_hidden="true", focusable="false",
    )  # fmt: skip
    # The headline is made visible already; to be escaped it has to be data again, which a second time changes nothing.
    return tag("div", drawn, tag("strong", f"{word}: {told}" if told else word), tag("p", below, class_="small"),
               class_=f"verdict {shade}")  # fmt: skip


def _tile(page: Page, track: Track, place: str) -> Markup:
    compared = next((c for c in page.comparisons if (c.suite, c.variant) == (track.suite.name, track.variant)), None)
    newest = track.newest
    parts: list[Child] = [tag("a", bidi(track.name, class_="words"), href=f"#{place}")]
    if newest is None or newest.count is None:
        parts += [
            tag("p", "not measured", class_="count"),
            tag("p", f"in {several(len(track.steps), 'commit')}", class_="soft"),
        ]
        return tag("div", parts, class_="tile")
    parts.append(tag("p", str(newest.count.passed), " ", tag("small", f"of {newest.count.of} passed"), class_="count"))
    if compared is not None and compared.base is not None:
        parts.append(tag("p", f"base {compared.base}", class_="soft num"))
    if newest.run is not None:
        at = "" if newest is track.steps[0] else f", at {newest.commit.name[:10]}"
        parts.append(
            tag("p", evidence_text(newest.run), ", ", when(newest.run.started, page.made), at, class_="soft small")
        )
    parts.append(chart.spark(track.steps))
    chips = [chip(words, shade) for words, shade in change_words(compared.changes)] if compared else []
    flaky = len({row.case for _, row in html_track.flaky_rows(track.stability.groups)})
    if flaky:
        chips.append(chip(f"{flaky} flaky", "is-warn"))
    if newest is not track.steps[0]:
        chips.append(chip("tip not measured", "is-warn"))
    if chips:
        parts.append(tag("p", chips, class_="chips"))
    return tag("div", parts, class_="tile")


def _side(page: Page, places: Sequence[str]) -> Markup:
    rows: list[Child] = [tag("li", tag("a", "Base against tip", href="#answer"))]
    for track, place in zip(page.tracks, places, strict=True):
        inner = [("commits", "Commits"), ("grid", "Cases by runs"), ("runs", "Runs")]
        if track.evals is not None:
            inner = [("samples", "Samples"), ("graders", "Graders"), ("costs", "Costs"), *inner]
        links = [tag("li", tag("a", words, href=f"#{place}-{part}")) for part, words in inner if _has(track, part)]
        rows.append(tag("li", tag("a", bidi(track.name, class_="words"), href=f"#{place}"), tag("ul", links)))
    return tag("nav", tag("h2", "On this page"), tag("ul", rows), class_="side", aria_label="On this page")


def _has(track: Track, part: str) -> bool:
    if part == "grid":
        return bool(track.grid.runs)
    if part == "samples":
        return bool(track.stability.groups)
    if part == "graders":
        return bool(track.evals and track.evals.cases)
    return part != "costs" or track.stability.cost is not None


# ---------------------------------------------------------------- base against tip


def _answer(page: Page) -> Markup:
    parts: list[Child] = [tag("div", tag("h2", "Base against tip", id="answer-name"), class_="head")]
    verdict = page.verdict
    if verdict is None:
        parts.append(tag("p", page.no_verdict or "nothing was judged"))
    else:
        parts += [_counts(verdict), _findings(verdict)]
    parts += [_changes(c) for c in page.comparisons if c.changes or c.samples]
    return tag("section", parts, id="answer", aria_labelledby="answer-name")


def _counts(verdict: Verdict) -> Markup:
    if not verdict.suites:
        return nothing("Nothing was compared.")
    rows = [
        tag("tr", tag("th", bidi(s.suite + (f" [{s.variant}]" if s.variant else ""), class_="words"), scope="row"),
            tag("td", str(s.base or "not measured"), class_="num"), tag("td", str(s.tip or "not measured"), class_="num"))
        for s in verdict.suites
    ]  # fmt: skip
    return table("n of N at base and tip", ["suite", "base", "tip"], rows)


def _findings(verdict: Verdict) -> Markup:
    told = sorted((f for f in verdict.findings if f.level is not Level.NOTE), key=lambda f: f.disclosed is not None)
    notes = [f for f in verdict.findings if f.level is Level.NOTE]
    parts: list[Child] = []
    if told:
        parts += [
            tag("ul", [_finding(f) for f in told[:_MOST_FINDINGS]], class_="list"),
            more(len(told) - _MOST_FINDINGS, "finding"),
        ]
    if notes:
        rows = tag("ul", [_finding(f) for f in notes[:_MOST_NOTES]], class_="list")
        parts.append(
            folded("notes", "Notes", f"{len(notes)}, without effect", rows, more(len(notes) - _MOST_NOTES, "note"))
        )
    return joined(parts)


def _finding(finding: Finding) -> Markup:
    disclosed = finding.disclosed
    shade = "disclosed" if disclosed else finding.level.value
    chips = {"disclosed": "is-calm", "refuse": "is-bad", "no-evidence": "is-warn"}.get(shade, "is-calm")
    parts: list[Child] = [
        tag("p", chip(finding.code.value, chips), " ", chip("disclosed", "is-calm") if disclosed else None,
            tag("span", f" in {finding.suite}" if finding.suite else "", class_="soft small")),
        tag("p", bidi(finding.message, class_="words")),
    ]  # fmt: skip
    if disclosed:
        parts.append(tag("p", tag("code", f"{disclosed.trailer.value}:"), " ", bidi(disclosed.reason, class_="words"),
                         " (", tag("code", disclosed.commit[:10]), ")", class_="small"))  # fmt: skip
    elif finding.next_step and finding.level is not Level.NOTE:
        parts.append(tag("pre", Markup("\n".join(joined([line]) for line in finding.next_step.split("\n")))))
    return tag("li", parts, class_=f"finding {shade}")


def _changes(row: Comparison) -> Markup:
    changed = [
        tag("tr", tag("th", bidi(c.case), scope="row"), tag("td", c.before.value if c.before else "–"),
            tag("td", c.after.value if c.after else "gone"))
        for c in row.changes[:_MOST_CHANGES]
    ]  # fmt: skip
    sampled = [
        tag(
            "tr",
            tag("th", bidi(name), scope="row"),
            tag("td", str(base), class_="num"),
            tag("td", str(tip), class_="num"),
        )
        for name, base, tip in row.samples[:_MOST_CHANGES]
    ]
    told = [words for words, _ in change_words(row.changes)]
    return folded(
        f"changes-{_slug(row)}",
        f"Cases of {row.name} that stand otherwise",
        ", ".join(told) or "by their samples",
        table("outcome at base and tip", ["case", "base", "tip"], changed) if changed else None,
        more(len(row.changes) - _MOST_CHANGES, "case"),
        table("samples at base and tip", ["case", "base", "tip"], sampled) if sampled else None,
        is_open=True,
    )


def _slug(row: Comparison) -> str:
    """An id made of nothing that comes from outside."""
    return hashlib.sha256(row.name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


# ---------------------------------------------------------------- the rest


def _beside(page: Page) -> Markup | None:
    parts: list[Child] = []
    if page.receipts:
        rows = [
            tag("tr", tag("th", bidi(r.ref), scope="row"), tag("td", tag("code", r.commit[:10])), tag("td", r.verdict),
                tag("td", ", ".join(r.codes) or "–"), tag("td", when(r.recorded, page.made)))
            for r in page.receipts
        ]  # fmt: skip
        told = table(
            "what the gate answered, by the receipts kept here", ["ref", "commit", "verdict", "codes", "when"], rows
        )
        parts.append(folded("pushes", "Pushes", f"{len(rows)} judged", told))
    if page.broken:
        rows = [tag("li", bidi(text)) for text in page.broken[:_MOST_NOTES]]
        parts.append(
            folded("broken", "Stored runs and records that cannot be used", str(len(page.broken)), tag("ul", rows))
        )
    if not parts:
        return None
    head = tag("div", tag("h2", "Beside the suites", id="beside-name"), class_="head")
    return tag("section", head, parts, id="beside", aria_labelledby="beside-name")


def _foot(page: Page, version: str) -> Markup:
    return tag(
        "footer",
        tag("p", f"Written by shipmoor-hooks {version} at {moment(page.made)} from the runs stored in this repository."),
        tag("p", "A seal shows that the same user stored a run; it is no signature. A disclosure says what and why; whether "
                 "the reason is good, a reader has to judge."),
    )  # fmt: skip
