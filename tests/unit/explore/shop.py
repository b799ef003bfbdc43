"""A shop whose tools are explored: compiled once, run by Python, with an agent and a policy."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from toolgen.compiler.compile import compile_specs, generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import Target
from toolgen.contract.records import ToolCallMeta, ToolsetRegistration
from toolgen.explore import Explorer, ExploreSettings, ask_in_page, explorer
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, load

HOSTILE: Final = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7 * 7 }}\u202e"

SPECS: Final = {
    "goods.yaml": f"""
toolgen: 1
toolset: goods
description: What the shop sells.
tools:
  find:
    description: Find goods by a word.
    permission: readonly
    args:
      word: {{type: string, minLength: 2, description: A word of the name.}}
      most: {{type: integer, minimum: 1, default: 10}}
    result: [{{id: integer, name: string}}]
    examples: [{{args: {{word: tea, most: 3}}}}]
  order:
    description: Order goods.
    args:
      lines:
        type: array
        minItems: 1
        items:
          type: object
          required: [id]
          properties: {{id: {{type: integer}}, count: {{type: integer, minimum: 1}}}}
          additionalProperties: false
      pay:
        oneOf:
          - title: Card
            type: object
            required: [by, number]
            properties: {{by: {{const: card}}, number: {{type: string, format: password}}}}
            additionalProperties: false
          - title: Invoice
            type: object
            required: [by, address]
            properties: {{by: {{const: invoice}}, address: {{type: string, minLength: 1}}}}
            additionalProperties: false
      notes?: {{type: object, additionalProperties: {{type: string}}}}
    result: {{order: integer, to: string}}
    confirm: Order these goods?
    access: {{scope: lines}}
  echo:
    description: {json.dumps(HOSTILE)}
    permission: readonly
    args: {{text: string}}
    result: string
  big:
    description: Return much text.
    permission: readonly
    args: {{bytes: integer}}
    result: string
  count:
    description: Count, and report each step.
    permission: readonly
    args: {{steps: integer}}
    result: integer
  wait:
    description: Wait until it is cancelled.
    permission: readonly
    args: {{}}
  secret_sale:
    description: Only for the chief.
    args: {{}}
""",
    "clerk.agent.yaml": """
toolgen: 1
agent: clerk
use: [goods.find, goods.order, goods.echo]
""",
    "careful.policy.yaml": """
toolgen: 1
policy: careful
rules:
  goods.find: allow
  goods.secret_sale: exclude
modes:
  closed: {goods.order: deny}
""",
}  # fmt: skip


_PACKAGES: Final = TemporaryDirectory(prefix="explored")
"""Where the package is until the tests end."""


@cache
def catalog_package() -> str:
    """Compile the shop into a package that can be imported; return its name."""
    folder = Path(_PACKAGES.name)
    (folder / "specs").mkdir()
    for name, text in SPECS.items():
        (folder / "specs" / name).write_text(text, encoding="utf-8")
    sink = Diagnostics()
    compiled = compile_specs(folder, Target(out="explored_shop"), sink)
    assert not sink.has_errors, [str(found.message) for found in sink]
    for path, data in generate(compiled.catalog).items():
        place = folder / "explored_shop" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    sys.path.insert(0, str(folder))
    return "explored_shop"


class Goods:
    """What runs the tools. `calls` are those that have run."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ToolCallMeta]] = []

    def registration(self) -> ToolsetRegistration:
        names = ("find", "order", "echo", "big", "count", "wait", "secret_sale")
        return ToolsetRegistration(toolset="goods", handlers={f"goods.{name}": getattr(self, name) for name in names})

    def find(self, args: Any, meta: ToolCallMeta) -> Any:
        self.calls.append(("find", meta))
        return [{"id": 1, "name": f"{args.word} pot"}]

    def order(self, args: Any, meta: ToolCallMeta) -> Any:
        self.calls.append(("order", meta))
        return {"order": len(self.calls), "to": str(getattr(args.pay, "address", "the card"))}

    def echo(self, args: Any, meta: ToolCallMeta) -> str:
        self.calls.append(("echo", meta))
        return str(args.text)

    def big(self, args: Any, meta: ToolCallMeta) -> str:
        return str("<b>" * (args.bytes // 3))

    async def count(self, args: Any, meta: ToolCallMeta) -> int:
        for step in range(args.steps):
            meta.report({"progress": step + 1, "total": args.steps, "message": f"step {step}"})
            if step % 50 == 0:
                await asyncio.sleep(0)
        return int(args.steps)

    async def wait(self, _args: Any, meta: ToolCallMeta) -> None:
        self.calls.append(("wait", meta))
        for step in itertools.count():
            meta.report({"progress": step})
            await asyncio.sleep(0.2)

    def secret_sale(self, _args: Any, meta: ToolCallMeta) -> None:
        self.calls.append(("secret_sale", meta))


def catalog() -> Catalog:
    return load(catalog_package())


def shop(goods: Goods | None = None, *, store: Any = None, **options: Any) -> Explorer:
    """Return an explorer of the shop; `options` are those of `explorer`. What only reads records nothing."""
    kept = MemoryStore() if store is None else store
    executors = [(goods or Goods()).registration()]
    records = kept if hasattr(kept, "append") else None
    runtime = Runtime(catalog(), executors=executors, permission=ask_in_page, store=records)
    settings = options.pop("settings", None) or ExploreSettings()
    return explorer(runtime, store=kept, settings=settings, **options)
