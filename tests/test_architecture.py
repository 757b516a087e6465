"""The shape of the package, read from its syntax trees: layers that import one way, each library in one place.

Entries call flows, flows call pure and edge modules, and those two never call each other. A module that is not in the
table below fails: give it its layer when you add it.
"""

from __future__ import annotations

import ast
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shipmoor_hooks

PACKAGE = Path(shipmoor_hooks.__file__).parent
OWN = "shipmoor_hooks"


def listed(name: str) -> dict[str, set[str]]:
    """A file of lines `LEFT RIGHT`, one module a line, so that two branches that add one each do not collide."""
    found: dict[str, set[str]] = {}
    for line in (Path(__file__).parent / name).read_text().splitlines():
        left, right = line.split()
        found.setdefault(left, set()).add(right)
    return found


# Each module's layer; `readers.*` stands for all of a folder.
LAYERS = listed("layers.txt")
MAY_IMPORT = {
    "foundation": {"foundation"},
    "pure": {"foundation", "pure"},
    "edge": {"foundation", "edge"},
    "flows": {"foundation", "pure", "edge", "flows"},
    "entries": {"foundation", "pure", "edge", "flows", "entries"},
}

# It compiles the initialiser of a class, in the names of the class's module.
MAKES_CLASSES = {("data_classes", "exec"), ("data_classes", "sys")}

# A library, or a part of the standard library that reaches outside, and the modules that may import it (`-`: none).
ONLY_IN = listed("libraries.txt")
# What a pure module may take from the standard library: nothing of it reads, writes, waits or knows the time.
PURE_LIBRARIES = {
    *(
        "__future__",
        "base64",
        "collections",
        "configparser",
        "dataclasses",
        "datetime",
        "difflib",
        "enum",
        "bisect",
        "fnmatch",
        "functools",
        "glob",
        "hashlib",
    ),
    *(
        "html",
        "itertools",
        "json",
        "math",
        "_collections_abc",
        "_operator",
        "_sha2",
        "_sha256",
        "operator",
        "posixpath",
        "re",
        "shlex",
        "string",
        "textwrap",
        "tomllib",
        "typing",
        "unicodedata",
    ),
}
PURE_GLOB = {"glob.escape"}
PURE_PATHS = {"basename", "dirname", "join", "normpath", "split", "splitext", "isabs", "commonpath"}
PRINTING = {
    "hook",
    "wiring.chain",
}  # both before anything else of ours is loaded; the rest says what it has to say by `output`
# The last statements of what our shims and people start: they leave the taking apart of modules out.
ENDING = {("hook", "os._exit"), ("cli.main", "os._exit")}
LONGEST = 300
LONGER = {
    "model": 500,  # one value travels: the model is read in one piece
    "capture": 350,
    "evaluate": 345,
    "quick.quick_gate": 320,  # each module more is a part of what a push may cost
}


def source(name: str) -> str:
    return (PACKAGE / (name.replace(".", "/") + ".py")).read_text()


def modules() -> list[str]:
    """`git`, `cli.main`, `cli.__init__`: every module's name below the package."""
    return sorted(
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for path in PACKAGE.rglob("*.py")
        if "__pycache__" not in path.parts
    )


def fits(name: str, names: set[str]) -> bool:
    return name in names or (name.partition(".")[0] + ".*" in names and name not in LAYERS["foundation"])


def layer_of(name: str) -> str:
    """The layer of a module; "" for one that is not in the table."""
    return next((layer for layer, names in LAYERS.items() if fits(name, names)), "")


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported anywhere in `tree`, ours as `.git` or `.cli.main`, others by their whole name."""
    known = set(modules())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield "." + alias.name.removeprefix(OWN).lstrip(".") if alias.name.startswith(OWN) else alias.name
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            name = node.module or ""
            if name.split(".")[0] != OWN:
                yield name
                continue
            inside = name.removeprefix(OWN).lstrip(".")
            for alias in node.names:
                whole = f"{inside}.{alias.name}".lstrip(".")
                if whole in known:
                    yield f".{whole}"
                elif inside in known:
                    yield f".{inside}"
                else:
                    yield f".{inside}.__init__" if inside else ".__init__"


def wrong_imports(name: str, text: str) -> list[str]:
    """Imports that cross a layer the wrong way, and libraries outside their place."""
    layer = layer_of(name)
    found = []
    for imported in imports(ast.parse(text)):
        if imported.startswith("."):
            other = imported[1:]
            if layer_of(other) not in MAY_IMPORT[layer]:
                found.append(f"{layer} module {name} imports {layer_of(other) or 'unknown'} module {other}")
            continue
        top = imported.split(".")[0]
        if top in ONLY_IN and not fits(name, ONLY_IN[top]):
            found.append(f"{name} imports {top}, which belongs to {sorted(ONLY_IN[top]) or 'nobody'}")
        elif top not in ONLY_IN and top not in sys.stdlib_module_names:
            found.append(f"{name} imports {top}, which no line of ONLY_IN allows")
        elif (
            layer in ("pure", "foundation") and top not in PURE_LIBRARIES | {"os"} and (name, top) not in MAKES_CLASSES
        ):
            found.append(f"{layer} module {name} imports {top}")
    return found


def dotted(node: ast.AST) -> str:
    """`sys.exit` for the expression that says so, "" for any other."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, ast.Name) else ""


