"""Records beside runs: whole files, found by case and by key, a broken one named and never absent (design, section 9)."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.eval_model import GraderVerdict
from shipmoor_hooks.model import Code, Outcome
from shipmoor_hooks.store import plain_fields, records
from shipmoor_hooks.store.envelope import Unreadable, wrap
from shipmoor_hooks.store.record_model import Clearing, Label, Proof, ProofSample, Receipt, Regrade, Tally

GREEN = ProofSample(Outcome.PASSED)
FELL = ProofSample(
    Outcome.FAILED,
    0.6,
    (GraderVerdict("names-rule", "regex", False), GraderVerdict("no-agent", "tool_used", True)),
    0.24,
)
PROOF = Proof(
    id="1" * 32, suite="evals", case="plan", recorded=1_900_000_000.25, patch="a" * 64, patch_path="faults/plan.patch",
    expectation="b" * 40, expectation_path="evals/plan", commit="c" * 40, tree="d" * 40, fault_tree="e" * 40,
    base=(GREEN,), fault=(FELL,), command=("pytest", "{case}"),
)  # fmt: skip
COMMON = {"suite": "evals", "case": "plan", "recorded": 1_900_000_000.0}
ONE_OF_EACH = [
    PROOF,
    Regrade(id="2" * 32, **COMMON, old="a" * 40, new="b" * 40, tallies=(Tally("green", 31, 34, 34),),
            graders=("says-pass",)),
    Label(id="3" * 32, **COMMON, trace="f" * 64, label="correct", reason="it names the rule"),
    Receipt(id="4" * 32, suite="", case="", recorded=1.0, ref="refs/heads/x", commit="a" * 40, tree="b" * 40,
            verdict="allowed"),
    Clearing(id="5" * 32, **COMMON, tip="a" * 40, runs=("6" * 32,)),
]  # fmt: skip


def files(common: Path, sort: str) -> list[Path]:
    return sorted(common.rglob(f"{sort}/*/*.record"))


# ---------------------------------------------------------------- found again


def test_a_repository_without_records(tmp_path: Path) -> None:
    assert records.find(str(tmp_path), Proof, "evals", "plan") == ((), ())
    assert records.every(str(tmp_path), Proof) == ((), ())
    assert not (tmp_path / "shipmoor-hooks").exists()


@pytest.mark.parametrize("record", ONE_OF_EACH, ids=lambda r: type(r).__name__)
def test_what_was_written_is_read_as_it_was(tmp_path: Path, record: Proof) -> None:
    records.write(str(tmp_path), record)
    kind = type(record)
    assert records.find(str(tmp_path), kind, record.suite, record.case) == ((record,), ())
    assert records.find_key(str(tmp_path), kind, record.key) == ((record,), ())
    assert records.every(str(tmp_path), kind) == ((record,), ())


@pytest.mark.parametrize(
    ("suite", "case"),
    [
        pytest.param("unit", "plan", id="another suite"),
        pytest.param("evals", "plan-b", id="another case"),
        pytest.param("eval", "splan", id="the same letters, cut elsewhere"),
    ],
)
def test_a_record_of_something_else_is_not_found(tmp_path: Path, suite: str, case: str) -> None:
    records.write(str(tmp_path), PROOF)
    assert records.find(str(tmp_path), Proof, suite, case) == ((), ())


def test_several_come_oldest_first(tmp_path: Path) -> None:
    moments = [3.0, 1.0, 2.0]
    for number, moment in enumerate(moments):
        records.write(str(tmp_path), replace(PROOF, id=f"{number:032x}", recorded=moment))
    found, _ = records.find(str(tmp_path), Proof, "evals", "plan")
    assert [p.recorded for p in found] == sorted(moments)


def test_a_hostile_name_becomes_no_path(tmp_path: Path) -> None:
    hostile = replace(PROOF, case="../../../../etc/passwd\0\ud800" + "x" * 5000)
    path = records.write(str(tmp_path), hostile)
    assert os.path.realpath(path).startswith(str(tmp_path.resolve() / "shipmoor-hooks" / "records"))
    assert records.find(str(tmp_path), Proof, "evals", hostile.case) == ((hostile,), ())


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    def write(number: int) -> None:
        records.write(str(tmp_path), replace(PROOF, id=f"{number:032x}"))

    threads = [threading.Thread(target=write, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(records.find(str(tmp_path), Proof, "evals", "plan")[0]) == 12


# ---------------------------------------------------------------- broken, and named


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        pytest.param(lambda b: b[: len(b) // 2], Code.SEAL_BROKEN, id="cut"),
        pytest.param(lambda _: b"", Code.SEAL_BROKEN, id="empty"),
        pytest.param(lambda b: b.replace(b";version=1", b";version=2"), Code.ENTRY_NEWER, id="of a newer version"),
        pytest.param(lambda b: b.replace(b".proof+", b".label+"), Code.SEAL_BROKEN, id="of another kind"),
        pytest.param(lambda _: wrap(records.payload_type(Proof), 1, b"{}"), Code.SEAL_BROKEN, id="without fields"),
        pytest.param(lambda _: wrap(records.payload_type(Proof), 1, b"[" * 9999), Code.SEAL_BROKEN, id="nested deep"),
    ],
)
def test_a_broken_record_is_named(tmp_path: Path, damage: object, code: Code) -> None:
    path = Path(records.write(str(tmp_path), PROOF))
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    found, broken = records.find(str(tmp_path), Proof, "evals", "plan")
    assert (found, [(b.path, b.code) for b in broken]) == ((), [(str(path), code)])


def test_a_record_in_the_place_of_another_is_broken(tmp_path: Path) -> None:
    path = Path(records.write(str(tmp_path), PROOF))
    other = path.parent.parent / records.case_folder("evals", "other")
    other.mkdir()
    path.rename(other / path.name)
    found, broken = records.find(str(tmp_path), Proof, "evals", "other")
    assert found == ()
    assert "another record" in broken[0].text


def test_a_pipe_under_the_name_of_a_record_is_not_waited_for(tmp_path: Path) -> None:
    path = Path(records.write(str(tmp_path), PROOF))
    path.unlink()
    os.mkfifo(path)
    assert len(records.find(str(tmp_path), Proof, "evals", "plan")[1]) == 1


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shipmoor-hooks").mkdir()
    (tmp_path / "shipmoor-hooks" / "records").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentFault, match="link"):
        records.write(str(tmp_path), PROOF)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("patch", 7, id="a number for a text"),
        pytest.param("recorded", True, id="a boolean for a moment"),
        pytest.param("recorded", float("nan"), id="no number"),
        pytest.param("base", "x", id="a text for a list"),
        pytest.param("base", [{"outcome": "green"}], id="an outcome that there is not"),
        pytest.param("command", [1], id="a number in a list of texts"),
    ],
)
def test_a_field_of_the_wrong_type_is_no_record(field: str, value: object) -> None:
    fields = plain_fields.written(PROOF) | {field: value}
    with pytest.raises((TypeError, ValueError)):
        plain_fields.read(Proof, fields)


def test_a_field_of_a_newer_version_is_left_alone() -> None:
    assert plain_fields.read(Proof, plain_fields.written(PROOF) | {"mood": "good"}) == PROOF


@given(st.binary(max_size=200))
def test_no_bytes_do_anything_but_be_refused(stored: bytes) -> None:
    with pytest.raises(Unreadable):
        records.decode(Proof, stored)


# ---------------------------------------------------------------- proven


@pytest.mark.parametrize(
    ("base", "fault", "proven"),
    [
        pytest.param((GREEN,), (FELL,), True, id="green, then fallen"),
        pytest.param((GREEN, GREEN), (FELL, FELL), True, id="in every sample"),
        pytest.param((GREEN, FELL), (FELL, FELL), False, id="red once at the base"),
        pytest.param((GREEN, GREEN), (FELL, GREEN), False, id="green once under the fault"),
        pytest.param((), (FELL,), False, id="no base"),
        pytest.param((GREEN,), (), False, id="no fault"),
        pytest.param((GREEN,), (ProofSample(Outcome.SKIPPED),), False, id="skipped is not fallen"),
    ],
)
def test_proven_is_green_without_and_fallen_with_the_fault_every_time(
    base: tuple[ProofSample, ...], fault: tuple[ProofSample, ...], proven: bool
) -> None:
    assert replace(PROOF, base=base, fault=fault).is_proven is proven
