"""The gate's quick path: what it answers is, to the letter, what the gate answers; and it answers nothing else.

Every test asks both. `TAKEN` are pushes that it must answer, `LEFT` those that it must leave to the gate, each with the
reason why; histories made by chance come on top.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from gate_world import GateWorld, junit
from repo_builder import RepoBuilder

import shipmoor_hooks
from shipmoor_hooks import gate, place, push
from shipmoor_hooks.model import Evidence, Run
from shipmoor_hooks.policy import load_worktree
from shipmoor_hooks.quick import lean_git, plain_policy, quick_gate, quick_verdict
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Receipt
from shipmoor_hooks.store.spool import Spool

NAMES = ["a", "b", "c"]
ZEROS = "0" * 40
Change = Callable[[GateWorld], None]


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    """A pushed main and a measured branch on which a file that no test looks at has changed."""
    made = GateWorld.create(repo, Path(sys.executable), cases=NAMES)
    work(made)
    return made


def work(world: GateWorld, cases: dict[str, str] | None = None, name: str = "work", at: str = "main") -> str:
    world.repo.git("switch", "-q", "-C", name, at)
    world.repo.write("docs.md", f"{name} {time.time_ns()}\n")
    commit = world.repo.commit("Write the docs")
    if cases != {}:
        world.measure(cases or dict.fromkeys(NAMES, "passed"))
    return commit


def line(world: GateWorld, branch: str = "work", old: str = ZEROS) -> bytes:
    return f"refs/heads/{branch} {world.repo.sha(branch)} refs/heads/{branch} {old}\n".encode()


def quick(
    world: GateWorld, told: bytes, remote: str = "origin", top: Path | None = None
) -> tuple[int, str, str] | None:
    where = str(top or world.repo.path)
    asked = quick_gate.Asked([remote, str(world.remote)], told, where, world.repo.env, time.time(), {})
    found = quick_gate.answer(asked)
    return (
        None if found is None else (found.code, *(text and text.rstrip("\n") + "\n" for text in (found.out, found.err)))
    )


def whole(world: GateWorld, told: bytes, remote: str = "origin", top: Path | None = None) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    seen = push.from_git([remote, str(world.remote)], told)
    code = gate.run_pre_push(seen, str(top or world.repo.path), world.repo.env, time.time(), out, err)
    return code, out.getvalue(), err.getvalue()


def agrees(world: GateWorld, told: bytes, **how: object) -> str | None:
    """What the quick path says on stdout; when it says something, the gate says just that."""
    found = quick(world, told, **how)  # type: ignore[arg-type]
    if found is not None:
        assert whole(world, told, **how) == found  # type: ignore[arg-type]
    return None if found is None else found[1].removesuffix("\n")


# ---------------------------------------------------------------- pushes that it answers


def main_is_pushed(world: GateWorld) -> bytes:
    world.repo.git("switch", "-q", "main")
    world.repo.git("merge", "-q", "--ff-only", "work")
    return line(world, "main", world.repo.sha("origin/main"))


def target_went_on(world: GateWorld) -> bytes:
    work(world, name="main", at="main")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    return line(world)


def target_went_on_unmeasured(world: GateWorld) -> bytes:
    work(world, {}, name="main", at="main")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    return line(world)


def pushed_before(world: GateWorld) -> bytes:
    old = world.repo.sha("work")
    work(world, name="work", at="work")
    return line(world, old=old)


def skipped_as_before(world: GateWorld) -> bytes:
    outcomes = {"a": "passed", "b": "skipped", "c": "xfailed"}
    world.repo.git("switch", "-q", "main")
    world.commit(NAMES, "Measure", measured=False)
    world.repo.write("more.md", "more\n")
    world.repo.commit("More")
    world.measure(outcomes)
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    work(world, outcomes, at="main")
    return line(world)


def with_a_tag(world: GateWorld) -> bytes:
    tip = world.repo.sha("work")
    gone = f"(delete) {ZEROS} refs/heads/old {world.repo.sha('main')}\n".encode()
    return f"refs/tags/v1 {tip} refs/tags/v1 {ZEROS}\n".encode() + line(world) + gone


def packed_refs(world: GateWorld) -> bytes:
    world.repo.git("pack-refs", "--all")
    world.repo.git("gc", "-q")
    return line(world)


def target_by_name(world: GateWorld) -> bytes:
    world.repo.git("switch", "-q", "main")
    world.repo.write(
        "shipmoor-hooks.toml", (world.repo.path / "shipmoor-hooks.toml").read_text().replace("HEAD", "main")
    )
    world.repo.commit("Name the target")
    world.measure(dict.fromkeys(NAMES, "passed"))
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    work(world)
    return line(world)


def evidence_unsealed(world: GateWorld) -> bytes:
    for file in runs(world):
        rewrite(file, lambda _: None)
    return line(world)


TAKEN = {
    "a_branch": line,
    "the_target_itself": main_is_pushed,
    "the_target_went_on": target_went_on,
    "the_target_went_on_and_nobody_measured": target_went_on_unmeasured,
    "a_branch_that_was_pushed_before": pushed_before,
    "what_was_skipped_is_skipped": skipped_as_before,
    "tags_and_deletions_are_not_judged": with_a_tag,
    "packed_refs_and_objects": packed_refs,
    "a_target_by_name": target_by_name,
    "runs_without_a_seal_where_imported_is_enough": evidence_unsealed,
}


@pytest.mark.parametrize("made", TAKEN.values(), ids=TAKEN)
def test_a_push_without_news_is_answered_as_by_the_gate(world: GateWorld, made: Callable[..., bytes]) -> None:
    said = agrees(world, made(world))
    assert said is not None
    assert ": allowed: unit " in said


def test_a_linked_worktree_is_found(world: GateWorld, tmp_path: Path) -> None:
    world.repo.git("switch", "-q", "main")
    world.repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "work")
    assert agrees(world, line(world), top=tmp_path / "linked") == (
        "shipmoor-hooks: refs/heads/work: allowed: unit 3 of 3"
    )


# ---------------------------------------------------------------- pushes that it leaves to the gate


def runs(world: GateWorld) -> list[Path]:
    return sorted((world.repo.path / ".git" / "shipmoor-hooks" / "runs" / "main" / "trees").glob("*/*.run"))


def tip_run(world: GateWorld, branch: str = "work") -> Path:
    tree = world.repo.git("rev-parse", f"{branch}^{{tree}}")
    (found,) = (world.repo.path / ".git" / "shipmoor-hooks" / "runs" / "main" / "trees" / tree).glob("*.run")
    return found


def rewrite(file: Path, change: Callable[[dict[str, object]], None]) -> None:
    """Change a stored run's payload and wrap it again, without a seal: what anybody could write."""
    from shipmoor_hooks.store import entry, envelope

    fields = entry.payload_of(file.read_bytes())
    fields.pop(envelope.SEALED_BY, None)
    change(fields)
    payload = json.dumps(fields, separators=(",", ":")).encode()
    file.write_bytes(envelope.wrap(entry.PAYLOAD_TYPE, entry.VERSION, payload))


