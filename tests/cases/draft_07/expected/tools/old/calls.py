"""Call builders of `old`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest

    from .types.shared import Tree


def new_arrays_call(
    *,
    pair: list[JsonValue] | None = None,
    rest: list[JsonValue] | None = None,
    has: list[JsonValue] | None = None,
    min_contains: list[JsonValue] | None = None,
) -> ToolRequest:
    """Ask for `old.arrays`: Places are listed in items, and the rest in additionalItems.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.ARRAYS, codecs.ARRAYS_ARGS, {"pair": pair, "rest": rest, "has": has, "min_contains": min_contains}
    )


def new_newer_words_call(*, x: list[JsonValue] | None = None) -> ToolRequest:
    """Ask for `old.newer_words`: Keywords of a later draft are unknown here, and check nothing.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NEWER_WORDS, codecs.NEWER_WORDS_ARGS, {"x": x})


def new_objects_call(*, a: str | None = None, b: str | None = None, c: int | None = None) -> ToolRequest:
    """Ask for `old.objects`: Dependencies of both kinds, conditions, and names of keys.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OBJECTS, codecs.OBJECTS_ARGS, {"a": a, "b": b, "c": c})


def new_recursive_call(*, tree: Tree) -> ToolRequest:
    """Ask for `old.recursive`: Types in themselves.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RECURSIVE, codecs.RECURSIVE_ARGS, {"tree": tree})


def new_siblings_call(*, tag: str | None = None, typed: str | None = None) -> ToolRequest:
    """Ask for `old.siblings`: Beside $ref nothing counts.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SIBLINGS, codecs.SIBLINGS_ARGS, {"tag": tag, "typed": typed})
