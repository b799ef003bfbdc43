"""Call builders of `mail`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_send_call(*, to: str) -> ToolRequest:
    """Ask for `mail.send`: Send mail.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEND, codecs.SEND_ARGS, {"to": to})
