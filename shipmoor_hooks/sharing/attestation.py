"""A run as in-toto statements: for programs that know nothing of us (in-toto/attestation, Statement v1). Pure.

The subject is git's tree. `test-result` v0.1 has no place for what was skipped, for samples or for conditions, so that a
second statement of our own kind holds the whole run. The same run gives the same bytes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from shipmoor_hooks.describe import run_json
from shipmoor_hooks.model import RecordKind, Run

STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
RUN = "urn:shipmoor-hooks:predicate:run:v1"


def statements(run: Run, files: Mapping[str, str]) -> list[dict[str, Any]]:
    """The two statements about a complete run on a tree. `files` are paths of the tree that configured it, with git's
    names of their content."""
    return [_statement(run, TEST_RESULT, _test_result(run, files)), _statement(run, RUN, run_json(run, cases=True))]


def as_lines(rows: list[dict[str, Any]]) -> str:
    """One statement a line, keys in order, ASCII: the form in which bundles of attestations are kept."""
    return "".join(json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=True) + "\n" for row in rows)


def _statement(run: Run, kind: str, predicate: dict[str, Any]) -> dict[str, Any]:
    subject = {"name": "tree", "digest": {"gitTree": run.tree}}
    return {"_type": STATEMENT, "subject": [subject], "predicateType": kind, "predicate": predicate}


def _test_result(run: Run, files: Mapping[str, str]) -> dict[str, Any]:
    """FAILED when a case is red, WARNED when one did not run, else PASSED."""
    cases = [case for case in run.cases if not case.covers]
    failed = [c.id for c in cases if c.outcome.is_red]
    warned = [c.id for c in cases if c.outcome.is_skip and c.kind is not RecordKind.RUN]
    command = json.dumps(list(run.command), ensure_ascii=True).encode("ascii")
    configuration: list[dict[str, Any]] = [{"name": n, "digest": {"gitBlob": oid}} for n, oid in sorted(files.items())]
    configuration += [{"name": report.name, "digest": {"sha256": report.sha256}} for report in run.reports]
    configuration.append({"name": "command", "content": base64.b64encode(command).decode("ascii")})
    return {
        "result": "FAILED" if failed else "WARNED" if warned else "PASSED",
        "configuration": configuration,
        "passedTests": [c.id for c in cases if c.outcome.is_green and c.kind is not RecordKind.RUN],
        "warnedTests": warned,
        "failedTests": failed,
    }
