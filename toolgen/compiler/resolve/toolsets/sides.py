"""The two sides of a tool, args and result: JSON Schema for validation, shape for types."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.diagnostic import Diagnostics
from toolgen.compiler.ir.catalog import Schema
from toolgen.compiler.ir.shapes import PACKAGE_MODULE, ClassRef, Json, Map, Shape
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.names import RESERVED_CLASSES
from toolgen.compiler.resolve.schemas import Bundle, own_dialect
from toolgen.compiler.resolve.shapes.shapes import Shapes
from toolgen.compiler.resolve.validity import check_defaults, check_schema, joined, resource_of
from toolgen.compiler.source.nodes import MappingNode
from toolgen.schema.args import keyword_with, secret_pointers, without_fields
from toolgen.schema.json_values import is_number
from toolgen.schema.keywords import REFERENCES, subschemas
from toolgen.schema.references import at, definition_of, escape, parsed, pointer_of

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.base import SharedFile
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.documents.toolset import ToolsetFile
    from toolgen.compiler.resolve.schemas import Schemas
    from toolgen.compiler.resolve.shapes.reader import Owner


# Parts of a schema that no value fits: the schema is valid, but certainly not intended.

_BOUNDS: Final = (
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_ALL_BOUNDS: Final = frozenset(name for pair in _BOUNDS for name in pair)
_ON_PURPOSE: Final = frozenset({"dependencies", "dependentSchemas", "else", "if", "not", "then"})
"""Under these keywords, schemas that no value fits are used on purpose, to forbid something."""

_LOOSENS: Final = frozenset({"$ref", "patternProperties"})
"""Next to these, `additionalProperties: false` may allow fields that are not in `properties`."""


def check_contradictions(bundle: Bundle, span: Span, sink: Diagnostics) -> None:
    """Report parts that no value fits."""
    for pointer, schema in subschemas(bundle.json, skipped=_ON_PURPOSE):
        for keyword, message, fix in _contradictions(schema):
            sink.report("TG214", bundle.span([*pointer, keyword], span), message, fix=fix)


def _contradictions(schema: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return the keyword, the error, and how to fix it."""
    for low, high in _BOUNDS if not _ALL_BOUNDS.isdisjoint(schema) else ():
        least, most = schema.get(low), schema.get(high)
        if is_number(least) and is_number(most) and (least > most or (least == most and "exclusive" in low + high)):
            yield low, f"no value fits: `{low}` is {least}, and `{high}` is {most}", "swap them, or remove one"
    if schema.get("enum") == []:
        yield "enum", "no value fits: `enum` lists none", "list the allowed values, or remove `enum`"
    for name in _forbidden(schema):
        message = f"no object fits: `{name}` is required, but no such field is allowed"
        yield "required", message, f"add `{name}` to `properties`, or remove it from `required`"


def _forbidden(schema: dict[str, Any]) -> list[str]:
    """Return the fields that are required and not allowed."""
    properties, required = schema.get("properties", {}), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return []
    others = schema.get("additionalProperties") is not False or not _LOOSENS.isdisjoint(schema)
    return [name for name in required if properties.get(name, others) is False]


# Profile `core`: the keywords that every provider supports.


def check_profile(bundle: Bundle, span: Span, sink: Diagnostics) -> None:
    """Report every keyword outside the profile, by its path. Types are checked where they are used."""
    for pointer, keyword in outside_core(bundle.json):
        place = "".join(f".{part}" if isinstance(part, str) else f"[{part}]" for part in pointer)
        sink.report(
            "TG210",
            bundle.span([*pointer, keyword], span),
            f"`{keyword}` at `${place}` is outside profile `core`",
            fix='use object, array, scalars, enum, required and bounds, or build with `profile = "full"`',
        )


