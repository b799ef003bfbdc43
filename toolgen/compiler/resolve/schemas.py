"""Written schemas to JSON Schema: named types, short forms, references, keywords of each draft."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.compiler.diagnostics.diagnostic import Related, listing, nearest
from toolgen.compiler.documents.base import SharedFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.keywords import respelled_type
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.schema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from toolgen.schema.references import definition_of, escape, pointer_of, reference_to, steps_of, steps_to

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.source.nodes import Node


# The table of named types of all files: definitions, and references between files.

POINTER = "#/types/"

TypePlace: TypeAlias = tuple[str, str]
"""A file, and the name of a type in it."""


@dataclass(frozen=True, slots=True)
class NamedType:
    """A type defined in a file."""

    path: str
    name: str
    node: Node
    dialect: str
    span: Span


class Types:
    """Every named type, by file. `read` are the files whose types were looked at."""

    def __init__(self, documents: Mapping[str, Document[SpecFileHead]], sink: Diagnostics) -> None:
        self._documents = documents
        self._sink = sink
        self._files: dict[str, dict[str, NamedType]] = {}
        self._ends: dict[TypePlace, tuple[TypePlace, Span]] = {}
        self.read: set[str] = set()

    def reporting_to(self, sink: Diagnostics) -> Types:
        """Return a copy that reports to another sink; what it reads counts as read here."""
        types = self.for_toolset(sink)
        types.read = self.read
        return types

    def for_toolset(self, sink: Diagnostics) -> Types:
        """Return a copy that reports to another sink, and has read nothing yet."""
        types = Types(self._documents, sink)
        types._files = self._files
        return types

    def names(self, path: str) -> list[str]:
        """Return the types that a file defines."""
        return list(self._of(path))

    def _of(self, path: str) -> dict[str, NamedType]:
        """Return the types of a file, by name; none if there is no such file."""
        self.read.add(path)
        if path not in self._files:
            document = self._documents.get(path)
            self._files[path] = {} if document is None else _types_of(document)
        return self._files[path]

    def named(self, path: str, name: str, span: Span) -> NamedType | None:
        """Return the type with a name in a file; references to other files are followed. Reports missing types."""
        (path, name), span = self._end((path, name), span)
        known = self._of(path)
        found = known.get(name)
        if found is None:
            capitals = [*known, *_WORDS]
            self._sink.report(
                "TG201",
                span,
                f"there is no type `{name}` in {path}",
                fix=respelled_type(name, capitals) or self._sink.nearest(name, capitals) or _listing(known),
            )
            return None
        reference = _foreign_reference(found.node)
        if reference is None:
            return found
        if self.target(path, reference, found.node.span):
            self._sink.report("TG204", found.span, f"the type `{name}` only refers to itself")
        return None

    def _end(self, place: TypePlace, span: Span) -> tuple[TypePlace, Span]:
        """Follow types that are only references, and return the final place, and the span of the last reference.

        The final place is itself a reference if its target is missing, or if the references form a cycle.
        """
        passed: dict[TypePlace, None] = {}
        while place not in passed and (step := self._ends.get(place) or self._next(place)):
            passed[place] = None
            place, span = step
        is_in_circle = False
        for each in passed:
            is_in_circle = is_in_circle or each == place
            self._ends[each] = (each if is_in_circle else place, span)
        return place, span

    def _next(self, place: TypePlace) -> tuple[TypePlace, Span] | None:
        """Return the target of a type that is only a reference, and the span of the reference."""
        path, name = place
        found = self._of(path).get(name)
        reference = _foreign_reference(found.node) if found else None
        target = self.target(path, reference, found.node.span) if found and reference else None
        return (target, found.node.span) if found and target else None

    def target(self, path: str, reference: str, span: Span) -> TypePlace | None:
        """Return the file and name of `#/types/Name` or `other.yaml#/types/Name` in a file."""
        file, _, fragment = reference.partition("#")
        if not fragment.startswith("/types/") or "/" in fragment[len("/types/") :]:
            self._sink.report(
                "TG204",
                span,
                f"`{reference}` is not a reference to a type",
                fix="write `#/types/Name` or `file.yaml#/types/Name`",
            )
            return None
        where = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
        if where not in self._documents:
            self._sink.report(
                "TG204", span, f"there is no spec file {where}", fix=self._sink.nearest(where, self._documents)
            )
            return None
        return where, fragment[len("/types/") :]


def _types_of(document: Document[SpecFileHead]) -> dict[str, NamedType]:
    file = document.file
    if not isinstance(file, ToolsetFile | SharedFile) or not file.types:
        return {}
    entries = document.node("types")
    assert isinstance(entries, MappingNode)
    return {
        name: NamedType(
            document.path,
            name,
            node,
            own_dialect(node) or file.dialect,
            document.span("types", name, key=True),
        )
        for name, node in entries.entries()
    }


def own_dialect(node: Node) -> str | None:
    """Return the draft in a schema's `$schema`."""
    if isinstance(node, MappingNode) and "$schema" in node.keys():
        value = node.get("$schema")
        if isinstance(value, ScalarNode) and isinstance(value.value, str):
            return keywords.dialect_of(value.value)
    return None


