"""pygit2 puts a tree together in memory and names it (design, section 6). The only importer of pygit2.

Only the object store is opened, never the repository: its configuration, index and refs are git's business. A memory
backend in front of the store takes every object that libgit2 writes, so nothing reaches the disk. The import costs more
than a hook may spend, so it stands inside the function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shipmoor_hooks.errors import RepositoryFault
from shipmoor_hooks.git_values import Change
from shipmoor_hooks.trees.composed_tree import nested

TREE_MODE = 0o040000


class CannotCompose(RepositoryFault):
    """libgit2 cannot read this object store or take these names; git itself has to answer."""


def compose_tree(objects: str, commit: str, changes: Sequence[Change]) -> str:
    """The name of `commit`'s tree with `changes` applied; `objects` is the folder of the object store.

    Blobs of the changes need not exist. Writes nothing. Raises CannotCompose.
    """
    if len(commit) != 40:
        raise CannotCompose("the repository's objects are named by SHA-256, which libgit2 does not read")
    try:
        import pygit2
        from pygit2.enums import ObjectType
    except ImportError as missing:
        raise CannotCompose(f"pygit2 cannot be loaded: {missing}") from missing

    class Memory(pygit2.OdbBackend):
        """Objects by name; a blob that is only known to exist has no content here."""

        def __init__(self) -> None:
            super().__init__()
            self.held: dict[Any, tuple[int, bytes]] = {}

        def read_cb(self, oid: Any) -> tuple[int, bytes]:
            return self.held[oid]

        def read_header_cb(self, oid: Any) -> tuple[int, int]:
            kind, content = self.held[oid]
            return kind, len(content)

        def read_prefix_cb(self, oid: Any) -> tuple[int, bytes]:
            raise KeyError(oid)

        def exists_cb(self, oid: Any) -> bool:
            return oid in self.held

        def exists_prefix_cb(self, oid: Any) -> Any:
            raise KeyError(oid)

        def write_cb(self, oid: Any, content: bytes, kind: int) -> None:
            self.held[oid] = (kind, content)

        def refresh_cb(self) -> None:
            return

    memory = Memory()
    wanted = nested(changes)

    def written(tree: Any, below: Mapping[str, Any]) -> Any:
        """The name of `tree` (None: nothing there yet) with `below` applied, None when nothing is left in it."""
        builder = repository.TreeBuilder(tree) if tree is not None else repository.TreeBuilder()
        for name, what in below.items():
            there = builder.get(name)
            if isinstance(what, dict):
                inner = repository[there.id] if there is not None and there.filemode == TREE_MODE else None
                made = written(inner, what)
                mode = TREE_MODE
            else:
                made, mode = (None, 0) if what.oid is None else (pygit2.Oid(hex=what.oid), int(what.mode, 8))
                if made is not None:
                    memory.held.setdefault(made, (int(ObjectType.BLOB), b""))
            if made is not None:
                builder.insert(name, made, mode)
            elif there is not None:
                builder.remove(name)
        return builder.write() if len(builder) else None

    try:
        store = pygit2.Odb(objects)
        store.add_backend(memory, 1000)
        repository = pygit2.Repository()
        repository.set_odb(store)
        root = written(repository[commit].tree, wanted)
        return str(root if root is not None else repository.TreeBuilder().write())
    except (pygit2.GitError, KeyError, ValueError, OSError) as refused:
        raise CannotCompose(
            f"libgit2 cannot put the tree together: {str(refused) or type(refused).__name__}"
        ) from refused
