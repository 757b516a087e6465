"""`report` from a real repository: what it tells, where it writes, and that names stay data in every form."""

from __future__ import annotations

import contextlib
import html.parser
import io
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder
from report_world import HOSTILE, ReportWorld, cart, shop
from test_schemas import faults

from shipmoor_hooks import error_handler
from shipmoor_hooks.cli import main as cli
from shipmoor_hooks.model import Count, Outcome
from shipmoor_hooks.report import cases, chart, html_page, markup, style, text_page, words
from shipmoor_hooks.report.pages import CaseChange, Commit, Page, Step
from shipmoor_hooks.visible import visible

REVIEW = ("--compare", "main", "HEAD")
CLOSED = {"meta", "br", "hr", "col", "path", "line", "circle", "rect", "polyline"}


@dataclass
class Read(html.parser.HTMLParser):
    """A page as a parser sees it: elements with their attributes, what is open, and the text of all."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    @classmethod
    def page(cls, page: str) -> Read:
        read = cls()
        read.feed(page)
        read.close()
        return read

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in CLOSED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in CLOSED:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def tool(world: ReportWorld, *words_: str, **env: str) -> Done:
    """The command line in this process, with its exit code and both streams."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        for name, value in {**world.repo.env, **env}.items():
            patch.setenv(name, value)
        call = ["-C", str(world.repo.path), *words_]
        code = error_handler.guarded(lambda: cli.run(call), dict(os.environ))
    return Done(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> ReportWorld:
    from conftest import sealed_environment

    top = tmp_path_factory.mktemp("story")
    (top / "home").mkdir()
    return shop(RepoBuilder.create(top / "shop", sealed_environment(top / "home")))


@pytest.fixture(scope="module")
def page(story: ReportWorld) -> str:
    done = tool(story, "report", "-o", "-")
    assert done.code == 0, done.err
    return done.out


# ---------------------------------------------------------------- what it tells


def test_n_of_n_over_commits_and_what_changed(page: str) -> None:
    text = Read.page(page).text.replace(style.sheet(), "")
    for told in (
        "10 of 11", "9 of 9", "Test-Removed:", "prices are never negative any more (#212)", "1 removed", "2 added",
        "not measured", "Refused: 1 case turned red", "observed, ", "the agent swarms", "faults/finding-id.patch",
        "list-price estimate",
        "this change", "it names the rule", "tests/test_cart.py::test_shipping_abroad", "at least 0.14 and at most 0.98",
        "refs/heads/faster", "names-code", "Version 1",
    ):  # fmt: skip
        assert told in text, told
    assert "%" not in text.replace("95 %", "")


def test_it_asks_for_nothing_and_runs_nothing(page: str) -> None:
    read = Read.page(page)
    assert read.open == []
    assert {name for name, _ in read.elements} & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
    } == set()
    assert all(a.get("href", "#").startswith("#") for _, a in read.elements)
    assert not any(name.startswith("on") or name in ("src", "style") for _, a in read.elements for name in a)
    (policy,) = [m["content"] for m in read.named("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "url(" not in page
    assert "@import" not in page


def test_landmarks_headers_and_names(page: str) -> None:
    read = Read.page(page)
    assert [len(read.named(n)) for n in ("main", "header", "footer", "nav", "h1")] == [1, 1, 1, 1, 1]
    assert all(a.get("scope") in ("col", "row") for a in read.named("th"))
    assert len(read.named("caption")) == len(read.named("table"))
    ids = [a["id"] for _, a in read.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"] for a in read.named("a")} <= {f"#{i}" for i in ids}
    regions = [a for _, a in read.elements if "scroll" in (a.get("class") or "").split()]
    assert regions
    assert all(a.get("tabindex") == "0" and a.get("aria-label") for a in regions)


def test_text_draws_the_graph(story: ReportWorld) -> None:
    text = tool(story, "report", "--format", "text").out
    lines = text.splitlines()
    assert lines[0] == f"shop at {story.repo.sha()[:10]}"
    assert re.search(r"^\* [0-9a-f]{7}  9 of 9    Drop negative prices  20 h ago$", text, re.M)
    assert "|     - tests/test_cart.py::test_negative" in lines
    assert "\x1b" not in text
    coloured = tool(story, "report", "--format", "text", FORCE_COLOR="1").out
    assert "\x1b[31m- tests/test_cart.py::test_negative\x1b[0m" in coloured
    both = tool(story, "report", "--format", "text", FORCE_COLOR="1", NO_COLOR="1").out
    assert "\x1b" not in both


def test_a_merge_is_drawn_as_git_draws_it(repo: RepoBuilder) -> None:
    world = ReportWorld.create(repo)
    world.commit("Begin")
    world.unit(cart("a", "b"))
    repo.git("switch", "-q", "-c", "side")
    repo.commit("On the side", ["Test-Removed: tests/test_cart.py::test_b -- gone (#1)"], {"side.py": "1\n"})
    world.unit(cart("a"))
    repo.git("switch", "-q", "main")
    repo.commit("On main", files={"main.py": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Bring the side", "side")
    world.unit(cart("a"))
    said = tool(world, "report", "--suite", "unit", "--format", "text").out.splitlines()
    heads = (re.match(r"([*|\\/ ]+[0-9a-f]{7})  |([|\\/ ]+)$", line) for line in said)
    drawn = [re.sub(r"[0-9a-f]{7}", "HEX", head[1] or head[2]) for head in heads if head]
    git = repo.git("log", "--graph", "--format=%h", "--abbrev=7").splitlines()
    assert drawn == [re.sub(r"[0-9a-f]{7}", "HEX", line.rstrip()) for line in git]
    assert any(re.match(r"^\| \|\s+Test-Removed: tests/test_cart.py::test_b", line) for line in said)
    chain = chart.first_parents(
        [Step(Commit(n, "", p, 0.0, "")) for n, p in (("m", ("a", "b")), ("b", ("r",)), ("a", ("r",)), ("r", ()))]
    )
    assert [s.commit.name for s in chain] == ["m", "a", "r"]


@pytest.mark.parametrize("words_", [[], ["--compare", "main", "faster"], ["--suite", "evals", "-n", "3"]], ids=str)
def test_json_is_what_its_schema_says(story: ReportWorld, words_: list[str]) -> None:
    done = tool(story, "report", *words_, "--format", "json")
    told = json.loads(done.out)
    assert faults("page-1", told) == []
    assert [s["suite"] for s in told["suites"]] == (["evals"] if "evals" in words_ else ["unit", "evals"])


def test_a_comparison_for_a_review(story: ReportWorld) -> None:
    told = tool(story, "report", "--compare", "main", "faster", "--format", "markdown").out
    assert "| `unit` | 10 of 10 | 10 of 11 |" in told
    assert "removed: tests/test_cart.py::test_negative" in told
    assert "samples 2 of 2 at the base, 1 of 2 at the tip: plan-halts-without-phase-signals" in told
    text = tool(story, "report", "--compare", "main", "faster", "--format", "text").out
    assert text.startswith("main against faster\nrefused: 1 case turned red\n")
    assert "unit: 3 cases stand otherwise" in text
    page_ = Read.page(tool(story, "report", "--compare", "main", "faster", "-o", "-").out)
    assert "main against faster" in page_.text
    assert "Write the readme" not in page_.text


# ---------------------------------------------------------------- where it writes, and what it refuses


def test_it_is_written_where_git_ignores_it(story: ReportWorld) -> None:
    done = tool(story, "report")
    path = Path(done.out.strip())
    assert path == story.repo.path / "build" / "shipmoor-hooks" / "report.html"
    assert (done.code, done.err) == (0, "")
    assert path.read_text().startswith("<!doctype html>\n<html")
    assert story.repo.git("status", "--porcelain") == ""


def test_else_it_lies_in_the_git_directory(repo: RepoBuilder) -> None:
    world = ReportWorld.create(repo)
    repo.write(".gitignore", "")
    world.commit("Begin")
    world.unit(cart("a"))
    path = Path(tool(world, "report").out.strip())
    assert path == repo.path / ".git" / "shipmoor-hooks" / "report.html"
    assert repo.git("status", "--porcelain") == ""
    named = tool(world, "report", "--output", "page.html")
    assert "git does not ignore page.html, so the next run's tree holds it" in named.err
    assert (repo.path / "page.html").exists()
    inside = tool(world, "report", "--output", "../page.html")
    assert inside.err == ""


@pytest.mark.parametrize(
    ("words_", "code", "says"),
    [
        pytest.param(["--suite", "none"], 2, "no suite 'none'", id="no such suite"),
        pytest.param(["--compare", "main", "nowhere"], 2, "'nowhere' names no commit", id="no such revision"),
        pytest.param(["--format", "markdown"], 2, "--compare BASE TIP", id="markdown of no comparison"),
        pytest.param(["--format", "pdf"], 2, "not 'pdf'", id="no such format"),
        pytest.param(["--format", "text", "--open"], 2, "--open opens a page", id="open a text"),
        pytest.param(["-o", "nowhere/page.html"], 4, "cannot be written", id="no such folder"),
        pytest.param(["-n", "0"], 2, "0", id="no commits"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(story: ReportWorld, words_: list[str], code: int, says: str) -> None:
    done = tool(story, "report", *words_)
    assert done.code == code
    assert says in done.err
    assert "Traceback" not in done.err


def test_nothing_measured_is_said_and_is_no_evidence(repo: RepoBuilder) -> None:
    world = ReportWorld.create(repo)
    world.commit("Begin")
    done = tool(world, "report", "-o", "-")
    assert done.code == 3
    assert "No commit that is shown here was measured." in Read.page(done.out).text
    assert "not measured" in tool(world, "report", "--format", "text").out


def test_a_run_that_cannot_be_read_is_named(repo: RepoBuilder) -> None:
    world = ReportWorld.create(repo)
    world.commit("Begin")
    world.unit(cart("a"))
    (stored,) = Path(world.place.common_dir).rglob("*.run")
    stored.write_bytes(b"{}")
    said = Read.page(tool(world, "report", "-o", "-").out).text
    assert "Stored runs that cannot be used" in said


# ---------------------------------------------------------------- names are data


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ReportWorld:
    from conftest import sealed_environment

    top = tmp_path_factory.mktemp("hostile")
    (top / "home").mkdir()
    world = ReportWorld.create(RepoBuilder.create(top / "shop", sealed_environment(top / "home")))
    world.commit("Begin")
    world.unit(dict.fromkeys(HOSTILE, "p"))
    world.evals({"plan<script>": "PF", "a\u202eb": "P"})
    world.push()
    reason = "<img src=x onerror=alert(1)> \u202e `code`"
    world.commit("<script>document.title='owned'</script>\u2066", [f"Test-Removed: {HOSTILE[0]} -- {reason}"])
    world.unit({name: "pfesx"[n % 5] for n, name in enumerate(HOSTILE[1:])}, label="<b>me</b>")
    return world


@pytest.mark.parametrize("words_", [["-o", "-"], ["--compare", "main", "HEAD", "-o", "-"]], ids=["page", "comparison"])
def test_hostile_names_are_text(hostile: ReportWorld, words_: list[str]) -> None:
    page_ = tool(hostile, "report", *words_).out
    read = Read.page(page_)
    assert read.open == []
    assert not {name for name, _ in read.elements} & {"script", "img", "b"}
    assert len(read.named("h1")) == 1
    assert all(visible(name) in read.text for name in HOSTILE)
    assert not re.search("[\x00-\x09\x0b-\x1f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", page_)


@pytest.mark.parametrize(
    "words_",
    [["--format", "text"], [*REVIEW, "--format", "text"], [*REVIEW, "--format", "markdown"]],
    ids=["text", "comparison", "markdown"],
)  # fmt: skip
def test_hostile_names_move_no_terminal(hostile: ReportWorld, words_: list[str]) -> None:
    said = tool(hostile, "-v", "report", *words_).out
    assert "test_x.py" in said
    assert not re.search("[\x00-\x09\x0b-\x1f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", said)


@given(st.text(st.characters(exclude_categories=[]), max_size=40))
def test_whatever_is_no_markup_comes_out_as_its_own_text(text: str) -> None:
    read = Read.page(markup.tag("p", text, title=text))
    assert read.text == visible(text)
    assert read.elements == [("p", {"title": visible(text)})]


@pytest.mark.parametrize(
    "attributes",
    [{"onclick": "x"}, {"onLoad": "x"}, {"href": "http:x"}, {"href": "javascript:x"}, {"src": "x.png"}, {"style": "x"}],
    ids=str,
)
def test_no_element_takes_a_handler_or_an_address(attributes: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="no element"):
        markup.tag("a", **attributes)


# ---------------------------------------------------------------- the parts


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        pytest.param("p", "p", [], id="nothing"),
        pytest.param("p", None, ["removed"], id="removed"),
        pytest.param("s", None, ["removed (was skipped)"], id="removed while skipped"),
        pytest.param(None, "p", ["added"], id="added"),
        pytest.param(None, "f", ["added (failed)"], id="added red"),
        pytest.param("p", "f", ["passed, now failed"], id="red"),
        pytest.param("f", "p", ["failed, now passed"], id="green"),
        pytest.param("f", "e", ["failed, now error"], id="red otherwise"),
        pytest.param("p", "x", ["passed, now xfailed"], id="skipped"),
    ],
)
def test_changes(before: str | None, after: str | None, told: list[str]) -> None:
    letters = {"p": Outcome.PASSED, "f": Outcome.FAILED, "e": Outcome.ERROR, "s": Outcome.SKIPPED, "x": Outcome.XFAILED}
    sides = [{"a": letters[side]} if side else {} for side in (before, after)]
    assert [words.one_change(c) for c in cases.changes(*sides)] == told


def test_the_grid_shows_what_is_not_alike_first_and_says_what_it_leaves_out(repo: RepoBuilder) -> None:
    world = ReportWorld.create(repo)
    world.commit("Begin")
    runs = [
        world.unit(cart(*(f"c{n:03}" for n in range(90)), zebra="p"), 5),
        world.unit(cart(*(f"c{n:03}" for n in range(90)), zebra="f"), 4),
        world.unit(cart(*(f"c{n:03}" for n in range(1, 90)), zebra="p"), 3),
    ]
    grid = cases.grid(runs, most_runs=2, most_cases=10)
    assert [r.id for r in grid.runs] == [runs[2].id, runs[1].id]
    assert [r.case.rpartition("_")[2] for r in grid.rows[:3]] == ["zebra", "c000", "c001"]
    assert (len(grid.rows), grid.left_out, grid.runs_left_out) == (10, 81, 1)


def test_a_selection_says_nothing_about_what_it_leaves_out(story: ReportWorld) -> None:
    told = Read.page(tool(story, "report", "--suite", "evals", "-o", "-").out)
    assert "not selected" in told.text


def test_the_line_says_the_counts_and_is_silent_where_nothing_was_measured() -> None:
    commits = [
        Commit(n * 40, "t", (p * 40,) if p else (), 0.0, "Change") for n, p in (("c", "b"), ("b", "a"), ("a", ""))
    ]
    assert chart.over_commits([Step(c) for c in commits], "unit") is None
    steps = [Step(commits[0], Count(7, 8)), Step(commits[1]), Step(commits[2], Count(8, 8))]
    drawn = chart.over_commits(steps, "unit")
    assert drawn is not None
    text = Read.page(drawn).text
    assert "unit: 8 of 8 at the oldest measured commit, 7 of 8 at the newest; 2 of 3 measured" in text
    assert "bbbbbbbbbb Change: not measured" in text


@given(st.integers(0, 50), st.integers(0, 50))
def test_an_interval_lies_on_its_line(k: int, n: int) -> None:
    drawn = chart.interval(Count(min(k, n), n))
    if n == 0:
        assert drawn is None
        return
    assert drawn is not None
    span = next(a for a in Read.page(drawn).named("rect") if a["class"] == "span")
    start, wide = float(span["x"] or 0), float(span["width"] or 0)
    assert start >= 4
    assert start + wide <= 4 + 112 + 2


def test_a_cell_tells_its_samples(story: ReportWorld) -> None:
    told = Read.page(tool(story, "report", "--suite", "evals", "-o", "-").out).text
    assert "failed, 1 of 2 samples" in told


def test_an_empty_page_is_a_page() -> None:
    page_ = Page("shop", "a" * 40, 0.0, (), None, no_verdict="there is nothing")
    assert "No verdict: there is nothing" in Read.page(html_page.html(page_)).text
    assert "no verdict: there is nothing" in text_page.text(page_, width=80)


def test_change_words_are_told_once_each() -> None:
    rows = (CaseChange("a", None, Outcome.PASSED), CaseChange("b", Outcome.PASSED, None))
    assert words.change_words(rows) == [("1 removed", "is-bad"), ("1 added", "is-good")]
