"""`dataclass`, `field` and `replace` of the standard library, made in a fraction of the time.

The standard decorator compiles eight methods of each class anew, and its module loads `inspect`: with some ninety classes that
was more than half of what loading the gate took (docs/decisions/data-classes.md). Here one method is compiled, the
initialiser, when its class is first called; the others are closures over the names. A type checker sees the standard
library's own, `dataclasses.fields` and what builds on it work on what is made here, and tests/test_data_classes.py asks both
about everything that this package uses: classes with slots, frozen or not, fields with `default`, `default_factory`, `repr`
and `compare`, no inheritance. Anything else is no argument here, so that it is missed at once.
"""

from __future__ import annotations

import sys
from _operator import attrgetter  # as `operator` offers it, whose own module costs more

TYPE_CHECKING = False


def is_data_class(kind: object) -> bool:
    """Whether this is a class that was made here."""
    return isinstance(kind, type) and "__dataclass_fields__" in vars(kind)


def defaults(kind: type) -> dict[str, object]:
    """The defaults of the fields that have a plain one, by name."""
    told = vars(kind)["__dataclass_fields__"].told
    return {name: one.default for name, one in told.items() if one.default is not _NONE}


_NONE = object()
_SELDOM = 50  # calls of a class

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:

    class field:  # noqa: N801, as in the standard library
        """What is said of a field beside its type."""

        __slots__ = ("compare", "default", "default_factory", "repr")

        def __init__(self, *, default=_NONE, default_factory=_NONE, repr=True, compare=True):  # noqa: A002
            self.default, self.default_factory, self.repr, self.compare = default, default_factory, repr, compare

    def dataclass(*, slots, frozen=False):
        """The decorator: every annotated name of the class's body is a field, in that order."""
        if not slots:
            raise TypeError("only classes with slots are made here")
        return lambda cls: _made(cls, frozen)

    def replace(one, /, **changes):
        """A new instance with these fields changed."""
        for name in one.__match_args__:
            if name not in changes:
                changes[name] = getattr(one, name)
        return type(one)(**changes)

    def _made(cls, frozen):
        body = dict(cls.__dict__)
        annotations = cls.__annotations__
        told = {name: _field(body.pop(name, _NONE)) for name in annotations}
        names = tuple(told)
        compared = _values(tuple(name for name, one in told.items() if one.compare))
        made = {
            "__slots__": names,
            "__match_args__": names,
            "__dataclass_fields__": _StandardFields(annotations, told),
            "__init__": _Initialiser(told, frozen),
            "__repr__": _repr(tuple(name for name, one in told.items() if one.repr)),
            "__eq__": _eq(compared),
            "__hash__": _hash(compared) if frozen else None,
            "__getstate__": _getstate,
            "__setstate__": _setstate,
        }
        if frozen:
            made |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if body.get("__hash__", _NONE) is None:  # Python's own mark beside an `__eq__`
            del body["__hash__"]
        for name in ("__dict__", "__weakref__"):
            body.pop(name, None)
        return type(cls)(cls.__name__, cls.__bases__, made | body)

    def _field(said):
        return said if isinstance(said, field) else field(default=said)

    def _values(names):
        """A function from an instance to the tuple of these fields."""
        if len(names) > 1:
            return attrgetter(*names)
        return lambda one: tuple(getattr(one, name) for name in names)

    class _Initialiser:
        """`__init__`, compiled when the class is called often: most classes that a process loads are called seldom or never,
        and to compile one takes as long as a hundred calls that go through the fields one by one."""

        __slots__ = ("calls", "cls", "frozen", "told")

        def __init__(self, told, frozen):
            self.told, self.frozen, self.calls = told, frozen, 0

        def __set_name__(self, cls, name):
            self.cls = cls

        def __get__(self, instance, owner=None):
            self.calls += 1
            if instance is not None and self.calls <= _SELDOM:
                return _OneByOne(self, instance)
            return self.compiled().__get__(instance, owner)

        def compiled(self):
            self.cls.__init__ = made = _initialiser(self.cls, self.told, self.frozen)
            return made

    class _OneByOne:
        """A call of an initialiser that is not compiled; whatever does not fit is the compiled one's to refuse."""

        __slots__ = ("initialiser", "instance")

        def __init__(self, initialiser, instance):
            self.initialiser, self.instance = initialiser, instance

        def __call__(self, *given, **named):
            told, slots = self.initialiser.told, vars(self.initialiser.cls)
            values = dict(zip(told, given, strict=False))
            if len(values) < len(given) or not values.keys().isdisjoint(named):
                return self._compiled(given, named)
            values |= named
            for name, one in told.items():
                if name in values:
                    continue
                if one.default_factory is not _NONE:
                    values[name] = one.default_factory()
                elif one.default is not _NONE:
                    values[name] = one.default
                else:
                    return self._compiled(given, named)
            if len(values) > len(told):
                return self._compiled(given, named)
            for name, value in values.items():
                slots[name].__set__(self.instance, value)
            if "__post_init__" in slots:
                self.instance.__post_init__()
            return None

        def _compiled(self, given, named):
            return self.initialiser.compiled()(self.instance, *given, **named)

    def _initialiser(cls, told, frozen):
        outer, arguments, lines = {"_none": _NONE}, ["self"], []
        for name, one in told.items():
            value = name
            if one.default_factory is not _NONE:
                outer[f"_make_{name}"] = one.default_factory
                arguments.append(f"{name}=_none")
                value = f"_make_{name}() if {name} is _none else {name}"
            elif one.default is not _NONE:
                outer[f"_default_{name}"] = one.default
                arguments.append(f"{name}=_default_{name}")
            else:
                arguments.append(name)
            if frozen:  # past the refusal, and faster than `object.__setattr__`, which looks the slot up
                outer[f"_set_{name}"] = vars(cls)[name].__set__
            lines.append(f"_set_{name}(self, {value})" if frozen else f"self.{name} = {value}")
        if "__post_init__" in vars(cls):
            lines.append("self.__post_init__()")
        text = f"def make({', '.join(outer)}):\n def __init__({', '.join(arguments)}):\n  "
        world = {}
        exec(text + "\n  ".join(lines or ["pass"]) + "\n return __init__", _globals(cls), world)  # noqa: S102
        made = world["make"](**outer)
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        made.__annotations__ = cls.__annotations__ | {"return": None}
        return made

    def _globals(cls):
        """The names that the class's annotations are written in."""
        module = sys.modules.get(cls.__module__)
        return vars(module) if module is not None else {}

    def _repr(names):
        def shown(self):
            return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

        return shown

    def _eq(values):
        def equal(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return equal

    def _hash(values):
        return lambda self: hash(values(self))

    def _getstate(self):
        return [getattr(self, name) for name in self.__match_args__]

    def _setstate(self, state):
        for name, value in zip(self.__match_args__, state, strict=True):
            object.__setattr__(self, name, value)

    def _refuse_to_set(self, name, value):  # noqa: ARG001
        _refuse("assign to", name)

    def _refuse_to_delete(self, name):  # noqa: ARG001
        _refuse("delete", name)

    def _refuse(what, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {what} field {name!r}")

    class _StandardFields:
        """`__dataclass_fields__`, made by the standard library when somebody asks: `fields`, `is_dataclass`, pytest's diffs."""

        __slots__ = ("annotations", "made", "told")

        def __init__(self, annotations, told):
            self.annotations, self.told, self.made = annotations, told, None

        def __get__(self, instance, owner):
            if self.made is None:
                import dataclasses

                rows = [(name, self.annotations[name], self._standard(one)) for name, one in self.told.items()]
                self.made = dataclasses.make_dataclass(owner.__name__, rows).__dataclass_fields__
            return self.made

        def _standard(self, one):
            import dataclasses

            known = {"default": one.default, "default_factory": one.default_factory}
            said = {key: value for key, value in known.items() if value is not _NONE}
            return dataclasses.field(**said, repr=one.repr, compare=one.compare)
