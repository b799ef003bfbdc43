"""Updates: a newer description is merged into an edited spec, whose manual changes are kept."""

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


def test_an_unchanged_description_changes_nothing() -> None:
    first = import_api(document())
    edited = first.text.replace("# Written by", "# Mine. Written by").replace("title: Delete c\n", "title: Drop it\n")
    again = import_api(document(), present=edited)
    assert again.text == edited
    assert again.imported is not None
    assert (again.imported.added, again.imported.changed, again.imported.gone) == ((), (), ())


def test_manual_changes_are_kept_and_values_of_the_description_are_replaced() -> None:
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


def test_removed_operations_and_changed_texts_are_reported() -> None:
    edited = import_api(document()).text.replace("description: Make b.", "description: My own words.")
    newer = document(**{"/b": {"post": {"operationId": "b", "summary": "Create b.", "tags": ["old"], **OK}}})
    del newer["paths"]["/c"]

    outcome = import_api(newer, present=edited)

    assert sorted(outcome.codes) == ["TG807", "TG808", "TG808"]
    assert "`c`" in outcome.messages[outcome.codes.index("TG807")]
    assert sorted(outcome.tools) == ["b", "get_a"]
    assert outcome.tools["b"]["description"] == "Create b."


def test_separators_that_a_person_allowed_stay() -> None:
    file = {"operationId": "file", "parameters": [parameter("path", "path"), parameter("x")], **OK}
    described = document(**{"/files/{path}": {"get": file}})
    edited = import_api(described).text.replace("path: path,", "path: {in: path, separators: keep_slash},")
    assert "keep_slash" in edited
    assert import_api(described, present=edited).text == edited

    changed = {**file, "summary": "Read a file.", "parameters": [parameter("path", "path"), parameter("y")]}
    again = import_api(document(**{"/files/{path}": {"get": changed}}), present=edited)

    assert again.tools["file"]["http"]["params"] == {"path": {"in": "path", "separators": "keep_slash"}, "y": "query"}