def is_type_reference(reference: str) -> bool:
    """Whether a `$ref` refers to a type of a spec file, not to a part of its schema."""
    return reference.startswith(POINTER) or ("#/types/" in reference and "://" not in reference)


def _foreign_reference(node: Node) -> str | None:
    """Return the `$ref` of a type that is only a reference."""
    if isinstance(node, MappingNode) and node.keys() == ["$ref"]:
        value = node.get("$ref")
        if isinstance(value, ScalarNode) and isinstance(value.value, str) and is_type_reference(value.value):
            return value.value
    return None


_WORDS = ("string", "integer", "number", "boolean", "object", "null", "any")


def _listing(known: dict[str, NamedType]) -> str:
    return listing("types here", known) if known else "this file has no `types`"


# Schemas of specs to self-contained JSON Schema: used types become definitions of the schema.
#
# Every `$ref` in a resulting schema refers to itself.

# Expansion of one schema: short forms become JSON Schema, and references are adjusted to its final place.

WORDS: Final[dict[str, Any]] = {
    **{word: {"type": word} for word in ("string", "integer", "number", "boolean", "object", "null")},
    "any": {},
}

_MARKS: Final = ("?", "!")
_ABOUT: Final = ("description", "title", "default", "examples")
"""Keywords that people write next to a `type` which is missing."""


@dataclass(slots=True)
class Expansion:
    """An expanded schema, before the types it uses are added.

    `uses` maps the name under `$defs` to the type; `places` maps JSON pointers to their nodes; `named` counts the parts
    with an `$id` or an anchor.
    """

    json: Any
    uses: dict[str, NamedType] = field(default_factory=dict[str, NamedType])
    places: dict[str, Node] = field(default_factory=dict[str, "Node"])
    named: int = 0


