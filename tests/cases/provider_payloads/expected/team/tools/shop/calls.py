"""Call builders of `team.shop`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import Absent, ToolRequest

    from .types.shared import Price


def new_find_call(*, word: str, below: Price | None = None, limit: int | None = None) -> ToolRequest:
    """Ask for `team.shop.find`: Find articles.

    Args:
        word: The word.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FIND, codecs.FIND_ARGS, {"word": word, "below": below, "limit": limit})


def new_note_call(*, key: str, value: JsonValue, mark: str | None | Absent = ABSENT) -> ToolRequest:
    """Ask for `team.shop.note`: Keep anything at all, under a key.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NOTE, codecs.NOTE_ARGS, {"key": key, "value": value, "mark": mark})


def new_pay_call(*, card: str | None = None, voucher: str | None = None) -> ToolRequest:
    """Ask for `team.shop.pay`: Pay, by exactly one means.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PAY, codecs.PAY_ARGS, {"card": card, "voucher": voucher})


def new_ping_call() -> ToolRequest:
    """Ask for `team.shop.ping`: Look whether it is open.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.PING, codecs.PING_ARGS, {})
