"""Commits, ranges and renames, as git tells them (design, sections 3, 4, 10.16 and 10.31).

Object names come back as hex strings; whatever could be taken for an option is put behind `--end-of-options`.
"""

from __future__ import annotations

import os

from shipmoor_hooks.errors import GitFault, UsageFault
from shipmoor_hooks.git import Git, alternates
from shipmoor_hooks.git_environment import NO_PROMPTS
from shipmoor_hooks.git_process import TookTooLong
from shipmoor_hooks.git_values import Change, CommitMessage, Revision

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# With -z a NUL stands behind each commit, too: the one byte that no message holds.
LOG_FORMAT = "%H%x00%(trailers:only,unfold)%x00%B"
# Commits are read alike on every machine, whatever its user's settings are.
_PLAIN = ("-c", "trailer.separators=:", "-c", "core.commentChar=#")
_SCISSORS = rb"(?m)^[^\n]{1,20} -{24} >8 -{24}\n"


def commit_of(git: Git, revision: str) -> str | None:
    """The commit that a revision peels to; None when there is none."""
    return git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def has_object(git: Git, name: str) -> bool:
    """Whether the repository holds an object of this name, of whatever type."""
    return git.run("cat-file", "-e", name).returncode == 0


def require_commit(git: Git, revision: str) -> str:
    """The commit of a revision that a person named. Raises UsageFault."""
    commit = commit_of(git, revision)
    if commit is None and revision == "HEAD":
        raise UsageFault("HEAD names no commit: this branch has none yet", "git commit")
    if commit is None:
        raise UsageFault(f"{revision!r} names no commit in this repository", "git log --oneline --all")
    return commit


def tree_of(git: Git, commit: str) -> str:
    """The tree of a commit (or of a tree)."""
    return git.text("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")


def revision(git: Git, commit: str) -> Revision:
    return Revision(commit, tree_of(git, commit))


def revisions(git: Git, commits: Sequence[str]) -> list[Revision]:
    """Commits (object names) with their trees, by one question."""
    trees = git.text("rev-parse", *(f"{commit}^{{tree}}" for commit in commits)) if commits else ""
    return [Revision(commit, tree) for commit, tree in zip(commits, trees.split(), strict=True)]


def merge_bases(git: Git, one: str, other: str) -> tuple[str, ...]:
    """All merge bases, in git's order; none for unrelated histories. Raises GitFault when an object is missing."""
    return tuple(git.output("merge-base", "--all", one, other, ok=(0, 1)).decode("ascii").split())


def is_ancestor(git: Git, one: str, other: str) -> bool:
    return git.run("merge-base", "--is-ancestor", one, other).returncode == 0


def shallow_boundaries(common_dir: str) -> frozenset[str]:
    """The commits whose parents a shallow repository does not have."""
    try:
        with open(os.path.join(common_dir, "shallow"), encoding="ascii") as stream:
            return frozenset(stream.read().split())
    except FileNotFoundError:
        return frozenset()


def crosses_boundary(git: Git, boundaries: frozenset[str], tips: Sequence[str], bases: Sequence[str]) -> bool:
    """Does a shallow boundary lie in bases..tips? Then history is missing that the answer depends on."""
    if not boundaries:
        return False
    listed = git.output("rev-list", *tips, *(f"^{b}" for b in bases)).decode("ascii").split()
    return not boundaries.isdisjoint(listed)


def messages(git: Git, bases: Sequence[str], tip: str) -> tuple[CommitMessage, ...]:
    """The commits of bases..tip with their trailers as git reads them, several of one key all kept, the newest first."""
    return _messages(git, tip, *(f"^{b}" for b in bases))


def messages_of(git: Git, commits: Sequence[str]) -> tuple[CommitMessage, ...]:
    """These commits (object names) alone, told as `messages` tells a range."""
    return _messages(git, "--no-walk=unsorted", *commits) if commits else ()


def _messages(git: Git, *wanted: str) -> tuple[CommitMessage, ...]:
    out = git.output(
        *_PLAIN, "-c", "i18n.logOutputEncoding=UTF-8", "-c", "log.showSignature=false",
        "log", "-z", f"--format={LOG_FORMAT}", *wanted, "--",
    ).decode("utf-8", "surrogateescape")  # fmt: skip
    fields = out.split("\0")
    rows = zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
    return tuple(CommitMessage(commit, _trailers(block), body) for commit, block, body in rows)


def _trailers(block: str) -> tuple[tuple[str, str], ...]:
    # A line ends with a line feed alone: the further separators that Python knows stand inside of a reason.
    rows = (line.partition(":") for line in block.split("\n"))
    return tuple((key.strip(), value.strip()) for key, colon, value in rows if colon)


def trailers_of_message(git: Git, message: bytes) -> tuple[tuple[str, str], ...]:
    """The trailers of a message that is no commit yet, by git's own parser; a line of dashes ends no commit message."""
    out = git.output(*_PLAIN, "interpret-trailers", "--parse", "--no-divider", stdin=message)
    return _trailers(out.decode("utf-8", "surrogateescape"))


def cleaned_message(git: Git, raw: bytes) -> bytes:
    """A message as git will keep it: without comment lines and what `commit --verbose` shows below its scissors line."""
    import re  # costs as much as git does, and no other question needs it

    cut = re.search(_SCISSORS, raw)
    return git.output("stripspace", "--strip-comments", stdin=raw[: cut.start()] if cut else raw)


