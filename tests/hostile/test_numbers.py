"""Numbers beyond every machine type, at every place of a schema: they are valid, or leave out one tool."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final

import jsonschema_rs
import pytest

from tests.hostile.building import compiled, toolset
from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.importers.importing import import_text
from tests.unit.compiler.importers.openapi.api import OK, body, import_api, openapi, parameter
from toolgen.schema.comparison.compare import compare
from toolgen.testing.values import MadeValues, NoValue

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS: Final = {
    "no double": str(10**400),
    "no double, negative": str(-(10**400)),
    "as many digits as an integer may have": str(10**4299),
    "more digits": f"1{'0' * 4300}",
    "the first integer that is no double": str(2**1024),
    "the first integer that is no float": str(2**53 + 1),
    "overflows": "1e400",
    "overflows, negative": "-1e400",
    "the largest double": "1.7976931348623157e308",
    "a whole double": "1e22",
    "the smallest double": "5e-324",
    "underflows": "1e-400",
    "negative zero": "-0.0",
    "zero": "0",
    "a fraction": "0.5",
}
"""Numbers as JSON text."""

_HERE: Final = "@number"


def _of(kind: str, *keywords: str, **more: Any) -> dict[str, Any]:
    return {f"{kind} {keyword}": {"type": kind, keyword: _HERE, **more} for keyword in keywords}


_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const", "default")
_TEXT: Final = {"type": "string"}
PLACES: Final[dict[str, Any]] = {
    **_of("integer", *_BOUNDS),
    **_of("number", *_BOUNDS),
    "integer enum": {"type": "integer", "enum": [_HERE, 1]},
    "number enum and examples": {"type": "number", "enum": [_HERE], "examples": [_HERE]},
    "range": {"type": "integer", "minimum": _HERE, "maximum": _HERE},
    "open range": {"type": "number", "exclusiveMinimum": _HERE, "exclusiveMaximum": _HERE},
    "range of multiples": {"type": "integer", "minimum": 0, "maximum": _HERE, "multipleOf": 3, "default": 3},
    "multiples in a range": {"type": "integer", "minimum": 0, "maximum": 10, "multipleOf": _HERE, "default": 0},
    "fractions in a range": {"type": "number", "minimum": 0, "maximum": _HERE, "multipleOf": 0.1},
    "default of a multiple": {"type": "number", "multipleOf": 0.1, "default": _HERE},
    "bound of another draft": {"type": "number", "minimum": _HERE, "exclusiveMinimum": True},
    **_of("string", "minLength", "maxLength", default="ab"),
    "length of a pattern": {"type": "string", "pattern": "^a+$", "minLength": _HERE},
    **_of("array", "minItems", "maxItems", items=_TEXT, default=[]),
    **_of("array", "minContains", "maxContains", contains=_TEXT),
    "unique items": {"type": "array", "uniqueItems": True, "items": {"enum": [1, 2]}, "minItems": _HERE},
    "constant item": {"type": "array", "items": {"const": _HERE}, "default": [_HERE]},
    "prefix": {"type": "array", "prefixItems": [{"const": _HERE}], "uniqueItems": True},
    **_of("object", "minProperties", "maxProperties", additionalProperties=_TEXT, default={}),
    "size of a closed object": {"type": "object", "properties": {"a": _TEXT}, "minProperties": _HERE},
    "choice": {"anyOf": [{"type": "integer", "maximum": _HERE}, {"type": "string", "maxLength": _HERE}]},
    "one of constants": {"oneOf": [{"const": _HERE}, {"const": 1}, {"type": "null"}]},
    "all of bounds": {"allOf": [{"type": "integer", "minimum": _HERE}, {"maximum": _HERE}]},
    "not": {"type": "number", "not": {"minimum": _HERE}},
    "if": {"type": "number", "if": {"minimum": _HERE}, "then": {"multipleOf": _HERE}},
    "any value": {"enum": [{"a": _HERE}, [_HERE], _HERE, "s"]},
    "several types": {"type": ["integer", "string", "null"], "maximum": _HERE, "maxLength": _HERE, "default": _HERE},
    "unknown keyword": {"type": "string", "x-note": _HERE, "unknown": _HERE},
    "in place of a text": {"type": "string", "description": _HERE, "default": _HERE},
    "in place of a type": {"type": _HERE},
    "in place of a list": {"type": "object", "required": _HERE},
    "in place of a schema": {"type": "array", "items": _HERE},
}
"""Schemas with a number where a keyword takes one, and where it takes none."""


def with_number(value: Any, number: str) -> str:
    """Return JSON with a number, as it is written, at its places."""
    return json.dumps(value).replace(f'"{_HERE}"', number)


def key_of(place: str) -> str:
    return re.sub(r"\W+", "_", place)


def answer(number: str) -> str:
    """Return a list of tools of a server: one for each place, one with the number elsewhere, and a good one."""
    tools = [
        {"name": key_of(place), "description": "Acts.", "inputSchema": {"type": "object", "properties": {"v": schema}}}
        for place, schema in PLACES.items()
    ]
    tools += [{**each, "name": f"{each['name']}_result", "outputSchema": each["inputSchema"]} for each in tools]
    tools.append({"name": "hints", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": _HERE}})
    tools.append({"name": "no_schema", "inputSchema": _HERE})
    tools.append({"name": "whole", "inputSchema": {"type": "object", "minProperties": 0, "maxProperties": _HERE}})
    return with_number({"tools": [*tools, {"name": "good", "inputSchema": {"type": "object"}}]}, number)


def description(number: str) -> str:
    """Return an API with an operation for each place, and a good one."""
    paths = {
        f"/{key_of(place)}": {
            "post": {
                "operationId": key_of(place),
                "parameters": [parameter("v", schema=schema, example=_HERE)],
                **body({"type": "object", "properties": {"b": schema}}),
                "responses": {"200": {"description": "x", "content": {"application/json": {"schema": schema}}}},
            }
        }
        for place, schema in PLACES.items()
    }
    return with_number(openapi({**paths, "/good": {"get": {"operationId": "good", **OK}}}), number)


def builds(text: str) -> None:
    for path, content in compiled({"own.yaml": text}).package().items():
        if path.endswith(".py"):
            compile(content, path, "exec")


any_number: Final = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("no double", "overflows", "negative zero") else pytest.mark.long)
        for name in NUMBERS
    ],
)


@any_number
def test_tools_of_a_server_with_any_number_are_taken_or_left_out_alone(name: str) -> None:
    made = import_text(answer(NUMBERS[name]))
    assert made.outcome is not None, made.messages
    assert "good" in made.tools
    said = [message for message in made.messages if message.startswith("TG805")]
    assert len(made.tools) + len(said) == 2 * len(PLACES) + 4
    assert all(re.match(r"TG805 answer\.json:1:\d", message) for message in said)
    builds(made.text)


@any_number
def test_operations_with_any_number_are_taken_or_left_out_alone(name: str) -> None:
    made = import_api(description(NUMBERS[name]))
    assert made.imported is not None, made.messages
    assert "good" in made.tools
    assert len(made.tools) + made.codes.count("TG831") == len(PLACES) + 1
    builds(made.text)


@any_number
@pytest.mark.variants(1)
def test_a_spec_with_any_number_builds_or_has_an_error_at_its_place(name: str) -> None:
    for place, schema in PLACES.items():
        args = {"type": "object", "properties": {"v": schema}}
        made = compiled({"own.json": with_number(toolset("own", {"args": args, "result": schema}), NUMBERS[name])})
        if not made.errors:
            made.package()
        assert all(each.span.file == "own.json" for each in made.errors), place


VALUES: Final = [json.loads(text) for name, text in NUMBERS.items() if "overflows" not in name and "more" not in name]


def accepts(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema).is_valid(value)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.variants(8)
def test_schemas_with_any_two_numbers_are_compared(place: str) -> None:
    schemas = [json.loads(with_number(PLACES[place], json.dumps(value))) for value in VALUES]
    for one, other in permutations(schemas, 2):
        found = compare(one, other).lost.counterexample
        if found is not None:
            assert json.loads(json.dumps(found.value, allow_nan=False)) == found.value
            assert [accepts(each, found.value) for each in (one, other)] == [True, False]


@pytest.mark.parametrize("place", PLACES)
def test_values_are_made_for_a_schema_with_any_number(place: str) -> None:
    for value in VALUES:
        schema = json.loads(with_number(PLACES[place], json.dumps(value)))
        try:
            validator = jsonschema_rs.validator_for(schema)
        except jsonschema_rs.ValidationError:
            continue  # no schema of JSON Schema
        with suppress(NoValue):
            assert validator.is_valid(MadeValues(schema, validator.is_valid).value("seed"))


COMMANDS: Final = (
    ("import", "mcp", "tools.json", "--toolset", "mcp.shop"),
    ("import", "openapi", "api.json", "--toolset", "shop.api"),
    ("build",), ("build", "--check"), ("lint", "--all"), ("list",), ("stats",), ("show", "mcp.shop.range"),
    ("export", "openai-strict"), ("docs",), ("diff", "--against", "../before"),
    ("call", "mcp.shop.range", "{}", "--stub", "--yes"),
)  # fmt: skip


@pytest.mark.parametrize("name", ["no double", "overflows"])
def test_no_command_fails_at_a_number(tmp_path: Path, name: str) -> None:
    for folder, number in ((tmp_path / "before", NUMBERS["a fraction"]), (tmp_path / "now", NUMBERS[name])):
        folder.mkdir()
        (folder / "tools.json").write_text(answer(number), encoding="utf-8")
        (folder / "api.json").write_text(description(number), encoding="utf-8")
        for command in COMMANDS[: 2 if folder.name == "before" else None]:
            done = toolgen(folder, *command)
            assert (done.code in (0, 1, 2), "internal error" in done.err) == (True, False), (command, done.err)
        assert (folder / "specs" / "shop.api.yaml").exists()
