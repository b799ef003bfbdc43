"""Objects of many fields: whoever asks which of them are required does work in proportion to the fields.

The names count how often one is compared with another. Lists that are searched for each name compare each with each.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.unit.compiler.specs import raw, toolset
from toolgen.authoring.lint.view import SpecPlace, parts_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.pages.fields import side_of
from toolgen.providers.schema_dialects import CLAUDE_STRICT, OPENAI_STRICT
from toolgen.providers.strict import project
from toolgen.providers.stubs import plain_stub
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


USERS: Final[dict[str, Callable[[dict[str, Any]], object]]] = {
    "strict, OpenAI": lambda schema: project("t", schema, OPENAI_STRICT),
    "strict, Claude": lambda schema: project("t", schema, CLAUDE_STRICT),
    "stubs": lambda schema: plain_stub("a.t", schema, {}, ""),
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


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("field", [{}, {"format": "password"}])
def test_names_are_compared_in_proportion_to_their_number(
    user: str, field: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = wide(**field)
    monkeypatch.setattr(Name, "times", 0)
    USERS[user](schema)
    assert Name.times <= 40 * FIELDS
