"""A planner that asks a model, by the host's own call of an SDK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.planner import Message, PlannedCalls, RunOutcome
from toolgen.contract.records import NOT_OFFERED, ToolRequest
from toolgen.llm.conversation import (
    is_stream,
    offered_tool,
    provider_named,
    read_stream,
    response_of,
    restored,
)
from toolgen.llm.presentations.enumerate_all import EnumerateAll
from toolgen.llm.presentations.protocol import Candidates, answer_unknown, not_offered, read_turn
from toolgen.providers.protocol import CallAnswer, MalformedResponse, ModelReply, UnsupportedCapability
from toolgen.providers.table import PROVIDERS, provider_tool_name
from toolgen.runtime.runs.misuse import name_of
from toolgen.spec.wire_names import fits, wire_name

if TYPE_CHECKING:
    from toolgen.agents.planner import Plan
    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm.conversation import AskModel
    from toolgen.providers.protocol import Provider, ToolPayload, TurnFormat
    from toolgen.runtime.catalog.definition import ToolDefinition

_SENT_BACK: Final = (
    "role", "content", "choices", "output", "candidates", "promptFeedback", "prompt_feedback",
    "stop_reason", "stopReason", "status", "incomplete_details",
)  # fmt: skip
"""Members of responses that later requests need; others repeat the request, such as its tools, or are of the SDK."""


class ModelPlanner:
    """Plans by asking a model, which is shown every tool of the run. Implements `Planner`, and keeps nothing of runs.

    `ask(messages, request)` is the host's call of an SDK, as `Conversation.run` takes it: sync or async, with the
    response or its stream. `messages` are those of the API, `request` has the tools, and the system text where that is
    no message: `system` (Anthropic, Bedrock), `systemInstruction` (Gemini), `instructions` (OpenAI's responses).

    The outcome is the text of the first response without calls. `telemetry` has `requests`, 1, and `input_tokens` and
    `output_tokens` if the response has them. Raises ValueError for a provider that is unknown or has no conversations;
    planning raises what `ask` raises, `MalformedResponse`, and `UnsupportedCapability` for a tool that the API cannot
    have.
    """

    def __init__(self, ask: AskModel, provider: str = "openai") -> None:
        self._provider: Final = provider_named(provider)
        if self._provider.turns is None:
            others = [name for name in PROVIDERS if provider_named(name).turns is not None]
            raise ValueError(f"{provider} is not a model API; there are {', '.join(others)}")
        self._format: Final = self._provider.turns
        self._ask: Final = ask

    async def plan(
        self, messages: Sequence[Message], tools: Mapping[str, ToolDefinition], _meta: ToolCallMeta, /
    ) -> Plan:
        """Ask the model once."""
        shown = _Shown.of(self._provider, tools)
        members = self._format.system(_texts(messages, "system")) if _texts(messages, "system") else {}
        history = [*members.pop("messages", ()), *_Turns(self._provider, self._format, shown).written(messages)]
        response = await response_of(self._ask, history, {**members, **shown.payload.fields})
        if is_stream(response):
            response = await read_stream(self._provider, aiter(response), _ignore)
        reply = self._provider.read(response)
        turn = read_turn(shown.presentation, restored(reply, shown.payload))
        telemetry = {"requests": 1, **self._format.tokens_of(response)}
        if turn.is_final:
            return RunOutcome(value=turn.text, telemetry=telemetry)
        made = [call if call.request is not None else not_offered(call.asked) for call in turn.calls]
        calls = tuple(call.request for call in made if call.request is not None)
        sent_back = {name: response[name] for name in _SENT_BACK if name in response}
        return PlannedCalls(
            message=Message(role="assistant", content=turn.text, calls=calls, response=sent_back), telemetry=telemetry
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The tools of one request."""

    candidates: Candidates
    presentation: EnumerateAll
    payload: ToolPayload

    @classmethod
    def of(cls, provider: Provider, tools: Mapping[str, ToolDefinition]) -> _Shown:
        """Raises `UnsupportedCapability`."""
        definitions = dict(tools)
        names = {ident: _name(definition, provider) for ident, definition in definitions.items()}
        candidates = Candidates(
            definitions, lambda ident: offered_tool(definitions[ident], names[ident]), names.__getitem__
        )
        payload = provider.tools(candidates.flat.tools)
        if payload.problems:
            raise UnsupportedCapability(provider.name, payload.problems)
        return cls(candidates=candidates, presentation=EnumerateAll(candidates), payload=payload)


def _name(definition: ToolDefinition, provider: Provider) -> str:
    return provider_tool_name(definition.name, definition.wire_name, provider)


class _Turns:
    """Writes the messages of a run as those of an API."""

    def __init__(self, provider: Provider, format_: TurnFormat, shown: _Shown) -> None:
        self._provider: Final = provider
        self._format: Final = format_
        self._shown: Final = shown

    def written(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return the messages, except those of the system.

        A turn is the model's message, the answers to its calls, and the user's messages that follow it. Raises
        ValueError for a call without an answer, or an answer without a call.
        """
        written: list[dict[str, Any]] = []
        for asked, rest in _turns([message for message in messages if message.role != "system"]):
            user, answers = _texts(rest, "user"), [message for message in rest if message.role == "tool"]
            calls = () if asked is None else asked.calls
            if len(answers) != len(calls):
                raise ValueError(
                    f"the messages have {len(answers)} answers to the {len(calls)} calls of one message of the "
                    "assistant: there must be one message of the role `tool` for each call, in their order"
                )
            if asked is not None:
                written += self._turn(asked, answers, user)
            elif user:
                written.append(self._format.user(user))
        return written

    def _turn(self, asked: Message, answers: Sequence[Message], user: str) -> list[dict[str, Any]]:
        response, reply = self._response(asked, answers)
        turn = read_turn(self._shown.presentation, reply)
        if turn.incomplete is not None:
            return self._provider.messages(response, turn.answers, "\n\n".join(filter(None, (turn.report, user))))
        given = [self._answer(call, answer) for call, answer in zip(reply.calls, answers, strict=True)]
        return self._provider.messages(response, given, user)

    def _response(self, asked: Message, answers: Sequence[Message]) -> tuple[Mapping[str, Any], ModelReply]:
        """Return the response of a turn, also as it is read; one of another API, or none, is written anew."""
        if asked.response is not None:
            try:
                return asked.response, self._provider.read(asked.response)
            except MalformedResponse:
                pass  # it was read once, so it is a response of another API
        calls = [
            ToolRequest(
                name=self._spelled(name_of(call)),
                payload=call.payload,
                tool_call_id=answer.tool_call_id or call.tool_call_id,
            )
            for call, answer in zip(asked.calls, answers, strict=True)
        ]
        reply = ModelReply(text=asked.content, calls=tuple(calls))
        return self._format.response(reply), reply

    def _spelled(self, name: str) -> str:
        ident = name.removesuffix(NOT_OFFERED)
        if ident in self._shown.candidates:
            return self._shown.candidates[ident].name
        return ident if fits(ident, self._provider.grammar) else wire_name(ident, self._provider.grammar)

    def _answer(self, call: ToolRequest, answer: Message) -> CallAnswer:
        if answer.name.endswith(NOT_OFFERED):
            return answer_unknown(not_offered(call), self._shown.candidates.by_name)
        return CallAnswer(tool_call_id=call.tool_call_id, name=call.name, text=answer.content, is_error=answer.is_error)


def _turns(messages: Sequence[Message]) -> list[tuple[Message | None, list[Message]]]:
    """Split messages before each of the assistant; None is for those before the first."""
    turns: list[tuple[Message | None, list[Message]]] = [(None, [])]
    for message in messages:
        if message.role == "assistant":
            turns.append((message, []))
        else:
            turns[-1][1].append(message)
    return turns


def _texts(messages: Sequence[Message], role: str) -> str:
    return "\n\n".join(message.content for message in messages if message.role == role and message.content)


async def _ignore(_text: str) -> None:
    """Leave the pieces of a text out: the outcome has it all."""
