"""k of n for each case over the stored runs; a published suite's tables, rebuilt from runs."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder
from rule_world import run as plain_run

from shipmoor_hooks import place, stability
from shipmoor_hooks.cli import main as cli
from shipmoor_hooks.eval_model import EvalCase, EvalRun, EvalSample, GraderVerdict
from shipmoor_hooks.model import Case, Code, Count, Evidence, Outcome, Problem, Run, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import stability as tables
from shipmoor_hooks.rules import stability_wording
from shipmoor_hooks.rules.stability import CaseRow, Stability
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Regrade, Tally
from shipmoor_hooks.store.spool import Spool

NOW = 1_900_000_000.0
EIGHT = (
    "plan-halts-without-intent-approval",
    "plan-halts-without-phase-signals",
    "plan-project-not-initialized",
    "plan-rejects-unknown-export",
    "plan-requires-brief",
    "review-requires-project",
    "review-validate-flags-bad-finding-id",
    "review-validate-passes-clean-review",
)
CASE_4, CASE_6, CASE_8 = EIGHT[1], EIGHT[6], EIGHT[7]
EVALS = Suite("evals", format="plugin-eval", same=("model", "judge", "tool"))
UNIT = Suite("unit")
PARTIAL = (Problem(Code.RUN_PARTIAL, "a selection"),)


def sample(letter: str, trace: str = "") -> EvalSample:
    """P green, F red by `says-pass`, `!` a sample that measured nothing."""
    graders = (GraderVerdict("says-pass", "regex", letter == "P"), GraderVerdict("no-agent", "tool_used", True))
    invalid = "it ended with an error" if letter == "!" else ""
    return EvalSample(letter == "P", 1.0 if letter == "P" else 0.5, graders, invalid, cost=0.25, turns=1, trace=trace)


@dataclass
class Lab:
    """Stores runs of an eval suite, each later than the one before."""

    spool: Spool
    clock: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def run(
        self,
        cases: Mapping[str, str],
        tree: str,
        /,
        *,
        alone: bool = False,
        label: str = "",
        version: str = "v2",
        **how: object,
    ) -> Run:
        """One run: case to its samples, `PPF`. A case's expectation is named by the case and the version."""
        number = next(self.clock)
        listed = [self._case(name, letters) for name, letters in sorted(cases.items())]
        evals = EvalRun(
            tuple(
                EvalCase(
                    name, f"evals/{name}", tuple(map(sample, letters)), expectation(name, version), registered=True
                )
                for name, letters in sorted(cases.items())
            ),
            cost=0.25 * sum(map(len, cases.values())),
            alone=alone,
            label=label,
        )
        made = Run(
            id=f"{number:032x}", suite="evals", tree=tree * 40, scoped_tree=tree * 40, evidence=Evidence.OBSERVED,
            started=NOW + number, recorded=NOW + number, finished=NOW + number + 60, cases=tuple(listed), evals=evals,
            problems=PARTIAL if alone else (), conditions=(("argv", "--case x" if alone else "all"), ("tool", "2.1.280")),
        )  # fmt: skip
        return self.spool.finish(replace(made, **how))  # type: ignore[arg-type]

    @staticmethod
    def _case(name: str, letters: str) -> Case:
        valid = letters.replace("!", "")
        outcome = Outcome.PASSED if valid == "P" * len(valid) else Outcome.FAILED
        return Case(name, outcome, passed=valid.count("P"), samples=len(valid))


def expectation(case: str, version: str) -> str:
    return hashlib.sha1(f"{case} {version}".encode(), usedforsecurity=False).hexdigest()


@pytest.fixture
def where(repo: RepoBuilder) -> Place:
    repo.commit(files={"a.py": "1\n"})
    return place.find(str(repo.path), repo.env)


@pytest.fixture
def lab(where: Place) -> Lab:
    return Lab(Spool(where.common_dir, where.worktree))


def ask(where: Place, **how: bool) -> Stability:
    return stability.ask(where, EVALS, **how).table


def numbers(rows: Sequence[CaseRow]) -> dict[str, tuple[str, str, str]]:
    """case -> full runs, alone, total."""
    return {r.case: (str(r.full), str(r.alone), str(r.total)) for r in rows}


