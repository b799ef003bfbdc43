"""JSON Schema to shapes: the Python types that accept every valid value and do not alter it.

Every shape accepts at least what its schema accepts. If several keywords describe a value (`properties` next to
`anyOf`, `allOf`), the most specific shape is used; if types would have to guess, the shape is `Json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.ir.shapes import (
    PACKAGE_MODULE,
    Array,
    ClassRef,
    ClassType,
    Field,
    Literals,
    Map,
    Scalar,
    ScalarKind,
    Shape,
    classes_in,
    enums_in,
)
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.names import attribute, is_attribute, pascal
from toolgen.compiler.resolve.shapes.algebra import JSON, SCALARS, bounded, constraints, literals, narrower, union
from toolgen.schema.fields import default_among
from toolgen.schema.formats import typed_formats
from toolgen.schema.references import at, definition_of, escape, pointer_of, steps_to

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.resolve.schemas import Bundle
    from toolgen.compiler.resolve.shapes.shapes import Shapes


_DEEPEST: Final = 100
"""Maximum depth of shapes, including references; anything deeper is `Json`. pydantic builds nested classes recursively,
and fails at about this depth.
"""

_MOST_CLASSES: Final = 1000
"""Maximum classes of one schema; further objects are `Json`. With YAML aliases a few lines can have a million."""


@dataclass(frozen=True, slots=True)
class Rename:
    """A name in Python for a field, and its span."""

    python: str
    span: Span


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a schema's classes: their module, the name of the outermost, and the renamed fields."""

    module: str
    name: str
    span: Span
    rename: Mapping[str, Rename]


