"""The id of a case: one and the same from every source, and nothing in it that a run makes up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.case_id import LONGEST_ID, identify
from shipmoor_hooks.model import Normalise, Record, RecordKind
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.store.inventory import cases_of

TREE = frozenset(
    {
        "tests/test_cart.py",
        "tests/test_cart/test_deep.py",
        "tests/a.b/test_dot.py",
        "conftest.py",
        "shop/cart.py",
        "docs/usage.rst",
        "sub/unit/test_only_here.py",
        "one/test_twice.py",
        "two/test_twice.py",
        "pkg/__init__.py",
        "pkg/test_in.py",
        "src/a.test.js",
    }
)


def made(
    name: str, classname: str = "", file: str = "", dialect: str = "pytest", root: str = "/w", **more: object
) -> str:
    return identify(Record(name, classname, file, **more), dialect, TREE, root, ()).id  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("classname", "name", "file", "expected"),
    [
        pytest.param("", "", "", "", id="nothing at all"),
        pytest.param("tests.test_cart", "test_a", "", "tests/test_cart.py::test_a", id="function of a module"),
        pytest.param("tests.test_cart.TestX", "test_a[1]", "", "tests/test_cart.py::TestX::test_a[1]", id="method"),
        pytest.param(
            "tests.test_cart.TestX.TestY", "t", "", "tests/test_cart.py::TestX::TestY::t", id="class in a class"
        ),
        pytest.param(
            "tests.test_cart", "t[a.b::c/d]", "", "tests/test_cart.py::t[a.b::c/d]", id="parameters stay untouched"
        ),
        pytest.param(
            "tests.test_cart.TestX", "t", "tests/test_cart.py", "tests/test_cart.py::TestX::t", id="file told"
        ),
        pytest.param("tests.test_cart.test_deep", "t", "", "tests/test_cart/test_deep.py::t", id="longest prefix wins"),
        pytest.param("tests.a.b.test_dot", "t", "", "tests/a.b/test_dot.py::t", id="folder with a dot"),
        pytest.param("docs.usage.rst", "usage.rst", "", "docs/usage.rst::usage.rst", id="text file"),
        pytest.param("unit.test_only_here", "t", "", "sub/unit/test_only_here.py::t", id="rootdir below the root"),
        pytest.param(
            "unit.test_only_here.TestX",
            "t",
            "unit/test_only_here.py",
            "sub/unit/test_only_here.py::TestX::t",
            id="same, told",
        ),
        pytest.param("test_twice", "t", "", "test_twice::t", id="ambiguous rootdir: no guess"),
        pytest.param("gone.test_gone.TestX", "t", "", "gone.test_gone.TestX::t", id="file not in the tree"),
        pytest.param(
            "gone.test_gone.TestX", "t", "gone/test_gone.py", "gone/test_gone.py::TestX::t", id="told, not in the tree"
        ),
        pytest.param(
            "tests.test_cart.TestX",
            "t",
            "shop/cart.py",
            "tests/test_cart.py::TestX::t",
            id="inherited test: the class decides",
        ),
        pytest.param("TestX", "t", "tests/test_cart.py", "tests/test_cart.py::TestX::t", id="class and file apart"),
        pytest.param(
            "A::B", "t", "unit/test_only_here.py", "sub/unit/test_only_here.py::A::B::t", id="classes and file"
        ),
        pytest.param("", "t", "tests/test_cart.py", "tests/test_cart.py::t", id="no class, only the file"),
        pytest.param("TestX", "t", "gone/b.py", "TestX::t", id="class and a file that is not there"),
        pytest.param("else.where", "t", "gone/b.py", "else.where::t", id="told file and class that do not fit"),
        pytest.param("unit.usage.rst", "usage.rst", "", "unit.usage.rst::usage.rst", id="text file of another folder"),
        pytest.param("my.tests.test_cart", "t", "", "my.tests.test_cart::t", id="a prefix of one's own hides the file"),
    ],
)
def test_pytest_ids(classname: str, name: str, file: str, expected: str) -> None:
    assert made(name, classname, file) == expected


@pytest.mark.parametrize(
    ("dialect", "classname", "name", "file", "suites", "expected"),
    [
        (
            "surefire",
            "com.shop.CartTest",
            "total(int)[1]",
            "",
            ("com.shop.CartTest",),
            "com.shop.CartTest::total(int)[1]",
        ),
        ("junit", "tests.test_cart.TestX", "test_a", "", ("s",), "tests/test_cart.py::TestX::test_a"),
        ("junit", "unit.test_only_here", "t", "", (), "unit.test_only_here::t"),
        ("junit", "", "a", "", ("outer", "inner"), "outer::inner::a"),
        ("junit", "c", "a", "", ("s",), "c::a"),
        ("vitest", "src/a.test.js", "math > adds", "", ("src/a.test.js",), "src/a.test.js::math > adds"),
        ("phpunit", "CartTest", "testTotal", "/w/tests/CartTest.php", (), "tests/CartTest.php::CartTest::testTotal"),
        ("phpunit", "CartTest", "testTotal", "/elsewhere/CartTest.php", (), "CartTest::testTotal"),
        ("mocha", "cart adds", "adds", "/builds/7/src/a.test.js", (), "src/a.test.js::cart adds::adds"),
        ("googletest", "Cart", "DISABLED_Total", "cart_test.cc", ("Cart",), "Cart::Total"),
        ("googletest", "All/DISABLED_Cart.A/0", "Total", "", (), "All/Cart.A/0::Total"),
        ("vitest", "a.test.js", "adds", "", ("a.test.js",), "a.test.js::adds"),
        ("mocha", "c", "adds", "lib/src/a.test.js", (), "lib/src/a.test.js::c::adds"),
        ("go", "example.com/src/a", "TestA", "", ("example.com/src/a",), "example.com/src/a::TestA"),
        ("rspec", "src.a.test", "adds", "./src/a.test.js", (), "src/a.test.js::adds"),
        ("node", "test", "adds", "", ("cart",), "cart::adds"),
        ("playwright", "cart.spec.ts", "buys", "", ("chromium", "cart.spec.ts"), "chromium::cart.spec.ts::buys"),
        ("playwright", "cart.spec.ts:12:3", "buys", "", (), "cart.spec.ts::buys"),
        ("bats", "cart.bats", "begin 12 adds", "", (), "cart.bats::adds"),
    ],
)
def test_ids_of_other_dialects(
    dialect: str, classname: str, name: str, file: str, suites: tuple[str, ...], expected: str
) -> None:
    assert made(name, classname, file, dialect, suites=suites) == expected


@pytest.mark.parametrize(
    ("name", "file", "classname", "expected", "covers"),
    [
        ("tests.test_cart", "tests/test_cart.py", "", "tests/test_cart.py", "tests/test_cart.py::"),
        ("TestX", "tests/test_cart.py", "tests.test_cart", "tests/test_cart.py::TestX", "tests/test_cart.py::TestX::"),
        (
            "unit.test_only_here",
            "unit/test_only_here.py",
            "",
            "sub/unit/test_only_here.py",
            "sub/unit/test_only_here.py::",
        ),
        ("tests.test_new", "tests/test_new.py", "", "tests/test_new.py", "tests/test_new.py::"),
        ("pkg", "pkg.py", "", "pkg", "pkg/"),
        ("pkg.__init__", "pkg/__init__.py", "", "pkg/__init__.py", "pkg/"),
    ],
)
def test_a_record_for_a_whole_file_covers_its_cases(
    name: str, file: str, classname: str, expected: str, covers: str
) -> None:
    identity = identify(Record(name, classname, file, kind=RecordKind.FILE), "pytest", TREE, "/w", ())
    assert (identity.id, identity.covers) == (expected, covers)


def test_a_class_whose_set_up_broke_covers_the_cases_of_the_class() -> None:
    record = Record("", "com.shop.CartTest", kind=RecordKind.FILE)
    identity = identify(record, "surefire", TREE, "/w", ())
    assert (identity.id, identity.covers) == ("com.shop.CartTest", "com.shop.CartTest::")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("t[0xDEADBEEF]", "t[0xDEADBEEF]", id="a literal number stays"),
        pytest.param("t[2024-01-01T00:00:00]", "t[2024-01-01T00:00:00]", id="a literal time stays"),
        pytest.param("t[a  b]", "t[a  b]", id="blanks stay"),
        pytest.param("t[1234]", "t[1234]", id="a number stays: nobody can tell a pid from data"),
        pytest.param("t[/w2/x]", "t[/w2/x]", id="a folder that only begins like the root"),
        pytest.param("t[/tmp/data/x]", "t[/tmp/data/x]", id="a path that somebody wrote"),
        pytest.param("t[/w/data/x.txt]", "t[./data/x.txt]", id="the worktree's root"),
        pytest.param("t[/w]", "t[.]", id="the root alone"),
        pytest.param("t[<Cart object at 0x7f01aa55bb10>]", "t[<Cart object at 0x*>]", id="an object's address"),
        pytest.param("t[Cart@1b2c3d4e]", "t[Cart@*]", id="a Java object's hash"),
        pytest.param("t 2026-11-30T08:15:27.388482", "t <time>", id="the time of the run"),
        pytest.param("t[/tmp/tmpab12cd34/x]", "t[<tmp>]", id="a temporary folder"),
        pytest.param("t[/tmp/pytest-of-me/pytest-3/x0]", "t[<tmp>]", id="pytest's temporary folder"),
        pytest.param("t 0b1e6c86-3c3e-4a4e-9d6b-1f0c6d6a2b11", "t <uuid>", id="a random uuid"),
    ],
)
def test_what_a_run_makes_up_is_taken_out(raw: str, expected: str) -> None:
    identity = identify(Record(raw, "c"), "pytest", TREE, "/w", ())
    assert (identity.id, identity.raw) == (f"c::{expected}", f"c::{raw}")


def test_a_feature_is_not_the_module_of_its_name() -> None:
    assert made("total", "conftest.Basket", dialect="behave") == "conftest.Basket::total"


def test_a_jest_test_outside_of_every_describe_does_not_take_the_name_of_another_one() -> None:
    assert made("adds", "", "src/a.test.js", "jest", suites=("subtracting",)) == "src/a.test.js::adds"


def test_the_policy_normalises_before_what_is_built_in() -> None:
    patterns = (Normalise("0x[0-9a-f]+", "0x…"), Normalise(r"\[(\w+)-\d+\]", r"[\1]"))
    assert identify(Record("t[<C at 0x7f01aa55bb10>]", "c"), "pytest", TREE, "", patterns).id == "c::t[<C at 0x…>]"
    assert identify(Record("t[seed-77]", "c"), "pytest", TREE, "", patterns).id == "c::t[seed]"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (Record("<run>::exit 2", kind=RecordKind.RUN), "<run>::exit 2"),
        (Record("<suite error>", suites=("outer", "inner"), kind=RecordKind.SUITE), "outer::inner::<suite error>"),
        (Record('"before all" hook', "cart", suites=("s",), kind=RecordKind.SUITE), 'cart::"before all" hook'),
    ],
)
def test_what_belongs_to_no_case_has_an_id_of_its_own(record: Record, expected: str) -> None:
    assert identify(record, "junit", TREE, "/w", ()).id == expected


def test_without_a_root_nothing_of_a_path_is_taken_out() -> None:
    assert made("t[/w/x]", "c", root="") == "c::t[/w/x]"
    assert made("t[/w/x]", "c", root="/") == "c::t[/w/x]"


def test_a_container_that_cannot_be_iterated_gives_names_without_files() -> None:
    class Everything:
        def __contains__(self, path: object) -> bool:
            return path == "tests/test_cart.py"

    told = Record("t", "tests.test_cart", "tests/test_cart.py")
    assert identify(told, "pytest", Everything(), "", ()).id == "tests/test_cart.py::t"


NAMES = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=20)


@given(NAMES, NAMES, st.sampled_from(["", "Zeta", "Zeta.Inner"]))
def test_law_the_file_told_and_the_file_found_give_one_id(first: str, second: str, classes: str) -> None:
    classname = ".".join(part for part in ("tests.test_cart", classes) if part)
    for name in (first, second):
        assert made(name, classname) == made(name, classname, "tests/test_cart.py")


@given(
    st.text(
        st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="@/0123456789"), min_size=1, max_size=30
    ),
    st.text(
        st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="@/0123456789"), min_size=1, max_size=30
    ),
)
def test_law_two_names_that_hold_nothing_made_up_stay_two(first: str, second: str) -> None:
    assert (made(first, "c") == made(second, "c")) == (first == second)


MODULE = '''
import pytest, unittest
def test_plain(): pass
@pytest.mark.parametrize("v", ["a.b", "c/d", "e::f", "g[h]", "i  j", "ü", "k\\nl", "0xDEADBEEF"])
def test_param(v): pass
class TestOuter:
    def test_in(self): pass
    class TestInner:
        @pytest.mark.parametrize("n", [1, 2])
        def test_deep(self, n): pass
class Old(unittest.TestCase):
    def test_old(self): pass
def double(x):
    """
    >>> double(2)
    4
    """
    return 2 * x
'''


@pytest.mark.parametrize(("family", "where"), [("xunit2", "."), ("xunit1", "sub"), ("xunit2", "sub")])
def test_the_ids_are_pytests_own_node_ids(tmp_path: Path, family: str, where: str) -> None:
    """Real pytest: its node ids, and the ids that we make of its XML, are one list."""
    for path in ("tests/test_a.py", "tests/deep/test_b.py", "test_top.py", "dot.ted/test_c.py"):
        file = tmp_path / where / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(MODULE, encoding="utf-8")
    (tmp_path / where / "notes.txt").write_text(">>> 1 + 1\n2\n")
    (tmp_path / where / "pytest.ini").write_text("[pytest]\nconsider_namespace_packages = true\n")
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "--doctest-modules", "--doctest-glob=*.txt"]
    command = [sys.executable, "-m", "pytest", *options, f"-ojunit_family={family}", "--junitxml=r.xml", "-v", "."]
    env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path / where, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    node_ids = {line.rsplit(" PASSED", 1)[0] for line in done.stdout.splitlines() if " PASSED" in line}
    tracked = frozenset(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    report = read((tmp_path / where / "r.xml").read_bytes(), None, "r.xml")
    prefix = "" if where == "." else f"{where}/"
    assert len(node_ids) == 4 * 14 + 1
    assert {c.id for c in cases_of([report], tracked, str(tmp_path), ())} == {prefix + n for n in node_ids}


@pytest.mark.parametrize("dialect", ["pytest", "go-test"])
def test_an_id_never_holds_what_ends_one_in_the_spool(dialect: str) -> None:
    assert identify(Record("a\0b", "c"), dialect, TREE, "", ()).id == "c::a\\0b"


def test_robot_names_the_outermost_suite_twice() -> None:
    record = Record("Add", "Suites.Cart", suites=("Suites", "Cart"))
    assert identify(record, "robot", TREE, "/w", ()).id == "Cart::Add"


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_names_that_are_too_long_together_are_a_head_and_a_digest(more: int) -> None:
    around = ("a" * 4096, "b" * 4096, "c" * 4096)
    name = "n" * (LONGEST_ID - 3 * 4096 + more)
    found = identify(Record(name, suites=around), "junit", frozenset(), "")
    assert (found.id == "::".join((*around, name))) == (more <= 0)
    assert found.id.endswith(f"::{name}")


def test_deep_names_stay_short_and_apart() -> None:
    def one(inner: str, name: str) -> str:
        return identify(Record(name, suites=("x" * 4096,) * 62 + (inner,)), "tap", frozenset(), "").id

    assert len(one("a", "n")) < 1024
    assert len({one("a", "n"), one("b", "n"), one("a", "m"), one("b", "m")}) == 4
