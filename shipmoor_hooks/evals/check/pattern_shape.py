"""What a lint asks of a pattern's shape: what every match holds, a text that fits, texts that keep an engine busy. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from shipmoor_hooks.evals.check.pattern_syntax import Choice, Edge, Node, Repeat, Sequence, Text

MOST_ATTACKS = 24
_UNBOUNDED = 20


def sample(node: Node) -> str:
    """A text that a piece takes, with every repetition as often as it has to be (once, where that is never)."""
    if isinstance(node, Text):
        return node.sample
    if isinstance(node, Repeat):
        return sample(node.body) * min(max(node.least, 1), 50)
    if isinstance(node, Sequence):
        return "".join(map(sample, node.parts))
    return sample(node.branches[0]) if isinstance(node, Choice) else ""


def literals(node: Node) -> Iterator[str]:
    """The runs of plain characters that a match holds in every case."""
    run = ""
    for part in _flat(node):
        if isinstance(part, Text) and part.literal:
            run += part.sample
        else:
            yield run
            run = ""
    yield run


def _flat(node: Node) -> Iterator[Node]:
    """The pieces that every match holds, in order; a choice and what may be absent stay whole."""
    if isinstance(node, Sequence):
        for part in node.parts:
            yield from _flat(part)
    elif isinstance(node, Repeat) and node.least == node.most == 1:
        yield from _flat(node.body)
    else:
        yield node


def needed(node: Node) -> Iterator[Node]:
    """Every piece that a match holds in every case, those that are repeated at least once too."""
    for part in _flat(node):
        if isinstance(part, Repeat):
            if part.least:
                yield from needed(part.body)
        else:
            yield part


def is_torn(node: Node) -> bool:
    """Whether a start stands behind something, or an end before something, so that without `m` nothing matches."""
    if isinstance(node, Choice):
        return all(is_torn(branch) for branch in node.branches)
    consumed = ended = False
    for part in _flat(node):
        takes = isinstance(part, Text) or (isinstance(part, Repeat) and part.least > 0 and bool(sample(part.body)))
        if (ended and takes) or (consumed and part == Edge("^")):
            return True
        consumed, ended = consumed or takes, ended or part == Edge("$")
    return False


def attacks(node: Node, times: int) -> list[str]:
    """Texts that would make a backtracking engine try every way to split them, for each unbounded repetition."""
    if sum(1 for _ in _unbounded(node)) < 2 and not _branching(node):
        return []
    found = []
    for before, repeat in _pumps(node, ""):
        pieces = dict.fromkeys([sample(repeat.body), *(sample(b) for b in _bodies(repeat.body))])
        for piece in pieces:
            if piece:
                found += [before + piece * times + end for end in ("!", "\0", "\n!")]
    return list(dict.fromkeys(found))[:MOST_ATTACKS]


def _unbounded(node: Node) -> Iterator[Repeat]:
    for part in _walk(node):
        if isinstance(part, Repeat) and part.most > _UNBOUNDED:
            yield part


def _branching(node: Node) -> bool:
    return any(any(isinstance(p, Choice | Repeat) for p in _walk(r.body)) for r in _unbounded(node))


def _walk(node: Node) -> Iterator[Node]:
    yield node
    inside: tuple[Node, ...] = ()
    if isinstance(node, Sequence):
        inside = node.parts
    elif isinstance(node, Choice):
        inside = node.branches
    elif isinstance(node, Repeat):
        inside = (node.body,)
    for part in inside:
        yield from _walk(part)


def _bodies(node: Node) -> Iterator[Node]:
    for part in _walk(node):
        if isinstance(part, Text | Sequence):
            yield part


def _pumps(node: Node, before: str) -> Iterator[tuple[str, Repeat]]:
    """Each unbounded repetition with a text that leads up to it."""
    if isinstance(node, Repeat):
        if node.most > _UNBOUNDED:
            yield before, node
        yield from _pumps(node.body, before)
    elif isinstance(node, Choice):
        for branch in node.branches:
            yield from _pumps(branch, before)
    elif isinstance(node, Sequence):
        for part in node.parts:
            yield from _pumps(part, before)
            before += sample(part)
