"""Call builders of `shop`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_bounds_call(*, a: int | None = None, b: int | float | None = None) -> ToolRequest:
    """Ask for `shop.bounds`: Bounds that cross.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.BOUNDS, codecs.BOUNDS_ARGS, {"a": a, "b": b})


def new_enum_call(*, a: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `shop.enum`: A choice between nothing.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ENUM, codecs.ENUM_ARGS, {"a": a})


def new_refused_call(*, a: JsonValue) -> ToolRequest:
    """Ask for `shop.refused`: A field that is required and refused.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.REFUSED, codecs.REFUSED_ARGS, {"a": a})


def new_required_call(*, a: str, b: JsonValue) -> ToolRequest:
    """Ask for `shop.required`: A field that is required and not allowed.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.REQUIRED, codecs.REQUIRED_ARGS, {"a": a, "b": b})


def new_sizes_call(*, a: list[JsonValue] | None = None) -> ToolRequest:
    """Ask for `shop.sizes`: Sizes that cross.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SIZES, codecs.SIZES_ARGS, {"a": a})
