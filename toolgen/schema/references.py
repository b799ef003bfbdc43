"""The targets of the `$ref`s in a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.schema.json_values import is_object
from toolgen.schema.pointer import at, key_of, pointer_of
from toolgen.schema.schema_text import ANNOTATIONS, SILENT
from toolgen.schema.subschemas import DEFINITIONS, schemas_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def behind_references(schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return the target, and its pointer, of a schema that is only a reference, with the adjacent annotations."""
    part, pointer, seen = dict(schema), "", set[str]()
    while part.keys() - ANNOTATIONS - SILENT == {"$ref"} and part["$ref"] not in seen:
        reference = part["$ref"]
        seen.add(reference)
        found = at(schema, reference)
        if not is_object(found):
            break
        part = {**found, **{name: value for name, value in part.items() if name in ANNOTATIONS}}
        pointer = pointer_behind(reference)
    return part, pointer


def pointer_behind(reference: str) -> str:
    """Return the JSON pointer of a reference `#/…`."""
    return pointer_of(map(key_of, reference.split("/")[1:]))


def endless(schema: Mapping[str, Any]) -> str:
    """Return the name of a definition that contains itself through required fields; empty if there is none."""
    needs: dict[str, set[str]] = {}
    for start in dict.fromkeys(all_references(schema)):
        seen, waiting = set[str](), [start]
        while waiting:
            place = waiting.pop()
            if place not in needs:
                needs[place] = set(_needed(at(schema, place)))
            if start in needs[place]:
                return start
            waiting += needs[place] - seen
            seen |= needs[place]
    return ""


def all_references(schema: Any) -> Iterator[str]:
    """Return every `$ref` of a schema and its subschemas, except in those with an `$id`, which have another base."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if not is_object(part) or (part is not schema and "$id" in part):
            continue
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        waiting += [below for keyword, value in part.items() for below in schemas_below(keyword, value)]


def definitions_reached(part: Any, whole: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the definitions of a schema that a part of it refers to, transitively, under their keywords."""
    reached: dict[str, dict[str, Any]] = {}
    waiting = list(all_references(part))
    while waiting:
        match waiting.pop().split("/"):
            case ["#", ("$defs" | "definitions") as keyword, step, *_]:
                name = key_of(step)
                definition = at(whole, f"#/{keyword}/{step}")
                if definition is not None and name not in reached.get(keyword, {}):
                    reached.setdefault(keyword, {})[name] = definition
                    waiting += all_references(definition)
            case _:
                continue
    return {
        keyword: {name: each for name, each in whole[keyword].items() if name in names}
        for keyword, names in reached.items()
    }


def _needed(schema: Any) -> Iterator[str]:
    """Return the references of a part that are not inside an optional field."""
    if not is_object(schema):
        return
    if isinstance(schema.get("$ref"), str):
        yield schema["$ref"]
    for keyword, value in schema.items():
        if keyword == "properties" and is_object(value):
            required = schema.get("required", ())
            below: Iterable[Any] = [field for name, field in value.items() if name in required]
        else:
            below = () if keyword in DEFINITIONS else schemas_below(keyword, value)
        for each in below:
            yield from _needed(each)
