"""Call builders of `drafts.four`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_bounds_call(*, over: int | float, whole: int | None = None, const: str | None = None) -> ToolRequest:
    """Ask for `drafts.four.bounds`: In draft-04 an exclusive bound is a truth value beside the bound.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.BOUNDS, codecs.BOUNDS_ARGS, {"over": over, "whole": whole, "const": const})
