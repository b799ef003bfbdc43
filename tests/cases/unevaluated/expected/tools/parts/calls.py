"""Call builders of `parts`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest


def new_items_call(*, row: list[JsonValue], tail: list[JsonValue] | None = None) -> ToolRequest:
    """Ask for `parts.items`: Items beyond the described places.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ITEMS, codecs.ITEMS_ARGS, {"row": row, "tail": tail})


def new_typed_rest_call(*, kind: str | None = None) -> ToolRequest:
    """Ask for `parts.typed_rest`: What no part describes is a number.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TYPED_REST, codecs.TYPED_REST_ARGS, {"kind": kind})


def new_whole_call(*, a: str, c: bool | None = None, b: int | None = None) -> ToolRequest:
    """Ask for `parts.whole`: Fields of all parts, and no others.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WHOLE, codecs.WHOLE_ARGS, {"a": a, "c": c, "b": b})
