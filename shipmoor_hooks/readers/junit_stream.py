"""A JUnit file, element by element: what to pass over, what begins a suite or a case, and when a case is one of a row.

Most cases differ from the one before in their name alone. They are told at once by comparing attributes as expat hands
them out (name, value, name, value), and cost one entry in a list; this is what the speed and the memory of reading hang on.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import intern

from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.junit_elements import (
    ATTEMPT_TAGS,
    OUTCOME_ATTRIBUTES,
    RESULT_TAGS,
    SUITE_TAGS,
    CaseElement,
    Element,
    Result,
    Row,
    SuiteElement,
    kept,
    result_of,
)
from shipmoor_hooks.readers.junit_tally import Tally
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import TooDeep, parse_raw

Take = Callable[[Element], None]

_KNOWN_IN_SUITE = SUITE_TAGS | RESULT_TAGS | {"testcase", "properties", "property", "system-out", "system-err"}
_OF_CASE = RESULT_TAGS | ATTEMPT_TAGS
_IN_ROW = True
_USUAL = ("classname", "name", "time")  # attributes
_NONE = "\0"  # no class is called so
_LONGEST_ROW = 4096  # names; a longer row is told in parts
_SURELY_BOUNDED = limits.MAX_NAME // 4  # characters


def stream(source: Source, name: str, begin: Callable[[], Take]) -> Tally:
    """Hand every case to the function that `begin()` gives, in the file's order; what they add up to.

    `begin` is called again when the file has to be read again: then what the first function got does not count.
    Raises ReportFault as `xml_events.parse`, for a root that is not JUnit's (named), for more cases than the cap.
    """
    sink = parse_raw(source, name, lambda name: _Sink(name, begin()))
    if sink.tally.foreign_root:
        raise not_junit(name, sink.tally.foreign_root)
    return sink.tally


def not_junit(name: str, root: str) -> Exception:
    """The refusal of a file whose root is another format's."""
    return unreadable(
        name, f"<{shown(root)}> is not a JUnit report", "name its format with --as, or write a JUnit report"
    )