def all_green(letters: str = "P", **other: str) -> dict[str, str]:
    return dict.fromkeys(EIGHT, letters) | other


# ---------------------------------------------------------------- the published tables, from run records


def test_v1_6_of_7_in_one_run(where: Place, lab: Lab) -> None:
    seven = {name: "P" for name in EIGHT if name != EIGHT[0]}
    lab.run(seven | {"review-requires-project": "F"}, "1", version="v1")
    lab.run({"review-requires-project": "P"}, "1", alone=True, version="v1")
    (group,) = ask(where).groups
    assert [str(r.count) for r in group.full_runs] == ["6 of 7"]
    assert numbers(group.rows)["review-requires-project"] == ("0 of 1", "1 of 1", "1 of 2")


def test_v2_8_of_8_in_one_run(where: Place, lab: Lab) -> None:
    lab.run(all_green(), "2")
    (group,) = ask(where).groups
    assert [str(r.count) for r in group.full_runs] == ["8 of 8"]
    assert stability_wording.bounded(group.rows[0].total) == "no failure in 1: at least 0.05 at 95 %"


def test_case_4_before_its_fix_is_three_numbers_and_not_one(where: Place, lab: Lab) -> None:
    """5 of 6 by the builder, 6 of 12 by another measurer on the same commit, 7 of 10 on the commit before."""
    lab.run({CASE_4: "PPPPPF"}, "2", alone=True, label="builder")
    lab.run({CASE_4: "PFPFPFPFPFPF"}, "2", alone=True, label="pm")
    lab.run({CASE_4: "PPPPPPPFFF"}, "1", alone=True, label="pm", version="v1")
    found = ask(where)
    totals = {(g.trees[0][0], g.labels[0]): str(g.rows[0].total) for g in found.groups}
    assert totals == {("2", "builder"): "5 of 6", ("2", "pm"): "6 of 12", ("1", "pm"): "7 of 10"}


@pytest.fixture
def fixed(lab: Lab) -> Lab:
    """After the fix of case 4: three full runs (one of three samples a case), case 4 ten times alone, case 7 eight times
    under the grader before."""
    lab.run(all_green("PPP"), "3")
    lab.run(all_green(), "3")
    lab.run(all_green(), "3")
    lab.run({CASE_4: "P" * 10}, "3", alone=True)
    lab.run({CASE_6: "P" * 8}, "3", alone=True, version="v2-before")
    return lab


@pytest.mark.usefixtures("fixed")
def test_15_of_15_and_5_of_5_and_nothing_pooled_over_expectations(where: Place) -> None:
    (group,) = ask(where).groups
    rows = [r for r in group.rows if r.expectations != (expectation(CASE_6, "v2-before"),)]
    assert [str(r.count) for r in group.full_runs] == ["8 of 8"] * 3
    assert numbers(rows) == dict.fromkeys(EIGHT, ("5 of 5", "0 of 0", "5 of 5")) | {
        CASE_4: ("5 of 5", "10 of 10", "15 of 15")
    }
    (before,) = [r for r in group.rows if r not in rows]
    assert (before.case, str(before.total)) == (CASE_6, "8 of 8")
    assert all((r.full.of, r.full_runs) == (5, Count(3, 3)) for r in rows), "samples and full runs are counted apart"


@pytest.mark.usefixtures("fixed")
def test_13_of_13_when_it_is_asked_for_and_with_a_footnote(where: Place) -> None:
    found = ask(where, join=True)
    (group,) = found.groups
    assert numbers(group.rows)[CASE_6] == ("5 of 5", "8 of 8", "13 of 13")
    said = "\n".join(stability_wording.lines(found, NOW))
    assert "joined because --join asked for it: 1 tree (333333333333), up to 2 expectations a case" in said
    assert "no failure in 15: at least 0.82 at 95 %" in said
    assert "stable" not in said.replace("unstable", "")


