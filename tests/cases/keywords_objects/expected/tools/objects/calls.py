"""Call builders of `objects`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest

    from .types.keys import KeysArgsMixed, KeysArgsShortNamed
    from .types.maps import MapsArgsRecordsValue
    from .types.openness import OpennessArgsClosed, OpennessArgsExplicit, OpennessArgsOpen, OpennessArgsTyped


def new_keys_call(
    *,
    headers: dict[str, JsonValue] | None = None,
    mixed: KeysArgsMixed | None = None,
    named: dict[str, JsonValue] | None = None,
    short_named: KeysArgsShortNamed | None = None,
) -> ToolRequest:
    """Ask for `objects.keys`: Keys by pattern and by name.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.KEYS, codecs.KEYS_ARGS, {"headers": headers, "mixed": mixed, "named": named, "short_named": short_named}
    )


def new_maps_call(
    *,
    counts: dict[str, int] | None = None,
    lists: dict[str, list[str]] | None = None,
    records: dict[str, MapsArgsRecordsValue] | None = None,
    free: dict[str, JsonValue] | None = None,
    sized: dict[str, JsonValue] | None = None,
) -> ToolRequest:
    """Ask for `objects.maps`: Objects without named fields.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.MAPS,
        codecs.MAPS_ARGS,
        {"counts": counts, "lists": lists, "records": records, "free": free, "sized": sized},
    )


def new_openness_call(
    *,
    closed: OpennessArgsClosed,
    open_: OpennessArgsOpen | None = None,
    typed: OpennessArgsTyped | None = None,
    nothing: dict[str, JsonValue] | None = None,
    explicit: OpennessArgsExplicit | None = None,
) -> ToolRequest:
    """Ask for `objects.openness`: An open object keeps what it is given; a closed one refuses it.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.OPENNESS,
        codecs.OPENNESS_ARGS,
        {"closed": closed, "open": open_, "typed": typed, "nothing": nothing, "explicit": explicit},
    )


def new_required_only_call(*, a: str, b: JsonValue) -> ToolRequest:
    """Ask for `objects.required_only`: A key can be required without being described.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.REQUIRED_ONLY, codecs.REQUIRED_ONLY_ARGS, {"a": a, "b": b})