def renames(git: Git, base_tree: str, tip_tree: str) -> dict[str, str]:
    """Files that git sees renamed between two trees: old path to new path, one to one."""
    out = git.output("diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", base_tree, tip_tree)
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    return {fields[i + 1]: fields[i + 2] for i in range(0, len(fields) - 2, 3)}


def moved_lines(git: Git, base_tree: str, tip_tree: str, paths: Sequence[str], colours: Mapping[str, str]) -> str:
    """The diff of these files between two trees in which git colours the lines that moved (`--color-moved=plain`)."""
    settings = [word for name, value in colours.items() for word in ("-c", f"{name}={value}")]
    out = git.output(
        *settings, "diff", "--color=always", "--color-moved=plain", "--ws-error-highlight=none", "--no-ext-diff",
        "--no-textconv", "--no-renames", "--no-prefix", "-U0", base_tree, tip_tree, "--", *(f":(literal){p}" for p in paths),
    )  # fmt: skip
    return out.decode("utf-8", "surrogateescape")


def differing_paths(git: Git, head: str, changes: Sequence[Change], tree: str) -> list[str] | None:
    """The paths in which a captured tree (HEAD's with `changes`) differs from `tree`; None when HEAD is not here."""
    from shipmoor_hooks.trees.tree_listing import between  # no hook asks

    try:
        rows = between(git, head, tree)
    except GitFault:
        return None
    paths = {path for path, (old, new) in rows.items() if old != new}
    for change in changes:
        if change.path in rows and rows[change.path][1] == (change.mode, change.oid):
            paths.discard(change.path)
        else:
            paths.add(change.path)
    return sorted(paths)


def changes_of(rows: Mapping[str, tuple[str | None, str | None]]) -> tuple[Change, ...]:
    """Paths with their mode and object name (None: gone) as the model's changes, sorted by path."""
    return tuple(Change(path, *rows[path]) for path in sorted(rows))


def merged_tree(git: Git, target: str, tip: str) -> tuple[str | None, str]:
    """The tree of merging the tip into the target, made in a throw-away object store: (tree, "") or (None, why not).

    git's own merge, never libgit2's: directory renames and merge drivers differ (`git merge-tree`, git 2.38).
    """
    import tempfile  # loaded where a merge result is asked for, which no hook does

    store = git.text("rev-parse", "--path-format=absolute", "--git-path", "objects")
    with tempfile.TemporaryDirectory(prefix="shipmoor-hooks-") as folder:
        extra = {"GIT_OBJECT_DIRECTORY": folder, "GIT_ALTERNATE_OBJECT_DIRECTORIES": alternates(git.environ, store)}
        done = git.run("merge-tree", "--write-tree", "--no-messages", target, tip, extra=extra)
    if done.returncode == 0:
        return done.stdout.decode("ascii").split()[0], ""
    if done.returncode == 1:
        return None, "the merge has conflicts"
    raise GitFault(
        "this git cannot merge in memory (merge-tree --write-tree)", "install git 2.38 or newer",
        done.stderr.decode("utf-8", "replace"),
    )  # fmt: skip


# ---------------------------------------------------------------- remotes


def remotes(git: Git) -> dict[str, str]:
    """The configured remotes: name to the URL that git would fetch from."""
    out = git.run("config", "--get-regexp", "-z", r"^remote\..*\.url$").stdout.decode("utf-8", "surrogateescape")
    found: dict[str, str] = {}
    for row in filter(None, out.split("\0")):
        key, _, url = row.partition("\n")
        found.setdefault(key[len("remote.") : -len(".url")], url)
    return found


def heads_of_remote(git: Git, remote: str, timeout: float = 3.0) -> dict[str, str] | None:
    """What the remote itself says: branch name to object name, "HEAD" to the name of its branch. None: it did not answer.

    No prompt is answered, and the wait is bounded by `timeout` seconds.
    """
    said = _asked_remote(git, timeout, "--symref", "--", remote, "HEAD", "refs/heads/*")
    if said is None:
        return None
    found: dict[str, str] = {}
    for line in said:
        value, _, name = line.partition("\t")
        if value.startswith("ref: refs/heads/") and name == "HEAD":
            found["HEAD"] = value[len("ref: refs/heads/") :]
        elif name.startswith("refs/heads/"):
            found[name] = value
    return found


def published_by_remote(git: Git, remote: str, ref: str, timeout: float = 3.0) -> str | None:
    """Where a ref of the remote is; "" where it has none, None when it did not answer."""
    said = _asked_remote(git, timeout, "--", remote, ref)
    rows = (line.partition("\t") for line in said or ())
    return None if said is None else next((value for value, _, name in rows if name == ref), "")


def _asked_remote(git: Git, timeout: float, *words: str) -> list[str] | None:
    try:
        done = git.run("ls-remote", *words, extra=NO_PROMPTS, timeout=timeout)
    except TookTooLong:
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "surrogateescape").splitlines()


def own_heads(git: Git) -> dict[str, str]:
    """This repository's own branches, told as `heads_of_remote` tells a remote's."""
    out = git.output("for-each-ref", "--format=%(objectname)%09%(refname)", "refs/heads/")
    rows = (line.partition("\t") for line in out.decode("utf-8", "surrogateescape").split("\n") if line)
    found = {name: value for value, _, name in rows}
    head = git.try_text("symbolic-ref", "--quiet", "HEAD") or ""
    if head in found:
        found["HEAD"] = head.removeprefix("refs/heads/")
    return found