def test_case_8_10_of_12_then_12_of_12_and_an_intermediate_10_of_10(where: Place, lab: Lab) -> None:
    """9 of 10 alone and 1 of 2 in full runs; after the fix 10 of 10 and 2 of 2; in between a pattern of no commit."""
    lab.run(all_green(), "4", label="pm")
    lab.run(all_green(**{CASE_8: "F"}), "4", label="pm")
    lab.run({CASE_8: "PPPPPPPPPF"}, "4", alone=True, label="pm")
    loose = lab.run({CASE_8: "P" * 10}, "5", alone=True, version="loose")
    lab.run(all_green(), "6", version="v3")
    lab.run(all_green(), "6", version="v3")
    lab.run({CASE_8: "P" * 10}, "6", alone=True, version="v3")
    runs = Spool(where.common_dir, where.worktree).recent(100).runs
    found = tables.stability(runs, EVALS, loose={(loose.id, CASE_8)})
    by_tree = {g.trees[0][0]: numbers(g.rows)[CASE_8] for g in found.groups}
    assert by_tree == {"4": ("1 of 2", "9 of 10", "10 of 12"), "6": ("2 of 2", "10 of 10", "12 of 12")}
    (apart,) = found.intermediate
    assert (str(apart.rows[0].total), apart.rows[0].cost) == ("10 of 10", 2.5)
    said = stability_wording.lines(found, NOW)
    assert any("intermediate, not counted" in line for line in said)
    assert (
        f"    {CASE_8}  10 of 10, expectation {apart.rows[0].expectations[0][:12]}, $2.50 (list-price estimate)" in said
    )
    assert [str(r.count) for g in found.groups for r in g.full_runs if g.trees[0][0] == "4"] == ["8 of 8", "7 of 8"]


def test_34_of_34_is_a_re_grade_and_no_run(where: Place, lab: Lab) -> None:
    tallies = (Tally("green", 31, 34, 34), Tally("other", 0, 0, 22, case=CASE_6))
    record = Regrade("1" * 32, "evals", CASE_8, NOW, "a" * 40, "b" * 40, tallies)
    records.write(where.common_dir, record)
    answer = stability.ask(where, EVALS)
    said = stability_wording.lines(answer.table, NOW, answer.regrades)
    assert said == ["evals: no run is stored"]
    lab.run({CASE_8: "P"}, "6", alone=True)
    answer = stability.ask(where, EVALS)
    assert (
        f"re-graded, no run: {CASE_8}  green: old 31 of 34, new 34 of 34; other of {CASE_6}: old 0 of 22, new 0 of 22"
        in stability_wording.lines(answer.table, NOW, answer.regrades)
    )


# ---------------------------------------------------------------- what counts, and what is said of the rest


@pytest.mark.parametrize(
    ("how", "why"),
    [
        pytest.param(
            {"problems": (Problem(Code.RUN_INCOMPLETE, "it was interrupted"),)}, "it was interrupted", id="broken off"
        ),
        pytest.param(
            {"problems": (*PARTIAL, Problem(Code.TREE_CHANGED, "files changed"))},
            "files changed",
            id="partial and worse",
        ),
        pytest.param({"tree": None, "scoped_tree": None}, "bound to no tree", id="bound to nothing"),
    ],
)
def test_a_run_that_does_not_count_is_named(where: Place, lab: Lab, how: dict[str, object], why: str) -> None:
    run = lab.run(all_green(), "1", **how)
    found = ask(where)
    assert (found.groups, found.intermediate) == ((), ())
    assert [(u.id, why in u.why) for u in found.uncounted] == [(run.id, True)]
    assert found.cost == 2.0, "what it cost is spent"


@pytest.mark.parametrize(
    ("codes", "tree", "counts"),
    [
        pytest.param([], "a" * 40, True, id="complete"),
        pytest.param([Code.RUN_PARTIAL], "a" * 40, True, id="a selection"),
        pytest.param([Code.RUN_INCOMPLETE], "a" * 40, False, id="incomplete"),
        pytest.param([Code.RUN_PARTIAL, Code.RUN_INCOMPLETE], "a" * 40, False, id="a selection that was broken off"),
        pytest.param([], None, False, id="bound to nothing"),
    ],
)
def test_which_runs_count(codes: list[Code], tree: str | None, counts: bool) -> None:
    run = plain_run("a P", tree=tree, problems=tuple(Problem(code, "why") for code in codes))
    assert (tables.why_not_counted(run) == "") is counts


