"""Transforms of `shop.cart`: between the shapes of tools and of the methods they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .types.add import AddResult
from .types.methods import AddItemPayload

if TYPE_CHECKING:
    from .types.add import AddArgs
    from .types.methods import AddItemMethodResult


def to_method_payload_add(args: AddArgs) -> AddItemPayload:
    """The payload of the method `AddItem`, from the args of `shop.cart.add`."""
    return AddItemPayload(item=args.item)


def to_tool_return_add(result: AddItemMethodResult) -> AddResult:
    """The result of `shop.cart.add`, from what the method `AddItem` gave."""
    return AddResult(count=result.count)
