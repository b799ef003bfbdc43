"""Written schemas to JSON Schema: short forms spelled out, types put beside the schema that uses them.

What comes out stands alone: every `$ref` in it points into itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from toolgen.compiler.diagnostics.diagnostic import Related, nearest
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.types import POINTER, NamedType, Types, is_type_reference, own_dialect
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.source.nodes import Node

WORDS: Final[dict[str, Any]] = {
    **{word: {"type": word} for word in ("string", "integer", "number", "boolean", "object", "null")},
    "any": {},
}

_IN_FRAGMENTS: Final = "/~!$&'()*+,;=:@?"
"""What stands as it is in the fragment of a URI, beside letters and digits."""


@dataclass(slots=True)
class Expansion:
    """A schema spelled out, before the types it uses are put beside it.

    `uses` maps the name under `$defs` to the type; `places` maps JSON pointers to the nodes they were written at;
    `anchors` maps what `$anchor`, `$id` and their like name to the parts that they name.
    """

    json: Any
    uses: dict[str, NamedType] = field(default_factory=dict[str, NamedType])
    places: dict[str, Node] = field(default_factory=dict[str, "Node"])
    anchors: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Bundle:
    """A schema that stands alone.

    `json` is what is published; `whole` is the same before a root that only refers to a type was put in its place.
    `types` names the entries of the definitions that are types of spec files, and says which: the file, and the name
    there.
    """

    json: Any
    whole: Any
    dialect: str
    types: Mapping[str, tuple[str, str]]
    places: dict[str, Node]

    def span(self, pointer: Sequence[str | int], fallback: Span) -> Span:
        """Where the part of the schema at a JSON pointer was written."""
        for length in range(len(pointer), -1, -1):
            node = self.places.get(_pointer(pointer[:length]))
            if node is not None:
                return node.span_at(pointer[length:])
        return fallback


class Schemas:
    """Expands the schemas of all files; each named type once."""

    def __init__(self, types: Types, sink: Diagnostics) -> None:
        self._types = types
        self._sink = sink
        self._expanded: dict[tuple[str, str, str], Expansion] = {}

    def reporting_to(self, sink: Diagnostics) -> Schemas:
        """The same, with another place for what is found."""
        return Schemas(self._types.reporting_to(sink), sink)

    def bundle(self, node: Node, path: str, dialect: str) -> Bundle:
        """Spell out the schema at `node` of file `path`, with all the types it reaches under its definitions."""
        dialect = own_dialect(node) or dialect
        return self._bundle(self._expand(node, path, dialect, ""), node, dialect)

    def bundle_type(self, name: str, path: str, dialect: str, node: Node) -> Bundle:
        """A schema that is nothing but a reference to a type of file `path`; `node` is where it is defined."""
        expansion = Expansion({})
        found = self._types.named(path, name, node.span)
        if found is not None:
            expansion.json = {"$ref": f"#/{keywords.definitions_keyword(dialect)}/{name}"}
            expansion.uses[name] = found
        return self._bundle(expansion, node, dialect)

    def bundle_types(self, names: Iterable[str], path: str, dialect: str, node: Node) -> Bundle:
        """A schema with a field of each of some types of file `path`; `node` is where they are defined."""
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
        json, places, anchors = expansion.json, dict(expansion.places), dict(expansion.anchors)
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
                    f"`{definitions}` has an entry `{name}`, which is also a type used here",
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
                self._expanded[key] = self._expand(used.node, used.path, dialect, f"/{definitions}/{_escape(name)}")
            types[name] = self._expanded[key].json
            places.update(self._expanded[key].places)
            for anchor, part in self._expanded[key].anchors.items():
                if anchors.setdefault(anchor, part) != part:
                    self._sink.report(
                        "TG211",
                        node.span,
                        f"`{anchor}` names two different parts of the schemas that meet here",
                        related=[Related(used.span, f"one is in `{name}`")],
                        fix="rename one of them: types that are used together share one document",
                    )
            queue.extend(self._expanded[key].uses.items())
        whole = _with_definitions(json, types, definitions, dialect)
        inlined = _inlined(whole, definitions)
        if inlined is not whole:
            places.update(_below(json["$ref"].removeprefix("#"), places))
        homes = {name: (used.path, used.name) for name, used in found.items() if name in types}
        return Bundle(inlined, whole, dialect, homes, places)

    def _clash(self, name: str, first: NamedType, second: NamedType, node: Node) -> None:
        self._sink.report(
            "TG211",
            node.span,
            f"two different types called `{name}` meet here",
            related=[Related(first.span, "one is here"), Related(second.span, "the other is here")],
            fix=f"give one of them another name: `types: {{Other{name}: {{$ref: …}}}}`",
        )

    def _expand(self, node: Node, path: str, dialect: str, pointer: str) -> Expansion:
        expansion = Expansion(None)
        expansion.json = _Expander(self._types, self._sink, path, dialect, expansion).expand(node, pointer)
        return expansion


class _Expander:
    """Spells out one written schema."""

    def __init__(self, types: Types, sink: Diagnostics, path: str, dialect: str, into: Expansion) -> None:
        self._types = types
        self._sink = sink
        self._path = path
        self._dialect = dialect
        self._definitions = keywords.definitions_keyword(dialect)
        self._into = into

    def expand(self, node: Node, pointer: str) -> Any:
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
                self._sink.report(
                    "TG201",
                    node.span,
                    f"`{value}` is not a type",
                    fix=nearest(str(value), [*WORDS, *self._types.names(self._path)])
                    or "keywords of JSON Schema stand beside a `type`: `{type: integer, minimum: 1}`",
                )
            case SequenceNode(items=items) if len(items) == 1:
                return {"type": "array", "items": self.expand(items[0], f"{pointer}/items")}
            case SequenceNode():
                self._sink.report(
                    "TG212",
                    node.span,
                    "a list stands for an array, and has exactly one item",
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
            if name in properties:
                self._sink.report(
                    "TG206", node.key_span(key), f"the field `{name}` is here twice", fix="keep one of them"
                )
                continue
            schema = properties[name] = self.expand(child, f"{pointer}/properties/{_escape(name)}")
            if not optional and not (isinstance(schema, dict) and "default" in schema):
                required.append(name)
        json: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            json["required"] = required
        return {**json, "additionalProperties": False}

    def _type(self, name: str, span: Span) -> Any:
        found = self._types.named(self._path, name, span)
        if found is None:
            return {}
        self._into.uses[name] = found
        return {"$ref": f"#/{self._definitions}/{_escape(name)}"}

    def _raw(self, schema: Any, node: Node, path: list[str | int], pointer: str | None) -> Any:
        """Copy a JSON Schema: references to types and into itself are made to hold where it will stand.

        `pointer` is where the schema's root will stand; None inside a schema with an `$id`, which stands alone.
        """
        if not isinstance(schema, dict):
            return schema
        base = None if keywords.resource_name(schema, self._dialect) and (path or pointer) else pointer
        self._keep_anchors(schema, node, path, is_apart=base is None)
        copy: dict[str, Any] = {}
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                copy[key] = self._reference(value, node, [*path, key], base)
            elif key == "$recursiveRef" and base and self._dialect == "2019-09":
                copy[key] = value
                self._sink.report(
                    "TG204",
                    node.span_at([*path, key], key=True),
                    "`$recursiveRef` would lead to the schema that this one becomes a part of",
                    fix='write `$ref: "#"`',
                )
            elif key in keywords.SCHEMA_MAP and isinstance(value, dict):
                copy[key] = {name: self._raw(inner, node, [*path, key, name], base) for name, inner in value.items()}
            elif key in keywords.SCHEMA_LIST and isinstance(value, list):
                copy[key] = [self._raw(inner, node, [*path, key, index], base) for index, inner in enumerate(value)]
            elif key in keywords.SCHEMA:
                copy[key] = self._raw(value, node, [*path, key], base)
            else:
                copy[key] = value
                if key not in keywords.ALL and not key.startswith("x-"):
                    self._unknown(key, node, [*path, key])
            if key in keywords.FOREIGN[self._dialect]:
                message = f"`{key}` is not a keyword of {self._dialect}, and checks nothing"
                fix = keywords.FOREIGN[self._dialect][key]
                self._sink.report("TG203", node.span_at([*path, key], key=True), message, fix=fix)
        return copy

    def _reference(self, reference: str, node: Node, path: list[str | int], pointer: str | None) -> str:
        if is_type_reference(reference):
            span = node.span_at(path)
            if pointer is None:
                self._sink.report(
                    "TG204",
                    span,
                    "a type of a spec file cannot be used inside a schema with an `$id`",
                    fix="drop the `$id`",
                )
            target = self._types.target(self._path, reference, span)
            if target is None:
                return "#"
            found = self._types.named(*target, span)
            if found is None:
                return "#"
            name = reference[len(POINTER) :] if reference.startswith(POINTER) else target[1]
            self._into.uses[name] = found
            return f"#/{self._definitions}/{_escape(name)}"
        if pointer and (reference in ("", "#") or reference.startswith("#/")):
            return f"#{quote(pointer, safe=_IN_FRAGMENTS)}{reference[1:]}"
        return reference

    def _keep_anchors(self, schema: dict[str, Any], node: Node, path: list[str | int], *, is_apart: bool) -> None:
        """Note the names that a schema gives itself; `is_apart` where those of its parts mean nothing outside it."""
        named = [keywords.resource_name(schema, self._dialect)]
        if not is_apart:
            named += [f"#{name}" for key in keywords.ANCHORS if isinstance(name := schema.get(key), str)]
        for name in filter(None, named):
            if self._into.anchors.setdefault(name, schema) != schema:
                span = node.span_at(path)
                self._sink.report(
                    "TG211", span, f"`{name}` names two different parts of this schema", fix="rename one of them"
                )

    def _unknown(self, key: str, node: Node, path: list[str | int]) -> None:
        known = nearest(key, keywords.ALL)
        self._sink.report(
            "TG203",
            node.span_at(path, key=True),
            f"`{key}` is not a keyword of JSON Schema, and checks nothing",
            fix=known
            or "call it `x-…` if it is meant as a note, or write `type: object` with `properties` around fields",
        )


def _field_name(key: str) -> tuple[str, bool]:
    """The name that a key of the short form stands for, and whether the field is optional."""
    if key.endswith("!"):
        return key[:-1], False
    if key.endswith("?"):
        return key[:-1], True
    return key, False


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
    """Put a root that is only a reference to a type in its place, unless the type refers to itself."""
    if not isinstance(root, dict) or set(root) - {"$schema"} != {"$ref", definitions}:
        return root
    reference = root["$ref"]
    if not isinstance(reference, str) or not isinstance(root[definitions], dict):
        return root
    name = _unescape(reference.removeprefix(f"#/{definitions}/"))
    body = root[definitions].get(name)
    others = {other: schema for other, schema in root[definitions].items() if other != name}
    if not isinstance(body, dict) or definitions in body or _mentions([body, others], reference):
        return root
    head = {"$schema": root["$schema"]} if "$schema" in root else {}
    return {**head, **body, **({definitions: others} if others else {})}


def _below(pointer: str, places: dict[str, Node]) -> dict[str, Node]:
    """The places at and below a pointer, by what is left of theirs."""
    return {
        place.removeprefix(pointer): node
        for place, node in places.items()
        if place == pointer or place.startswith(f"{pointer}/")
    }


def _mentions(value: Any, reference: str) -> bool:
    match value:
        case dict():
            return any(
                _mentions(inner, reference)
                if key not in ("$ref", "$dynamicRef") or not isinstance(inner, str)
                else inner == reference or inner.startswith(f"{reference}/")
                for key, inner in value.items()
            )
        case list():
            return any(_mentions(inner, reference) for inner in value)
        case _:
            return False


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _unescape(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


def _pointer(parts: Sequence[str | int]) -> str:
    return "".join(f"/{_escape(str(part))}" for part in parts)