@pytest.mark.parametrize(
    ("kinds", "rows"),
    [
        pytest.param("full PP", [("2 of 2", "0 of 0", "1 of 1")], id="two samples of one full run"),
        pytest.param("full P, full F", [("1 of 2", "0 of 0", "1 of 2")], id="two full runs"),
        pytest.param("full PF, alone P", [("1 of 2", "1 of 1", "0 of 1")], id="alone is apart"),
        pytest.param("alone P, alone F", [("0 of 0", "1 of 2", "0 of 0")], id="alone only"),
    ],
)
def test_samples_full_runs_and_alone_are_counted_apart(kinds: str, rows: list[tuple[str, str, str]]) -> None:
    words = [w.split() for w in kinds.split(", ")]
    found = tables.stability(made([("1", letters, kind == "alone", "") for kind, letters in words]), UNIT)
    assert [(str(r.full), str(r.alone), str(r.full_runs)) for g in found.groups for r in g.rows] == rows


def test_a_red_without_its_trace_stays_in_the_denominator(where: Place, lab: Lab) -> None:
    lab.run({CASE_8: "PF"}, "1", alone=True)
    found = ask(where)
    (row,) = found.groups[0].rows
    assert (str(row.total), row.reds[0].graders) == ("1 of 2", ("says-pass",))
    assert "    1 of 1 red: cause not measured (trace gone)" in [
        line.removeprefix("  ") for line in stability_wording.lines(found, NOW)
    ]


@pytest.mark.parametrize(("kept", "gone"), [({"c" * 64}, False), (set(), True), (None, False)])
def test_a_red_with_its_trace(kept: set[str] | None, gone: bool) -> None:
    run = replace(
        plain_run("x F"), suite="evals", evals=EvalRun((EvalCase("t/s.py::x", "evals/x", (sample("F", "c" * 64),)),))
    )
    found = tables.stability([run], EVALS, traces=kept)
    assert found.groups[0].rows[0].reds[0].has_trace is not gone


def test_a_sample_that_measured_nothing_is_no_sample_and_is_named(where: Place, lab: Lab) -> None:
    lab.run({CASE_8: "PP!"}, "1", alone=True)
    (row,) = ask(where).groups[0].rows
    assert (str(row.total), row.invalid, row.reds) == ("2 of 2", ("it ended with an error",), ())


def test_other_conditions_are_another_table_even_when_joined(where: Place, lab: Lab) -> None:
    lab.run({CASE_8: "P"}, "1")
    lab.run({CASE_8: "P"}, "1", conditions=(("tool", "2.1.328"),))
    lab.run({CASE_8: "P"}, "1", conditions=(("argv", "other words"), ("tool", "2.1.328")))
    assert [str(g.rows[0].total) for g in ask(where, join=True).groups] == ["2 of 2", "1 of 1"]


def test_an_ordinary_suite(where: Place, repo: RepoBuilder, lab: Lab) -> None:
    tree = repo.sha("HEAD^{tree}")
    for letters in ("a P, b P, c S", "a P, b F, c S", "a P, b P 1/2, c S"):
        lab.spool.finish(plain_run(letters, tree=tree, scoped_tree=tree))
    lab.spool.finish(plain_run("b P", age=0.5, tree=tree, scoped_tree=tree, problems=PARTIAL))
    lab.spool.finish(plain_run("b F", age=0.2, tree="d" * 40, scoped_tree="d" * 40))
    found = stability.ask(where, UNIT).table
    (group,) = found.groups
    rows = {r.case: r for r in group.rows}
    assert numbers(group.rows)["t/s.py::a"] == ("3 of 3", "0 of 0", "3 of 3")
    assert numbers(group.rows)["t/s.py::b"] == ("2 of 4", "1 of 1", "3 of 5")
    assert rows["t/s.py::b"].full_runs == Count(1, 3)
    assert (rows["t/s.py::c"].skipped, rows["t/s.py::c"].total) == (3, Count(0, 0))
    assert [g.trees for g in found.intermediate] == [("d" * 40,)], "no commit holds this tree"
    assert "did not run in 3 runs" in "\n".join(stability_wording.lines(found, NOW))


