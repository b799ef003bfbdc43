"""Published descriptions: every operation, parameter, location, required flag and body, as counted by other tools."""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.data.sets import OWN, of_sets, place
from tests.unit.compiler.importers.openapi.api import import_api
from tests.unit.execute.http.api import Recorder, invoke, package_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.runtime import Catalog

NAMES = of_sets(OWN, "notion", "twilio_verify")


def text_of(name: str) -> str:
    return place(f"{name}.openapi.json").read_text(encoding="utf-8")


def counted(name: str) -> list[dict[str, Any]]:
    text = place(f"{name}.operations.json").read_text(encoding="utf-8")
    operations: list[dict[str, Any]] = json.loads(text)["ops"]
    return operations


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.variants(1)
def test_every_operation_has_the_counted_parameters_and_body(name: str) -> None:
    outcome = import_api(text_of(name))
    assert set(outcome.codes) <= {"TG837"}
    tools = {tool.get("remote", key): tool for key, tool in outcome.tools.items()}
    expected = counted(name)
    assert sorted(tools) == sorted(operation["operationId"] for operation in expected)
    for operation in expected:
        tool = tools[operation["operationId"]]
        http, args = tool["http"], tool["args"]
        assert (http["method"], http["path"]) == (operation["method"].upper(), operation["path"])
        places = {arg: spec if isinstance(spec, dict) else {"in": spec} for arg, spec in http.get("params", {}).items()}
        required = set(args.get("required", ()))
        params = [[spec["in"], spec.get("name", arg), arg in required] for arg, spec in places.items()]
        assert sorted(params) == sorted(operation["params"])
        assert ([http["body"]["media_type"]] if "body" in http else []) == operation["body"][:1]
        assert http.get("body", {}).get("required", False) == operation["body_required"]
        assert tool["description"].startswith("Deprecated.") == operation["deprecated"]
        assert (tool.get("permission") == "readonly") == (operation["method"] in ("get", "head"))


@pytest.fixture(scope="module", params=NAMES)
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Catalog]:
    name = str(request.param)
    spec = import_api(text_of(name)).text
    return name, package_of(tmp_path_factory.mktemp(name), f"compiled_{name}", spec)


