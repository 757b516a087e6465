"""The fields of JSON objects by name and type, for documents of one known shape: what is not as it should be is refused."""

from __future__ import annotations

from typing import Any, NoReturn

from shipmoor_hooks.readers.limits import shown, unreadable


class Fields:
    """One object of the document `file`; `path` says where it stands (`cases[2].arms`). Every getter raises ReportFault.

    Getters that end in `_or` or `_or_none` also take a key that is null or not there.
    """

    def __init__(self, values: dict[str, Any], file: str, path: str = "") -> None:
        self.values = values
        self.file = file
        self.path = path

    def text(self, key: str) -> str:
        value = self.values.get(key)
        return value if isinstance(value, str) else self._refuse(key, "a text")

    def text_or(self, key: str, default: str = "") -> str:
        return default if self.values.get(key) is None else self.text(key)

    def flag(self, key: str) -> bool:
        value = self.values.get(key)
        return value if isinstance(value, bool) else self._refuse(key, "true or false")

    def flag_or(self, key: str, default: bool) -> bool:
        return default if self.values.get(key) is None else self.flag(key)

    def count(self, key: str) -> int:
        """A whole number from 0; a boolean is none."""
        value = self.values.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        return self._refuse(key, "a whole number from 0")

    def number(self, key: str) -> float:
        """A number; a boolean is none."""
        value = self.values.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:
                return self._refuse(key, "a number that a double holds")
        return self._refuse(key, "a number")

    def number_or(self, key: str, default: float) -> float:
        return default if self.values.get(key) is None else self.number(key)

    def number_or_none(self, key: str) -> float | None:
        return None if self.values.get(key) is None else self.number(key)

    def object(self, key: str) -> Fields:
        value = self.values.get(key)
        return Fields(value, self.file, self.at(key)) if isinstance(value, dict) else self._refuse(key, "an object")

    def object_or_none(self, key: str) -> Fields | None:
        return None if self.values.get(key) is None else self.object(key)

    def objects(self, key: str) -> list[Fields]:
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self._refuse(key, "a list of objects")
        return [Fields(one, self.file, f"{self.at(key)}[{number}]") for number, one in enumerate(value)]

    def objects_or_none(self, key: str) -> list[Fields]:
        return [] if self.values.get(key) is None else self.objects(key)

    def texts_or_none(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self._refuse(key, "a list of texts")
        return tuple(value)

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def refuse(self, key: str, what: str) -> NoReturn:
        """Raise the ReportFault that names a key and what is wrong with it."""
        raise unreadable(self.file, f"{self.at(key)} {what}")

    def _refuse(self, key: str, wanted: str) -> NoReturn:
        if key not in self.values:
            self.refuse(key, f"is missing (expected {wanted})")
        self.refuse(key, f"is {shown(repr(self.values[key]), 40)}, not {wanted}")
