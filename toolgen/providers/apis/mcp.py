"""MCP, on the server side: the result of `tools/list`, the request `tools/call`, and its result.

The protocol: https://modelcontextprotocol.io/specification/2025-11-25/server/tools. A client requests one call at a
time; the JSON-RPC request, `{"id", "params": {"name", "arguments"}}`, takes the role of a model's response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ToolRequest
from toolgen.providers.apis.response_json import answers_to, arguments_text, id_of, name_of, object_of, response_of
from toolgen.providers.offering import payload_of
from toolgen.providers.protocol import ModelReply, OfferProblem, Provider, UnsupportedCapability
from toolgen.providers.schema_dialects import MCP
from toolgen.spec.wire_names import STRICT

if TYPE_CHECKING:
    from toolgen.providers.protocol import CallAnswer, ChoiceMode, OfferedTool, ToolPayload


class Mcp(Provider):
    """The provider. Its one message is the result of the call."""

    __slots__ = ()

    def tools(self, offered: Sequence[OfferedTool]) -> ToolPayload:
        """Return the result of `tools/list`, in one page."""

        def tool(each: OfferedTool, args: dict[str, Any]) -> dict[str, Any]:
            annotations = {"readOnlyHint": each.is_readonly, **({"title": each.title} if each.title else {})}
            return {
                "name": each.name,
                "description": each.description,
                "inputSchema": args,
                "annotations": annotations,
            }

        return payload_of(self, offered, tool, lambda tools: {"tools": tools})

    def tool_choice(self, mode: ChoiceMode, name: str = "") -> dict[str, Any]:
        """Return nothing: the client chooses. Raises `UnsupportedCapability` for any choice but `auto`."""
        if mode != "auto":
            reason = f"MCP clients choose tools themselves, so there is no tool choice `{mode}`"
            raise UnsupportedCapability(self.name, [OfferProblem("tool_choice", reason)])
        return {}

    def read(self, response: Mapping[str, Any]) -> ModelReply:
        """Parse a request `tools/call`; its id, if any, is that of the call. Raises `MalformedResponse`."""
        request = response_of(response)
        params = object_of(request.get("params"), "params")
        call = ToolRequest(
            tool_call_id=id_of(request.get("id"), "id"),
            name=name_of(params.get("name"), "params.name"),
            payload=arguments_text(params.get("arguments"), "params.arguments"),
        )
        return ModelReply(calls=(call,))

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = ""
    ) -> list[dict[str, Any]]:
        """Return the result of the call."""
        (answer,) = answers_to(self.read(response).calls, answers)
        return [{"content": [{"type": "text", "text": answer.text}], "isError": answer.is_error}]


PLAIN: Final = Mcp(
    name="mcp", telemetry_name="mcp", grammar=STRICT, dialect=MCP, max_tools=None, reader=None, turns=None
)
