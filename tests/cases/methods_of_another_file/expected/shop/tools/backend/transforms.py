"""Transforms of `shop.backend`: between the shapes of tools and of the methods they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .types.methods import DropPayload

if TYPE_CHECKING:
    from .types.drop import DropArgs, DropResult
    from .types.methods import DropMethodResult


def to_method_payload_drop(args: DropArgs) -> DropPayload:
    """The payload of the method `Drop`, from the args of `shop.backend.drop`."""
    return DropPayload(sku=args.sku)


def to_tool_return_drop(result: DropMethodResult) -> DropResult:
    """The result of `shop.backend.drop`, from what the method `Drop` gave."""
    return result
