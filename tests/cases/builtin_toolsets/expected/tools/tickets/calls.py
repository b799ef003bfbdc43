"""Call builders of `tickets`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_close_call(*, ticket: str) -> ToolRequest:
    """Ask for `tickets.close`: Close a ticket.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CLOSE, codecs.CLOSE_ARGS, {"ticket": ticket})
