"""The parts of a tool's schemas: every field and item with its JSON Schema, and its place in the spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.lint.view.places import Place, definition_place, items_place, property_place
from toolgen.schema.pointer import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.compiler.documents.read import Document

_CHOICES: Final = ("anyOf", "oneOf", "allOf")
_MOST: Final = 5_000
"""Maximum number of parts of one schema: definitions are walked wherever they are used."""


@dataclass(frozen=True)
class Part:
    """A part of a schema. `schema` is without a reference at its root; `path` are the field names down to it.

    `name` is that of the field, empty for items and alternatives, whose `owner` is the field that they are of.
    `required` is whether the object that it is in requires it; `depth` counts the objects around it.
    `place` is where its schema is written, `field` where the field is: they differ if the schema is a named type.
    """

    schema: Mapping[str, Any]
    name: str
    owner: str
    path: tuple[str, ...]
    required: bool
    depth: int
    place: Place
    field: Place
    description: str

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types that `type` allows, or those of its values; without null."""
        kinds = self.schema.get("type")
        listed = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
        if not listed and "enum" in self.schema:
            listed = ["string"] if all(isinstance(each, str) for each in self.schema["enum"]) else []
        choices = [each for key in ("anyOf", "oneOf") for each in self.schema.get(key, ()) if isinstance(each, dict)]
        listed = listed or [each["type"] for each in choices if isinstance(each.get("type"), str)]
        return tuple(dict.fromkeys(kind for kind in listed if isinstance(kind, str) and kind != "null"))

    def is_a(self, *kinds: str) -> bool:
        """Whether it takes values of these JSON types and no others."""
        return bool(self.types) and set(self.types) <= set(kinds)


def parts_of(root: Any, place: Place, documents: Mapping[str, Document[Any]]) -> list[Part]:
    """Return all parts below the root of a schema, in order; a definition that contains itself is entered once."""
    walk = _Walk(root, documents)
    found: list[Part] = []
    for part in walk.below(walk.start(root, place), ()):
        found.append(part)
        if len(found) == _MOST:
            break
    return found


class _Walk:
    def __init__(self, root: Any, documents: Mapping[str, Document[Any]]) -> None:
        self._root = root
        self._documents = documents

    def start(self, schema: Any, place: Place) -> Part:
        return self._part(
            schema, Part({}, "", "", (), required=True, depth=0, place=place, field=place, description="")
        )

    def below(self, part: Part, seen: tuple[str, ...]) -> Iterator[Part]:
        schema = part.schema
        required = schema.get("required")
        names = required if isinstance(required, list) else ()
        properties = schema.get("properties")
        for name, inner in (properties if isinstance(properties, dict) else {}).items():
            where = property_place(part.place, name)
            yield from self._enter(
                inner,
                Part({}, name, name, (*part.path, name), name in names, part.depth + 1, where, where, description=""),
                seen,
            )
        if isinstance(schema.get("items"), dict):
            yield from self._inner(part, schema["items"], items_place(part.place), seen)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            yield from self._inner(part, extra, part.place / "additionalProperties", seen)
        for key in _CHOICES:
            choices = schema.get(key)
            for index, inner in enumerate(choices if isinstance(choices, list) else ()):
                yield from self._inner(part, inner, part.place / key / index, seen)

    def _inner(self, part: Part, schema: Any, place: Place, seen: tuple[str, ...]) -> Iterator[Part]:
        made = Part({}, "", part.owner, part.path, True, part.depth, place, place, description="")
        yield from self._enter(schema, made, seen)

    def _enter(self, schema: Any, part: Part, seen: tuple[str, ...]) -> Iterator[Part]:
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        made = self._part(schema, part)
        yield made
        if not isinstance(reference, str):
            yield from self.below(made, seen)
        elif reference not in seen:
            yield from self.below(made, (*seen, reference))

    def _part(self, schema: Any, part: Part) -> Part:
        place, description, marks = part.place, "", set[str]()
        while isinstance(schema, dict):
            text = schema.get("description")
            description = description or (text if isinstance(text, str) else "")
            reference = schema.get("$ref")
            if not isinstance(reference, str) or reference in marks:
                break
            marks.add(reference)
            target, place = self._target(reference, place)
            annotations = {key: value for key, value in schema.items() if key in ("default", "examples")}
            schema = {**target, **annotations} if isinstance(target, dict) else target
        return Part(
            schema if isinstance(schema, dict) else {},
            part.name, part.owner, part.path, part.required, part.depth, place, part.field, description,
        )  # fmt: skip

    def _target(self, reference: str, place: Place) -> tuple[Any, Place]:
        node: Any = self._root
        steps = [key_of(step) for step in reference.split("/")[1:]]
        for step in steps:
            node = node.get(step) if isinstance(node, dict) else None
        if len(steps) == 2 and steps[0] in ("$defs", "definitions"):
            place = definition_place(place, steps[1], self._documents)
        return node, place
