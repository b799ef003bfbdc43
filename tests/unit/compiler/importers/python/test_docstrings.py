"""Docstrings: three styles say the same; what is no style is a description."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from toolgen.compiler.importers.python import Docstring

GOOGLE = """
    Find items.

    Looks in every shop.

    Args:
        query: What to
            look for.
        limit (int, optional): At most so many.

    Returns:
        list[str]: The items.

    Raises:
        ValueError: Never.
"""
NUMPY = """
    Find items.

    Looks in every shop.

    Parameters
    ----------
    query : str
        What to
        look for.
    limit : int, optional
        At most so many.

    Returns
    -------
    list[str]
        The items.
"""
SPHINX = """
    Find items.

    Looks in every shop.

    :param query: What to
        look for.
    :param int limit: At most so many.
    :returns: The items.
    :raises ValueError: Never.
"""


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_three_styles_say_the_same(text: str) -> None:
    found = Docstring.of(dedent(text).strip())
    assert found.description == "Find items.\n\nLooks in every shop."
    assert found.args == {"query": "What to look for.", "limit": "At most so many."}
    assert found.result == "The items."


def test_a_schema_keeps_the_descriptions_that_it_has() -> None:
    found = Docstring.of(dedent(GOOGLE).strip())
    fields = {"query": {"type": "string", "description": "Mine."}, "limit": {"type": "integer"}, "other": True}
    assert found.with_args({"type": "object", "properties": fields}) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Mine."},
            "limit": {"type": "integer", "description": "At most so many."},
            "other": True,
        },
    }
    assert found.with_result({"type": "array"}) == {"type": "array", "description": "The items."}


@pytest.mark.parametrize(
    "text", ["", "Only this.", "First line\nand second.", "Args:\n", ":param\n", "Parameters\n---\n"]
)
def test_no_docstring_is_an_error(text: str) -> None:
    found = Docstring.of(text)
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {}}}
    assert found.with_args(schema) == schema
    assert found.with_args({"type": "object"}) == {"type": "object"}