def outside_core(schema: Any) -> Iterator[tuple[list[str | int], str]]:
    """Return the paths and keywords outside profile `core`. A local type is checked where it is first used."""
    used: set[str] = set()
    stack: list[tuple[Any, list[str | int]]] = [(schema, [])]
    while stack:
        node, pointer = stack.pop()
        if not isinstance(node, dict):
            continue
        reference = node.get("$ref")
        local = _local(reference, schema) if isinstance(reference, str) else None
        if local is not None and isinstance(reference, str) and reference not in used:
            used.add(reference)
            stack.append((local, pointer))
        for key, value in node.items():
            if (key == "$ref" and local is not None) or (key in ("$defs", "definitions") and not pointer):
                continue
            if (key not in keywords.CORE and not key.startswith("x-")) or (
                key == "additionalProperties" and not isinstance(value, bool)
            ):
                yield pointer, key
            elif key == "items":
                stack.append((value, [*pointer, key]))
            elif key == "properties" and isinstance(value, dict):
                stack.extend((inner, [*pointer, key, name]) for name, inner in value.items())


def _local(reference: str, root: Any) -> Any:
    """Return the type that a reference refers to, or None."""
    return at(root, reference) if definition_of(reference) is not None else None


_NOTES: Final = frozenset({
    "$comment", "$id", "default", "definitions", "description", "examples", "id", "readOnly", "title", "writeOnly",
})  # fmt: skip
"""Keywords of the older drafts that check nothing."""

_MOST_ALONE: Final = 200
"""Maximum number of types that are checked one by one, if a file has errors, so that each error is reported."""


