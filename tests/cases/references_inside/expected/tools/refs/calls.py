"""Call builders of `refs`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest

    from .types.pointers import PointersArgsPoint


def new_anchors_call(*, positive: JsonValue | Absent = ABSENT, list_: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `refs.anchors`: By anchor, and dynamically.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ANCHORS, codecs.ANCHORS_ARGS, {"positive": positive, "list": list_})


def new_pointers_call(
    *,
    first: PointersArgsPoint | None = None,
    second: PointersArgsPoint | None = None,
    third: int | None = None,
    fourth: list[str] | None = None,
    narrowed: str | None = None,
) -> ToolRequest:
    """Ask for `refs.pointers`: By JSON pointer, also into properties, through escaped names, and from one definition to another.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.POINTERS,
        codecs.POINTERS_ARGS,
        {"first": first, "second": second, "third": third, "fourth": fourth, "narrowed": narrowed},
    )


def new_resources_call(*, size: JsonValue | Absent = ABSENT, local: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `refs.resources`: A schema with an $id is a document of its own.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RESOURCES, codecs.RESOURCES_ARGS, {"size": size, "local": local})
