"""push.py: what git's list and a host's variables say is pushed (githooks(5); design, section 9 and 10.16)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.push import Update, from_git, from_host, is_zeros, judged

A, B = "a" * 40, "b" * 40
LONG = "c" * 64
NAME_AND_URL = ["origin", "/srv/origin.git"]

LINES = [
    pytest.param(b"", (), id="nothing left to push: no update"),
    pytest.param(
        f"refs/heads/x {A} refs/heads/x {B}\n".encode(), (Update("refs/heads/x", A, "refs/heads/x", B),), id="an update"
    ),
    pytest.param(
        f"refs/heads/x {A} refs/heads/x {'0' * 40}\n".encode(),
        (Update("refs/heads/x", A, "refs/heads/x", None),),
        id="new there",
    ),
    pytest.param(
        f"(delete) {'0' * 40} refs/heads/x {B}\n".encode(),
        (Update("(delete)", None, "refs/heads/x", B),),
        id="a deletion",
    ),
    pytest.param(
        f"refs/heads/x {LONG} refs/heads/x {'0' * 64}\n".encode(),
        (Update("refs/heads/x", LONG, "refs/heads/x", None),),
        id="sha-256: 64 digits and 64 zeros",
    ),
    pytest.param(
        f"HEAD@{{1 day ago}} {A} refs/heads/x {B}\n".encode(),
        (Update("HEAD@{1 day ago}", A, "refs/heads/x", B),),
        id="blanks in the local side",
    ),
    pytest.param(
        b"refs/heads/caf\xe9 " + A.encode() + b" refs/heads/caf\xe9 " + B.encode() + b"\n",
        (Update("refs/heads/caf\udce9", A, "refs/heads/caf\udce9", B),),
        id="a latin-1 name",
    ),
    pytest.param(
        f"refs/heads/x {A} refs/heads/x {B}\nrefs/heads/\u2028y {B} refs/heads/\u2028y {A}".encode(),
        (Update("refs/heads/x", A, "refs/heads/x", B), Update("refs/heads/\u2028y", B, "refs/heads/\u2028y", A)),
        id="two refs, no last line feed, a line separator in a name",
    ),
]


@pytest.mark.parametrize(("stdin", "updates"), LINES)
def test_gits_list_is_read_whole(stdin: bytes, updates: tuple[Update, ...]) -> None:
    push = from_git(NAME_AND_URL, stdin)
    assert (push.remote, push.url, push.updates, push.from_host) == ("origin", "/srv/origin.git", updates, False)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"refs/heads/x " + A.encode() + b" refs/heads/x\n", id="three fields"),
        pytest.param(b"x", id="a word"),
        pytest.param(b" \n", id="blanks"),
        pytest.param(f"x {A[:39]} refs/heads/x {B}\n".encode(), id="39 digits"),
        pytest.param(f"x {A} refs/heads/x {'z' * 40}\n".encode(), id="not hexadecimal"),
        pytest.param(f"x {A}  {B}\n".encode(), id="no remote ref"),
    ],
)
def test_a_line_that_is_not_gits_is_refused_and_never_left_out(line: bytes) -> None:
    good = f"refs/heads/x {A} refs/heads/x {B}\n".encode()
    with pytest.raises(UsageFault, match="not git's"):
        from_git(NAME_AND_URL, good + line)


def test_a_push_to_a_url_without_a_name_and_a_call_without_arguments() -> None:
    assert from_git(["/srv/x.git", "/srv/x.git"], b"").remote == "/srv/x.git"
    assert (from_git([], b"").remote, from_git([], b"").url) == ("", "")


ref_names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n \0"), min_size=1)
names = st.text("0123456789abcdef", min_size=40, max_size=40).filter(lambda name: not is_zeros(name))


@given(st.lists(st.tuples(ref_names, names, ref_names, st.none() | names)))
def test_law_every_line_becomes_one_update_in_order(rows: list[tuple[str, str, str, str | None]]) -> None:
    stdin = "".join(f"{local} {oid} {remote} {old or '0' * 40}\n" for local, oid, remote, old in rows).encode()
    assert from_git(NAME_AND_URL, stdin).updates == tuple(Update(*row) for row in rows)


HOST = {
    "PRE_COMMIT": "1",
    "PRE_COMMIT_FROM_REF": B,
    "PRE_COMMIT_TO_REF": A,
    "PRE_COMMIT_REMOTE_NAME": "origin",
    "PRE_COMMIT_REMOTE_URL": "/srv/origin.git",
    "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/work",
    "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/feature",
}


def test_no_host_no_push() -> None:
    assert from_host({"PATH": "/bin", "PRE_COMMIT": ""}) is None


def test_a_host_shows_one_ref_and_its_from_ref_is_not_the_remotes_value() -> None:
    push = from_host(HOST)
    assert push is not None
    assert push.from_host
    assert (push.remote, push.url) == ("origin", "/srv/origin.git")
    assert push.updates == (Update("refs/heads/work", A, "refs/heads/feature", None),)


@pytest.mark.parametrize(
    ("change", "local"),
    [
        pytest.param(
            {"PRE_COMMIT_TO_REF": ""}, "refs/heads/work", id="a first push: the branch stands for the revision"
        ),
        pytest.param({"PRE_COMMIT_TO_REF": "", "PRE_COMMIT_LOCAL_BRANCH": "HEAD~1"}, "HEAD~1", id="an expression"),
        pytest.param({"PRE_COMMIT_TO_REF": "main"}, "main", id="pre-commit run --to-ref passes names on"),
        pytest.param({"PRE_COMMIT_TO_REF": "0" * 40}, None, id="a deletion"),
        pytest.param({"PRE_COMMIT_TO_REF": "0" * 64}, None, id="a deletion, sha-256"),
    ],
)
def test_the_revision_of_a_host(change: dict[str, str], local: str | None) -> None:
    push = from_host(HOST | change)
    assert push is not None
    assert push.updates[0].local == local


@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({"PRE_COMMIT": "1"}, id="pre-commit run --all-files"),
        pytest.param(
            {**HOST, "PRE_COMMIT_TO_REF": "", "PRE_COMMIT_LOCAL_BRANCH": ""}, id="neither revision nor branch"
        ),
        pytest.param({**HOST, "PRE_COMMIT_TO_REF": "--output=here"}, id="an option in a revision's place"),
    ],
)
def test_a_host_that_names_no_revision_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(UsageFault, match="names no revision"):
        from_host(environ)


@pytest.mark.parametrize(
    ("local", "remote_ref", "expected"),
    [
        pytest.param(None, "refs/heads/x", False, id="deletion"),
        pytest.param(A, "refs/tags/v1", False, id="tag"),
        pytest.param(A, "refs/notes/commits", False, id="notes"),
        pytest.param(A, "refs/shipmoor-hooks/runs/x", False, id="our own refs"),
        pytest.param(A, "refs/heads/x", True, id="branch"),
        pytest.param(A, "refs/heads/refs/tags/x", True, id="a branch named like a tag"),
        pytest.param(A, "refs/for/main", True, id="a review ref"),
        pytest.param(A, "refs/shipmoor-hooksy", True, id="a prefix is not ours"),
        pytest.param(A, "", True, id="a host that hides the remote ref"),
    ],
)
def test_what_is_judged(local: str | None, remote_ref: str, expected: bool) -> None:
    assert judged(Update("refs/heads/x", local, remote_ref, None)) is expected
