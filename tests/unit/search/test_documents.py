"""Documents: the indexed parts of a tool, their weights, and what is left out."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from toolgen.search.documents import SearchDocument, document_of_tool, parameter_texts

SCHEMA = {
    "type": "object",
    "title": "SearchArgs",
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "description": "Words to look for.", "title": "Query"},
        "state": {"enum": ["open", "closed", 3, None]},
        "filter": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "object", "properties": {"label": True}}},
        "mode": {"const": "fast"},
    },
    "$defs": {"Filter": {"type": "object", "properties": {"author": {"description": "Who wrote it."}}}},
}


def test_texts_of_parameters_are_names_descriptions_and_enum_values() -> None:
    texts = ("query", "Words to look for.", "state", "open", "closed", "filter", "tags", "label", "mode", "fast")
    assert parameter_texts(SCHEMA) == (*texts, "author", "Who wrote it.")


@pytest.mark.parametrize("odd", [True, None, {"properties": []}, {"enum": "x", "anyOf": 3}, {"items": [True, 1]}])
def test_an_empty_schema_has_no_texts(odd: object) -> None:
    assert parameter_texts(odd) == ()


def test_a_long_enum_is_bounded() -> None:
    texts = parameter_texts({"properties": {"country": {"enum": [f"c{number}" for number in range(5_000)]}}})
    assert len(texts) == 51


def test_a_schema_of_any_depth_is_read_up_to_a_limit() -> None:
    schema: object = {}
    for level in range(3_000):
        schema = {"properties": {f"level{level}": schema}}
    assert len(parameter_texts(schema)) == 64


def test_injected_fields_are_ignored() -> None:
    described = document_of_tool(
        "shop.list",
        source_name="",
        title="",
        description="",
        args={"properties": {"user_id": {"description": "Whose."}, "limit": {}}},
        inject=["user_id"],
        tags=[],
    )
    assert described.parameters == ("limit",)


def test_names_and_descriptions_count_twice_and_words_shared_by_spellings_once() -> None:
    document = SearchDocument(
        key="k",
        names=("shop.list_orders", "listOrders"),
        title="List orders",
        description="Lists orders of a shop.",
        parameters=("shop", "Which shop."),
        tags=("readonly",),
    )
    assert document.counted_words() == {"shop": 6, "list": 4, "order": 4, "listord": 2, "readonli": 1}


def test_different_documents_have_different_digests() -> None:
    document = SearchDocument(key="k", names=("a",), title="b", description="c", parameters=("d",), tags=("e",))
    changes = [
        {each.name: "x" if isinstance(getattr(document, each.name), str) else ("x",)} for each in fields(document)
    ]
    digests = {document.digest, *(replace(document, **change).digest for change in changes)}  # type: ignore[arg-type]  # by name
    assert len(digests) == 1 + len(changes)
    assert document.digest == replace(document).digest == "efa18024f42bd99e"
