"""A small shop, compiled once, for models with all presentations and providers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.compile import compile_specs, generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import Target
from toolgen.contract.records import FailureKind, ToolsetRegistration
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.llm.conversation import provider_named
from toolgen.providers.table import provider_tool_name
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.events.records import RunNotFound
from toolgen.spec.tool_use import LAYERS
from toolgen.toolsets.actions import ActionTools

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm import Conversation
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.spec.tool_use import PresentationName

SPECS: Final[Mapping[str, str]] = {
    "shop.yaml": """
toolgen: 1
toolset: shop
description: A small shop.
tools:
  find_goods:
    description: Find goods by words.
    permission: readonly
    args: {query: string}
    result: [{id: integer, name: string}]
  get_price:
    description: Say what one good costs, in cents.
    permission: readonly
    args: {id: integer}
    result: integer
  buy_good:
    description: Buy one good.
    args: {id: integer, count: {type: integer, minimum: 1, default: 1}}
    result: {order: integer, cost: integer}
    access: {scope: [id]}
  refund_order:
    description: Give the money of an order back.
    args: {order: integer}
    tags: [dangerous]
    access: {scope: [order]}
  greet_customer:
    description: Greet a customer by name.
    permission: readonly
    args: {name: string, "Content-Type?": string}
    result: string
  open_safe:
    description: Open the safe.
    args: {}
""",
    "notes.yaml": """
toolgen: 1
toolset: notes
tools:
  keep_note:
    description: Keep a note.
    args: {kind: {enum: [fact, wish]}, text: string}
    result: string
    tag: {prefix: NOTE}
""",
    "all.yaml": """
toolgen: 1
catalog: all
from: shop
categories:
  goods: {description: What is for sale., actions: {find: find_goods, price: get_price, buy: buy_good}}
  orders: {description: What was sold., actions: {refund: refund_order, safe: open_safe}}
  people: {description: Customers., actions: {greet: greet_customer}}
  notes: {description: Notes., actions: {keep: notes.keep_note}}
""",
    "closed.yaml": """
toolgen: 1
policy: closed
rules: {shop.open_safe: exclude, shop.greet_customer: deny}
""",
}

PACKAGE: Final = "presented_shop"

GOODS: Final = ((1, "red kettle", 2500), (2, "blue kettle", 2700), (3, "tea", 400))

ACTIONS: Final = {
    "shop.find_goods": "goods__find",
    "shop.get_price": "goods__price",
    "shop.buy_good": "goods__buy",
    "shop.refund_order": "orders__refund",
    "shop.open_safe": "orders__safe",
    "shop.greet_customer": "people__greet",
    "notes.keep_note": "notes__keep",
}
"""The action for each tool."""


def write_package(folder: Path) -> None:
    """Compile the shop, with the built-in toolset `actions`, into a package `presented_shop` in a folder."""
    specs = folder / "specs"
    specs.mkdir(parents=True)
    for name, text in SPECS.items():
        (specs / name).write_text(text, encoding="utf-8")
    sink = Diagnostics()
    compiled = compile_specs(folder, Target(out=PACKAGE, builtin=("actions",)), sink)
    assert not sink.has_errors, [str(found.message) for found in sink]
    for path, data in generate(compiled.catalog).items():
        place = folder / PACKAGE / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


@dataclass
class Shop:
    """The executor of the tools. It counts calls and keeps their changes."""

    orders: dict[int, int] = field(default_factory=dict[int, int])
    notes: list[str] = field(default_factory=list[str])
    calls: list[str] = field(default_factory=list[str])

    def registrations(self) -> list[ToolsetRegistration]:
        shop = {f"shop.{name}": getattr(self, name) for name in (
            "find_goods", "get_price", "buy_good", "refund_order", "greet_customer", "open_safe",
        )}  # fmt: skip
        return [
            ToolsetRegistration(toolset="shop", handlers=shop),
            ToolsetRegistration(toolset="notes", handlers={"notes.keep_note": self.keep_note}),
        ]

    def find_goods(self, args: Any, _meta: ToolCallMeta) -> Any:
        self.calls.append("find_goods")
        return [{"id": number, "name": name} for number, name, _ in GOODS if args.query in name]

    def get_price(self, args: Any, _meta: ToolCallMeta) -> int:
        self.calls.append("get_price")
        return _price(args.id)

    def buy_good(self, args: Any, _meta: ToolCallMeta) -> Any:
        self.calls.append("buy_good")
        cost = _price(args.id) * args.count
        self.orders[len(self.orders) + 1] = cost
        return {"order": len(self.orders), "cost": cost}

    def refund_order(self, args: Any, _meta: ToolCallMeta) -> int:
        self.calls.append("refund_order")
        return self.orders.pop(args.order)

    def greet_customer(self, args: Any, _meta: ToolCallMeta) -> str:
        self.calls.append("greet_customer")
        return f"Welcome, {args.name}."

    def open_safe(self, _args: Any, _meta: ToolCallMeta) -> Any:
        self.calls.append("open_safe")
        return None

    def keep_note(self, args: Any, _meta: ToolCallMeta) -> str:
        self.calls.append("keep_note")
        self.notes.append(f"{args.kind}: {args.text}")
        return "kept"


def _price(number: int) -> int:
    prices = {good: price for good, _, price in GOODS}
    if number not in prices:
        raise CallFailed(FailureKind.DOMAIN_REJECTION, "no_such_good", "there is no such good")
    return prices[number]


class Visit:
    """One conversation of a model with the shop, with one presentation in every layer."""

    def __init__(
        self,
        catalog: Catalog,
        presentation: PresentationName,
        permission: PermissionCallback,
        *,
        is_closed: bool = False,
        embedding_class: str = "lexical",
    ) -> None:
        config = ToolUseConfig(embedding_class=embedding_class, presentations=dict.fromkeys(LAYERS, presentation))
        self.shop = Shop()
        self.store = MemoryStore()
        self.tool_use = ToolUse(catalog, config)
        disabled = [] if is_closed else ["closed"]
        self._settings: dict[str, Any] = {"permission": permission, "disabled_policies": disabled, "store": self.store}
        self.restart()

    def restart(self) -> None:
        """Create the runtime and the run again, for the current behaviour of the shop."""
        executors = [*self.shop.registrations(), ActionTools(self.tool_use).registration()]
        self.runtime = Runtime(self.tool_use.catalog, executors=executors, **self._settings)
        self.run = self.runtime.start_run()

    def conversation(self, provider: str = "openai") -> Conversation:
        return self.tool_use.conversation("chat", self.runtime, self.run, provider)

    async def trace(self) -> list[Any]:
        """Return the record of the pipeline, without ids, times, and tools that only describe others."""
        run_id = self.run.meta.run_id
        assert run_id is not None
        try:
            record = await self.store.read(run_id)
        except RunNotFound:
            return []
        return [
            (event.kind, event.tool, _decided(event.data))
            for event in record.events
            if not event.tool.startswith("actions.")
        ]

    def spelled(self, ident: str, provider: str = "openai") -> str:
        return provider_tool_name(ident, self.tool_use.catalog.wire_name(ident), provider_named(provider))


def _decided(data: Mapping[str, Any]) -> str:
    stages = [{key: value for key, value in stage.items() if key != "us"} for stage in data.get("stages", ())]
    return json.dumps({**data, "stages": stages}, sort_keys=True)
