"""Object types: the TypedDicts of a catalog, shared by all tools with equal objects."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.providers.stubs.schema_types import pascal
from toolgen.providers.stubs.stub import NOTE_LIMIT, TAKEN, is_python_name, key_type, prose
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.literals import literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.providers.stubs.schema_types import SchemaTypes

_CLASS: Final = re.compile("\0(\\d+)\0")
"""The placeholder in an annotation for a class without a name yet: its number."""

_WORD: Final = re.compile(r"[A-Z][^A-Z]*")
_NAME: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Key:
    """One key of an object. `type` is an annotation with placeholders for classes.

    `note` is its description, shortened. `default` is the source of the default in its schema, `...` if there is none,
    or if it is long.
    """

    name: str
    type: str
    is_required: bool
    note: str
    default: str

    @classmethod
    def of(cls, name: str, type_: str, schema: Any, *, is_required: bool) -> Key:
        """Read a key; only a schema that is an object has a description and a default."""
        found = schema if is_object(schema) else {}
        text = found.get("description")
        note = prose(text, NOTE_LIMIT) if isinstance(text, str) else ""
        return cls(name, type_, is_required, note, default_of(found))

    @property
    def alone(self) -> tuple[str, str, bool, str]:
        """All its properties except nested objects."""
        kind = _CLASS.sub("\0", self.type) if "\0" in self.type else self.type
        return self.name, kind, self.is_required, self.note


def default_of(schema: Mapping[str, Any]) -> str:
    """Return the default in a schema: the source of the value if it is short, so that it is known, else `...`."""
    source = literal(schema["default"]) if "default" in schema else "..."
    return source if len(source) <= NOTE_LIMIT else "..."


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A schema with named properties, and its candidate name."""

    name: str
    keys: tuple[Key, ...]
    is_open: bool


@dataclass(frozen=True, slots=True)
class ToolTypes:
    """The types of a tool: its parameters, the annotation of its result, and whether it accepts other arguments.

    Placeholders are numbers of its own `objects`.
    """

    description: str
    keys: tuple[Key, ...]
    returns: str
    is_open: bool
    objects: tuple[ObjectType, ...]


HolderT = TypeVar("HolderT", ObjectType, ToolTypes)


