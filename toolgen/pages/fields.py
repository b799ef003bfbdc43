"""Fields: a JSON Schema as tables for people, a row for each field.

Objects without a name are rows below their field, if they are small; named types and large objects have a table of
their own, once, so that recursion ends and the size is linear in that of the schema.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from toolgen.schema.fields import MOST_REFERENCES, fields_of, merged, resolved
from toolgen.schema.json_values import is_array, is_number, is_object
from toolgen.schema.references import name_of_target
from toolgen.spec.text import cut

# Bounds: what a schema allows besides a type, in short form for a table.

Bound: TypeAlias = tuple[str, str]
"""A bound as words, and a value that is shown as code; one of the two may be empty."""

_LONGEST: Final = 200
"""Maximum characters of a value."""

_NUMBERS: Final = (
    ("minimum", "≥ {}"),
    ("exclusiveMinimum", "> {}"),
    ("maximum", "≤ {}"),
    ("exclusiveMaximum", "< {}"),
    ("multipleOf", "multiple of {}"),
)
_SIZES: Final = (("Length", "character"), ("Items", "item"), ("Properties", "field"))


def bounds_of(schema: Any) -> tuple[Bound, ...]:
    """Return the bounds of a schema, of its only alternative beside null, and of the items of an array."""
    return tuple(dict.fromkeys(_bounds(schema, 0)))


def allowed_values(schema: Any) -> tuple[str, ...]:
    """Return the values of `enum` or `const`, as JSON, also those of the items of an array, or beside null."""
    for each in _parts(schema, 0):
        values = each["enum"] if is_array(each.get("enum")) else [each["const"]] if "const" in each else []
        if values:
            return tuple(map(shown, values))
    return ()


def default_of(schema: Mapping[str, Any]) -> str | None:
    """Return the default as JSON; None if there is none."""
    return shown(schema["default"]) if "default" in schema else None


def shown(value: Any) -> str:
    """Return a value as JSON of at most 200 characters."""
    return cut(json.dumps(value, ensure_ascii=False), _LONGEST)


def _parts(schema: Any, level: int) -> Iterator[dict[str, Any]]:
    """Yield a schema, its only alternative beside null, and the schema of its items."""
    if not is_object(schema) or level > 2:
        return
    yield schema
    for keyword in ("anyOf", "oneOf"):
        if is_array(schema.get(keyword)):
            others = [each for each in schema[keyword] if each != {"type": "null"}]
            if len(others) == 1:
                yield from _parts(others[0], level + 1)
    yield from _parts(schema.get("items"), level + 1)


def _bounds(schema: Any, level: int) -> Iterator[Bound]:
    if not is_object(schema) or level > 2:
        return
    for keyword, form in _NUMBERS:
        if is_number(schema.get(keyword)):
            yield form.format(json.dumps(schema[keyword])), ""
    for size, what in _SIZES:
        yield from _size(schema.get(f"min{size}"), schema.get(f"max{size}"), what)
    if schema.get("uniqueItems") is True:
        yield "no duplicates", ""
    for keyword in ("pattern", "format"):
        if isinstance(schema.get(keyword), str):
            yield keyword, schema[keyword]
    for keyword in ("anyOf", "oneOf"):
        if is_array(schema.get(keyword)):
            others = [each for each in schema[keyword] if each != {"type": "null"}]
            if len(others) == 1:
                yield from _bounds(others[0], level + 1)
    for words, code in _bounds(schema.get("items"), level + 1):
        yield f"each: {words}", code


def _size(least: Any, most: Any, what: str) -> Iterator[Bound]:
    """Yield the bounds of a length or a count in one phrase: `1 to 5 items`."""
    low, high = (value if is_number(value) else None for value in (least, most))
    if low is not None and high is not None:
        yield (_counted(low, what) if low == high else f"{low} to {_counted(high, what)}"), ""
    elif low is not None and low > 0:
        yield f"at least {_counted(low, what)}", ""
    elif high is not None:
        yield f"at most {_counted(high, what)}", ""


def _counted(number: float, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


TypeParts: TypeAlias = "tuple[tuple[str, str], ...]"
"""The text of a type in parts, each with the anchor of the table that it links to, or empty."""

_INLINE: Final = 12
"""Maximum rows of an object that is shown below its field."""

_DEEPEST: Final = 3
"""Maximum levels of rows in one table."""

_OPEN: Final = 12
"""Maximum rows of a table that is open at first."""

_ALTERNATIVES: Final = 12
"""Maximum alternatives in the text of a type."""


@dataclass(frozen=True, slots=True)
class Row:
    """One field. `depth` counts from 0; `flags` are words such as `secret`."""

    name: str
    depth: int
    type: TypeParts
    required: bool
    default: str | None
    bounds: tuple[Bound, ...]
    values: tuple[str, ...]
    description: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The fields of one object. `title` is empty for the outermost one; `notes` are sentences about all of it."""

    anchor: str
    title: str
    description: str
    rows: tuple[Row, ...]
    notes: tuple[TypeParts, ...] = ()

    @property
    def columns(self) -> frozenset[str]:
        """The columns that are not empty, besides those of names and types."""
        cells = {
            "required": any(row.required for row in self.rows),
            "default": any(row.default is not None for row in self.rows),
            "bounds": any(row.bounds or row.values for row in self.rows),
            "description": any(row.description or row.flags for row in self.rows),
        }
        return frozenset(name for name, is_used in cells.items() if is_used)

    @property
    def is_open(self) -> bool:
        """Whether it is shown without being opened."""
        return not self.title or len(self.rows) <= _OPEN


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a tool: its type, what bounds it if it is not an object, and its tables, the outermost first."""

    type: TypeParts
    description: str
    bounds: tuple[Bound, ...]
    values: tuple[str, ...]
    tables: tuple[Table, ...]


def side_of(schema: Any, anchor: str, injected: Collection[str] = ()) -> Side:
    """Return the tables of a schema. `anchor` starts the anchors of its tables; `injected` fields get a flag."""
    return _Reader(schema, anchor, frozenset(injected)).side()


@dataclass(slots=True)
class _Waiting:
    anchor: str
    title: str
    node: dict[str, Any]


@dataclass(slots=True)
class _Reader:
    root: Any
    anchor: str
    injected: frozenset[str]
    anchors: dict[str, str] = field(default_factory=dict[str, str])
    waiting: deque[_Waiting] = field(default_factory=deque[_Waiting])

    def side(self) -> Side:
        outer, _ = resolved(self.root, self.root)
        node = outer if is_object(outer) else {}
        tables: list[Table] = []
        if self.is_tabular(node):
            if is_object(self.root) and isinstance(reference := self.root.get("$ref"), str):
                self.anchors[reference] = self.anchor
            self.anchors["#"] = self.anchor
            tables.append(self.table(_Waiting(self.anchor, "", node), is_outermost=True))
            kind: TypeParts = (("object", ""),)
        else:
            kind = self.type_of(self.root, "item")
        while self.waiting:
            tables.append(self.table(self.waiting.popleft()))
        described = str(node.get("description", "")) if not tables or not tables[0].description else ""
        return Side(kind, described, bounds_of(node), allowed_values(node), tuple(tables))

    def is_tabular(self, node: Any) -> bool:
        """Whether a schema has named fields, its own or those of alternatives."""
        return is_object(node) and any(True for _ in fields_of(node, self.root))

    def table(self, asked: _Waiting, *, is_outermost: bool = False) -> Table:
        rows = tuple(self.rows(asked.node, 0, asked.title, self.injected if is_outermost else frozenset()))
        notes: list[TypeParts] = []
        for keyword, word in (("oneOf", "exactly one of: "), ("anyOf", "at least one of: ")):
            alternatives = [each for each in _schemas(asked.node.get(keyword)) if self.says_more(each)]
            if alternatives:
                path = asked.title or "alternative"
                notes.append((("It also fits ", ""), (word, ""), *self.alternatives(alternatives, path, ", ")))
        if asked.node.get("additionalProperties") is False:
            notes.append((("Other fields are refused.", ""),))
        elif is_object(others := asked.node.get("additionalProperties")) and others:
            notes.append(
                (("Other fields are ", ""), *self.type_of(others, f"{asked.title or 'other'} value"), (".", ""))
            )
        return Table(asked.anchor, asked.title, str(asked.node.get("description", "")), rows, tuple(notes))

    def says_more(self, alternative: Any) -> bool:
        node, _ = resolved(alternative, self.root)
        return is_object(node) and bool(node.keys() - {"required", "description", "title", "$comment"})

    def rows(self, node: dict[str, Any], depth: int, path: str, injected: frozenset[str]) -> Iterator[Row]:
        for each in fields_of(node, self.root):
            path_of_field = f"{path}.{each.name}" if path else each.name
            inner = self.inline(each.written, depth)
            yield Row(
                name=each.name,
                depth=depth,
                type=self.type_of(each.written, path_of_field, inner),
                required=each.required,
                default=default_of(each.schema),
                bounds=bounds_of(each.schema),
                values=allowed_values(each.schema),
                description=each.description,
                flags=_flags(each.schema, is_injected=each.name in injected),
            )
            if inner is not None:
                yield from self.rows(inner, depth + 1, path_of_field, frozenset())

    def inline(self, schema: Any, depth: int) -> dict[str, Any] | None:
        """Return the object of a field whose fields are rows below it; None if they are not, or if there is none."""
        objects = list(self.objects_in(schema, 0))
        if depth + 1 >= _DEEPEST or len(objects) != 1:
            return None
        return objects[0] if self.count(objects[0], depth + 1) <= _INLINE else None

    def objects_in(self, schema: Any, level: int) -> Iterator[dict[str, Any]]:
        """Yield the objects that a field holds directly, in a list, or as an alternative; no named types."""
        if not is_object(schema) or "$ref" in schema or level > MOST_REFERENCES:
            return
        if self.is_tabular(schema):
            yield schema
            return
        for each in (schema.get("items"), schema.get("additionalProperties")):
            yield from self.objects_in(each, level + 1)
        for keyword in ("anyOf", "oneOf"):
            for each in _schemas(schema.get(keyword)):
                yield from self.objects_in(each, level + 1)

    def count(self, node: dict[str, Any], depth: int) -> int:
        """Count the rows that an object would take inline; more than `_INLINE` is any larger number."""
        total = 0
        for found in fields_of(node, self.root):
            total += 1
            if total <= _INLINE and depth + 1 < _DEEPEST:
                total += sum(self.count(each, depth + 1) for each in self.objects_in(found.written, 0))
            if total > _INLINE:
                break
        return total

    def type_of(self, schema: Any, path: str, inline: dict[str, Any] | None = None, level: int = 0) -> TypeParts:
        """Return the text of a type, with links to tables. `path` names objects that have no name."""
        if not is_object(schema):
            return ((("nothing" if schema is False else "any"), ""),)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self.named(schema, reference, path, level)
        if self.is_tabular(schema):
            return (("object", ""),) if schema is inline else self.linked(schema, path, id_of(schema), "object")
        for keyword in ("anyOf", "oneOf"):
            if is_array(schema.get(keyword)) and schema[keyword]:
                return self.alternatives(schema[keyword], path, " or ", inline, level)
        members = merged(schema, self.root)
        if members and "type" not in schema:
            only = {**members[0], "allOf": []}
            return self.type_of(only, path, inline, level + 1) if level < MOST_REFERENCES else _ANY
        return self.plain(schema, path, inline, level)

    def plain(self, schema: dict[str, Any], path: str, inline: dict[str, Any] | None, level: int) -> TypeParts:
        words = _names(schema.get("type")) or ([schema["type"]] if isinstance(schema.get("type"), str) else [])
        parts: list[tuple[str, str]] = []
        for word in words or _kinds_of_values(schema):
            if parts:
                parts.append((" or ", ""))
            if word == "array" and is_object(schema.get("items")):
                parts += [("array of ", ""), *self.type_of(schema["items"], f"{path}[]", inline, level + 1)]
            elif word == "object" and is_object(others := schema.get("additionalProperties")) and others:
                parts += [("map of ", ""), *self.type_of(others, f"{path}.*", inline, level + 1)]
            else:
                parts.append((word, ""))
        return tuple(parts) or _ANY

    def alternatives(
        self, schemas: list[Any], path: str, between: str, inline: dict[str, Any] | None = None, level: int = 0
    ) -> TypeParts:
        found: list[TypeParts] = []
        many = sum(1 for each in schemas if self.is_tabular(each)) > 1
        for number, each in enumerate(schemas[:_ALTERNATIVES], 1):
            if level >= MOST_REFERENCES:
                return _ANY
            parts = self.type_of(each, f"{path} ({number})" if many else path, inline, level + 1)
            if parts not in found:
                found.append(parts)
        if len(schemas) > _ALTERNATIVES:
            found.append(((f"{len(schemas) - _ALTERNATIVES} more", ""),))
        return tuple(part for number, parts in enumerate(found) for part in ([(between, "")] * bool(number) + [*parts]))

    def named(self, schema: dict[str, Any], reference: str, path: str, level: int) -> TypeParts:
        target, last = resolved(schema, self.root)
        name = name_of_target(last) or path
        if self.is_tabular(target):
            if reference == "#":
                name = "the whole object"
            return self.linked(target, name, last, name)
        if level >= MOST_REFERENCES:
            return ((name, ""),)
        return self.type_of(target, name, None, level + 1)

    def linked(self, node: dict[str, Any], title: str, key: str, text: str) -> TypeParts:
        """Return a link to the table of an object, which is made if there is none."""
        if key not in self.anchors:
            self.anchors[key] = f"{self.anchor}-{len(self.anchors) + 1}"
            self.waiting.append(_Waiting(self.anchors[key], title, node))
        return ((text, self.anchors[key]),)


_ANY: Final[TypeParts] = (("any", ""),)


def id_of(node: dict[str, Any]) -> str:
    """Return a key of an object without a name, as long as its schema exists."""
    return f"object {id(node)}"


def _names(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if is_array(value) else []


def _schemas(value: Any) -> list[Any]:
    return value if is_array(value) else []


def _kinds_of_values(schema: dict[str, Any]) -> list[str]:
    """Return the types of the values of `enum` or `const`, or what the keywords of a schema without type suggest."""
    values = schema["enum"] if is_array(schema.get("enum")) else [schema["const"]] if "const" in schema else []
    if values:
        return list(dict.fromkeys(_KINDS.get(type(value), "any") for value in values))
    return ["array"] if "items" in schema else ["object"] if is_object(schema.get("additionalProperties")) else []


_KINDS: Final = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


def _flags(schema: Mapping[str, Any], *, is_injected: bool) -> tuple[str, ...]:
    found = (
        ("injected by the host", is_injected),
        ("secret", schema.get("writeOnly") is True),
        ("read-only", schema.get("readOnly") is True),
        ("deprecated", schema.get("deprecated") is True),
    )
    return tuple(word for word, holds in found if holds)
