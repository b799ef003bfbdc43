"""The text of the small package: two toolsets of a shop, and one of an MCP server."""

from __future__ import annotations

from typing import Any

ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "from": {"type": "string"}, "total": {"type": "number"}},
    "required": ["id"],
    "additionalProperties": False,
}
REFUND_ARGS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string", "minLength": 1},
        "amount": {"type": "integer", "minimum": 1, "maximum": 1000},
        "reason": {"enum": ["damaged", "late", "other"]},
        "note": {"type": ["string", "null"]},
    },
    "required": ["order_id"],
    "additionalProperties": False,
}
REFUND_RESULT: dict[str, Any] = {
    "type": "object",
    "properties": {"refunded": {"type": "boolean"}, "order": {"$ref": "#/$defs/Order"}, "message": {"type": "string"}},
    "required": ["refunded"],
    "additionalProperties": False,
    "$defs": {"Order": ORDER},
}
FIND_ARGS: dict[str, Any] = {
    "type": "object",
    "properties": {"from": {"type": "string"}, "limit": {"type": "integer", "default": 10}},
    "additionalProperties": True,
}
FIND_RESULT: dict[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/Order"}, "$defs": {"Order": ORDER}}
READ_ARGS: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

TYPES = "shop.tools.orders.orders"

TOOLSETS: dict[str, Any] = {
    "shop.orders": {"kind": "service", "package": "shop.tools.orders", "description": "Orders of the shop."},
    "shop.reviews": {"kind": "service", "package": "shop.tools.reviews"},
    "mcp.files": {"kind": "mcp", "package": "mcp.tools.files"},
}


def _tool(description: str, args: Any, **more: Any) -> dict[str, Any]:
    return {"description": description, "args": args, **more}


TOOLS: dict[str, Any] = {
    "shop.orders.refund": _tool(
        "Give the money back.\nThe order stays.",
        REFUND_ARGS,
        title="Refund an order",
        permission="write",
        tags=["write", "billing"],
        args_type=f"{TYPES}:RefundArgs",
        result=REFUND_RESULT,
        result_type=f"{TYPES}:RefundResult",
        limits={"timeout_ms": 5000},
    ),
    "shop.orders.find": _tool(
        "Find orders.",
        FIND_ARGS,
        permission="readonly",
        tags=["readonly"],
        args_type=f"{TYPES}:FindArgs",
        result=FIND_RESULT,
        result_type=f"{TYPES}:FindResult",
    ),
    "shop.reviews.list": _tool("List reviews.", {"type": "object"}, permission="readonly"),
    "mcp.files.read": _tool("Read a file.", READ_ARGS, permission="readonly", source_name="read file"),
    "mcp.files.peek": _tool("Read a line.", READ_ARGS, permission="readonly", source_name="read file"),
}

WIRE_NAMES = {
    "shop.orders.refund": "shop__orders__refund",
    "shop.orders.find": "find_orders",
    "shop.reviews.list": "shop__reviews__list",
    "mcp.files.read": "mcp__files__read",
    "mcp.files.peek": "mcp__files__peek",
}

MODULES: dict[str, str] = {
    "__init__.py": '"""The package."""\nPACKAGE = __name__\n',
    "shop/__init__.py": "",
    "shop/tools/__init__.py": "",
    "shop/tools/orders/__init__.py": """
from typing import Final

from toolgen.contract import Ident
from toolgen.runtime.codec.codecs import Codecs

from .... import PACKAGE

REFUND: Final = Ident("shop.orders.refund")
FIND: Final = Ident("shop.orders.find")
codecs: Final = Codecs(PACKAGE)
""",
    "shop/tools/orders/orders.py": """
from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime import ClosedModel, OpenModel


class Order(ClosedModel):
    id: str
    from_: Annotated[str | None, Field(alias="from")] = None
    total: int | float | None = None


class RefundArgs(ClosedModel):
    order_id: str
    amount: int | None = None
    reason: Literal["damaged", "late", "other"] | None = None
    note: str | None = None


class RefundResult(ClosedModel):
    refunded: bool
    order: Order | None = None
    message: str | None = None


class FindArgs(OpenModel):
    from_: Annotated[str | None, Field(alias="from")] = None
    limit: int = 10


FindResult: TypeAlias = list[Order]
""",
    "shop/tools/orders/refund.py": """
from toolgen.contract import ABSENT

from . import codecs


def new_refund_call(*, order_id, amount=None, reason=None, note=ABSENT):
    args = {"order_id": order_id, "amount": amount, "reason": reason, "note": note}
    return codecs.call("shop.orders.refund", args)
""",
}
