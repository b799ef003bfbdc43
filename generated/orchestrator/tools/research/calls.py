"""Call builders of `orchestrator.research`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from ....shared_types import Source


def new_search_call(
    *, query: str, depth: Literal["quick", "normal", "deep"] = "normal", not_before: str | None = None
) -> ToolRequest:
    """Ask for `orchestrator.research.search`: Research a question and answer it with sources.

    Args:
        query: The question in one sentence.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.SEARCH,
        codecs.SEARCH_ARGS,
        {"query": query, "depth": depth, "not_before": not_before},
        {"depth": "normal"},
    )


def new_verify_call(*, claim: str, sources: list[Source]) -> ToolRequest:
    """Ask for `orchestrator.research.verify`: Check one claim against its sources.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.VERIFY, codecs.VERIFY_ARGS, {"claim": claim, "sources": sources})
