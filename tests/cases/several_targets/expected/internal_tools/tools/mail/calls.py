"""Call builders of `mail`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import ABSENT
from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import Absent, ToolRequest


def new_forward_call(*, to: str, why: str | None | Absent = ABSENT) -> ToolRequest:
    """Ask for `mail.forward`: Forward mail.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.FORWARD, codecs.FORWARD_ARGS, {"to": to, "why": why})
