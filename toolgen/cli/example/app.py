"""The shop's handlers, and two calls: a typed one, and one as a model would write it."""

from __future__ import annotations

import asyncio

from generated.shop.tools import orders
from toolgen.runtime import Runtime, ToolCallMeta, ToolRequest, allow_all, load

BOOK = {
    "o-1": orders.Order(id="o-1", status="shipped", total=orders.Money(amount=25, currency="EUR")),
    "o-2": orders.Order(id="o-2", status="open", total=orders.Money(amount=7.5, currency="EUR")),
}


class Shop:
    """One method for each tool of `shop.orders`; a missing or mistyped one is an error in the editor."""

    def find(self, args: orders.FindArgs, meta: ToolCallMeta, /) -> orders.FindResult:
        """Sync handlers run inline."""
        return list(BOOK.values())[: args.limit]

    async def refund(self, args: orders.RefundArgs, meta: ToolCallMeta, /) -> orders.RefundResult:
        """Async handlers are awaited; what they raise becomes a result with an error."""
        order = BOOK[args.order_id]
        amount = order.total.amount if args.amount is None else args.amount
        refunded = order.model_copy(update={"status": "refunded"})
        return orders.RefundResult(order=refunded, refunded=orders.Money(amount=amount, currency=order.total.currency))


shop = Shop()


async def main() -> None:
    """Call the same tool twice, and once as a model that gets it wrong."""
    runtime = Runtime(load("generated"), executors=[orders.executor(shop)], permission=allow_all)

    typed = await runtime.call(orders.REFUND, orders.RefundArgs(order_id="o-1", amount=5))
    print("typed call:   ", typed.value.refunded if typed.value else typed.error)

    raw = await runtime.invoke(
        ToolRequest(name="shop.orders.refund", payload=b'{"order_id": "o-2"}', tool_call_id="c1")
    )
    print("raw JSON call:", raw.payload.decode())

    wrong = await runtime.invoke(ToolRequest(name="shop.orders.refund", payload=b'{"order": "o-2", "amount": 0}'))
    for issue in wrong.error.issues if wrong.error else ():
        print("refused:      ", issue.pointer or "/", issue.hint)


if __name__ == "__main__":
    asyncio.run(main())
