from __future__ import annotations

import asyncio
from typing import assert_type

from cases.handlers.shop.tools import orders
from toolgen.runtime import Runtime, ToolCallMeta, ToolRequest, ToolResult, allow_all, load


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


class SaysMore:
    def refund(self, args: orders.RefundArgs, meta: ToolCallMeta, /) -> ToolResult[orders.RefundResult]:
        return ToolResult(value=orders.RefundResult(refunded=True), message="the money is on its way")

    async def status(self, args: orders.StatusArgs, meta: ToolCallMeta, /) -> str | ToolResult[str]:
        return ToolResult(value=args.order_id, audit={"looked": "up"})


registration = orders.executor(MyOrders())
assert registration.toolset == "shop.orders"
assert registration.handlers is not None
assert set(registration.handlers) == {orders.REFUND, orders.STATUS}
orders.executor(NamedOtherwise())


async def main(runtime: Runtime) -> None:
    refund = await runtime.call(orders.REFUND, orders.RefundArgs(order_id="o-1"))
    assert_type(refund, ToolResult[orders.RefundResult])
    assert refund.value == orders.RefundResult(refunded=True)

    status = await runtime.invoke(ToolRequest(name="shop.orders.status", payload=b'{"order_id": "o-1"}'))
    assert status.value == "o-1 is on its way"


async def said(runtime: Runtime) -> None:
    refund = await runtime.call(orders.REFUND, orders.RefundArgs(order_id="o-1"))
    assert (refund.value, refund.message) == (orders.RefundResult(refunded=True), "the money is on its way")


asyncio.run(said(Runtime(load("cases.handlers"), executors=[orders.executor(SaysMore())], permission=allow_all)))
runtime = Runtime(load("cases.handlers"), executors=[registration], permission=allow_all)
assert runtime.tool_spec(orders.REFUND).name == "shop.orders.refund"
asyncio.run(main(runtime))