class Samples:
    """Values that match schemas of these descriptions: without `choices` all fields and the first of each choice."""

    def __init__(self, root: Any, choices: Random | None = None) -> None:
        self._root = root
        self._choices = choices

    def of(self, schema: Any) -> Any:
        if "$ref" in schema:
            found = self._root
            for step in schema["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            return self.of(found)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._one(schema["enum"])
        for keyword in ("oneOf", "anyOf"):
            if keyword in schema:
                return self.of(self._one(schema[keyword]))
        kind = schema.get("type", "object" if "properties" in schema else "string")
        match self._one(kind) if isinstance(kind, list) else kind:
            case "string":
                return self._text(schema)
            case "integer":
                low = max(1, schema.get("minimum", 1))
                return self._one(range(low, min(low + 50, schema.get("maximum", low + 50)) + 1))
            case "number":
                return self._one([1.5, 2, -0.25])
            case "boolean":
                return self._one([True, False])
            case "array":
                length = max(1, schema.get("minItems", 1)) + self._one([0, 1, 2])
                items = schema.get("items", {})
                return [self.of(items) for _ in range(min(length, schema.get("maxItems", length)))]
            case "null":
                return None
            case _:
                required = schema.get("required", ())
                fields = schema.get("properties", {}).items()
                chosen = {name for name, _ in fields if name in required or self._one([True, False])}
                chosen.update(*(schema.get("dependentRequired", {}).get(name, ()) for name in list(chosen)))
                return {name: self.of(each) for name, each in fields if name in chosen}

    def _one(self, values: Sequence[Any]) -> Any:
        return values[0] if self._choices is None else self._choices.choice(values)

    def _text(self, schema: Any) -> str:
        if "pattern" in schema:  # all ids of Twilio are two letters and a number of 32 digits
            letters = schema["pattern"].removeprefix("^")[:2]
            return f"{letters}{'0' * 32}"
        formats = {"uuid": "12345678-1234-5678-1234-567812345678", "date-time": "2026-01-02T03:04:05Z"}
        fixed = formats.get(schema.get("format", ""))
        return fixed or str(self._one(["a b/ü&=,", "x", "12", "true", "null", "日本 ~'()*;:@", '{"a":[1]}']))


GENERATED = 1
"""Calls of each operation beside the one with all fields."""


@pytest.mark.slow
@pytest.mark.variants(1)
def test_every_operation_sends_requests_that_openapi_core_finds_valid_with_the_same_values(
    published: tuple[str, Catalog],
) -> None:
    from openapi_core import OpenAPI
    from openapi_core.testing import MockRequest
    from werkzeug.datastructures import ImmutableMultiDict

    name, catalog = published
    # openapi-core has no decoder for this format, which is not defined by OpenAPI.
    document = json.loads(text_of(name).replace(',"format":"iso-country-code"', ""))
    document["servers"] = [{"url": "http://app"}]
    for item in document["paths"].values():
        item.pop("servers", None)
        for operation in item.values():
            if isinstance(operation, dict):
                operation["security"] = []
    reader = OpenAPI.from_dict(document)
    recorder = Recorder()
    idents = catalog.toolsets["shop.api"]
    assert len(idents) == len(counted(name))
    for ident in idents:
        definition = catalog.definition(ident)
        schema = definition.input_schema
        for choices in (None, *(Random(f"{ident} {number}") for number in range(GENERATED))):
            args = in_their_segments(Samples(schema, choices).of(schema), definition.metadata["http"].get("params", {}))
            # The results are always `{}` from the recorder and may be invalid: only the request is checked here.
            environment = dict.fromkeys(ENVIRONMENT, "x")
            recorder.requests.clear()
            result = invoke(catalog, ident.rpartition(".")[2], args, app=recorder, environment=environment)
            assert recorder.requests, (ident, result.error)
            sent = recorder.last
            mock = MockRequest(
                "http://app",
                sent.method.lower(),
                sent.path,
                headers=dict(sent.headers),
                data=sent.body,
                content_type=sent.header("content-type") or "application/json",
            )
            mock.parameters.query = ImmutableMultiDict(sent.fields)
            found = reader.unmarshal_request(mock)
            found.raise_for_errors()
            params = definition.metadata["http"].get("params", {})
            headers = {arg: value.encode("latin-1").decode() for arg, value in found.parameters.header.items()}
            values = {**found.parameters.path, **found.parameters.query, **headers}
            for arg in params.keys() & args.keys():  # openapi-core fills in defaults
                assert plain(values.get(arg)) == args[arg], (ident, arg, sent.target)
            body = {arg: value for arg, value in args.items() if arg not in params}
            if sent.header("content-type") == "application/json":
                assert json.loads(sent.body) == body, ident
            elif body:
                form = dict(found.body or {})
                assert {key: plain(value) for key, value in form.items()} == body, ident


ENVIRONMENT = (
    *("SHOP_API_BEARER_AUTH_TOKEN", "SHOP_API_ACCOUNT_SID_AUTH_TOKEN_USERNAME"),
    *("SHOP_API_ACCOUNT_SID_AUTH_TOKEN_PASSWORD", "SHOP_API_BASIC_AUTH_USERNAME", "SHOP_API_BASIC_AUTH_PASSWORD"),
)


def in_their_segments(args: dict[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return args whose values of the path have no separators: calls with others are refused."""
    placed = {
        arg
        for arg, param in params.items()
        if param == "path" or (not isinstance(param, str) and param["in"] == "path")
    }
    return {
        arg: re.sub("[/;]", "-", value) if arg in placed and isinstance(value, str) else value
        for arg, value in args.items()
    }


def plain(value: Any) -> Any:
    """Return a value decoded by openapi-core in its sent form: dates and UUIDs, and paths before decoding."""
    from datetime import datetime
    from urllib.parse import unquote
    from uuid import UUID

    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list):
        return [plain(each) for each in value]
    return unquote(value) if isinstance(value, str) else value
