"""The prompt about tag tools."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.llm.tags.bot import learning, registry, tool
from toolgen.llm.tags import prompt_block, tool_defs
from toolgen.runtime import load
from toolgen.runtime.base.errors import CatalogError

TOOLS = [
    tool("source", prompt_example="SOURCE: [description]"),
    learning(prompt_example="LEARNING: [category] [what was learned]"),
    tool("claim"),
]


def test_tel_08_the_prompt_describes_each_tool_and_how_to_call_it() -> None:
    intro, _, entries = prompt_block(TOOLS).partition("\n\n")
    assert intro.startswith("You can use the tools below by tags in your answer.")
    assert entries == (
        "CLAIM: [raw_arg]\nWhat claim does.\n\n"
        "LEARNING: [category] [what was learned]\nWhat learning does.\n"
        "[category] is one of: factual, communication, structured_data.\n\n"
        "SOURCE: [description]\nWhat source does."
    )


def test_tel_08_tel_32_every_description_and_example_occurs_once() -> None:
    tools = tool_defs(load("generated"))
    assert len(tools) == 5
    block = prompt_block(tools)
    for each in tools:
        assert (block.count(each.description), block.count(each.prompt_example)) == (1, 1)


@given(st.lists(st.from_regex(r"[a-z]{3,9}", fullmatch=True), unique=True, max_size=40))
def test_tel_32_no_tool_is_left_out_of_many(names: list[str]) -> None:
    tools = [tool(name, prompt_example=f"{name.upper()}: [{name} it]", description=f"Do {name}.") for name in names]
    block = prompt_block(tools)
    for each in tools:
        assert (block.count(each.description), block.count(each.prompt_example)) == (1, 1)


def test_tel_08_the_order_of_registration_has_no_effect() -> None:
    assert {registry(*tools).prompt_block() for tools in permutations(TOOLS)} == {prompt_block(TOOLS)}


def test_without_tools_the_prompt_is_empty() -> None:
    assert registry().prompt_block() == ""


def test_a_tag_without_a_reader_is_not_in_the_prompt() -> None:
    with pytest.raises(CatalogError, match="the pattern of find uses an anchor"):
        prompt_block([tool("find", arg_pattern="^(.+)")])