class Sides:
    """Creates the schemas of one file."""

    def __init__(
        self,
        document: Document[ToolsetFile | SharedFile],
        schemas: Schemas,
        shapes: Shapes,
        sink: Diagnostics,
        *,
        profile: str,
    ) -> None:
        self._document = document
        self._schemas = schemas
        self._shapes = shapes
        self._sink = sink
        self._profile = profile

    def args(self, path: Sequence[str], owner: Owner, absent: dict[str, Any]) -> Schema:
        """Return the args at `path`, or `absent`: always an object, and a class."""
        span = owner.span
        bundle = self._bundle(path) or _plain(absent, self._document.file.dialect)
        as_object = _as_object(bundle)
        if as_object is None:
            if check_schema(bundle, span, self._sink):
                self._sink.report(
                    "TG207",
                    span,
                    "args must be an object, but this schema describes something else",
                    fix="put it into a field: `args: {value: …}`",
                )
            as_object = _plain({"type": "object"}, bundle.dialect)
        elif as_object.json is not bundle.json and _refers_to_root(as_object.json, bundle.dialect):
            self._sink.report(
                "TG207",
                span,
                "this schema refers to itself, and does not require args to be an object",
                fix="write `type: object` at its root",
            )
        schema = self._make(as_object, owner, as_class=True)
        if not isinstance(schema.shape, ClassRef) and is_sound(schema):
            self._sink.report("TG207", span, "args must be an object, but this schema describes something else")
        return schema

    def without(self, args: Schema, owner: Owner, injected: Collection[str]) -> Schema:
        """Return the args without injected fields: callers must not send them, and they are absent before injection."""
        if not injected or not isinstance(args.shape, ClassRef) or not is_sound(args):
            return args
        return replace(
            args,
            json=without_fields(
                args.json,
                injected,
                is_old=keywords.definitions_keyword(args.dialect) == "definitions",
                id_keyword=keywords.id_keyword(args.dialect),
            ),
            shape=self._shapes.filled_later(args.shape, owner, injected),
        )

    def check_root(self, args: Schema, span: Span, injected: Collection[str]) -> None:
        """Report references to the root of args, or to its injected fields, whose meaning would change."""
        if _refers_to_root(args.json, args.dialect, {f"/properties/{escape(name)}" for name in injected}):
            self._sink.report(
                "TG207",
                span,
                "this schema refers to itself, and `inject` or `one_of` make its outermost object another one",
                fix="make it a type, and refer to it: `types: {Thing: …}`, `args: Thing`",
            )

    def check_injected(self, args: Schema, span: Span, injected: Collection[str]) -> None:
        """Report injected fields that args without them still require, or would still show to models."""
        for name in injected if is_sound(args) else ():
            keyword = keyword_with(args.json, name)
            if keyword:
                reason = (
                    "is declared in a schema with a URI of its own, which models would be shown"
                    if keyword == "properties"
                    else f"is a name in `{keyword}` of the args, and callers do not send it"
                )
                fix = f"declare `{name}` only in `properties` of the args"
                self._sink.report("TG207", span, f"`inject` names `{name}`, which {reason}", fix=fix)

    def value(self, path: Sequence[str], owner: Owner) -> Schema:
        """Return the schema at `path` of a result or payload; any JSON if there is none."""
        bundle = self._bundle(path) or _plain({}, self._document.file.dialect)
        return self._make(bundle, owner, as_class=False)

    def local_types(self, names: Iterable[str]) -> None:
        """Check and create every type of the file, used or not."""
        names = list(names)
        for name in names:
            if name in RESERVED_CLASSES:
                self._sink.report(
                    "TG302",
                    self._document.span("types", name, key=True),
                    f"the type `{name}` would hide a name that generated code uses",
                    fix="give the type another name",
                )
        if names and not self._together(names):
            self._one_by_one(names)

    def _together(self, names: Sequence[str]) -> bool:
        """Check all types in one document, which is fast if they use each other.

        False if they cannot be in one document, or if there are errors, so that each must be checked separately.
        """
        sink = Diagnostics()
        node, span = self._document.node("types"), self._document.span("types", key=True)
        schemas = self._schemas.reporting_to(sink)
        bundle = schemas.bundle_types(names, self._document.path, self._document.file.dialect, node)
        if sink.has_errors:
            return False
        is_sound = check_schema(bundle, span, sink, most_parts=math.inf)
        if not is_sound and len(names) <= _MOST_ALONE:
            return False
        if is_sound:
            _check_parts(bundle, span, sink)
            for name in names:
                self._shapes.named_type(name, bundle, self._document.span("types", name))
        for found in sink:
            self._sink.add(found)
        return True

    def _one_by_one(self, names: Sequence[str]) -> None:
        for name in names:
            node, span = self._document.node("types", name), self._document.span("types", name)
            bundle = self._schemas.bundle_type(
                name, self._document.path, own_dialect(node) or self._document.file.dialect, node
            )
            if check_schema(bundle, span, self._sink):
                _check_parts(bundle, span, self._sink)
                self._shapes.named_type(name, bundle, span)

    def _bundle(self, path: Sequence[str]) -> Bundle | None:
        parent = self._document.node(*path[:-1])
        if not isinstance(parent, MappingNode) or path[-1] not in parent.keys():
            return None
        return self._schemas.bundle(self._document.node(*path), self._document.path, self._document.file.dialect)

    def _make(self, bundle: Bundle, owner: Owner, *, as_class: bool) -> Schema:
        if not check_schema(bundle, owner.span, self._sink):
            return Schema({}, bundle.dialect, Json(), owner.name)
        if self._profile == "core":
            check_profile(bundle, owner.span, self._sink)
        _check_parts(bundle, owner.span, self._sink)
        shape = self._shapes.side(bundle, owner, as_class=as_class)
        return Schema(bundle.json, bundle.dialect, shape, owner.name, secret_pointers(bundle.json))


def _check_parts(bundle: Bundle, span: Span, sink: Diagnostics) -> None:
    """Warn about parts that are valid, but certainly not intended."""
    check_defaults(bundle, span, sink)
    check_contradictions(bundle, span, sink)


def _plain(json: dict[str, Any], dialect: str) -> Bundle:
    if dialect != "2020-12":
        json = {"$schema": keywords.DIALECTS[dialect], **json}
    return Bundle(json, json, dialect, {}, {})


def _as_object(bundle: Bundle) -> Bundle | None:
    """Return the bundle restricted to objects; None if it accepts none."""
    json, whole = _object_root(bundle.json, bundle.dialect), _object_root(bundle.whole, bundle.dialect)
    return None if json is None or whole is None else replace(bundle, json=json, whole=whole)


