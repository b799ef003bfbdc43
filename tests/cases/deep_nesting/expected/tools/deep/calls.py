"""Call builders of `deep`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.raw import RawArgsA
    from .types.short import ShortArgsA


def new_raw_call(*, a: RawArgsA | None = None) -> ToolRequest:
    """Ask for `deep.raw`: In JSON Schema.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RAW, codecs.RAW_ARGS, {"a": a})


def new_short_call(*, a: ShortArgsA) -> ToolRequest:
    """Ask for `deep.short`: In the short form.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SHORT, codecs.SHORT_ARGS, {"a": a})
