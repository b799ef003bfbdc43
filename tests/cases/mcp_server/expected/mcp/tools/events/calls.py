"""Call builders of `mcp.events`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_wait_call(*, kind: str | None = None) -> ToolRequest:
    """Ask for `mcp.events.wait`: Wait for an event.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WAIT, codecs.WAIT_ARGS, {"kind": kind})
