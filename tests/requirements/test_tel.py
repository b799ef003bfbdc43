"""Requirements of the registry of tag tools that the compiler meets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compiler.specs import resolved, toolset


def bot(**tools: dict[str, Any]) -> str:
    """A toolset of tag tools."""
    return toolset(tools, name="bot")


def test_tel_01_a_tag_has_these_keys_and_no_others() -> None:
    keys = {"prefix": "FIND", "pattern": "(.+)", "example": "FIND: x", "strip_from_display": False}
    assert resolved(bot(find={"tag": keys})).messages == []
    found = resolved(bot(find={"tag": {**keys, "colour": "red"}}))
    assert [message.split(" ", 2)[2] for message in found.messages] == ["`colour` is not a key of `tools.find.tag`"]


def test_tel_01_a_tool_groups_the_other_fields_of_a_tool_def() -> None:
    limits = {"cooldown_seconds": 2.5, "daily_limit": 3}
    tool = resolved(bot(find={"tag": {}, "cost": "cheap", "gate": True, "limits": limits})).tools["bot.find"]
    assert (tool.cost, tool.gate, tool.limits.cooldown_seconds, tool.limits.daily_limit) == ("cheap", True, 2.5, 3)


def test_tel_02_what_is_not_said_has_these_defaults() -> None:
    tool = resolved(bot(find={"tag": {}})).tools["bot.find"]
    assert tool.tag is not None
    assert (tool.tag.prefix, tool.tag.pattern, tool.tag.groups) == ("FIND", "(.+)", ("raw_arg",))
    assert (tool.tag.example, tool.tag.strip_from_display) == ("", True)
    assert (tool.limits.cooldown_seconds, tool.limits.daily_limit) == (0, 0)


def test_tel_02_the_pattern_is_made_from_the_required_args() -> None:
    args = {"category": {"enum": ["factual", "a+b"]}, "content": "string", "note?": "string"}
    tag = resolved(bot(learn={"args": args, "tag": {}})).tools["bot.learn"].tag
    assert tag is not None
    assert (tag.pattern, tag.groups) == (r"(factual|a\+b)\s+(.+)", ("category", "content"))


@pytest.mark.parametrize("cost", ["free", "cheap", "expensive"])
def test_tel_03_a_cost_is_one_of_three_words(cost: str) -> None:
    assert resolved(bot(find={"tag": {}, "cost": cost})).tools["bot.find"].cost == cost


def test_tel_03_any_other_cost_is_a_compile_error() -> None:
    found = resolved(bot(find={"tag": {}, "cost": "huge"}))
    message = '`cost` must be `free`, `cheap` or `expensive`, and is "huge"'
    assert [said.split(" ", 2)[2] for said in found.messages] == [message]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"(\w+) (\w+)", "the pattern has 2 groups, and the tool has 1 required args: `raw_arg`"),
        (".+", "the pattern has 0 groups, and the tool has 1 required args: `raw_arg`"),
        ("(.+", "the pattern is not a regular expression: missing ), unterminated subpattern at position 0"),
    ],
)
def test_tel_18_a_pattern_whose_groups_are_not_the_args_is_a_compile_error(pattern: str, problem: str) -> None:
    found = resolved(bot(find={"tag": {"pattern": pattern}}))
    assert [message.split(" ", 2)[2] for message in found.messages] == [problem]


def test_tel_18_two_tools_with_one_prefix_are_a_compile_error() -> None:
    found = resolved(bot(find={"tag": {}}, search={"tag": {"prefix": "FIND"}}))
    assert [message.split(" ", 2)[2] for message in found.messages] == ["two tag tools have the prefix `FIND`"]
