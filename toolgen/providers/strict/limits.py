"""Strict limits: the size of a schema as providers count it, and exceeded limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.providers.protocol import Problem

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping

    from toolgen.providers.schema_dialects import Bounds, StrictDialect

_LONG_ENUM: Final = 250
"""Number of values from which the text of one enum is limited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The counted sizes of a strict schema.

    `properties` counts those of all objects, `depth` the nesting of objects, `enum_values` those of all enums, `text`
    the characters of names and fixed values, `enum_text` those of the longest enum of more than 250 values, `optional`
    the optional fields, `unions` the parts with `anyOf` or several types.
    """

    properties: int = 0
    depth: int = 0
    enum_values: int = 0
    text: int = 0
    enum_text: int = 0
    optional: int = 0
    unions: int = 0


NO_SIZE: Final = Size()

_WORDS: Final[Mapping[str, str]] = {
    "properties": "properties",
    "depth": "levels of objects",
    "enum_values": "values of enums",
    "text": "characters of names and fixed values",
    "enum_text": f"characters of an enum of more than {_LONG_ENUM} values",
    "optional": "optional fields",
    "unions": "fields of several types",
}


def size_of(schema: Mapping[str, Any]) -> Size:
    """Return the sizes of a strict schema."""
    parts = list(_parts(schema, 1))
    enums = [cast("list[Any]", part["enum"]) for part, _ in parts if "enum" in part]
    fixed = [value for enum in enums for value in enum] + [part["const"] for part, _ in parts if "const" in part]
    names = [name for part, _ in parts for name in (*part.get("properties", {}), *part.get("$defs", {}))]
    return Size(
        properties=sum(len(part.get("properties", {})) for part, _ in parts),
        depth=max((depth for part, depth in parts if "properties" in part), default=0),
        enum_values=sum(map(len, enums)),
        text=_characters(names) + _characters(fixed),
        enum_text=max((_characters(enum) for enum in enums if len(enum) > _LONG_ENUM), default=0),
        optional=sum(len(part.get("properties", {}).keys() - set(part.get("required", ()))) for part, _ in parts),
        unions=sum("anyOf" in part or isinstance(part.get("type"), list) for part, _ in parts),
    )


def problems_of(tool: str, schema: Mapping[str, Any], size: Size, dialect: StrictDialect) -> tuple[Problem, ...]:
    """Return the exceeded limits of one tool, and its args with unsupported names."""
    bounds = dialect.bounds
    found = [
        Problem(tool, f"has {getattr(size, what)} {_WORDS[what]}; strict mode accepts {bound}")
        for what in ("properties", "depth", "enum_values", "text", "enum_text")
        if (bound := getattr(bounds, what)) is not None and getattr(size, what) > bound
    ]
    return (*found, *argument_problems(tool, schema, dialect.argument))


def argument_problems(tool: str, schema: Mapping[str, Any], grammar: re.Pattern[str] | None) -> Iterator[Problem]:
    """Return the args with names that the API rejects; it checks only those at the root."""
    for name in schema.get("properties", {}):
        if grammar is not None and not grammar.fullmatch(name):
            yield Problem(tool, f"the arg {name!r} has a name that is not {grammar.pattern}", "/properties")


def request_problems(sizes: Iterable[tuple[str, Size]], bounds: Bounds) -> Iterator[Problem]:
    """Return the tools that exceed the limits of a request, given the tools before them."""
    total = {"tools": 0, "optional": 0, "unions": 0}
    for tool, size in sizes:
        added = {"tools": 1, "optional": size.optional, "unions": size.unions}
        broken = [
            what for what in total if (most := getattr(bounds, what)) is not None and total[what] + added[what] > most
        ]
        if broken:
            words = " and ".join(f"{getattr(bounds, what)} {_WORDS.get(what, what)}" for what in broken)
            yield Problem(tool, f"exceeds a limit: strict mode accepts {words} in all tools of a request")
        else:
            total = {what: total[what] + added[what] for what in total}


def _parts(schema: Mapping[str, Any], depth: int) -> Iterator[tuple[Mapping[str, Any], int]]:
    yield schema, depth
    below = depth + ("properties" in schema)
    for each in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from _parts(each, below)
    if "items" in schema:
        yield from _parts(schema["items"], below)
    for each in schema.get("$defs", {}).values():
        yield from _parts(each, 1)


def _characters(values: Iterable[Any]) -> int:
    return sum(len(value if isinstance(value, str) else str(value)) for value in values)
