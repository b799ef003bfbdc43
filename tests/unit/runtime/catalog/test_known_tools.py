"""Known tools: lookup by name, and suggestions."""

from __future__ import annotations

import pytest

from toolgen.providers.spellings import SpelledTool
from toolgen.runtime.catalog.known_tools import KnownTools

TOOLS = KnownTools(
    [
        SpelledTool("mcp.a.x", "mcp__a__x", "y"),
        SpelledTool("mcp.a.z", "mcp__a__z", "x"),
        SpelledTool("mcp.a.odd", "z", "odd.name"),
        SpelledTool("shop.find_order", "shop__find_order", "find_order"),
        SpelledTool("mcp.b.plain", "mcp__b__plain", "mcp.a.x"),
    ]
)


@pytest.mark.parametrize(
    ("name", "idents"),
    [
        ("mcp.a.x", ("mcp.a.x",)),  # its ident, although it is the source name of another
        ("z", ("mcp.a.odd",)),  # its wire name, although it is another's key
        ("x", ("mcp.a.x", "mcp.a.z")),  # the key of one, and the source name of the other
        ("odd.name", ("mcp.a.odd",)),
        ("find_order", ("shop.find_order",)),
        ("X", ()),
        ("", ()),
    ],
)
def test_a_name_means_an_ident_a_wire_name_or_all_tools_with_that_name(name: str, idents: tuple[str, ...]) -> None:
    assert TOOLS.find(name) == idents


@pytest.mark.parametrize("name", ["find_ordr", "shop.find_ordr", "shop__find_ordr"])
def test_a_misspelling_of_any_of_its_names_suggests_a_tool(name: str) -> None:
    assert TOOLS.nearest(name)[0] == "shop.find_order"


def test_a_tool_of_several_catalogs_is_one_tool() -> None:
    tool = SpelledTool("shop.find", "shop__find", "find")
    assert KnownTools([tool, tool]).find("find") == ("shop.find",)
