"""The table of providers: every name, and its module, which is imported on use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from toolgen.spec.wire_names import fits, wire_name

if TYPE_CHECKING:
    from toolgen.providers.protocol import OfferedTool, Provider, ToolPayload

PROVIDERS: Final[Mapping[str, tuple[str, str]]] = {
    "openai": ("openai_chat", "PLAIN"),
    "openai-strict": ("openai_chat", "WITH_STRICT"),
    "openai-responses": ("openai_responses", "PLAIN"),
    "openai-responses-strict": ("openai_responses", "WITH_STRICT"),
    "litellm": ("openai_chat", "LITELLM"),
    "anthropic": ("anthropic", "PLAIN"),
    "anthropic-strict": ("anthropic", "WITH_STRICT"),
    "gemini": ("gemini", "PLAIN"),
    "bedrock": ("bedrock", "PLAIN"),
    "mcp": ("mcp", "PLAIN"),
}
"""By name, a module of `apis`, and the provider in it."""


def provider(name: str) -> Provider:
    """Return a provider by name. Raises KeyError for an unknown one."""
    module, attribute = PROVIDERS[name]
    return cast("Provider", getattr(import_module(f"toolgen.providers.apis.{module}"), attribute))


def provider_payload(name: str, offered: Sequence[OfferedTool]) -> ToolPayload:
    """Return the tools of a request to a provider, with names in its grammar. Raises KeyError."""
    return provider(name).tools(offered)


def provider_tool_name(ident: str, own: str, provider: Provider) -> str:
    """Return the name of a tool for a provider; `own` is its wire name, kept if its spec sets it and it is valid."""
    chosen = own != wire_name(ident) and fits(own, provider.grammar)
    return own if chosen else wire_name(ident, provider.grammar)
