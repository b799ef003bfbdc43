"""Call builders of `search`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_ask_call(*, query: str, lang: str | None = None) -> ToolRequest:
    """Ask for `search.ask`: Ask a question.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ASK, codecs.ASK_ARGS, {"query": query, "lang": lang})
