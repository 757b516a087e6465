"""prove: a case falls under a planted fault, in scratch worktrees and nowhere else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.cli import main as cli
from shipmoor_hooks.error_handler import guarded
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Proof
from shipmoor_hooks.store.spool import Spool

PYTEST = f'[suite.unit]\ncommand = ["{sys.executable}", "-m", "pytest", "-q", "-p", "no:cacheprovider"]\n'
RUNNER = """import sys
import test_shop
rows = ""
for name in [n for n in dir(test_shop) if n.startswith("test_")]:
    if sys.argv[1:] and f"test_shop.py::{name}" not in sys.argv[1:]:
        continue
    said = ""
    try:
        getattr(test_shop, name)()
    except AssertionError:
        said = "<failure/>"
    except NotImplementedError:
        said = "<skipped/>"
    rows += f'<testcase classname="test_shop" name="{name}">{said}</testcase>'
open("out.xml", "w").write(f"<testsuite>{rows}</testsuite>")
print(rows.count("<testcase"), "ran")
"""
OWN = f'[suite.unit]\ncommand = ["{sys.executable}", "-S", "runner.py"]\nreports = ["out.xml"]\n'
POLICY = OWN + f'case_command = ["{sys.executable}", "-S", "runner.py", "{{case}}"]\n'
SHOP = "def total(prices):\n    return sum(prices)\n"
TESTS = """from shop import total

def test_total():
    assert total([1, 2]) == 3

def test_type():
    assert total
