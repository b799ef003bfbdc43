"""Edits of schemas: some fifty kinds, as authors make them, each with its effect where that is certain."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any, Final

from toolgen.schema.keywords import schemas_below

Schema = dict[str, Any]
Edit = Callable[[Schema, Random], "tuple[Any, Effect] | None"]


class Effect(StrEnum):
    """How the accepted values change: `WIDER` and `NARROWER` include no change at all."""

    SAME = "same"
    WIDER = "wider"
    NARROWER = "narrower"
    OTHER = "other"


EDITS: Final[dict[str, Edit]] = {}
ANNOTATIONS: Final[Mapping[str, Any]] = {"title": "T", "description": "D.", "default": 1, "examples": [1], "x-a": 1}
_NOT_MONOTONE: Final = ("not", "oneOf", "if", "unevaluatedProperties", "unevaluatedItems", "maxContains")
NAMES: Final = ("a", "b", "new", "x y", "", "__proto__", "$ref", "a/b~c")
KINDS: Final = ("string", "integer", "number", "boolean", "null", "array", "object")


@dataclass(frozen=True)
class Edited:
    """An edited schema, the edit, and its effect."""

    schema: Any
    edit: str
    effect: Effect


def edited(schema: Schema, random: Random, name: str | None = None) -> Edited | None:
    """Apply an edit somewhere in a schema; None if there is no place for it."""
    name = name or random.choice(sorted(EDITS))
    if name == "draft":
        made = _other_draft(schema)
        return made and Edited(made, name, Effect.SAME)
    draft = str(schema.get("$schema", ""))
    if (name.startswith("unevaluated") and "draft-0" in draft) or ("const" in name and "draft-04" in draft):
        return None  # these keywords have no meaning there
    places = [path for path, node in _places(schema, ()) if isinstance(node, dict)]
    random.shuffle(places)
    for path in places[:30]:
        node = _at(schema, path)
        result = EDITS[name](copy.deepcopy(node), random)
        if result is None:
            continue
        new, effect = result
        whole = _replaced(schema, path, new)
        if name == "definition" and isinstance(whole, dict):
            whole = {**whole, "$defs": {**whole.get("$defs", {}), "Moved": node}}
            effect = Effect.SAME if path and "$schema" not in whole else Effect.OTHER
        is_monotone = effect is Effect.SAME or not any(f'"{each}"' in json.dumps(schema) for each in _NOT_MONOTONE)
        is_monotone = is_monotone and "propertyNames" not in path
        rest_is_judged = any(keyword.startswith("unevaluated") for keyword in node)  # with what the edit leaves to it
        is_monotone = is_monotone or (not path and not rest_is_judged and '"$ref"' not in json.dumps(schema))
        return Edited(whole, name, effect if is_monotone else Effect.OTHER)
    return None


def _other_draft(schema: Any) -> Any:
    if not isinstance(schema, dict) or "$schema" in schema:
        return None
    text = json.dumps(schema)
    words = ("$defs", "prefixItems", "dependent", "unevaluated", "minContains", "maxContains", "$dynamic", '"$ref"')
    return (
        None
        if any(word in text for word in words)
        else {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    )


def _places(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, node
    if not isinstance(node, dict):
        return
    for keyword, value in node.items():
        below = list(schemas_below(keyword, value))
        if isinstance(value, list) and below:
            for index, each in enumerate(value):
                yield from _places(each, (*path, keyword, index))
        elif below and below[0] is value:
            yield from _places(value, (*path, keyword))
        elif below and isinstance(value, dict):
            for name, each in value.items():
                yield from _places(each, (*path, keyword, name))


def _at(node: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        node = node[step]
    return node


def _replaced(node: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = node.copy()
    copied[path[0]] = _replaced(node[path[0]], path[1:], new)
    return copied


def edit(name: str) -> Callable[[Edit], Edit]:
    """Add an edit to the table."""

    def add(function: Edit) -> Edit:
        EDITS[name] = function
        return function

    return add


EDITS["draft"] = lambda node, _random: (node, Effect.SAME)


def _is_object(node: Schema) -> bool:
    return node.get("type") == "object" or "properties" in node


def _closed(node: Schema) -> bool:
    return node.get("additionalProperties") is False


def _some(random: Random) -> Schema:
    return random.choice([
        {"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"enum": ["a", "b"]}, {"type": "array"},
        {"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": ["string", "null"]}, {"const": 1},
    ])  # fmt: skip


@edit("field added")
def _field_added(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_object(node):
        return None
    name = next((each for each in NAMES if each not in node.get("properties", {})), "zz")
    made = {**node, "properties": {**node.get("properties", {}), name: _some(random)}}
    known = not node.get("patternProperties")
    return made, Effect.WIDER if _closed(node) and known else Effect.NARROWER if not _constrains(node) else Effect.OTHER


def _constrains(node: Schema) -> bool:
    return "additionalProperties" in node and node["additionalProperties"] is not True


@edit("required field added")
def _required_field(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    made = _field_added(node, random)
    if made is None or not isinstance(made[0], dict):
        return None
    name = next(reversed(made[0]["properties"]))
    effect = Effect.NARROWER if made[1] is Effect.NARROWER else Effect.OTHER
    return {**made[0], "required": [*(each for each in node.get("required", []) if each != name), name]}, effect


@edit("field removed")
def _field_removed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not node.get("properties"):
        return None
    name = random.choice(sorted(node["properties"]))
    rest = {key: each for key, each in node["properties"].items() if key != name}
    effect = Effect.WIDER if not _constrains(node) else Effect.NARROWER if _closed(node) else Effect.OTHER
    return {**node, "properties": rest}, effect if not node.get("patternProperties") else Effect.OTHER


@edit("field renamed")
def _field_renamed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not node.get("properties"):
        return None
    name = random.choice(sorted(node["properties"]))
    new = f"{name}_2"
    properties = {new if key == name else key: each for key, each in node["properties"].items()}
    required = [new if each == name else each for each in node.get("required", [])]
    return {**node, "properties": properties, **({"required": required} if required else {})}, Effect.OTHER


@edit("field required")
def _made_required(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    optional = sorted(set(node.get("properties", {})) - set(node.get("required", [])))
    if not optional:
        return None
    return {**node, "required": [*node.get("required", []), random.choice(optional)]}, Effect.NARROWER


@edit("field optional")
def _made_optional(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not node.get("required"):
        return None
    name = random.choice(node["required"])
    return {**node, "required": [each for each in node["required"] if each != name]}, Effect.WIDER


@edit("object closed")
def _object_closed(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return (
        ({**node, "additionalProperties": False}, Effect.NARROWER) if _is_object(node) and not _closed(node) else None
    )


@edit("object opened")
def _object_opened(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if "additionalProperties" not in node:
        return None
    return {key: each for key, each in node.items() if key != "additionalProperties"}, Effect.WIDER


@edit("additional typed")
def _additional_typed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_object(node) or _constrains(node):
        return None
    return {**node, "additionalProperties": _some(random)}, Effect.NARROWER


@edit("dependency added")
def _dependency(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    names = sorted(node.get("properties", {}))
    if not names or "dependencies" in node or "dependentRequired" in node:
        return None
    value = {random.choice(names): [random.choice(names)]}
    return {**node, "dependentRequired": value}, Effect.NARROWER


@edit("dependent schema added")
def _dependent_schema(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    names = sorted(node.get("properties", {}))
    if not names or "dependentSchemas" in node:
        return None
    needed = {"required": [random.choice(names)], "minProperties": 2}
    return {**node, "dependentSchemas": {random.choice(names): needed}}, Effect.NARROWER


@edit("names limited")
def _names_limited(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_object(node) or "propertyNames" in node:
        return None
    limits = [{"maxLength": 3}, {"pattern": "^[a-z]"}, {"enum": ["a", "b", "c"]}, {"minLength": 1}]
    return {**node, "propertyNames": random.choice(limits)}, Effect.NARROWER


@edit("pattern fields added")
def _pattern_fields(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_object(node) or "patternProperties" in node:
        return None
    effect = Effect.WIDER if _closed(node) and not node.get("properties") else Effect.OTHER
    effect = Effect.NARROWER if not _constrains(node) else effect
    return {**node, "patternProperties": {random.choice(["^x-", "^a", "b$"]): _some(random)}}, effect


@edit("unevaluated instead of additional")
def _unevaluated(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if not _closed(node) or not {"allOf", "anyOf", "$ref", "dependentSchemas", "dependencies"}.isdisjoint(node):
        return None
    rest = {key: each for key, each in node.items() if key != "additionalProperties"}
    return {**rest, "unevaluatedProperties": False}, Effect.SAME


@edit("enum value added")
def _enum_added(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not isinstance(node.get("enum"), list):
        return None
    return {**node, "enum": [*node["enum"], random.choice(["zz", "a", 7, None, 1.5])]}, Effect.WIDER


@edit("enum value removed")
def _enum_removed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if len(node.get("enum", [])) < 2:
        return None
    index = random.randrange(len(node["enum"]))
    return {**node, "enum": node["enum"][:index] + node["enum"][index + 1 :]}, Effect.NARROWER


@edit("enum reversed")
def _enum_reversed(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "enum": node["enum"][::-1]}, Effect.SAME) if "enum" in node else None


@edit("const as enum")
def _const_as_enum(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if "const" not in node or "enum" in node:
        return None
    return {**{key: each for key, each in node.items() if key != "const"}, "enum": [node["const"]]}, Effect.SAME


@edit("enum opened")
def _enum_opened(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if "enum" not in node:
        return None
    return {key: each for key, each in node.items() if key != "enum"}, Effect.WIDER


@edit("enum as consts")
def _enum_as_consts(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if "enum" not in node or "anyOf" in node or not node["enum"]:
        return None
    rest = {key: each for key, each in node.items() if key != "enum"}
    return {**rest, "anyOf": [{"const": each} for each in node["enum"]]}, Effect.SAME


@edit("limited to values")
def _limited(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if "enum" in node or "const" in node or node.get("type") not in ("string", "integer", "number"):
        return None
    return {**node, "enum": ["a", "b", 1, 2.5][: random.randint(1, 4)]}, Effect.NARROWER


@edit("integer to number")
def _to_number(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "type": "number"}, Effect.WIDER) if node.get("type") == "integer" else None


@edit("number to integer")
def _to_integer(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "type": "integer"}, Effect.NARROWER) if node.get("type") == "number" else None


@edit("nullable")
def _nullable(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    kind = node.get("type")
    return ({**node, "type": [kind, "null"]}, Effect.WIDER) if isinstance(kind, str) and kind != "null" else None


@edit("type removed from list")
def _type_removed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    kinds = node.get("type")
    if not isinstance(kinds, list) or len(kinds) < 2:
        return None
    left = random.choice(kinds)
    return {**node, "type": [each for each in kinds if each != left]}, Effect.NARROWER


@edit("type changed")
def _type_changed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "type": random.choice(KINDS)}, Effect.OTHER) if "type" in node else None


@edit("type dropped")
def _type_dropped(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if "type" not in node:
        return None
    return {key: each for key, each in node.items() if key != "type"}, Effect.WIDER


@edit("types listed as anyOf")
def _types_as_any_of(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if not isinstance(node.get("type"), list) or not node["type"] or "anyOf" in node:
        return None
    rest = {key: each for key, each in node.items() if key != "type"}
    return {**rest, "anyOf": [{"type": each} for each in node["type"]]}, Effect.SAME


_BOUNDS: Final = {
    "minimum": ("number", 1), "maximum": ("number", -1), "exclusiveMinimum": ("number", 1),
    "exclusiveMaximum": ("number", -1), "minLength": ("string", 1), "maxLength": ("string", -1),
    "minItems": ("array", 1), "maxItems": ("array", -1),
    "minProperties": ("object", 1), "maxProperties": ("object", -1),
}  # fmt: skip


def _is_kind(node: Schema, kind: str) -> bool:
    kinds = node.get("type")
    own = kinds if isinstance(kinds, list) else [kinds]
    return kind in own or (kind == "number" and "integer" in own)


@edit("bound added")
def _bound_added(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    options = [name for name, (kind, _) in _BOUNDS.items() if name not in node and _is_kind(node, kind)]
    return ({**node, random.choice(options): random.choice([0, 1, 2, 5])}, Effect.NARROWER) if options else None


@edit("bound removed")
def _bound_removed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    present = [name for name in _BOUNDS if name in node]
    if not present:
        return None
    name = random.choice(present)
    return {key: each for key, each in node.items() if key != name}, Effect.WIDER


@edit("bound tightened")
def _bound_tightened(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    return _moved(node, random, 1)


@edit("bound loosened")
def _bound_loosened(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    return _moved(node, random, -1)


def _moved(node: Schema, random: Random, sign: int) -> tuple[Any, Effect] | None:
    present = [name for name in _BOUNDS if name in node and not isinstance(node[name], bool)]
    if not present:
        return None
    name = random.choice(present)
    value = node[name] + _BOUNDS[name][1] * sign * random.choice([1, 2])
    if value < 0 and _BOUNDS[name][0] != "number":
        return None
    return {**node, name: value}, Effect.NARROWER if sign > 0 else Effect.WIDER


@edit("bound made exclusive")
def _made_exclusive(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    options = [name for name in ("minimum", "maximum") if name in node and f"exclusive{name.capitalize()}" not in node]
    if not options:
        return None
    name = random.choice(options)
    rest = {key: each for key, each in node.items() if key != name}
    return {**rest, f"exclusive{name.capitalize()}": node[name]}, Effect.NARROWER


@edit("integer bound respelled")
def _respelled(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    value = node.get("minimum")
    if node.get("type") != "integer" or not isinstance(value, int) or "exclusiveMinimum" in node:
        return None
    rest = {key: each for key, each in node.items() if key != "minimum"}
    return {**rest, "exclusiveMinimum": value - 1}, Effect.SAME


@edit("multiple added")
def _multiple(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_kind(node, "number") or "multipleOf" in node:
        return None
    return {**node, "multipleOf": random.choice([1, 2, 3, 0.5, 0.1])}, Effect.NARROWER


@edit("multiple doubled")
def _multiple_doubled(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "multipleOf": node["multipleOf"] * 2}, Effect.OTHER) if "multipleOf" in node else None


@edit("pattern added")
def _pattern_added(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_kind(node, "string") or "pattern" in node:
        return None
    patterns = ["^a", "^[a-z]{2,5}$", r"\d+", "^(x|y)$", "b$", "^.{1,3}$", "^[A-Z]+-[0-9]+$"]
    return {**node, "pattern": random.choice(patterns)}, Effect.NARROWER


@edit("pattern changed")
def _pattern_changed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "pattern": random.choice(["^a", "^b+$", r"\d"])}, Effect.OTHER) if "pattern" in node else None


@edit("pattern removed")
def _pattern_removed(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return ({key: each for key, each in node.items() if key != "pattern"}, Effect.WIDER) if "pattern" in node else None


@edit("format changed")
def _format(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "format": random.choice(["date", "uri", "x"])}, Effect.SAME) if _is_kind(node, "string") else None


@edit("unique")
def _unique(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if not _is_kind(node, "array"):
        return None
    if node.get("uniqueItems"):
        return {key: each for key, each in node.items() if key != "uniqueItems"}, Effect.WIDER
    return {**node, "uniqueItems": True}, Effect.NARROWER


@edit("contains added")
def _contains(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_kind(node, "array") or "contains" in node:
        return None
    return {**node, "contains": _some(random)}, Effect.NARROWER


@edit("items typed")
def _items_typed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if not _is_kind(node, "array") or "items" in node or "prefixItems" in node:
        return None
    return {**node, "items": _some(random)}, Effect.NARROWER


@edit("items as tuple")
def _items_as_tuple(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    items = node.get("items")
    if not isinstance(items, dict) or "prefixItems" in node or "unevaluatedItems" in node:
        return None
    return {**node, "prefixItems": [items]}, Effect.SAME


@edit("or null")
def _or_null(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return (
        ({"anyOf": [node, {"type": "null"}]}, Effect.WIDER) if "$schema" not in node and "$defs" not in node else None
    )


@edit("branch added")
def _branch_added(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    return ({**node, "anyOf": [*node["anyOf"], _some(random)]}, Effect.WIDER) if "anyOf" in node else None


@edit("branch removed")
def _branch_removed(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if len(node.get("anyOf", [])) < 2:
        return None
    index = random.randrange(len(node["anyOf"]))
    return {**node, "anyOf": node["anyOf"][:index] + node["anyOf"][index + 1 :]}, Effect.NARROWER


@edit("branches reversed")
def _branches_reversed(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    keyword = next((each for each in ("anyOf", "oneOf", "allOf") if each in node), None)
    return ({**node, keyword: node[keyword][::-1]}, Effect.SAME) if keyword else None


@edit("one of to any of")
def _one_to_any(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if "oneOf" not in node or "anyOf" in node:
        return None
    return {"anyOf" if key == "oneOf" else key: each for key, each in node.items()}, Effect.OTHER


@edit("any of to one of")
def _any_to_one(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if "anyOf" not in node or "oneOf" in node:
        return None
    return {"oneOf" if key == "anyOf" else key: each for key, each in node.items()}, Effect.NARROWER


@edit("wrapped in allOf")
def _all_of(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return ({"allOf": [node]}, Effect.SAME) if {"$schema", "$defs", "definitions"}.isdisjoint(node) else None


@edit("not not")
def _not_not(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    plain = {"$schema", "$defs", "definitions"}.isdisjoint(node) and "properties" not in node and "$ref" not in node
    return ({"not": {"not": node}}, Effect.OTHER) if plain else None


@edit("excluded value")
def _excluded(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    if "not" in node:
        return None
    return {**node, "not": random.choice([{"const": "a"}, {"type": "null"}, {"required": ["zz"]}])}, Effect.NARROWER


@edit("condition added")
def _condition(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    names = sorted(node.get("properties", {}))
    if not names or "if" in node:
        return None
    return {**node, "if": {"required": names[:1]}, "then": {"required": names[-1:]}}, Effect.NARROWER


@edit("definition")
def _definition(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    if not {"$defs", "definitions", "$schema"}.isdisjoint(node) or "unevaluated" in json.dumps(node):
        return None
    return {"$ref": "#/$defs/Moved"}, Effect.SAME


@edit("annotated")
def _annotated(node: Schema, random: Random) -> tuple[Any, Effect] | None:
    name = random.choice(sorted(ANNOTATIONS))
    return ({**node, name: ANNOTATIONS[name]}, Effect.SAME) if name not in node else None


@edit("keys reversed")
def _keys_reversed(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return dict(reversed(node.items())), Effect.SAME


@edit("anything")
def _anything(node: Schema, _random: Random) -> tuple[Any, Effect] | None:
    return (True, Effect.WIDER) if {"$defs", "definitions"}.isdisjoint(node) else None