def wrong_calls(name: str, text: str) -> list[str]:
    """What only one place may do: end the process, catch everything, print; and input or output in a pure module."""
    tree = ast.parse(text)
    pure = layer_of(name) in ("pure", "foundation")
    found = []
    for node in ast.walk(tree):
        said = dotted(node)
        if said in ("sys.exit", "os._exit", "exit", "quit") and (name, said) not in ENDING:
            found.append(f"{name}:{node.lineno} calls {said}")  # type: ignore[attr-defined]
        if isinstance(node, ast.ExceptHandler) and catches_all(node) and name != "error_handler":
            found.append(f"{name}:{node.lineno} catches everything")
        if isinstance(node, ast.Call) and said_by(node) == "print" and name not in PRINTING:
            found.append(f"{name}:{node.lineno} prints")
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            found.append(f"{name}:{node.lineno} has a class that pytest would collect: {node.name}")
        banned = {"open", "input", "eval", "exec", "__import__"} - {w for n, w in MAKES_CLASSES if n == name}
        if pure and isinstance(node, ast.Call) and said_by(node) in banned:
            found.append(f"{name}:{node.lineno} calls {said_by(node)} in a pure module")
        if pure and said.startswith("os.") and said != "os.path" and said.removeprefix("os.path.") not in PURE_PATHS:
            found.append(f"{name} uses {said} in a pure module")
        if pure and said.startswith("glob.") and said not in PURE_GLOB:
            found.append(f"{name} uses {said} in a pure module")
        if pure and isinstance(node, ast.Call) and dotted(node.func).endswith((".now", ".today", ".utcnow")):
            found.append(f"{name} asks for the time in a pure module")
    return found


def said_by(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def catches_all(handler: ast.ExceptHandler) -> bool:
    """`except:`, `except Exception`, `except BaseException`, unless it only tidies up and raises the same again."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    last = handler.body[-1]
    raises_again = isinstance(last, ast.Raise) and last.exc is None
    return any(k is None or dotted(k) in ("Exception", "BaseException") for k in kinds) and not raises_again


# ---------------------------------------------------------------- the package


@pytest.mark.parametrize("name", modules())
def test_imports_go_one_way_and_each_library_has_one_place(name: str) -> None:
    assert layer_of(name), f"{name} is in no layer: name it in tests/test_architecture.py"
    assert wrong_imports(name, source(name)) == []


@pytest.mark.parametrize("name", modules())
def test_nothing_ends_the_process_or_swallows_an_error(name: str) -> None:
    assert wrong_calls(name, source(name)) == []


@pytest.mark.parametrize("name", modules())
def test_modules_are_small(name: str) -> None:
    assert len(source(name).splitlines()) <= LONGER.get(name, LONGEST)


@pytest.mark.parametrize("name", modules())
def test_a_module_says_what_it_is_for(name: str) -> None:
    assert ast.get_docstring(ast.parse(source(name)))


def test_no_import_at_the_top_of_a_module_goes_in_a_circle() -> None:
    graph = {}
    for name in modules():
        top = ast.Module([n for n in ast.parse(source(name)).body if isinstance(n, ast.Import | ast.ImportFrom)], [])
        graph[name] = {i[1:] for i in imports(top) if i.startswith(".")}
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_the_table_names_no_module_that_is_gone() -> None:
    named = (
        {n for names in LAYERS.values() for n in names} | {n for names in ONLY_IN.values() for n in names} | set(LONGER)
    )
    assert {n for n in named if not n.endswith(".*")} - set(modules()) <= {"-"}


# ---------------------------------------------------------------- the check itself falls where a rule is broken


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("rules.reduction", "from shipmoor_hooks.git import Git", id="pure imports edge"),
        pytest.param("rules.reduction", "from shipmoor_hooks import git", id="pure imports edge by the package"),
        pytest.param("store.spool", "from shipmoor_hooks.rules.reduction import compare", id="edge imports pure"),
        pytest.param("git", "from shipmoor_hooks import gate", id="edge imports a flow"),
        pytest.param("gate", "import shipmoor_hooks.cli.main", id="a flow imports an entry"),
        pytest.param("model", "from shipmoor_hooks.render import as_text", id="the foundation imports"),
        pytest.param("trees.tree", "import pygit2", id="a library outside its place"),
        pytest.param("hook", "def f():\n    import typer", id="a library inside a function"),
        pytest.param("state", "import keyring.errors", id="a library that nobody may import yet"),
        pytest.param("trees.tree", "import requests", id="a library that is not named"),
        pytest.param("capture", "import subprocess", id="a process from anywhere"),
        pytest.param("rates", "import time", id="the clock in a pure module"),
        pytest.param("rates", "import random", id="chance in a pure module"),
    ],
)
def test_a_wrong_import_is_seen(name: str, text: str) -> None:
    assert len(wrong_imports(name, text)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("gate", "import sys\nsys.exit(1)", id="ends the process"),
        pytest.param("gate", "try:\n    f()\nexcept Exception:\n    pass", id="catches Exception"),
        pytest.param("gate", "try:\n    f()\nexcept (OSError, BaseException):\n    g()", id="catches BaseException"),
        pytest.param("gate", "try:\n    f()\nexcept:\n    g()", id="catches without a name"),
        pytest.param("gate", "print('x')", id="prints"),
        pytest.param("gate", "class TestRun: ...", id="a class that pytest would collect"),
        pytest.param("rates", "open('x')", id="opens a file in a pure module"),
        pytest.param("rates", "import os\nx = os.environ", id="reads the environment in a pure module"),
        pytest.param("rates", "import os\nx = os.path.exists", id="asks the disk in a pure module"),
        pytest.param("rates", "import glob\nx = glob.glob", id="looks for files in a pure module"),
        pytest.param("rates", "from datetime import datetime\nx = datetime.now()", id="asks for the time"),
    ],
)
def test_a_wrong_call_is_seen(name: str, text: str) -> None:
    assert len(wrong_calls(name, text)) >= 1


def test_what_tidies_up_and_raises_again_catches_nothing() -> None:
    assert wrong_calls("gate", "try:\n    f()\nexcept BaseException:\n    g()\n    raise") == []
