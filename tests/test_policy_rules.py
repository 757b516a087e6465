"""The policy at base and tip: which change of which key is looser, and which is only told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks.model import Code, Policy
from shipmoor_hooks.policy import DISCLOSURE_KEYS, FORMATS, GATE_KEYS, SUITE_KEYS, parse
from shipmoor_hooks.rules.policy_rules import KEYS, PolicyKey, command_changes, covers, loosened, option


def selection(base: Sequence[str], tip: Sequence[str]) -> str | None:
    """What a runner's table would say: a `-k` that the base has not."""
    return " ".join(tip[tip.index("-k") :]) if "-k" in tip and "-k" not in base else None


def policy(text: str) -> Policy:
    return parse(text.encode(), "shipmoor-hooks.toml")


def keys(base: str, tip: str | None) -> list[str]:
    return [found.key for found in loosened(policy(base), None if tip is None else policy(tip), selection)]


def unit(line: str) -> str:
    return f"[suite.unit]\n{line}\n"


# For each key a looser change; for a key that no change makes looser, any change.
CHANGES = {
    "gate.target": ('[gate]\ntarget = "origin/main"', '[gate]\ntarget = "origin/old"'),
    "gate.evidence": ('[gate]\nevidence = "observed"', '[gate]\nevidence = "reported"'),
    "gate.untracked": ('[gate]\nuntracked = "refuse"', ""),
    "gate.mode": ("", '[gate]\nmode = "warn"'),
    "gate.window": ("", "[gate]\nwindow = 24.5"),
    "gate.disclosure.reason": ('[gate.disclosure]\nreason = "#1"', ""),
    "suite.NAME": (unit(""), ""),
    "suite.NAME.command": (unit("command = 'pytest'"), unit("command = 'pytest -k fast'")),
    "suite.NAME.reports": (unit("reports = ['a.xml', 'b.xml']"), unit("reports = ['a.xml']")),
    "suite.NAME.format": (unit("format = 'junit'"), unit("format = 'tap'")),
    "suite.NAME.exclude": (unit("exclude = ['docs/**']"), unit("exclude = ['docs/**', 'tests/**']")),
    "suite.NAME.variants": (unit("variants = ['a', 'b']"), unit("variants = ['b']")),
    "suite.NAME.shards": (unit("shards = 4"), unit("")),
    "suite.NAME.normalise": (unit(""), unit("normalise = [{ pattern = '[0-9]', replace = 'N' }]")),
    "suite.NAME.reruns": (unit("reruns = 'all'"), unit("")),
    "suite.NAME.proofs": (unit("proofs = true"), unit("")),
    "suite.NAME.setup": (unit("setup = ['make']"), unit("")),
    "suite.NAME.same": (unit("same = ['tool', 'model']"), unit("same = ['model']")),
    "suite.NAME.require": (unit("require = ['tool']"), unit("")),
    "suite.NAME.not_covered": (unit("not_covered = ['a']"), unit("not_covered = ['a', 'b']")),
    "suite.NAME.case_command": (unit("case_command = 'a'"), unit("")),
    "suite.NAME.agent": (unit("agent = 'a'"), unit("agent = 'b'")),
    "suite.NAME.max_cost": (unit("max_cost = 2"), unit("max_cost = 1")),
    "suite.NAME.overlay": (unit("overlay = 'refuse'"), unit("")),
    "suite.NAME.traces": (unit("traces = 'keep'"), unit("traces = 'drop'")),
}


def test_the_table_holds_every_key_that_can_be_read_and_no_other() -> None:
    read = {f"gate.{k}" for k in GATE_KEYS} | {f"gate.disclosure.{k}" for k in DISCLOSURE_KEYS}
    read |= {f"suite.NAME.{k}" for k in SUITE_KEYS} | {"suite.NAME"}
    assert {k.key for k in KEYS} == read == set(CHANGES)
    assert len(KEYS) == len(read)
    assert ", ".join(FORMATS) in {k.values for k in KEYS}


