"""`Enum` and `IntEnum` of the standard library, as far as this package uses them, without what they load.

The standard module brings `functools`, `collections` and `operator` along, which is a third of what a refused push may
cost (docs/decisions/data-classes.md). A type checker sees the standard library's own, and tests/test_enums.py asks both about
everything that is used here: members by name and by value, their order, `name`, `value`, properties, copies. Anything else
(aliases, `auto`, flags, members with an initialiser) is refused or not there, so that it is missed at once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from enum import Enum as Enum
    from enum import IntEnum as IntEnum
else:

    class _Kind(type):
        """The class of an enumeration: every public name of its body that is no method or property is a member."""

        def __new__(mcs, name, bases, body):
            told = {k: v for k, v in body.items() if not k.startswith("_") and not hasattr(v, "__get__")}
            cls = super().__new__(mcs, name, bases, {k: v for k, v in body.items() if k not in told})
            cls._by_value = {}
            cls._by_name = {}
            for member_name, value in told.items():
                if value in cls._by_value:
                    raise TypeError(f"{name}.{member_name} has the value of another member")
                member = int.__new__(cls, value) if issubclass(cls, int) else object.__new__(cls)
                member.name, member.value = member_name, value
                cls._by_name[member_name] = cls._by_value[value] = member
                type.__setattr__(cls, member_name, member)
            return cls

        def __call__(cls, value):
            try:
                return cls._by_value[value]
            except (KeyError, TypeError):
                raise ValueError(f"{value!r} is not a valid {cls.__qualname__}") from None

        def __getitem__(cls, name):
            return cls._by_name[name]

        def __iter__(cls):
            return iter(cls._by_name.values())

        def __len__(cls):
            return len(cls._by_name)

        def __contains__(cls, one):
            return isinstance(one, cls)

        def __setattr__(cls, name, value):
            if name in cls.__dict__.get("_by_name", ()):
                raise AttributeError(f"cannot reassign member {name!r}")
            super().__setattr__(name, value)

    class Enum(metaclass=_Kind):
        """A closed set of values, each with a name."""

        def __repr__(self):
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __str__(self):
            return f"{type(self).__name__}.{self.name}"

        def __reduce_ex__(self, protocol):
            return type(self), (self.value,)

    class IntEnum(int, metaclass=_Kind):
        """The same for whole numbers, which compare as these."""

        __repr__ = Enum.__repr__
        __str__ = int.__repr__
        __reduce_ex__ = Enum.__reduce_ex__
