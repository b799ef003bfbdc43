"""Strict JSON: values, locations, and diagnostics for invalid JSON."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.compiler.source.reading import data_of, problem, problems

ESCAPES = '[an escape is one of `\\" \\\\ \\/ \\b \\f \\n \\r \\t`, or `\\u` and four hexadecimal digits]'
NUMBERS = "[JSON numbers have no leading `+` or zeros, and digits on both sides of the point]"
NOT_CLOSED = '[close it with `"`; a line break inside is written `\\n`]'

CASES = {
    "": 'TG003 1:1-1:1 the file is empty [start it with `{"toolgen": 1}`]',
    " \n ": 'TG003 1:1-1:1 the file is empty [start it with `{"toolgen": 1}`]',
    # brackets and what is between them
    '{"a": [1': "TG003 1:7-1:8 this `[` is never closed [close it with `]`]",
    '{"a"': "TG003 1:1-1:2 this `{` is never closed [close it with `}`]",
    '{"a":': "TG003 1:1-1:2 this `{` is never closed [close it with `}`]",
    "[1,": "TG003 1:1-1:2 this `[` is never closed [close it with `]`]",
    "[1,]": "TG003 1:4-1:5 JSON allows no comma before `]` [remove the comma]",
    '{"a": 1,}': "TG003 1:9-1:10 JSON allows no comma before `}` [remove the comma]",
    "[,1]": "TG003 1:2-1:3 expected a value or `]`, found `,`",
    "[1,,2]": "TG003 1:4-1:5 expected a value, found `,`",
    "[1 2]": "TG003 1:4-1:5 expected `,` or `]`, found `2` (1:1-1:2: it starts here)",
    '{"a": 1\n"b": 2}': 'TG003 2:1-2:4 expected `,` or `}`, found `"b"` (1:1-1:2: it starts here)',
    "[1}": "TG003 1:3-1:4 expected `,` or `]`, found `}` (1:1-1:2: it starts here)",
    "[}": "TG003 1:2-1:3 expected a value or `]`, found `}`",
    '{"a" 1}': "TG003 1:6-1:7 expected `:`, found `1`",
    '{"a",}': "TG003 1:5-1:6 expected `:`, found `,`",
    '["a": 1]': "TG003 1:5-1:6 expected `,` or `]`, found `:` (1:1-1:2: it starts here)",
    "{1: 2}": "TG003 1:2-1:3 expected a key in double quotes or `}`, found `1`",
    '{"a": 1, b: 2}': "TG003 1:10-1:11 expected a key in double quotes, found `b`",
    "{} x": "TG003 1:4-1:5 expected the end of the file, found `x`",
    "{},": "TG003 1:3-1:4 expected the end of the file, found `,`",
    f'["a" "{"b" * 100}"]': f'TG003 1:6-1:108 expected `,` or `]`, found `"{"b" * 38}…` (1:1-1:2: it starts here)',
    # syntax of other languages
    "// c\n{}": "TG003 1:1-1:2 JSON has no comments [remove it, or use YAML]",
    "{'a': 1}": 'TG003 1:2-1:3 JSON strings use double quotes [write `"`]',
    "[None]": "TG003 1:2-1:6 `None` is not a JSON value [write `null`]",
    "[True]": "TG003 1:2-1:6 `True` is not a JSON value [write `true`]",
    "[abc]": "TG003 1:2-1:5 `abc` is not a JSON value [put text in double quotes]",
    # numbers
    "[01]": f"TG003 1:2-1:4 `01` is not a JSON value {NUMBERS}",
    "[+1]": f"TG003 1:2-1:4 `+1` is not a JSON value {NUMBERS}",
    "[.5]": f"TG003 1:2-1:4 `.5` is not a JSON value {NUMBERS}",
    "[1.]": f"TG003 1:2-1:4 `1.` is not a JSON value {NUMBERS}",
    "[-]": f"TG003 1:2-1:3 `-` is not a JSON value {NUMBERS}",
    "[1e]": f"TG003 1:2-1:4 `1e` is not a JSON value {NUMBERS}",
    "[1e999]": "TG009 1:2-1:7 this number is too large: the largest is about 1.8e308 [quote it if it is text]",
    "[NaN]": "TG009 1:2-1:5 this number is not finite [quote it if it is text]",
    "[-Infinity]": "TG009 1:2-1:11 this number is not finite [quote it if it is text]",
    f"[{'9' * 4301}]": "TG009 1:2-1:4303 this number is over 4300 digits long [quote it if it is text]",
    # strings
    '["abc': f"TG003 1:2-1:3 this string is not closed on its line {NOT_CLOSED}",
    '["a\nb"]': f"TG003 1:2-1:3 this string is not closed on its line {NOT_CLOSED}",
    '["a\\': f"TG003 1:2-1:3 this string is not closed on its line {NOT_CLOSED}",
    '["a\tb"]': "TG003 1:4-1:5 the character U+0009 must be escaped in JSON [write `\\u0009`]",
    '["\x00"]': "TG003 1:3-1:4 the character U+0000 must be escaped in JSON [write `\\u0000`]",
    r'["a\d"]': f"TG003 1:4-1:6 `\\d` is not an escape {ESCAPES}",
    r'["\u12x4"]': f"TG003 1:3-1:9 `\\u12x4` is not an escape {ESCAPES}",
    r'["\ud800 "]': (
        "TG008 1:3-1:9 `\\ud800` is half of a surrogate pair, not a character [write both halves, or remove it]"
    ),
    r'["\\ud800 \ude00\ud800"]': (
        "TG008 1:11-1:17 `\\ude00` is half of a surrogate pair, not a character [write both halves, or remove it]"
    ),
    r'{"\udfff": 1}': (
        "TG008 1:3-1:9 `\\udfff` is half of a surrogate pair, not a character [write both halves, or remove it]"
    ),
    # keys
    '{"a": 1, "b": {"a": 2}, "\\u0061": 3}': (
        "TG004 1:25-1:33 duplicate key `a` (1:2-1:5: first written here) [remove or rename one of them]"
    ),
    # depth
    "[" * 201: (
        "TG005 1:201-1:202 this is nested more than 200 levels deep [give the inner part a name under `types`]"
    ),
    '{"a":' * 201: (
        "TG005 1:1001-1:1002 this is nested more than 200 levels deep [give the inner part a name under `types`]"
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.items(), ids=lambda text: ascii(text)[:40])
def test_location_and_message(text: str, expected: str) -> None:
    assert problem(text, "a.json") == expected


def test_reading_continues_after_recoverable_errors() -> None:
    found = problems('{"a": NaN, "a": 1, "b": "\\ud800", "c": {"d": 1e999}}', "a.json")

    assert [each[:11] for each in found] == ["TG009 1:7-1", "TG004 1:12-", "TG008 1:26-", "TG009 1:46-"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (" [ ] ", []),
        ("\r\n\t1\r\n", 1),
        ("-0.0", -0.0),
        ("1E+2", 100.0),
        ("1e-999", 0.0),
        ("9" * 4300, int("9" * 4300)),
        ('"\u2028\x7f\x85"', "\u2028\x7f\x85"),
        (r'"\ud83d\ude00 \uD83D\uDE00"', "😀 😀"),
        (r'"\u0000\/\"\\\b\f\n\r\t"', '\0/"\\\b\f\n\r\t'),
        (r'{"\u0061" : [true,false,null]}', {"a": [True, False, None]}),
        ("[" * 200 + "]" * 200, None),
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_valid_json_is_read(text: str, value: Any) -> None:
    found = data_of(text, "a.json")

    if value is not None:
        assert found == value
        assert type(found) is type(value)


@pytest.mark.parametrize("text", ["\u2028[]", "[\xa0]", "[1\x0b]"])
def test_only_four_characters_are_whitespace(text: str) -> None:
    assert problem(text, "a.json").startswith("TG003")


def test_a_byte_order_mark_is_ignored() -> None:
    assert data_of(b"\xef\xbb\xbf[1]", "a.json") == [1]
