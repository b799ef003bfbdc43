"""Imports that are kept up: what people changed stays, conflicts are reported, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.compiler.importers.importing import written
from tests.unit.compiler.importers.openapi.api import OK, import_api, openapi
from tests.unit.compiler.specs import resolved
from toolgen.changes.tool_texts import Described
from toolgen.compiler.diagnostics import Diagnostics, Span
from toolgen.compiler.importers.python import PythonTool, import_python
from toolgen.compiler.source.read import SpecFile, parse

ARGS = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"], "additionalProperties": False}


def described(name: str, text: str = "Find items.", handler: str = "", args: Any = ARGS, **fields: Any) -> PythonTool:
    said = Described(name=name, docstring=text, args=args, **fields)
    return PythonTool(handler or f"app:{name}", said, Span("app.py", 1))


def imported(
    *tools: PythonTool, present: str = "", sources: tuple[str, ...] = ("app",), **options: Any
) -> tuple[str, list[str]]:
    sink = Diagnostics()
    root = parse(present, "specs/shop.yaml", Diagnostics()) if present else None
    spec = SpecFile("specs/shop.yaml", present, root) if root is not None else "specs/shop.yaml"
    made = import_python(tools, sources, spec, "shop", "", sink, profile="full", **options)
    text = written(made, spec) if made is not None else ""
    if text:
        checked = resolved(text)
        assert not checked.has_errors, checked.messages
    return text, [f"{each.code} {each.span.line} {each.message}" for each in sink]


def tools_of(text: str) -> dict[str, Any]:
    root = parse(text, "specs/shop.yaml", Diagnostics())
    assert root is not None
    tools: dict[str, Any] = root.to_data()["tools"]
    return tools


def test_importing_the_same_again_changes_nothing() -> None:
    text, _ = imported(described("find"), described("buy"))
    assert imported(described("find"), described("buy"), present=text) == (text, [])


def test_keys_texts_and_all_that_people_decide_stay() -> None:
    text, _ = imported(described("find"))
    edited = text.replace("  find:", "  # why\n  search:").replace(
        "description: Find items.",
        "description: Search the shop.\n    permission: readonly\n    limits: {daily_limit: 3}",
    )
    more = {**ARGS, "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}
    again, messages = imported(described("find", args=more), present=edited)
    assert messages == []
    assert "  # why\n  search:" in again
    tool = tools_of(again)["search"]
    assert (tool["description"], tool["permission"]) == ("Search the shop.", "readonly")
    assert tool["limits"] == {"daily_limit": 3}
    assert list(tool["args"]["properties"]) == ["q", "n"]


def test_a_text_that_both_changed_is_a_conflict() -> None:
    text, _ = imported(described("find"))
    edited = text.replace("description: Find items.", "description: Search the shop.")
    again, messages = imported(described("find", "Find all items."), present=edited)
    assert [message[:5] for message in messages] == ["TG808"]
    assert tools_of(again)["find"]["description"] == "Search the shop."
    assert tools_of(again)["find"]["source"] == {"/description": "Find all items."}


def test_a_function_that_is_gone_is_reported_if_its_source_was_read() -> None:
    text, _ = imported(described("find"), described("buy"), described("sell", handler="app:Shop.sell"))
    again, messages = imported(described("buy"), present=text)
    assert [message[:5] for message in messages] == ["TG807", "TG807"]
    assert [key for key, tool in tools_of(again).items() if not tool.get("disabled")] == ["buy"]
    one, messages = imported(described("buy"), present=text, sources=("app:buy",))
    assert (tools_of(one), messages) == (tools_of(text), [])
    shop, messages = imported(present=text, sources=("app:Shop",))
    assert [key for key, tool in tools_of(shop).items() if not tool.get("disabled")] == ["buy", "find"]


def test_a_function_that_is_broken_now_stays() -> None:
    text, _ = imported(described("find"), described("buy"))
    assert imported(described("buy"), present=text, broken=["app:find"]) == (text, [])
    wrong = described("find", args={"type": "object", "properties": {"q": {"type": "strang"}}})
    again, messages = imported(described("buy"), wrong, present=text)
    assert (again, [message[:5] for message in messages]) == (text, ["TG841"])


def test_tools_of_other_modules_and_of_people_stay_with_their_types() -> None:
    types = "types: {Item: {name: string}}\n"
    present = (
        f"toolgen: 1\ntoolset: shop\n{types}tools:\n  own: {{description: x, result: {{$ref: '#/types/Item'}}}}\n"
        "  other: {handler: 'm:other', description: x, args: {type: object, properties: {i: {$ref: '#/types/Item'}}}}"
    )
    text, messages = imported(described("find"), present=present)
    assert messages == []
    assert sorted(tools_of(text)) == ["find", "other", "own"]
    assert "Item: {name: string}" in text


def test_a_tool_that_was_written_first_gets_its_function_and_keeps_its_texts() -> None:
    present = "toolgen: 1\ntoolset: shop\ntools:\n  find: {description: Search the shop., permission: readonly}\n"
    text, messages = imported(described("find"), present=present)
    tool = tools_of(text)["find"]
    assert messages == []
    assert (tool["handler"], tool["description"], tool["permission"]) == ("app:find", "Search the shop.", "readonly")
    assert tool["args"] == ARGS
    _, messages = imported(described("find", "Now other."), present=text)
    assert [message[:5] for message in messages] == ["TG808"]


def test_two_functions_of_one_name_get_keys_of_their_own() -> None:
    text, _ = imported(described("find", handler="app.a:find"), described("find", handler="app.b:find"))
    assert {key: tool["handler"] for key, tool in tools_of(text).items()} == {
        "app_a_find": "app.a:find",
        "app_b_find": "app.b:find",
    }
    more, _ = imported(described("buy"), described("buy", handler="app.c:buy"), present=imported(described("buy"))[0])
    assert sorted(tools_of(more)) == ["app_c_buy", "buy"]


def test_a_result_that_a_person_wrote_stays_where_the_function_has_none() -> None:
    text, _ = imported(described("find"))
    written = text.replace("description: Find items.", "description: Find items.\n    result: [string]")
    again, messages = imported(described("find"), present=written)
    assert messages == []
    assert tools_of(again)["find"]["result"] == ["string"]


def test_a_result_that_cannot_be_compiled_is_any_json() -> None:
    text, messages = imported(described("find", result={"type": "strang"}))
    assert [message[:5] for message in messages] == ["TG843"]
    assert "result" not in tools_of(text)["find"]


HTTP = """
toolgen: 1
toolset: shop
kind: http
api: {base_url: "https://shop.example"}
# of people
tools:
  find: {description: Search the shop., permission: readonly, http: {method: GET, path: /items}}
  drop: {description: Drop., tags: [dangerous], http: {method: GET, path: /drop}}
