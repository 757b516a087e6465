"""The pictures of README and docs, drawn from what the program prints: `python docs/screenshots.py` (`make screenshots`).

Terminals are SVG, drawn from the README's own session (which a test plays) and from a run of `report --format text`; pages are
PNG of a headless Chromium, with the page's text kept inside of the file, so that a test can tell when a picture is out of date.
"""

from __future__ import annotations

import html
import io
import re
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.append(str(ROOT / "tests"))

WIDTH = 100
PAGES = {  # width, height, dark
    "report.png": (1200, 1040, False),
    "report-dark.png": (1200, 1040, True),
    "report-phone.png": (390, 844, False),
}
_KEYWORD = b"Page text"
_DARK = ["0e1116", "ff8a98", "5fd38a", "f5ca77", "8db9ff", "c8a0ff", "6ecddc", "e9ecf1"]
_BRIGHT = ["7d8795", "ffa3b0", "85e3a6", "fadc96", "aacdff", "d7b9ff", "96e1eb", "ffffff"]
# Without the fonts that the library's own form fetches from elsewhere: a picture asks for nothing.
_FORM = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font: bold 18px system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour)
    return red, green, blue


def terminal(said: str, title: str) -> str:
    """What a terminal showed, colours included, as SVG."""
    theme = TerminalTheme(rgb(_DARK[0]), rgb(_DARK[7]), [rgb(c) for c in _DARK], [rgb(c) for c in _BRIGHT])
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="standard", legacy_windows=False
    )
    for line in said.rstrip("\n").split("\n"):
        text = Text.from_ansi(line) if "\x1b" in line else Text(line, style=_style(line))
        console.print(text, soft_wrap=False, highlight=False)
    return console.export_svg(title=title, theme=theme, code_format=_FORM, unique_id=re.sub(r"\W", "-", title))


def _style(line: str) -> str:
    """A session without colours: the command that was typed stands out, and what was refused."""
    if line.startswith("$ "):
        return "bold"
    return "red" if "refused" in line or line.startswith(("CASE_", "error:")) else ""


def text_of_svg(drawn: str) -> str:
    """What a drawn terminal shows, without spaces and line ends (a line may be folded)."""
    body = drawn.partition('-matrix">')[2]
    return re.sub(r"\s", "", html.unescape("".join(re.findall(r"<text [^>]*>(.*?)</text>", body))))


def refused() -> str:
    """The push that loses a case, as the README tells it."""
    from readme_sessions import README, sessions

    blocks = dict(sessions(README.read_text()))["git"]
    return next(block for block in blocks if "refused" in block)


def with_text(png: bytes, text: str) -> bytes:
    """The picture with a text inside (a zTXt chunk: PNG 1.2, 4.2.3.2), before its end."""
    body = _KEYWORD + b"\0\0" + zlib.compress(text.encode(), 9)
    chunk = struct.pack(">I", len(body)) + b"zTXt" + body + struct.pack(">I", zlib.crc32(b"zTXt" + body))
    return png[:-12] + chunk + png[-12:]


def text_of_png(png: bytes) -> str:
    """The text inside. Raises ValueError for a picture that has none."""
    place = 8
    while place < len(png):
        (size,), kind = struct.unpack(">I", png[place : place + 4]), png[place + 4 : place + 8]
        body = png[place + 8 : place + 8 + size]
        if kind == b"zTXt" and body.startswith(_KEYWORD):
            return zlib.decompress(body[len(_KEYWORD) + 2 :]).decode()
        place += size + 12
    raise ValueError("the picture holds no text")


def comparable(text: str) -> str:
    """Object names, ids and moments differ from one making to the next."""
    text = re.sub(r"\d{4}-\d\d-\d\d(T[\d:]+(\+00:00|Z)?)?", "WHEN", text)
    text = re.sub(r"[0-9a-f]{7,40}", "HEX", text)
    return re.sub(r"\s+", " ", re.sub(r"shipmoor-hooks \d[\w.]*", "shipmoor-hooks VERSION", text)).strip()


def text_of_page(page: str) -> str:
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return comparable(html.unescape(re.sub(r"<[^>]+>", " ", body)))


def story(folder: Path) -> Callable[..., str]:
    """A repository with something to report; what it gives calls the program there."""
    from conftest import sealed_environment
    from repo_builder import RepoBuilder
    from report_world import shop

    (folder / "home").mkdir()
    world = shop(RepoBuilder.create(folder / "shop", sealed_environment(folder / "home")))

    def said(*words: str, **env: str) -> str:
        return world.repo.tool(*words, env=env).stdout.decode()

    return said


def main() -> int:
    """Draw every picture anew."""
    import browser

    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "refused.svg").write_text(terminal(refused(), "a push that loses a test"))
    program = browser.installed()
    if program is None:
        print("there is no Chromium here, so no page can be drawn (Debian: apt-get install chromium)", file=sys.stderr)
        return 4
    with tempfile.TemporaryDirectory() as name, browser.started(program) as started:
        folder = Path(name)
        said = story(folder)
        told = said("report", "--suite", "unit", "--format", "text", FORCE_COLOR="1")
        (IMAGES / "report-text.svg").write_text(
            terminal("$ shipmoor-hooks report --suite unit --format text\n" + told, "report")
        )
        page = said("report", "-o", "-")
        (folder / "page.html").write_text(page)
        for file, (width, height, dark) in PAGES.items():
            tab = started.tab()
            tab.look(width, height, dark=dark)
            tab.open(folder / "page.html")
            (IMAGES / file).write_bytes(with_text(tab.picture(), text_of_page(page)))
    for path in sorted(IMAGES.iterdir()):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
