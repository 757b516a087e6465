"""Where a runner's configuration at the tip selects less than the base's: only what is certain. Pure.

TOML, INI and JSON are read. A configuration that is a program (jest.config.js, conftest.py) says nothing here: its change
is a note, and what it loses shows in the cases.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from shipmoor_hooks import runners
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.rules.surface_parts import Unreadable, document
from shipmoor_hooks.runners.launch import locate

# What a folder holds of a runner's configuration: file name -> content.
Folder = Mapping[str, bytes]
Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A file of the surface that selects less at the tip, and how, in words."""

    path: str
    says: str


# In pytest's own order; the first that speaks of pytest counts.
PYTEST_FILES = (
    "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg",
)  # fmt: skip
_PYTEST_DEFAULTS = {
    "python_files": ["test_*.py", "*_test.py"],
    "python_classes": ["Test"],
    "python_functions": ["test"],
    "norecursedirs": ["*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"],
}
_PROGRAMS = ("js", "ts", "mjs", "cjs", "mts", "cts")
_JEST_FILES = ("package.json", "jest.config.json", *(f"jest.config.{e}" for e in _PROGRAMS))
_MOCHA_FILES = (".mocharc.js", ".mocharc.cjs", ".mocharc.mjs", ".mocharc.yaml", ".mocharc.yml", ".mocharc.jsonc",
                ".mocharc.json", "package.json")  # fmt: skip


def files_of(command: Sequence[str]) -> list[str]:
    """The paths that may configure what a command selects, of which those that change are worth reading."""
    call = locate(command)
    if call is None:
        return ["package.json"] if script_of(command) else []
    if call.moved:
        return []
    if call.runner == "pytest":
        return [posixpath.join(folder, name) for folder in _folders(command) for name in PYTEST_FILES]
    return {
        "jest": [*_JEST_FILES],
        "mocha": [*_MOCHA_FILES],
        "rspec": [".rspec"],
        "nextest": [".config/nextest.toml"],
    }.get(call.runner, [])


def narrowed(command: Sequence[str], base: Folder, tip: Folder) -> list[Narrowed]:
    """How the files at the tip select less for this command than those at the base. The paths are those of `files_of`."""
    call = locate(command)
    name = call.runner if call is not None and not call.moved else ""
    rule = _RULES.get(name, _script if call is None else _nothing)
    try:
        found = [row for row in rule(command, base, tip) if row.says]
    except (Unreadable, ValueError):
        return []
    return found


def _nothing(*_: object) -> Iterable[Narrowed]:
    return ()


# ---------------------------------------------------------------- pytest


def _folders(command: Sequence[str]) -> list[str]:
    """Where pytest looks for its configuration: from the folder that its arguments share up to the root."""
    operands = [posixpath.normpath(word.partition("::")[0]) for word in _operands(command)]
    inside = [path for path in operands if not path.startswith(("/", ".."))]
    shared = posixpath.commonpath(inside) if inside and len(inside) == len(operands) else ""
    found = ["" if shared == "." else shared]
    while found[-1]:
        found.append(posixpath.dirname(found[-1]))
    return found


def _operands(command: Sequence[str]) -> list[str]:
    return [word.value or "" for word in runners.RUNNERS["pytest"].words(command, {}) if word.is_operand]


def _pytest(command: Sequence[str], base: Folder, tip: Folder) -> Iterable[Narrowed]:
    before, after = _pytest_options(command, base), _pytest_options(command, tip)
    was, now = before[1], after[1]
    said = [f"addopts now has {', '.join(added)}"] if (added := _added_options(was, now)) else []
    if not _operands(command):
        said += _fewer("testpaths", _list(was, "testpaths"), _list(now, "testpaths"), _inside)
    for key in ("python_files", "python_classes", "python_functions"):
        usual = _PYTEST_DEFAULTS[key]
        said += _dropped(key, _list(was, key) or usual, _list(now, key) or usual, _takes)
    key = "norecursedirs"
    said += _more(key, _list(was, key) or _PYTEST_DEFAULTS[key], _list(now, key) or _PYTEST_DEFAULTS[key], _matches)
    yield Narrowed(after[0] or before[0], "; ".join(said))


