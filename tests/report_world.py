"""A repository with a history to report on: an ordinary suite and an eval suite, stored through the real spool."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.eval_model import EvalCase, EvalRun, EvalSample, GraderVerdict
from shipmoor_hooks.model import Case, Code, Evidence, Outcome, Problem, Run
from shipmoor_hooks.place import Place
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Clearing, Label, Proof, ProofSample, Receipt, Regrade, Tally
from shipmoor_hooks.store.spool import Spool

POLICY = """\
[gate]
target = "origin/HEAD"

[suite.unit]
command = ["pytest", "-q"]
not_covered = ["speed", "how it looks in a browser"]

[suite.evals]
command = "claude plugin eval . --runs 2 --allow-tools Bash"
format = "plugin-eval"
not_covered = ["the agent swarms", "plugin contribution: there is no run without the plugin"]
"""
OUTCOMES = {"p": Outcome.PASSED, "f": Outcome.FAILED, "e": Outcome.ERROR, "s": Outcome.SKIPPED, "x": Outcome.XFAILED}
HOUR = 3600.0
SEVEN = (
    "plan-halts-without-intent-approval",
    "plan-halts-without-phase-signals",
    "plan-project-not-initialized",
    "plan-rejects-unknown-export",
    "plan-requires-brief",
    "review-requires-project",
    "review-validate-flags-bad-finding-id",
)
# Names are data: none of these may become markup, run, hide what stands beside it, or turn it around.
HOSTILE = (
    "tests/test_x.py::test[<script>document.title='owned'</script>]",
    "tests/test_x.py::test['\"><img src=x onerror=\"document.title='owned'\">]",
    "tests/test_x.py::test[</style></title></details><h1>owned]",
    "tests/test_x.py::test[javascript:alert(1)&amp;&lt;]",
    "tests/test_x.py::test[\u202egnp.exe\u2066 \x1b[31mred\x07 \u200b\ufeff a\u0301\u0301\u0301]",
    "tests/test_x.py::test[" + "long" * 200 + "]",
    "tests/test_x.py::test[{{ 7*7 }} ${x} <%= y %> url(http://example.invalid/)]",
    "tests/test_x.py::test[שלום עולם]",
)


@dataclass
class ReportWorld:
    """`unit` and `evals` store a run on the tree that is checked out, `age` hours ago."""

    repo: RepoBuilder
    numbers: int = field(default=0)

    @classmethod
    def create(cls, repo: RepoBuilder, policy: str = POLICY) -> ReportWorld:
        repo.bare_remote()
        repo.write("shipmoor-hooks.toml", policy)
        repo.write(".gitignore", "build/\n")
        return cls(repo)

    @property
    def place(self) -> Place:
        return place.find(str(self.repo.path), self.repo.env)

    def commit(self, message: str, trailers: Sequence[str] = (), age: float = 1.0) -> str:
        """A commit of its own content, made `age` hours ago."""
        self.numbers += 1
        self.repo.write("shop.py", f"VERSION = {self.numbers}\n")
        self.repo.clock = int(time.time() - age * HOUR) - 60
        return self.repo.commit(message, trailers)

    def push(self, branch: str = "main") -> None:
        self.repo.git("push", "-q", "--no-verify", "-u", "origin", branch)
        self.repo.git("remote", "set-head", "origin", "main")

    def unit(self, cases: Mapping[str, str], age: float = 1.0, **how: object) -> Run:
        """A run of the ordinary suite: case to its letter (p, f, e, s, x)."""
        listed = [
            Case(name, OUTCOMES[letter], passed=int(letter == "p"), samples=1) for name, letter in sorted(cases.items())
        ]
        return self._store("unit", listed, age, command=("pytest", "-q"), conditions=(("argv", "pytest -q"),), **how)

    def evals(self, cases: Mapping[str, str], age: float = 1.0, *, alone: bool = False, **how: object) -> Run:
        """A run of the eval suite: case to its samples, `PPF` (`!` measured nothing)."""
        listed = [_eval_case(name, letters) for name, letters in sorted(cases.items())]
        cost = sum(s.cost or 0.0 for c in listed for s in c.samples)
        evals = EvalRun(
            tuple(listed), program="claude plugin eval", program_version="2.1.328", model="a-model", cost=cost, alone=alone,
            seconds=54.0, children=sum(len(c.samples) for c in listed), overall_score=0.95,
        )  # fmt: skip
        plain = [_plain(c) for c in listed]
        problems = (Problem(Code.RUN_PARTIAL, "only one case was asked for"),) if alone else ()
        told = (("model", "a-model"), ("threshold", "1"), ("tool", "2.1.328"))
        return self._store("evals", plain, age, evals=evals, problems=problems, conditions=told, **how)

    def _store(self, suite: str, cases: Sequence[Case], age: float, **how: object) -> Run:
        self.numbers += 1
        started = time.time() - age * HOUR
        tree = self.repo.git("rev-parse", "HEAD^{tree}")
        name = hashlib.sha256(f"{suite} {self.numbers}".encode()).hexdigest()[:32]
        made = Run(
            id=name, suite=suite, tree=tree, scoped_tree=tree, evidence=Evidence.OBSERVED, started=started,
            recorded=started + 5, finished=started + 4.2, cases=tuple(cases), head=self.repo.sha(),
        )  # fmt: skip
        where = self.place
        return Spool(where.common_dir, where.worktree, self.repo.env).finish(replace(made, **how))  # type: ignore[arg-type]

    def record(self, *made: Proof | Clearing | Label | Regrade | Receipt) -> None:
        for one in made:
            records.write(self.place.common_dir, one, self.repo.env)


def _eval_case(name: str, letters: str) -> EvalCase:
    expectation = hashlib.sha1(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    samples = tuple(_sample(letter, number) for number, letter in enumerate(letters))
    return EvalCase(name, f"evals/{name}", samples, expectation, registered=True, required=len(letters))


def _sample(letter: str, number: int) -> EvalSample:
    graders = (
        GraderVerdict("gate-ran", "tool_used", True),
        GraderVerdict("names-code", "regex", letter == "P"),
        GraderVerdict("no-agent", "tool_used", True),
    )
    invalid = "it ended with an error" if letter == "!" else ""
    return EvalSample(
        letter == "P", 1.0 if letter == "P" else 2 / 3, graders, invalid, seconds=6.5 + number, cost=0.21, turns=3
    )


def _plain(case: EvalCase) -> Case:
    greens = [s.is_green(1.0) for s in case.valid]
    outcome = Outcome.PASSED if greens and all(greens) else Outcome.FAILED if greens else Outcome.ERROR
    return Case(case.id, outcome, passed=sum(greens), samples=max(1, len(greens)))


def cart(*names: str, **other: str) -> dict[str, str]:
    """`cart("empty", sum="f")`: cases of one test file by their names, green unless told."""
    letters = dict.fromkeys(names, "p") | other
    return {f"tests/test_cart.py::test_{name}": letter for name, letter in letters.items()}


def shop(repo: RepoBuilder) -> ReportWorld:
    """The story that the pictures show: a suite that grows, loses a case with a word, flakes, and evals beside it."""
    world = ReportWorld.create(repo)
    grown = ["empty", "sum", "negative", "rounding"]
    eight = dict.fromkeys(SEVEN, "PP")
    world.commit("Add the cart", age=200)
    world.unit(cart(*grown), 199)
    world.commit("Take vouchers", age=170)
    grown += ["voucher", "voucher_expired", "voucher_twice"]
    world.unit(cart(*grown), 169)
    world.evals(eight | {"review-requires-project": "PF"}, 168)
    world.commit("Write the readme", age=160)
    world.commit("Ship abroad", age=140)
    grown += ["shipping", "shipping_abroad", "shipping_free"]
    world.unit(cart(*grown, shipping_abroad="f"), 139)
    world.unit(cart(*grown), 138)
    world.evals(eight | {"review-validate-passes-clean-review": "PP"}, 137)
    world.commit("Round half to even", age=100)
    world.unit(cart(*grown, rounding="f"), 99)
    world.commit("Round as the bank does", age=90)
    world.unit(cart(*grown), 89)
    eight["review-validate-passes-clean-review"] = "PP"
    world.evals(eight, 88)
    world.push()
    repo.git("switch", "-q", "-c", "faster")
    gone = "tests/test_cart.py::test_negative"
    world.commit("Drop negative prices", [f"Test-Removed: {gone} -- prices are never negative any more (#212)"], age=20)
    grown.remove("negative")
    world.unit(cart(*grown), 19)
    world.commit("Pay by invoice", age=3)
    grown += ["invoice", "invoice_late"]
    world.unit(cart(*grown, invoice_late="s"), 2.5)
    world.unit(cart(*grown, invoice_late="s", shipping_abroad="f"), 2.2)
    world.unit(cart(*grown, invoice_late="s"), 2)
    world.evals(eight | {"plan-halts-without-phase-signals": "PF"}, 1.5)
    world.evals({"plan-halts-without-phase-signals": "PPPPPP"}, 1.2, alone=True)
    _records(world)
    return world


def _records(world: ReportWorld) -> None:
    now = time.time()
    head, tree = world.repo.sha(), world.repo.git("rev-parse", "HEAD^{tree}")
    case = "review-validate-flags-bad-finding-id"
    graders = (GraderVerdict("names-code", "regex", False), GraderVerdict("no-agent", "tool_used", True))
    world.record(
        Proof(
            "1" * 32, "evals", case, now - 5 * HOUR, "ab" * 32, "faults/finding-id.patch", "", "", head, tree, "c" * 40,
            (ProofSample(Outcome.PASSED, 1.0),), (ProofSample(Outcome.FAILED, 0.6, graders),),
        ),
        Label("2" * 32, "evals", case, now - 4 * HOUR, "5" * 64, "correct", "it names the rule"),
        Regrade("3" * 32, "evals", case, now - 4 * HOUR, "a" * 40, "b" * 40, (Tally("green", 31, 34, 34),)),
        Clearing("4" * 32, "unit", "tests/test_cart.py::test_shipping_abroad", now - 3 * HOUR, head, ("5" * 32,)),
        Receipt("6" * 32, "", "", now - 19 * HOUR, "refs/heads/faster", head, tree, "allowed"),
    )  # fmt: skip
