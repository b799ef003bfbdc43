"""Objects of many fields: whoever asks which of them are required does work in proportion to the fields.

The names count how often one is compared with another. Lists that are searched for each name compare each with each.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.unit.compiler.specs import raw, toolset
from toolgen.authoring.lint.view import SpecPlace, parts_of
from toolgen.changes.model_surface import compare_parameters
from toolgen.changes.wire import compare_schemas
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.resolve.catalogs import shown_schema
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.pages.fields import side_of
from toolgen.providers.schema_dialects import CLAUDE_STRICT, OPENAI_STRICT
from toolgen.providers.strict import project
from toolgen.providers.stubs import SchemaTypes, keys_of, plain_stub
from toolgen.runtime.redact.call_secrets import secrets_of_schema
from toolgen.schema.compact import compact, model_args_schema
from toolgen.schema.comparison.compare import compare
from toolgen.schema.comparison.normal_form import normal_form
from toolgen.schema.fields import fields_of
from toolgen.schema.references import definitions_reached

if TYPE_CHECKING:
    from collections.abc import Callable

FIELDS: Final = 400


class Name(str):
    """A name that counts comparisons of names."""

    __slots__ = ()
    times = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.times += 1
        return str.__eq__(self, other)


def wide(**field: Any) -> dict[str, Any]:
    """Return an object whose fields are all required, in another order than they stand in; each name is a new one."""
    properties = {Name(f"field_{number}"): {"type": "string", **field} for number in range(FIELDS)}
    required = [Name(f"field_{number}") for number in reversed(range(FIELDS))]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def parts(schema: dict[str, Any]) -> object:
    text, sink = toolset({"get": {"args": raw(json.loads(json.dumps(schema)))}}), Diagnostics()
    node = parse(text, "1.json", sink)
    assert node is not None
    (read,) = read_documents([SpecFile("1.json", text, node)], sink)
    return parts_of(schema, SpecPlace(read, ("tools", "get", "args")), {})


def less_required(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "required": schema["required"][1::2], "properties": dict(reversed(schema["properties"].items()))}


def renamed(schema: dict[str, Any]) -> dict[str, Any]:
    names = {name: Name(f"new_{name}") for name in schema["properties"]}
    properties = {names[name]: each for name, each in schema["properties"].items()}
    return {**schema, "properties": properties, "required": [names[name] for name in schema["required"]]}


USERS: Final[dict[str, Callable[[dict[str, Any]], object]]] = {
    "strict, OpenAI": lambda schema: project("t", schema, OPENAI_STRICT),
    "strict, Claude": lambda schema: project("t", schema, CLAUDE_STRICT),
    "stubs": lambda schema: plain_stub("a.t", schema, {}, ""),
    "stubs of a catalog": lambda schema: keys_of(schema, "T", SchemaTypes(schema)),
    "args of an action": lambda schema: shown_schema(
        schema, {name: f"$args.{name}" for name in schema["properties"]}, {}
    ),
    "changes for models": lambda schema: [
        *compare_parameters("a.t", {"args": schema}, {"args": less_required(schema)}, path=())
    ],
    "changes of args": lambda schema: [*compare_schemas("a.t", "args", schema, less_required(schema), path=())],
    "changes of results": lambda schema: [*compare_schemas("a.t", "result", less_required(schema), schema, path=())],
    "new names": lambda schema: [*compare_schemas("a.t", "args", schema, renamed(schema), path=())],
    "secrets": secrets_of_schema,
    "compact": compact,
    "args of a model": lambda schema: model_args_schema(schema, ["field_3"]),
    "comparison": lambda schema: compare(schema, {**schema, "required": schema["required"][1:]}),
    "normal form": normal_form,
    "fields": lambda schema: list(fields_of(schema, schema)),
    "pages": lambda schema: side_of(schema, "a"),
    "lint": parts,
    "definitions": lambda schema: definitions_reached(schema, schema),
}


@pytest.mark.variants(9)
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("field", [{}, {"format": "password"}])
def test_names_are_compared_in_proportion_to_their_number(
    user: str, field: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = wide(**field)
    monkeypatch.setattr(Name, "times", 0)
    USERS[user](schema)
    assert Name.times <= 40 * FIELDS
