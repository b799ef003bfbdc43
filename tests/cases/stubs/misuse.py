from __future__ import annotations

from cases.stubs.tools import orders
from toolgen.runtime import load
from toolgen.testing import stub_executors, when

stubs = stub_executors(load("cases.stubs"))
when("orders.refund")  # error
when(orders.REFUND, orders.FindArgs(customer="ann"))  # error: RefundArgs
when(orders.REFUND).returns(orders.FindResult())  # error
when(orders.REFUND).returns(["o-1"])  # error: RefundResult
when(orders.FIND).returns(["o-1"], [1])  # error
when(orders.REFUND, lambda args: args.amont == 1)  # error
when(orders.REFUND).runs(lambda args, meta: args.customer)  # error
when(orders.REFUND).raises("busy")  # error
stubs.calls_of(orders.REFUND)[0].args.customer  # error
stubs.set(when(orders.REFUND))  # error
