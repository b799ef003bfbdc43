"""Lenient schemas: the args of a tool for an API that does not enforce schemas. Args are sent unchanged.

A keyword that the API rejects moves to the description: the converted schema accepts more, never less, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from toolgen.providers.protocol import OfferProblem, SchemaDifference, argument_problems
from toolgen.schema.drafts import as_2020_12
from toolgen.schema.json_values import kind_of
from toolgen.schema.keywords import ANNOTATIONS, ASSERTIONS, DEEPEST, DEFINITIONS, SILENT, described, is_deeper
from toolgen.schema.references import all_references, at, behind_references, endless, escape

if TYPE_CHECKING:
    from toolgen.providers.schema_dialects import Dialect

_UNEVALUATED = ("unevaluatedItems", "unevaluatedProperties")
_DEPENDENT = {
    "properties": ("additionalProperties", "unevaluatedProperties"),
    "patternProperties": ("additionalProperties", "unevaluatedProperties"),
    "additionalProperties": ("unevaluatedProperties",),
    "dependentSchemas": ("unevaluatedProperties",),
    "prefixItems": ("items", "additionalItems", "unevaluatedItems"),
    "items": ("additionalItems", "unevaluatedItems"),
    "additionalItems": ("unevaluatedItems",),
    "contains": ("minContains", "maxContains", "unevaluatedItems"),
    "if": ("then", "else", *_UNEVALUATED),
    **dict.fromkeys(("then", "else", "allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "$recursiveRef"), _UNEVALUATED),
}
"""Keywords that are removed with another one, because without it they forbid more, or mean nothing."""


def convert_schema(
    tool: str, schema: Mapping[str, Any], dialect: Dialect
) -> tuple[dict[str, Any], list[OfferProblem], list[SchemaDifference]]:
    """Return the schema in an API's dialect, the problems, and the differences from the tool's schema."""
    if is_deeper(schema):
        return {}, [OfferProblem(tool, f"is nested more than {DEEPEST} levels deep")], []
    root, pointer = behind_references(schema)
    if pointer:
        root = {**root, **{name: schema[name] for name in ("$schema", *DEFINITIONS) if name in schema}}
    if dialect.only_2020_12:
        root = as_2020_12(root)
    conversion = _Conversion(tool, dialect)
    converted = conversion.part(root, "")
    converted.setdefault("type", "object")
    if dialect.needs_properties:
        converted.setdefault("properties", {})
    problems = [*argument_problems(tool, converted, dialect.argument), *_reference_problems(tool, converted, dialect)]
    if converted["type"] != "object":
        problems.append(OfferProblem(tool, "the args must be of the type `object`", "/type"))
    return converted, problems, conversion.differences


def _reference_problems(tool: str, converted: Mapping[str, Any], dialect: Dialect) -> Iterator[OfferProblem]:
    references = list(all_references(converted))
    nowhere = next((each for each in references if each.startswith("#/") and at(converted, each) is None), "")
    if nowhere:
        yield OfferProblem(tool, f"`$ref` has no supported target: {nowhere}")
    if not dialect.bare_refs:
        return
    elsewhere = next((each for each in references if not each.startswith("#/$defs/")), "")
    if elsewhere:
        yield OfferProblem(tool, f"`$ref` may only refer to a definition, not to {elsewhere}")
    held = endless(converted)
    if held:
        yield OfferProblem(tool, "contains itself other than through optional fields", held[1:])


class _Conversion:
    """The conversion of one schema."""

    def __init__(self, tool: str, dialect: Dialect) -> None:
        self.tool = tool
        self.dialect = dialect
        self.differences: list[SchemaDifference] = []

    def part(self, schema: Mapping[str, Any], pointer: str) -> dict[str, Any]:
        """Convert a part and everything in it."""
        known = self.dialect.keywords
        if known is not None and "const" in schema and "const" not in known:
            schema = {"enum": [schema["const"]], **{name: value for name, value in schema.items() if name != "const"}}
        moved = self._refused(schema, pointer)
        converted = {
            name: self._inside(name, value, f"{pointer}/{escape(name)}")
            for name, value in schema.items()
            if name not in moved
        }
        converted |= described(schema, moved)
        self.differences += [
            SchemaDifference(self.tool, pointer, name, "looser") for name in moved if name in ASSERTIONS
        ]
        if self.dialect.any_for_one and "oneOf" in converted:
            # Its branches may be converted to looser ones, so that several match.
            converted["anyOf"] = converted.pop("oneOf")
            self.differences.append(SchemaDifference(self.tool, pointer, "oneOf", "looser"))
        if (
            self.dialect.needs_items
            and "array" in _types(schema)
            and "items" not in converted
            and "prefixItems" not in converted
        ):
            converted["items"] = {}
        if self.dialect.bare_refs and "$ref" in converted and len(converted) > 1 and pointer:
            return {
                **{name: value for name, value in converted.items() if name != "$ref"},
                "anyOf": [{"$ref": converted["$ref"]}],
            }
        return converted

    def _refused(self, schema: Mapping[str, Any], pointer: str) -> list[str]:
        """Return the keywords of a part that are not allowed there, in order."""
        refused = set[str]() if pointer else schema.keys() & self.dialect.refused_at_root
        known = self.dialect.keywords
        if known is not None:
            refused |= schema.keys() - known - {"$defs", "definitions"}
            if "enum" in schema and any(kind_of(value) not in ("string", "number") for value in schema["enum"]):
                refused.add("enum")
            if self.dialect.any_for_one and "anyOf" in schema:
                refused |= schema.keys() & {"oneOf"}
            if self.dialect.bare_refs and "$ref" in schema:
                refused |= schema.keys() - ANNOTATIONS - SILENT - {"$ref"}
        refused |= {name for keyword in tuple(refused) for name in _DEPENDENT.get(keyword, ())}
        return [name for name in schema if name in refused]

    def _inside(self, keyword: str, value: Any, pointer: str) -> Any:
        """Convert the schemas in a keyword."""
        within = _WITHIN.get(keyword)
        return value if within is None else within(self, value, pointer)

    def one(self, schema: Any, pointer: str) -> Any:
        """Convert a schema; true and false stay, and lists are converted item by item."""
        if isinstance(schema, list):
            return self.each(schema, pointer)
        return self.part(cast("dict[str, Any]", schema), pointer) if isinstance(schema, dict) else schema

    def each(self, schemas: Any, pointer: str) -> Any:
        """Convert a list of schemas."""
        return [self.one(schema, f"{pointer}/{index}") for index, schema in enumerate(schemas)]

    def named(self, schemas: Any, pointer: str) -> Any:
        """Convert schemas by name."""
        return {name: self.one(schema, f"{pointer}/{escape(name)}") for name, schema in schemas.items()}


_WITHIN: Mapping[str, Callable[[_Conversion, Any, str], Any]] = {
    **dict.fromkeys(("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"), _Conversion.named),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _Conversion.each),
    **dict.fromkeys(
        ("items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains",
         "propertyNames", "not", "if", "then", "else"),
        _Conversion.one,
    ),
}  # fmt: skip


def _types(schema: Mapping[str, Any]) -> list[object]:
    kind: Any = schema.get("type")
    return cast("list[object]", kind) if isinstance(kind, list) else [kind]
