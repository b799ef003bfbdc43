"""A conversation with one model: what each request says of tools, and what comes of each response."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toolgen.llm.presentations.protocol import PlainText
from toolgen.providers.messages import Feedback, ToolChoice
from toolgen.providers.protocol import UnsupportedCapability, request_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolgen.contract.records import ToolResult
    from toolgen.llm.presentations.protocol import Ops, Presentation, ToolListing
    from toolgen.providers.messages import ModelReply
    from toolgen.providers.protocol import Payload, Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What came of one response.

    `text` is what the model said to people, `messages` what is appended to the conversation, as the provider's API has
    it. Where it `is_final`, the model asked for nothing more. `results` are those of its calls.
    """

    text: str
    messages: list[dict[str, Any]]
    is_final: bool
    results: tuple[ToolResult[Any], ...] = ()


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

    def request(self, choice: ToolChoice | None = None) -> Mapping[str, Any]:
        """Give the members of the next request that say what tools there are, such as `{"tools": [...]}`.

        Not to be changed: as long as there is nothing new, and no choice, it is the same object. Raises
        `UnsupportedCapability` for a choice that the API does not have, and for more tools than it takes.
        """
        payload = self._payload()
        if choice is None:
            return payload.fields
        return request_fields(payload, self._provider.tool_choice(choice))

    async def take(self, response: Mapping[str, Any]) -> Turn:
        """Do what a response asks for. `response` is the API's own, as plain JSON.

        Whatever goes wrong with a call is told to the model. Raises `MalformedResponse` for what is no response.
        """
        reply = self._restored(self._provider.read(response))
        action = self._presentation.interpret(reply)
        if isinstance(action, PlainText):
            return Turn(text=action.text, messages=self._provider.messages(response, Feedback()), is_final=True)
        outcome = await self._presentation.execute(action, self._ops)
        feedback = await self._presentation.format_feedback(outcome)
        return Turn(
            text=action.text,
            messages=self._provider.messages(response, feedback),
            is_final=False,
            results=outcome.results,
        )

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
        calls = (replace(call, arguments=payload.restore(call.name, call.arguments)) for call in reply.calls)
        return replace(reply, calls=tuple(calls))
