from __future__ import annotations

from typing import TYPE_CHECKING

from cases.handlers.shop.tools import orders

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta


class MyOrders:
    async def refund(self, args: orders.RefundArgs, meta: ToolCallMeta, /) -> orders.RefundResult:
        return orders.RefundResult(refunded=args.order_id != "")

    def status(self, args: orders.StatusArgs, meta: ToolCallMeta, /) -> orders.StatusResult:
        return f"{args.order_id} is on its way"


class NamedOtherwise:
    def refund(self, given: orders.RefundArgs, who: ToolCallMeta) -> orders.RefundResult:
        return orders.RefundResult(refunded=True)

    def status(self, given: orders.StatusArgs, who: ToolCallMeta) -> str:
        return given.order_id


registration = orders.executor(MyOrders())
assert registration.toolset == "shop.orders"
assert registration.handlers is not None
assert set(registration.handlers) == {orders.REFUND, orders.STATUS}
orders.executor(NamedOtherwise())
