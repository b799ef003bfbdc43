"""`TOOLS.md` shows descriptions as in the spec: text stays text, and is not interpreted as Markdown."""

from __future__ import annotations

import pytest

from tests.hostile.building import compiled, toolset
from tests.hostile.page import skeleton, words
from tests.hostile.texts import LARGE, MEGABYTE, TEXTS
from toolgen.compiler.emit.documentation import emit_tools_md
from toolgen.spec.text import visible

ENCODABLE = {name: text for name, text in TEXTS.items() if "surrogate" not in name}
CODE = {"backticks", "markdown"}
"""Texts with code in backticks, which a page shows as code."""


def page(text: str) -> str:
    """The page of one tool, with a text as the description of the toolset, the tool and an arg."""
    tool = {"description": f"Acts.\n{text}", "args": {"type": "object", "properties": {"x": {"description": text}}}}
    return emit_tools_md(compiled({"shop.json": toolset("shop", tool, description=f"Sells.\n{text}")}).catalog)


@pytest.mark.parametrize("name", ENCODABLE)
def test_a_description_does_not_change_the_structure_of_a_page(name: str) -> None:
    assert skeleton(page(ENCODABLE[name])) == skeleton(page("plain"))


@pytest.mark.parametrize("name", sorted(ENCODABLE.keys() - CODE))
def test_a_page_shows_the_complete_description(name: str) -> None:
    expected = [visible(word) for word in ENCODABLE[name].split()]
    shown = (expected if word == "plain" else [word] for word in words(page("plain")))
    assert words(page(ENCODABLE[name])) == [word for some in shown for word in some]


@pytest.mark.parametrize("text", ["a `b | c`", "`[a](b)`", "``a`b``", "`a\\`", "`<b>`", "`" * 9 + "a"])
def test_code_between_backticks_is_code(text: str) -> None:
    assert skeleton(page(text)) == skeleton(page("plain"))


@pytest.mark.parametrize("name", LARGE)
def test_a_page_can_hold_a_large_text(name: str) -> None:
    assert len(page(LARGE[name])) > 200_000


@pytest.mark.long
@pytest.mark.parametrize("name", MEGABYTE)
def test_a_page_can_hold_a_megabyte(name: str) -> None:
    assert len(page(MEGABYTE[name])) > 1_000_000
