"""Syntax errors of YAML: exact locations and helpful messages."""

from __future__ import annotations

import pytest

from tests.unit.compiler.source.reading import problem

QUOTE = "[quote the value]"
SPACES = "[indent with spaces]"
SINGLE_QUOTES = "use single quotes: in single quotes a `\\` is literal]"
SAME_INDENTATION = "[indent all its parts equally, and do not mix keys with list items]"

CASES = {
    # characters that cannot start a value
    "a: @x": f"TG003 1:4-1:5 a value cannot start with `@` {QUOTE}",
    "a: `x`": f"TG003 1:4-1:5 a value cannot start with ``` {QUOTE}",
    "a: %x": f"TG003 1:4-1:5 a value cannot start with `%` {QUOTE}",
    "a: ? b": f"TG003 1:4-1:5 a value cannot start with `? ` {QUOTE}",
    "a: *.pem": (f"TG003 1:4-1:5 `*` starts an alias, but this is not an alias name {QUOTE}"),
    "a: *": f"TG003 1:4-1:5 `*` starts an alias, but this is not an alias name {QUOTE}",
    "a: &": f"TG003 1:4-1:5 `&` starts an anchor, but this is not an anchor name {QUOTE}",
    "a: !<": f"TG003 1:4-1:6 `!` starts a tag, but this is not a tag {QUOTE}",
    "a: !x!y z": (f"TG003 1:4-1:5 `!` starts a tag, but this tag is unknown {QUOTE}"),
    "a: - b": (
        "TG003 1:4-1:5 a list item cannot start in the middle of a line "
        "[put `- …` on the next line, or quote it if it is text]"
    ),
    "a: }": "TG003 1:4-1:5 expected a value, found `}` [quote it if it is text]",
    "[a, , b]": "TG003 1:5-1:6 expected a value, found `,` [quote it if it is text]",
    "a: >x": ("TG003 1:5-1:6 only indented lines of text can follow `|` or `>` [start the text on the next line]"),
    # tabs
    "a:\n\tb: 1": f"TG003 2:1-2:2 a tab cannot indent YAML {SPACES}",
    "a: x\n\tb: 2": f"TG003 2:1-2:2 a tab cannot indent YAML {SPACES}",
    "a: |\n  x\n\ty": f"TG003 3:1-3:2 a tab cannot indent YAML {SPACES}",
    # colons
    "tools:\n  x:\n    d: foo: bar": f"TG003 3:11-3:12 plain text cannot contain `: ` {QUOTE}",
    "a:b\nc: d": "TG003 1:2-1:3 there is no space after this colon [write `key: value`]",
    "a: 1\nfoo:x\nb: 2": "TG003 2:4-2:5 there is no space after this colon [write `key: value`]",
    "a: 1\nfoo\nb: 2": (
        "TG003 2:1-2:4 this is not a key, because `: ` is missing "
        "[write `key: value`; indent multi-line text under `|`]"
    ),
    "a: 1\n  b: 2": (
        "TG003 2:3-2:4 a key is not allowed here: the key above already has a value "
        "[align it with the keys above, or quote the value above]"
    ),
    "k" * 1025 + ": 1": (
        "TG003 1:1026-1:1027 a key is at most 1024 characters long [write `? key`, and `: value` on the next line]"
    ),
    # brackets
    "a: [1, {b: 2": "TG003 1:8-1:9 this `{` is never closed [close it with `}`]",
    "a:\n  [1,\n   2\n": "TG003 2:3-2:4 this `[` is never closed [close it with `]`]",
    "a: [1, 2\nb: 3": (
        "TG003 2:2-2:3 expected `,` or `]`, found `:` (1:4-1:5: it starts here) [close the list or mapping with `]`]"
    ),
    "a: {b c: 1]": (
        "TG003 1:11-1:12 expected `,` or `}`, found `]` (1:4-1:5: it starts here) "
        "[text with brackets, commas or `: ` must be quoted]"
    ),
    "a: {x} and more": "TG003 1:8-1:9 unexpected text after the closing `}` [quote the whole value]",
    # quotes
    "a: 'x\nb: 1\n": "TG003 1:4-1:5 this `'` is never closed [close it with `'`]",
    'a: "x': 'TG003 1:4-1:5 this `"` is never closed [close it with `"`]',
    "a: 'it's'": (
        "TG003 1:8-1:9 unexpected text after the closing `'` "
        "[quote the whole value once; inside single quotes write `'` as `''`]"
    ),
    'a: "x" y': (
        'TG003 1:8-1:9 unexpected text after the closing `"` '
        '[quote the whole value once; inside double quotes write `"` as `\\"`]'
    ),
    "a: 'x\n---\n'": (
        "TG003 2:1-2:4 a line that starts with `---` ends the document, in the middle of quoted text "
        "(1:4-1:5: it starts here) [indent the line, or close the quotes before it]"
    ),
    # escapes
    r'a: "^\d+$"': f"TG003 1:6-1:8 `\\d` is not an escape [write `\\\\d`, or {SINGLE_QUOTES}",
    r'a: "\xzz"': f"TG003 1:5-1:7 `\\x` takes 2 hexadecimal digits [write them all, or {SINGLE_QUOTES}",
    r'a: "\UFFFFFFFF"': "TG003 1:5-1:15 there is no character U+FFFFFFFF [the last one is U+10FFFF]",
    r'a: "\ud83d\ude00"': (
        "TG008 1:5-1:17 YAML has no surrogate pairs, and half of one is not a character "
        "[write `\\U0001f600`, or the character itself]"
    ),
    r'a: "\ud83d!"': ("TG008 1:5-1:11 YAML has no surrogate pairs, and half of one is not a character [remove it]"),
    # indentation and inconsistent blocks
    "a:\n  - b\n c: 1": f"TG003 3:2-3:3 expected a key, found `c` (1:1-1:2: it starts here) {SAME_INDENTATION}",
    "a: 1\n- b": f"TG003 2:1-2:2 expected a key, found `-` (1:1-1:2: it starts here) {SAME_INDENTATION}",
    "- a\nb: 1": (
        f"TG003 2:1-2:2 expected the `-` of a list item, found `b` (1:1-1:2: it starts here) {SAME_INDENTATION}"
    ),
    "a\n...\nb": (
        "TG003 3:1-3:2 expected the end of the file, found `b` "
        "[a file is one mapping: `key: value` lines from the first column]"
    ),
    # directives
    "%FOO\na: 1": ("TG003 1:1-1:5 a line that starts with `%` is a directive, but this one is unknown [remove it]"),
    "%YAML 2.0\n---\na: 1": "TG003 1:1-1:10 this is not YAML 1.2 [remove the `%YAML` line]",
    # empty files
    "": "TG003 1:1-1:1 the file is empty [start it with `toolgen: 1`]",
    "# nothing\n": "TG003 1:1-1:1 the file is empty [start it with `toolgen: 1`]",
    # characters
    "a: é\x00": (
        "TG003 1:5-1:6 the character U+0000 must be escaped in YAML [remove it, or write `\\x00` in double quotes]"
    ),
    "a: 1\nb: '\x1b[31m'": (
        "TG003 2:5-2:6 the character U+001B must be escaped in YAML [remove it, or write `\\x1b` in double quotes]"
    ),
    "a: \ud800": "TG008 1:4-1:5 half of a surrogate pair is not a character [remove it]",
}


@pytest.mark.parametrize(("text", "expected"), CASES.items(), ids=ascii)
def test_location_and_message(text: str, expected: str) -> None:
    assert problem(text) == expected


def test_locations_are_exact_after_the_first_line_and_after_non_ascii_text() -> None:
    assert problem("a: 1\r\nb: 😀é\r\nc: '😀' x\r\n").startswith("TG003 3:8-3:9 unexpected text after the closing `'`")
