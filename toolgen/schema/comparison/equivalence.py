"""Colours of schemas: schemas of one colour accept the same values.

Schemas have the same colour if their constraints are equal and their subschemas have the same colours. Names of
definitions, order and annotations have no effect, and recursive schemas are equal if they unfold to the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from toolgen.schema.cost.graph import components

if TYPE_CHECKING:
    from toolgen.schema.comparison.reading import Schema


MOST_SIGNATURES: Final = 200_000
"""Signatures that are computed, each in some 3 µs; recursive schemas need one for each level of references."""


class TooManyError(ValueError):
    """Schemas have too many parts to be compared."""


def colour(roots: Iterable[Schema], *, most: int) -> None:
    """Colour schemas and all that they refer to. Raises `TooManyError` for more than `most` schemas."""
    schemas = _reached(roots, most)
    numbers: dict[Hashable, int] = {}
    recursive: list[Schema] = []
    for group in components(schemas, lambda key: map(id, _below(schemas[key]))):
        schema = schemas[group[0]]
        below = list(_below(schema))
        if len(group) > 1 or any(each.colour < 0 for each in below):
            recursive += [schemas[key] for key in group]
        else:
            schema.colour = numbers.setdefault(_signature(schema), len(numbers))
    _refine(recursive, len(numbers))


def _refine(schemas: Sequence[Schema], first: int) -> None:
    """Colour schemas that refer to themselves, or lead to such: apart only as far as their parts are."""
    for schema in schemas:
        schema.colour = first
    classes, computed = min(len(schemas), 1), 0
    while True:
        computed += len(schemas)
        if computed > MOST_SIGNATURES:
            raise TooManyError(f"more than {MOST_SIGNATURES} signatures")
        signatures = [_signature(schema) for schema in schemas]
        numbers: dict[Hashable, int] = {}
        for schema, signature in zip(schemas, signatures, strict=True):
            schema.colour = first + numbers.setdefault(signature, len(numbers))
        if len(numbers) == classes:
            return
        classes = len(numbers)


def _reached(roots: Iterable[Schema], most: int) -> dict[int, Schema]:
    """Return schemas and all that they refer to, by their `id`."""
    found: dict[int, Schema] = {}
    waiting = list(roots)
    while waiting:
        schema = waiting.pop()
        if id(schema) in found:
            continue
        found[id(schema)] = schema
        if len(found) > most:
            raise TooManyError(f"more than {most} schemas")
        waiting += _below(schema)
    return found


def _below(schema: Schema) -> Iterator[Schema]:
    return (below for each in schema.constraints for below in each.schemas)


def _signature(schema: Schema) -> Hashable:
    schema = schema.behind()
    if schema.is_false:
        return False
    return frozenset(each.key for each in schema.constraints)
