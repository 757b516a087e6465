"""What every command is given: where it was called, the environment, how much to say, and small common pieces."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import PolicyFault, RepositoryFault, UsageFault
from shipmoor_hooks.output import say
from shipmoor_hooks.visible import visible

if TYPE_CHECKING:  # loaded by the commands that use them: `--help` and `explain` do not
    from shipmoor_hooks.model import Policy, Shard
    from shipmoor_hooks.place import Place

CONTEXT = {"help_option_names": ["-h", "--help"]}

SuiteOption = Annotated[str | None, typer.Option("--suite", metavar="S", help="The suite, by its name in the policy.")]
VariantOption = Annotated[str | None, typer.Option("--variant", metavar="V", help="The leg of the matrix.")]
ShardOption = Annotated[str | None, typer.Option("--shard", metavar="I/N", help="Which part of the run this is.")]
LabelOption = Annotated[
    str, typer.Option("--label", metavar="NAME", help="Name who or what measured; `stability` keeps labels apart.")
]
FormatOption = Annotated[str, typer.Option("--format", metavar="text|json", help="How the result is printed.")]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the command line."""

    directory: str
    environ: Mapping[str, str]
    quiet: bool
    verbose: bool

    @property
    def now(self) -> float:
        return time.time()

    @property
    def width(self) -> int:
        """Columns of the terminal; 100 where there is none."""
        return min(shutil.get_terminal_size((100, 24)).columns, 120)

    def find(self) -> Place:
        """The repository around the folder of the call. Raises RepositoryFault."""
        if not os.path.isdir(self.directory):
            raise RepositoryFault(f"{self.directory}: there is no such folder")
        from shipmoor_hooks import place

        return place.find(self.directory, self.environ)

    def policy(self, where: Place) -> Policy:
        """The working tree's policy. Raises PolicyFault when there is none."""
        from shipmoor_hooks import policy

        found = policy.load_worktree(where)
        if found is None:
            raise PolicyFault("there is no policy here (shipmoor-hooks.toml or pyproject.toml)", "shipmoor-hooks init")
        return found

    def tell(self, text: str) -> None:
        """Talk: one line on stderr, unless told to be quiet."""
        if not self.quiet:
            say(sys.stderr, visible(text))


def answer(text: str) -> None:
    """The result, on stdout. The text is made visible by whoever made it."""
    say(sys.stdout, text)


def check_format(name: str, *more: str) -> str:
    """Raises UsageFault unless the format is text or json, or one of `more`."""
    known = ("text", "json", *more)
    if name not in known:
        raise UsageFault(f"--format takes {', '.join(known[:-1])} or {known[-1]}, not {name!r}")
    return name


def label_of(text: str) -> str:
    """A measurer's name as it is stored. Raises UsageFault for one that is long or not plain text."""
    if len(text) > 80 or visible(text) != text:
        raise UsageFault("--label takes up to 80 plain characters")
    return text.strip()


def shard_of(text: str | None) -> Shard | None:
    """`2/4` as a shard. Raises UsageFault."""
    if text is None:
        return None
    index, slash, total = text.partition("/")
    if not (slash and index.isdecimal() and total.isdecimal()) or not 1 <= int(index) <= int(total) <= 10_000:
        raise UsageFault(f"--shard takes I/N, for example 2/4, not {text!r}")
    from shipmoor_hooks.model import Shard

    return Shard(int(index), int(total))
