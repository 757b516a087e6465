"""The page's one style sheet: light, dark, phone, print. No font, image or address from anywhere. Pure.

Colours are pairs of text and ground whose contrast is at least 4.5 to 1 (WCAG 2.2, 1.4.3); no meaning is told by colour alone.
"""

from __future__ import annotations

_LIGHT = {
    "ground": "#ffffff", "panel": "#f6f7f9", "edge": "#d6dae1", "ink": "#15181d", "soft": "#545c69", "link": "#0a4fc4",
    "good": "#0b6130", "good-ground": "#def3e5", "bad": "#9d0d24", "bad-ground": "#fde5e9", "warn": "#6b4300",
    "warn-ground": "#fcefd2", "calm": "#3d4756", "calm-ground": "#e9ecf1", "line": "#0b7a3b", "all": "#8a93a1",
}  # fmt: skip
_DARK = {
    "ground": "#0e1116", "panel": "#161b22", "edge": "#2d3540", "ink": "#e9ecf1", "soft": "#a5aebb", "link": "#8db9ff",
    "good": "#85e3a6", "good-ground": "#10301d", "bad": "#ffa3b0", "bad-ground": "#3b131b", "warn": "#f5ca77",
    "warn-ground": "#33270b", "calm": "#c3cad5", "calm-ground": "#232a34", "line": "#5fd38a", "all": "#7d8795",
}  # fmt: skip

