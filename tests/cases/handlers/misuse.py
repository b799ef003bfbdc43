from __future__ import annotations

from typing import TYPE_CHECKING

from cases.handlers.shop.tools import orders
from toolgen.contract.ident import Ident
from toolgen.contract.records import ToolResult

if TYPE_CHECKING:
    from toolgen.runtime import Runtime, ToolCallMeta
    from toolgen.runtime.runs.run import Run


class Missing:
    def refund(self, args: orders.RefundArgs, meta: ToolCallMeta, /) -> orders.RefundResult:
        return orders.RefundResult(refunded=True)


class WrongArgs(Missing):
    def status(self, args: orders.RefundArgs, meta: ToolCallMeta, /) -> str:
        return ""


class WrongResult(Missing):
    async def status(self, args: orders.StatusArgs, meta: ToolCallMeta, /) -> int:
        return 1


class WrongValue(Missing):
    async def status(self, args: orders.StatusArgs, meta: ToolCallMeta, /) -> ToolResult[int]:
        return ToolResult(value=1)


class TooFewParameters(Missing):
    def status(self, args: orders.StatusArgs, /) -> str:
        return ""


orders.executor(Missing())  # error
orders.executor(WrongArgs())  # error
orders.executor(WrongResult())  # error
orders.executor(WrongValue())  # error
orders.executor(TooFewParameters())  # error

refund: Ident[orders.RefundArgs, orders.RefundResult] = "shop.orders.refund"  # error
status: Ident[orders.RefundArgs, orders.RefundResult] = orders.STATUS  # error


async def main(runtime: Runtime, run: Run) -> None:
    runtime.tool_spec("shop.orders.refund")  # error
    await runtime.call("shop.orders.refund", orders.RefundArgs(order_id="o-1"))  # error
    await runtime.call(orders.REFUND, orders.StatusArgs(order_id="o-1"))  # error: RefundArgs StatusArgs
    await runtime.call(orders.REFUND, orders.StatusArgs(order_id="o-1"), run=run)  # error: RefundArgs StatusArgs
    await runtime.call(orders.REFUND, {"order_id": "o-1"})  # error: RefundArgs


orders.codecs.args(orders.REFUND).encode(orders.StatusArgs(order_id="o-1"))  # error: RefundArgs StatusArgs
orders.new_refund_call(order_id=5)  # error: new_refund_call
