"""Call builders of `lab.research`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_search_call(*, query: str, depth: Literal["quick", "deep"] | None = None) -> ToolRequest:
    """Ask for `lab.research.search`: Answer a question with sources.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEARCH, codecs.SEARCH_ARGS, {"query": query, "depth": depth})


def new_verify_call(*, claim: str) -> ToolRequest:
    """Ask for `lab.research.verify`: Check a claim.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.VERIFY, codecs.VERIFY_ARGS, {"claim": claim})
