"""Schemas of specs to self-contained JSON Schema: used types become definitions of the schema.

Every `$ref` in a resulting schema refers to itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.resolve.schemas import keywords
from toolgen.compiler.resolve.schemas.expansion import Expander, Expansion
from toolgen.compiler.resolve.schemas.types import NamedType, Types, own_dialect
from toolgen.schema.pointer import escape, key_of, pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.source.nodes import Node


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
    name = key_of(reference.removeprefix(f"#/{definitions}/"))
    body = root[definitions].get(name)
    others = {other: schema for other, schema in root[definitions].items() if other != name}
    if not isinstance(body, dict) or definitions in body or _mentions([body, others], key_of(reference)):
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


def _mentions(value: Any, reference: str) -> bool:
    """Whether anything refers to a place, or to one below it; references are compared unescaped."""
    match value:
        case dict():
            return any(
                _mentions(inner, reference)
                if key not in ("$ref", "$dynamicRef") or not isinstance(inner, str)
                else f"{key_of(inner)}/".startswith(f"{reference}/")
                for key, inner in value.items()
            )
        case list():
            return any(_mentions(inner, reference) for inner in value)
        case _:
            return False