def at_tip(outcomes: dict[str, str]) -> Change:
    def change(world: GateWorld) -> None:
        work(world, outcomes, at="main")

    return change


def measured_again(world: GateWorld) -> None:
    world.measure(dict.fromkeys(NAMES, "passed"))


def not_measured(world: GateWorld) -> None:
    work(world, {}, at="main")


def still_red(world: GateWorld) -> None:
    skip = {"a": "passed", "b": "passed", "c": "failed"}
    work(world, skip, name="main", at="main")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    work(world, skip, at="main")


def message(text: str) -> Change:
    def change(world: GateWorld) -> None:
        world.repo.git("commit", "-q", "--amend", "-m", text)

    return change


def policy(change: Callable[[str], str], *, on_main: bool = False) -> Change:
    def apply(world: GateWorld) -> None:
        if on_main:
            world.repo.git("switch", "-q", "main")
        file = world.repo.path / "shipmoor-hooks.toml"
        world.repo.write("shipmoor-hooks.toml", change(file.read_text()))
        world.repo.commit("Change the policy")
        world.measure(dict.fromkeys(NAMES, "passed"))
        if on_main:
            world.repo.git("push", "-q", "--no-verify", "origin", "main")
            work(world)

    return apply


def begun(world: GateWorld) -> None:
    tree = world.repo.git("rev-parse", "work^{tree}")
    spool = Spool(str(world.repo.path / ".git"), "main", world.repo.env)
    spool.begin(Run("e" * 32, "unit", tree, tree, Evidence.OBSERVED, time.time(), time.time(), (), first_tree=tree))


def stored(change: Callable[[dict[str, object]], None]) -> Change:
    return lambda world: rewrite(tip_run(world), change)


def set_value(name: str, value: object) -> Callable[[dict[str, object]], None]:
    return lambda fields: fields.update({name: value})


def damaged(world: GateWorld) -> None:
    file = tip_run(world)
    data = bytearray(file.read_bytes())
    data[200] ^= 1
    file.write_bytes(bytes(data))


def seal_of_another(world: GateWorld) -> None:
    shutil.rmtree(Path(world.repo.env["XDG_STATE_HOME"]) / "shipmoor-hooks")


def seal_forged(world: GateWorld) -> None:
    file = tip_run(world)
    outer = json.loads(file.read_bytes())
    (signature,) = outer["signatures"]
    signature["sig"] = ("B" if signature["sig"][0] == "A" else "A") + signature["sig"][1:]
    file.write_bytes(json.dumps(outer, separators=(",", ":")).encode() + b"\n")


