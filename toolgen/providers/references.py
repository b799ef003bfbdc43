"""References: where the `$ref`s of a schema lead, inside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toolgen.providers.schema_text import ANNOTATIONS, SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def referred_to(schema: Mapping[str, Any], reference: Any) -> Any:
    """What a local reference refers to; None where it leads nowhere, or elsewhere."""
    if not isinstance(reference, str) or not reference.startswith("#") or reference[1:2] not in ("", "/"):
        return None
    found: object = schema
    for token in reference.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            items = cast("list[object]", found)
            found = items[int(key)] if key.isdecimal() and int(key) < len(items) else None
        else:
            found = cast("dict[str, object]", found).get(key) if isinstance(found, dict) else None
    return found


def behind_references(schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The root itself, where a schema is only a reference to it, and its pointer."""
    part, pointer, seen = schema, "", set[str]()
    while part.keys() - ANNOTATIONS - SILENT == {"$ref"} and part["$ref"] not in seen:
        seen.add(part["$ref"])
        found = referred_to(schema, part["$ref"])
        if not isinstance(found, dict):
            break
        part, pointer = cast("dict[str, Any]", found), str(part["$ref"])[1:]
    return part, pointer


def endless(schema: Mapping[str, Any]) -> str:
    """Name a definition that holds itself by required fields alone; empty where there is none."""
    definitions = cast("Mapping[str, Any]", schema.get("$defs", {}))
    needs = {f"#/$defs/{name}": set(_needed(each)) for name, each in definitions.items()}
    for start in needs:
        seen, waiting = set[str](), [start]
        while waiting:
            for reference in needs.get(waiting.pop(), ()):
                if reference == start:
                    return start
                if reference not in seen:
                    seen.add(reference)
                    waiting.append(reference)
    return ""


def all_references(schema: Any) -> Iterator[str]:
    """Every `$ref` of a schema that is told, which holds nothing but schemas and what is no object."""
    if isinstance(schema, list):
        for each in cast("list[object]", schema):
            yield from all_references(each)
    elif isinstance(schema, dict):
        part = cast("dict[str, Any]", schema)
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for each in part.values():
            yield from all_references(each)


def _needed(schema: Any) -> Iterator[str]:
    """The references of a part that are not behind an optional field."""
    if isinstance(schema, list):
        for each in cast("list[object]", schema):
            yield from _needed(each)
    elif isinstance(schema, dict):
        part = cast("dict[str, Any]", schema)
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        required = part.get("required", ())
        for keyword, each in part.items():
            if keyword == "properties":
                yield from _needed([field for name, field in each.items() if name in required])
            else:
                yield from _needed(each)
