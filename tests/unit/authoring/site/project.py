"""Sites of small projects, made in memory from spec files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.hostile.building import compiled
from toolgen.authoring.site.build import site_files
from toolgen.authoring.site.contents import Part

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOP: Final[Mapping[str, Any]] = {
    "orders.json": {
        "toolgen": 1,
        "toolset": "shop.orders",
        "description": "Orders of a small shop.",
        "types": {"Money": {"amount": "number", "currency": {"enum": ["EUR", "USD"]}}},
        "tools": {
            "find": {
                "title": "Find orders",
                "description": "Find the orders of a customer, the newest first.",
                "permission": "readonly",
                "tags": ["network"],
                "args": {
                    "customer": {"type": "string", "minLength": 1, "description": "Whose orders; a name."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
                },
                "result": [{"id": "string", "total": "Money"}],
                "examples": [{"args": {"customer": "Ada", "limit": 5}}],
            },
            "refund": {
                "description": "Refund an order.",
                "args": {"order_id": "string", "amount?": "Money"},
                "result": "Money",
                "confirm": "Refund {{args.order_id}}?",
            },
        },
    },
    "server.json": {
        "toolgen": 1,
        "toolset": "mcp.clock",
        "kind": "mcp",
        "server": {"http": "https://clock.example/mcp", "headers": {"Authorization": "$env.CLOCK_TOKEN"}},
        "tools": {"now": {"description": "The time.", "permission": "readonly", "args": {"zone": "string"}}},
    },
    "chat.agent.json": {
        "toolgen": 1,
        "agent": "chat",
        "description": "Talks to people.",
        "use": ["shop.orders", "mcp.clock"],
        "system": "Be brief.",
    },
    "careful.policy.json": {
        "toolgen": 1,
        "policy": "careful",
        "rules": {"+network": "ask"},
        "modes": {"plan": {"+write": "exclude"}},
        "network": {"*": "ask"},
    },
    "all.catalog.json": {
        "toolgen": 1,
        "catalog": "all",
        "from": "shop.orders",
        "prompt": "What the shop can do.",
        "categories": {"order": {"description": "Orders.", "actions": {"find": None, "pay_back": "refund"}}},
    },
}


def part_of(files: Mapping[str, Any]) -> Part:
    found = compiled(files)
    assert not found.errors, found.errors
    return Part("generated", found.catalog)


def site_of(files: Mapping[str, Any]) -> dict[str, str]:
    return dict(site_files([part_of(files)]))
