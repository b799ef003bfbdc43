"""Call builders of `hostile`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.shared import Quoted


def new_tool_call(*, value: Quoted, e: str | None = None, x: Literal["${x}\r\n"] | None = None) -> ToolRequest:
    """Ask for `hostile.tool`: \"\"\"Ends early\"\"\" | and <b>goes</b> on\\

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.TOOL, codecs.TOOL_ARGS, {"value": value, "é́": e, "${x}": x})
