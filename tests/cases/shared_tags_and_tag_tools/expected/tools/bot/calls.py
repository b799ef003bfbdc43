"""Call builders of `bot`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_claim_call(*, text: str, sure: str) -> ToolRequest:
    """Ask for `bot.claim`: Make a claim.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CLAIM, codecs.CLAIM_ARGS, {"text": text, "sure": sure})


def new_learning_call(
    *, category: Literal["factual", "a+b", "structured_data"], content: str, note: str | None = None
) -> ToolRequest:
    """Ask for `bot.learning`: Remember something.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LEARNING, codecs.LEARNING_ARGS, {"category": category, "content": content, "note": note})


def new_research_call(*, raw_arg: str) -> ToolRequest:
    """Ask for `bot.research`: Look something up.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RESEARCH, codecs.RESEARCH_ARGS, {"raw_arg": raw_arg})
