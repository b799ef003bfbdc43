"""Call builders of `mail`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_closed_call(*, to: str) -> ToolRequest:
    """Ask for `mail.closed`: From closed args.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CLOSED, codecs.CLOSED_ARGS, {"to": to})


def new_open_call(*, to: str) -> ToolRequest:
    """Ask for `mail.open`: From open args.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.OPEN, codecs.OPEN_ARGS, {"to": to})


def new_payload_call(*, to: str) -> ToolRequest:
    """Ask for `mail.payload`: From the payload, though the args are open.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PAYLOAD, codecs.PAYLOAD_ARGS, {"to": to})


def new_shared_call(*, to: str, text: str | None = None) -> ToolRequest:
    """Ask for `mail.shared`: From a type that others use as it is.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SHARED, codecs.SHARED_ARGS, {"to": to, "text": text})


def new_whole_call(*, to: str, account: str, text: str | None = None) -> ToolRequest:
    """Ask for `mail.whole`: The type as it is.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.WHOLE, codecs.WHOLE_ARGS, {"to": to, "account": account, "text": text})
