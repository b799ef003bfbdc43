"""Call builders of `bot`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_claim_call(*, raw_arg: str) -> ToolRequest:
    """Ask for `bot.claim`: Draft a KB claim from a user's assertion.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.CLAIM, codecs.CLAIM_ARGS, {"raw_arg": raw_arg})


def new_learning_call(*, category: Literal["factual", "communication", "structured_data"], content: str) -> ToolRequest:
    """Ask for `bot.learning`: Record a correction or new fact from conversation.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LEARNING, codecs.LEARNING_ARGS, {"category": category, "content": content})


def new_research_call(*, raw_arg: str) -> ToolRequest:
    """Ask for `bot.research`: Search X for recent posts on a topic. Results sent back to chat.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RESEARCH, codecs.RESEARCH_ARGS, {"raw_arg": raw_arg})


def new_source_call(*, raw_arg: str) -> ToolRequest:
    """Ask for `bot.source`: Archive source material contributed by a user.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SOURCE, codecs.SOURCE_ARGS, {"raw_arg": raw_arg})


def new_summarize_call(*, raw_arg: str) -> ToolRequest:
    """Ask for `bot.summarize`: Generate a summary of the current conversation.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SUMMARIZE, codecs.SUMMARIZE_ARGS, {"raw_arg": raw_arg})