def key_readable(world: GateWorld) -> None:
    (key,) = (Path(world.repo.env["XDG_STATE_HOME"]) / "shipmoor-hooks" / "keys").iterdir()
    key.chmod(0o644)


def list_gone(world: GateWorld) -> None:
    shutil.rmtree(world.repo.path / ".git" / "shipmoor-hooks" / "inventories")


def set_aside(world: GateWorld) -> None:
    file = tip_run(world)
    tree = file.parent.name
    aside = world.repo.path / ".git" / "shipmoor-hooks" / "quarantine" / "main" / "trees" / tree
    aside.mkdir(parents=True)
    (aside / "old.run").write_bytes(b"broken")


def fetched(world: GateWorld) -> None:
    file = tip_run(world)
    top = world.repo.path / ".git" / "shipmoor-hooks" / "foreign" / "shipmoor-hooks" / "runs" / "fetched" / "trees"
    shutil.copytree(file.parent, top / file.parent.name)


def runs_folder_is_a_link(world: GateWorld) -> None:
    top = world.repo.path / ".git" / "shipmoor-hooks" / "runs"
    top.rename(top.parent / "elsewhere")
    top.mkdir()
    (top / "main").symlink_to(top.parent / "elsewhere" / "main")


def merged(world: GateWorld) -> None:
    work(world, name="main", at="main")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    world.repo.git("switch", "-q", "work")
    world.repo.git("checkout", "-q", "work")
    world.repo.git("merge", "-q", "-s", "ours", "-m", "Merge main", "main")


def target_has_more(world: GateWorld) -> None:
    work(world, dict.fromkeys([*NAMES, "d"], "passed"), name="main", at="main")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")


def configured(name: str, value: str) -> Change:
    def change(world: GateWorld) -> None:
        world.repo.git("config", name, value)

    return change


def remote_gone(world: GateWorld) -> None:
    shutil.rmtree(world.remote)


def remote_has_other_objects(world: GateWorld) -> None:
    there = {"cwd": world.remote}
    new = world.repo.git("commit-tree", "-p", "main", "-m", "Elsewhere", "main^{tree}", **there)  # type: ignore[arg-type]
    world.repo.git("update-ref", "refs/heads/main", new, **there)  # type: ignore[arg-type]


def surface_changed(world: GateWorld) -> None:
    world.repo.git("switch", "-q", "-C", "work", "main")
    world.repo.commit(files={"conftest.py": "collect_ignore = []\n"})
    world.measure(dict.fromkeys(NAMES, "passed"))


def red_at_base_and_again(world: GateWorld) -> None:
    """Red at the base and at the tip, and green in an older run of the base: cleared, and that is written down."""
    outcomes = {"a": "passed", "b": "passed", "c": "failed"}
    world.repo.git("switch", "-q", "main")
    world.measure(outcomes)
    work(world, outcomes)


LEFT: dict[str, Change] = {
    "a_red_that_the_base_clears": red_at_base_and_again,
    "the_test_surface_changed": surface_changed,
    "a_run_that_knows_nothing_of_its_surface": stored(lambda f: f.pop("surface")),
    "several_runs": measured_again,
    "no_run": not_measured,
    "a_run_that_did_not_end": begun,
    "a_run_of_a_variant": stored(set_value("variant", "linux")),
    "a_run_of_a_shard": stored(set_value("shard", [1, 2])),
    "a_partial_run": stored(set_value("problems", [["RUN_PARTIAL", "it is partial", ""]])),
    "other_conditions": stored(set_value("conditions", {"harness": "pytest 9"})),
    "a_run_of_an_older_version": stored(lambda f: f["cases"].pop("counts")),  # type: ignore[attr-defined]
    "counts_that_do_not_fit": stored(lambda f: f["cases"].update(counts={"p": 4})),  # type: ignore[attr-defined]
    "a_number_that_does_not_fit": stored(lambda f: f["cases"].update(number=4)),  # type: ignore[attr-defined]
    "a_run_of_another_suite": stored(set_value("suite", "e2e")),
    "a_run_on_another_tree": stored(set_value("tree", "a" * 40)),
    "a_run_under_another_name": stored(set_value("id", "f" * 32)),
    "a_file_that_is_damaged": damaged,
    "a_seal_of_another_user": seal_of_another,
    "a_seal_that_does_not_fit": seal_forged,
    "a_key_that_others_can_read": key_readable,
    "a_list_that_is_gone": list_gone,
    "something_was_set_aside": set_aside,
    "something_was_fetched": fetched,
    "a_link_among_the_folders": runs_folder_is_a_link,
    "a_trailer_of_ours": message("Change\n\nTest-Removed: tests/test_set.py::test_a -- gone"),
    "a_misplaced_trailer": message("Change\n\ntest-removed: tests/test_set.py::test_a -- gone\n\nMore words."),
    "a_trailer_with_a_long_s": message("Change\n\nTe\u017ft-Removed: tests/test_set.py::test_a -- gone\n\nMore words."),
    "the_policy_changed": policy(lambda text: text + "exclude = ['docs/**']\n"),
    "the_policy_is_not_plain": policy(lambda text: text.replace('["pytest", "-q"]', "['pytest', '-q']"), on_main=True),
    "the_policy_asks_for_more": policy(
        lambda text: text.replace("[gate]\n", '[gate]\nevidence = "observed"\n'), on_main=True
    ),
    "the_policy_asks_for_proofs": policy(lambda text: text + "proofs = true\n", on_main=True),
    "the_policy_asks_for_another_target": policy(lambda text: text.replace("origin/HEAD", "main"), on_main=True),
    "main_was_merged_in": merged,
    "the_target_has_more_cases": target_has_more,
    "a_bare_repository": configured("core.bare", "true"),
    "a_work_tree_elsewhere": configured("core.worktree", ".."),
    "configuration_from_elsewhere": configured("include.path", "other"),
    "the_remote_does_not_answer": remote_gone,
    "the_remote_has_what_is_not_here": remote_has_other_objects,
}


