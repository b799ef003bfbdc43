"""Updates: a newer description is merged into a spec that people have edited; what they decided stays."""

from __future__ import annotations

from typing import Any

from tests.unit.compiler.importers.openapi.api import OK, answer, import_api, openapi, parameter

SCHEMES = {"key": {"type": "apiKey", "in": "header", "name": "K"}}


def document(**changes: Any) -> dict[str, Any]:
    paths = {
        "/a": {"get": {"operationId": "get a", "summary": "Get a.", "parameters": [parameter("x")], **OK}},
        "/b": {"post": {"operationId": "b", "summary": "Make b.", "tags": ["old"], **OK}},
        "/c": {"delete": {"operationId": "c", "summary": "Delete c.", **OK}},
    }
    return openapi(
        {**paths, **changes}, servers=[{"url": "https://a.example"}], components={"securitySchemes": SCHEMES}
    )


def test_nothing_changes_where_the_description_did_not() -> None:
    first = import_api(document())
    edited = first.text.replace("# Written by", "# Mine. Written by").replace("title: Delete c\n", "title: Drop it\n")
    again = import_api(document(), present=edited)
    assert again.text == edited
    assert again.imported is not None
    assert (again.imported.added, again.imported.changed, again.imported.gone) == ((), (), ())


def test_what_people_decided_stays_and_what_the_description_decides_is_replaced() -> None:
    edited = (
        import_api(document())
        .text.replace("  c:\n", "  # Dangerous!\n  c:\n    tags: [dangerous]\n    confirm: Really?\n")
        .replace("description: Make b.", "description: My own words.")
        .replace("https://a.example", "https://mine.example")
    )
    changed = {
        "/a": {"get": {"operationId": "get a", "summary": "Get a.", "parameters": [parameter("y", "header")], **OK}},
        "/c": {"delete": {"operationId": "c", "summary": "Delete c.", **answer({"type": "integer"})}},
        "/d": {"get": {"operationId": "d", "tags": ["new"], **OK}},
    }

    outcome = import_api(document(**changed), present=edited)

    assert outcome.messages == []
    assert outcome.imported is not None
    assert (outcome.imported.added, outcome.imported.changed, outcome.imported.gone) == (("d",), ("c", "get_a"), ())
    assert outcome.tools["c"]["confirm"] == "Really?"
    assert outcome.tools["c"]["tags"] == ["dangerous"]
    assert outcome.tools["c"]["result"] == {"type": "integer"}
    assert outcome.tools["b"]["description"] == "My own words."
    assert outcome.tools["get_a"]["http"]["params"] == {"y": "header"}
    assert list(outcome.tools["get_a"]["args"]["properties"]) == ["y"]
    assert outcome.data["api"]["base_url"] == "https://mine.example"
    assert outcome.data["tags"] == {"new": "new.", "old": "old."}


def test_operations_that_are_gone_and_texts_that_changed_are_reported() -> None:
    edited = import_api(document()).text.replace("description: Make b.", "description: My own words.")
    newer = document(**{"/b": {"post": {"operationId": "b", "summary": "Create b.", "tags": ["old"], **OK}}})
    del newer["paths"]["/c"]

    outcome = import_api(newer, present=edited)

    assert sorted(outcome.codes) == ["TG807", "TG808", "TG808"]
    assert "`c`" in outcome.messages[outcome.codes.index("TG807")]
    assert sorted(outcome.tools) == ["b", "get_a"]
    assert outcome.tools["b"]["description"] == "Create b."
