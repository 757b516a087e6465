"""The pictures are true: the text in each is what the program prints now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("screenshots", ROOT / "docs" / "screenshots.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SHOTS = script()


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    said = SHOTS.story(tmp_path_factory.mktemp("story"))
    text = said("report", "--suite", "unit", "--format", "text")
    return {"text": text, "page": said("report", "-o", "-")}


def squeezed(text: str) -> str:
    """Without spaces, object names and moments: what does not differ from one making to the next."""
    text = re.sub(r"[0-9a-f]{12}|[0-9a-f]{10}|[0-9a-f]{7}", "HEX", re.sub(r"\s", "", text))
    return re.sub(r"\d+\.\d+s", "TIME", re.sub(r"justnow|\d+sago", "NOW", text))


def test_the_refused_push_is_the_readmes_own() -> None:
    assert squeezed(SHOTS.text_of_svg((IMAGES / "refused.svg").read_text())) == squeezed(SHOTS.refused())


def test_the_terminal_shows_what_is_printed_now(printed: dict[str, str]) -> None:
    drawn = SHOTS.text_of_svg((IMAGES / "report-text.svg").read_text())
    command = "$ shipmoor-hooks report --suite unit --format text\n"
    assert squeezed(drawn) == squeezed(command + printed["text"])


@pytest.mark.parametrize("name", SHOTS.PAGES)
def test_the_page_in_a_picture_is_the_page_of_now(printed: dict[str, str], name: str) -> None:
    assert SHOTS.text_of_png((IMAGES / name).read_bytes()) == SHOTS.text_of_page(printed["page"])


def test_a_picture_that_drifted_is_seen() -> None:
    said = SHOTS.refused().replace("refused", "allowed")
    drawn = SHOTS.terminal(said, "another")
    assert SHOTS.text_of_svg(drawn) == re.sub(r"\s", "", said)
    assert SHOTS.text_of_svg(drawn) != re.sub(r"\s", "", SHOTS.refused())
    png = (IMAGES / "report.png").read_bytes()
    assert SHOTS.text_of_png(SHOTS.with_text(png[:33] + png[-12:], "other")) == "other"
    with pytest.raises(ValueError, match="no text"):
        SHOTS.text_of_png(png[:33] + png[-12:])


def test_pictures_are_small_and_ask_for_nothing() -> None:
    files = sorted(IMAGES.iterdir())
    assert {p.name for p in files} == {"refused.svg", "report-text.svg", *SHOTS.PAGES}
    assert sum(p.stat().st_size for p in files) < 600_000
    for path in (p for p in files if p.suffix == ".svg"):
        assert re.findall(r"(?:https?|data|file):[^\"' )]+", path.read_text()) == ["http://www.w3.org/2000/svg"]


@pytest.mark.parametrize("page", ["README.md", "docs/report.md"])
def test_every_picture_that_is_shown_is_there_and_says_what_it_shows(page: str) -> None:
    shown = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", (ROOT / page).read_text())
    assert shown
    for words, target in shown:
        assert (ROOT / page).parent.joinpath(target).exists()
        assert len(words) > 20