@pytest.mark.parametrize("change", LEFT.values(), ids=LEFT)
def test_whatever_is_odd_is_left_to_the_gate(world: GateWorld, change: Change) -> None:
    change(world)
    assert quick(world, line(world)) is None


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda w: line(w) + line(w, "main"), "two_branches"),
        (lambda _: b"", "nothing"),
        (lambda w: line(w).replace(b" refs", b"\trefs"), "a_line_that_is_not_gits"),
        (lambda w: line(w)[:-10] + b"\n", "a_name_cut_short"),
        (lambda w: line(w).replace(b"heads/work ", "heads/w\u00f6rk ".encode()), "a_name_beyond_ascii"),
        (lambda w: line(w, "main", "1" * 40), "an_old_value_that_is_not_here"),
        (lambda w: line(w, "work", w.repo.git("rev-parse", "main^{tree}")), "an_old_value_that_is_no_commit"),
        (lambda _: f"x {'b' * 40} refs/heads/work {ZEROS}\n".encode(), "a_tip_that_is_not_here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_list_of_refs_that_is_odd_is_left_to_the_gate(
    world: GateWorld, made: Callable[[GateWorld], bytes], reason: str
) -> None:
    assert quick(world, made(world)) is None


def test_a_push_to_another_remote_is_left_to_the_gate(world: GateWorld) -> None:
    assert quick(world, line(world), remote="fork") is None
    assert quick(world, line(world), remote=str(world.remote)) is None


def test_a_rewind_of_the_target_is_left_to_the_gate(world: GateWorld) -> None:
    work(world, name="main", at="main")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    old = world.repo.sha("main")
    work(world, name="main", at="main~1")
    assert quick(world, line(world, "main", old)) is None


def test_a_shallow_clone_is_left_to_the_gate(world: GateWorld) -> None:
    (world.repo.path / ".git" / "shallow").write_text(world.repo.sha("main") + "\n")
    assert quick(world, line(world)) is None


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE"])
def test_a_place_that_git_names_otherwise_is_left_to_the_gate(world: GateWorld, name: str, tmp_path: Path) -> None:
    world.repo.env[name] = str(tmp_path)
    assert lean_git.find(str(world.repo.path), world.repo.env) is None


def test_a_folder_that_is_no_repository_is_left_to_the_gate(tmp_path: Path) -> None:
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "refs").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("nonsense\n")
    assert lean_git.find(str(tmp_path), dict(os.environ)) is None


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"pytest.ini": "[pytest]\naddopts = -k a\n"}, id="a_selection"),
        pytest.param({"tests/conftest.py": "collect_ignore = ['x.py']\n"}, id="a_conftest"),
        pytest.param({"Makefile": "test:\n\ttrue\n"}, id="what_starts_suites"),
    ],
)
def test_a_change_of_the_test_surface_is_told_by_the_gate(world: GateWorld, files: dict[str, str]) -> None:
    world.repo.commit(files=files)  # type: ignore[arg-type]
    world.measure(dict.fromkeys(NAMES, "passed"))
    agrees(world, line(world))


def test_a_field_that_nobody_knows_is_left_to_the_gate(world: GateWorld) -> None:
    for file in runs(world):
        rewrite(file, lambda fields: fields.update(new="value"))
    assert quick(world, line(world)) is None


# ---------------------------------------------------------------- pushes with news, which the rules judge


def of_file(world: GateWorld, names: dict[str, str], path: str = "tests/test_set.py") -> None:
    """Measure cases of a file that holds a block for each of them."""
    world.repo.write(
        path, "".join(f"def test_{name.partition('[')[0]}():\n    assert {name!r}\n\n\n" for name in names)
    )
    world.repo.write("docs.md", f"{time.time_ns()}\n")
    world.repo.commit("Write tests")
    classname = path.removesuffix(".py").replace("/", ".")
    world._import([junit(names, classname)], world.repo.path)


