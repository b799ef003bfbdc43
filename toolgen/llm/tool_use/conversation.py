"""A conversation with one model: the tools of each request, and the calls of each response."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.providers.protocol import UnsupportedCapability, request_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.llm.presentations.protocol import Ops, Presentation, ToolListing, Turn
    from toolgen.providers.messages import ChoiceMode, ModelReply
    from toolgen.providers.protocol import Payload, Provider


class Conversation:
    """The exchange with one model, with one presentation. Created by `ToolUse.conversation`; not for concurrent use."""

    def __init__(
        self,
        presentation: Presentation,
        provider: Provider,
        ops: Ops,
        payload_of: Callable[[ToolListing], Payload],
    ) -> None:
        self._presentation = presentation
        self._provider = provider
        self._ops = ops
        self._payload_of = payload_of
        self._last: tuple[ToolListing, Payload] | None = None

    @property
    def prompt(self) -> str:
        """The section of the system prompt about tools; empty if the list of tools is enough."""
        return self._presentation.build_presentation().prompt

    def request(self, choice: ChoiceMode | None = None, name: str = "") -> Mapping[str, Any]:
        """Return the members of the next request with the tools, such as `{"tools": [...]}`.

        `choice` is whether the model may or must call tools; with `named`, `name` is the tool that it must call.

        Must not be modified: without changes and choice it is the same object. Raises `UnsupportedCapability` for a
        choice that the API does not support, and for too many tools.
        """
        payload = self._payload()
        if choice is None:
            return payload.fields
        return request_fields(payload, self._provider.tool_choice(choice, name))

    async def take(self, response: Mapping[str, Any]) -> Turn:
        """Execute the calls of a response. `response` is that of the API, as plain JSON.

        Errors of calls are reported to the model. Raises `MalformedResponse` if it is not a response.
        """
        turn = self._presentation.interpret(self._restored(self._provider.read(response)))
        if not turn.is_final:
            done = await self._presentation.execute(turn, self._ops)
            turn = await self._presentation.format_feedback(done)
        return replace(turn, messages=self._provider.messages(response, turn.answers, turn.report))

    def _payload(self) -> Payload:
        listing = self._presentation.build_presentation()
        if self._last is None or self._last[0] is not listing:
            payload = self._payload_of(listing)
            if payload.problems:
                raise UnsupportedCapability(self._provider.name, payload.problems)
            self._last = (listing, payload)
        return self._last[1]

    def _restored(self, reply: ModelReply) -> ModelReply:
        """Convert the args of calls from the provider's schemas back to those of the tools."""
        payload = self._payload()
        if not payload.restorers:
            return reply
        calls = (replace(call, payload=payload.restore(call.name, call.payload)) for call in reply.calls)
        return replace(reply, calls=tuple(calls))
