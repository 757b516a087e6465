"""From bytes to elements: encodings, repairs, several documents, and everything that is refused with one clear line."""

from __future__ import annotations

import pytest

from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, ReportFault, UsageFault
from shipmoor_hooks.readers import documents, limits
from shipmoor_hooks.readers.registry import READERS, read


def names(data: bytes) -> list[str]:
    return [r.name for r in read(data, None, "r.xml").records]


def one(name: str, declaration: str = "") -> str:
    return f'{declaration}<testsuite><testcase name="{name}"/></testsuite>'


DECLARED = '<?xml version="1.0" encoding="{}"?>\n'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(one("é").encode(), ["é"], id="utf-8, undeclared"),
        pytest.param(b"\xef\xbb\xbf" + one("é", DECLARED.format("utf-8")).encode(), ["é"], id="utf-8 with a mark"),
        pytest.param(one("é", DECLARED.format("utf-16")).encode("utf-16"), ["é"], id="utf-16 with a mark"),
        pytest.param(
            one("é", DECLARED.format("UTF-16")).encode("utf-16-le"), ["é"], id="utf-16 without a mark, little"
        ),
        pytest.param(one("é").encode("utf-16-be"), ["é"], id="utf-16 without a mark, big"),
        pytest.param(one("é😀").encode("utf-32"), ["é😀"], id="utf-32"),
        pytest.param(one("é", DECLARED.format("utf-16")).encode(), ["é"], id="declares utf-16 and is utf-8"),
        pytest.param(one("é", DECLARED.format("ISO-8859-1")).encode("latin-1"), ["é"], id="latin-1"),
        pytest.param(one("й", DECLARED.format("windows-1251")).encode("cp1251"), ["й"], id="windows-1251"),
        pytest.param(one("日本", DECLARED.format("Shift_JIS")).encode("shift_jis"), ["日本"], id="shift_jis"),
        pytest.param(one("é", DECLARED.format("utf-8")).encode("latin-1"), ["\\xe9"], id="declares utf-8 and is not"),
        pytest.param(one("a\x1b[31m\x00").encode(), ["a\\x1b[31m\\x00"], id="control characters"),
        pytest.param(one("a&#27;[0m&#x0;&#xFFFE;").encode(), ["a\\x1b[0m\\x00\\ufffe"], id="references to them"),
        pytest.param(one("&#xD83D;&#99999999999;").encode(), ["\\ud83d\\u174876e7ff"], id="references to no character"),
        pytest.param(one("&#10;&#x41;&amp;lt;").encode(), ["\nA&lt;"], id="legal references stay"),
        pytest.param(
            b"\n \r\n" + one("a", DECLARED.format("utf-8")).encode(), ["a"], id="white space before the declaration"
        ),
        pytest.param(
            (one("a", DECLARED.format("utf-8")) + "\n" + one("b", DECLARED.format("utf-8"))).encode(),
            ["a", "b"],
            id="two documents",
        ),
        pytest.param(
            b"<testsuite><testcase name='a'><failure>got ]]> here</failure></testcase></testsuite>",
            ["a"],
            id="a bare ]]>",
        ),
        pytest.param(
            b"<testsuite><testcase name='a'><failure><![CDATA[<?xml version='1.0'?>\x1b<x>&#0;]]></failure>"
            b"</testcase></testsuite>",
            ["a"],
            id="a document inside of CDATA",
        ),
        pytest.param(
            b"<testsuite><!-- <?xml version='1.0'?> &#0; \x00 --><testcase name='a'/></testsuite>",
            ["a"],
            id="in a comment",
        ),
    ],
)
def test_what_can_be_read_is_read(data: bytes, expected: list[str]) -> None:
    assert names(data) == expected


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "r.xml: the file is empty", id="no bytes"),
        pytest.param(b" \n\t\r\n", "r.xml: the file is empty", id="white space"),
        pytest.param(b"\xef\xbb\xbf", "r.xml: the file is empty", id="a mark alone"),
        pytest.param(b"\xff\xfe", "r.xml: the file is empty", id="a wide mark alone"),
        pytest.param(b"\x7fELF\x02\x01\x01\x00\x00", "r.xml: this is a binary file", id="a program"),
        pytest.param(b"PK\x03\x04\x14\x00", "r.xml: this is a binary file", id="an archive"),
        pytest.param(
            b"== 5 passed in 0.1s ==", "r.xml: not a test report; it begins with '== 5 passed", id="console output"
        ),
        pytest.param(b'{"tests": 1}', "r.xml: this looks like JSON", id="JSON"),
        pytest.param(b"<html><body/></html>", "<html> is not the root of a report", id="another root"),
        pytest.param(
            b"<testsuites><suite><test/></suite></testsuites>",
            "<testsuites> with <suite> is not a JUnit",
            id="Check's own",
        ),
        pytest.param(
            b"<testsuites>\n <testsuite>", "r.xml, line 2, column 13: the report ends in the middle", id="cut off"
        ),
        pytest.param(b"<testsuites><testsuite nam", "ends in the middle", id="cut off inside of a tag"),
        pytest.param(b"<testsuites><![CDATA[ab", "ends in the middle", id="cut off inside of CDATA"),
        pytest.param(b"<testsuites><!-- ab", "ends in the middle", id="cut off inside of a comment"),
        pytest.param(
            b'<testsuites><testsuite name="a "b""/></testsuites>',
            "r.xml, line 1, column 33: not well-formed",
            id="raw quotes",
        ),
        pytest.param(b"<!DOCTYPE t><testsuites/>", "declares a DTD", id="a DTD"),
        pytest.param(
            b'<!DOCTYPE t [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><testsuites name="&b;"/>',
            "declares a DTD",
            id="an entity bomb",
        ),
        pytest.param(
            b'<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuites/>', "declares a DTD", id="an external entity"
        ),
        pytest.param(b'<testsuites name="&lol;"/>', "undefined entity", id="an entity that nobody declares"),
        pytest.param(
            DECLARED.format("utf-7").encode() + b"<testsuites/>", "the encoding 'utf-7' is not one", id="utf-7"
        ),
        pytest.param(
            DECLARED.format("base64").encode() + b"<testsuites/>",
            "the encoding 'base64' is not one",
            id="no encoding of text",
        ),
        pytest.param(
            DECLARED.format("x-own").encode() + b"<testsuites/>",
            "the encoding 'x-own' is not one",
            id="unknown encoding",
        ),
        pytest.param(
            b"<testsuite>" * 65 + b"</testsuite>" * 65, "deeper than 64 levels (the cap for depth)", id="too deep"
        ),
        pytest.param(
            b'<testsuite name="' + b"x" * 2**21 + b'"/>',
            "longer than 1048576 bytes (the cap for one token)",
            id="huge name",
        ),
        pytest.param(
            b"<testsuite><!--" + b"x" * 2**21 + b"--></testsuite>", "(the cap for one token)", id="huge comment"
        ),
        pytest.param(
            b"<testsuite>" + b"&#" + b"0" * 2**21 + b"1;</testsuite>", "(the cap for one token)", id="huge reference"
        ),
    ],
)
def test_what_cannot_be_read_is_one_line(data: bytes, says: str) -> None:
    with pytest.raises(ReportFault) as fault:
        read(data, None, "r.xml")
    assert says in fault.value.message
    assert fault.value.message.startswith("r.xml")
    assert fault.value.exit_code == EXIT_NO_EVIDENCE
    assert "\n" not in fault.value.message