"""
CASE = "test_shop.py::test_total"
FIRST = ["test_shop.py::test_total", "--fault", "faults/one.patch"]


def fault(old: str, new: str, path: str = "shop.py") -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n def total(prices):\n-    {old}\n+    {new}\n"


ADDS_ONE = fault("return sum(prices)", "return sum(prices) + 1")


@dataclass
class Shop:
    """A shop with a suite, two cases, and a fault that is committed beside them."""

    repo: RepoBuilder
    capfd: pytest.CaptureFixture[str]
    suite: str = "unit"

    def prove(self, *words: str, case: str = CASE, patch: str = "faults/one.patch") -> tuple[int, str, str]:
        code = guarded(lambda: cli.run(["prove", case, "--fault", patch, *words]), self.repo.env)
        said = self.capfd.readouterr()
        return code, said.out, said.err

    def proofs(self, case: str = CASE) -> list[Proof]:
        found, broken = records.find(place.find(str(self.repo.path), self.repo.env).common_dir, Proof, self.suite, case)
        assert broken == ()
        return list(found)

    def is_untouched(self) -> bool:
        """No change in the working tree, no scratch worktree, no run in the spool."""
        where = place.find(str(self.repo.path), self.repo.env)
        scratch = list(Path(self.repo.env["XDG_CACHE_HOME"]).rglob("shipmoor-scratch-*/*"))
        worktrees = self.repo.git("worktree", "list").splitlines()
        left = [*scratch, *Spool(where.common_dir, where.worktree).paths(), *worktrees[1:]]
        return left == [] and self.repo.git("status", "--porcelain") == ""


@pytest.fixture
def shop(repo: RepoBuilder, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    files = {"shop.py": SHOP, "test_shop.py": TESTS, "runner.py": RUNNER, "faults/one.patch": ADDS_ONE}
    repo.commit(files={**files, "shipmoor-hooks.toml": POLICY, ".gitignore": "__pycache__/\nignored.py\nout.xml\n"})
    monkeypatch.chdir(repo.path)
    return Shop(repo, capfd)


# ---------------------------------------------------------------- proven or not


def test_a_case_that_falls_is_proven_and_recorded(shop: Shop) -> None:
    code, out, err = shop.prove()
    assert (code, out.splitlines()[0]) == (0, f"PROVEN: {CASE} falls under faults/one.patch")
    assert err.count("1 ran") == 2
    (proof,) = shop.proofs()
    assert proof.is_proven
    assert proof.expectation == shop.repo.sha("HEAD:test_shop.py")
    assert proof.patch_blob == shop.repo.sha("HEAD:faults/one.patch")
    assert (proof.tree, proof.commit) == (shop.repo.sha("HEAD^{tree}"), shop.repo.sha())
    assert proof.fault_tree != proof.tree
    assert shop.is_untouched()


def test_the_whole_suite_runs_where_nothing_tells_how_to_run_one_case(shop: Shop) -> None:
    shop.repo.commit(files={"shipmoor-hooks.toml": OWN})
    code, _, err = shop.prove()
    assert (code, err.count("2 ran")) == (0, 2)


def test_pytest_runs_the_case_alone_without_being_told_how(shop: Shop) -> None:
    shop.repo.commit(files={"shipmoor-hooks.toml": PYTEST})
    code, _, err = shop.prove()
    assert (code, "1 passed" in err, "1 failed" in err) == (0, True, True)


def test_a_fault_under_which_the_case_stays_green_is_recorded_too(shop: Shop) -> None:
    code, out, _ = shop.prove(case="test_shop.py::test_type")
    assert (code, out.splitlines()[0]) == (
        1, "NOT PROVEN: test_shop.py::test_type does not fall under faults/one.patch",
    )  # fmt: skip
    assert [p.is_proven for p in shop.proofs("test_shop.py::test_type")] == [False]


def test_every_sample_has_to_fall(shop: Shop) -> None:
    """The fault shows only in the first of two samples: what a sample leaves behind is there for the next."""
    seen = "import os\n    seen = os.path.exists('ignored.py')\n    open('ignored.py', 'w').close()\n"
    body = seen.replace("\n    ", "; ", 1).replace("\n    ", "; ").rstrip()
    shop.repo.commit(
        files={"faults/once.patch": fault("return sum(prices)", f"{body}; return sum(prices) + (not seen)")}
    )
    code, out, _ = shop.prove("--runs", "2", patch="faults/once.patch")
    assert (code, "falls under faults/once.patch only sometimes" in out, "fell 1 of 2" in out) == (1, True, True)


def test_a_file_that_no_longer_loads_is_a_fall_and_is_called_so(shop: Shop) -> None:
    gone = fault("return sum(prices)", "return (")
    shop.repo.commit(files={"faults/gone.patch": gone, "shipmoor-hooks.toml": PYTEST})
    code, out, _ = shop.prove(patch="faults/gone.patch")
    assert (code, "test_shop.py does not load" in out) == (0, True)


def test_a_fault_of_equal_size_in_the_same_second_is_seen(shop: Shop) -> None:
    """Compiled files are keyed by time and size: each side has a worktree of its own."""
    shop.repo.commit(files={"faults/same.patch": fault("return sum(prices)", "return max(prices)")})
    shop.repo.env.pop("PYTHONDONTWRITEBYTECODE")
    code, _, _ = shop.prove(patch="faults/same.patch")
    assert code == 0


def test_json(shop: Shop) -> None:
    code, out, _ = shop.prove("--format", "json", "--runs", "2")
    told = json.loads(out)
    assert (code, told["schema"], told["proven"]) == (0, "shipmoor-hooks.proof/1", True)
    assert (told["base"], told["fault"]) == ({"passed": 2, "of": 2}, {"fell": 2, "of": 2})


def test_what_is_not_committed_is_not_proven_and_stays(shop: Shop) -> None:
    shop.repo.write("shop.py", "mine = True\n")
    code, _, err = shop.prove()
    assert (code, "what is not committed is not in it" in err) == (0, True)
    assert (shop.repo.path / "shop.py").read_text() == "mine = True\n"


def test_a_case_whose_id_names_no_file_holds_on_to_the_whole_tree(shop: Shop) -> None:
    program = RUNNER.replace('classname="test_shop"', 'classname="set"').replace("test_shop.py::", "set::")
    shop.repo.commit(files={"runner.py": program})
    assert shop.prove(case="set::test_total")[0] == 0
    (proof,) = shop.proofs("set::test_total")
    assert (proof.expectation_path, proof.expectation) == ("", shop.repo.sha("HEAD^{tree}"))


# ---------------------------------------------------------------- VOID: nothing was measured


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"p": ADDS_ONE.replace("return sum", "return min")}, "does not apply", id="does not apply"),
        pytest.param({"p": "no patch\n"}, "does not apply", id="is no patch"),
        pytest.param(
            {"p": "--- /dev/null\n+++ b/ignored.py\n@@ -0,0 +1 @@\n+1\n"}, "changes nothing", id="changes nothing"
        ),
        pytest.param({"p": ADDS_ONE, "shop.py": SHOP.replace("sum(", "  sum(")}, "does not apply", id="made for another"),
        pytest.param(
            {"p": ADDS_ONE, "test_shop.py": TESTS.replace("== 3", "== 4")}, "passed 0 of 1 without", id="red without it"
        ),
        pytest.param(
            {"p": ADDS_ONE, "test_shop.py": TESTS.replace("assert total([", "raise NotImplementedError\n    assert total([")},
            "skipped", id="skipped without it",
        ),
        pytest.param({"p": ADDS_ONE, "test_shop.py": "def test_x(): pass\n"}, "", id="no such case"),
        pytest.param(
            {"p": ADDS_ONE, "test_shop.py": TESTS + f"\nopen('shop.py', 'w').write({SHOP!r})\n"},
            "where the fault was planted", id="the run repairs the fault",
        ),
        pytest.param(
            {"p": ADDS_ONE, "shipmoor-hooks.toml": POLICY + 'setup = [["false"]]\n'}, "setup command", id="setup fails"
        ),
        pytest.param(
            {"p": ADDS_ONE, "shipmoor-hooks.toml": '[suite.unit]\ncommand = "true"\n'}, "no report", id="no report"
        ),
    ],
)  # fmt: skip
def test_what_measured_nothing_proves_nothing(shop: Shop, files: dict[str, str], says: str) -> None:
    shop.repo.commit(files=files)
    code, out, err = shop.prove(patch="p")
    assert (code, out) == (3, "")
    assert says in err
    assert "VOID: this run measured nothing" in err or "setup" in says
    assert shop.proofs() == []
    assert shop.is_untouched()


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        pytest.param("nowhere.patch", "No such file", id="missing"),
        pytest.param("faults", "", id="a folder"),
        pytest.param("pipe", "not a plain file", id="a pipe"),
        pytest.param("empty", "is empty", id="empty"),
    ],
)
def test_a_patch_that_is_none_is_a_wrong_call(shop: Shop, patch: str, says: str) -> None:
    os.mkfifo(shop.repo.path / "pipe")
    shop.repo.write("empty", "\n")
    code, _, err = shop.prove(patch=patch)
    assert (code, says in err, "Traceback" in err) == (2, True, False)


def test_the_policy_s_setup_runs_on_both_sides_with_the_fault_in_place(shop: Shop) -> None:
    """A build has to see the fault: the setup copies the source that the test then loads."""
    policy = (
        POLICY + f'setup = [["{sys.executable}", "-c", "import shutil; shutil.copy(\'shop.py\', \'ignored.py\')"]]\n'
    )
    shop.repo.commit(files={"shipmoor-hooks.toml": policy, "test_shop.py": TESTS.replace("from shop", "from ignored")})
    assert shop.prove()[0] == 0


def test_a_fault_from_outside_the_repository(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "one.patch").write_text(ADDS_ONE)
    assert shop.prove(patch=str(tmp_path / "one.patch"))[0] == 0
    assert shop.proofs()[0].patch_path == ""


def test_an_interrupt_leaves_nothing_behind(shop: Shop) -> None:
    up = shop.repo.path.parent / "up"
    waits = f"import time, pathlib\npathlib.Path({str(up)!r}).touch()\ntime.sleep(60)\n"
    shop.repo.commit(files={"test_shop.py": waits})
    command = [sys.executable, "-m", "shipmoor_hooks", "prove", *FIRST]
    running = subprocess.Popen(
        command, cwd=shop.repo.path, env=shop.repo.env, stderr=subprocess.PIPE, start_new_session=True
    )
    for _ in range(300):
        if up.exists():
            break
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.count(b"Traceback") == 1, "the runner's own, and none of ours"
    assert shop.proofs() == []
    assert shop.is_untouched()
