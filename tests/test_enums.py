"""Our enumerations answer as the standard library's do: every one of the package is asked beside its twin."""

from __future__ import annotations

import copy
import enum
import importlib
import pickle
import pkgutil
from typing import Any

import pytest

import shipmoor_hooks
from shipmoor_hooks import enums


def every() -> list[Any]:
    found = {}
    for module in pkgutil.walk_packages(shipmoor_hooks.__path__, "shipmoor_hooks."):
        if module.name.rpartition(".")[2] in ("__main__", "start") or "worker" in module.name:
            continue
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, type(enums.Enum)) and one.__module__ == module.name and len(one):
                found[f"{one.__module__}.{one.__qualname__}"] = one
    return [found[name] for name in sorted(found)]


@pytest.mark.parametrize("made", every(), ids=lambda one: one.__qualname__)
def test_an_enumeration_of_the_package_is_what_the_standard_library_makes_of_it(made: Any) -> None:
    base = enum.IntEnum if issubclass(made, int) else enum.Enum
    twin: Any = base(made.__name__, [(one.name, one.value) for one in made])
    for one, other in zip(made, twin, strict=True):
        assert (one.name, one.value, repr(one), str(one), f"{one}") == (
            other.name,
            other.value,
            repr(other),
            str(other),
            f"{other}",
        )
        assert made(one.value) is made[one.name] is getattr(made, one.name) is one
        assert copy.deepcopy(one) is copy.copy(one) is pickle.loads(pickle.dumps(one)) is one  # noqa: S301
        assert isinstance(one, made)
        assert one in made
        assert {one: 1}[made(one.value)] == 1
    assert len(made) == len(twin)
    assert len({one.name for one in made}) == len(made)


def test_there_are_enumerations_to_ask() -> None:
    assert {"Outcome", "Code", "Evidence", "Trailer"} <= {one.__name__ for one in every()}


class Colour(enums.Enum):
    RED = "red"
    BLUE = "blue"

    @property
    def is_warm(self) -> bool:
        return self is Colour.RED


class Rank(enums.IntEnum):
    LOW = 1
    HIGH = 2


@pytest.mark.parametrize("value", ["green", "RED", None, 1, [], {}], ids=repr)
def test_what_is_no_value_is_told_in_the_standard_words(value: object) -> None:
    twin: Any = enum.Enum("Colour", {"RED": "red", "BLUE": "blue"})
    with pytest.raises(ValueError) as ours:  # noqa: PT011
        Colour(value)
    with pytest.raises(ValueError) as theirs:  # noqa: PT011
        twin(value)
    assert str(ours.value) == str(theirs.value)


def test_what_is_no_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        Colour["GREEN"]


def test_members_are_themselves_alone() -> None:
    assert Colour.RED.is_warm
    assert not Colour.BLUE.is_warm
    assert Colour.RED != "red"
    assert list(Colour) == [Colour.RED, Colour.BLUE]
    with pytest.raises(AttributeError):
        Colour.RED = "blue"  # type: ignore[assignment,misc]


def test_ranks_compare_as_numbers_and_say_their_number() -> None:
    assert Rank.LOW < Rank.HIGH
    assert max(Rank.HIGH, Rank.LOW) is Rank.HIGH
    assert (Rank.LOW + 1, str(Rank.LOW), f"{Rank.HIGH}", Rank(2)) == (2, "1", "2", Rank.HIGH)


def test_two_names_of_one_value_are_refused() -> None:
    with pytest.raises(TypeError, match="value of another member"):
        type(Colour)("Doubled", (enums.Enum,), {"A": "a", "B": "a"})