@pytest.mark.parametrize("entry", [pytest.param(k, id=f"{k.key}: {k.looser or 'never'}") for k in KEYS])
def test_each_key_is_looser_in_the_direction_that_its_table_tells(entry: PolicyKey) -> None:
    base, tip = CHANGES[entry.key]
    name = entry.key.replace("NAME", "unit")
    assert keys(base, base) == []
    assert keys(tip, tip) == []
    assert keys(base, tip) == ([name] if entry.looser else [])
    if entry.looser != "dropped or changed":
        assert keys(tip, base) == [], "the way back is stricter"


@pytest.mark.parametrize(
    ("base", "tip", "found"),
    [
        pytest.param(unit(""), unit("") + "[suite.more]", [], id="a suite more"),
        pytest.param("[suite.a]\n[suite.b]", "[suite.a]", ["suite.b"], id="a suite less"),
        pytest.param(
            "[suite.a]\n[suite.b]\nproofs = true",
            "[suite.a]\n[suite.c]",
            ["suite.b"],
            id="a suite renamed, whatever it held",
        ),
        pytest.param(
            "[gate]\nmode = 'refuse'\n[suite.b]\n[suite.a]", None, ["suite.a", "suite.b"], id="the policy deleted"
        ),
        pytest.param("[gate]\nmode = 'refuse'", None, [], id="a policy without suites deleted"),
        pytest.param("[gate]\nwindow = 48", "", [], id="a shorter window"),
        pytest.param("[gate]\nevidence = 'imported'", "", [], id="a default written out"),
        pytest.param(
            "[gate.disclosure]\nreason = 'a'",
            "[gate.disclosure]\nreason = 'b'",
            ["gate.disclosure.reason"],
            id="another pattern for reasons: nobody can tell",
        ),
        pytest.param("", "[gate.disclosure]\nreason = 'b'", [], id="a pattern for reasons where none was"),
        pytest.param(
            unit("exclude = ['a', 'b']"), unit("exclude = ['b', 'a']"), [], id="the same patterns in another order"
        ),
        pytest.param(unit("exclude = ['docs/**']"), unit("exclude = ['docs/api/**']"), [], id="a narrower pattern"),
        pytest.param(
            unit("exclude = ['docs/api/**']"),
            unit("exclude = ['docs/**']"),
            ["suite.unit.exclude"],
            id="a wider pattern",
        ),
        pytest.param(unit(""), unit("exclude = ['*.md']"), ["suite.unit.exclude"], id="the first pattern"),
        pytest.param(unit(""), unit("variants = ['a']"), [], id="the first variant"),
        pytest.param(unit("variants = ['a']"), unit(""), ["suite.unit.variants"], id="the last variant"),
        pytest.param(unit("variants = ['a']"), unit("variants = ['b']"), ["suite.unit.variants"], id="another variant"),
        pytest.param(unit("normalise = [{pattern='a',replace='b'}]"), unit(""), [], id="a replacement less"),
        pytest.param(
            unit("normalise = [{pattern='a',replace='b'}]"),
            unit("normalise = [{pattern='a',replace='c'}]"),
            ["suite.unit.normalise"],
            id="another replacement",
        ),
        pytest.param(
            unit("command = 'pytest -k a'"), unit("command = 'pytest -k a'"), [], id="a selection that the base has"
        ),
        pytest.param(
            unit("command = 'pytest -q'"), unit("command = 'pytest -v'"), [], id="another command without a selection"
        ),
        pytest.param(unit("command = 'pytest'"), unit(""), [], id="no command any more: only a note"),
        pytest.param(
            unit("format = 'plugin-eval'"),
            unit(""),
            ["suite.unit.reruns", "suite.unit.same"],
            id="the defaults of evals go with the format",
        ),
        pytest.param(
            unit("command = 'e --ablation none'\nformat = 'plugin-eval'"),
            unit("command = 'e --ablation=with-without'\nformat = 'plugin-eval'"),
            ["suite.unit.command"],
            id="another ablation",
        ),
        pytest.param(
            unit("command = 'e --ablation none'\nformat = 'plugin-eval'"),
            unit("command = 'e --runs 1 --ablation=none'\nformat = 'plugin-eval'"),
            [],
            id="the same ablation, written otherwise",
        ),
        pytest.param(
            unit("command = 'e --threshold 1'\nformat = 'plugin-eval'"),
            unit("command = 'e --threshold 0.5'\nformat = 'plugin-eval'"),
            ["suite.unit.command"],
            id="another threshold",
        ),
        pytest.param(
            unit("command = 'e --threshold 1'\nformat = 'plugin-eval'"),
            unit("command = 'e --threshold=1.0'\nformat = 'plugin-eval'"),
            [],
            id="the same threshold, written otherwise",
        ),
        pytest.param(
            unit("command = 'e'\nformat = 'plugin-eval'"),
            unit("command = 'e --threshold 0'\nformat = 'plugin-eval'"),
            ["suite.unit.command"],
            id="a threshold where none was",
        ),
        pytest.param(
            unit("command = 'e --threshold 1'"),
            unit("command = 'e --threshold 0'"),
            [],
            id="a threshold of some other tool",
        ),
    ],
)
def test_what_is_looser(base: str, tip: str | None, found: list[str]) -> None:
    assert keys(base, tip) == found


