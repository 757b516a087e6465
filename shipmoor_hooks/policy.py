"""TOML bytes -> a frozen Policy, strict: all faults at once, with file, line and the nearest key (design, section 5).

The gate reads the policy of a commit, `run` and `capture` that of the working tree. `shipmoor-hooks.toml` wins over
`[tool.shipmoor-hooks]` in pyproject.toml; defaults are those of section 10.26.
"""

from __future__ import annotations

import functools
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping

from shipmoor_hooks import policy_values as values
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.errors import EnvironmentFault, GitFault, PolicyFault, RepositoryFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Policy, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.policy_require import require
from shipmoor_hooks.policy_values import Faults, expected, hint
from shipmoor_hooks.toml_lines import Path, key_lines

OWN_FILE = "shipmoor-hooks.toml"
SHARED_FILE = "pyproject.toml"
MOST_BYTES = 1 << 20

FORMATS = ("junit", "plugin-eval", "tap", "trx", "go-test")
EVAL_SAME = ("model", "judge", "tool", "plugins", "ablation", "threshold", "grants")

# Each key of a table: the field of the model that it fills, and how its value is read.
GATE_KEYS: Mapping[str, tuple[str, values.Reader[object]]] = {
    "target": ("target", values.revision),
    "evidence": ("evidence", values.evidence),
    "untracked": ("untracked", values.choice("warn", "refuse")),
    "mode": ("mode", values.choice("refuse", "warn")),
    "window": ("window_hours", values.positive("a number of hours")),
}
DISCLOSURE_KEYS: Mapping[str, tuple[str, values.Reader[object]]] = {"reason": ("reason", values.expression)}
SUITE_KEYS: Mapping[str, tuple[str, values.Reader[object]]] = {
    "command": ("command", values.command),
    "reports": ("reports", values.globs),
    "format": ("format", values.choice(*FORMATS)),
    "exclude": ("exclude", values.excludes),
    "variants": ("variants", values.strings),
    "shards": ("shards", values.shards),
    "normalise": ("normalise", values.normalise),
    "reruns": ("reruns", values.choice("latest", "all")),
    "proofs": ("proofs", values.flag),
    "setup": ("setup", values.commands),
    "same": ("same", values.strings),
    "require": ("case_rules", require),
    "not_covered": ("not_covered", values.sentences),
    "case_command": ("case_command", values.command),
    "agent": ("agent", values.command),
    "max_cost": ("max_cost", values.positive("an amount")),
    "traces": ("traces", values.choice("keep", "drop")),
    "overlay": ("overlay", values.choice("note", "refuse")),
}
_SUITE_NAME = re.compile(r"[A-Za-z0-9_-]+")
_OBJECT_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LINE = re.compile(r" ?\(at line (\d+), column \d+\)$")


def parse(data: bytes, source: str) -> Policy:
    """The policy that a file holds. `source` is its name and decides where the tables stand.

    Raises PolicyFault with one line for every fault: `FILE:LINE: dotted.key: what was expected`.
    """
    found = _parse(data, source)
    if found is None:
        raise PolicyFault(f"{source}:1: tool.shipmoor-hooks: expected this table, found none", "shipmoor-hooks init")
    return found


def load_worktree(place: Place) -> Policy | None:
    """The policy of the working tree, None when neither file holds one. Raises PolicyFault and EnvironmentFault."""
    top = place.require_top()
    return _first(lambda name: _read_file(os.path.join(top, name), name))


def load_revision(git: Git, revision: str) -> Policy | None:
    """The policy as a commit or tree holds it, never the working tree's; None when neither file holds one.

    Raises PolicyFault, RepositoryFault when there is no such revision, GitFault when an object is missing.
    """
    if _OBJECT_NAME.fullmatch(revision):
        return git.once(("policy", revision), lambda: _first(_read_blobs(git, revision).get))
    return _first(_read_blobs(git, revision).get)


def _first(read: Callable[[str], bytes | None]) -> Policy | None:
    own = read(OWN_FILE)
    if own is not None:
        return _parse(own, OWN_FILE)
    shared = read(SHARED_FILE)
    # A pyproject.toml that never speaks of us is not ours to complain about, whatever else is wrong with it.
    return None if shared is None or b"shipmoor-hooks" not in shared else _parse(shared, SHARED_FILE)


