"""Literals: any value of a spec as Python source that reads back equal and shows its content."""

from __future__ import annotations

import ast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgen.compiler.emit.literals import docstring, literal
from toolgen.compiler.source.limits import MAX_DIGITS
from toolgen.spec.text import first_line, is_hidden

TEXT = st.text(st.characters(exclude_categories=[]))
"""All of Unicode, lone surrogates included."""

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=10)


@given(VALUES)
@example("\"\"\"'''\\\n\r\t\x00\x7f\x85\xa0\u200b\u202e\u2028\ud800\U0001f600{x}%s{{ x }}")
@example(2**500)
@example(-0.0)
@example(1e300)
def test_a_literal_reads_back_equal(value: object) -> None:
    source = literal(value)
    found = ast.literal_eval(source)
    assert (found, str(found)) == (value, str(value))


@given(TEXT)
def test_a_text_literal_shows_its_content_on_one_line(text: str) -> None:
    assert not any(map(is_hidden, literal(text)))


def test_the_longest_allowed_integer_reads_back_equal() -> None:
    value = 10**MAX_DIGITS - 1
    assert ast.literal_eval(literal(value)) == value


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object()])
def test_values_outside_json_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match="not a JSON value"):
        literal(value)


@given(TEXT)
@example('"')
@example("\\")
@example('ends in """')
@example('""""')
@example("a\\\n\\")
@example("\n\n")
def test_a_docstring_cannot_be_ended_by_its_text(text: str) -> None:
    source = f"class Made:\n    {docstring(text, '    ')}\n    value = 1\n"
    (made,) = ast.parse(source).body
    assert isinstance(made, ast.ClassDef)
    assert [type(statement) for statement in made.body] == [ast.Expr, ast.Assign]
    assert ast.get_docstring(made) is not None


@given(TEXT)
def test_a_docstring_shows_its_content(text: str) -> None:
    assert not any(is_hidden(char) for char in docstring(text, "    ") if char != "\n")


@given(st.lists(st.text(st.characters(categories=["L", "N", "P", "S"])), min_size=1))
def test_a_docstring_keeps_every_line_of_prose(lines: list[str]) -> None:
    found = ast.literal_eval(docstring("\n".join(lines), ""))
    assert [line.strip() for line in found.strip().split("\n")] == [
        line.strip() for line in "\n".join(lines).strip().split("\n")
    ]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Plain prose.", '"""Plain prose."""'),
        ('Says "no"', '"""Says "no" """'),
        ('"Yes" it says', '""" "Yes" it says"""'),
        ("Two\nlines", '"""Two\n    lines\n    """'),
        ("Two\n\nparagraphs  ", '"""Two\n\n    paragraphs\n    """'),
        ("a \\ b", '"""a \\\\ b"""'),
        ('"""', '"""\\"\\"\\" """'),
    ],
)  # fmt: skip
def test_a_docstring_is_formatted_like_a_handwritten_one(text: str, source: str) -> None:
    assert docstring(text, "    ") == source


def test_the_short_description_is_the_first_line_with_text() -> None:
    assert first_line("\n  \n  Find orders.  \nAnd more.") == "Find orders."
    assert first_line(" \n") == ""
