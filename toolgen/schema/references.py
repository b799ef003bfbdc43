"""References of JSON Schema: what their text says, and the parts of a schema that they lead to.

Everything that follows a `$ref` reads its text here, so that all agree. A reference leads where the validator, which
decides what a schema accepts, follows it to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from toolgen.schema.json_values import is_array, is_object, number_of
from toolgen.schema.keywords import ANNOTATIONS, DEFINITIONS, SILENT, required_of, schemas_below

# JSON pointers (RFC 6901).


def escape(key: str) -> str:
    """Escape a key for a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def pointer_of(path: Iterable[str | int]) -> str:
    """Return the pointer of keys and indexes."""
    return "".join(f"/{escape(str(step))}" for step in path)


Place: TypeAlias = "tuple[Place, str | int] | None"
"""Where a part of a value is: the place around it, and its key or index there; None for the value itself.

A place costs the same at any depth: a walk through a wide and deep value may keep one for each of its parts.
"""


def path_to(place: Place) -> tuple[str | int, ...]:
    """Return the keys and indexes that lead to a place."""
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return tuple(reversed(steps))


def pointer_to(place: Place) -> str:
    """Return the pointer of a place."""
    return pointer_of(path_to(place))


def steps_of(pointer: str) -> list[str]:
    """Return the keys and indexes of a pointer."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def child(node: Any, key: str) -> Any:
    """Return the value in a mapping or a list under a key or an index in digits; None if there is none."""
    if is_object(node):
        return node.get(key)
    if not is_array(node):
        return None
    index = number_of(key)
    return node[index] if index is not None and index < len(node) else None


_IN_FRAGMENT: Final = "/!$&'()*+,;=:@?~"
"""What a URI's fragment holds as it is, besides letters, digits and `-._` (RFC 3986)."""

_MOST_HOPS: Final = 100
"""Maximum number of references that `followed` follows; a longer chain counts as one without an end."""


class ReferenceParts(NamedTuple):
    """A reference by its parts: a document or resource, and either an anchor in it or a JSON pointer.

    `resource` is empty for the one that holds the reference. `anchor` is empty for a pointer, whose keys and indexes
    are `steps`; none for the resource itself.
    """

    resource: str
    anchor: str
    steps: tuple[str, ...]


def parsed(reference: object) -> ReferenceParts | None:
    """Return the parts of a reference; None for one that is not text, or encodes something else than UTF-8.

    The fragment is decoded before it is split into steps, as RFC 6901 says: `#/a%2Fb` has the steps `a` and `b`.
    """
    if not isinstance(reference, str):
        return None
    resource, _, fragment = reference.partition("#")
    if fragment and not fragment.startswith("/"):
        return ReferenceParts(resource, fragment, ())
    try:
        return ReferenceParts(resource, "", tuple(steps_of(unquote(fragment, errors="strict"))))
    except UnicodeDecodeError:
        return None


def steps_to(reference: object) -> tuple[str, ...] | None:
    """Return the keys and indexes that a reference leads along in its own resource, none for its root.

    Returns None for an anchor, and for a reference to another resource.
    """
    found = parsed(reference)
    return None if found is None or found.resource or found.anchor else found.steps


def definition_of(reference: object) -> tuple[str, str] | None:
    """Return the keyword and name of the definition at the root that a reference leads to; None for all else."""
    steps = steps_to(reference)
    return (steps[0], steps[1]) if steps is not None and len(steps) == 2 and steps[0] in DEFINITIONS else None


def name_of_target(reference: object) -> str:
    """Return the last step of a reference; empty for the root, and for what is no pointer."""
    return (steps_to(reference) or ("",))[-1]


def reference_to(path: Iterable[str | int]) -> str:
    """Return the reference to the part at a path, written as a URI."""
    return f"#{quote(pointer_of(path), safe=_IN_FRAGMENT)}"


def at(root: Any, reference: object) -> Any:
    """Return the part of a schema that a reference in its own resource leads to.

    Returns None if there is none, for an anchor or another resource, and for a part inside a subschema with a base URI
    of its own, where references mean something else.
    """
    steps = steps_to(reference)
    return None if steps is None else at_steps(root, steps)


def at_steps(root: Any, steps: Iterable[str]) -> Any:
    """Return the part of a schema at keys and indexes, as `at` does."""
    node, keyword = root, id_keyword(root)
    for step in steps:
        if node is not root and is_resource(node, keyword):
            return None
        node = child(node, step)
    return node


def id_keyword(root: Any) -> str:
    """Return the keyword for the base URI in the draft of a schema."""
    return "id" if is_object(root) and "draft-04" in str(root.get("$schema", "")) else "$id"


