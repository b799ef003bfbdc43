"""Result schemas inferred from recorded results, and marked as inferred."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.unit.compiler.importers.importing import import_tools, spec_file, tool
from toolgen.authoring.format.update import updated_text
from toolgen.compiler.importers.mcp import recorded_value, with_inferred_results

OWN = {"type": "object", "properties": {"mine": {"type": "integer"}}}


def inferred(recorded: dict[str, list[Any]], text: str | None = None) -> tuple[dict[str, Any], tuple[str, ...], str]:
    imported = text or import_tools(tool("find.it"), tool("own", outputSchema=OWN)).text
    data, keys = with_inferred_results(spec_file(imported), recorded)
    changed = updated_text(spec_file(imported), data)
    return spec_file(changed).root.to_data()["tools"], keys, changed


@pytest.mark.parametrize("name", ["find.it", "find_it", "mcp.shop.find_it"])
def test_a_tool_without_a_schema_gets_one_that_accepts_all_its_results(name: str) -> None:
    tools, keys, text = inferred({name: [{"n": 1, "of": ["a"]}, {"n": 2.5, "of": [], "more": None}], "own": [{"x": 1}]})
    assert keys == ("find_it",)
    assert tools["find_it"]["result"] == {
        "type": "object",
        "properties": {
            "n": {"type": "number"},
            "of": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "null"},
        },
        "required": ["n", "of"],
    }
    assert tools["find_it"]["result_inferred"] is True
    assert tools["own"]["result"] == OWN
    assert "result_inferred" not in tools["own"]
    again, widened, _ = inferred({name: [{"n": 3, "of": [1]}]}, text)
    assert widened == ("find_it",)
    assert again["find_it"]["result"]["properties"]["of"]["items"] == {"type": ["integer", "string"]}
    assert inferred({name: [{"n": 1, "of": ["b"]}]}, text)[1] == ()


def test_a_later_import_keeps_the_inferred_schema_until_the_server_has_one() -> None:
    _, _, text = inferred({"find.it": ["a"]})
    same = import_tools(tool("find.it"), tool("own", outputSchema=OWN), spec=spec_file(text))
    assert same.text == text
    confirmed = text.replace("result_inferred: true", "result_inferred: false")
    assert import_tools(tool("find.it"), tool("own", outputSchema=OWN), spec=spec_file(confirmed)).text == confirmed
    assert inferred({"find.it": [1]}, confirmed)[1] == ()
    offered = import_tools(tool("find.it", outputSchema=OWN), tool("own", outputSchema=OWN), spec=spec_file(text))
    assert offered.tools["find_it"]["result"] == OWN
    assert "result_inferred" not in offered.tools["find_it"]


BLOCK = {"type": "text", "text": '{"a": 1}'}


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"a": 1}, (True, {"a": 1})),
        ("text", (True, "text")),
        ({"content": []}, (True, [])),
        ({"content": [BLOCK]}, (True, '{"a": 1}')),
        ({"content": [{**BLOCK, "text": "plain"}]}, (True, "plain")),
        ({"content": [BLOCK, BLOCK]}, (True, [BLOCK, BLOCK])),
        ({"content": [{**BLOCK, "annotations": {}}]}, (True, [{**BLOCK, "annotations": {}}])),
        ({"content": [], "structuredContent": {"b": 2}}, (True, {"b": 2})),
        ({"content": [BLOCK], "isError": True}, (False, None)),
        ({"content": "a text of its own"}, (True, {"content": "a text of its own"})),
    ],
)
def test_a_recorded_result_is_a_value_or_one_of_mcp(result: Any, value: tuple[bool, Any]) -> None:
    assert recorded_value(result) == value


@pytest.mark.parametrize(
    ("texts", "schema"),
    [
        (['{"a": 1}'], {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}),
        (["1.10", "2"], {"type": "number"}),
        (["1.10", "v1.10"], {"type": "string"}),
        (["true", "on"], {"type": "string"}),
        (["null", "v1.10"], {"type": ["null", "string"]}),
        (["[1]", "none"], {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}),
    ],
)
def test_recorded_texts_are_json_unless_one_of_them_is_none(texts: list[str], schema: Any) -> None:
    values = [recorded_value({"content": [{"type": "text", "text": text}]})[1] for text in texts]
    found = inferred({"find.it": values})[0]["find_it"]["result"]
    assert found == schema or sorted(map(str, found["anyOf"])) == sorted(map(str, schema["anyOf"]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, min_size=1, max_size=4))
def test_every_recorded_result_matches_the_inferred_schema(values: list[Any]) -> None:
    tools, _, _ = inferred({"find.it": values})
    Draft202012Validator.check_schema(tools["find_it"]["result"])
    for value in values:
        Draft202012Validator(tools["find_it"]["result"]).validate(value)
