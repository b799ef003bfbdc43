"""Call builders of `shop`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.inside import InsideArgsB


def new_alone_call(*, xe3b0c442: str | None = None) -> ToolRequest:
    """Ask for `shop.alone`: A mark alone.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ALONE, codecs.ALONE_ARGS, {"": xe3b0c442})


def new_inside_call(*, a: str | None = None, b: InsideArgsB | None = None) -> ToolRequest:
    """Ask for `shop.inside`: Marks inside JSON Schema.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.INSIDE, codecs.INSIDE_ARGS, {"a?": a, "b": b})


def new_meant_call(*, why: str, what: str) -> ToolRequest:
    """Ask for `shop.meant`: Names that end in a mark.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.MEANT, codecs.MEANT_ARGS, {"why!": why, "what?": what})


def new_twice_call(*, a: str | None = None, b: str | None = None) -> ToolRequest:
    """Ask for `shop.twice`: Two marks.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TWICE, codecs.TWICE_ARGS, {"a?": a, "b!": b})