def test_several_keys_come_in_the_order_of_the_table_and_one_entry_each() -> None:
    base = "[gate]\nmode = 'refuse'\n[suite.b]\nsame = ['x', 'y']\nproofs = true\nvariants = ['l']\n[suite.a]"
    tip = "[gate]\nmode = 'warn'\n[suite.b]\nexclude = ['p', 'q']"
    assert keys(base, tip) == [
        "gate.mode",
        "suite.a",
        "suite.b.exclude",
        "suite.b.variants",
        "suite.b.proofs",
        "suite.b.same",
    ]


def test_the_message_tells_what_changed() -> None:
    told = {
        f.key: f.message
        for f in loosened(policy(unit("same = ['x', 'y']")), policy(unit("exclude = ['p', 'q']")), selection)
    }
    assert told == {
        "suite.unit.exclude": "it now also leaves out `p`, `q`",
        "suite.unit.same": "it no longer asks for `x`, `y`",
    }
    (narrowed,) = loosened(policy(unit("command = 'pytest'")), policy(unit("command = 'pytest -k x'")), selection)
    assert narrowed.message == "the command now selects: -k x"
    (level,) = loosened(policy("[gate]\nevidence = 'observed'"), policy(""), selection)
    assert level.message == "observed became imported"


# ---------------------------------------------------------------- changes that are only told


@pytest.mark.parametrize(
    ("base", "tip", "told"),
    [
        pytest.param(unit("command = 'a'"), unit("command = 'a'"), [], id="the same command"),
        pytest.param(unit("command = 'a b'"), unit("command = ['a', 'b']"), [], id="the same words"),
        pytest.param(unit("command = 'a'"), None, [], id="no policy at the tip"),
        pytest.param(unit("command = 'a'"), "", [], id="no such suite at the tip"),
        pytest.param(unit("command = 'a'"), unit("command = 'a -k x'"), [], id="a selection is more than a note"),
        pytest.param(
            unit("command = 'a'"),
            unit("command = 'a -v'"),
            ["suite.unit.command changed: `a`, then `a -v`."],
            id="another word",
        ),
        pytest.param(unit("command = 'a'"), unit(""), ["suite.unit.command changed: `a`, then none."], id="no command"),
        pytest.param(
            unit("case_command = 'a'\nagent = 'b'\ncommand = 'c'"),
            unit("case_command = 'd'\nagent = 'e'\ncommand = 'c -k x'"),
            ["suite.unit.case_command changed: `a`, then `d`.", "suite.unit.agent changed: `b`, then `e`."],
            id="the other commands, also beside a selection",
        ),
    ],
)
def test_other_changes_of_a_command_are_notes(base: str, tip: str | None, told: list[str]) -> None:
    notes = command_changes(policy(base), None if tip is None else policy(tip), selection)
    assert [n.message for n in notes] == told
    assert all(n.code is Code.COMMAND_CHANGED and n.suite == "unit" and not n.refuses for n in notes)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        pytest.param(["a"], None, id="not given"),
        pytest.param(["a", "--x", "1"], "1", id="as two words"),
        pytest.param(["a", "--x=1"], "1", id="as one word"),
        pytest.param(["a", "--x", "1", "--x=2"], "2", id="the last one counts"),
        pytest.param(["a", "--xy", "1"], None, id="a longer option is another one"),
        pytest.param(["a", "--x"], "", id="without its value"),
        pytest.param([], None, id="no command"),
    ],
)
def test_an_option_is_read_from_a_command(words: list[str], value: str | None) -> None:
    assert option(words, "--x") == value


