"""The flat view of tag tools, and the context of handlers."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tests.unit.llm.tags.bot import ANN, echo
from toolgen.llm import ToolUse
from toolgen.llm.tags import TagRegistry, ToolContext, ToolDef, tool_defs
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all, load
from toolgen.runtime.base.errors import CatalogError

FIELDS = [
    "name",
    "description",
    "tag_prefix",
    "arg_pattern",
    "arg_groups",
    "prompt_example",
    "handler",
    "cost",
    "requires_gate",
    "strip_from_display",
    "cooldown_seconds",
    "daily_limit",
]


def test_tel_01_a_tool_def_has_exactly_these_fields() -> None:
    assert [field.name for field in fields(ToolDef)] == FIELDS
    with pytest.raises(TypeError, match="colour"):
        ToolDef(name="x", description="x", tag_prefix="X", colour="red")  # type: ignore[call-arg]  # under test


def test_tel_02_optional_fields_have_these_defaults() -> None:
    tool = ToolDef(name="x", description="x", tag_prefix="X")
    assert (tool.arg_pattern, tool.arg_groups, tool.prompt_example) == ("(.+)", ["raw_arg"], "")
    assert (tool.strip_from_display, tool.cooldown_seconds, tool.daily_limit) == (True, 0, 0)


def test_tel_01_a_compiled_tool_has_every_field_of_its_spec() -> None:
    catalog = Catalog()
    tag = {
        "prefix": "F",
        "pattern": "(a|b) (.+)",
        "groups": ["x", "y"],
        "example": "F: x y",
        "strip_from_display": False,
    }
    limits = {"cooldown_seconds": 2.5, "daily_limit": 4}
    metadata = {"tag": tag, "cost": "expensive", "gate": True, "limits": limits}
    definition = ToolDefinition(name="a.find", description="Find.", input_schema={"type": "object"}, metadata=metadata)
    catalog.register(definition, lambda _args: None)
    assert tool_defs(catalog, {"find": echo}) == [
        ToolDef(
            name="find",
            description="Find.",
            tag_prefix="F",
            arg_pattern="(a|b) (.+)",
            arg_groups=["x", "y"],
            prompt_example="F: x y",
            handler=echo,
            cost="expensive",
            requires_gate=True,
            strip_from_display=False,
            cooldown_seconds=2.5,
            daily_limit=4,
        )
    ]


def test_tel_03_a_cost_is_free_cheap_or_expensive() -> None:
    with pytest.raises(ValueError, match="it must be free, cheap or expensive"):
        ToolDef(name="x", description="x", tag_prefix="X", cost="dear")  # type: ignore[arg-type]  # under test


def test_tel_04_a_context_has_the_user_the_arg_and_the_chat() -> None:
    assert {"raw_arg", "user_message", "user", "chat_id", "kb_context", "confidence"} <= {
        field.name for field in fields(ToolContext)
    }
    assert (ANN.kb_context, ANN.confidence) == (None, None)


def test_tool_defs_are_sorted_by_name_over_all_toolsets() -> None:
    catalog = Catalog()
    tag = {"prefix": "X", "pattern": "(.+)", "groups": ["raw_arg"], "example": "", "strip_from_display": True}
    for ident, metadata in (("a.zed", {"tag": tag}), ("b.add", {"tag": tag}), ("c.many", {})):
        definition = ToolDefinition(name=ident, description="x", input_schema={"type": "object"}, metadata=metadata)
        catalog.register(definition, lambda _args: None)
    assert [tool.name for tool in tool_defs(catalog)] == ["add", "zed"]


def test_compiled_tag_tools_are_listed_in_the_flat_form_sorted_by_name() -> None:
    found = {tool.name: tool for tool in tool_defs(load("generated"), {"research": echo})}
    assert list(found) == ["claim", "learning", "research", "source", "summarize"]
    assert found["research"] == ToolDef(
        name="research",
        description="Search X for recent posts on a topic. Results sent back to chat.",
        tag_prefix="RESEARCH",
        prompt_example="RESEARCH: [search query]",
        handler=echo,
        cost="cheap",
        daily_limit=3,
    )
    assert found["learning"].arg_groups == ["category", "content"]
    assert found["summarize"].requires_gate


def of_tags(*tools: tuple[str, str]) -> Catalog:
    """Return a catalog of registered tag tools: pairs of an ident and a prefix."""
    catalog = Catalog()
    for ident, prefix in tools:
        tag = {"prefix": prefix, "pattern": "(.+)", "groups": ["raw_arg"], "example": "", "strip_from_display": True}
        definition = ToolDefinition(name=ident, description="x", input_schema={"type": "object"}, metadata={"tag": tag})
        catalog.register(definition, lambda _args: None)
    return catalog


def test_two_tools_with_the_same_key_are_refused_by_all_readers() -> None:
    catalog = of_tags(("b.find", "FIND"), ("a.find", "SEEK"), ("a.keep", "KEEP"))
    message = "^a.find and b.find would both be the tag tool find: rename one$"
    runtime = Runtime(catalog, permission=allow_all)
    for use in (
        lambda: tool_defs(catalog),
        lambda: TagRegistry().register_compiled(catalog, {}),
        lambda: ToolUse(catalog).tagged(runtime, runtime.start_run()),
    ):
        with pytest.raises(CatalogError, match=message):
            use()


def test_two_tools_with_the_same_prefix_are_refused_in_a_conversation() -> None:
    catalog = of_tags(("a.find", "FIND"), ("a.seek", "FIND"))
    runtime = Runtime(catalog, permission=allow_all)
    with pytest.raises(CatalogError, match=r"^the tag FIND would call both find and seek$"):
        ToolUse(catalog).tagged(runtime, runtime.start_run())
