"""Diagnostics as text and as JSON."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen.compiler.diagnostics import Diagnostics, Related, Span
from toolgen.compiler.diagnostics.render import render_json, render_text

FILE = "specs/a.yaml"


def rendered(text: str, *span: int, message: str = "m", fix: str = "", file: str = FILE) -> str:
    """Render one diagnostic about a span of a text."""
    sink = Diagnostics()
    sink.report("TG003", Span(file, *span), message, fix=fix)
    return render_text(sink, {file: text}, color=False)


def excerpt(text: str, *span: int) -> str:
    """The source line and the line with the caret, without their margin."""
    source, caret = rendered(text, *span).splitlines()[3:5]
    return f"{source.partition('|')[2][1:]}\n{caret.partition('|')[2][1:]}"


def test_a_diagnostic_shows_its_location_its_line_and_a_fix() -> None:
    assert rendered("a: 1\n    foo: bar\n", 2, 5, 2, 8, message="no such key", fix="leave it out") == (
        "error[TG003]: no such key\n"
        " --> specs/a.yaml:2:5\n"
        "  |\n"
        "2 |     foo: bar\n"
        "  |     ^^^\n"
        "  |\n"
        "  = help: leave it out\n"
        "\n"
        "1 error\n"
    )


def test_related_locations_are_notes_with_the_same_margin() -> None:
    sink = Diagnostics()
    related = [Related(Span(FILE, 1, 1, 1, 2), "first written here"), Related(Span("b.yaml", 7, 1, 7, 2), "and there")]
    sink.report("TG004", Span(FILE, 12, 1, 12, 2), "`a` occurs twice", related=related, fix="rename one")

    assert render_text(sink, {FILE: "a: 1\n" + "\n" * 10 + "a: 2\n"}, color=False) == (
        "error[TG004]: `a` occurs twice\n"
        "  --> specs/a.yaml:12:1\n"
        "   |\n"
        "12 | a: 2\n"
        "   | ^\n"
        "   |\n"
        "   = help: rename one\n"
        "note: first written here\n"
        "  --> specs/a.yaml:1:1\n"
        "   |\n"
        " 1 | a: 1\n"
        "   | -\n"
        "note: and there\n"
        "  --> b.yaml:7:1\n"
        "\n"
        "1 error\n"
    )


def test_the_last_line_counts() -> None:
    sink = Diagnostics()
    for line in (1, 2):
        sink.report("TG003", Span(FILE, line), "m")
    sink.report("TG203", Span(FILE, 3), "m")

    assert render_text(sink, {}, color=False).splitlines()[-1] == "2 errors, 1 warning"
    assert render_text(Diagnostics(), {}, color=False) == ""


@pytest.mark.parametrize("text", ["", "a\n"])
def test_a_location_without_a_source_line_is_still_shown(text: str) -> None:
    assert rendered(text, 3, 1, 3, 2) == "error[TG003]: m\n --> specs/a.yaml:3:1\n\n1 error\n"
    assert (
        render_text(_one(Span("gone.yaml", 1)), {}, color=False) == "error[TG003]: m\n --> gone.yaml:1:1\n\n1 error\n"
    )


def _one(span: Span, message: str = "m") -> Diagnostics:
    sink = Diagnostics()
    sink.report("TG003", span, message)
    return sink


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        ("a: b", (1, 4, 1, 5), "a: b\n   ^"),
        ("", (1, 1, 1, 1), "\n^"),
        ("a: b\n", (1, 5, 1, 6), "a: b\n    ^"),
        ("a:\n  b: 1\n  c: 2", (2, 3, 3, 7), "  b: 1\n  ^^^^"),
        ("a: [1,  \n  2]", (1, 4, 2, 5), "a: [1,\n   ^^^"),
        ("\ta: b", (1, 2, 1, 3), "    a: b\n    ^"),
        ("ab\tc: d", (1, 4, 1, 5), "ab  c: d\n    ^"),
        ("\tx", (1, 1, 1, 2), "    x\n^^^^"),
        ("日本: x", (1, 5, 1, 6), "日本: x\n      ^"),
        ("日本: x", (1, 2, 1, 3), "日本: x\n  ^^"),
        ("e\u0301: x", (1, 5, 1, 6), "e\u0301: x\n   ^"),
        ("\ufeffa: x", (1, 4, 1, 5), "a: x\n   ^"),
        ("a\u202eb: x", (1, 3, 1, 4), "a\\u202eb: x\n       ^"),
        ("a\x1b[2Jb: x", (1, 2, 1, 3), "a\\x1b[2Jb: x\n ^^^^"),
        ("a\r\nb: x\r\n", (2, 4, 2, 5), "b: x\n   ^"),
        ("a\u2028b: x", (1, 6, 1, 7), "a\\u2028b: x\n          ^"),
    ],
)
def test_the_caret_is_aligned(text: str, span: tuple[int, ...], expected: str) -> None:
    assert excerpt(text, *span) == expected


@pytest.mark.parametrize("column", [1, 50, 61, 100, 500, 960, 961, 999, 1000, 1001])
def test_a_long_line_is_cut_around_the_caret(column: int) -> None:
    text = "".join(chr(ord("a") + number % 26) for number in range(1000))
    source, caret = excerpt(text, 1, column, 1, column + 1).split("\n")

    assert len(source) <= 102
    assert len(caret) <= 102
    assert source.strip("…") in text
    assert source.startswith("…") == (column > 61)
    assert source.endswith("…") == (column < 961)
    if column <= 1000:
        assert source[len(caret) - 1] == text[column - 1]


def test_a_long_underline_stops_at_the_end_of_what_is_shown() -> None:
    source, caret = excerpt("a: " + "x" * 5000, 1, 4, 1, 5004).split("\n")

    assert (source, caret) == (f"a: {'x' * 97}…", f"   {'^' * 97}")


def test_a_long_message_is_cut() -> None:
    assert rendered("a", 1, 1, 1, 2, message="x" * 5000).startswith(f"error[TG003]: {'x' * 999}…\n")


def test_control_characters_of_a_spec_are_escaped() -> None:
    hostile = "\x1b]0;owned\x07\u202e\n\r\t\x9b31m"
    text = rendered(f"a: {hostile}", 1, 1, 1, 2, message=hostile, fix=hostile, file=f"specs/{hostile}.yaml")

    assert text.splitlines()[:2] == [
        "error[TG003]: \\x1b]0;owned\\x07\\u202e\\n\\r\\t\\x9b31m",
        " --> specs/\\x1b]0;owned\\x07\\u202e\\n\\r\\t\\x9b31m.yaml:1:1",
    ]
    assert all(char == "\n" or char.isprintable() for char in text)


@settings(max_examples=2 * settings().max_examples)
@given(
    st.text(max_size=300),
    st.text(max_size=20),
    st.integers(1, 5),
    st.integers(1, 320),
    st.integers(1, 5),
    st.integers(1, 320),
)
def test_any_text_and_any_location_can_be_rendered(
    text: str, message: str, line: int, column: int, end_line: int, end_column: int
) -> None:
    shown = rendered(text, line, column, end_line, end_column, message=message, fix=message)

    assert all(char in "\n\u3000" or char.isprintable() for char in shown)
    assert shown.startswith("error[TG003]: ")


def test_colors_are_only_for_terminals_and_change_nothing_else() -> None:
    sink = Diagnostics()
    sink.report("TG004", Span(FILE, 2, 1, 2, 2), "m", related=[Related(Span(FILE, 1, 1, 1, 2), "n")], fix="f")
    sink.report("TG203", Span(FILE, 2, 1, 2, 2), "w")
    sources = {FILE: "a: 1\na: 2"}
    colored = render_text(sink, sources, color=True)

    assert colored.startswith("\x1b[1;31merror[TG004]\x1b[0m\x1b[1m: m\x1b[0m\n")
    assert "\x1b[1;33mwarning[TG203]\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render_text(sink, sources, color=False)


def test_json_has_everything() -> None:
    sink = Diagnostics()
    related = [Related(Span("b.yaml", 1, 2, 3, 4), "first written here")]
    sink.report("TG004", Span(FILE, 2, 1, 2, 4), "`a\x1b` occurs twice", related=related, fix="rename one")

    found = render_json(sink)

    assert found == [
        {
            "code": "TG004",
            "name": "duplicate-key",
            "severity": "error",
            "file": FILE,
            "line": 2,
            "column": 1,
            "end_line": 2,
            "end_column": 4,
            "message": "`a\x1b` occurs twice",
            "related": [
                {
                    "file": "b.yaml",
                    "line": 1,
                    "column": 2,
                    "end_line": 3,
                    "end_column": 4,
                    "message": "first written here",
                }
            ],
            "fix": "rename one",
        }
    ]
    assert json.loads(json.dumps(found)) == found


def test_wide_characters_count_as_two_columns() -> None:
    assert excerpt("{日本語: 한국어, \uff46: x", 1, 14, 1, 15) == "{日本語: 한국어, \uff46: x\n" + " " * 20 + "^"