class Expander:
    """Expands one schema."""

    def __init__(self, types: Types, sink: Diagnostics, path: str, dialect: str, into: Expansion) -> None:
        self._types = types
        self._sink = sink
        self._path = path
        self._dialect = dialect
        self._definitions = keywords.definitions_keyword(dialect)
        self._naming = (keywords.id_keyword(dialect), *keywords.ANCHORS)
        self._into = into

    def expand(self, node: Node, pointer: str) -> Any:
        """Return the JSON Schema of a node, whose final place is a JSON pointer. Errors are reported."""
        self._into.places[pointer] = node
        match node:
            case ScalarNode(value=bool() as value):
                return value
            case ScalarNode(value=None):
                return {"type": "null"}
            case ScalarNode(value=str() as value) if value in WORDS:
                return dict(WORDS[value])
            case ScalarNode(value=str() as value) if value[:1].isupper():
                return self._type(value, node.span)
            case ScalarNode(value=value):
                known = [*WORDS, *self._types.names(self._path)]
                self._sink.report(
                    "TG201",
                    node.span,
                    f"`{value}` is not a type",
                    fix=respelled_type(str(value), known)
                    or self._sink.nearest(str(value), known)
                    or "keywords of JSON Schema go next to a `type`: `{type: integer, minimum: 1}`",
                )
            case SequenceNode(items=items) if len(items) == 1:
                return {"type": "array", "items": self.expand(items[0], f"{pointer}/items")}
            case SequenceNode():
                self._sink.report(
                    "TG212",
                    node.span,
                    "a list means an array, and has exactly one item",
                    fix="write `[X]`, or JSON Schema with `prefixItems`",
                )
            case MappingNode() if any(key in keywords.RAW for key in node.keys()):
                return self._raw(node.to_data(), node, [], pointer)
            case MappingNode():
                return self._fields(node, pointer)
            case _:
                raise TypeError(f"not a node: {node!r}")
        return {}

    def _fields(self, node: MappingNode, pointer: str) -> Any:
        properties: dict[str, Any] = {}
        required: list[str] = []
        for key, child in node.entries():
            name, optional = _field_name(key)
            if key in _MARKS or (optional and name.endswith(_MARKS)):
                message = f"`{key}` is the field called `{name}`" if name else f"`{key}` is the field without a name"
                fix = "one mark ends the name of a field: `name?` or `name!`"
                self._sink.report("TG215", node.key_span(key), message, fix=fix)
            if name in properties:
                self._sink.report(
                    "TG206", node.key_span(key), f"the field `{name}` occurs twice", fix="keep one of them"
                )
                continue
            if name in _ABOUT and self._is_no_type(child):
                message = f"`{key}` is a field here: a map without `type` is an object with fields"
                fix = f"write `{{type: string, {key}: …}}` with the type that is meant; the value of a field is a type"
                self._sink.report("TG201", node.key_span(key), message, fix=fix)
                continue
            schema = properties[name] = self.expand(child, f"{pointer}/properties/{escape(name)}")
            if not optional and not (isinstance(schema, dict) and "default" in schema):
                required.append(name)
        json: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            json["required"] = required
        return {**json, "additionalProperties": False}

    def _is_no_type(self, node: Node) -> bool:
        """Whether a value is a text or a number that is no type, nor a misspelt one."""
        if not isinstance(node, ScalarNode) or isinstance(node.value, bool | None):
            return False
        known, text = [*WORDS, *self._types.names(self._path)], str(node.value)
        return text not in known and not respelled_type(text, known) and not self._sink.nearest(text, known)

    def _type(self, name: str, span: Span) -> Any:
        found = self._types.named(self._path, name, span)
        if found is None:
            return {}
        self._into.uses[name] = found
        return {"$ref": f"#/{self._definitions}/{escape(name)}"}

    def _raw(self, schema: Any, node: Node, path: list[str | int], pointer: str | None) -> Any:
        """Copy a JSON Schema, with references to types and to itself adjusted to its final place.

        `pointer` is the final place of the schema's root; None inside a schema with an `$id`, which is separate.
        """
        if not isinstance(schema, dict):
            return schema
        base = None if keywords.resource_name(schema, self._dialect) and (path or pointer) else pointer
        self._into.named += any(isinstance(schema.get(key), str) for key in self._naming)
        copy: dict[str, Any] = {}
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                reference = self._reference(value, node, [*path, key], base)
                copy |= {} if reference is None else {key: reference}
            elif key == "$recursiveRef" and base and self._dialect == "2019-09":
                copy[key] = value
                self._sink.report(
                    "TG204",
                    node.span_at([*path, key], key=True),
                    "`$recursiveRef` would refer to the schema that will contain this one",
                    fix='write `$ref: "#"`',
                )
            elif key in SCHEMA_MAP and isinstance(value, dict):
                if key == "properties":
                    self._check_marks(value, node, [*path, key])
                copy[key] = {name: self._raw(inner, node, [*path, key, name], base) for name, inner in value.items()}
            elif key in SCHEMA_LIST and isinstance(value, list):
                copy[key] = [self._raw(inner, node, [*path, key, index], base) for index, inner in enumerate(value)]
            elif key in SCHEMA:
                copy[key] = self._raw(value, node, [*path, key], base)
            else:
                copy[key] = value
                if key not in keywords.ALL and not key.startswith("x-"):
                    self._unknown(key, schema, node, [*path, key])
            if key in keywords.FOREIGN[self._dialect]:
                message = f"`{key}` is not a keyword of {self._dialect}, and checks nothing"
                fix = keywords.FOREIGN[self._dialect][key]
                self._sink.report("TG203", node.span_at([*path, key], key=True), message, fix=fix)
        return copy

    def _reference(self, reference: str, node: Node, path: list[str | int], pointer: str | None) -> str | None:
        """Return a reference as it is in the bundle; None for a type that is not there, which is reported."""
        if is_type_reference(reference):
            span = node.span_at(path)
            if pointer is None:
                self._sink.report(
                    "TG204",
                    span,
                    "a type of a spec file cannot be used inside a schema with an `$id`",
                    fix="remove the `$id`",
                )
            target = self._types.target(self._path, reference, span)
            found = None if target is None else self._types.named(*target, span)
            if target is None or found is None:
                return None
            name = reference[len(POINTER) :] if reference.startswith(POINTER) else target[1]
            self._into.uses[name] = found
            return f"#/{self._definitions}/{escape(name)}"
        if pointer and (reference in ("", "#") or reference.startswith("#/")):
            return f"{reference_to(steps_of(pointer))}{reference[1:]}"
        return reference

    def _check_marks(self, properties: dict[str, Any], node: Node, path: list[str | int]) -> None:
        for name in properties:
            if len(name) > 1 and name.endswith(_MARKS):
                message = f"inside JSON Schema `{name}` is the whole name of the field"
                fix = f"write `{name[:-1]}`; a field that is not listed under `required` is optional"
                self._sink.report("TG215", node.span_at([*path, name], key=True), message, fix=fix)

    def _unknown(self, key: str, schema: dict[str, Any], node: Node, path: list[str | int]) -> None:
        kind = schema.get("type")
        replacements = {
            "optional": "an optional field is written `name?`; inside JSON Schema it is not listed under `required`",
            "nullable": f'write `type: [{kind if isinstance(kind, str) else "string"}, "null"]`',
            "secret": "mark a secret with `writeOnly: true`",
        }
        self._sink.report(
            "TG203",
            node.span_at(path, key=True),
            f"`{key}` is not a JSON Schema keyword, so it has no effect",
            fix=replacements.get(key)
            or nearest(key, keywords.ALL)
            or ("a field called `type` is written `type!`" if len(path) == 1 and _is_type_word(schema[key]) else "")
            or "rename it to `x-…` if it is an annotation, or put fields under `type: object` and `properties`",
        )


