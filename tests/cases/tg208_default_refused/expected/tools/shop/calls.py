"""Call builders of `shop`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.add import AddArgsListItem


def new_add_call(
    *,
    size: int,
    count: int | None = None,
    mode: Literal["a", "b"] | None = None,
    list_: list[AddArgsListItem] | None = None,
    named: int | None = None,
    fine: str = "",
) -> ToolRequest:
    """Ask for `shop.add`: Add.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.ADD,
        codecs.ADD_ARGS,
        {"size": size, "count": count, "mode": mode, "list": list_, "named": named, "fine": fine},
        {"fine": ""},
    )
