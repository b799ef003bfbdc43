"""Call builders of `drafts.nineteen`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from pydantic import JsonValue

    from toolgen.contract.records import ToolRequest

    from .types.arrays import ArraysArgsTree


def new_arrays_call(*, pair: list[JsonValue], tree: ArraysArgsTree | None = None) -> ToolRequest:
    """Ask for `drafts.nineteen.arrays`: Places and the rest.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ARRAYS, codecs.ARRAYS_ARGS, {"pair": pair, "tree": tree})
