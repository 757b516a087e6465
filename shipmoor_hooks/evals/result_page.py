"""report.html: a result as one page that asks nothing of any network; every name and text in it is data."""

from __future__ import annotations

import html
from collections.abc import Iterator

from shipmoor_hooks.evals.result_document import CaseResult, SampleResult, SuiteResult, timestamp
from shipmoor_hooks.visible import visible

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
pre { overflow-x: auto; white-space: pre-wrap; border: 1px solid; padding: .5rem; }
.green::before { content: "✓ "; } .red::before { content: "✗ "; }
.green { color: light-dark(#0a6b2d, #7fe0a0); } .red { color: light-dark(#a40e26, #ff9aa8); }
"""


def page(result: SuiteResult) -> str:
    """The whole page."""
    return "\n".join(_page(result)) + "\n"


def _page(result: SuiteResult) -> Iterator[str]:
    title = f"{result.passed} of {len(result.cases)} cases passed"
    yield "<!doctype html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
    names = ", ".join(f"{plugin.get('name', '')} {plugin.get('version', '')}".strip() for plugin in result.plugins)
    cost = f"${result.cost:.2f} (list-price estimate)"
    yield f"<p>{_safe(names or 'no plugin')} · {_safe(result.version)} · {timestamp(result.started)} · "
    yield f"{result.seconds:.0f} s · {cost}</p>"
    if result.partial:
        yield f'<p class="red">not the whole suite: {_safe(result.partial)}</p>'
    for case in result.cases:
        yield from _case(case, result.options.threshold)
    yield "</body></html>"


def _case(case: CaseResult, threshold: float) -> Iterator[str]:
    mark = "green" if case.meets(threshold) else "red"
    yield f'<section><h2 class="{mark}">{_safe(case.case.name)}</h2>'
    yield f"<p>{case.passed_samples} of {len(case.samples)} samples, score {case.score:.2f}</p>"
    yield f"<pre>{_safe(case.case.prompt)}</pre>"
    for number, sample in enumerate(case.samples, 1):
        yield from _sample(case, sample, number)
    yield "</section>"


def _sample(case: CaseResult, sample: SampleResult, number: int) -> Iterator[str]:
    graders = case.case.graders
    yield f"<h3>Sample {number}: score {sample.score(graders):.2f}, {sample.seconds:.1f} s</h3>"
    if sample.error:
        yield f'<p class="red">{_safe(sample.error)}</p>'
    yield "<ul>"
    for grader, verdict in zip(graders, sample.verdicts or (), strict=False):
        mark = "green" if verdict.passed else "red"
        yield f'<li><span class="{mark}">{_safe(grader.name)}</span>: {_safe(verdict.explanation)}</li>'
    yield "</ul>"


def _safe(text: str) -> str:
    """Data: no mark-up, and no character that hides or turns what stands beside it."""
    return html.escape("\n".join(visible(line) for line in text.split("\n")))
