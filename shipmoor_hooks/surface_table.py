"""The test surface: a table of the files that decide what a suite runs and how it is judged, a row a runner. Pure.

A name without a slash stands for files of that name at any depth, one with a slash for paths from the root; `*` is the
only wildcard. The gate reads this table on every push, so it stands apart from the table of runners.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.enums import Enum


class Ignored(Enum):
    """What it means that git ignores such a file."""

    UNUSABLE = "unusable"  # no commit holds what the run was decided by
    USUAL = "usual"  # the convention asks for it (a person's own settings, generated files), so it is only told
    NOTHING = "nothing"  # it is of interest only as a part of the repository


@dataclass(frozen=True, slots=True)
class Files:
    """Files of the surface. `speaks`: one that is shared with other tools belongs to it only if it holds this word.

    `many` says that there may be thousands (snapshots): they are digested and told as one.
    """

    names: tuple[str, ...]
    ignored: Ignored = Ignored.UNUSABLE
    speaks: str = ""
    many: bool = False

    def holds(self, path: str) -> bool:
        return any(_fits(name, path) for name in self.names)


def _fits(name: str, path: str) -> bool:
    """Whether a path has this name; without a regular expression, since a session of one test asks of few paths."""
    told = path if "/" in name else path.rpartition("/")[2]
    start, star, rest = name.partition("*")
    if not star:
        return told == name
    *between, end = rest.split("*")
    if len(told) < len(start) + len(end) or not told.startswith(start) or not told.endswith(end):
        return False
    at, last = len(start), len(told) - len(end)
    for part in between:
        found = told.find(part, at, last)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _files(names: str, ignored: Ignored = Ignored.UNUSABLE, speaks: str = "", *, many: bool = False) -> Files:
    return Files(tuple(names.split()), ignored, speaks, many)


# Of the files on the interpreter's path, those that lie in the worktree. What is installed elsewhere is out of reach.
_PYTHON = (_files("sitecustomize.py usercustomize.py"),)
_PYTHON_SHARED = "pyproject.toml setup.cfg tox.ini"
_SNAPSHOTS = _files("*.snap *.snap.* *.ambr", Ignored.USUAL, many=True)
_PACKAGE = "package.json package.json5 package.yaml"
_MVN = (_files("junit-platform.properties testng.xml"),)
_GO = (_files("*.golden", Ignored.USUAL, many=True),)
_CARGO = (_files(".cargo/config.toml .cargo/config"), _SNAPSHOTS)

BY_RUNNER: Mapping[str, tuple[Files, ...]] = {
    "pytest": (
        *_PYTHON,
        _files("conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml"),
        _files(_PYTHON_SHARED, speaks="pytest"),
        _files(".coveragerc", Ignored.USUAL),
        _SNAPSHOTS,
    ),
    "unittest": _PYTHON,
    "xmlrunner": _PYTHON,
    "nose2": (*_PYTHON, _files("unittest.cfg nose2.cfg"), _files(_PYTHON_SHARED, speaks="nose2")),
    "behave": (*_PYTHON, _files("behave.ini .behaverc environment.py"), _files(_PYTHON_SHARED, speaks="behave")),
    "robot": (*_PYTHON, _files("robot.toml __init__.robot"), _files(_PYTHON_SHARED, speaks="robot")),
    "jest": (
        _files("jest.config.* jest.setup.* jest.preset.* setupTests.* setupFilesAfterEnv.* babel.config.* .babelrc*"),
        _files(_PACKAGE, speaks="jest"),
        _SNAPSHOTS,
    ),
    "vitest": (
        _files("vitest.config.* vite.config.* vitest.workspace.* vitest.projects.* vitest.setup.*"),
        _files(_PACKAGE, speaks="vitest"),
        _SNAPSHOTS,
    ),
    "mocha": (_files(".mocharc.* mocha.opts"), _files(_PACKAGE, speaks="mocha")),
    "jasmine": (_files("jasmine.json jasmine.js jasmine.mjs"), _files(_PACKAGE, speaks="jasmine")),
    "node": (_files(_PACKAGE, speaks="test"), _SNAPSHOTS),
    "playwright": (_files("playwright.config.*"), _files("*-snapshots/*", Ignored.USUAL, many=True)),
    "cypress": (_files("cypress.config.* cypress.json cypress/support/*"),),
    "tap": (_files(".taprc"), _SNAPSHOTS),
    "tape": (),
    "prove": (_files(".proverc"),),
    "bats": (_files("setup_suite.bash"),),
    "go": _GO,
    "gotestsum": _GO,
    "cargo": _CARGO,
    "nextest": (*_CARGO, _files(".config/nextest.toml")),
    "ctest": (_files("CTestCustom.cmake CTestConfig.cmake"), _files("CTestTestfile.cmake", Ignored.USUAL)),
    "googletest": (),
    "maven": _MVN,
    "gradle": _MVN,
    "dotnet": (_files("*.runsettings xunit.runner.json testconfig.json"),),
    "phpunit": (_files("phpunit.xml.dist phpunit.dist.xml"), _files("phpunit.xml", Ignored.USUAL)),
    "rspec": (_files(".rspec spec_helper.rb rails_helper.rb"), _files(".rspec-local", Ignored.USUAL)),
    "minitest": (_files("test_helper.rb Rakefile"),),
    "plugin-eval": (),
}

# What starts the suites, for every runner: changes are told. A run is not decided by their being ignored.
SHARED = (
    _files(
        ".github/workflows/* .github/actions/* .gitlab-ci.yml .gitlab/ci/* .circleci/* .buildkite/* azure-pipelines.yml "
        "Jenkinsfile .travis.yml bitbucket-pipelines.yml .woodpecker.yml .woodpecker/* .drone.yml .ci/*",
        Ignored.NOTHING,
    ),
    _files("shipmoor-hooks.toml allowed_signers", Ignored.NOTHING),
    _files("pyproject.toml", Ignored.NOTHING, "shipmoor-hooks"),
    _files(".pre-commit-config.yaml lefthook.yml lefthook.yaml .husky/* .gitattributes", Ignored.NOTHING),
    _files("Makefile GNUmakefile justfile Justfile Taskfile.yml noxfile.py", Ignored.NOTHING),
    _files("tox.ini", Ignored.NOTHING, "testenv"),
    _files("package.json", Ignored.NOTHING, "scripts"),
)


def of_runner(runner: str) -> tuple[Files, ...]:
    """The files that decide for a runner; for one that is not known ("") those of all."""
    return BY_RUNNER.get(runner, EVERY)


def _all() -> Iterable[Files]:
    for rows in BY_RUNNER.values():
        yield from rows


EVERY: tuple[Files, ...] = tuple(dict.fromkeys([*_all(), _files("karma.conf.*")]))


def first(rows: Iterable[Files], path: str) -> Files | None:
    """The row that a path belongs to."""
    return next((row for row in rows if row.holds(path)), None)


class Finder:
    """`first` for many paths: most are told by one look at the last part of their name."""

    __slots__ = ("_below", "_exact", "_rows", "_starred")

    def __init__(self, rows: Iterable[Files]) -> None:
        self._rows = tuple(rows)
        self._exact: set[str] = set()  # last parts of paths
        self._below: set[str] = set()  # first parts
        self._starred: set[str] = set()  # what stands in such a name before or behind its star
        for name in dict.fromkeys(name for row in self._rows for name in row.names):
            folder, slash, _ = name.partition("/")
            if slash and "*" not in folder:
                self._below.add(folder)
            elif "*" in name:
                self._starred.add(max(name.split("*"), key=len))
            else:
                self._exact.add(name)

    def row(self, path: str) -> Files | None:
        last = path.rpartition("/")[2]
        if last in self._exact or path.partition("/")[0] in self._below or any(w in path for w in self._starred):
            return first(self._rows, path)
        return None


def pathspecs(rows: Iterable[Files]) -> list[str]:
    """The rows as git takes them."""
    names = dict.fromkeys(name for row in rows for name in row.names)
    return [f":(top,glob){_as_git_matches(name)}" for name in names]


def _as_git_matches(name: str) -> str:
    """A wildcard of git's stops at a slash, and `**` does not."""
    deep = "**/" if "/" not in name or name.startswith("*") else ""
    return deep + name + ("*" if name.endswith("/*") else "")
