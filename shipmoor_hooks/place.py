"""Where we are: the repository around a folder, as git itself tells it (design, sections 6 and 9).

`find` asks git once; everything else takes the answer. Messages map git's own refusals to the fix that git's users know.
"""

from __future__ import annotations

import os

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import RepositoryFault
from shipmoor_hooks.git import Git, last_line

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

# The last of these is refused outside a working tree, after the others were answered.
_QUESTIONS = (
    "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--is-bare-repository",
    "--is-inside-work-tree", "--show-toplevel",
)  # fmt: skip
_ANSWERED = 4


@dataclass(frozen=True, slots=True)
class Place:
    """A repository: absolute paths; `top` is None in a bare one. `worktree` names the spool's folder of this worktree.

    `runs_dir` is set where runs are kept apart from the repository's own (`replay`).
    """

    git: Git
    top: str | None
    git_dir: str
    common_dir: str
    worktree: str
    runs_dir: str = ""

    @property
    def spool_home(self) -> str:
        """The folder that holds the spool: the common git directory, unless runs are kept apart."""
        return self.runs_dir or self.common_dir

    @property
    def is_bare(self) -> bool:
        return self.top is None

    def require_top(self) -> str:
        """The worktree's root. Raises RepositoryFault in a bare repository."""
        if self.top is None:
            raise RepositoryFault(
                f"{self.git_dir} is a bare repository and has no working tree", "run this in a worktree of it"
            )
        return self.top


def find(directory: str, environ: Mapping[str, str], *, in_hook: bool = False) -> Place:
    """The repository around `directory`. Raises RepositoryFault (exit 2) with git's own way out.

    git's hooks run with GIT_DIR set, in the top of the worktree or, in a bare repository, in the git directory: discovery
    from there finds the same repository. But `git --git-dir=X push` runs them wherever the user stands, which may be in
    another repository: `in_hook` says that GIT_DIR comes from git itself, and it wins. Elsewhere a GIT_DIR may have leaked
    in, and it is honoured only where discovery finds nothing.
    """
    git = Git(directory, environ)
    told = False
    answers, said = _ask(git)
    named = environ.get("GIT_DIR", "")
    if named and (not answers or (in_hook and not _same(answers[0], os.path.join(directory, named)))):
        told = True
        explicit = {k: environ[k] for k in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR") if environ.get(k)}
        git.environ.update(explicit)
        answers, said = _ask(git)
    if not answers:
        raise not_usable(directory, said)
    git_dir, common_dir, bare, inside, *tops = answers
    top = tops[0] if tops and bare != "true" and (told or inside == "true") else None
    if top is None and bare != "true":
        raise RepositoryFault(f"{directory} lies inside the git directory {git_dir}, not in a working tree")
    if top is not None:
        git.directory = top
    if told:  # they may be relative, and from here on git is started elsewhere
        git.environ["GIT_DIR"] = git_dir
        if top is not None:
            git.environ["GIT_WORK_TREE"] = top
    worktree = "main" if _same(git_dir, common_dir) else os.path.basename(git_dir)
    return Place(git, top, git_dir, common_dir, worktree)


def _ask(git: Git) -> tuple[list[str], str]:
    """git's answers, none where it finds no repository; and what it said beside them."""
    done = git.run(*_QUESTIONS)
    answers = done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]
    return answers if len(answers) >= _ANSWERED else [], done.stderr.decode("utf-8", "replace")


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def not_usable(directory: str, said: str) -> RepositoryFault:
    """git's refusal as one line with the fix."""
    if "dubious ownership" in said:
        return RepositoryFault(
            f"{directory} belongs to another user, so git does not trust it",
            f"git config --global --add safe.directory {directory}",
        )
    if "not a git repository" in said:
        return RepositoryFault(f"{directory} is not inside a git repository", "git init")
    return RepositoryFault(f"git cannot use the repository at {directory}: {last_line(said)}")
