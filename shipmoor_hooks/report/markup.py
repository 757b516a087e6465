"""HTML elements that cannot be made wrongly: whatever is no `Markup` is data and is escaped. Pure (design, section 9).

Text goes through `visible` first, so that no character in a name turns or hides what stands beside it. An element takes no
event handler and no address but a place on the same page: what the page holds can neither run nor ask for anything.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from shipmoor_hooks.visible import visible


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | int | None | Iterable["Child"]
_VOID = frozenset({"meta", "br", "hr", "col"})
_EMPTY = frozenset({"path", "line", "circle", "rect", "polyline"})  # of SVG: only what is drawn
_ADDRESSES = frozenset({"href", "src", "action", "formaction", "data", "xlink-href", "srcset", "poster", "style"})


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """An element. `class_` stands for `class`, `aria_label` for `aria-label`; None and False leave an attribute out.

    Raises ValueError for an event handler, and for an address that leads away from the page.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    if name in _EMPTY and not children:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[Child]) -> Markup:
    """Children one behind the other; what is no Markup is escaped."""
    return Markup("".join(_child(child) for child in children))


def bidi(text: str, **attributes: str | None) -> Markup:
    """A name from outside: set apart, so that its own direction stays its own."""
    return tag("bdi", text, **attributes)


def spoken(text: str) -> Markup:
    """Words for a screen reader, where the eye sees a mark."""
    return tag("span", text, class_="said")


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return html.escape(visible(str(child)))
    return joined(child)


def _attribute(key: str, value: str | float | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if name.lower().startswith("on") or (name.lower() in _ADDRESSES and not str(value).startswith("#")):
        raise ValueError(f"no element of the page takes {name}={value!r}")
    if value is False:
        return ""
    if value is True:
        return f" {name}"
    if isinstance(value, float):
        value = f"{value:.1f}".removesuffix(".0")
    return f' {name}="{html.escape(visible(str(value)))}"'
