"""Call builders of `arrays`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest


def new_contents_call(
    *, one: list[JsonValue] | None = None, several: list[int] | None = None, none_needed: list[JsonValue] | None = None
) -> ToolRequest:
    """Ask for `arrays.contents`: Some items must be there.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.CONTENTS, codecs.CONTENTS_ARGS, {"one": one, "several": several, "none_needed": none_needed}
    )


def new_lengths_call(
    *,
    few: list[str] | None = None,
    some: list[int] | None = None,
    distinct: list[JsonValue] | None = None,
    anything: list[JsonValue] | None = None,
    rows: list[list[str]] | None = None,
) -> ToolRequest:
    """Ask for `arrays.lengths`: Lengths and uniqueness.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.LENGTHS,
        codecs.LENGTHS_ARGS,
        {"few": few, "some": some, "distinct": distinct, "anything": anything, "rows": rows},
    )


def new_places_call(
    *,
    pair: list[JsonValue] | None = None,
    exact: list[JsonValue] | None = None,
    rest: list[JsonValue] | None = None,
    rows: list[list[JsonValue]] | None = None,
) -> ToolRequest:
    """Ask for `arrays.places`: Every place has a schema of its own.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PLACES, codecs.PLACES_ARGS, {"pair": pair, "exact": exact, "rest": rest, "rows": rows})


def new_typeless_call(*, listed: JsonValue | Absent = ABSENT, unique: JsonValue | Absent = ABSENT) -> ToolRequest:
    """Ask for `arrays.typeless`: Without a type these keywords say nothing of other values.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TYPELESS, codecs.TYPELESS_ARGS, {"listed": listed, "unique": unique})
