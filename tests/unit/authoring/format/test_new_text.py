"""The text of new specs: layout and quoting."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.unit.compiler.source.reading import data_of
from toolgen.authoring.format.format import WIDTH
from toolgen.authoring.format.update import SpecTooLarge, to_yaml

SPEC = """\
# Written by `toolgen import mcp assets`.
# Review permissions and tags.
toolgen: 1
toolset: mcp.assets
server: {stdio: [npx, -y, "@example/assets-mcp@2.1.0"]}
types: {Page: {"cursor?": string}}
defaults: {tags: [network]}

tools:
  ping:
    description: Ping.

  search_issues:
    remote: search.issues
    description: |
      Search issues.
      Costs 1 # of {{args.something}}.
    args:
      type: object
      required: [query, " asset_id "]
      properties:
        query: {type: string, pattern: ^\\d+$}
        state: {type: string, enum: [open, closed, "no"], default: open}
        " asset_id ": {anyOf: [{type: string}, {type: "null"}], default: null}
        before: {type: string, description: "An ISO date: 2024-01-01."}
    result: {type: object, required: [items], properties: {items: {type: array}}}
"""


def test_a_written_spec_looks_handwritten() -> None:
    comment = "Written by `toolgen import mcp assets`.\nReview permissions and tags."

    assert to_yaml(data_of(SPEC), comment=comment) == SPEC


PLAIN = """\
word
two words
null and void
nothing
yesterday
3rd
Ünïcödé 日本 😀
全角\u3000スペース
http://json-schema.org/draft-07/schema#
~/.ssh
/a/{b}
a [b]
a, b
(a)
a:b
a#b
x?
.
-y
--count
<b>
$ref
C++
^\\d+$
don't
say "hi"
"""


@pytest.mark.parametrize("text", PLAIN.splitlines())
def test_text_that_is_unambiguous_in_all_parsers_has_no_quotes(text: str) -> None:
    assert to_yaml({"k": text, text: "v"}) == f"k: {text}\n{text}: v\n"


STARTS = ["", " ", " a", "[a]", "{a}", "*a", "&a", "!a", "%a", "@a", "`a`", "'a'", ":a", ",a", *"-?:,[]{}&*!|>'%@`=~"]
INDICATORS = ["a ", "#", "# a", "a #b", "a:", "a: b", ": a", "- a", "? a", "<<", "---", "...", "{{args.x}}"]
WORDS = ["y", "N", "yes", "No", "ON", "off", "true", "FALSE", "Null", "TRUE", ".inf", "-.INF", ".nan"]
NUMBERS = ["1", "-1", "+1", "1.", ".5", "1e3", "1_000", "1,000", "0x1F", "0o7", "0b1", "12:30", "190:20:30", "0-18"]
TIMES = ["2024-01-01", "2024-01-01 12:00:00Z", "2001-12-14t21:59:43.10-05:00"]


@pytest.mark.parametrize("text", [*STARTS, *INDICATORS, *WORDS, *NUMBERS, *TIMES])
def test_text_that_is_ambiguous_in_some_parser_has_quotes(text: str) -> None:
    written = to_yaml({"k": text, text: "v"})

    assert written.splitlines()[0] in (f'k: "{text}"', f"k: '{text}'")
    assert written.splitlines()[1] in (f'"{text}": v', f"'{text}': v")
    assert data_of(written) == {"k": text, text: "v"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\u200bb", r'"a\u200bb"'),
        ("\u202egnp.exe", r'"\u202egnp.exe"'),
        ("\x1b[31m", r'"\x1b[31m"'),
        ("\0\x07\x7f\x85\xa0\ufeff", r'"\x00\x07\x7f\x85\xa0\ufeff"'),
        ("\u2028\U000e0041", r'"\u2028\U000e0041"'),
        ("a\tb", r'"a\tb"'),
        ("a\r\nb", r'"a\r\nb"'),
        ("\ue000", r'"\ue000"'),
    ],
)
def test_invisible_characters_are_escaped(text: str, written: str) -> None:
    assert to_yaml({"k": text}) == f"k: {written}\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [('"a" b', "'\"a\" b'"), ("[\\d]", "'[\\d]'"), ("*don't \\d", '"*don\'t \\\\d"'), ("# don't", '"# don\'t"')],
)
def test_quotes_with_fewer_escapes_are_preferred(text: str, written: str) -> None:
    assert to_yaml({"k": text}) == f"k: {written}\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\n  - b\n# c", "|-\n  a\n\n    - b\n  # c"),
        ("  a\nb", "|2-\n    a\n  b"),
        ("\na\n", "|2\n\n  a"),
        ("\ta\nb", "|2-\n  \ta\n  b"),
        ("a \n b", "|-\n  a \n   b"),
    ],
)
def test_multiline_text_is_a_literal_block(text: str, written: str) -> None:
    assert to_yaml({"k": text, "l": 1}) == f"k: {written}\nl: 1\n"
    assert data_of(to_yaml({"k": text})) == {"k": text}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\n", r'"\n"'),
        ("a\n\n", r'"a\n\n"'),
        (" \n ", r'" \n "'),
        ("a\r\nb\r\n", r'"a\r\nb\r\n"'),
        ("a\n\u202eb", r'"a\n\u202eb"'),
    ],
)
def test_multiline_text_that_a_block_would_change_is_quoted(text: str, written: str) -> None:
    assert to_yaml({"k": text}) == f"k: {written}\n"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (-12, "-12"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e-7, "1.0e-07"),
        (1.5e300, "1.5e+300"),
        ({}, "{}"),
        ([], "[]"),
        ("x", "x"),
        ("a\nb", "|-\n  a\n  b"),
    ],
)
def test_values(value: Any, written: str) -> None:
    assert to_yaml(value) == f"{written}\n"
    assert data_of(to_yaml(value)) == value


LAYOUTS: list[tuple[Any, str]] = [
    ({"a": {"b": [1, {"c": {}}]}}, "a: {b: [1, {c: {}}]}\n"),
    ({"a": {"b": {"c": {"d": 1}}}}, "a: {b: {c: {d: 1}}}\n"),
    ({"a": {"b": {"c": {"d": {"e": 1}}}}}, "a:\n  b: {c: {d: {e: 1}}}\n"),
    ({"a": {"b": {"x": 1}, "c": {"x": 1}}}, "a:\n  b: {x: 1}\n  c: {x: 1}\n"),
    ({"a": [{"x": 1}, {"x": 2}]}, "a: [{x: 1}, {x: 2}]\n"),
    ({"a": {"b?": "c?", "d": "e,f", "g": "h:i"}}, 'a: {"b?": "c?", d: "e,f", g: "h:i"}\n'),
    ({"a": {"b": "x\ny"}}, "a:\n  b: |-\n    x\n    y\n"),
    (["a", ["b", "c\nd"]], "- a\n- - b\n  - |-\n    c\n    d\n"),
    ([{"a": 1, "b": "c\nd"}], "- a: 1\n  b: |-\n    c\n    d\n"),
]


@pytest.mark.parametrize(("data", "written"), LAYOUTS)
def test_short_collections_are_written_on_one_line(data: Any, written: str) -> None:
    assert to_yaml(data) == written


def test_a_line_is_120_columns_at_most() -> None:
    assert WIDTH == 120
    assert to_yaml({"k": ["x" * 115]}) == f"k: [{'x' * 115}]\n"
    assert to_yaml({"k": ["x" * 116]}) == f"k:\n  - {'x' * 116}\n"
    assert to_yaml({"k": {"a": 1, "b": "x" * 106}}) == f"k: {{a: 1, b: {'x' * 106}}}\n"
    assert to_yaml({"k": {"a": 1, "b": "x" * 107}}) == f"k:\n  a: 1\n  b: {'x' * 107}\n"


def test_the_file_its_tools_and_each_tool_are_in_blocks_with_blank_lines_around_long_tools() -> None:
    data = {"types": {"A": "string"}, "tools": {"a": {}, "b": {"c": 1}, "d": 1}}

    assert to_yaml(data) == "types: {A: string}\n\ntools:\n  a: {}\n\n  b:\n    c: 1\n\n  d: 1\n"
    assert to_yaml({"tools": {"a": {}, "b": 1}}) == "tools:\n  a: {}\n  b: 1\n"
    assert to_yaml({"tools": {}}) == "tools: {}\n"
    assert to_yaml({"tools": [1]}) == "tools: [1]\n"
    assert to_yaml({"a": {"tools": {"b": {"c": 1}}}}) == "a: {tools: {b: {c: 1}}}\n"


def test_a_key_of_any_length_reads_back() -> None:
    data = {"k" * 1100: {"a": "b\nc"}, "x": [{"l" * 2000: 1, "y": {"m" * 999: [1, "n" * 200]}}]}
    written = to_yaml(data)

    assert data_of(written) == data
    assert yaml.safe_load(written) == data


def test_a_comment_cannot_contain_a_line_break() -> None:
    assert to_yaml(1, comment="a\n\nb\x1b[31m\rc: 1\u2028d: 1") == "# a\n#\n# b\\x1b[31m\n# c: 1\\u2028d: 1\n1\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {"a\udfff": 1}, ["x", {"y": ["\ud800"]}]])
def test_values_without_a_json_representation_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a JSON number|half of a surrogate pair"):
        to_yaml({"k": value})


@pytest.mark.parametrize("value", [{1: 2}, {"a": {None: 1}}, {"a", "b"}, b"x", ("a",), object()])
def test_non_json_types_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"a key must be text|is not a JSON type"):
        to_yaml({"k": value})


def test_values_that_cannot_be_read_back_are_refused() -> None:
    def nested(levels: int) -> Any:
        value: Any = "x"
        for level in range(levels):
            value = [value] if level % 2 else {"k": value}
        return value

    assert data_of(to_yaml(nested(200))) == nested(200)
    with pytest.raises(SpecTooLarge, match="nested more than 200 levels deep"):
        to_yaml(nested(201))
