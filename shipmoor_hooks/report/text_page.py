"""The report in a terminal: commits as `git log --graph` draws them, each with n of N and what changed there. Pure.

`paint` puts text into a colour (green, red, yellow, cyan, bold, dim) or leaves it as it is; everything from outside is made
visible before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from shipmoor_hooks import render
from shipmoor_hooks.describe import evidence_text
from shipmoor_hooks.eval_block import PRICE, money
from shipmoor_hooks.report.html_track import flaky_rows
from shipmoor_hooks.report.pages import CaseChange, Comparison, Page, Step, Track
from shipmoor_hooks.report.words import kind_of, one_change, otherwise
from shipmoor_hooks.rules.stability_wording import bounded
from shipmoor_hooks.rules.wording import ago
from shipmoor_hooks.visible import visible

Paint = Callable[[str, str], str]
_MOST = 5  # cases that are listed under a commit
_MOST_FLAKY = 10
_SHADES = {"removed": "red", "red": "red", "skipped": "yellow", "added": "green", "green": "green", "other": "cyan"}
_SIGNS = {"removed": "-", "red": "✗", "skipped": "–", "added": "+", "green": "✓", "other": "~"}


def plain(_shade: str, text: str) -> str:
    """No colour."""
    return text


def ansi(shade: str, text: str) -> str:
    """Colours of a terminal (ECMA-48, 8.3.117)."""
    numbers = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
    return f"\x1b[{numbers[shade]}m{text}\x1b[0m"


def text(page: Page, *, width: int, paint: Paint = plain, verbose: bool = False) -> str:
    """The whole report, lines of at most `width` columns where names allow it. Ends with a line feed."""
    lines: list[str] = []
    if page.is_comparison:
        lines += _comparison(page, width, paint, verbose)
    else:
        lines += [paint("bold", f"{visible(page.project)} at {page.tip[:10]}"), *_verdict(page, paint)]
    for track in page.tracks:
        lines += ["", *_track(page, track, width, paint, verbose)]
    lines += [f"cannot be used: {visible(text_)}" for text_ in page.broken]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _verdict(page: Page, paint: Paint) -> list[str]:
    if page.verdict is None:
        return [visible(f"no verdict: {page.no_verdict}")]
    shade = {"allowed": "green", "refused": "red"}.get(page.verdict.decision.value, "yellow")
    return [paint(shade, render.headline(page.verdict)) + paint("dim", "  (shipmoor-hooks gate says more)")]


def _track(page: Page, track: Track, width: int, paint: Paint, verbose: bool) -> Iterator[str]:
    newest = track.newest
    where = ""
    if newest is not None and newest.run is not None:
        at = "" if newest is track.steps[0] else f" at {newest.commit.name[:10]}"
        where = f"{newest.count}{at}, {evidence_text(newest.run)}, {ago(page.made - newest.run.started)}"
    yield paint("bold", visible(track.name)) + f"  {where or 'not measured'}"
    wide = max((len(str(s.count)) for s in track.steps if s.count), default=1)
    for step in track.steps:
        yield from _step(page, step, wide, width, paint, verbose)
    flaky = list(flaky_rows(track.stability.groups))
    if flaky:
        yield f"flaky on one tree ({len(flaky)}):"
        shown = flaky if verbose else flaky[:_MOST_FLAKY]
        yield from (f"  {visible(row.case)}  {row.total}: {bounded(row.total)}" for _, row in shown)
        yield from _left(len(flaky) - len(shown))
    if track.evals is not None and track.stability.cost is not None:
        change = track.evals.cost_of_change
        told = f", this change {money(change)}" if change is not None else ""
        yield f"all runs {money(track.stability.cost)}{told} ({PRICE})"
    yield from (f"not covered: {visible(text_)}" for text_ in track.suite.not_covered)


def _step(page: Page, step: Step, wide: int, width: int, paint: Paint, verbose: bool) -> Iterator[str]:
    commit = step.commit
    count = str(step.count) if step.count else "–"
    shade = "dim" if step.count is None else "green" if step.count.passed == step.count.of else "yellow"
    age = ago(page.made - commit.when)
    left = f"{commit.graph}{commit.name[:7]}  {count:<{wide}}  "
    subject = _cut(visible(commit.subject), max(16, width - len(left) - len(age) - 2))
    painted = f"{commit.graph}{paint('yellow', commit.name[:7])}  {paint(shade, f'{count:<{wide}}')}  {subject}"
    yield painted + paint("dim", f"  {age}")
    details = [*_changes(step.changes, paint, verbose)]
    details += [paint("cyan", f"{d.trailer.value}: {visible(d.value)}") for d in commit.disclosures]
    if step.why:
        details.append(paint("dim", visible(step.why)))
    lines = list(commit.below)
    # What git draws for the lines under a commit; the last of it goes on for as long as there is something to say.
    rail = next((line for line in reversed(lines) if not set(line) & set("/\\_")), "") if lines else ""
    if not rail and commit.parents:
        rail = commit.graph.replace("*", "|").rstrip()
    for line in lines:
        if set(line) & set("/\\_"):
            yield line
    yield from (f"{rail}     {detail}" for detail in details)


def _changes(changes: Sequence[CaseChange], paint: Paint, verbose: bool) -> Iterator[str]:
    shown = changes if verbose else changes[:_MOST]
    for change in shown:
        kind = kind_of(change)
        told = "" if kind in ("added", "removed") and one_change(change) == kind else f"  {one_change(change)}"
        yield paint(_SHADES[kind], f"{_SIGNS[kind]} {visible(change.case)}{told}")
    yield from _left(len(changes) - len(shown))


def _left(number: int) -> Iterator[str]:
    if number > 0:
        yield f"and {number} more (shipmoor-hooks -v report)"


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


# ---------------------------------------------------------------- base against tip


def _comparison(page: Page, width: int, paint: Paint, verbose: bool) -> Iterator[str]:
    yield paint("bold", f"{visible(page.base_name)} against {visible(page.tip_name)}")
    if page.verdict is None:
        yield f"no verdict: {visible(page.no_verdict)}"
    else:
        yield from render.as_text(page.verdict, width=width, verbose=verbose).rstrip("\n").split("\n")
    for row in page.comparisons:
        yield from _rows(row, paint, verbose)


def _rows(row: Comparison, paint: Paint, verbose: bool) -> Iterator[str]:
    if row.changes:
        yield f"\n{visible(row.name)}: {otherwise(len(row.changes))}"
        yield from (f"  {line}" for line in _changes(row.changes, paint, verbose))
    if row.samples:
        yield f"\n{visible(row.name)}: samples at base and tip"
        shown = row.samples if verbose else row.samples[:_MOST]
        yield from (f"  {visible(name)}  {base}, {tip}" for name, base, tip in shown)
        yield from _left(len(row.samples) - len(shown))
