"""Call builders of `one`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest


def new_old_call(*, pair: list[JsonValue] | None = None) -> ToolRequest:
    """Ask for `one.old`: The older draft.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OLD, codecs.OLD_ARGS, {"pair": pair})