def _is_type_word(value: Any) -> bool:
    return isinstance(value, str) and value in WORDS


def _field_name(key: str) -> tuple[str, bool]:
    """Return the field name of a key of the short form, and whether the field is optional."""
    if key.endswith("!"):
        return key[:-1], False
    if key.endswith("?"):
        return key[:-1], True
    return key, False


@dataclass(frozen=True, slots=True)
class Bundle:
    """A self-contained schema.

    `json` is the published schema; `whole` is the same before a root that only refers to a type was replaced by the
    type. `types` maps the definitions that are types of spec files to the file and the name there. `named` counts the
    parts with an `$id` or an anchor. `formats` is as in the configuration.
    """

    json: Any
    whole: Any
    dialect: str
    types: Mapping[str, tuple[str, str]]
    places: dict[str, Node]
    named: int = 0
    formats: str = "annotate"

    def span(self, pointer: Sequence[str | int], fallback: Span) -> Span:
        """Return the source span of the part at a JSON pointer."""
        for length in range(len(pointer), -1, -1):
            node = self.places.get(pointer_of(pointer[:length]))
            if node is not None:
                return node.span_at(pointer[length:])
        return fallback


class Schemas:
    """Expands the schemas of all files; each named type once."""

    def __init__(self, types: Types, sink: Diagnostics, formats: str) -> None:
        self._types = types
        self._sink = sink
        self._formats = formats
        self._expanded: dict[tuple[str, str, str], Expansion] = {}

    def reporting_to(self, sink: Diagnostics) -> Schemas:
        """Return a copy that reports to another sink."""
        return Schemas(self._types.reporting_to(sink), sink, self._formats)

    def for_toolset(self, sink: Diagnostics) -> Schemas:
        """Return a copy that reports to another sink, and has read nothing yet."""
        return Schemas(self._types.for_toolset(sink), sink, self._formats)

    @property
    def read(self) -> set[str]:
        """The files whose types were looked at, by path."""
        return self._types.read

    def bundle(self, node: Node, path: str, dialect: str) -> Bundle:
        """Expand the schema at `node` of file `path`, with all referenced types as definitions."""
        dialect = own_dialect(node) or dialect
        return self._bundle(self._expand(node, path, dialect, ""), node, dialect)

    def bundle_type(self, name: str, path: str, dialect: str, node: Node) -> Bundle:
        """Return a schema that is only a reference to a type of file `path`; `node` is its definition."""
        expansion = Expansion({})
        found = self._types.named(path, name, node.span)
        if found is not None:
            expansion.json = {"$ref": f"#/{keywords.definitions_keyword(dialect)}/{name}"}
            expansion.uses[name] = found
        return self._bundle(expansion, node, dialect)

    def bundle_types(self, names: Iterable[str], path: str, dialect: str, node: Node) -> Bundle:
        """Return a schema with a field for each of some types of file `path`; `node` is their definition."""
        properties: dict[str, Any] = {}
        expansion = Expansion({"properties": properties})
        for name in names:
            found = self._types.named(path, name, node.span)
            if found is not None:
                properties[name] = {"$ref": f"#/{keywords.definitions_keyword(dialect)}/{name}"}
                expansion.uses[name] = found
        return self._bundle(expansion, node, dialect)

    def _bundle(self, expansion: Expansion, node: Node, dialect: str) -> Bundle:
        definitions = keywords.definitions_keyword(dialect)
        json, places, named = expansion.json, dict(expansion.places), expansion.named
        own = json.get(definitions) or {} if isinstance(json, dict) else {}
        found: dict[str, NamedType] = {}
        queue = list(expansion.uses.items())
        types: dict[str, Any] = {}
        while queue:
            name, used = queue.pop(0)
            if name in found:
                if found[name] != used:
                    self._clash(name, found[name], used, node)
                continue
            if name in own:
                self._sink.report(
                    "TG211",
                    node.span,
                    f"`{definitions}` has an entry `{name}`, which is also the name of a type used here",
                    fix=f"rename one of the two `{name}`",
                )
                continue
            found[name] = used
            if used.dialect != dialect:
                self._sink.report(
                    "TG205",
                    node.span,
                    f"this is {dialect}, and the type `{name}` is {used.dialect}",
                    related=[Related(used.span, f"`{name}` is here")],
                    fix="use one `dialect` in both files",
                )
                types[name] = {}
                continue
            key = (used.path, used.name, name)
            if key not in self._expanded:
                self._expanded[key] = self._expand(used.node, used.path, dialect, f"/{definitions}/{escape(name)}")
            types[name] = self._expanded[key].json
            places.update(self._expanded[key].places)
            named += self._expanded[key].named
            queue.extend(self._expanded[key].uses.items())
        whole = _with_definitions(json, types, definitions, dialect)
        inlined = _inlined(whole, definitions)
        if inlined is not whole:
            places.update(_below(json["$ref"].removeprefix("#"), places))
        homes = {name: (used.path, used.name) for name, used in found.items() if name in types}
        return Bundle(inlined, whole, dialect, homes, places, named, self._formats)

    def _clash(self, name: str, first: NamedType, second: NamedType, node: Node) -> None:
        self._sink.report(
            "TG211",
            node.span,
            f"two different types called `{name}` are used here",
            related=[Related(first.span, "one is here"), Related(second.span, "the other is here")],
            fix=f"give one of them another name: `types: {{Other{name}: {{$ref: …}}}}`",
        )

    def _expand(self, node: Node, path: str, dialect: str, pointer: str) -> Expansion:
        expansion = Expansion(None)
        expansion.json = Expander(self._types, self._sink, path, dialect, expansion).expand(node, pointer)
        return expansion


