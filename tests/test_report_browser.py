"""The page in a real headless Chromium: nothing runs or is asked for, nothing overflows, the keyboard reaches everything."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import browser as browsers
import pytest
from browser import Browser, Tab
from repo_builder import RepoBuilder
from report_world import HOSTILE, ReportWorld, shop

from shipmoor_hooks.visible import visible

PROGRAM = browsers.installed()
pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here"),
]
LOOKS = {
    "desk": (1280, 900, False),
    "desk in the dark": (1280, 900, True),
    "phone": (360, 740, False),
    "phone in the dark": (360, 740, True),
}
TAB, ENTER = ("Tab", 9), ("Enter", 13, "\r")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    with browsers.started(PROGRAM) as started:
        yield started


@pytest.fixture
def tab(browser: Browser) -> Tab:
    return browser.tab()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of a plain story, and one whose every name is hostile."""
    from conftest import sealed_environment

    found = {}
    for name in ("story", "hostile"):
        top = tmp_path_factory.mktemp(name)
        (top / "home").mkdir()
        repo = RepoBuilder.create(top / "shop", sealed_environment(top / "home"))
        if name == "story":
            shop(repo)
        else:
            _hostile(ReportWorld.create(repo))
        found[name] = top / "page.html"
        done = repo.tool("report", "-o", str(found[name]))
        assert done.returncode == 0, done.stderr.decode()
    return found


def _hostile(world: ReportWorld) -> None:
    world.commit("Begin")
    world.unit(dict.fromkeys(HOSTILE, "p"))
    world.evals(dict.fromkeys(HOSTILE[:3], "PF"))
    world.push()
    world.commit(
        "<script>document.title='owned'</script>\u202e", [f"Test-Removed: {HOSTILE[0]} -- <img src=x onerror=alert(1)>"]
    )
    world.unit({name: "pfesx"[n % 5] for n, name in enumerate(HOSTILE[1:])}, label="<b onclick=alert(1)>me</b>")


@pytest.mark.parametrize("name", ["story", "hostile"])
def test_nothing_runs_and_nothing_is_asked_for(tab: Tab, pages: dict[str, Path], name: str) -> None:
    tab.look(1280, 900)
    tab.open(pages[name])
    assert tab.requests == [pages[name].as_uri()]
    assert tab.said == []
    assert "owned" not in tab.ask("document.title")
    assert tab.ask("document.querySelectorAll('script, img, iframe, link, object, embed').length") == 0
    shown = tab.ask("document.body.textContent")
    assert "document.title='owned'" in shown or name == "story"
    if name == "hostile":
        assert all(visible(case) in shown for case in HOSTILE)


def test_the_pages_own_policy_would_stop_a_script_that_came_through(
    tab: Tab, pages: dict[str, Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.html"
    planted = (
        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><b style='color:red'>"
    )
    broken.write_text(pages["story"].read_text().replace("<main", f"{planted}<main", 1))
    tab.open(broken)
    assert tab.ask("document.title") != "owned"
    assert "Content Security Policy" in " ".join(tab.said)


@pytest.mark.parametrize("name", ["story", "hostile"])
@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_the_page_never_scrolls_sideways(tab: Tab, pages: dict[str, Path], look: str, name: str) -> None:
    width, height, dark = LOOKS[look]
    tab.look(width, height, dark=dark)
    tab.open(pages[name])
    tab.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert tab.ask("document.documentElement.scrollWidth") <= width
    ground = tab.ask("getComputedStyle(document.documentElement).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark


def test_every_pair_of_colours_has_contrast_enough(tab: Tab, pages: dict[str, Path]) -> None:
    for dark in (False, True):
        tab.look(1280, 900, dark=dark)
        tab.open(pages["story"])
        tab.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert tab.ask(CONTRAST) == []


CONTRAST = """(() => {
  const parts = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const linear = v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = parts(c).map(v => linear(v / 255));
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; const p = parts(c);
    if (p.length < 4 || p[3] > 0) return c; } return 'rgb(255, 255, 255)'; };
  const low = new Set();
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest('svg, .said, .skip')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) low.add(e.className + ': ' + e.textContent.slice(0, 30));
  }
  return [...low];
})()"""


def test_the_keyboard_reaches_every_part_in_its_order_and_opens_it(tab: Tab, pages: dict[str, Path]) -> None:
    tab.look(1280, 900)
    tab.open(pages["story"])
    tab.ask(
        "window.all = [...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')].filter(e => e.checkVisibility())"
    )
    number = tab.ask("all.length")
    reached = []
    for _ in range(number):
        tab.press(*TAB)
        reached.append(tab.ask("all.indexOf(document.activeElement)"))
    assert reached == list(range(number))
    assert tab.ask("all[0].textContent") == "Skip to the suites"
    closed = tab.ask("all.findIndex(e => e.tagName === 'SUMMARY' && !e.parentElement.open)")
    tab.ask(f"all[{closed}].focus()")
    assert tab.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.press(*ENTER)
    assert tab.ask(f"all[{closed}].parentElement.open") is True


def test_in_print_nothing_stays_folded(tab: Tab, pages: dict[str, Path]) -> None:
    tab.look(1280, 900, media="print", dark=True)
    tab.open(pages["story"])
    assert tab.ask("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.ask("document.querySelector('nav.side').checkVisibility()") is False
    folded = "[...document.querySelectorAll('details:not([open]) > :not(summary)')]"
    assert tab.ask(f"{folded}.filter(e => e.getBoundingClientRect().height === 0).length") == 0


@pytest.mark.network
def test_axe_finds_nothing(tab: Tab, pages: dict[str, Path], tmp_path: Path) -> None:
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--silent", "axe-core@4"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    script = tmp_path / "node_modules" / "axe-core" / "axe.min.js"
    if done.returncode or not script.exists():
        pytest.skip("npm cannot install axe-core here")
    for look in LOOKS.values():
        for page in pages.values():
            tab.look(*look[:2], dark=look[2])
            tab.open(page)
            tab.call("Page.setBypassCSP", enabled=True)
            tab.ask(script.read_text() + "; 1")
            tab.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
            found = tab.ask(
                "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))]))"
            )
            assert found == [], json.dumps(found, indent=1)