def pushed_main(world: GateWorld, names: dict[str, str], path: str = "tests/test_set.py") -> None:
    world.repo.git("switch", "-q", "main")
    of_file(world, names, path)
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    world.repo.git("switch", "-q", "-C", "work", "main")


def file_renamed(world: GateWorld) -> None:
    pushed_main(world, dict.fromkeys("abcdef", "passed"))
    world.repo.git("mv", "tests/test_set.py", "tests/test_new.py")
    of_file(world, dict.fromkeys("abcdef", "passed"), "tests/test_new.py")


def case_renamed(world: GateWorld) -> None:
    pushed_main(world, dict.fromkeys("abcdef", "passed"))
    of_file(world, dict.fromkeys("abcdeg", "passed"))


def case_moved_to_another_file(world: GateWorld) -> None:
    pushed_main(world, dict.fromkeys("abcdef", "passed"))
    text = (world.repo.path / "tests/test_set.py").read_text().split("def test_f")
    world.repo.write("tests/test_set.py", text[0])
    world.repo.write("tests/test_other.py", "def test_f" + text[1])
    world.repo.commit("Move a test")
    reports = [junit(dict.fromkeys("abcde", "passed")), junit({"f": "passed"}, "tests.test_other")]
    world._import(reports, world.repo.path)


def positions_fewer(world: GateWorld) -> None:
    pushed_main(world, {f"a[p{i}]": "passed" for i in range(5)})
    of_file(world, {f"a[p{i}]": "passed" for i in range(3)})


def suffix_came(world: GateWorld) -> None:
    pushed_main(world, {"a[x]": "passed", "b": "passed"})
    of_file(world, {"a[x0]": "passed", "a[x1]": "passed", "b": "passed"})


def all_are_others(world: GateWorld) -> None:
    pushed_main(world, {f"a{i}": "passed" for i in range(14)})
    of_file(world, {f"b{i}": "passed" for i in range(14)})


def many(outcome: str | None) -> Change:
    def change(world: GateWorld) -> None:
        names = {f"{chr(97 + i % 7)}{i:02}": "passed" for i in range(40)}
        pushed_main(world, names)
        worse = dict.fromkeys(list(names)[5:30], outcome) if outcome else {}
        of_file(world, {n: o for n, o in (names | worse).items() if outcome or n not in list(names)[5:30]})

    return change


def names_that_move_a_terminal(world: GateWorld) -> None:
    pushed_main(world, {"a\u202e[\u00e9\u200b]": "passed", "b" * 150: "passed", "c -- d": "passed", "e": "passed"})
    of_file(world, {"e": "passed"})


def same_name_twice(world: GateWorld) -> None:
    pushed_main(world, dict.fromkeys("abc", "passed"))
    world.repo.write("docs.md", "Again\n")
    world.repo.commit("Again")
    rows = junit({"a": "passed"}), junit(dict.fromkeys("abc", "passed"))
    world._import(rows, world.repo.path)


def fewer_of_a_name(world: GateWorld) -> None:
    world.repo.git("switch", "-q", "main")
    world.repo.write("more.md", "more")
    world.repo.commit("More")
    world._import((junit({"a": "passed"}), junit(dict.fromkeys("abc", "passed"))), world.repo.path)
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    work(world)


def warning(world: GateWorld) -> None:
    policy(lambda text: text.replace("[gate]\n", '[gate]\nmode = "warn"\n'), on_main=True)(world)
    work(world, {"a": "passed", "b": "passed", "c": "failed"}, at="main")


def with_conditions(world: GateWorld) -> None:
    rules = 'same = ["harness"]\nreruns = "all"\n'
    policy(lambda text: text.replace("[gate]\n", "[gate]\nwindow = 2\n") + rules, on_main=True)(world)
    work(world, {"a": "passed", "b": "passed"}, at="main")


def target_went_on_alike(world: GateWorld) -> None:
    work(world, name="main", at="main")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    work(world, {"a": "passed", "b": "passed", "c": "skipped"}, at="main~1")


def unsealed(world: GateWorld) -> None:
    at_tip({"a": "passed", "b": "passed"})(world)
    evidence_unsealed(world)


