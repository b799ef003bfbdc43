"""Python names: always valid, one for each name of a spec, and clashes are reported instead of numbered."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.ir.shapes import ClassType
from toolgen.compiler.resolve.names import (
    KEYWORDS,
    RESERVED_CONSTANTS,
    attribute,
    constant,
    is_attribute,
    package_of,
    package_of_agent,
    pascal,
    snake,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

PUBLIC = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ALIKE = st.text(alphabet="aA_- .1é", max_size=4)
"""Names that easily clash."""


@pytest.mark.parametrize(
    ("wire", "python"),
    [
        ("order_id", "order_id"),
        ("orderId", "orderId"),
        ("Content-Type", "Content_Type"),
        ("PM2.5", "PM2_5"),
        ("r&d", "r_d"),
        ("0-18", "n0_18"),
        (" asset_id ", "asset_id"),
        ("array[]", "array"),
        ("größe", "groe"),
        ("naïve café", "naive_cafe"),
        ("from", "from_"),
        ("id", "id"),
        ("type", "type"),
        ("time", "time"),
        ("int", "int_"),
        ("json", "json_"),
        ("register", "register_"),
        ("model_config", "model_config_"),
        ("__init__", "init"),
        ("_private", "private"),
        ("Literal", "Literal_"),
        ("", "xe3b0c442"),
        ("日本語", "x77710aed"),
    ],
)
def test_a_field_keeps_its_name_as_far_as_python_allows(wire: str, python: str) -> None:
    assert attribute(wire) == python


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("create_issue", ("CREATE_ISSUE", "create_issue", "CreateIssue")),
        ("createIssue", ("CREATE_ISSUE", "create_issue", "CreateIssue")),
        ("chat-with", ("CHAT_WITH", "chat_with", "ChatWith")),
        ("HTTPServer2", ("HTTP_SERVER2", "http_server2", "HTTPServer2")),
        ("from", ("FROM", "from_", "From")),
        ("all", ("ALL", "all", "All")),
        ("type_checking", ("TYPE_CHECKING_", "type_checking", "TypeChecking")),
        ("zip", ("ZIP", "zip", "Zip")),
        ("__double__", ("DOUBLE", "double", "Double")),
        ("_2nd", ("N2ND", "n2nd", "N2nd")),
        ("__", ("X9911F4D2", "x9911f4d2", "X9911f4d2")),
    ],
)
def test_a_tool_has_names_for_a_constant_a_function_and_a_class(key: str, names: tuple[str, str, str]) -> None:
    assert (constant(key), snake(key, KEYWORDS), pascal(key)) == names


@given(TEXT)
def test_an_attribute_is_always_valid_in_a_model(wire: str) -> None:
    python = attribute(wire)
    assert PUBLIC.fullmatch(python)
    assert is_attribute(python)
    assert not keyword.iskeyword(python)
    assert not hasattr(BaseModel, python)


@given(TEXT)
def test_other_names_are_identifiers_too(text: str) -> None:
    for name in (constant(text), snake(text, KEYWORDS), pascal(text)):
        assert PUBLIC.fullmatch(name)
    assert constant(text) not in RESERVED_CONSTANTS
    assert snake(text, KEYWORDS) not in KEYWORDS


@given(TEXT)
def test_a_valid_identifier_is_unchanged(text: str) -> None:
    if is_attribute(text) and not text.endswith("_"):
        assert attribute(text) == text


@given(st.sets(ALIKE, min_size=2, max_size=6))
def test_fields_of_an_object_have_unique_names_or_there_is_an_error(wires: set[str]) -> None:
    properties = {wire: {"type": "string"} for wire in sorted(wires)}
    found = resolved(toolset({"add": {"args": {"type": "object", "properties": properties}}}))
    (made,) = (made for made in found.catalog.toolsets[0].types if made.name == "AddArgs")
    assert isinstance(made, ClassType)
    names = [field.python for field in made.fields]
    assert [field.wire for field in made.fields] == sorted(wires)
    assert found.has_errors == (len(set(names)) < len(names))
    assert set(found.codes) <= {"TG302"}


@given(st.sets(st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,3}", fullmatch=True), min_size=2, max_size=6))
def test_tools_have_unique_names_or_there_is_an_error(keys: set[str]) -> None:
    found = resolved(toolset({key: {} for key in sorted(keys)}))
    spelled = [tool.names.claimed for tool in found.catalog.tools]
    names = [name for claimed in spelled for name in claimed]
    assert found.has_errors == (len(set(names)) < len(names))
    assert set(found.codes) <= {"TG302"}


def test_names_of_a_tool_do_not_depend_on_other_tools() -> None:
    args = {"args": {"item": {"name": "string"}, "args": {"a": "string"}}}
    alone = resolved(toolset({"order": args})).tools["shop.order"]
    beside = resolved(toolset({"order": args, "orders": {}, "order_item": {}, "a": {}})).tools["shop.order"]
    assert (alone.names, alone.args) == (beside.names, beside.args)


def test_the_package_of_a_toolset_is_below_that_of_its_owner() -> None:
    assert package_of("orchestrator.profiles") == ("orchestrator", "tools", "profiles")
    assert package_of("class.my-import") == ("class_", "tools", "my_import")
    assert package_of("router") == ("tools", "router")
    assert package_of("class") == ("tools", "class_")


def test_only_folders_of_the_output_folder_give_way_to_modules_of_python() -> None:
    assert package_of("email.types.json") == ("email_", "types", "tools", "json")
    assert package_of("code") == ("tools", "code")
    assert package_of_agent("email.types.json") == ("email_", "types", "agents", "json")
    assert package_of_agent("code") == ("agents", "code")


NESTED: Final[dict[str, Any]] = {"args_size": {"width": "integer"}, "argsize": {"width": "integer"}}


def classes(tools: Mapping[str, Mapping[str, Any]], **types: Any) -> set[str]:
    found = resolved(toolset(tools, types=types))
    assert not found.has_errors, found.messages
    return {made.name for made in found.catalog.toolsets[0].types}


def test_a_nested_class_has_a_hash_where_another_tool_could_have_its_name() -> None:
    alone = classes({"add": {"args": NESTED}})
    beside = {
        frozenset(classes({"add": {"args": NESTED}, "add_args": tool}) - {"AddArgsArgs", "AddArgsResult"})
        for tool in ({}, {"disabled": True}, {"args": {"name": "string"}})
    }
    taken = classes({"add": {"args": NESTED}, "add_args": {"args": {"size": {"width": "integer"}}}})

    assert {"AddArgsArgsSize", "AddArgsArgsize"} < alone
    assert len(beside) == 1
    assert {name for name in next(iter(beside)) if name.startswith("AddArgsArgs")} == {
        "AddArgsArgsSize_a9de36",
        "AddArgsArgsize",  # no class of `add_args` goes on with a small letter
    }
    assert {"AddArgsArgsSize", "AddArgsArgsSize_a9de36"} < taken


def test_a_type_owns_the_names_that_begin_with_its_own() -> None:
    found = classes({"add": {"args": {"filter_item": {"name": "string"}}}}, AddArgsFilter={"name": "string"})

    [name] = (name for name in found if name.startswith("AddArgsFilterItem"))
    assert re.fullmatch("AddArgsFilterItem_[0-9a-f]{6}", name)
