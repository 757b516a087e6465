"""The scan for lines knows exactly the keys that tomllib knows, and each on its own line."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.toml_lines import Path, key_lines

TRICKY = '''\
# a = 1
a = 1  # b = 2
"b.c" . 'd' = """
e = 5 \\"""
"" f = 6""""
g = """""\\
"""""
h = \'\'\'
[not.a.table]
\'\'\'\'\'
i = [ 1, [2, # 3
  "]"], { j = "}", k = { l = [ ] } },
  ]
m.n = 1979-05-27 07:32:00
m.o = '#'
[p.q] # [r]
s = "\\"\\\\"
[[t]]
[[t]]
u = 1
[[t.v]]
[t.v.w]
x = 1
[t.y]
'''
KEYS = st.text(alphabet="abC-_é.\"' #[]=\n\\", max_size=5)
SCALARS = st.one_of(st.integers(-9, 9), st.booleans(), st.text(alphabet="ab'\"#[]{}=,\n\\", max_size=8))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def paths(value: object, path: Path = ()) -> set[Path]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {p for key, element in inner for p in ((*path, key), *paths(element, (*path, key)))}


def quoted(text: str) -> str:
    return '"' + "".join(f"\\u{ord(c):04x}" if c in '"\\\n' else c for c in text) + '"'


def written(value: object, gap: str) -> str:
    """A value as TOML; `gap` (blanks, line feeds, comments) stands between the elements of lists."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        multi = "'''" not in value and not value.endswith("'") and gap != ""
        return f"'''\n{value}'''" if multi else quoted(value)
    if isinstance(value, list):
        return "[" + gap + f",{gap}".join(written(v, gap) for v in value) + gap + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{quoted(k)} = {written(v, gap)}" for k, v in value.items()) + " }"
    return str(value)


def test_a_tricky_document() -> None:
    lines = key_lines(TRICKY)
    assert set(lines) == paths(tomllib.loads(TRICKY))
    told = {
        p: lines[p]
        for p in (
            ("a",),
            ("b.c", "d"),
            ("g",),
            ("i", 1, 1),
            ("i", 2, "k", "l"),
            ("m", "o"),
            ("p", "q"),
            ("p", "q", "s"),
        )
    }
    assert list(told.values()) == [2, 3, 6, 12, 12, 15, 16, 17]
    assert [lines[p] for p in (("t", 0), ("t", 1), ("t", 1, "u"), ("t", 1, "v", 0, "w", "x"), ("t", 1, "y"))] == [
        18,
        19,
        20,
        23,
        24,
    ]


@given(
    st.lists(st.tuples(KEYS, st.dictionaries(KEYS, VALUES, max_size=4)), max_size=4, unique_by=lambda t: t[0]),
    st.sampled_from(["", " ", "\n", " # , ] '\n\t"]),
    st.booleans(),
)
def test_every_key_has_a_line_and_nothing_else_has(
    tables: list[tuple[str, dict[str, object]]], gap: str, arrays: bool
) -> None:
    text, first = "", {}
    for name, table in tables:
        header = f"[[ {quoted(name)} ]]" if arrays else f"[{quoted(name)}]"
        first[(name,)] = text.count("\n") + 1
        text += header + "\n"
        for key, value in table.items():
            first[(name, 0, key) if arrays else (name, key)] = text.count("\n") + 1
            text += f"{quoted(key)} = {written(value, gap)}{gap or ' '}\n"
    lines = key_lines(text)
    assert set(lines) == paths(tomllib.loads(text))
    assert {p: lines[p] for p in first} == first


@pytest.mark.parametrize("text", ["", "\n", "# only words", "[a]", "a = 1"])
def test_the_end_of_the_document_may_be_anywhere(text: str) -> None:
    assert set(key_lines(text)) == paths(tomllib.loads(text))
