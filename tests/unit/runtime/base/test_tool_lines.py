"""Reading the tools of a `catalog.json` line by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.shop import TOOLS
from toolgen.runtime import load
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.packages import read_tool_lines

if TYPE_CHECKING:
    from tests.unit.runtime.package import Shop

HEAD = '{\n"contract": 1,\n"toolsets": {\n"a": {}\n},\n'
TAIL = '\n},\n"wire_names": {},\n"tags": {}\n}\n'


def text_of(tools: dict[str, Any]) -> bytes:
    lines = ",\n".join(f"{json.dumps(ident)}:\n{json.dumps(tool)}" for ident, tool in tools.items())
    return f'{HEAD}"tools": {{\n{lines}{TAIL}'.encode()


def test_tools_are_separated_from_the_document() -> None:
    document, tools = read_tool_lines(text_of(TOOLS))
    assert document == {"contract": 1, "toolsets": {"a": {}}, "wire_names": {}, "tags": {}}
    assert dict(tools) == TOOLS
    assert list(tools) == list(TOOLS)
    assert len(tools) == len(TOOLS)
    assert "shop.orders.find" in tools
    assert "shop.orders" not in tools
    assert tools.get("shop.orders") is None


def test_an_entry_is_a_copy() -> None:
    _, tools = read_tool_lines(text_of({"a.b": {"args": {}}}))
    tools["a.b"]["args"]["x"] = 1
    assert tools["a.b"] == {"args": {}}


def test_line_breaks_in_texts_do_not_end_a_line() -> None:
    hostile = {"a.b": {"description": 'x\n},\n"tools": {\n"a.c": {}'}, "a.d": {}}
    assert dict(read_tool_lines(text_of(hostile))[1]) == hostile


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("tools", [TOOLS, {}])
def test_a_reformatted_catalog_is_read_equal(tools: dict[str, Any], indent: int | None) -> None:
    document = {"contract": 1, "tools": tools, "tags": {}}
    rest, found = read_tool_lines(json.dumps(document, indent=indent).encode())
    assert (rest, dict(found)) == ({"contract": 1, "tags": {}}, tools)


@pytest.mark.parametrize("text", [b"", b"[]", b"{", text_of(TOOLS)[:-30], b'{\n"tools": {\nno line\n},\n"tags": {}\n}'])
def test_an_invalid_catalog_is_refused_at_once(text: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # of any parser
        read_tool_lines(text)


@pytest.mark.parametrize("entry", ["{", "[]"])
def test_a_damaged_entry_is_refused_when_it_is_read(shop: Shop, entry: str) -> None:
    text = text_of({"a.b": {"description": "Fine.", "args": {}}}).decode()
    (shop.folder / "catalog.json").write_text(text.replace(TAIL, f',\n"a.c":\n{entry}{TAIL}'))
    catalog = load(shop.name)
    assert catalog.definition("a.b").description == "Fine."
    with pytest.raises(CatalogError, match=r"damaged.*toolgen build"):
        catalog.definition("a.c")