class SchemaReader:
    """Reads one bundle."""

    def __init__(self, shapes: Shapes, bundle: Bundle, owner: Owner) -> None:
        self._shapes = shapes
        self._bundle = bundle
        self._owner = owner
        self._made: dict[str, Shape | None] = {}
        self._classes = 0
        self._definitions = keywords.definitions_keyword(bundle.dialect)
        self._siblings = bundle.dialect in ("2020-12", "2019-09")

    def root(self, *, as_class: bool) -> Shape:
        """Return the shape of the whole schema; with `as_class` a class even without named fields."""
        schema = self._bundle.whole
        shape = self.shape(schema, self._owner.name, "#")
        if as_class and not isinstance(shape, ClassRef):
            closed = (
                isinstance(schema, dict)
                and schema.get("additionalProperties") is False
                and "patternProperties" not in schema
            )
            self._shapes.add(ClassType(self._owner.name, self._owner.module, (), open=not closed))
            return ClassRef(self._owner.name)
        return shape

    def shape(self, schema: Any, name: str, pointer: str) -> Shape:
        """Return the shape of the part at `pointer`; `name` is for the class that it may need."""
        if not isinstance(schema, dict) or self._is_resource(schema) or self._shapes.depth >= _DEEPEST:
            return JSON
        self._shapes.depth += 1
        try:
            return self._shape(schema, name, pointer)
        finally:
            self._shapes.depth -= 1

    def _shape(self, schema: dict[str, Any], name: str, pointer: str) -> Shape:
        if isinstance(schema.get("$ref"), str):
            referred = self._referred(schema["$ref"])
            if not self._siblings:
                return referred
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return narrower(referred, self.shape(rest, name, pointer))
        shape: Shape = JSON
        if self.is_class(schema):
            if self._classes >= _MOST_CLASSES and name != self._owner.name:
                return JSON
            shape = self._object(schema, name, pointer)
        else:
            shape = self._own(schema, name, pointer)
            for index, part in enumerate(_list(schema, "allOf")):
                shape = narrower(shape, self.shape(part, name, f"{pointer}/allOf/{index}"))
        for keyword in ("anyOf", "oneOf"):
            if isinstance(schema.get(keyword), list) and not isinstance(shape, ClassRef | Literals):
                parts = schema[keyword]
                several = sum(part != {"type": "null"} for part in parts) > 1
                options = [
                    self.shape(
                        part,
                        f"{name}{_option(part, index)}" if several else self._only(part, name),
                        f"{pointer}/{keyword}/{index}",
                    )
                    for index, part in enumerate(parts)
                ]
                shape = narrower(shape, union(options))
        return shape

    def _only(self, part: Any, name: str) -> str:
        """Return a name for the only option of a union other than null."""
        return self._inner(name) if self.is_class(part) else name

    def _inner(self, name: str) -> str:
        """Return a name for a class that is an option of `name`; the outermost name is reserved for the union."""
        return f"{name}Object" if name == self._owner.name else name

    def _is_resource(self, schema: dict[str, Any]) -> bool:
        """Whether a schema has a different base URI, so that its references have other targets."""
        return bool(keywords.resource_name(schema, self._bundle.dialect)) and schema is not self._bundle.whole

    def _referred(self, reference: str) -> Shape:
        if self._shapes.depth >= _DEEPEST:
            return JSON
        match definition_of(reference):
            case (keyword, name) if keyword == self._definitions and name in self._bundle.types:
                return self._shapes.named_type(name, self._bundle, self._owner.span)
            case _:
                target, steps = at(self._bundle.whole, reference), steps_to(reference)
        if target is None or steps is None:
            return JSON
        pointer = f"#{pointer_of(steps)}"
        if pointer in self._made:
            return self._made[pointer] or JSON
        if not steps and self.is_class(target):
            return ClassRef(self._owner.name)
        name = f"{self._owner.name}{pascal(steps[-1] if steps else '') or 'Root'}"
        self._made[pointer] = None
        self._made[pointer] = shape = bounded(self.shape(target, name, pointer))
        return shape

    def _own(self, schema: dict[str, Any], name: str, pointer: str) -> Shape:
        if "const" in schema and self._bundle.dialect != "draft-04":
            return literals([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return literals(schema["enum"])
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return union([self._typed(kind, schema, name, pointer) for kind in kinds])
        return self._typed(kinds, schema, name, pointer) if kinds is not None else JSON

    def _typed(self, kind: Any, schema: dict[str, Any], name: str, pointer: str) -> Shape:
        if kind == "array":
            items = schema.get("items")
            plain = isinstance(items, dict) and "prefixItems" not in schema
            shape = self.shape(items, f"{name}Item", f"{pointer}/items") if plain else JSON
            return Array(shape, constraints(kind, schema))
        if kind == "object":
            if schema.get("properties"):
                return self._object(schema, self._inner(name), pointer)
            values = schema.get("additionalProperties")
            plain = isinstance(values, dict) and "patternProperties" not in schema
            shape = self.shape(values, f"{name}Value", f"{pointer}/additionalProperties") if plain else JSON
            return Map(shape, constraints(kind, schema))
        if kind == "string" and self._is_typed(schema.get("format")):
            return Scalar(ScalarKind.STRING, format=schema["format"])
        scalar = SCALARS.get(str(kind))
        if scalar is None:
            return JSON
        found = constraints(str(kind), schema)
        return replace(scalar, constraints=found) if found else scalar

    def _is_typed(self, name: Any) -> bool:
        """Whether the target has a type for a format, and the draft asserts it."""
        return self._bundle.formats == "typed" and name in typed_formats(self._bundle.dialect)

    def is_class(self, schema: Any) -> bool:
        """Whether a schema, with its `allOf`, is only an object with named fields."""
        return (
            isinstance(schema, dict)
            and any(part.get("type") == "object" and part.get("properties") for part in self._parts(schema))
            and "enum" not in schema
            and "const" not in schema
        )

    def _parts(self, schema: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """Return a schema and the parts of its `allOf`, following references, each once."""
        seen: set[str] = set()
        stack: list[tuple[Any, bool]] = [(schema, False)]
        while stack:
            part, is_followed = stack.pop()
            if not isinstance(part, dict) or (part is not schema and self._is_resource(part)):
                continue
            reference = part.get("$ref")
            if isinstance(reference, str) and not is_followed:
                if self._siblings:
                    stack.append((part, True))
                if reference not in seen:
                    seen.add(reference)
                    stack.append((at(self._bundle.whole, reference), False))
                continue
            yield part
            stack.extend((inner, False) for inner in reversed(_list(part, "allOf")))

    def _object(self, schema: dict[str, Any], name: str, pointer: str) -> Shape:
        name = self._shapes.name_for(name, self._owner, pointer)
        self._classes += 1
        parts = list(self._parts(schema))
        made = ClassType(name, self._owner.module, (), _is_open(parts), _text_or_empty(schema.get("description")))
        self._shapes.add(made)
        if pointer in self._made and self.is_class(schema):  # not an object or another type
            self._made[pointer] = ClassRef(name)
        properties: dict[str, list[Any]] = {}
        for part in parts:
            for wire, field in part["properties"].items() if isinstance(part.get("properties"), dict) else ():
                properties.setdefault(wire, []).append(field)
        required = dict.fromkeys(wire for part in parts for wire in _list(part, "required"))
        for wire in required:
            properties.setdefault(wire, [True])
        fields = [
            self._field(wire, schemas, f"{pointer}/properties/{escape(wire)}", name, required=wire in required)
            for wire, schemas in properties.items()
        ]
        named = {name, *(ref for field in fields for ref in classes_in(field.shape) | enums_in(field.shape))}
        fields = [replace(field, python=f"{field.python}_") if field.python in named else field for field in fields]
        self._check_names(fields, name)
        self._shapes.add(replace(made, fields=tuple(fields)))
        return ClassRef(name)

    def _field(self, wire: str, schemas: list[Any], pointer: str, owner: str, *, required: bool) -> Field:
        python = attribute(wire)
        rename = self._owner.rename.get(wire)
        if rename is not None and is_attribute(rename.python):
            python = rename.python
            self._shapes.renamed.add((self._owner.name, wire))
        shape: Shape = JSON
        for index, schema in enumerate(schemas):
            shape = narrower(
                shape, self.shape(schema, f"{owner}{pascal(wire)}", f"{pointer}/{index}" if index else pointer)
            )
        first = next((schema for schema in schemas if isinstance(schema, dict)), {})
        default = default_among(schemas, self._bundle.whole)
        return Field(
            python,
            wire,
            shape,
            required,
            has_default="default" in default,
            default=default.get("default"),
            description=_text_or_empty(first.get("description")),
        )

    def _check_names(self, fields: list[Field], owner: str) -> None:
        seen: dict[str, str] = {}
        for field in fields:
            first = seen.setdefault(field.python, field.wire)
            if first != field.wire:
                rename = self._owner.rename.get(field.wire) or self._owner.rename.get(first)
                self._shapes.sink.report(
                    "TG302",
                    rename.span if rename else self._owner.span,
                    f"the fields {first!r} and {field.wire!r} of `{owner}` would both be `{field.python}` in Python",
                    fix="choose a name that no other field has" if rename else self._rename(field),
                )

    def _rename(self, field: Field) -> str:
        """Return the fix that renames a field in Python."""
        if self._owner.module in ("shared", "methods", PACKAGE_MODULE):
            return "spell the type out in the args or the result of a tool, which has `rename`"
        return f"give one of them a name: `rename: {{{field.wire!r}: {field.python}_2}}`"


def _is_open(parts: list[dict[str, Any]]) -> bool:
    return (
        len(parts) != 1 or parts[0].get("additionalProperties") is not False or bool(parts[0].get("patternProperties"))
    )


def _list(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _option(schema: Any, index: int) -> str:
    """Return a name for one option of a union: its title, if it has one."""
    title = schema.get("title") if isinstance(schema, dict) else None
    if isinstance(title, str) and title.isascii() and len(title) <= 40 and any(map(str.isalpha, title)):
        return pascal(title)
    return f"Option{index + 1}"


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""
