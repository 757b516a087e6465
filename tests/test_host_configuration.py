"""yaml_edit and toml_edit: what they add is what a parser then reads and the rest stays; else they answer None."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.wiring import hook_source, toml_edit, yaml_edit
from shipmoor_hooks.wiring.hook_files import STAGES
from shipmoor_hooks.wiring.hook_source import HookSource

ENTRY = ["- repo: https://example.org/x", "  rev: v1", "  hooks:", "    - id: a"]
READ = {"repo": "https://example.org/x", "rev": "v1", "hooks": [{"id": "a"}]}
TYPES = "default_install_hook_types"

REPOS = [
    pytest.param("repos: []\n", [], id="an empty list"),
    pytest.param("repos: []  # none yet\n", [], id="an empty list with a comment"),
    pytest.param("repos:\n", [], id="nothing"),
    pytest.param("repos:\n- repo: local\n  hooks: []\n", [{"repo": "local", "hooks": []}], id="items not indented"),
    pytest.param("repos:\n- repo: local\n  hooks: []", [{"repo": "local", "hooks": []}], id="no line feed at the end"),
    pytest.param(
        "---\nrepos:\n    -   repo: local\n        hooks: []\n\n# the rest\nfail_fast: true\n",
        [{"repo": "local", "hooks": []}],
        id="four blanks, a document start, a key behind",
    ),
    pytest.param(
        "repos:\n  - repo: local\n    hooks:\n      - id: a\n        args: [\n          x,\n        ]\n"
        "      # - id: b\nci: {}\n",
        [{"repo": "local", "hooks": [{"id": "a", "args": ["x"]}]}],
        id="a list over lines and a comment at the end",
    ),
    pytest.param(
        "repos:\n  - repo: local\n    hooks:\n      - id: a\n        entry: |\n"
        "          # not a comment\n          repos:\n",
        [{"repo": "local", "hooks": [{"id": "a", "entry": "# not a comment\nrepos:\n"}]}],
        id="a block of text at the end",
    ),
    pytest.param("repos:\n-\n  repo: local\n  hooks: []\n", [{"repo": "local", "hooks": []}], id="a lone dash"),
    pytest.param(
        '"repos":\n- {repo: local, hooks: []}\n', [{"repo": "local", "hooks": []}], id="quoted key, flow item"
    ),
]


def kept(old: str, new: str) -> bool:
    """Every line of the old text stands in the new one, in order."""
    rows = iter(new.splitlines())
    return all(
        any(row == other for other in rows) for row in old.splitlines() if not row.startswith(("repos: [", TYPES))
    )


@pytest.mark.parametrize(("text", "present"), REPOS)
def test_a_repository_is_added_behind_the_others(text: str, present: list[object]) -> None:
    new = yaml_edit.add_repository(text, ENTRY)
    assert new is not None
    assert yaml.safe_load(new) == (yaml.safe_load(text) or {}) | {"repos": [*present, READ]}
    assert kept(text, new)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="an empty file"),
        pytest.param("repos: [{repo: local, hooks: []}]\n", id="flow style"),
        pytest.param("repos: &all\n- repo: local\n  hooks: []\n", id="an anchor"),
        pytest.param("repos:\n- repo: local\n  hooks: []\nrepos:\n- repo: meta\n  hooks: []\n", id="twice"),
        pytest.param("fail_fast: true\n---\nrepos: []\n", id="two documents"),
        pytest.param("%YAML 1.2\n---\nrepos: []\n", id="a directive"),
        pytest.param("repos:\n\t- repo: local\n", id="a tab"),
        pytest.param("{repos: []}\n", id="a flow document"),
        pytest.param("repos:\n  a: b\n", id="no list"),
        pytest.param("repos: [\n]\n", id="a list over lines"),
    ],
)
def test_what_is_not_plain_is_left_alone(text: str) -> None:
    assert yaml_edit.add_repository(text, ENTRY) is None


def test_line_ends_stay_as_they_are() -> None:
    new = yaml_edit.add_repository("# a\r\nrepos: []\r\n", ENTRY)
    assert new is not None
    assert new.count("\r\n") == new.count("\n") == 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{TYPES}: [pre-push, post-commit, commit-msg]\nrepos: []\n", list(STAGES), id="all there"),
        pytest.param("repos: []\n", ["pre-commit", *STAGES], id="unset: its own default stays"),
        pytest.param(
            f"{TYPES}: [pre-commit, 'pre-push']  # x\nrepos: []\n", ["pre-commit", *STAGES], id="flow list, quoted"
        ),
        pytest.param(f"repos: []\n{TYPES}: []\n", list(STAGES), id="empty list"),
        pytest.param(f"{TYPES}:\n  - pre-commit\n  - commit-msg # x\nrepos: []\n", None, id="block list"),
        pytest.param(f"{TYPES}:\n- pre-push\n\nrepos: []\n", list(STAGES), id="block list, not indented"),
    ],
)
def test_hook_types_are_added_once(text: str, expected: list[str] | None) -> None:
    new = yaml_edit.add_hook_types(text, STAGES, ("pre-commit",))
    assert new is not None
    wanted = expected or ["pre-commit", "commit-msg", "pre-push", "post-commit"]
    assert yaml.safe_load(new) == {"repos": [], TYPES: wanted}
    assert yaml_edit.add_hook_types(new, STAGES, ("pre-commit",)) == new


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{TYPES}: pre-push\nrepos: []\n", id="a word"),
        pytest.param(f"{TYPES}: [\n  pre-push\n  ]\nrepos: []\n", id="a flow list over lines"),
        pytest.param(f"{TYPES}: *types\nrepos: []\n", id="an alias"),
        pytest.param("- repo: local\n", id="no key at all"),
    ],
)
def test_hook_types_that_are_not_plain_are_left_alone(text: str) -> None:
    assert yaml_edit.add_hook_types(text, STAGES, ("pre-commit",)) is None


SETTINGS = ["runner: sh", "use_stdin: true"]
SCRIPT = {"gate.sh": {"runner": "sh", "use_stdin": True}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# mine\n", {"pre-push": {"scripts": SCRIPT}}, id="nothing yet"),
        pytest.param("pre-push:\n", {"pre-push": {"scripts": SCRIPT}}, id="the stage is empty"),
        pytest.param(
            "pre-push:\n    parallel: true\n    jobs:\n    - run: x\n\npre-commit:\n  jobs:\n  - run: y\n",
            {
                "pre-push": {"parallel": True, "jobs": [{"run": "x"}], "scripts": SCRIPT},
                "pre-commit": {"jobs": [{"run": "y"}]},
            },
            id="the stage has jobs",
        ),
        pytest.param(
            'pre-push:\n  scripts:\n    "a.sh":\n      runner: bash\n  jobs:\n    - run: x\n',
            {"pre-push": {"scripts": {"a.sh": {"runner": "bash"}} | SCRIPT, "jobs": [{"run": "x"}]}},
            id="the stage has scripts",
        ),
        pytest.param("pre-push:\n  scripts:\n", {"pre-push": {"scripts": SCRIPT}}, id="no scripts yet"),
    ],
)
def test_a_lefthook_script_is_added(text: str, expected: object) -> None:
    new = yaml_edit.add_lefthook_script(text, "pre-push", "gate.sh", SETTINGS)
    assert new is not None
    assert yaml.safe_load(new) == expected
    assert kept(text, new)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("pre-push: {jobs: []}\n", id="flow style"),
        pytest.param("pre-push:\n  scripts: {}\n", id="flow scripts"),
        pytest.param("pre-push:\n  jobs: []\npre-push:\n  jobs: []\n", id="twice"),
        pytest.param("pre-push: *same\n", id="an alias"),
    ],
)
def test_a_lefthook_stage_that_is_not_plain_is_left_alone(text: str) -> None:
    assert yaml_edit.add_lefthook_script(text, "pre-push", "gate.sh", SETTINGS) is None


def test_a_comment_is_no_mention() -> None:
    assert not yaml_edit.mentions("# - id: shipmoor-gate\nx: y # shipmoor-gate\n", "shipmoor-gate")
    assert yaml_edit.mentions("  - id: shipmoor-gate # ours\n", "shipmoor-gate")


plain = st.recursive(
    st.booleans() | st.integers() | st.text("abc #:-\n'\"[]{}|", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abcxyz", min_size=1, max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
documents = st.dictionaries(st.sampled_from(["ci", "exclude", "files", "fail_fast"]), plain, max_size=3)


@given(documents, st.lists(st.dictionaries(st.sampled_from(["repo", "rev", "hooks"]), plain, min_size=1), max_size=3))
def test_law_whatever_is_edited_still_reads_as_it_did_and_one_more(
    document: dict[str, object], repos: list[object]
) -> None:
    document |= {"repos": repos}
    text = yaml.safe_dump(document, sort_keys=False)
    new = yaml_edit.add_repository(text, ENTRY)
    if new is not None:
        assert yaml.safe_load(new) == document | {"repos": [*repos, READ]}
    types = yaml_edit.add_hook_types(text, STAGES, ("pre-commit",))
    assert types is None or yaml.safe_load(types) == document | {TYPES: ["pre-commit", *STAGES]}
    script = yaml_edit.add_lefthook_script(text, "pre-push", "gate.sh", SETTINGS)
    assert script is None or yaml.safe_load(script) == document | {"pre-push": {"scripts": SCRIPT}}


SOURCES = [
    pytest.param(HookSource(repository="https://example.org/shipmoor-hooks", revision="a" * 40), id="a git repository"),
    pytest.param(HookSource(package="shipmoor-hooks==0.1.0"), id="a package"),
    pytest.param(HookSource(), id="what stands on PATH"),
]


@pytest.mark.parametrize("source", SOURCES)
def test_both_dialects_say_the_same(source: HookSource) -> None:
    in_yaml = yaml.safe_load("\n".join(hook_source.yaml_entry(source)))
    in_toml = tomllib.loads("\n".join(hook_source.toml_entry(source)))["repos"]
    assert in_yaml == in_toml


@pytest.mark.parametrize("source", SOURCES[1:])
def test_a_local_entry_says_what_the_manifest_says(source: HookSource) -> None:
    with (Path(__file__).parent.parent / ".pre-commit-hooks.yaml").open() as file:
        manifest = {hook["id"]: hook for hook in yaml.safe_load(file)}
    ours = {hook["id"]: hook for hook in yaml.safe_load("\n".join(hook_source.yaml_entry(source)))[0]["hooks"]}
    assert set(ours) == set(manifest) == set(hook_source.HOOKS)
    for name, hook in ours.items():
        left_out = {"language", "additional_dependencies", "description", "minimum_pre_commit_version"}
        assert {k: v for k, v in hook.items() if k not in left_out} == {
            k: v for k, v in manifest[name].items() if k not in left_out
        }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('k = ["pre-commit", "b"]\n', ["pre-commit", "b"], id="all there"),
        pytest.param("", ["pre-commit", "b"], id="an empty file: the default stays"),
        pytest.param('# head\n[[repos]]\nrepo = "local"\n', ["pre-commit", "b"], id="before the first table"),
        pytest.param('k = ["a"]  # why\n', ["a", "b"], id="one line"),
        pytest.param('k = [\n  "a",\n]\n', None, id="a list over lines is left alone"),
        pytest.param('k = "a"\n', None, id="no list"),
        pytest.param("k = [\n", None, id="no TOML"),
    ],
)
def test_a_toml_list(text: str, expected: list[str] | None) -> None:
    new = toml_edit.add_to_list(text, "k", ["b"], ["pre-commit"])
    assert (new and tomllib.loads(new)["k"]) == expected
    if new and text:
        assert tomllib.loads(new) == tomllib.loads(text) | {"k": expected}


def test_a_toml_table_is_not_added_to_an_inline_list() -> None:
    assert toml_edit.append('repos = [{ repo = "local" }]\n', ["[[repos]]", 'repo = "x"']) is None
    assert toml_edit.append("a = 1", ["[b]"]) == "a = 1\n\n[b]\n"
