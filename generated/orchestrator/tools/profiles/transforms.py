"""Transforms of `orchestrator.profiles`: between the shapes of tools and of the methods they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .types.methods import UpsertPayload

if TYPE_CHECKING:
    from .types.methods import UpsertMethodResult
    from .types.upsert import UpsertArgs, UpsertResult


def to_method_payload_upsert(args: UpsertArgs, /, *, tenant_id: str) -> UpsertPayload:
    """The payload of the method `Upsert`, from the args of `orchestrator.profiles.upsert`."""
    return UpsertPayload(tenant_id=tenant_id, name=args.name, email=args.email)


def to_tool_return_upsert(result: UpsertMethodResult) -> UpsertResult:
    """The result of `orchestrator.profiles.upsert`, from what the method `Upsert` gave."""
    return result