def _pytest_options(command: Sequence[str], files: Folder) -> tuple[str, Options]:
    """The file that pytest reads, and its options."""
    for folder in _folders(command):
        for name in PYTEST_FILES:
            path = posixpath.join(folder, name)
            if path in files:
                options = _pytest_table(name, document(path, files[path]))
                if options is not None:
                    return path, options
    return "", {}


def _pytest_table(name: str, found: Mapping[str, Any]) -> Options | None:
    if name in ("pytest.ini", ".pytest.ini"):
        return _table(found.get("pytest")) or {}
    if name.endswith("pytest.toml"):
        return _table(found.get("pytest")) or {}
    if name == "pyproject.toml":
        table = _table((_table(found.get("tool")) or {}).get("pytest"))
        return table if table is None else _table(table.get("ini_options")) or table
    return _table(found.get("tool:pytest" if name == "setup.cfg" else "pytest"))


def _added_options(was: Options, now: Options) -> tuple[str, ...]:
    words = [("pytest", *_list(options, "addopts")) for options in (was, now)]
    return runners.RUNNERS["pytest"].added(*words)


# ---------------------------------------------------------------- JavaScript, Ruby, Rust


def _jest(_command: Sequence[str], base: Folder, tip: Folder) -> Iterable[Narrowed]:
    sides = [_jest_options(files) for files in (base, tip)]
    (path, was), (after, now) = sides
    said = []
    for key in ("testMatch", "testRegex", "projects"):
        said += _dropped(key, _list(was, key), _list(now, key), _equal) if key in now else []
    said += _fewer("roots", _list(was, "roots"), _list(now, "roots"), _inside)
    for key in ("testPathIgnorePatterns", "modulePathIgnorePatterns"):
        said += _more(key, _list(was, key) or ["/node_modules/"], _list(now, key), _equal)
    yield Narrowed(after or path, "; ".join(said))


def _jest_options(files: Folder) -> tuple[str, Options]:
    if any(f"jest.config.{e}" in files for e in _PROGRAMS):
        raise Unreadable("a program configures it")
    if "jest.config.json" in files:
        return "jest.config.json", document("jest.config.json", files["jest.config.json"])
    return _package("jest", files)


def _mocha(_command: Sequence[str], base: Folder, tip: Folder) -> Iterable[Narrowed]:
    (path, was), (after, now) = (_mocha_options(files) for files in (base, tip))
    said = []
    for key in ("spec", "extension"):
        said += _dropped(key, _list(was, key), _list(now, key), _equal) if key in now else []
    for key in ("ignore", "exclude"):
        said += _more(key, _list(was, key), _list(now, key), _equal)
    said += [f"{key} is {now[key]}" for key in ("grep", "fgrep", "invert") if now.get(key) and now[key] != was.get(key)]
    yield Narrowed(after or path, "; ".join(said))


def _mocha_options(files: Folder) -> tuple[str, Options]:
    for name in _MOCHA_FILES[:-1]:
        if name in files:
            return name, document(name, files[name])  # a program, YAML and JSON with comments are Unreadable
    return _package("mocha", files)


def _package(key: str, files: Folder) -> tuple[str, Options]:
    if "package.json" not in files:
        return "", {}
    return "package.json", _table(document("package.json", files["package.json"]).get(key)) or {}


def _rspec(_command: Sequence[str], base: Folder, tip: Folder) -> Iterable[Narrowed]:
    sides = [("rspec", *shlex.split(files.get(".rspec", b"").decode("utf-8", "replace"))) for files in (base, tip)]
    yield Narrowed(".rspec", ", ".join(runners.RUNNERS["rspec"].added(*sides)))