@dataclass
class ObjectTypes:
    """The objects of all schemas, and, after `finish`, their types."""

    sources: dict[str, str] = field(default_factory=dict[str, str])
    open: set[str] = field(default_factory=set[str])
    _objects: list[ObjectType] = field(default_factory=list[ObjectType])
    _names: list[str] = field(default_factory=list[str])

    def add(self, tool: ToolTypes) -> ToolTypes:
        """Add the objects of a tool, and return it with placeholders for the numbers that they have here."""
        first = len(self._objects)
        if not tool.objects:
            return tool
        self._objects += [_moved(each, first) for each in tool.objects]
        return replace(_moved(tool, first), returns=_shifted(tool.returns, first))

    def finish(self, functions: set[str]) -> None:
        """Name and write the types; `functions` are reserved names."""
        groups = self._alike()
        taken = {*TAKEN, *functions}
        counts: dict[str, int] = {}
        self._names = [""] * len(self._objects)
        for numbers in groups:
            names = [self._objects[number].name for number in numbers]
            shared = _common_end(names)
            wanted = _shortest(names) if shared in taken else shared
            name = wanted
            while name in taken:
                counts[wanted] = counts.get(wanted, 1) + 1
                name = f"{wanted}{counts[wanted]}"
            taken.add(name)
            for number in numbers:
                self._names[number] = name
        for numbers in groups:
            made = self._objects[numbers[0]]
            name = self._names[numbers[0]]
            self.sources[name] = self._source(name, made)
            if any(self._objects[number].is_open for number in numbers):
                self.open.add(name)

    def written(self, annotation: str) -> str:
        """Return an annotation with the names of types."""
        if "\0" not in annotation:
            return annotation
        return _CLASS.sub(lambda found: self._names[int(found[1])], annotation)

    def needed(self, annotations: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the types in annotations and of nested ones, these first, as far as cycles allow."""
        ordered: dict[str, None] = {}
        seen: set[int] = set()
        stack = [(number, False) for annotation in reversed(annotations) for number in reversed(_classes(annotation))]
        while stack:
            number, is_done = stack.pop()
            if is_done:
                ordered.setdefault(self._names[number])
            elif number not in seen:
                seen.add(number)
                stack.append((number, True))
                held = [each for key in self._objects[number].keys for each in _classes(key.type)]
                stack += [(each, False) for each in reversed(held)]
        return tuple(ordered)

    def _source(self, name: str, made: ObjectType) -> str:
        """Return the source of one TypedDict, in the syntax that its keys allow.

        In a class, a key with the name of a type hides the type from later keys, and `#` begins a comment.
        """
        types = {key.name: self.written(key.type) for key in made.keys}
        marked = {
            key.name: types[key.name] if key.is_required else f"NotRequired[{types[key.name]}]" for key in made.keys
        }
        annotations = " ".join(marked.values())
        words = set(_NAME.findall(annotations))
        if "#" in annotations or not all(_is_key(key.name) and key.name not in words for key in made.keys):
            keys = ", ".join(f"{literal(key)}: {key_type(written)}" for key, written in marked.items())
            return f"{name} = TypedDict({literal(name)}, {{{keys}}})\n"
        is_partial = not any(key.is_required for key in made.keys)
        lines = [f"class {name}(TypedDict{', total=False' if is_partial and made.keys else ''}):"]
        for key in made.keys:
            written = types[key.name] if is_partial else marked[key.name]
            lines.append(f" {key.name}: {written}" + (f"  # {key.note}" if key.note else ""))
        return "\n".join(lines if made.keys else [*lines, " pass"]) + "\n"

    def _alike(self) -> list[list[int]]:
        """Group objects that have equal sources, including nested ones.

        All are considered equal at first, and split by different keys or nested objects of different groups until
        nothing changes, so that cycles need no special treatment.
        """
        groups = [0] * len(self._objects)
        count = 0
        plain = [repr([key.alone for key in made.keys]) for made in self._objects]
        holding = [[key.type for key in made.keys if "\0" in key.type] for made in self._objects]

        def alike(found: re.Match[str]) -> str:
            return f"<{groups[int(found[1])]}>"

        while True:
            numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
            groups = [
                numbers.setdefault(
                    (group, plain[place], tuple(_CLASS.sub(alike, each) for each in holding[place])), len(numbers)
                )
                for place, group in enumerate(groups)
            ]
            if len(numbers) == count:
                break
            count = len(numbers)
        found: dict[int, list[int]] = {}
        for place, group in enumerate(groups):
            found.setdefault(group, []).append(place)
        return list(found.values())


def keys_of(schema: dict[str, Any], name: str, types: SchemaTypes) -> tuple[Key, ...]:
    """Return the keys of a schema; `name` is the prefix of names of nested types."""
    properties, required = schema.get("properties"), schema.get("required")
    asked = required if is_array(required) else ()
    return tuple(
        Key.of(key, types.read(below, f"{name}{pascal(key)}"), below, is_required=key in asked)
        for key, below in (properties.items() if is_object(properties) else ())
        if below is not False
    )


def object_of(schema: dict[str, Any], name: str, keys: tuple[Key, ...]) -> ObjectType:
    """Return the type of a schema with named properties."""
    is_open = schema.get("additionalProperties", True) is not False or "patternProperties" in schema
    return ObjectType(name, keys, is_open)


def _moved(holder: HolderT, first: int) -> HolderT:
    """Return an object or a tool with placeholders in its keys for numbers that are higher by `first`."""
    if not any("\0" in key.type for key in holder.keys):
        return holder
    keys = (replace(key, type=_shifted(key.type, first)) if "\0" in key.type else key for key in holder.keys)
    return replace(holder, keys=tuple(keys))


def _shifted(annotation: str, first: int) -> str:
    if "\0" not in annotation:
        return annotation
    return _CLASS.sub(lambda found: placeholder(int(found[1]) + first), annotation)


def placeholder(number: int) -> str:
    """Return the placeholder of an object in annotations."""
    return f"\0{number}\0"


def _classes(annotation: str) -> list[int]:
    return [int(number) for number in _CLASS.findall(annotation)] if "\0" in annotation else []


def _is_key(name: str) -> bool:
    return is_python_name(name) and not name.startswith("__")


def _common_end(names: Sequence[str]) -> str:
    """Return the common last words of names, as `Filters` of `ListFilters` and `FindFilters`; else one of the names."""
    from_the_end = zip(*(reversed(_WORD.findall(name)) for name in names), strict=False)
    shared = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, from_the_end)][::-1]
    if len(shared) > 1 and len(names) > 1 and shared[0] in ("Args", "Result"):
        del shared[0]  # names of nested types begin with their side
    return "".join(shared) or _shortest(names)


def _shortest(names: Sequence[str]) -> str:
    return min(names, key=lambda name: (len(name), name)).lstrip("_") or "Object"
