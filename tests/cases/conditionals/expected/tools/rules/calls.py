"""Call builders of `rules`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_alone_call(*, a: JsonValue | Absent = ABSENT, b: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `rules.alone`: An if by itself decides nothing, and neither does a then.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ALONE, codecs.ALONE_ARGS, {"a": a, "b": b})


def new_chained_call(*, kind: Literal["a", "b", "c"] | None = None, x: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `rules.chained`: One condition in another.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CHAINED, codecs.CHAINED_ARGS, {"kind": kind, "x": x})


def new_only_else_call(*, value: int | str) -> ToolRequest:
    """Ask for `rules.only_else`: No then.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ONLY_ELSE, codecs.ONLY_ELSE_ARGS, {"value": value})


def new_only_then_call(*, value: int | str) -> ToolRequest:
    """Ask for `rules.only_then`: No else.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ONLY_THEN, codecs.ONLY_THEN_ARGS, {"value": value})


def new_ship_call(*, abroad: bool, country: str | None = None, postcode: str | None = None) -> ToolRequest:
    """Ask for `rules.ship`: Abroad needs a country, at home a postcode.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SHIP, codecs.SHIP_ARGS, {"abroad": abroad, "country": country, "postcode": postcode})