def _with_definitions(json: Any, types: dict[str, Any], definitions: str, dialect: str) -> Any:
    if not isinstance(json, dict):
        return json
    root = dict(json)
    if types and isinstance(root.get(definitions, {}), dict):
        root[definitions] = {**root.get(definitions, {}), **{name: types[name] for name in sorted(types)}}
    if dialect != "2020-12" and "$schema" not in root:
        root = {"$schema": keywords.DIALECTS[dialect], **root}
    return root


def _inlined(root: Any, definitions: str) -> Any:
    """Replace a root that is only a reference to a type by the type, unless the type is recursive."""
    if not isinstance(root, dict) or set(root) - {"$schema"} != {"$ref", definitions}:
        return root
    reference = root["$ref"]
    if not isinstance(reference, str) or not isinstance(root[definitions], dict):
        return root
    definition = definition_of(reference)
    if definition is None or definition[0] != definitions:
        return root
    name = definition[1]
    body = root[definitions].get(name)
    others = {other: schema for other, schema in root[definitions].items() if other != name}
    if not isinstance(body, dict) or definitions in body or _mentions([body, others], definition):
        return root
    head = {"$schema": root["$schema"]} if "$schema" in root else {}
    return {**head, **body, **({definitions: others} if others else {})}


def _below(pointer: str, places: dict[str, Node]) -> dict[str, Node]:
    """Return the places at and below a pointer, by relative pointers."""
    return {
        place.removeprefix(pointer): node
        for place, node in places.items()
        if place == pointer or place.startswith(f"{pointer}/")
    }


def _mentions(value: Any, place: tuple[str, ...]) -> bool:
    """Whether anything refers to a place, or to one below it."""
    match value:
        case dict():
            return any(
                _mentions(inner, place)
                if key not in ("$ref", "$dynamicRef") or not isinstance(inner, str)
                else (steps_to(inner) or ())[: len(place)] == place
                for key, inner in value.items()
            )
        case list():
            return any(_mentions(inner, place) for inner in value)
        case _:
            return False
