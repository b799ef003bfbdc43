"""A conversation with one model: what each request says of tools, and what comes of each response."""

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
    """One model that talks, under one presentation. `ToolUse.conversation` makes them; they are used by one task."""

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
        """The section of the system prompt that tells of tools; empty where the list of tools says it all."""
        return self._presentation.build_presentation().prompt

    def request(self, choice: ChoiceMode | None = None, name: str = "") -> Mapping[str, Any]:
        """Return the members of the next request that say what tools there are, such as `{"tools": [...]}`.

        `choice` says whether the model may or must call tools; with `named`, `name` is the one that it must call.

        Not to be changed: as long as there is nothing new, and no choice, it is the same object. Raises
        `UnsupportedCapability` for a choice that the API does not have, and for more tools than it takes.
        """
        payload = self._payload()
        if choice is None:
            return payload.fields
        return request_fields(payload, self._provider.tool_choice(choice, name))

    async def take(self, response: Mapping[str, Any]) -> Turn:
        """Do what a response asks for. `response` is the API's own, as plain JSON.

        Whatever goes wrong with a call is told to the model. Raises `MalformedResponse` for what is no response.
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
        """Undo in the args of calls what their schemas had changed for the provider."""
        payload = self._payload()
        if not payload.restorers:
            return reply
        calls = (replace(call, payload=payload.restore(call.name, call.payload)) for call in reply.calls)
        return replace(reply, calls=tuple(calls))
