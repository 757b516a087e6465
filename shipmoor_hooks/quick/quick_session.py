"""The short way of the pytest plugin: a session in a worktree with no or plain changes becomes a run of its tree.

As the quick paths of the hooks: it stores only what `pytest_session` and `capture` would store, to the byte but for what is
drawn by chance, and loads a tenth of what they do. Where anything is out of the ordinary when the session begins, `begin`
gives None, and the long way begins; where it is when the session ends, the long way takes over what was noted and ends it.
What it knows, and what it costs: docs/decisions/quick-session.md.
"""

from __future__ import annotations

import os

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.pytest_records import RED, Records
from shipmoor_hooks.quick import lean_git, plain_policy, plain_session
from shipmoor_hooks.quick.lean_spool import BEGUN, RUN, LeanSpool
from shipmoor_hooks.quick.lean_worktree import Asking, is_unchanged
from shipmoor_hooks.quick.plain_names import are_plain_ids, dotted_paths, hold_no_secret
from shipmoor_hooks.store.payload import PlainCases, PlainProblem, PlainRun, Word
from shipmoor_hooks.whole_files import read_bytes

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from shipmoor_hooks.pytest_session import PytestRun
    from shipmoor_hooks.pytest_told import Asked, Ended
    from shipmoor_hooks.quick.lean_git import Here
    from shipmoor_hooks.quick.lean_spool import Added
    from shipmoor_hooks.quick.lean_worktree import Noted
    from shipmoor_hooks.quick.plain_session import Told

POLICY_FILE = "shipmoor-hooks.toml"
_TESTS_RAN = (0, 1)  # pytest.ExitCode: all passed, some failed
# Where one of these is set git may find another repository, or none.
_MOVING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
_DATA_IS_ODD = (ValueError, LookupError, TypeError, AttributeError, StopIteration, ArithmeticError)


class QuickRun:
    """A session that is being recorded the short way."""

    def __init__(self, asked: Asked, here: Here, policy: bytes, suite: str, told: Told, noted: Noted) -> None:
        self.asked, self.here, self.policy, self.suite, self.told, self.noted = asked, here, policy, suite, told, noted
        # As `pytest_words.relative` has it.
        self.cwd = asked.folder[len(here.top) + 1 :] or "."
        self.spool = LeanSpool(here.common_dir, here.worktree, asked.environ)
        self.records = Records(lambda path: path)
        self.begun: Added | None = None
        self.run: PlainRun | None = None

    def start(self, started: float) -> bool:
        """Store the start of the run; False where the spool has to."""
        self.run = PlainRun(
            id=os.urandom(16).hex(), suite=self.suite, tree=self.noted.tree, scoped_tree=self.noted.tree,
            first_tree=self.noted.tree, evidence=Word("reported"), started=started, recorded=started,
            head=self.noted.commit, changes=self.noted.changes, untracked=self.noted.untracked,
            command=self.asked.command, cwd=self.cwd,
            problems=(PlainProblem("RUN_INCOMPLETE", "the run was started and did not end"),),
        )  # fmt: skip
        self.begun = self.spool.add(self.run, PlainCases([], b""), BEGUN)
        return self.begun is not None

    def finish(self, ended: Ended, finished: float) -> str:
        """Store the run; the one line that the terminal shows. Raises EnvironmentFault, and what the long way does."""
        try:
            line = self._finish(ended, finished)
        except EnvironmentFault:
            raise
        except (OSError, *_DATA_IS_ODD):
            line = None
        return self.long_way().finish(ended, finished) if line is None else line

    def _finish(self, ended: Ended, finished: float) -> str | None:
        cases = self._cases(ended)
        run = self.run
        if cases is None or run is None or not is_unchanged(self.here, self.noted):
            return None
        narrowing = list(self.told.narrowing)
        if ended.deselected and not narrowing:
            narrowing.append(f"{ended.deselected} cases were deselected")
        if len(cases) < ended.collected:
            why = f" ({ended.stopped})" if ended.stopped else ""
            narrowing.append(f"{len(cases)} of {ended.collected} cases ran{why}")
        problems = (_partial(self.suite, narrowing),) if narrowing else ()
        conditions = self._conditions()
        said = [word for pair in conditions for word in pair] + [p.message for p in problems]
        if not hold_no_secret(said, self.asked.environ):
            return None
        run.finished = run.recorded = finished
        run.exit_code, run.problems, run.conditions = ended.exit_code, problems, conditions
        run.reader, run.runner, run.runner_version = "pytest-plugin", "pytest", self.asked.version
        run.surface = _surface(self.noted)
        if self.spool.add(run, cases, RUN, self.begun) is None:
            return None
        count = f"{cases.letters.count(b'p')} of {len(cases)}"
        told = [f"shipmoor: {self.suite} {count} recorded for tree {self.noted.tree[:8]}"]
        told += [f"{p.message}: {p.next_step}" for p in problems]
        if self.noted.untracked:
            from shipmoor_hooks.enumeration import some

            told.append(
                f"the tested tree holds untracked files: {some(self.noted.untracked)}; commit them with the change"
            )
        return "; ".join(told)

    def _cases(self, ended: Ended) -> PlainCases | None:
        """The cases, where a session ended as most do: each ran once, and the exit code says what they say."""
        finished = self.records.finished
        surprise = ended.deselected and self.told.is_policy_command
        if ended.exit_code not in _TESTS_RAN or not finished or surprise or not self.records.are_tests_alone:
            return None
        letter = {one: "p" if isinstance(one, str) else one[1] for one in finished}
        told = {(one if isinstance(one, str) else one[0]): letter[one] for one in finished}
        has_red = any(one in RED for one in told.values())
        dotted = dotted_paths(self.noted.files)
        if len(told) < len(finished) or has_red is not (ended.exit_code == 1):
            return None
        if not are_plain_ids(list(told), self.noted.files, dotted, self.here.top):
            return None
        ids = sorted(told)
        return PlainCases(ids, "".join([told[id_] for id_ in ids]).encode("ascii"))

    def _conditions(self) -> tuple[tuple[str, str], ...]:
        found = {
            "argv": self.told.argv,
            "cwd": self.cwd,
            "plugins": ", ".join(self.asked.plugins),
            "python": self.asked.python,
            "environment": self.told.environment,
            "harness": "pytest",
            "harness version": self.asked.version,
            "dialect": "pytest",
        }
        return tuple(sorted(found.items()))

    def long_way(self) -> PytestRun:
        """The same session for the long way, which ends it: what was noted when it began, and the reports since then."""
        from shipmoor_hooks import pytest_session

        start = b"" if self.begun is None else self.begun.stored
        return pytest_session.taken_over(self.asked, self.policy, self.suite, start, self.noted.added, self.records)