# ---------------------------------------------------------------- bytes -> Policy


@functools.lru_cache(maxsize=16)  # base and tip nearly always hold the same file
def _parse(data: bytes, source: str) -> Policy | None:
    document, text = _document(data, source)
    prefix: Path = ()
    if source == SHARED_FILE:
        prefix = ("tool", "shipmoor-hooks")
        tool = document.get("tool")
        if not isinstance(tool, dict) or "shipmoor-hooks" not in tool:
            return None
        document = tool["shipmoor-hooks"]
    faults = Faults()
    policy = _policy(document, faults)
    if faults.found:
        lines = key_lines(text)
        told = sorted(
            (_line_of((*prefix, *path), lines), number, path, message)
            for number, (path, message) in enumerate(faults.found)
        )
        raise PolicyFault(
            "\n".join(f"{source}:{line}: {dotted(path)}: {message}" for line, _, path, message in told),
            f"correct {source}" if len(told) == 1 else f"correct the {len(told)} places in {source}",
        )
    return replace(policy, source=source)


def _document(data: bytes, source: str) -> tuple[dict[str, object], str]:
    """The parsed document and its text. Raises PolicyFault with the line of a syntax error."""
    if len(data) > MOST_BYTES:
        raise PolicyFault(f"{source}:1: the file is larger than {MOST_BYTES} bytes, which no policy needs")
    if data.startswith(b"\xef\xbb\xbf"):
        raise PolicyFault(
            f"{source}:1: the file starts with a byte order mark, which TOML does not allow", "save it without one"
        )
    try:
        text = data.decode().replace("\r\n", "\n")
        return tomllib.loads(text), text
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise PolicyFault(f"{source}:{line}: not UTF-8 text: {fault.reason}", f"save {source} as UTF-8") from fault
    except RecursionError as fault:
        raise PolicyFault(f"{source}:1: lists or tables are nested too deeply", f"correct {source}") from fault
    except ValueError as fault:  # TOMLDecodeError is one; a number with thousands of digits raises the plain one
        said = str(fault)
        at = _LINE.search(said)
        line = int(at[1]) if at else text.rstrip("\n").count("\n") + 1
        raise PolicyFault(f"{source}:{line}: not valid TOML: {_LINE.sub('', said)}", f"correct {source}") from fault


