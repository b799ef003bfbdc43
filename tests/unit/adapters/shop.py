"""A small shop, compiled once, with tools for frameworks: a read, a write that needs permission, one with a limit."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.compile import compile_specs, generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import Target
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolsetRegistration
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime
from toolgen.runtime.base.errors import CallFailed
from toolgen.spec.tool_use import LAYERS
from toolgen.toolsets.actions import ActionTools

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.record.artifacts import Artifacts
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.spec.tool_use import PresentationName

SPECS: Final = {
    "store.yaml": """
toolgen: 1
toolset: store
description: A small store.
tools:
  find:
    description: Find goods by a word of their names.
    permission: readonly
    args: {word: {type: string, minLength: 2}, most?: {type: integer, minimum: 1}}
    result: [{id: integer, name: string}]
  price:
    description: Return the price of a good in cents.
    permission: readonly
    args: {id: integer}
    result: integer
  buy:
    description: Buy a good.
    args: {id: integer, count: {type: integer, minimum: 1, default: 1}}
    result: {order: integer, cost: integer}
    access: {scope: [id]}
  gift:
    description: Add a gift to the next order.
    permission: readonly
    args: {}
    result: string
    limits: {daily_limit: 1}
  close:
    description: Close the store.
    args: {}
  manual:
    description: Return the manual of a good, which may be long.
    permission: readonly
    args: {characters: integer}
    result: {text: string}
""",
    "goods.yaml": """
toolgen: 1
catalog: goods
from: store
categories:
  goods: {description: What is for sale., actions: {find: find, price: price, buy: buy}}
""",
    "clerk.agent.yaml": """
toolgen: 1
agent: clerk
use: [store.find, store.price, store.buy, store.gift, store.manual, "actions.*"]
""",
}

PACKAGE: Final = "adapted_store"
GOODS: Final = {1: ("red kettle", 2500), 2: ("blue kettle", 2700), 3: ("tea", 400)}


def write_package(folder: Path) -> None:
    """Compile the store, with the built-in toolset `actions`, into a package in a folder."""
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
class Store:
    """The executor of the tools. Counts calls, with their user."""

    orders: list[int] = field(default_factory=list[int])
    calls: list[tuple[str, ToolCallMeta]] = field(default_factory=list[tuple[str, ToolCallMeta]])

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    def registration(self) -> ToolsetRegistration:
        handlers = {
            f"store.{name}": getattr(self, name) for name in ("find", "price", "buy", "gift", "close", "manual")
        }
        return ToolsetRegistration(toolset="store", handlers=handlers)

    def find(self, args: Any, meta: ToolCallMeta) -> Any:
        self.calls.append(("find", meta))
        return [{"id": number, "name": name} for number, (name, _) in GOODS.items() if args.word in name]

    def price(self, args: Any, meta: ToolCallMeta) -> int:
        self.calls.append(("price", meta))
        if args.id not in GOODS:
            raise CallFailed(FailureKind.DOMAIN_REJECTION, "no_such_good", "there is no such good")
        return GOODS[args.id][1]

    def buy(self, args: Any, meta: ToolCallMeta) -> Any:
        self.calls.append(("buy", meta))
        self.orders.append(args.id)
        return {"order": len(self.orders), "cost": GOODS[args.id][1] * args.count}

    def gift(self, _args: Any, meta: ToolCallMeta) -> str:
        self.calls.append(("gift", meta))
        return "a ribbon"

    def close(self, _args: Any, meta: ToolCallMeta) -> None:
        self.calls.append(("close", meta))

    def manual(self, args: Any, meta: ToolCallMeta) -> Any:
        self.calls.append(("manual", meta))
        return {"text": "x" * args.characters}


class Host:
    """A runtime for the store, with a record, and one run of the agent `clerk`, which may not close it.

    With the `store` of another one it is what another process would have of it: the same goods, and nothing else.
    """

    def __init__(
        self,
        catalog: Catalog,
        permission: PermissionCallback,
        presentation: PresentationName = "enumerate-all",
        store: Store | None = None,
        artifacts: Artifacts | None = None,
    ) -> None:
        self.store = store or Store()
        self.record = MemoryStore()
        config = ToolUseConfig(embedding_class="lexical", presentations=dict.fromkeys(LAYERS, presentation))
        self.tool_use = ToolUse(catalog, config)
        executors = [self.store.registration(), ActionTools(self.tool_use).registration()]
        self.runtime = Runtime(
            catalog, executors=executors, permission=permission, store=self.record, artifacts=artifacts
        )
        self.run = self.runtime.start_run("clerk", meta=ToolCallMeta(user="of the run"))

    async def outcomes(self) -> list[tuple[str, str]]:
        """Return the recorded calls of the run and how each ended: `ok`, or the kind of its failure."""
        assert self.run.meta.run_id is not None
        results = (await self.record.read(self.run.meta.run_id)).results
        return [(each.tool, "ok" if each.success else each.content["error"]["kind"]) for each in results]

    async def denials(self) -> list[tuple[str, str]]:
        """Return the ids of the recorded calls that were denied, and the reasons."""
        assert self.run.meta.run_id is not None
        results = (await self.record.read(self.run.meta.run_id)).results
        errors = {each.tool_call_id: each.content["error"] for each in results if not each.success}
        return [
            (call_id, error["message"].partition("permission was denied: ")[2])
            for call_id, error in errors.items()
            if error["kind"] == "permission_denied"
        ]


def call(name: str, call_id: str, /, **args: Any) -> ToolRequest:
    """Return a call that a scripted model makes."""
    return ToolRequest(name=name, payload=json.dumps(args), tool_call_id=call_id)