_RULES = """
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; background: var(--ground); color: var(--ink);
  -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 84rem; padding: 1rem clamp(1rem, 3vw, 2.5rem) 4rem; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3, p, ul, ol, dl, figure, pre { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: clamp(1.5rem, 1.2rem + 1.6vw, 2.1rem); line-height: 1.2; letter-spacing: -.015em;
  overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere; }
h3 { font-size: 1rem; display: inline; }
bdi, code, .id { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace; font-size: .875em;
  overflow-wrap: anywhere; }
.words { font-family: inherit; font-size: inherit; }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99rem; background: var(--ground); padding: .5rem 1rem; z-index: 9; }
.skip:focus { left: 1rem; top: 1rem; }
.num { font-variant-numeric: tabular-nums; white-space: nowrap; }

.top { display: grid; gap: .25rem; padding: 1rem 0 1.25rem; }
.mark { font-size: .8125rem; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
.verdict { margin-top: .9rem; display: grid; grid-template-columns: auto 1fr; gap: .25rem .9rem;
  align-items: center; border-radius: .75rem;
  padding: 1rem 1.25rem; border: 1px solid; }
.verdict svg { width: 2rem; height: 2rem; grid-row: span 2; }
.verdict strong { font-size: 1.15rem; line-height: 1.35; overflow-wrap: anywhere; }
.verdict p:last-child { grid-column: 2; }
.is-good { color: var(--good); background: var(--good-ground); border-color: currentColor; }
.is-bad { color: var(--bad); background: var(--bad-ground); border-color: currentColor; }
.is-warn { color: var(--warn); background: var(--warn-ground); border-color: currentColor; }
.is-calm { color: var(--calm); background: var(--calm-ground); border-color: currentColor; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: .9rem;
  margin: 1.1rem 0 0; }
.tile { border: 1px solid var(--edge); border-radius: .75rem; padding: .9rem 1.1rem; background: var(--panel);
  display: grid;
  gap: .15rem; align-content: start; }
.tile a { font-weight: 600; overflow-wrap: anywhere; }
.count { font-size: 1.9rem; line-height: 1.15; font-weight: 650; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums; }
.count small { font-size: 1rem; font-weight: 500; color: var(--soft); letter-spacing: 0; }
.chips { display: flex; flex-wrap: wrap; gap: .35rem; margin-top: .3rem; }
.chip { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .8125rem;
  line-height: 1.5; font-weight: 550;
  white-space: nowrap; }

.frame { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; margin-top: 1.75rem; }
nav.side ul { display: flex; flex-wrap: wrap; gap: .35rem .9rem; font-size: .9375rem; }
nav.side > h2 { font-size: .8125rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft);
  margin-bottom: .35rem; }
@media (min-width: 64rem) {
  .frame { grid-template-columns: 12rem minmax(0, 1fr); gap: 2.5rem; }
  nav.side { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
  nav.side ul { display: grid; gap: .3rem; }
  nav.side ul ul { padding-left: .8rem; margin: .2rem 0 .5rem; border-left: 2px solid var(--edge); }
}
@media (max-width: 63.99rem) { nav.side ul ul { display: none; } }
main { display: grid; gap: 2.5rem; min-width: 0; grid-template-columns: minmax(0, 1fr); }
section { display: grid; gap: 1rem; min-width: 0; grid-template-columns: minmax(0, 1fr); }
.head { display: flex; flex-wrap: wrap; gap: .35rem .8rem; align-items: baseline; border-bottom: 2px solid var(--edge);
  padding-bottom: .5rem; }

details { border: 1px solid var(--edge); border-radius: .6rem; min-width: 0; }
details > summary { cursor: pointer; padding: .6rem .9rem; border-radius: .6rem; list-style-position: inside; }
details > summary::marker { color: var(--soft); }
details > summary:hover { background: var(--panel); }
details[open] > summary { border-bottom: 1px solid var(--edge); border-end-start-radius: 0; border-end-end-radius: 0; }
details > :not(summary) { padding: .8rem .9rem; }
details > .scroll { padding: 0; }
details .row, td > details { border: 0; }
td > details > summary { padding: 0; display: flex; gap: .4rem; }
td > details > summary::before { content: "▸"; color: var(--soft); }
td > details[open] > summary::before { content: "▾"; }
td code { white-space: nowrap; }
.bar { display: block; }
.spark { width: 100%; height: 2.25rem; margin: .35rem 0 .1rem; }
td > details[open] > summary { border: 0; }
td > details > :not(summary) { padding: .35rem 0 .1rem 1rem; }

.scroll { overflow-x: auto; max-width: 100%; position: relative; }
.from-end { direction: rtl; }
.from-end > * { direction: ltr; margin-right: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
caption { text-align: left; padding: .5rem .9rem; color: var(--soft); font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .9rem; border-bottom: 1px solid var(--edge); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { font-size: .8125rem; color: var(--soft); font-weight: 600; white-space: nowrap; vertical-align: bottom; }
tbody th { font-weight: 500; min-width: 10rem; max-width: 34rem; overflow: clip; }
.wide { min-width: 13rem; }
.mid { min-width: 10rem; }

.grid { width: auto; }
.grid th, .grid td { padding: 0; border: 0; }
.grid thead th { padding: .25rem 0; text-align: center; min-width: 1.75rem; }
.grid thead th:first-child { text-align: left; padding: .25rem .9rem; }
.grid thead .id { writing-mode: vertical-rl; font-weight: 500; }
.grid tbody th { position: sticky; left: 0; background: var(--ground); padding: .1rem .9rem;
  max-width: min(30rem, 46vw);
  line-height: 1.35; border-right: 1px solid var(--edge); }
.cell { display: block; min-width: 1.55rem; height: 1.55rem; margin: 1px; padding: 0 .25rem;
  border-radius: .3rem; text-align: center;
  font: 600 .75rem/1.55rem ui-monospace, "DejaVu Sans Mono", monospace; }
.passed { color: var(--good); background: var(--good-ground); }
.failed, .error { color: var(--bad); background: var(--bad-ground); }
.skipped, .xfailed { color: var(--warn); background: var(--warn-ground); }
.torn { color: var(--warn); background: var(--warn-ground); }
.gone { color: var(--soft); box-shadow: inset 0 0 0 1px var(--edge); }
.unsaid { color: var(--soft); }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1rem; font-size: .8125rem; color: var(--soft); }
.key span.cell { display: inline-block; margin: 0 .3rem 0 0; vertical-align: middle; }

.chart { display: block; max-width: none; font: 12px system-ui, sans-serif; }
.chart text { fill: var(--ink); paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }
.chart .quiet { fill: var(--soft); }
.chart .rule { stroke: var(--edge); }
.chart .all { stroke: var(--all); stroke-dasharray: 4 3; fill: none; stroke-width: 1.5; }
.chart .passing { stroke: var(--line); fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
.chart .lost { fill: var(--bad-ground); }
.chart .dot { fill: var(--ground); stroke: var(--line); stroke-width: 2; }
.chart .dot.red { fill: var(--bad); stroke: var(--bad); }
.chart .none { fill: var(--all); }
.bar .rule { stroke: var(--all); }
.bar .span { fill: var(--link); }
.bar .at { fill: var(--ink); }

.list { display: grid; gap: .6rem; }
.list > li { min-width: 0; }
.finding { border-left: 4px solid var(--edge); padding-left: .8rem; display: grid; gap: .2rem; }
.finding.refuse { border-color: var(--bad); } .finding.no-evidence { border-color: var(--warn); }
.finding.disclosed { border-color: var(--calm); }
pre { white-space: pre-wrap; overflow-wrap: anywhere;
  font: .875rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--panel);
  border: 1px solid var(--edge); border-radius: .4rem; padding: .4rem .7rem; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.2rem; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 36rem) { dl.facts { grid-template-columns: minmax(0, 1fr); } dl.facts dd { margin-bottom: .4rem; }
  th, td { padding: .4rem .6rem; } }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--edge); color: var(--soft);
  font-size: .875rem; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav.side, .skip { display: none; }
  .frame { display: block; }
  main, section { display: block; }
  section > *, main > * { margin-bottom: 1rem; }
  .scroll { overflow: visible; }
  .grid tbody th { position: static; }
  details, tr, .tile, .verdict { break-inside: avoid; }
  details[open], details:has(table) { break-inside: auto; }
  details::details-content { content-visibility: visible; block-size: auto; }
  * { print-color-adjust: exact; }
}
@media (forced-colors: active) { .chip, .cell { border: 1px solid; } .bar .span, .bar .at { fill: CanvasText; } }
"""


def sheet() -> str:
    """The style sheet."""
    light = " ".join(f"--{name}: {value};" for name, value in _LIGHT.items())
    dark = " ".join(f"--{name}: {value};" for name, value in _DARK.items())
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"@media print {{ :root {{ color-scheme: light; {light} }} }}\n{_RULES}"
    )
