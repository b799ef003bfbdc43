"""A small project for the language server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.compiler.build import build_target
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import load_config

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "toolgen.toml": '[[targets]]\nspecs = "specs"\nout = "generated"\n',
    "specs/shared.yaml": (
        "toolgen: 1\ntypes:\n  Address:\n    street: string\n    city: string\ntags:\n  billing: About invoices.\n"
    ),
    "specs/shop/orders.yaml": """\
toolgen: 1
toolset: shop.orders
description: Orders of a shop.
types:
  Order: {id: string, total: number}
  Address: {$ref: "../shared.yaml#/types/Address"}
methods:
  Refund: {payload: {order_id: string}, result: Order}
tools:
  refund:
    description: Refund an order.
    permission: write
    tags: [billing]
    bind: Refund
    args: {order_id: string}
    result: Order
  find:
    description: Find orders.
    args:
      customer: string
      to?: Address
    result: [Order]
""",
    "specs/agent.yaml": """\
toolgen: 1
agent: clerk
use:
  - shop.orders.find
  - shop.orders+billing
""",
    "specs/policy.yaml": """\
toolgen: 1
policy: main
rules:
  shop.orders.refund: ask
  +billing: ask
approvers:
  shop.orders.refund: {people: 2}
""",
    "specs/catalog.yaml": """\
toolgen: 1
catalog: all
from: shop.orders
categories:
  orders:
    description: Orders.
    actions:
      refund: refund
      look: {target: find, args: {customer: $args.name}}
""",
    "evals/shop.eval.yaml": """\
toolgen: 1
eval: shop
cases:
  refund:
    question: Refund o-1.
    expect: [{call: shop.orders.refund, args: {order_id: o-1}}]
    avoid: [shop.orders.find]
""",
    "app.py": """\
from generated.shop.tools import orders

IDENT = orders.REFUND
ARGS = orders.FindArgs
TEXT = "shop.orders.find"
""",
}


def create(folder: Path) -> None:
    """Write the project, and build it."""
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    config, sink = load_config(folder), Diagnostics()
    assert build_target(config, config.targets[0], sink).published, [*sink]
