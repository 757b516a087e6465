"""`init --remove`: what `init` did is gone, byte for byte, whatever host ran the hooks (design, 10.21)."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.place import find
from shipmoor_hooks.wiring import hook_source, hosts, stood_before, toml_cut, toml_edit, yaml_cut, yaml_edit
from shipmoor_hooks.wiring.hook_files import STAGES
from shipmoor_hooks.wiring.hook_source import HOOKS, HookSource
from shipmoor_hooks.wiring.install import Plan, apply, plan_init
from shipmoor_hooks.wiring.remove import plan_remove

FOREIGN = "#!/bin/sh\n# git-lfs\nexit 0\n"
YAML = "# ours\nrepos:\n  - repo: local\n    hooks:\n      - {id: ok, name: ok, entry: 'true', language: system}\n"
TYPES = hosts.HOOK_TYPES


def everything(repo: RepoBuilder) -> dict[str, tuple[int, bytes]]:
    """Every file of the working tree and every hook, with its permission bits; what git itself keeps is left out."""
    found = {}
    for root, folders, files in os.walk(repo.path):
        where = os.path.relpath(root, repo.path)
        if where == ".git":
            folders[:] = [name for name in folders if name in ("hooks", "info")]
            files = [name for name in files if name == "config"]
        for name in files:
            path = Path(root, name)
            found[os.path.join(where, name)] = (stat.S_IMODE(path.lstat().st_mode), path.read_bytes())
        found[where + "/"] = (0, b"")
    return found


def init(repo: RepoBuilder, python: Path, cwd: Path | None = None) -> Plan:
    made = plan_init(find(str(cwd or repo.path), repo.env), repo.env, str(python), HookSource())
    assert apply(made) == ()
    return made


def remove(repo: RepoBuilder, policy: bool = True, cwd: Path | None = None) -> Plan:
    made = plan_remove(find(str(cwd or repo.path), repo.env), repo.env, policy)
    assert apply(made) == ()
    assert plan_remove(find(str(cwd or repo.path), repo.env), repo.env, policy).is_done
    return made


def tools(repo: RepoBuilder, folder: Path, *names: str) -> None:
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(Path(sys.executable).with_name(name))
    repo.env["PATH"] = path_with(folder)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"tests/test_a.py": "", ".git/hooks/pre-push": FOREIGN}, id="a foreign hook"),
        pytest.param({".git/hooks/pre-push": FOREIGN.replace("\n", "\r\n")}, id="a foreign hook with CRLF"),
        pytest.param({".git/hooks/commit-msg": FOREIGN, ".git/hooks/pre-commit": FOREIGN}, id="several foreign hooks"),
        pytest.param(
            {".claude-plugin/plugin.json": "{}", "evals/a/prompt.md": "", ".gitignore": "build/\r\n*.pyc"},
            id="an eval suite and a .gitignore without a line end",
        ),
    ],
)
def test_plain_git_is_as_it_was(repo: RepoBuilder, installed_python: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = repo.write(name, "", 0o755 if ".git/" in name else 0o644)
        path.write_bytes(text.encode())
    before = everything(repo)
    init(repo, installed_python)
    assert everything(repo) != before
    remove(repo)
    assert everything(repo) == before


@pytest.mark.parametrize("host", ["pre-commit", "prek"])
@pytest.mark.parametrize("installed", [False, True], ids=["never installed here", "installed"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(YAML, id="a list"),
        pytest.param(YAML.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(YAML.rstrip("\n"), id="no line end"),
        pytest.param(f"{TYPES}: [pre-commit, pre-push]\n{YAML}\n\n# the end\n", id="its own hook types"),
    ],
)
def test_pre_commit_and_prek_are_as_they_were(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path, host: str, installed: bool, text: str
) -> None:
    tools(repo, tmp_path / "tools", host)
    repo.write(".git/hooks/commit-msg", FOREIGN, 0o755)
    repo.write(".pre-commit-config.yaml", "").write_bytes(text.encode())
    if installed:
        assert repo.process([host, "install"]).returncode == 0
    before = everything(repo)
    assert init(repo, installed_python).host == host
    remove(repo)
    assert everything(repo) == before


def test_prek_s_own_file_is_as_it_was(repo: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    tools(repo, tmp_path / "tools", "prek")
    repo.write("prek.toml", "# ours\nrepos = []  # none\n".replace("repos = []  # none\n", ""))
    before = everything(repo)
    init(repo, installed_python)
    remove(repo)
    assert everything(repo) == before


@pytest.mark.parametrize("name", ["lefthook.yml", "lefthook.toml"])
def test_lefthook_without_its_program_is_as_it_was(repo: RepoBuilder, installed_python: Path, name: str) -> None:
    repo.env["PATH"] = path_with()
    text = "# ours\npre-push:\n  jobs:\n    - run: 'true'\n" if name.endswith("yml") else "# ours\n"
    repo.write(name, text)
    before = everything(repo)
    assert init(repo, installed_python).host == "lefthook"
    remove(repo)
    assert everything(repo) == before


@pytest.mark.parametrize("text", ["npm test\n", "npm test\r\n", "#!/bin/sh\nnpm test"], ids=["LF", "CRLF", "a head"])
def test_husky_without_its_program_is_as_it_was(repo: RepoBuilder, installed_python: Path, text: str) -> None:
    repo.env["PATH"] = path_with()
    repo.write(".husky/pre-push", "", 0o755).write_bytes(text.encode())
    before = everything(repo)
    assert init(repo, installed_python).host == "husky"
    remove(repo)
    assert everything(repo) == before


@pytest.mark.network
def test_lefthook_and_husky_with_their_programs_are_as_they_were(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "lefthook@2.2.2", "husky@9.1.7"]
    (tmp_path / "npm").mkdir()
    (tmp_path / "npm" / "package.json").write_text('{"private": true}')
    subprocess.run(words, cwd=tmp_path / "npm", check=True, capture_output=True, timeout=120)
    repo.env["PATH"] = path_with(tmp_path / "npm" / "node_modules" / ".bin")
    for name, host in (("lefthook.yml", "lefthook"), (".husky/pre-push", "husky")):
        path = repo.write(name, "# ours\n")
        repo.write(".git/hooks/pre-push", FOREIGN, 0o755)
        before = everything(repo)
        made = init(repo, installed_python)
        assert (made.host, bool(made.commands)) == (host, True)
        remove(repo)
        assert everything(repo) == before
        path.unlink()


def test_the_policy_and_the_runs_stay_and_are_named(repo: RepoBuilder, installed_python: Path) -> None:
    repo.write("tests/test_a.py", "")
    init(repo, installed_python)
    made = remove(repo, policy=False)
    assert (repo.path / "shipmoor-hooks.toml").exists()
    assert any("init --remove --policy" in note for note in made.notes)
    assert any("stored runs are kept" in note for note in made.notes)
    assert not stood_before.load(find(str(repo.path), repo.env)).files
    remove(repo, policy=True)
    assert not (repo.path / "shipmoor-hooks.toml").exists()


def test_the_removal_is_shown_as_a_diff(repo: RepoBuilder, installed_python: Path) -> None:
    repo.write(".git/hooks/pre-push", FOREIGN, 0o755)
    init(repo, installed_python)
    shown = plan_remove(find(str(repo.path), repo.env), repo.env).diff()
    assert shown.count("-#!/bin/sh") == 3
    assert "pre-push.shipmoor-chained => " in shown


def test_a_second_init_between_does_not_forget_the_first(repo: RepoBuilder, installed_python: Path) -> None:
    repo.write(".git/hooks/pre-push", FOREIGN, 0o755)
    before = everything(repo)
    init(repo, installed_python)
    (repo.path / ".git/hooks/post-commit").unlink()
    init(repo, installed_python)
    remove(repo)
    assert everything(repo) == before


def test_a_hook_of_another_tool_that_came_since_stays(repo: RepoBuilder, installed_python: Path) -> None:
    init(repo, installed_python)
    repo.write(".git/hooks/pre-push", FOREIGN, 0o755)
    repo.write("shipmoor-hooks.toml", "[gate]\n")
    remove(repo, policy=False)
    assert {p.name for p in (repo.path / ".git/hooks").iterdir()} == {"pre-push"}
    assert (repo.path / "shipmoor-hooks.toml").read_text() == "[gate]\n"


def test_a_clone_that_never_ran_init_loses_our_lines_alone(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    tools(repo, tmp_path / "tools", "pre-commit")
    repo.write(".pre-commit-config.yaml", YAML)
    init(repo, installed_python)
    stood_before.forget(find(str(repo.path), repo.env))
    repo.write(".pre-commit-config.yaml", (repo.path / ".pre-commit-config.yaml").read_text() + "fail_fast: true\n")
    remove(repo)
    assert (repo.path / ".pre-commit-config.yaml").read_text() == YAML + "fail_fast: true\n"


def test_what_cannot_be_taken_out_is_named_and_nothing_is_changed(repo: RepoBuilder, installed_python: Path) -> None:
    init(repo, installed_python)
    repo.write(".pre-commit-config.yaml", "repos: [{repo: local, hooks: [{id: shipmoor-gate}]}]\n")
    before = everything(repo)
    with pytest.raises(UsageFault, match="nothing was changed") as told:
        plan_remove(find(str(repo.path), repo.env), repo.env)
    assert "1: repos: [{repo: local" in told.value.next_step
    assert everything(repo) == before


def test_from_a_linked_worktree(repo: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    repo.commit(files={"lefthook.yml": "# ours\n"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    repo.env["PATH"] = path_with()
    init(repo, installed_python)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Hooks")
    repo.git("checkout", "-q", "--detach", "main", cwd=tmp_path / "linked")
    remove(repo, cwd=tmp_path / "linked")
    assert repo.git("diff", "HEAD~1", "--stat", cwd=tmp_path / "linked") == ""
    assert repo.git("status", "--porcelain") == ""


# ---------------------------------------------------------------- the texts

SOURCES = [HookSource(), HookSource(package="shipmoor-hooks==1"), HookSource("https://example.org/x", "v1")]


@pytest.mark.parametrize("source", SOURCES, ids=["from PATH", "a package", "a repository"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("repos: []\n", id="an empty list"),
        pytest.param("repos:\n- repo: local\n  hooks: []\n\n# the rest\nfail_fast: true\n", id="a key behind"),
        pytest.param("repos:\n  # ours\n  - repo: local\n    hooks:\n      - id: a\n        # end\n", id="comments"),
    ],
)
def test_what_was_added_to_yaml_can_be_taken_out(source: HookSource, text: str) -> None:
    added = yaml_edit.add_repository(text, hook_source.yaml_entry(source))
    added = added and yaml_edit.add_hook_types(added, STAGES, ("pre-commit",))
    assert added is not None
    cut = yaml_cut.remove_hooks(added, HOOKS)
    assert cut is not None
    assert yaml_cut.remove_hook_types(cut, TYPES, STAGES, ("pre-commit",)) == text


def test_a_hook_beside_others_of_one_repository_goes_alone() -> None:
    text = "repos:\n- repo: local\n  hooks:\n    - id: a\n      name: a\n    - id: shipmoor-gate\n      name: b\n    - id: c\n"
    cut = yaml_cut.remove_hooks(text, HOOKS)
    assert cut is not None
    assert yaml.safe_load(cut) == {"repos": [{"repo": "local", "hooks": [{"id": "a", "name": "a"}, {"id": "c"}]}]}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{TYPES}: [pre-commit]\nrepos: []\n", id="other types"),
        pytest.param(
            f"{TYPES}: [pre-commit, pre-push, post-commit, commit-msg]\nrepos:\n- hooks: [{{stages: [pre-push]}}]\n",
            id="a stage that somebody needs",
        ),
    ],
)
def test_hook_types_that_are_needed_stay(text: str) -> None:
    assert yaml_cut.remove_hook_types(text, TYPES, STAGES, ("pre-commit",)) == text


@pytest.mark.parametrize("source", SOURCES, ids=["from PATH", "a package", "a repository"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# ours\n", id="a comment"),
        pytest.param('fail_fast = true\n\n# ours\n[[repos]]\nrepo = "local"\nhooks = [{ id = "a" }]\n', id="a table"),
    ],
)
def test_what_was_added_to_toml_can_be_taken_out(source: HookSource, text: str) -> None:
    added = toml_edit.append(text, hook_source.toml_entry(source))
    added = added and toml_edit.add_to_list(added, TYPES, STAGES, ("pre-commit",))
    assert added is not None
    cut = toml_cut.remove_hooks(added, HOOKS, TYPES, STAGES, ("pre-commit",))
    assert cut is not None
    assert tomllib.loads(cut) == tomllib.loads(text)
    assert [row for row in cut.split("\n") if row] == [row for row in text.split("\n") if row]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("# ours\npre-push:\n  jobs:\n    - run: 'true'\n", id="jobs"),
        pytest.param(
            'pre-push:\n  scripts:\n    "a.sh":\n      runner: sh\n\ncommit-msg:\n  piped: true\n', id="scripts"
        ),
    ],
)
def test_what_was_added_to_lefthook_can_be_taken_out(text: str) -> None:
    added = yaml_edit.add_lefthook_script(text, "pre-push", "shipmoor-gate.sh", ["runner: sh", "use_stdin: true"])
    assert added is not None
    assert yaml_cut.remove_lefthook_script(added, "pre-push", "shipmoor-gate.sh") == text
