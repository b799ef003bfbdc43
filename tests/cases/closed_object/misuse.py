from __future__ import annotations

from cases.closed_object.shop.tools import orders

orders.RefundArgs(lines=[])  # error
orders.RefundArgs(order_id=1, lines=[])  # error
orders.new_refund_call(order_id="o-1", lines=[], note="late")  # error
orders.refundargs  # error