def _line_of(path: Path, lines: Mapping[Path, int]) -> int:
    """The line of a key, or of the nearest thing around it that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def dotted(path: Path) -> str:
    """A path as TOML writes it: `suite.unit.reports[0]`; keys that are not bare are quoted and escaped."""
    words = ""
    for part in path:
        if isinstance(part, int):
            words += f"[{part}]"
        else:
            words += ("." if words else "") + (part if _SUITE_NAME.fullmatch(part) else repr(part))
    return words or "the document"


def _policy(document: object, faults: Faults) -> Policy:
    tables = _table(document, (), faults)
    _unknown(tables, (), ("gate", "suite"), faults)
    gate = _table(tables.get("gate", {}), ("gate",), faults)
    _unknown(gate, ("gate",), (*GATE_KEYS, "disclosure"), faults)
    disclosure = _table(gate.get("disclosure", {}), ("gate", "disclosure"), faults)
    _unknown(disclosure, ("gate", "disclosure"), tuple(DISCLOSURE_KEYS), faults)
    suites = {}
    for name, table in _table(tables.get("suite", {}), ("suite",), faults).items():
        if not _SUITE_NAME.fullmatch(name):
            faults.add(("suite", name), "expected a name of letters, digits, _ and - for a suite")
        suites[name] = _suite(name, table, faults)
    fields = _fields(gate, ("gate",), GATE_KEYS, faults)
    fields |= _fields(disclosure, ("gate", "disclosure"), DISCLOSURE_KEYS, faults)
    return replace(Policy(suites=suites), **fields)  # type: ignore[arg-type]


def _suite(name: str, value: object, faults: Faults) -> Suite:
    path = ("suite", name)
    if not isinstance(value, dict) and name in SUITE_KEYS:
        faults.add(path, f"expected a table; {name} belongs in a table [suite.NAME]")
        return Suite(name)
    table = _table(value, path, faults)
    _unknown(table, path, tuple(SUITE_KEYS), faults)
    defaults = Suite(name)
    if table.get("format") == "plugin-eval":
        defaults = Suite(name, reruns="all", same=EVAL_SAME)
    read = replace(defaults, **_fields(table, path, SUITE_KEYS, faults))  # type: ignore[arg-type]
    rules = read.case_rules
    return replace(read, require=rules.conditions, case_rules=replace(rules, conditions=()))


def _table(value: object, path: Path, faults: Faults) -> dict[str, object]:
    if isinstance(value, dict):
        return value
    faults.add(path, expected("a table", value))
    return {}


def _unknown(table: Mapping[str, object], path: Path, valid: tuple[str, ...], faults: Faults) -> None:
    for key in table:
        if key not in valid:
            homes = {"[gate]": GATE_KEYS, "[gate.disclosure]": DISCLOSURE_KEYS, "[suite.NAME]": SUITE_KEYS}
            home = next((name for name, keys in homes.items() if key in keys), "")
            faults.add(
                (*path, key), f"unknown key; it belongs in {home}" if home else f"unknown key; {hint(key, valid)}"
            )


def _fields(
    table: Mapping[str, object], path: Path, keys: Mapping[str, tuple[str, values.Reader[object]]], faults: Faults
) -> dict[str, object]:
    found = {field: read(table[key], (*path, key), faults) for key, (field, read) in keys.items() if key in table}
    return {field: value for field, value in found.items() if value is not None}


# ---------------------------------------------------------------- where the bytes come from


def _read_file(path: str, name: str) -> bytes | None:
    """The bytes of a file of the worktree, None when there is none. Links are followed; a pipe is never waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if os.path.islink(path):
            raise PolicyFault(f"{name} is a symbolic link that leads nowhere", f"rm {name}") from None
        return None
    except OSError as fault:
        raise EnvironmentFault(f"{name} cannot be read: {fault.strerror}", f"ls -l {name}") from fault
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PolicyFault(f"{name} is not a plain file", f"ls -l {name}")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(MOST_BYTES + 1)
    finally:
        os.close(handle)


def _read_blobs(git: Git, revision: str) -> dict[str, bytes]:
    """The policy files at the root of a revision's tree, by one git process; a link inside the tree is followed.

    The root's own listing comes along: `missing` alone does not say whether the path or only its object is absent.
    """
    name = (
        revision
        if _OBJECT_NAME.fullmatch(revision)
        else git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    )
    if name is None:
        raise RepositoryFault(f"there is no revision {revision!r} in this repository", "git fetch")
    wanted = (f"{name}^{{tree}}", f"{name}:{OWN_FILE}", f"{name}:{SHARED_FILE}")
    answers = git.output("cat-file", "--batch", "--follow-symlinks", stdin="".join(f"{w}\n" for w in wanted).encode())
    (kind, root), own, shared = _answers(answers)
    if kind != "tree":
        raise RepositoryFault(f"the tree of {revision} is not in this repository", "git fetch")
    listed = set(re.findall(rb"\d+ ([^\0]+)\0.{%d}" % (len(name) // 2), root, re.DOTALL))
    blobs: dict[str, bytes] = {}
    for file, (kind, content) in ((OWN_FILE, own), (SHARED_FILE, shared)):
        if kind == "blob":
            blobs[file] = content
        elif file.encode() in listed:
            if kind == "missing":
                raise GitFault(f"the object of {file} at {revision} is not in this repository", "git fetch --refetch")
            if kind == "tree" or file == OWN_FILE:
                raise PolicyFault(f"{file} at {revision} is not a plain file of that tree")
    return blobs


def _answers(output: bytes) -> list[tuple[str, bytes]]:
    """What `git cat-file --batch --follow-symlinks` said to each question: its kind and its content."""
    found: list[tuple[str, bytes]] = []
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        words = output[at:end].split(b" ")
        at = end + 1
        if words[-1] in (b"missing", b"ambiguous"):
            found.append(("missing", b""))
            continue
        size = int(words[-1])
        # An object answers `NAME KIND SIZE`, a link out of the tree, to nowhere, in a ring `WORD SIZE`; then the bytes.
        found.append((words[1 if len(words) == 3 else 0].decode(), output[at : at + size]))
        at += size + 1
    return found
