"""Colours of schemas: schemas of one colour accept the same values.

Schemas have the same colour if their constraints are equal and their subschemas have the same colours. Names of
definitions, order and annotations have no effect, and recursive schemas are equal if they unfold to the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from toolgen.schema.comparison.reading.constraint import Schema


class TooManyError(ValueError):
    """Schemas have too many parts to be compared."""


def colour(roots: Iterable[Schema], *, most: int) -> None:
    """Colour schemas and all that they refer to. Raises `TooManyError` for more than `most` schemas."""
    schemas = _reached(roots, most)
    for schema in schemas:
        schema.colour = 0
    classes = 1
    while True:
        signatures = [_signature(schema) for schema in schemas]
        numbers: dict[Hashable, int] = {}
        colours = [numbers.setdefault(signature, len(numbers)) for signature in signatures]
        for schema, number in zip(schemas, colours, strict=True):
            schema.colour = number
        if len(numbers) == classes:
            return
        classes = len(numbers)


def _reached(roots: Iterable[Schema], most: int) -> list[Schema]:
    found: dict[int, Schema] = {}
    waiting = list(roots)
    while waiting:
        schema = waiting.pop()
        if id(schema) in found:
            continue
        found[id(schema)] = schema
        if len(found) > most:
            raise TooManyError(f"more than {most} schemas")
        waiting += [below for each in schema.constraints for below in each.schemas]
    return list(found.values())


def _signature(schema: Schema) -> Hashable:
    schema = schema.behind()
    if schema.is_false:
        return False
    return frozenset(each.key for each in schema.constraints)
