"""A shop whose models are known beforehand: its specs, its cases, and fake models of a known accuracy."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from tests.unit.compiler.specs import resolved
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.project.listing import Listed
from toolgen.contract.records import ToolRequest
from toolgen.evaluate.cases import Case, cases_of, read_evaluations
from toolgen.evaluate.models import EvaluatedModel
from toolgen.runtime.catalog.catalog import Catalog
from toolgen.testing import ModelRequest, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from toolgen.testing import ModelTurn

SHOP = """
toolgen: 1
toolset: shop
tools:
  refund:
    description: Refund an order that a customer has paid.
    args:
      order_id: {type: string, pattern: "^o-[0-9]+$"}
      amount?: {type: number, exclusiveMinimum: 0}
      reason: {type: string, default: none}
    result: {refunded: number}
  cancel:
    description: Cancel an order before it is shipped.
    args: {order_id: string, notify?: boolean}
    result: {cancelled: boolean}
  find:
    description: Find the orders of a customer.
    permission: readonly
    args: {customer: string, state?: {enum: [open, paid, shipped]}}
    result: [string]
"""


def catalog_of(*texts: str) -> Catalog:
    """Compile specs; return their catalog, without a package."""
    found = resolved(*(texts or (SHOP,)))
    assert not found.has_errors, found.messages
    return Catalog(text=emit_catalog_json(found.catalog).encode())


def read(folder: Path, text: str, catalog: Catalog, name: str = "shop.eval.yaml") -> tuple[list[Case], list[str]]:
    """Read an evaluation; return its valid cases, and what was reported."""
    (folder / name).write_text(text, encoding="utf-8")
    sink = Diagnostics()
    cases = cases_of(read_evaluations({name: Listed(name, str(folder / name))}, sink), [catalog], sink)
    return cases, [f"{each.code} {each.span.line}:{each.span.column} {each.message} ({each.fix})" for each in sink]


def cases(folder: Path, catalog: Catalog, /, **named: Mapping[str, Any]) -> list[Case]:
    """Return valid cases by name."""
    text = json.dumps({"toolgen": 1, "eval": "shop", "cases": named})
    found, reported = read(folder, text, catalog)
    assert not reported, reported
    return found


def call(ident: str, **args: Any) -> ToolRequest:
    """Return a call of a model."""
    return ToolRequest(name=ident, payload=json.dumps(args).encode())


def model(play: Callable[[ModelRequest], ModelTurn], name: str = "fake", **more: Any) -> EvaluatedModel:
    """Return a model that plays a function."""
    provider = more.get("provider", "openai")
    return EvaluatedModel(name=name, ask=ScriptedModel(play, provider=provider), **more)


def right_with(probability: float, seed: int) -> Callable[[ModelRequest], ModelTurn]:
    """Return a model that calls the tool that the question names, with a probability, and else another one."""
    drawn = random.Random(seed)

    def play(request: ModelRequest) -> ModelTurn:
        wanted = request.messages[-1]["content"]
        other = "shop.cancel" if wanted == "shop.refund" else "shop.refund"
        return call(wanted if drawn.random() < probability else other, order_id="o-1")

    return play
