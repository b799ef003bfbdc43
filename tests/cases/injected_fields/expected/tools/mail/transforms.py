"""Transforms of `mail`: between the shapes of tools and of the methods they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .types.methods import SendPayload

if TYPE_CHECKING:
    from .types.methods import SendMethodResult
    from .types.payload import PayloadArgs, PayloadResult


def to_method_payload_payload(args: PayloadArgs, /, *, account: str) -> SendPayload:
    """The payload of the method `Send`, from the args of `mail.payload`."""
    made = SendPayload(to=args.to, account=account)
    made.__pydantic_extra__ = dict(args.model_extra or {})
    return made


def to_tool_return_payload(result: SendMethodResult) -> PayloadResult:
    """The result of `mail.payload`, from what the method `Send` gave."""
    return result
