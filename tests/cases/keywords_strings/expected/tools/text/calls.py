"""Call builders of `text`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest

    from .types.bounds import BoundsArgsDeep


def new_bounds_call(
    *,
    short: str | None = None,
    long: str | None = None,
    exact: str | None = None,
    code: str | None = None,
    has_digit: str | None = None,
    escaped: str | None = None,
    codes: list[str] | None = None,
    deep: BoundsArgsDeep | None = None,
) -> ToolRequest:
    """Ask for `text.bounds`: Length and pattern.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.BOUNDS,
        codecs.BOUNDS_ARGS,
        {
            "short": short,
            "long": long,
            "exact": exact,
            "code": code,
            "has_digit": has_digit,
            "escaped": escaped,
            "codes": codes,
            "deep": deep,
        },
    )


def new_content_call(*, picture: str | None = None, document: str | None = None) -> ToolRequest:
    """Ask for `text.content`: Content keywords annotate and refuse nothing.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CONTENT, codecs.CONTENT_ARGS, {"picture": picture, "document": document})


def new_typeless_call(*, either: JsonValue | Absent = ABSENT, matching: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `text.typeless`: Without a type, these keywords say nothing of other values.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TYPELESS, codecs.TYPELESS_ARGS, {"either": either, "matching": matching})
