"""Pieces that every part of the page is made of: a folded part, a table that scrolls inside, a chip, a moment. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.describe import moment
from shipmoor_hooks.report.markup import Child, Markup, bidi, tag
from shipmoor_hooks.rules.wording import ago, several


def folded(place: str, title: str, told: str, *body: Child, is_open: bool = False) -> Markup:
    """A part that opens and closes by itself, with the keyboard too."""
    summary = tag("summary", tag("h3", title), " ", tag("span", told, class_="soft small"))
    return tag("details", summary, *body, id=place, open=is_open)


def table(caption: str, head: Sequence[str], rows: Sequence[Markup], name: str = "") -> Markup:
    """A table that scrolls inside of itself, never the page; the keyboard reaches it."""
    top = tag("thead", tag("tr", [tag("th", word, scope="col") for word in head]))
    body = tag("table", tag("caption", caption), top, tag("tbody", rows), class_=name or None)
    return tag("div", body, class_="scroll", tabindex="0", role="group", aria_label=caption)


def chip(words: str, shade: str) -> Markup:
    return tag("span", words, class_=f"chip {shade}")


def when(seconds: float, now: float) -> Markup:
    """`4 min ago`, and the moment itself for who points at it."""
    exact = moment(seconds)
    return tag("time", ago(now - seconds), datetime=exact, title=exact, class_="num")


def facts(rows: Sequence[tuple[str, str]]) -> Markup:
    """Names and values."""
    return tag(
        "dl", [(tag("dt", name), tag("dd", bidi(value, class_="words"))) for name, value in rows], class_="facts"
    )


def nothing(words: str) -> Markup:
    return tag("p", words, class_="soft")


def more(left: int, word: str) -> Markup | None:
    return tag("p", f"and {several(left, 'more ' + word)}", class_="soft small") if left > 0 else None