def test_lines_are_those_of_the_file() -> None:
    two = "\n\n" + one("a", DECLARED.format("utf-8")) + "\n" + DECLARED.format("utf-8") + "<testsuite>\n<x></y>"
    with pytest.raises(ReportFault, match=r"r\.xml, line 7, column 6: not well-formed"):
        read(two.encode(), None, "r.xml")


def test_deep_but_within_the_cap() -> None:
    data = b"<testsuite>" * 63 + b'<testcase name="a"/>' + b"</testsuite>" * 63
    assert names(data) == ["a"]


def test_long_output_is_no_token() -> None:
    text = "x" * 3_000_000
    assert names(f'<testsuite><testcase name="a"><system-out>{text}</system-out></testcase></testsuite>'.encode()) == [
        "a"
    ]
    assert names(
        f'<testsuite><testcase name="a"><system-out><![CDATA[{text}]]></system-out></testcase></testsuite>'.encode()
    ) == ["a"]


@pytest.mark.parametrize("offset", range(60))
def test_no_repair_depends_on_where_a_piece_ends(offset: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shipmoor_hooks.readers.limits.CHUNK", 64)
    inner = "<failure>]]> &#27; \x1b <![CDATA[ &#27; <?xml ?> ]]]]> <!-- - -- --> é</failure>".replace(" -- ", " ")
    data = (
        f"<testsuite>{' ' * offset}<testcase name='a\x1b&#x1b;]]>é'>{inner}</testcase>"
        f"</testsuite>\n<?xml version='1.0'?>{one('b')}"
    )
    assert names(data.encode()) == ["a\\x1b\\x1b]]>é", "b"]


def test_more_documents_than_the_cap_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_DOCUMENTS", 2)
    document = one("a", DECLARED.format("utf-8")) + "\n"
    assert len(names((document * 2).encode())) == 2
    with pytest.raises(ReportFault, match="more than 2 documents"):
        names((document * 3).encode())


def test_a_file_beyond_the_cap_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILE", 10)
    with pytest.raises(ReportFault, match=r"larger than 10 bytes \(the cap for a file\)"):
        read(b"<testsuites/>", None, "r.xml")


def test_a_name_that_moves_a_terminal_is_shown_as_text() -> None:
    with pytest.raises(ReportFault) as fault:
        read(b"", None, "a\x1b[2J\n\u202eb.xml")
    assert fault.value.message.startswith("a\\x1b[2J\\n\\u202eb.xml: ")


def test_a_reader_can_be_named_and_must_exist() -> None:
    assert "junit" in READERS
    assert read(b"<testsuite><testcase name='a'/></testsuite>", "junit", "r").reader == "junit"
    with pytest.raises(UsageFault, match="no reader called 'tapp'"):
        read(b"", "tapp", "r")
    with pytest.raises(ReportFault, match="<html> is not a JUnit report"):
        read(b"<html/>", "junit", "r")


def test_every_character_is_legal_that_xml_allows_and_no_other() -> None:
    """Char of XML 1.0: tab, line feed, carriage return, and from the space on all but surrogates, U+FFFE and U+FFFF."""
    for code in range(0x110000):
        allowed = code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
        assert (documents.legal(chr(code)) == chr(code)) is allowed
