"""Call builders of `internal`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_load_skill_call(*, name: str) -> ToolRequest:
    """Ask for `internal.load_skill`: Load the instructions of a skill into the context.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.LOAD_SKILL, codecs.LOAD_SKILL_ARGS, {"name": name})


def new_recall_memory_call(*, query: str, limit: int = 5) -> ToolRequest:
    """Ask for `internal.recall_memory`: Bring the long-term memories that fit some words into the context, the best first.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.RECALL_MEMORY, codecs.RECALL_MEMORY_ARGS, {"query": query, "limit": limit}, {"limit": 5})
