"""A malformed definition is a `CatalogError` on creation or registration, and causes no other error later."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgen.contract.records import ToolRequest
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all, load
from toolgen.runtime.base.errors import CatalogError
from toolgen.spec.tool_settings import ToolSettings

if TYPE_CHECKING:
    from tests.unit.runtime.package import Shop

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
GOOD: dict[str, Any] = {"name": "own.tool", "description": "x", "input_schema": {"type": "object"}}


def deep(levels: int) -> Any:
    schema: Any = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def looped() -> Any:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["a"] = schema
    return schema


def lattice(height: int) -> Any:
    schema: Any = {"type": "object"}
    for _ in range(height):
        schema = {"type": "object", "properties": {"a": schema, "b": schema}}
    return schema


def register(**changes: Any) -> Catalog:
    catalog = Catalog()
    catalog.register(ToolDefinition(**GOOD | changes), lambda _args: None, profile="full")
    return catalog


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": 5}, "5 is not a valid tool name"),
        ({"name": " "}, "' ' is not a valid tool name"),
        ({"description": " \n"}, "own.tool has no description: models choose tools by it"),
        ({"description": 5}, "own.tool has no description: models choose tools by it"),
        ({"title": 5}, "the title of own.tool must be text, not 5"),
        ({"title": " "}, "the title of own.tool must be text, not ' '"),
        ({"tags": "slow"}, "the tags of own.tool must be a set of words, not 'slow'"),
        ({"tags": 5}, "the tags of own.tool must be a set of words, not 5"),
        ({"tags": [["a"]]}, "the tags of own.tool must be a set of words, not [['a']]"),
        ({"tags": [" "]}, "the tags of own.tool must be a set of words, not [' ']"),
        ({"permission": ["write"]}, "own.tool has permission ['write']; it must be one of readonly, write"),
        ({"metadata": "x"}, "the metadata of own.tool must be a mapping, not str"),
        ({"metadata": {"limits": {"timeout_ms": "x"}}}, "the metadata of own.tool, at `limits.timeout_ms"),
        ({"metadata": {"limits": {"timeout": 1}}}, "the metadata of own.tool, at `limits.timeout"),
        ({"metadata": {"limits": 5}}, "the metadata of own.tool, at `limits`: "),
        ({"metadata": {"access": {"write": "path"}}}, "the metadata of own.tool, at `access.write`: "),
        ({"metadata": {"roles": "main"}}, "the metadata of own.tool, at `roles`: "),
        ({"metadata": {"roles": ["boss"]}}, "the metadata of own.tool, at `roles.0`: "),
        ({"metadata": {"confirm": True}}, "the metadata of own.tool, at `confirm`: "),
        ({"metadata": {"inject": "tenant"}}, "the metadata of own.tool, at `inject`: "),
        ({"metadata": {"gate": "no"}}, "the metadata of own.tool, at `gate`: "),
        ({"metadata": {"examples": [5]}}, "the metadata of own.tool, at `examples.0`: "),
        ({"metadata": {"args_secrets": "x"}}, "the metadata of own.tool, at `args_secrets`: "),
        ({"input_schema": True}, "the input_schema of own.tool does not describe an object"),
        ({"input_schema": {"type": "object", "$defs": 5}}, "a schema of own.tool is not a valid JSON Schema"),
        ({"input_schema": {"type": "object", "properties": 5}}, "a schema of own.tool is not a valid JSON Schema"),
        ({"input_schema": {"type": "object", "properties": {1: {}}}}, "the input_schema of own.tool has the key 1, "),
        ({"input_schema": {"type": "object", "enum": {5}}}, "the input_schema of own.tool holds a set, which is no"),
        ({"input_schema": deep(3000)}, "the input_schema of own.tool is nested more than 200 levels deep"),
        ({"input_schema": looped()}, "the input_schema of own.tool is nested more than 200 levels deep"),
        ({"input_schema": lattice(40)}, "the input_schema of own.tool holds more than 100,000 values"),
        ({"result_schema": deep(3000)}, "the result_schema of own.tool is nested more than 200 levels deep"),
        ({"result_schema": {"type": object()}}, "the result_schema of own.tool holds a object, which is not JSON"),
    ],
)
def test_malformed_definitions_are_reported_at_registration(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(CatalogError) as raised:
        register(**changes)
    assert str(raised.value).startswith(problem)


def test_deep_schemas_within_the_limit_are_registered() -> None:
    assert "own.tool" in register(input_schema=deep(90), metadata={"anything": object(), "limits": {"timeout_ms": 5}})
    assert "own.tool" in register(input_schema=MappingProxyType({"type": "object"}), tags={"code"})


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "$ref", "$defs", "enum", "items", "allOf", "timeout_ms", "read"]),
            inner | st.sampled_from(["object", "string", "#/$defs/a", "#"]),
            max_size=4,
        )
    ),
    max_leaves=8,
)
FIELDS = ("name", "description", "title", "tags", "permission", "metadata", "input_schema", "result_schema")
METADATA = ("limits", "access", "roles", "confirm", "inject", "examples", "hints", "cost", "gate", "args_secrets")


@given(
    field=st.sampled_from(FIELDS),
    key=st.none() | st.sampled_from(METADATA),
    junk=JUNK,
    base=st.sampled_from([{}, {"type": "object"}]),
)
@example(field="metadata", key="limits", junk={"timeout_ms": -1}, base={})
@example(field="input_schema", key=None, junk={"$defs": 5}, base={"type": "object"})
def test_every_definition_is_refused_or_can_be_called(
    field: str, key: str | None, junk: Any, base: dict[str, Any]
) -> None:
    value = {key: junk} if field == "metadata" and key else junk
    if field == "input_schema" and isinstance(junk, dict):
        value = base | junk
    catalog, refused = None, ""
    try:
        catalog = register(**{field: value})
    except CatalogError as error:
        refused = str(error)
    if catalog is None:
        assert refused if field == "name" else "own.tool" in refused
        return
    (name,) = catalog
    result = asyncio.run(Runtime(catalog, permission=allow_all).invoke(ToolRequest(name=name, payload="{}")))
    assert (result.tool_name, result.success) == (name, result.error is None)


def extra(name: str) -> ToolDefinition:
    return ToolDefinition(name=name, description="x", input_schema={"type": "object"})


def test_a_registered_tool_joins_a_compiled_toolset_only_if_the_host_allows_it(shop: Shop) -> None:
    catalog = load(shop.name)
    with pytest.raises(CatalogError) as raised:
        catalog.register(extra("shop.orders.extra"), lambda _args: None)
    assert str(raised.value) == (
        "shop.orders.extra would join the compiled toolset shop.orders, whose rules and selectors would apply to it: "
        "choose another name, or call `open_toolset('shop.orders')` first"
    )
    catalog.open_toolset("shop.orders")
    catalog.register(extra("shop.orders.extra"), lambda _args: None)
    assert "shop.orders.extra" in catalog
    with pytest.raises(CatalogError, match=r"no compiled toolset shop\.order to open; did you mean shop\."):
        load(shop.name).open_toolset("shop.order")


def test_no_tool_can_join_a_built_in_toolset() -> None:
    catalog = load("toolgen.toolsets.generated")
    with pytest.raises(CatalogError, match=r"code\.extra has the name of a built-in toolset, which is reserved"):
        catalog.register(extra("code.extra"), lambda _args: None)
    with pytest.raises(CatalogError, match="there is no compiled toolset code to open"):
        catalog.open_toolset("code")


@given(key=st.sampled_from([each.name for each in fields(ToolSettings)]), value=ANY_JSON)
def test_settings_of_a_damaged_catalog_are_values_or_one_error(key: str, value: Any) -> None:
    problem = problem_with_settings(ToolDefinition(**GOOD, metadata={key: value}))
    assert problem == "" or f"the metadata of own.tool, at `{key}" in problem


def problem_with_settings(definition: ToolDefinition) -> str:
    try:
        _ = definition.settings
    except CatalogError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("key", ["limits", "access", "command"])
def test_an_unknown_member_of_a_setting_is_named(key: str) -> None:
    definition = ToolDefinition(**GOOD, metadata={key: {"bogus": 1}})
    with pytest.raises(CatalogError, match=rf"^the metadata of own\.tool, at `{key}\.bogus`: extra inputs are not"):
        _ = definition.settings