# ---------------------------------------------------------------- patterns


PATTERNS = [
    "docs",
    "/docs",
    "docs/",
    "docs/**",
    "docs/api",
    "/docs/api/",
    "docs/*.md",
    "docs/api/**",
    "doc",
    "*.md",
    "docs/*",
    "a/docs",
    "a/docs/api",
    "d?cs",
    "d?cs/x",
]
PATHS = [
    "docs",
    "doc",
    "docs/a.md",
    "docs/api",
    "docs/api/b",
    "docs/api/c.md",
    "a/docs",
    "a/docs/api",
    "a/docs/api/x",
    "x.md",
    "a/x.md",
    "dxcs",
    "dxcs/x",
    "src/docs/api/y",
    "src/x",
]


def test_a_pattern_is_inside_another_only_if_git_says_so(repo: RepoBuilder) -> None:
    def left_out(pattern: str) -> set[str]:
        repo.write(".gitignore", f"{pattern}\n")
        done = repo.process(["git", "check-ignore", "--no-index", "--stdin"], stdin="\n".join(PATHS).encode())
        return set(done.stdout.decode().split())

    out = {pattern: left_out(pattern) for pattern in PATTERNS}
    pairs = [(known, pattern) for known in PATTERNS for pattern in PATTERNS if covers(known, pattern)]
    assert [(k, p) for k, p in pairs if not out[p] <= out[k]] == []
    assert ("docs/**", "docs/api/**") in pairs
    assert ("docs/**", "docs/") not in pairs
    assert sum(k != p for k, p in pairs) > 15


@pytest.mark.parametrize(
    ("base", "tip", "says"),
    [
        pytest.param("{ graders = ['a', 'b'] }", "{ graders = ['b', 'a'] }", "", id="another order"),
        pytest.param("{ graders = ['a'] }", "{ graders = ['a', 'b'], judge = false, max_seconds = 9 }", "", id="more"),
        pytest.param("['tool']", "{ conditions = ['tool'] }", "", id="the list as a table"),
        pytest.param("['tool']", "{ graders = ['a'] }", "it no longer asks for `tool`", id="a condition dropped"),
        pytest.param(
            "{ graders = ['a', 'b'] }", "{ graders = ['b'] }", "it no longer asks for `a`", id="a grader dropped"
        ),
        pytest.param(
            "{ graders = [{ when = 'a', also = 'b' }] }", "{}", "it no longer asks for `a with b`", id="a pair"
        ),
        pytest.param("{ judge = false }", "{ judge = true }", "it no longer says judge = false", id="a judge"),
        pytest.param("{ max_seconds = 60 }", "{ max_seconds = 50 }", "", id="fewer seconds"),
        pytest.param("{ max_seconds = 60 }", "{ max_seconds = 90 }", "max_seconds 60 became 90", id="more seconds"),
        pytest.param("{ max_seconds = 60 }", "{}", "max_seconds 60 became none", id="no bound"),
    ],
)
def test_what_every_case_must_hold_is_looser_when_less_is_asked(base: str, tip: str, says: str) -> None:
    policies = [parse(f"[suite.evals]\nrequire = {text}\n".encode(), "shipmoor-hooks.toml") for text in (base, tip)]
    found = loosened(*policies, lambda _was, _now: None)
    assert [(f.key, f.message) for f in found] == ([("suite.evals.require", says)] if says else [])