def _nextest(_command: Sequence[str], base: Folder, tip: Folder) -> Iterable[Narrowed]:
    path = ".config/nextest.toml"
    was, now = (_default_filter(document(path, files.get(path, b""))) for files in (base, tip))
    yield Narrowed(path, f"default-filter is `{now}`" if now and not was else "")


def _default_filter(found: Mapping[str, Any]) -> object:
    profile = _table((_table(found.get("profile")) or {}).get("default")) or {}
    return profile.get("default-filter")


# ---------------------------------------------------------------- a script of package.json


def script_of(command: Sequence[str]) -> str:
    """The script of package.json that a command starts; "" when it starts none."""
    words = [word for word in command if not word.startswith("-")]
    if not words or words[0] not in ("npm", "pnpm", "yarn", "bun"):
        return ""
    rest = words[2:] if words[1:2] in (["run"], ["run-script"]) else words[1:]
    return "test" if rest[:1] == ["t"] else "".join(rest[:1])


def _script(command: Sequence[str], base: Folder, tip: Folder) -> Iterable[Narrowed]:
    name = script_of(command)
    scripts = [_package("scripts", files)[1].get(name) for files in (base, tip)]
    if name and all(isinstance(script, str) for script in scripts):
        said = runners.added_selection(*(shlex.split(str(script)) for script in scripts)) or ""
        yield Narrowed("package.json", f"its script {name} now selects: {said}" if said else "")


_RULES: Mapping[str, Callable[[Sequence[str], Folder, Folder], Iterable[Narrowed]]] = {
    "pytest": _pytest,
    "jest": _jest,
    "mocha": _mocha,
    "rspec": _rspec,
    "nextest": _nextest,
}

# ---------------------------------------------------------------- lists


def _table(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _list(options: Options, key: str) -> list[str]:
    """A list, or a string that is split as the runner splits it. Raises Unreadable for anything else."""
    value = options.get(key, [])
    if isinstance(value, str):
        return shlex.split(value)
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise Unreadable(f"{key} is no list of words")
    return [entry for entry in value if isinstance(entry, str)]


def _dropped(key: str, was: Sequence[str], now: Sequence[str], takes: Callable[[str, str], bool]) -> list[str]:
    gone = [entry for entry in was if not any(takes(other, entry) for other in now)]
    return [f"{key} no longer has {', '.join(gone)}"] if gone else []


def _more(key: str, was: Sequence[str], now: Sequence[str], takes: Callable[[str, str], bool]) -> list[str]:
    new = [entry for entry in now if not any(takes(other, entry) for other in was)]
    return [f"{key} now has {', '.join(new)}"] if new else []


def _fewer(key: str, was: Sequence[str], now: Sequence[str], takes: Callable[[str, str], bool]) -> list[str]:
    """Of a list that stands for everything when it is empty."""
    if not was:
        narrowing = [
            entry for entry in now if posixpath.normpath(entry.removeprefix("<rootDir>/")) not in (".", "<rootDir>")
        ]
        return [f"{key} now has {', '.join(now)}"] if now and len(narrowing) == len(now) else []
    return _dropped(key, was, now, takes) if now else []


def _equal(one: str, other: str) -> bool:
    return one == other


def _inside(folder: str, path: str) -> bool:
    whole, part = posixpath.normpath(folder), posixpath.normpath(path)
    return whole in (".", part, "<rootDir>") or part.startswith(f"{whole}/")


def _matches(one: str, other: str) -> bool:
    return one == other or fnmatchcase(other, one)


def _takes(one: str, other: str) -> bool:
    """Whether a pattern takes all that another takes; a name without a wildcard is the beginning of what it takes.

    Of a set of characters (`[tT]est*`) that cannot be said for sure, so it is taken to be covered.
    """
    plain = not any(c in one for c in "*?[")
    return _matches(one, other) or "[" in other or (plain and other.startswith(one))