@pytest.mark.parametrize("how", ["committed later", "amended away since", "registered with the run", "never committed"])
def test_which_expectations_a_commit_holds(where: Place, repo: RepoBuilder, lab: Lab, how: str) -> None:
    repo.write("evals/plan/case.yaml", "name: plan\n")
    repo.git("add", "-A")
    folder = repo.git("rev-parse", f"{repo.git('write-tree')}:evals/plan")
    if how in ("committed later", "amended away since"):
        repo.commit()
    if how == "amended away since":
        repo.write("evals/plan/case.yaml", "name: other\n")
        repo.git("add", "-A")
        repo.git("commit", "-q", "--amend", "-m", "Other")
    run = lab.run({"plan": "P"}, "9")
    assert run.evals is not None
    case = replace(run.evals.cases[0], expectation=folder, registered=how == "registered with the run")
    run = replace(run, evals=EvalRun((case,)))
    loose = stability.uncommitted(where.git, [run])
    assert loose == (frozenset({(run.id, "plan")}) if how == "never committed" else frozenset())


# ---------------------------------------------------------------- laws


RUNS = st.lists(
    st.tuples(st.sampled_from("123"), st.text("PF", min_size=1, max_size=3), st.booleans(), st.sampled_from(["", "pm"]))
)


def made(rows: list[tuple[str, str, bool, str]]) -> list[Run]:
    out = []
    for number, (tree, letters, alone, label) in enumerate(rows):
        passed = letters.count("P")
        outcome = Outcome.PASSED if passed == len(letters) else Outcome.FAILED
        case = Case("x", outcome, passed=passed, samples=len(letters))
        how = {"tree": tree * 40, "scoped_tree": tree * 40, "label": label, "problems": PARTIAL if alone else ()}
        out.append(replace(plain_run("x P", id=f"{number:032x}", **how), cases=(case,)))
    return out


@given(RUNS)
def test_joined_and_apart_count_the_same_samples(rows: list[tuple[str, str, bool, str]]) -> None:
    for join in (False, True):
        found = tables.stability(made(rows), UNIT, join=join)
        totals = [r.total for g in found.groups for r in g.rows]
        assert sum(t.of for t in totals) == sum(len(letters) for _, letters, _, _ in rows)
        assert sum(t.passed for t in totals) == sum(letters.count("P") for _, letters, _, _ in rows)


@given(RUNS)
def test_apart_no_group_holds_two_trees_or_two_measurers(rows: list[tuple[str, str, bool, str]]) -> None:
    found = tables.stability(made(rows), UNIT)
    assert all(len(g.trees) == 1 and len(g.labels) == 1 for g in found.groups)
    assert len(found.groups) == len({(tree, label) for tree, _, _, label in rows})


@given(RUNS)
def test_the_order_of_runs_with_equal_times_does_not_matter(rows: list[tuple[str, str, bool, str]]) -> None:
    runs = made(rows)
    one, other = (stability_wording.as_json(tables.stability(r, UNIT)) for r in (runs, runs[::-1]))
    assert one == other


# ---------------------------------------------------------------- the command


def test_the_command(
    where: Place, repo: RepoBuilder, lab: Lab, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("shipmoor-hooks.toml", '[suite.evals]\ncommand = "true"\nformat = "plugin-eval"\nsame = ["tool"]\n')
    monkeypatch.chdir(repo.path)
    assert cli.run(["stability"]) == 3
    assert "no run is stored" in capsys.readouterr().out
    lab.run({"\x1b[31mred": "PF"}, "1", label="pm")
    assert cli.run(["stability"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "measured by pm" in said
    assert cli.run(["stability", "--format", "json", "--join"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["joined"]) == ("shipmoor-hooks.stability/1", True)
    assert told["groups"][0]["cases"][0]["total"] == [1, 2]
    assert where.top == str(repo.path)


@pytest.mark.parametrize("label", ["x" * 81, "a\x1b[2J", "two\nlines"])
def test_a_label_is_plain_text(repo: RepoBuilder, label: str) -> None:
    repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = "true"\n')
    repo.commit()
    done = repo.tool("run", "--label", label)
    assert (done.returncode, b"--label takes up to 80 plain characters" in done.stderr) == (2, True)
