"""What `data_classes` makes beside what the standard library makes of the same text: every question has one answer."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shipmoor_hooks
from shipmoor_hooks import data_classes

ROOT = Path(__file__).parent.parent

TEXT = '''
from __future__ import annotations
from {module} import dataclass, field, replace

@dataclass(frozen=True, slots=True)
class Point:
    """A place."""
    x: int
    y: int = 2

    @property
    def sum(self) -> int:
        return self.x + self.y

    def twice(self) -> Point:
        return Point(self.x * 2, y=self.y * 2)

@dataclass(slots=True)
class Basket:
    name: str
    rows: list[str] = field(default_factory=list)
    secret: str = field(default="s", repr=False)
    weight: float = field(default=1.0, compare=False)

@dataclass(frozen=True, slots=True)
class One:
    value: float

@dataclass(frozen=True, slots=True)
class Nothing:
    pass

@dataclass(frozen=True, slots=True)
class Odd:
    """One that says itself when it is equal, and how it is shown."""
    x: int

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "odd"

@dataclass(frozen=True, slots=True)
class HalfOdd:
    x: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HalfOdd)

@dataclass(slots=True)
class Started:
    x: int

    def __post_init__(self) -> None:
        self.x += 1
'''


def world_of(module: str) -> dict[str, Any]:
    made = types.ModuleType(f"made_by_{module}")
    sys.modules[made.__name__] = made
    vars(made).update(copy=copy, inspect=inspect)
    exec(TEXT.format(module=module), vars(made))  # noqa: S102
    return vars(made)


STANDARD, OURS = world_of("dataclasses"), world_of("shipmoor_hooks.data_classes")


def answer(world: dict[str, Any], question: str) -> object:
    """The value, or the kind of the error and what it says."""
    try:
        return eval(question, world)  # noqa: S307
    except Exception as fault:
        return type(fault).__name__, str(fault)


@pytest.mark.parametrize(
    "question",
    [
        "repr(Point(1)), repr(Point(1, 3)), repr(Point(y=1, x=3))",
        "repr(Basket('a')), repr(Nothing()), repr(One('é'))",
        "Point(1) == Point(1, 2), Point(1) == Point(2), Point(1) != Point(2), Point(1) == 1, Point(1) == (1, 2)",
        "One(1) == One(1.0), One(float('nan')) == One(float('nan'))",
        "(lambda nan: One(nan) == One(nan))(float('nan'))",
        "Nothing() == Nothing(), hash(Nothing()), Nothing() == One(1)",
        "hash(Point(1)), hash(One(3)), len({Point(1), Point(1, 2), Point(2)})",
        "hash(Point([]))",
        "hash(Basket('a'))",
        "Basket('a', weight=2) == Basket('a'), Basket('a', secret='x') == Basket('a')",
        "Basket('a').rows is Basket('a').rows, Basket('a').rows",
        "Point()",
        "Point(1, 2, 3)",
        "Point(1, z=3)",
        "Point(1, x=3)",
        "setattr(Point(1), 'x', 2)",
        "delattr(Point(1), 'x')",
        "(lambda b: (setattr(b, 'name', 'b'), b.name))(Basket('a'))",
        "type(answer_of(lambda: setattr(Basket('a'), 'z', 1))).__name__",
        "Point(1).sum, Point(1).twice(), Point.__doc__",
        "Point.__match_args__, Basket.__match_args__, Nothing.__match_args__, Point.__slots__",
        "hasattr(Point(1), '__dict__')",
        "replace(Point(1), y=5), replace(Basket('a', ['x']), name='b').rows, replace(Nothing())",
        "replace(Point(1), z=5)",
        "copy.copy(Point(1)), copy.deepcopy(Basket('a', ['x'])), copy.copy(Nothing())",
        "copy.deepcopy(Basket('a', ['x'])).rows == ['x']",
        "Odd(1) == 3, hash(Odd(1)), repr(Odd(1))",
        "HalfOdd(1) == HalfOdd(2), hash(HalfOdd(1)) == hash(HalfOdd(1))",
        "Started(1).x, replace(Started(1)).x",
        "[p.name for p in inspect.signature(Basket).parameters.values()]",
        "[p.kind for p in inspect.signature(Basket).parameters.values()]",
        "[p.default is inspect.Parameter.empty for p in inspect.signature(Basket).parameters.values()]",
        "str(inspect.signature(Point)), Point.__init__.__qualname__",
        "Point.__name__, Point.__qualname__, Point.__module__ == __name__",
    ],
)
def test_both_answer_alike(question: str) -> None:
    for world in (STANDARD, OURS):
        world["answer_of"] = lambda call: answer({"call": call}, "call()")
    ours = answer(OURS, question)
    assert repr(ours) == repr(answer(STANDARD, question))


def test_a_name_that_is_no_field_cannot_be_set_either() -> None:
    """The standard library of Python 3.11 fails here by a fault of its own."""
    assert answer(OURS, "setattr(Point(1), 'z', 2)") == ("FrozenInstanceError", "cannot assign to field 'z'")


def test_what_both_answer_is_no_error_of_the_question() -> None:
    assert answer(OURS, "Point(1)") == OURS["Point"](1)
    assert answer(OURS, "Pint(1)") == ("NameError", "name 'Pint' is not defined")


def test_an_instance_goes_through_pickle() -> None:
    from shipmoor_hooks.model import Count, Problem  # any two of the package

    for one in (Count(1, 2), Problem(next(iter(inspect.get_annotations(Problem))) and list_of_codes()[0], "said", "")):
        assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301


def list_of_codes() -> list[Any]:
    from shipmoor_hooks.model import Code

    return list(Code)


def test_what_is_not_used_here_is_no_argument() -> None:
    for words in ({"slots": False}, {"slots": True, "order": True}, {}):
        with pytest.raises(TypeError):
            data_classes.dataclass(**words)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        data_classes.field(init=False)


# ---------------------------------------------------------------- every class of the package


def classes() -> Iterator[type[Any]]:
    for module in pkgutil.walk_packages(shipmoor_hooks.__path__, "shipmoor_hooks."):
        if module.name.rpartition(".")[2] in ("__main__", "start"):
            continue
        try:
            loaded = importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            assert missing.name in ("py_mini_racer", "yaml"), module.name  # noqa: PT017
            continue
        for one in vars(loaded).values():
            if isinstance(one, type) and one.__module__ == module.name and "__dataclass_fields__" in vars(one):
                yield one


EVERY = sorted(classes(), key=lambda one: f"{one.__module__}.{one.__qualname__}")


def test_every_class_is_one_of_ours_and_no_module_asks_the_standard_library() -> None:
    assert len(EVERY) > 200
    asking = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "shipmoor_hooks").rglob("*.py")
        if "\nfrom dataclasses import" in path.read_text() or "\nimport dataclasses" in path.read_text()
    }
    assert asking == set()


@pytest.mark.parametrize(
    "made", EVERY, ids=lambda one: f"{one.__module__.removeprefix('shipmoor_hooks.')}.{one.__name__}"
)
def test_a_class_of_the_package_is_what_the_standard_library_makes_of_its_fields(made: type[Any]) -> None:
    told = dataclasses.fields(made)
    assert [f.name for f in told] == list(inspect.get_annotations(made))
    said = [{name: getattr(f, name) for name in ("default", "default_factory", "repr", "compare")} for f in told]
    rows = [(f.name, f.type, dataclasses.field(**words)) for f, words in zip(told, said, strict=True)]
    frozen = made.__hash__ is not None
    twin = dataclasses.make_dataclass(made.__name__, rows, frozen=frozen, slots=True)
    assert list(inspect.signature(made).parameters) == list(inspect.signature(twin).parameters)
    assert inspect.get_annotations(made.__init__).keys() == {*(f.name for f in told), "return"}
    if hasattr(made, "__post_init__"):
        return  # it does more than hold its fields
    one, other = (kind(*range(len(told))) for kind in (made, twin))
    assert dataclasses.astuple(one) == dataclasses.astuple(other)
    if made.__repr__.__qualname__.startswith("_repr"):
        assert repr(one) == repr(other).replace(twin.__qualname__, made.__qualname__, 1)
    assert one == made(*range(len(told)))
    if told:
        changed = dataclasses.replace(one, **{told[0].name: -1})
        assert (changed == one) is (dataclasses.replace(other, **{told[0].name: -1}) == other)
        assert data_classes.replace(one, **{told[0].name: -1}) == changed
    if frozen:
        assert hash(one) == hash(other)
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.x = 1


def test_an_initialiser_is_compiled_when_the_class_is_called_often() -> None:
    made = world_of("shipmoor_hooks.data_classes")["Point"]
    waiting = vars(made)["__init__"]
    assert not callable(waiting)
    seldom = [made(1), made(3, y=4), made(x=3, y=4), made(y=4, x=3)]
    assert vars(made)["__init__"] is waiting
    often = [[made(1), made(3, y=4), made(x=3, y=4), made(y=4, x=3)] for _ in range(data_classes._SELDOM)]
    assert vars(made)["__init__"] is made.__init__ is not waiting
    assert seldom == often[0] == often[-1]


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), ((1, 2, 3), {}), ((1,), {"x": 2}), ((1,), {"z": 2}), ((), {"y": 1}), ((1, 2), {"y": 3})],
    ids=["nothing", "too_many", "twice", "a_name_that_is_none", "one_missing", "twice_by_name"],
)
@pytest.mark.parametrize("calls", [0, 100], ids=["seldom", "often"])
def test_a_call_that_does_not_fit_is_refused_in_the_same_words(
    given: tuple[int, ...], named: dict[str, int], calls: int
) -> None:
    ours, theirs = (world_of(name)["Point"] for name in ("shipmoor_hooks.data_classes", "dataclasses"))
    for _ in range(calls):
        ours(1)
    with pytest.raises(TypeError) as one:
        ours(*given, **named)
    with pytest.raises(TypeError) as other:
        theirs(*given, **named)
    assert str(one.value) == str(other.value)
