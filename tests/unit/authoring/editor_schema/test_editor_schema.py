"""The JSON Schema of spec files says of every key what it is, and needs no other document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from jsonschema_rs import Draft202012Validator

from tests.case import all_cases
from tests.project.checkout import ROOT
from toolgen.authoring.editor_schema import EXAMPLES, json_schema_keywords, spec_json_schema
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.resolve.keywords import ALL, RAW
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA = spec_json_schema()
ACCEPTS = Draft202012Validator(SCHEMA)
MODELS = {name: model for name, model in SCHEMA["$defs"].items() if "Schema" not in name}
KEYS = [(name, key) for name, model in MODELS.items() for key in model["properties"]]

VALUES = ("enum", "const", "$ref", "items", "additionalProperties", "properties", "patternProperties")


def parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from parts(each)


def spec_head(text: str) -> str:
    return f"toolgen: 1\ntoolset: a\ntools:\n  t:\n    description: d\n    args:\n      f: {text}\n"


def accepts(text: str) -> bool:
    node = parse(text, "a.yaml", Diagnostics())
    assert node is not None
    return ACCEPTS.is_valid(node.to_data())


def test_it_is_a_json_schema_that_refers_only_to_itself() -> None:
    jsonschema_rs.meta.validate(SCHEMA)
    references = {part["$ref"] for part in parts({**SCHEMA, "$defs": MODELS}) if isinstance(part.get("$ref"), str)}
    assert references
    assert {reference for reference in references if reference.removeprefix("#/$defs/") not in SCHEMA["$defs"]} == set()


def test_every_key_says_what_it_is() -> None:
    for model, key in KEYS:
        described = MODELS[model]["properties"][key]
        assert described["description"].endswith((".", ")")), (model, key)
        assert "title" not in described
        assert described.get("default", 0) not in (None, "", [], {})


def test_every_keyword_of_json_schema_says_what_it_is() -> None:
    keywords = json_schema_keywords()
    assert keywords.keys() == ALL
    assert all(each["description"].endswith((".", ")")) for each in keywords.values())


def test_every_example_is_valid() -> None:
    for model, keys in EXAMPLES.items():
        for key, values in keys.items():
            of_key = Draft202012Validator({**MODELS[model]["properties"][key], "$defs": SCHEMA["$defs"]})
            assert [value for value in values if not of_key.is_valid(value)] == [], (model, key)


def test_every_text_that_people_write_freely_has_an_example_or_a_default() -> None:
    free = [
        (model, key)
        for model, key in KEYS
        if (described := MODELS[model]["properties"][key]).get("type") == "string"
        and not {"enum", "const", "examples", "default"} & described.keys()
    ]
    assert [each for each in free if each[0] not in ("AuthSpec", "HttpSpec", "BodySpec", "ParamSpec")] == []


def test_it_accepts_specs_that_compile() -> None:
    good = [case.folder / "specs" for case in all_cases() if not case.text("diagnostics.txt")]
    for folder in (*good, ROOT / "specs"):
        for path in folder.rglob("*.yaml"):
            assert accepts(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    "text",
    [
        *("string", "Order", "null", "true", "[string]", "{a: string, b?: [Order]}", "{type: string, minLength: 1}"),
        *("{type!: string}", "{}", "{title: string, items: [string]}", '{$ref: "#/types/Order"}', "{enum: [1, a]}"),
    ],
)
def test_it_accepts_schemas_as_specs_have_them(text: str) -> None:
    assert accepts(spec_head(text))


@pytest.mark.parametrize(
    "text", ["strng", "[a, b]", "[]", "1", "{a: strng}", "{type: strng}", "{type: string, minLength: x}", "{enum: 1}"]
)
def test_it_refuses_what_is_no_schema(text: str) -> None:
    assert not accepts(spec_head(text))


@pytest.mark.parametrize("head", ["toolset: a", "agent: a", "catalog: a", "policy: a", "types: {}"])
def test_it_refuses_keys_that_a_file_does_not_have(head: str) -> None:
    assert not accepts(f"toolgen: 1\n{head}\nunknown: 1\n")


def test_keywords_that_make_a_map_json_schema_are_offered_before_one_is_there() -> None:
    *_, fields = SCHEMA["$defs"]["Schema"]["anyOf"]
    assert fields["properties"].keys() == RAW
