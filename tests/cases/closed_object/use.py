from __future__ import annotations

from cases.closed_object.shop.tools import orders

refund = orders.RefundArgs(order_id="o-1", lines=[orders.RefundArgsLinesItem(sku="a", count=2)])
assert refund.amount == 10.5
assert refund.reason is None

request = orders.new_refund_call(order_id="o-1", lines=[])
assert request.payload == b'{"lines":[],"order_id":"o-1"}'