def begin(asked: Asked, started: float) -> QuickRun | None:
    """Start recording; None where the long way has to. What cannot be read or stored is its to tell, too."""
    try:
        return _begin(asked, started)
    except (OSError, EnvironmentFault, *_DATA_IS_ODD):
        return None


def _begin(asked: Asked, started: float) -> QuickRun | None:
    top, environ = asked.rootdir, asked.environ
    if asked.variant or any(environ.get(name) for name in _MOVING):
        return None
    if any(os.path.realpath(path) != path for path in (top, asked.folder)) or not f"{asked.folder}/".startswith(
        f"{top}/"
    ):
        return None
    here = lean_git.find(top, environ)
    if here is None or not os.path.isfile(f"{top}/{POLICY_FILE}"):
        return None
    asking = Asking(here)
    try:
        policy = read_bytes(f"{top}/{POLICY_FILE}")
        found = _suite(policy, asked) if lean_git.remotes(here) is not None else None
        noted = None if found is None else asking.noted()
    finally:
        asking.drop()
    if found is None or noted is None or any(_decides(path) for path in noted.ignored):
        return None
    if not hold_no_secret(asked.command, environ):
        return None
    run = QuickRun(asked, here, policy, *found, noted)
    return run if run.start(started) else None


def _suite(policy: bytes, asked: Asked) -> tuple[str, Told] | None:
    """The one suite that pytest runs, and what this session is beside its command."""
    rules = plain_policy.read(policy)
    if rules is None or rules.untracked != "warn":
        return None
    commands = {name: plain_policy.words(table.get("command")) for name, table in rules.suites.items()}
    own = [name for name, command in commands.items() if not plain_session.is_surely_no_pytest(command)]
    if len(own) != 1 or asked.suite not in (None, own[0]):
        return None
    command = commands[own[0]]
    told = None
    if asked.folder == asked.rootdir:
        told = plain_session.told(command, asked.arguments, asked.testpaths, asked.environ)
    told = told or _by_the_table(asked, command)
    return None if told is None else (own[0], told)


def _by_the_table(asked: Asked, command: list[str]) -> Told | None:
    """The same where other words stand there."""
    from shipmoor_hooks import pytest_words

    if not pytest_words.is_pytest(command):
        return None
    conditions = pytest_words.conditions_of(asked, command, "")
    narrowing = pytest_words.narrowing_of(asked, command, asked.rootdir)
    is_own = pytest_words.is_command_of(command, asked)
    return plain_session.Told(narrowing, is_own, conditions["argv"], conditions["environment"])


def _decides(path: str) -> bool:
    """Whether an ignored file may be one of the test surface."""
    from shipmoor_hooks.surface_table import Finder, of_runner

    return Finder(of_runner("pytest")).row(path) is not None


def _surface(noted: Noted) -> tuple[tuple[str, str], ...]:
    from shipmoor_hooks.ignored_surface import digests
    from shipmoor_hooks.surface_table import SHARED, of_runner

    return digests(noted.files, "", (), (*of_runner("pytest"), *SHARED))


def _partial(suite: str, narrowing: list[str]) -> PlainProblem:
    """`run_problems.partial`."""
    return PlainProblem(
        "RUN_PARTIAL",
        f"only a selection of {suite} was run ({'; '.join(narrowing)})",
        f"shipmoor-hooks run --suite {suite}",
    )