JUDGED: dict[str, tuple[Change, int, str]] = {
    "a_case_is_new": (at_tip(dict.fromkeys([*NAMES, "d"], "passed")), 0, "allowed: unit 4 of 4"),
    "a_new_case_is_red": (at_tip(dict.fromkeys(NAMES, "passed") | {"d": "failed"}), 0, "NEW_RED"),
    "a_case_is_gone": (at_tip(dict.fromkeys(NAMES[:2], "passed")), 1, "CASE_REMOVED (1)"),
    "a_case_is_another": (at_tip(dict.fromkeys([*NAMES[:2], "d"], "passed")), 1, "Test-Renamed:"),
    "a_case_turned_red": (at_tip({"a": "passed", "b": "passed", "c": "failed"}), 1, "CASE_RED (1)"),
    "a_case_does_not_start": (at_tip({"a": "passed", "b": "passed", "c": "error"}), 1, "ended in an error"),
    "a_case_is_skipped": (at_tip({"a": "passed", "b": "passed", "c": "skipped"}), 1, "Test-Skipped:"),
    "a_case_is_expected_to_fail": (at_tip({"a": "passed", "b": "passed", "c": "xfailed"}), 1, "is expected to fail"),
    "a_case_is_red_on_both_sides": (still_red, 0, "STILL_RED"),
    "all_at_once": (at_tip({"a": "failed", "b": "skipped", "d": "passed", "e": "failed"}), 1, "1 case is gone, 1"),
    "a_file_was_renamed": (file_renamed, 0, "allowed: unit 6 of 6"),
    "a_case_was_renamed": (case_renamed, 1, "Test-Renamed:"),
    "a_case_moved": (case_moved_to_another_file, 0, "allowed: unit 6 of 6"),
    "positions_are_fewer": (positions_fewer, 1, "CASE_FEWER"),
    "a_parameter_got_a_number": (suffix_came, 0, "allowed: unit 3 of 3"),
    "all_cases_are_others": (all_are_others, 1, "14 cases are gone"),
    "many_are_gone": (many(None), 1, "25 cases are gone"),
    "many_are_red": (many("failed"), 1, "and 15 more"),
    "many_are_skipped": (many("skipped"), 1, "25 cases are newly skipped"),
    "names_that_move_a_terminal": (names_that_move_a_terminal, 1, "\\u202e"),
    "a_name_stands_more_often": (same_name_twice, 0, "allowed: unit 3 of 3"),
    "a_name_stands_less_often": (fewer_of_a_name, 1, "CASE_FEWER"),
    "the_policy_only_warns": (warning, 0, "would be refused (the policy only warns)"),
    "a_policy_with_more_keys": (with_conditions, 1, "CASE_REMOVED (1)"),
    "the_target_went_on_alike": (target_went_on_alike, 1, "CASE_SKIPPED (1)"),
    "runs_without_a_seal": (unsealed, 1, "CASE_REMOVED (1)"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "code", "text"), JUDGED.values(), ids=JUDGED)
def test_a_push_with_news_is_judged_as_by_the_gate(world: GateWorld, change: Change, code: int, text: str) -> None:
    change(world)
    found = quick(world, line(world))
    assert found is not None
    assert (found[0], text in found[1]) == (code, True), found
    (ours,) = receipts_of(world)
    assert whole(world, line(world)) == found
    _, theirs = receipts_of(world)
    assert replace(ours, id="", recorded=0.0) == replace(theirs, id="", recorded=0.0)


@pytest.mark.parametrize(
    "text", ["", 'reruns = "all"\n', 'same = ["harness", "os"]\n', 'format = "tap"\ntraces = "drop"\n']
)
def test_what_the_rules_ask_of_a_suite_is_read_as_the_policy_reads_it(world: GateWorld, text: str) -> None:
    world.repo.write("shipmoor-hooks.toml", (world.repo.path / "shipmoor-hooks.toml").read_text() + text)
    data = (world.repo.path / "shipmoor-hooks.toml").read_bytes()
    plain = plain_policy.read(data)
    rules = load_worktree(place.find(str(world.repo.path), world.repo.env))
    assert plain is not None
    assert rules is not None
    suite, told = rules.suites["unit"], quick_verdict.suite_of("unit", plain.suites["unit"])
    assert (told.name, told.reruns, told.same) == (suite.name, suite.reruns, suite.same)
    assert (plain.mode, float(plain.window)) == (rules.mode, rules.window_hours)


# ---------------------------------------------------------------- by chance


@pytest.mark.parametrize("seed", range(6))
def test_histories_by_chance(world: GateWorld, seed: int) -> None:
    """A few branches and pushes, outcomes drawn: whenever the quick path says something, the gate says the same."""
    chance = random.Random(seed)  # noqa: S311  (the same every time)
    said = []
    for step in range(4):
        outcomes = dict.fromkeys(NAMES, "passed")
        if chance.random() < 0.4:
            outcomes[chance.choice(NAMES)] = chance.choice(["failed", "skipped", "passed"])
        if chance.random() < 0.15:
            outcomes.pop(chance.choice(NAMES))
        name = f"b{step}"
        at = chance.choice(["main", "origin/main", "work"])
        work(world, outcomes if chance.random() < 0.9 else {}, name=name, at=at)
        if chance.random() < 0.2:
            world.measure(outcomes)
        old = chance.choice([ZEROS, ZEROS, world.repo.sha(at)])
        said.append(agrees(world, line(world, name, old)))
        if chance.random() < 0.4:
            world.repo.git("push", "-q", "--no-verify", "-f", "origin", f"{name}:main")
            world.repo.git("branch", "-f", "main", name)
    said.append(agrees(world, line(world)))


