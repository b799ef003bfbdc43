"""What a model is told of tag tools."""

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


def test_tel_08_the_prompt_tells_how_each_tool_is_called_and_what_it_does() -> None:
    intro, _, entries = prompt_block(TOOLS).partition("\n\n")
    assert intro.startswith("You can use the tools below by tags in your answer.")
    assert entries == (
        "CLAIM: [raw_arg]\nWhat claim does.\n\n"
        "LEARNING: [category] [what was learned]\nWhat learning does.\n"
        "[category] is one of: factual, communication, structured_data.\n\n"
        "SOURCE: [description]\nWhat source does."
    )


def test_tel_08_tel_32_every_description_and_example_of_every_tool_is_there_once() -> None:
    tools = tool_defs(load("generated"))
    assert len(tools) == 5
    block = prompt_block(tools)
    for each in tools:
        assert (block.count(each.description), block.count(each.prompt_example)) == (1, 1)


@given(st.lists(st.from_regex(r"[a-z]{3,9}", fullmatch=True), unique=True, max_size=40))
def test_tel_32_no_tool_is_left_out_however_many_there_are(names: list[str]) -> None:
    tools = [tool(name, prompt_example=f"{name.upper()}: [{name} it]", description=f"Do {name}.") for name in names]
    block = prompt_block(tools)
    for each in tools:
        assert (block.count(each.description), block.count(each.prompt_example)) == (1, 1)


def test_tel_08_the_order_of_registration_does_not_show() -> None:
    assert {registry(*tools).prompt_block() for tools in permutations(TOOLS)} == {prompt_block(TOOLS)}


def test_without_tools_nothing_is_told() -> None:
    assert registry().prompt_block() == ""


def test_no_model_is_told_of_a_tag_that_nothing_reads() -> None:
    with pytest.raises(CatalogError, match="the pattern of find uses an anchor"):
        prompt_block([tool("find", arg_pattern="^(.+)")])
