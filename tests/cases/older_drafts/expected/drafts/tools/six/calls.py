"""Call builders of `drafts.six`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_bounds_call(*, over: int | float, const: Literal["a"] | None = None, if_: str | None = None) -> ToolRequest:
    """Ask for `drafts.six.bounds`: An exclusive bound is a number.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.BOUNDS, codecs.BOUNDS_ARGS, {"over": over, "const": const, "if": if_})
