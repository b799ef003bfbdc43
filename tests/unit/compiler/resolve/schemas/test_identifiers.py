"""Ids of subschemas: only an ambiguous reference is refused."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.unit.compiler.specs import raw, resolved, toolset

TEXT: Final = {"type": "string"}
URI: Final = "http://a/b"


def codes(fields: dict[str, Any], dialect: str, types: Any = None, **keys: Any) -> list[str]:
    """Return the diagnostics for a result that is an object with these fields."""
    schema = {"type": "object", "properties": fields, **keys}
    raw_types = {name: raw(each) for name, each in (types or {}).items()}
    return resolved(toolset({"act": {"result": schema}}, dialect=dialect, types=raw_types)).codes


def twice(keyword: str, name: str) -> dict[str, Any]:
    """Return two different fields with the same id."""
    return {"x": {keyword: name, "type": "string"}, "y": {keyword: name, "type": "integer"}}


NAMED: Final = [
    ("2020-12", "$id", URI, {"$ref": URI}),
    ("2020-12", "$id", URI, {"$ref": f"{URI}#"}),
    ("2020-12", "$anchor", "p", {"$ref": "#p"}),
    ("2020-12", "$dynamicAnchor", "p", {"$dynamicRef": "#p"}),
    ("2019-09", "$id", "b", {"$ref": "b"}),
    ("draft-07", "$id", "#p", {"$ref": "#p"}),
    ("draft-06", "$id", "/b", {"$ref": "/b"}),
    ("draft-04", "id", "#p", {"$ref": "#p"}),
    ("draft-04", "id", URI, {"$ref": URI}),
]


@pytest.mark.parametrize(("dialect", "keyword", "name", "reference"), NAMED)
def test_an_id_of_two_subschemas_is_refused_if_it_is_referenced(
    dialect: str, keyword: str, name: str, reference: dict[str, str]
) -> None:
    assert codes(twice(keyword, name), dialect) == []
    assert codes({**twice(keyword, name), "z": reference}, dialect) == ["TG211"]
    assert codes({"x": {keyword: name, "type": "string"}, "z": reference}, dialect) == []


def test_the_same_subschema_in_two_places_is_not_ambiguous() -> None:
    part = {"$id": URI, "type": "string"}
    assert codes({"x": part, "y": part, "z": {"$ref": URI}}, "2020-12") == []


@pytest.mark.parametrize(("dialect", "keyword"), [("2020-12", "$id"), ("draft-04", "id")])
def test_a_pointer_into_the_root_is_unambiguous(dialect: str, keyword: str) -> None:
    fields = {"x": {keyword: URI, "type": "string"}, "z": {"$ref": "#/definitions/q"}}
    assert codes(fields, dialect, **{keyword: URI, "definitions": {"q": TEXT}}) == []
    apart = {keyword: URI, "properties": {"z": {"$ref": "#/definitions/q"}}, "definitions": {"q": TEXT}}
    assert codes({"x": apart}, dialect, **{keyword: URI, "definitions": {"q": {"type": "null"}}}) == ["TG211"]


def test_an_id_beside_a_reference_is_ignored_in_older_drafts() -> None:
    thing = {"properties": {"z": {"$id": "x", "$ref": "#/definitions/q"}}, "definitions": {"q": {"type": "integer"}}}
    assert codes({"a": {"$ref": "#/types/Thing"}}, "draft-07", {"Thing": {"type": "object", **thing}}) == []


@pytest.mark.parametrize("uri", ["http://[", "//[", "http://[/"])
def test_an_id_that_is_not_a_uri_causes_no_traceback(uri: str) -> None:
    codes({"x": {"$id": uri, "type": "string"}, "y": {"$id": uri}, "z": {"$ref": uri}}, "2020-12")
    found = resolved(toolset({"act": {"args": {"$id": uri, "allOf": [{"$ref": "#"}]}}}))
    assert set(found.codes) <= {"TG204", "TG207", "TG213"}


def test_args_of_draft_04_can_refer_to_their_id() -> None:
    args = {"id": URI, "properties": {"a": {"$ref": URI}}}
    assert resolved(toolset({"act": {"args": args}}, dialect="draft-04")).codes == ["TG207"]
