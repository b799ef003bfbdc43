"""Keys: what the JSON Schema of spec files says about a place, for completion and hover."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.editor_schema.editor_schema import spec_json_schema
from toolgen.compiler.resolve.schemas.keywords import RAW

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolgen.authoring.language_server.completion.context import Step

_MODELS: Final = {"toolset": "ToolsetFile", "agent": "AgentFile", "catalog": "CatalogFile", "policy": "PolicyFile"}
_SHARED: Final = "SharedFile"


@cache
def _schema() -> Mapping[str, Any]:
    return spec_json_schema()


def keys_at(data: Any, path: Sequence[Step]) -> dict[str, Mapping[str, Any]]:
    """Return the keys that the mapping at a path may have, with the schema of each value."""
    found: dict[str, Mapping[str, Any]] = {}
    for schema in _schemas_at(data, path):
        for key, value in schema.get("properties", {}).items():
            found.setdefault(key, value)
    return found


def values_at(data: Any, path: Sequence[Step]) -> dict[str, str]:
    """Return the fixed values that may be at a path, each as text, with its description."""
    found: dict[str, str] = {}
    for schema in _schemas_at(data, path):
        text = schema.get("description", "")
        values = [schema["const"]] if "const" in schema else schema.get("enum", [])
        if "boolean" in str(schema.get("type")):
            values = [*values, True, False]
        for value in values:
            found.setdefault(value if isinstance(value, str) else str(value).lower(), text)
        if schema.get("type") == "string":
            for value in schema.get("examples", ()):
                found.setdefault(value, "An example.")
    return found


def description_at(data: Any, path: Sequence[Step]) -> str:
    """Return what the key at the end of a path means; empty if the schema says nothing about it."""
    if not path:
        return ""
    described = keys_at(data, path[:-1]).get(str(path[-1]), {})
    return str(described.get("description", ""))


def _schemas_at(data: Any, path: Sequence[Step]) -> list[Mapping[str, Any]]:
    keys = data.keys() if isinstance(data, dict) else set[str]()
    models = [_MODELS[head] for head in _MODELS if head in keys] or [*_MODELS.values(), _SHARED]
    found = [_schema()["$defs"][model] for model in models]
    for step in path:
        found = [inner for schema in found for inner in _below(schema, data, step)]
        data = _inner(data, step)
    return [each for schema in found for each in _alternatives(schema, data)]


def _below(schema: Mapping[str, Any], data: Any, step: Step) -> Iterator[Mapping[str, Any]]:
    for each in _alternatives(schema, data):
        if isinstance(step, int):
            inner = each.get("items")
        else:
            inner = each.get("properties", {}).get(step, each.get("additionalProperties"))
        if isinstance(inner, dict):
            yield inner


def _alternatives(schema: Mapping[str, Any], data: Any, seen: tuple[str, ...] = ()) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and those that it consists of. A map is JSON Schema or the fields of an object, not both."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name == "JsonSchema" and isinstance(data, dict) and RAW.isdisjoint(data):
        return
    if "not" in schema and isinstance(data, dict) and not RAW.isdisjoint(data):
        return
    if name and name not in seen:
        yield from _alternatives(_schema()["$defs"][name], data, (*seen, name))
    yield schema
    for keyword in ("anyOf", "oneOf"):
        for each in schema.get(keyword, ()):
            yield from _alternatives(each, data, seen)


def _inner(data: Any, step: Step) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    return data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None
