"""Call builders of `orchestrator.profiles`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_search_call(*, query: str, limit: int = 10) -> ToolRequest:
    """Ask for `orchestrator.profiles.search`: Find profiles by name.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.SEARCH, codecs.SEARCH_ARGS, {"query": query, "limit": limit}, {"limit": 10})


def new_upsert_call(*, name: str, email: str | None = None) -> ToolRequest:
    """Ask for `orchestrator.profiles.upsert`: Create a profile, or update the one with the same name.

    Args:
        name: Full name.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.UPSERT, codecs.UPSERT_ARGS, {"name": name, "email": email})