def is_resource(schema: Any, keyword: str = "$id") -> bool:
    """Whether a subschema has a base URI of its own, so that its references do not lead into the schema around it."""
    name = schema.get(keyword) if is_object(schema) else None
    return isinstance(name, str) and bool(name) and not name.startswith("#")


def target_of(schema: Any, root: Any) -> Any:
    """Return the part of `root` that the `$ref` of a schema in it leads to; None as for `at`.

    Returns None also for a schema with a base URI of its own, whose reference leads into itself.
    """
    is_apart = schema is not root and is_resource(schema, id_keyword(root))
    return None if is_apart or not is_object(schema) else at(root, schema.get("$ref"))


def followed(schema: Any, root: Any) -> Any:
    """Return what a schema that is only a reference leads to in the end, past references to references.

    Returns None if that is nothing: a missing target, another resource, references in a circle.
    """
    for _ in range(_MOST_HOPS):
        if not is_object(schema) or schema.keys() != {"$ref"}:
            return schema
        schema = target_of(schema, root)
    return None


def behind(schema: Any, root: Any) -> Any:
    """Return the same for a schema that may say more beside its reference, which is left out.

    Of an object that names its properties beside a reference, nothing is left out: it is returned itself.
    """
    for _ in range(_MOST_HOPS):
        if not is_object(schema) or "$ref" not in schema or "properties" in schema:
            return schema
        schema = target_of(schema, root)
    return None


def behind_references(schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return the target, and its pointer, of a schema that is only a reference, with the adjacent annotations."""
    part, pointer, seen = dict(schema), "", set[tuple[str, ...]]()
    while part.keys() - ANNOTATIONS - SILENT == {"$ref"}:
        steps = steps_to(part["$ref"])
        found = None if steps is None or steps in seen else at_steps(schema, steps)
        if steps is None or not is_object(found):
            break
        seen.add(steps)
        part = {**found, **{name: value for name, value in part.items() if name in ANNOTATIONS}}
        pointer = pointer_of(steps)
    return part, pointer


def endless(schema: Mapping[str, Any]) -> str:
    """Return the name of a definition that contains itself through required fields; empty if there is none."""
    needs: dict[str, set[str]] = {}
    for start in dict.fromkeys(all_references(schema)):
        seen, waiting = set[str](), [start]
        while waiting:
            place = waiting.pop()
            if place not in needs:
                needs[place] = set(_needed(at(schema, place)))
            if start in needs[place]:
                return start
            waiting += needs[place] - seen
            seen |= needs[place]
    return ""


def all_references(schema: Any) -> Iterator[str]:
    """Return every `$ref` of a schema and its subschemas, except in those with a base URI of their own."""
    waiting, keyword = [schema], id_keyword(schema)
    while waiting:
        part = waiting.pop()
        if not is_object(part) or (part is not schema and is_resource(part, keyword)):
            continue
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        waiting += [below for name, value in part.items() for below in schemas_below(name, value)]


def definitions_reached(part: Any, whole: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the definitions of a schema that a part of it refers to, transitively, under their keywords."""
    reached: dict[str, dict[str, Any]] = {}
    waiting = list(all_references(part))
    while waiting:
        steps = steps_to(waiting.pop()) or ()
        if len(steps) < 2 or steps[0] not in DEFINITIONS:
            continue
        keyword, name = steps[:2]
        definition = at_steps(whole, (keyword, name))
        if definition is not None and name not in reached.get(keyword, {}):
            reached.setdefault(keyword, {})[name] = definition
            waiting += all_references(definition)
    return {
        keyword: {name: each for name, each in whole[keyword].items() if name in names}
        for keyword, names in reached.items()
    }


def alone(part: Any, whole: Any) -> Any:
    """Return a part of a schema as one of its own: with the draft, and the definitions that it refers to.

    It has all definitions if it, or one of those, refers to something else, such as an anchor.
    """
    if not is_object(part) or not is_object(whole):
        return part
    reached: Mapping[str, Any] = definitions_reached(part, whole)
    parts = (part, *(each for definitions in reached.values() for each in definitions.values()))
    if any(definition_of(reference) is None for each in parts for reference in all_references(each)):
        reached = {keyword: whole[keyword] for keyword in DEFINITIONS if keyword in whole}
    draft = {"$schema": whole["$schema"]} if "$schema" in whole else {}
    return {**draft, **reached, **part}


def _needed(schema: Any) -> Iterator[str]:
    """Return the references of a part that are not inside an optional field."""
    if not is_object(schema):
        return
    if isinstance(schema.get("$ref"), str):
        yield schema["$ref"]
    for keyword, value in schema.items():
        if keyword == "properties" and is_object(value):
            required = required_of(schema)
            below: Iterable[Any] = [field for name, field in value.items() if name in required]
        else:
            below = () if keyword in DEFINITIONS else schemas_below(keyword, value)
        for each in below:
            yield from _needed(each)