def _object_root(json: Any, dialect: str) -> Any:
    if json is True:
        return {"type": "object"}
    if not isinstance(json, dict):
        return None
    kinds = json.get("type")
    # In older drafts keywords next to a `$ref` are ignored.
    is_alone = "$ref" in json and keywords.definitions_keyword(dialect) == "definitions"
    if kinds == "object" and not is_alone:
        return json
    if kinds in (None, "object") or (isinstance(kinds, list) and "object" in kinds):
        rest = {key: value for key, value in json.items() if key != "type"}
        head = {"$schema": rest.pop("$schema")} if "$schema" in rest else {}
        if is_alone:
            notes = {key: value for key, value in rest.items() if key in _NOTES or key not in keywords.ALL}
            rest = {**notes, "allOf": [{"$ref": rest["$ref"]}]}
        return {**head, "type": "object", **rest}
    return None


def _refers_to_root(schema: dict[str, Any], dialect: str, pointers: Collection[str] = ()) -> bool:
    """Whether a reference refers to the root of a schema, or to one of `pointers`."""
    url = resource_of(schema, "", dialect)
    names = {
        "",
        *pointers,
        *(name for key in ("$anchor", "$dynamicAnchor") if isinstance(name := schema.get(key), str)),
    }
    queue: list[tuple[Any, str]] = [(schema, "")]
    while queue:
        value, base = queue.pop()
        match value:
            case list() as items:
                queue.extend((item, base) for item in items)
            case dict() as entries:
                base = resource_of(entries, base, dialect)
                if any(_leads(entries.get(key), base, url, names) for key in REFERENCES):
                    return True
                queue.extend((inner, base) for inner in entries.values())
            case _:
                pass
    return False


def _leads(reference: object, base: str, url: str, names: Collection[str]) -> bool:
    """Whether a reference in the resource `base` refers to one of `names` in the resource `url`."""
    found = parsed(reference)
    if found is None:
        return False
    return (joined(base, found.resource) if found.resource else base) == url and (
        found.anchor or pointer_of(found.steps)
    ) in names


def is_sound(args: Schema) -> bool:
    """Whether the schema of args could be compiled; otherwise its fields are unknown."""
    return bool(args.json)


def field_names(schema: Schema, shapes: Shapes) -> dict[str, str]:
    """Return the named fields of a schema's root, wire name to Python name."""
    made = shapes.classes.get(schema.shape.name) if isinstance(schema.shape, ClassRef) else None
    return {field.wire: field.python for field in made.fields} if made else {}


def required_fields(schema: Schema, shapes: Shapes) -> list[str]:
    """Return the wire names of the required fields, in order."""
    made = shapes.classes.get(schema.shape.name) if isinstance(schema.shape, ClassRef) else None
    return [field.wire for field in made.fields if field.required] if made else []


def field_shape(schema: Schema, wire: str, shapes: Shapes) -> Shape | None:
    """Return the shape of one field of a schema's root."""
    made = shapes.classes.get(schema.shape.name) if isinstance(schema.shape, ClassRef) else None
    return next((field.shape for field in made.fields if field.wire == wire), None) if made else None


def is_open_object(schema: Schema) -> bool:
    """Whether a schema has no named fields, so that any field is possible."""
    return isinstance(schema.shape, Json | Map)


# The types of shared files, each created once for all toolsets that use it.


def resolve_shared_types(
    documents: Sequence[Document[SharedFile]], schemas: Schemas, sink: Diagnostics, *, profile: str
) -> Shapes:
    """Return the types of all shared files, used or not. They share one namespace in Python."""
    names = [name for document in documents for name in document.file.types]
    shapes = Shapes(names, (), sink, module=PACKAGE_MODULE)
    for document in documents:
        Sides(document, schemas, shapes, sink, profile=profile).local_types(document.file.types)
    return shapes
