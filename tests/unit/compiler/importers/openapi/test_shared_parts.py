"""Shared parts: what many operations have in common is read once, and not again for each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.unit.compiler.importers.openapi.api import OK, answer, import_api, openapi, parameter
from tests.work import assert_linear, at_most_calls
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.openapi.files import Files, Unreadable
from toolgen.compiler.importers.openapi.responses import Responses
from toolgen.compiler.importers.openapi.schemas import Schemas
from toolgen.compiler.source.nodes import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MANY: Final = 4_000
OPERATIONS: Final = 40
KEYS: Final = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}


def api(operation: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    """Return an API of operations that are alike."""
    paths = {f"/{number}": {"get": {"operationId": f"o{number}", **OK, **operation}} for number in range(OPERATIONS)}
    return openapi(paths, **keys)


def referring(key: str, value: Any, components: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return an API whose operations refer to one value of a key."""
    return api({key: {"$ref": "#/components/x-shared"}}, components={**(components or {}), "x-shared": value})


RESPONSES: Final = {f"9{number}": {"description": "It is like this."} for number in range(MANY)}
SHARED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "security of the API": (
        api({}, components=KEYS, security=[{"none": []}] * MANY + [{"key": []}]),
        api({}, components=KEYS, security=[{"key": []}]),
    ),
    "security of operations": (
        referring("security", [{"none": []}] * MANY + [{"key": []}], KEYS),
        referring("security", [{"key": []}], KEYS),
    ),
    "broken security": (
        referring("security", [{"none": []}] * MANY + [{"$ref": "#/nowhere"}], KEYS),
        referring("security", [{"$ref": "#/nowhere"}], KEYS),
    ),
    "responses": (
        referring("responses", {**answer({"type": "integer"})["responses"], **RESPONSES}),
        referring("responses", answer({"type": "integer"})["responses"]),
    ),
    "servers": (
        referring("servers", [{"url": "https://a.example"}] * MANY),
        referring("servers", [{"url": "https://a.example"}]),
    ),
}


@pytest.mark.parametrize("part", SHARED)
def test_a_part_that_operations_share_is_read_once(part: str) -> None:
    long, short = SHARED[part]
    expected = import_api(short)
    with at_most_calls(1_300_000):
        found = import_api(long)
    assert found.data.get("tools") == expected.data.get("tools")
    assert [each for each in found.codes if each != "TG834"] == [each for each in expected.codes if each != "TG834"]


def test_many_media_types_of_a_response_take_time_in_proportion() -> None:
    def work(count: int) -> Callable[[], object]:
        schemas = [{"enum": [*range(40), number + 40]} for number in range(count)]
        content = {f"application/x{number}+json": {"schema": each} for number, each in enumerate(schemas)}
        content |= {f"text/x{number}": {"schema": {"enum": [*range(40), -1 - number]}} for number in range(count)}
        operation = {"responses": {"200": {"description": "x", "content": content}}}
        part = Files(refused, lambda _url: "").open(Source("a.json", json.dumps(operation)), Diagnostics())
        assert part is not None
        return lambda: Responses(Schemas(is_old=False), is_swagger=False).schema(part, "GET", [])

    assert_linear(work, 8_000)


def test_references_among_many_named_schemas_take_no_time_for_each_of_these() -> None:
    schemas = {f"S{number}": {"$anchor": f"s{number}", "type": "integer"} for number in range(MANY)}
    parameters = [parameter(f"p{each}", schema={"$ref": f"#/components/schemas/S{each}"}) for each in range(60)]
    paths = {"/a": {"get": {"operationId": "a", "parameters": parameters, **OK}}}
    document = openapi(paths, components={"schemas": schemas})
    with at_most_calls(1_300_000):
        found = import_api(document)
    assert len(found.tools["a"]["http"]["params"]) == 60


def refused(_file: str, reference: str) -> Source:
    raise Unreadable(f"{reference} is not there")