def test_the_comparison_sees_another_answer(world: GateWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known positive: were the quick path to take a red for none, the comparison above would fall."""
    from shipmoor_hooks.quick import quick_runs

    work(world, {"a": "passed", "b": "passed", "c": "failed"}, at="main")
    monkeypatch.setattr(quick_runs, "no_news", quick_runs.same_ids)
    with pytest.raises(AssertionError):
        agrees(world, line(world))


# ---------------------------------------------------------------- the receipt


def receipts_of(world: GateWorld) -> list[Receipt]:
    found, broken = records.find_key(str(world.repo.path / ".git"), Receipt, world.repo.sha("work"))
    assert not broken
    return list(found)


def test_the_receipt_is_the_gates(world: GateWorld) -> None:
    assert quick(world, line(world)) is not None
    (ours,) = receipts_of(world)
    whole(world, line(world))
    _, theirs = receipts_of(world)
    assert replace(ours, id="", recorded=0.0) == replace(theirs, id="", recorded=0.0)
    files = sorted((world.repo.path / ".git" / "shipmoor-hooks" / "records" / "receipt").glob("*/*/*"))
    shapes = {tuple(json.loads(f.read_bytes())) for f in files}
    assert len(files) == 4
    assert len(shapes) == 1
    assert len({json.loads(f.read_bytes())["signatures"][0]["keyid"] for f in files}) == 1


def test_without_a_receipt_there_is_no_answer(world: GateWorld) -> None:
    top = world.repo.path / ".git" / "shipmoor-hooks" / "records"
    top.mkdir(exist_ok=True)
    (top / "receipt").write_text("in the way")
    assert quick(world, line(world)) is None


# ---------------------------------------------------------------- what it loads and starts

# Every module that a push without news loads, beyond what `python -I -S` starts with. Python's own, with the reason:
PYTHONS_OWN = {
    "__future__": "annotations of the 3.11 kind",
    "os": "files and processes", "os.path": "of os", "posixpath": "of os", "genericpath": "of os", "stat": "of os",
    "_stat": "of stat",
    "_collections_abc": "of os", "fcntl": "the lock of the receipt", "errno": "whole files", "binascii": "base64",
    "_json": "the scanner of json, without json", "_sha256": "digests, without hashlib", "_sha2": "the same from 3.12",
    "select": "the wait for the remote is bounded", "time": "now", "itertools": "the first files of a folder",
}  # fmt: skip
OURS = {
    "shipmoor_hooks", "digest", "errors", "git_environment", "git_process", "hook", "output", "quick", "quick.lean_envelope",
    "quick.lean_git", "quick.lean_keys", "quick.lean_receipt", "quick.plain_policy", "quick.push_caller", "quick.quick_gate",
    "quick.quick_runs", "state", "whole_files",
}  # fmt: skip
# What a push with news loads on top, Python's own again with the reason.
PYTHONS_OWN_WITH_NEWS = {
    "zlib": "outcomes and ids are packed", "_operator": "data classes",
}  # fmt: skip
OURS_WITH_NEWS = {
    "ages", "case_list", "data_classes", "enumeration", "enums", "finding_codes", "git", "git_values", "history", "id_list",
    "model", "moves", "quick.quick_verdict", "render", "rules", "rules.conditions", "rules.eval_runs", "rules.pairing",
    "rules.reduction", "rules.standing", "rules.trailer_lines", "rules.unchanged", "rules.unstable", "rules.verdict",
    "rules.wording", "store", "store.id_lists", "store.run_fields", "visible", "wrapping",
}  # fmt: skip


def loaded(world: GateWorld) -> tuple[str, set[str]]:
    """How the hook ends, and which modules it loaded."""
    script = (
        "import sys; before = set(sys.modules); sys.path.append(sys.argv.pop(1)); import shipmoor_hooks.hook\n"
        "code = shipmoor_hooks.hook.main(); print(code, *sorted(set(sys.modules) - before))"
    )
    package = str(Path(shipmoor_hooks.__file__).parent.parent)
    words = [sys.executable, "-I", "-S", "-c", script, package, "pre-push", "origin", str(world.remote)]
    done = world.repo.process(words, stdin=line(world))
    code, *modules = done.stdout.decode().splitlines()[-1].split()
    return code, {m.removeprefix("shipmoor_hooks.") for m in modules}


def test_a_push_without_news_loads_little(world: GateWorld) -> None:
    code, modules = loaded(world)
    assert code == "0"
    assert modules <= PYTHONS_OWN.keys() | OURS


@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param({"a": "passed", "b": "passed", "c": "failed"}, id="red"),
        pytest.param({"a": "passed", "b": "passed"}, id="gone"),
    ],
)
def test_a_refusal_loads_the_rules_and_no_library(world: GateWorld, outcomes: dict[str, str]) -> None:
    work(world, outcomes, at="main")
    code, modules = loaded(world)
    assert code == "1"
    assert modules - PYTHONS_OWN.keys() - OURS <= PYTHONS_OWN_WITH_NEWS.keys() | OURS_WITH_NEWS


def started(world: GateWorld, tmp_path: Path, told: bytes, arguments: list[str]) -> tuple[list[list[str]], int]:
    """The words of every git that the hook starts, by a program of that name that stands first on the path."""
    log = tmp_path / "gits"
    folder = tmp_path / "first"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text(f'#!/bin/sh\necho "$@" >>"{log}"\nexec "{real}" "$@"\n')
    (folder / "git").chmod(0o755)
    start = Path(shipmoor_hooks.__file__).parent / "start.py"
    words = [sys.executable, "-I", "-S", str(start), "pre-push", *arguments]
    done = world.repo.process(words, stdin=told, env={"PATH": f"{folder}:{world.repo.env['PATH']}"})
    return [row.split() for row in log.read_text().splitlines()], done.returncode


def test_a_push_without_news_starts_git_twice_beside_the_remotes_answer(world: GateWorld, tmp_path: Path) -> None:
    gits, code = started(world, tmp_path, line(world), ["origin", str(world.remote)])
    assert code == 0
    assert [next(w for w in words if w in ("ls-remote", "log", "cat-file")) for words in gits] == [
        "ls-remote", "log", "cat-file",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("outcomes", "asked"),
    [
        pytest.param({"a": "passed", "b": "passed", "c": "failed"}, [], id="red"),
        pytest.param({"a": "passed", "b": "passed"}, ["diff-tree"], id="gone"),
    ],
)
def test_a_refusal_asks_git_no_more_than_for_renames(
    world: GateWorld, tmp_path: Path, outcomes: dict[str, str], asked: list[str]
) -> None:
    work(world, outcomes, at="main")
    gits, code = started(world, tmp_path, line(world), ["origin", str(world.remote)])
    assert code == 1
    known = ("ls-remote", "log", "cat-file", "diff-tree")
    assert [next(w for w in words if w in known) for words in gits] == ["ls-remote", "log", "cat-file", *asked]


def test_the_gate_does_not_ask_the_remote_again(world: GateWorld, tmp_path: Path) -> None:
    """A remote may be far away. What git is asked is listed, so that a question more is seen."""
    work(world, {"a": "passed", "b": "passed", "c": "failed"}, at="main")
    world.measure({"a": "passed", "b": "passed", "c": "failed"})  # two runs: the gate's to judge
    gits, code = started(world, tmp_path, line(world), ["origin", str(world.remote)])
    assert code == 1
    known = ("ls-remote", "log", "cat-file", "rev-parse", "config", "merge-base", "diff-tree")
    assert [next((w for w in words if w in known), words) for words in gits] == [
        "ls-remote", "log", "cat-file",
        "rev-parse", "rev-parse", "config", "rev-parse", "cat-file", "merge-base", "rev-parse", "cat-file", "diff-tree", "log",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "code", "text"),
    [("passed", 0, b"allowed: unit 3 of 3"), ("failed", 1, b"refused: 1 case turned red")],
)
def test_the_start_file_finds_the_package_and_its_libraries(
    world: GateWorld, outcome: str, code: int, text: bytes
) -> None:
    work(world, {"a": "passed", "b": "passed", "c": outcome}, at="main")
    start = Path(shipmoor_hooks.__file__).parent / "start.py"
    words = [sys.executable, "-I", "-S", str(start), "pre-push", "origin", str(world.remote)]
    done = world.repo.process(words, stdin=line(world))
    assert (done.returncode, text in done.stdout) == (code, True), done.stderr.decode()


def test_what_needs_libraries_finds_them(world: GateWorld) -> None:
    """Started with `-S` by its file, post-commit reads a report: for that it loads what is installed."""
    policy_file = world.repo.path / "shipmoor-hooks.toml"
    world.repo.write("shipmoor-hooks.toml", policy_file.read_text() + 'reports = ["build/new.xml"]\n')
    world.repo.commit("Name the reports")
    world.repo.write("build/new.xml", junit(dict.fromkeys(NAMES, "passed")) + "\n")
    start = Path(shipmoor_hooks.__file__).parent / "start.py"
    done = world.repo.process([sys.executable, "-I", "-S", str(start), "post-commit"])
    assert (done.returncode, b"unit 3 of 3, imported" in done.stdout) == (0, True), done.stderr.decode()


def test_a_dry_run_keeps_no_receipt(world: GateWorld) -> None:
    done = world.push("--dry-run", "origin", "work")
    assert done.returncode == 0, done.stderr
    assert receipts_of(world) == []