"""


def test_another_kind_keeps_its_tools() -> None:
    text, messages = imported(described("find"), present=HTTP)
    assert [message[:5] for message in messages] == ["TG845", "TG846"]
    assert "kind" not in text
    assert "# of people" in text
    tools = tools_of(text)
    assert (tools["find"]["description"], tools["find"]["handler"]) == ("Search the shop.", "app:find")
    assert tools["drop"] == {"description": "Drop.", "tags": ["dangerous"]}


@pytest.mark.parametrize("has_more", [False, True])
def test_functions_become_operations_if_the_api_has_them_all(has_more: bool) -> None:
    present, _ = imported(described("find"), *([described("buy")] if has_more else []))
    present = present.replace("description: Find items.", "description: Search.\n    limits: {daily_limit: 3}", 1)
    present = present.replace("toolset: shop", "toolset: shop.api")
    api = openapi({"/items": {"get": {"operationId": "find", **OK}}})
    outcome = import_api(api, present=present)
    if has_more:
        assert outcome.codes == ["TG847"]
        assert outcome.imported is None
        return
    assert outcome.codes == ["TG845", "TG808"]
    assert (outcome.data["kind"], outcome.tools["find"]["limits"]) == ("http", {"daily_limit": 3})
    assert "handler" not in outcome.tools["find"]


def test_undocumented_functions_are_reported_until_a_person_describes_them() -> None:
    text, messages = imported(described("find", "", untyped=("q",)))
    assert [message[:5] for message in messages] == ["TG842", "TG844"]
    edited = text.replace("description: Find.", "description: Search the shop.")
    again, messages = imported(described("find", ""), present=edited)
    assert messages == []
    assert tools_of(again)["find"]["description"] == "Search the shop."


def test_nothing_is_written_without_a_tool() -> None:
    wrong = replace(described("find"), described=Described(name="find", args={"type": "strang"}, description="x"))
    assert imported(wrong)[0] == ""
