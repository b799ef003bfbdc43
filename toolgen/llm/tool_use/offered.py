"""Tools as they are offered to a model, and the args of its calls as the tools have them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolgen.providers.protocol import OfferedTool
from toolgen.providers.table import PROVIDERS
from toolgen.providers.table import provider as provider_of
from toolgen.runtime.base.suggest import nearest
from toolgen.schema.compact import model_args_schema

if TYPE_CHECKING:
    from toolgen.providers.protocol import ModelReply, Provider, ToolPayload
    from toolgen.runtime.catalog.definition import ToolDefinition


def offered_tool(definition: ToolDefinition, name: str) -> OfferedTool:
    """Return a tool as a model is shown it, under a name, without the fields that the host injects."""
    return OfferedTool(
        ident=definition.name,
        name=name,
        title=definition.title,
        description=definition.description,
        permission=definition.permission,
        tags=frozenset(definition.tags),
        args=model_args_schema(definition.input_schema, definition.settings.inject),
        result=definition.result_schema,
    )


def restored(reply: ModelReply, payload: ToolPayload) -> ModelReply:
    """Convert the args of calls from the provider's schemas back to those of the tools."""
    if not payload.restorers:
        return reply
    calls = (replace(call, payload=payload.restore(call.name, call.payload)) for call in reply.calls)
    return replace(reply, calls=tuple(calls))


def provider_named(name: str) -> Provider:
    """Return a provider. Raises ValueError for an unknown one."""
    if name not in PROVIDERS:
        meant = nearest(name, PROVIDERS, count=1)
        hint = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(PROVIDERS)}"
        raise ValueError(f"there is no provider {name!r}; {hint}")
    return provider_of(name)
