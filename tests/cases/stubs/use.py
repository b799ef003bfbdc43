from __future__ import annotations

import asyncio

from cases.stubs.tools import orders
from toolgen.runtime import CallFailed, FailureKind, Runtime, ToolCallMeta, ToolResult, allow_all, load
from toolgen.testing import StubbedCall, stub_executors, when


async def refund(args: orders.RefundArgs, meta: ToolCallMeta) -> orders.RefundResult:
    return orders.RefundResult(refunded=args.amount or 1)


catalog = load("cases.stubs")
stubs = stub_executors(
    catalog,
    when(orders.REFUND).runs(refund),
    when(orders.REFUND, order_id="o-1").returns(orders.RefundResult(refunded=1)),
    when(orders.REFUND, orders.RefundArgs(order_id="o-2")).returns(
        CallFailed(FailureKind.UNAVAILABLE, "busy", "try again"), ToolResult(value=orders.RefundResult(refunded=2))
    ),
    when(orders.REFUND, lambda args: args.amount == 3).after(0.001).returns(orders.RefundResult(refunded=3)),
    when(orders.FIND).reports({"found": 1}).returns(["o-1"]),
)
runtime = Runtime(catalog, executors=stubs, permission=allow_all)


async def run() -> None:
    first = await runtime.call(orders.REFUND, orders.RefundArgs(order_id="o-1"))
    assert first.value is not None
    assert first.value.refunded == 1
    found = await runtime.call(orders.FIND, orders.FindArgs(customer="ann"))
    assert found.value == ["o-1"]


asyncio.run(run())
call: StubbedCall[orders.RefundArgs] = stubs.calls_of(orders.REFUND)[0]
assert call.args.order_id == "o-1"
stubs.assert_called(when(orders.FIND, orders.FindArgs(customer="ann")), times=1)