class _Sink:
    """`inside` counts the open elements below the innermost suite; `case` is what the outermost of them is: the last case
    of the row (`_IN_ROW`), one that stands by itself, or no case at all (None)."""

    def __init__(self, name: str, take: Take) -> None:
        self.name, self.take = name, take
        self.tally = Tally()
        self.suite: SuiteElement | None = None
        self.levels = 0  # open suites
        self.inside = 0
        self.case: CaseElement | bool | None = None
        self.in_properties = False
        self.shared: CaseElement | None = None  # of the row that is open
        self.names: list[str] = []
        self.results: dict[int, list[Result]] = {}  # of those of them that have some
        self.bounded = 0  # how many of the names are surely within the cap
        self.classname = _NONE  # of the row, where its cases have nothing but a class, a name and a time
        # In which order those stand in this file, once that is known, and where the class and the name are.
        self.first, self.second, self.third = self.order = [_NONE] * len(_USUAL)
        self.class_at = self.name_at = 1
        self.alone: CaseElement | None = None  # the case before the row, not yet told: its results come after its start

    def start(self, tag: str, attributes: list[str]) -> None:
        inside = self.inside
        self.inside = inside + 1
        if inside:
            self._start_inside(tag, attributes, inside)
        elif (
            # The commonest case by far: a class name as in the case before, which is in a row, a name and a time.
            tag == "testcase"
            and len(attributes) == 6
            and attributes[self.class_at] == self.classname
            and attributes[0] == self.first
            and attributes[2] == self.second
            and attributes[4] == self.third
            and (name := attributes[self.name_at])
        ):
            self.names.append(name)
        elif tag == "testcase" and self.suite is not None:
            self._start_case(self.suite, attributes)
        else:
            self._start_other(tag.rpartition("}")[2], attributes)

    def end(self, tag: str) -> None:  # noqa: ARG002  (elements are balanced, the tag says nothing new)
        inside = self.inside
        if inside:
            self.inside = inside - 1
        else:
            self._end_suite()

    def pause(self) -> None:
        """Between two pieces of the file: a long row is told, but for its last case, which may still be open."""
        self._bound_names()
        if len(self.names) > _LONGEST_ROW:
            last = self.names.pop()
            results = self.results.pop(len(self.names), None)
            self._tell_row()
            self.names.append(last)
            self.results = {} if results is None else {0: results}

    # ---------------------------------------------------------------- inside of a case, or of what says nothing

    def _start_inside(self, tag: str, attributes: list[str], inside: int) -> None:
        if inside + self.levels >= limits.MAX_DEPTH:
            raise TooDeep
        if inside == 1 and self.case is not None:
            if "}" in tag:
                tag = tag.rpartition("}")[2]
            if tag in _OF_CASE:
                result = result_of(tag, _by_name(attributes))
                if isinstance(self.case, CaseElement):
                    self.case.results.append(result)
                else:
                    self.results.setdefault(len(self.names) - 1, []).append(result)
                self.tally.add_result(result)
        elif self.in_properties and self.suite is not None:
            told = _by_name(attributes)
            if told.get("name") == "go.version":
                self.suite.attributes["go.version"] = bounded(told.get("value", ""))

    # ---------------------------------------------------------------- cases

    def _start_case(self, suite: SuiteElement, attributes: list[str]) -> None:
        """A case that begins a row, goes on with one, or has no name and stands by itself."""
        if self.levels >= limits.MAX_DEPTH:
            raise TooDeep
        self.in_properties = False
        if attributes[::2] == self.order:
            name, self.classname = attributes[self.name_at], attributes[self.class_at]
            case = CaseElement("", bounded(self.classname), "", suite, {})
        else:
            told = _by_name(attributes)
            name, self.classname = told.get("name", ""), _NONE
            case = self._unusual(suite, told)
            if self.tally.ran and told.keys() == set(_USUAL):
                self._see_order(attributes[::2])
                self.classname = told["classname"]
        if not name:
            self._tell_row()
            self.case = self.alone = case
            self.classname = _NONE
            return
        if self.shared is None or not case.is_like(self.shared):
            self._tell_row()
            self.shared = case
        self.names.append(name)
        self.case = _IN_ROW

    def _unusual(self, suite: SuiteElement, attributes: dict[str, str]) -> CaseElement:
        """A case with all that its attributes tell; its name is left out."""
        self.tally.see_attributes(attributes)
        self.tally.ran = self.tally.ran or _is_duration(attributes.get("time", ""))
        return CaseElement(
            "",
            bounded(attributes.get("classname", "")),
            bounded(attributes.get("file", "")),
            suite,
            {intern(k): intern(bounded(v)) for k, v in attributes.items() if k in OUTCOME_ATTRIBUTES},
        )

    def _see_order(self, names: list[str]) -> None:
        self.first, self.second, self.third = self.order = names
        self.class_at, self.name_at = 2 * names.index("classname") + 1, 2 * names.index("name") + 1

    def _bound_names(self) -> None:
        names = self.names[self.bounded :]
        if names and max(map(len, names)) > _SURELY_BOUNDED:
            self.names[self.bounded :] = map(bounded, names)
        self.bounded = len(self.names)

    def _tell_row(self) -> None:
        """Hand on what is finished: the case that stood by itself, then the row behind it."""
        if self.alone is not None:
            self._tell(self.alone)
            self.alone = None
        if self.names and self.shared is not None:
            self._bound_names()
            self._tell(Row(self.shared, self.names, self.results))
            self.results = {}
        self.names, self.bounded = [], 0

    def _tell(self, element: Element) -> None:
        self.tally.add(element)
        within_cap(self.tally.cases, self.name)
        self.take(element)

    # ---------------------------------------------------------------- suites, and what else stands in them

    def _start_other(self, tag: str, attributes: list[str]) -> None:
        if self.levels >= limits.MAX_DEPTH:
            raise TooDeep
        self.classname = _NONE
        self.case = None
        self.in_properties = False
        if tag in SUITE_TAGS:
            self._start_suite(tag, _by_name(attributes))
        elif self.suite is None:
            raise not_junit(self.name, tag)
        elif tag == "testcase":  # in a namespace
            self._start_case(self.suite, attributes)
        elif tag in RESULT_TAGS:
            self.suite.results.append(result_of(tag, _by_name(attributes)))
        elif tag not in _KNOWN_IN_SUITE:
            self.suite.foreign = self.suite.foreign or tag
        elif tag == "properties":
            self.in_properties = not (self.suite.cases or self.names or self.alone)

    def _start_suite(self, tag: str, attributes: dict[str, str]) -> None:
        self._end_row()
        self.inside = 0
        self.levels += 1
        within_cap(self.tally.suites + 1, self.name)
        self.suite = self.tally.begin(tag, kept(attributes), self.suite)

    def _end_suite(self) -> None:
        self._end_row()
        self.levels -= 1
        self.suite = self.tally.end(self.suite)

    def _end_row(self) -> None:
        self._tell_row()
        self.shared = None
        self.classname = _NONE


def _by_name(attributes: list[str]) -> dict[str, str]:
    return dict(zip(attributes[::2], attributes[1::2], strict=True))


def _is_duration(word: str) -> bool:
    """A number of seconds, finite and not negative."""
    try:
        return 0 <= float(word.replace(",", "")) < float("inf")
    except ValueError:
        return False
