"""Small drawings as inline SVG: n of N over commits, and what k of n allows. Pure. Words beside them say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shipmoor_hooks import rates
from shipmoor_hooks.model import Count
from shipmoor_hooks.report.markup import Markup, tag
from shipmoor_hooks.report.pages import Step

_LEFT, _RIGHT, _TOP, _HEIGHT, _BELOW = 20.0, 30.0, 28.0, 120.0, 34.0
_WIDTH, _NARROW, _BROAD = 780.0, 30.0, 96.0  # of the whole; a commit takes no less and no more
_LABEL = 78.0  # what a label takes
_ROOM = 0.18  # of the height, below the lowest point

Place = Callable[[float], float]


def over_commits(steps: Sequence[Step], name: str) -> Markup | None:
    """The line of n under the line of N along first parents, the oldest at the left; None where nothing was measured."""
    ordered = list(reversed(first_parents(steps)))
    points = [(i, s, s.count) for i, s in enumerate(ordered) if s.count is not None]
    if not points:
        return None
    top = max(c.of for _, _, c in points)
    low = min(c.passed for _, _, c in points)
    # A line that starts at 0 shows the size of the suite and hides one lost case; this one shows what changes.
    floor = max(0.0, low - max(1.0, (top - low) * _ROOM))

    slot_width = min(_BROAD, max(_NARROW, (_WIDTH - _LEFT - _RIGHT) / len(ordered)))

    def x(slot: float) -> float:
        return _LEFT + slot_width * (slot + 0.5)

    def y(number: float) -> float:
        return _TOP + _HEIGHT * (1 - (number - floor) / max(1e-9, top - floor))

    width = _LEFT + slot_width * len(ordered) + _RIGHT
    height = _TOP + _HEIGHT + _BELOW
    upper = [(x(i), y(c.of)) for i, _, c in points]
    lower = [(x(i), y(c.passed)) for i, _, c in points]
    marks = [tag("polygon", points=_points([*upper, *reversed(lower)]), class_="lost")] if len(points) > 1 else []
    marks += [
        tag("line", x1=_LEFT, x2=width - _RIGHT, y1=_TOP + _HEIGHT, y2=_TOP + _HEIGHT, class_="rule"),
        tag("polyline", points=_points(upper), class_="all"),
        tag("polyline", points=_points(lower), class_="passing"),
    ]
    for i, step in enumerate(ordered):
        if step.count is None:
            told = f"{step.commit.name[:10]} {step.commit.subject}: not measured"
            marks.append(tag("circle", tag("title", told), cx=x(i), cy=_TOP + _HEIGHT, r=2.5, class_="none"))
    marks += [_dot(x(i), y(c.passed), s, c) for i, s, c in points]
    marks += _labels(points, x, y)
    marks += _ends(ordered, x, height)
    first, last = points[0][2], points[-1][2]
    words = (
        f"{name}: {first} at the oldest measured commit, {last} at the newest; {len(points)} of {len(ordered)} measured"
    )
    return tag(
        "svg", tag("title", words), *marks, class_="chart", role="img", width=width, height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}", aria_label=words,
    )  # fmt: skip


def first_parents(steps: Sequence[Step]) -> list[Step]:
    """The steps that lead from the first one back along first parents: a line can show one way only."""
    by_name = {step.commit.name: step for step in steps}
    found: list[Step] = []
    here = steps[0] if steps else None
    while here is not None:
        found.append(here)
        parents = here.commit.parents
        here = by_name.get(parents[0]) if parents else None
    return found


def _points(rows: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in rows)


def _dot(x: float, y: float, step: Step, count: Count) -> Markup:
    told = f"{step.commit.name[:10]} {step.commit.subject}: {count}"
    shade = "dot" if count.passed == count.of else "dot red"
    return tag("circle", tag("title", told), cx=x, cy=y, r=4, class_=shade)


def _labels(points: Sequence[tuple[int, Step, Count]], x: Place, y: Place) -> list[Markup]:
    """`7 of 8` at the newest point, the oldest, and wherever it changed, as far as there is room."""
    wanted = [0, len(points) - 1]
    wanted += [n for n in range(1, len(points)) if points[n][2] != points[n - 1][2]]
    taken: list[float] = []
    found = []
    for number in dict.fromkeys([len(points) - 1, *reversed(wanted)]):
        slot, _, count = points[number]
        if any(abs(x(slot) - other) < _LABEL for other in taken):
            continue
        taken.append(x(slot))
        found.append(tag("text", str(count), x=x(slot), y=y(count.of) - 10, text_anchor="middle"))
    return found


def _ends(ordered: Sequence[Step], x: Place, height: float) -> list[Markup]:
    ends = {0: ordered[0].commit.name[:7], len(ordered) - 1: ordered[-1].commit.name[:7]}
    return [
        tag("text", name, x=x(slot), y=height - 12, text_anchor="middle", class_="quiet") for slot, name in ends.items()
    ]


def spark(steps: Sequence[Step]) -> Markup | None:
    """The same line without words, as wide as its place; None for fewer than two measured commits."""
    counts = [s.count for s in reversed(first_parents(steps)) if s.count is not None]
    if len(counts) < 2:
        return None
    top, low = max(c.of for c in counts), min(c.passed for c in counts)
    span = max(1, top - low)
    slot = 200 / (len(counts) - 1)

    def line(numbers: Sequence[int]) -> str:
        return _points([(slot * i, 4 + 28 * (1 - (n - low) / span)) for i, n in enumerate(numbers)])

    upper, lower = line([c.of for c in counts]), line([c.passed for c in counts])
    turned = " ".join([upper, *reversed(lower.split(" "))])
    return tag(
        "svg",
        tag("polygon", points=turned, class_="lost"),
        tag("polyline", points=lower, class_="passing", vector_effect="non-scaling-stroke"),
        class_="spark chart", viewBox="0 0 200 36", preserveAspectRatio="none", aria_hidden="true", focusable="false",
    )  # fmt: skip


def interval(count: Count) -> Markup | None:
    """The interval that k of n allows, on a line from 0 to 1; the words beside it say it to a screen reader."""
    if not count.of:
        return None
    bound = rates.bound(count.passed, count.of)
    left, wide = 4.0, 112.0
    start, end = left + wide * bound.lower, left + wide * bound.upper
    return tag(
        "svg",
        tag("line", x1=left, x2=left + wide, y1=8, y2=8, class_="rule"),
        tag("rect", x=start, y=5, width=max(2.0, end - start), height=6, rx=3, class_="span"),
        tag("rect", x=left + wide * count.passed / count.of - 1.5, y=1, width=3, height=14, class_="at"),
        class_="bar", width=120, height=16, viewBox="0 0 120 16", aria_hidden="true", focusable="false",
    )  # fmt: skip
