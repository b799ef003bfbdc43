"""Generated tools in the proportions of real ones; the same tools as specs and as plain JSON Schemas.

Of 18,107 published tools 93 % stay within objects, arrays, scalars, enums, nesting, bounds and defaults; 10 % have an
`anyOf`, most of those a union with null, and 4 % a `$ref`. A tool has three to four args and about three objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from random import Random
from typing import TYPE_CHECKING, Any, Final

import yaml

if TYPE_CHECKING:
    from pathlib import Path

_VERBS: Final = (
    "create",
    "update",
    "delete",
    "get",
    "list",
    "search",
    "close",
    "assign",
    "export",
    "archive",
    "merge",
    "share",
)
_NOUNS: Final = (
    *(
        "account",
        "booking",
        "campaign",
        "contract",
        "customer",
        "deployment",
        "document",
        "event",
        "folder",
        "incident",
    ),
    *("invoice", "issue", "meeting", "message", "order", "payment", "pipeline", "product", "project", "refund"),
    *("release", "report", "repository", "shipment", "subscription", "task", "team", "ticket", "user", "workflow"),
)
_QUALIFIERS: Final = ("", "_draft", "_version", "_comment", "_label", "_history")
_FIELDS: Final = (
    *(
        "id",
        "name",
        "title",
        "summary",
        "status",
        "owner",
        "email",
        "url",
        "path",
        "query",
        "cursor",
        "limit",
        "offset",
    ),
    *("amount", "currency", "quantity", "priority", "labels", "assignees", "attachments", "created_at", "updated_at"),
    *(
        "due_date",
        "address",
        "filters",
        "options",
        "settings",
        "parent_id",
        "reason",
        "comment",
        "visibility",
        "notify",
    ),
    *("region", "language", "timezone", "pageSize", "sortBy", "includeArchived", "X-Request-Id", "from"),
)
_WORDS: Final = ("open", "closed", "draft", "active", "archived", "pending", "low", "medium", "high", "asc", "desc")
_TYPES: Final = ("Money", "Person", "Address", "Page")


@dataclass(frozen=True)
class Tool:
    """One tool. Its schemas refer to the types of its toolset with `#/types/Name`."""

    description: str
    args: Mapping[str, Any]
    result: Mapping[str, Any]


@dataclass(frozen=True)
class Toolset:
    """The tools of one file. Every second file uses the short form, as people do; the others use JSON Schema."""

    name: str
    short: bool
    types: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])


SMALL: Final = (1, 2, 3, 3, 4, 5, 7)
LARGE: Final = (25, 30, 35)
"""How many args a tool may have: as many as published ones, and far more."""


def make_toolsets(tools: int, files: int, sizes: Sequence[int] = SMALL) -> list[Toolset]:
    """Generate `tools` tools in `files` files; the same ones every time."""
    return [_toolset(number, tools // files + (number < tools % files), sizes) for number in range(files)]


def write_specs(toolsets: Sequence[Toolset], folder: Path) -> None:
    """Write one spec file for each toolset."""
    folder.mkdir(parents=True)
    for toolset in toolsets:
        text = yaml.dump(_spec(toolset), Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=120)
        (folder / f"{toolset.name}.yaml").write_text(text, encoding="utf-8")


def json_schemas(toolsets: Sequence[Toolset]) -> dict[str, Any]:
    """Return all schemas of the toolsets (args, results and types) in one document for other generators."""
    definitions: dict[str, Any] = {}
    for toolset in toolsets:
        prefix = toolset.name.title()
        for name, schema in toolset.types.items():
            definitions[f"{prefix}{name}"] = _with_references(schema, prefix)
        for key, tool in toolset.tools.items():
            stem = f"{prefix}{key.title().replace('_', '')}"
            definitions[f"{stem}Args"] = _with_references(tool.args, prefix)
            definitions[f"{stem}Result"] = _with_references(tool.result, prefix)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}


def _toolset(number: int, tools: int, sizes: Sequence[int]) -> Toolset:
    schemas = _Schemas(Random(number), is_open=bool(number % 2))  # noqa: S311  # the same tools every time, no secrets
    keys = [f"{verb}_{noun}{qualifier}" for qualifier, noun, verb in product(_QUALIFIERS, _NOUNS, _VERBS)]
    types = {name: schemas.object(2 + index, depth=2) for index, name in enumerate(_TYPES)}
    return Toolset(
        f"service{number}", not number % 2, types, {key: _tool(key, schemas, sizes) for key in islice(keys, tools)}
    )


def _tool(key: str, schemas: _Schemas, sizes: Sequence[int]) -> Tool:
    verb, _, noun = key.partition("_")
    noun = noun.replace("_", " ")
    description = (
        f"{verb.capitalize()} one {noun} of the workspace.\n"
        f"Use this when the user asks for one {noun} by name or id; the result says what was changed."
    )
    return Tool(description, schemas.object(schemas.random.choice(sizes), depth=0), schemas.result())


class _Schemas:
    """Draws schemas for one file."""

    def __init__(self, random: Random, *, is_open: bool) -> None:
        self.random = random
        self._open = is_open

    def object(self, size: int, depth: int) -> dict[str, Any]:
        names = self.random.sample(_FIELDS, size)
        properties = {name: self._described(self._field(depth), name) for name in names}
        required = [
            name for name, schema in properties.items() if "default" not in schema and self.random.random() < 0.6
        ]
        schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
        return schema if self._open else {**schema, "additionalProperties": False}

    def result(self) -> dict[str, Any]:
        if self.random.random() < 0.2:
            return {"type": "array", "items": {"$ref": f"#/types/{self.random.choice(_TYPES)}"}}
        return self.object(self.random.choice((2, 3, 4)), depth=0)

    def _described(self, schema: dict[str, Any], name: str) -> dict[str, Any]:
        words = name.replace("_", " ").lower()
        text = f"The {words} of the entry, as the workspace shows it to its members."
        return schema if "$ref" in schema or self.random.random() < 0.2 else {**schema, "description": text}

    def _field(self, depth: int) -> dict[str, Any]:
        kinds = [kind for kind, share in self._KINDS for _ in range(share) if depth < 2 or kind not in self._DEEP]
        return self.random.choice(kinds)(self, depth)

    def _string(self, depth: int) -> dict[str, Any]:
        return {"type": "string"}

    def _bounded_string(self, depth: int) -> dict[str, Any]:
        return {"type": "string", **self.random.choice(({"minLength": 1}, {"maxLength": 200}, {"format": "date-time"}))}

    def _integer(self, depth: int) -> dict[str, Any]:
        return {
            "type": "integer",
            **self.random.choice(({}, {"minimum": 0}, {"minimum": 1, "maximum": 100, "default": 20})),
        }

    def _number(self, depth: int) -> dict[str, Any]:
        return {"type": "number", **self.random.choice(({}, {"minimum": 0}, {"default": 0.5}))}

    def _boolean(self, depth: int) -> dict[str, Any]:
        return {"type": "boolean", **self.random.choice(({}, {"default": False}))}

    def _enum(self, depth: int) -> dict[str, Any]:
        words = self.random.sample(_WORDS, 3)
        return {"type": "string", "enum": words, **self.random.choice(({}, {"default": words[0]}))}

    def _strings(self, depth: int) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string"}}

    def _nested(self, depth: int) -> dict[str, Any]:
        return self.object(self.random.choice((2, 3)), depth + 1)

    def _objects(self, depth: int) -> dict[str, Any]:
        return {"type": "array", "items": self._nested(depth)}

    def _nullable(self, depth: int) -> dict[str, Any]:
        return {"anyOf": [{"type": self.random.choice(("string", "integer"))}, {"type": "null"}]}

    def _reference(self, depth: int) -> dict[str, Any]:
        return {"$ref": f"#/types/{self.random.choice(_TYPES)}"}

    _KINDS: Final = (
        *((_string, 36), (_bounded_string, 8), (_integer, 12), (_number, 6), (_boolean, 8), (_enum, 10)),
        *((_strings, 6), (_nested, 6), (_objects, 3), (_nullable, 3), (_reference, 2)),
    )
    _DEEP: Final = (_nested, _objects, _reference)


def _spec(toolset: Toolset) -> dict[str, Any]:
    written = _short if toolset.short else lambda schema: schema
    return {
        "toolgen": 1,
        "toolset": toolset.name,
        "description": f"Made-up tools of {toolset.name}.",
        "types": {name: written(schema) for name, schema in toolset.types.items()},
        "tools": {
            key: {"description": tool.description, "args": written(tool.args), "result": written(tool.result)}
            for key, tool in toolset.tools.items()
        },
    }


def _short(schema: Mapping[str, Any]) -> Any:
    """Return a schema in the short form, if it has one."""
    match schema:
        case {"$ref": str(reference)}:
            return reference.removeprefix("#/types/")
        case {"type": "object", "properties": properties}:
            required = schema.get("required", ())
            return {_short_name(name, inner, required): _short(inner) for name, inner in properties.items()}
        case {"type": "array", "items": items, **rest} if not rest:
            return [_short(items)]
        case {"type": str(kind), **rest} if not rest:
            return kind
        case _:
            return dict(schema)


def _short_name(name: str, schema: Mapping[str, Any], required: Sequence[str]) -> str:
    return name if name in required or "default" in schema else f"{name}?"


def _with_references(schema: Any, prefix: str) -> Any:
    match schema:
        case {"$ref": str(reference)}:
            return {"$ref": reference.replace("#/types/", f"#/$defs/{prefix}")}
        case dict():
            return {key: _with_references(value, prefix) for key, value in schema.items()}
        case list():
            return [_with_references(item, prefix) for item in schema]
        case _:
            return schema
