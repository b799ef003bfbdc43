"""A model that plays a script: a list of turns, or a function of each request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.contract.records import ToolRequest
from toolgen.llm.conversation import provider_named
from toolgen.providers.protocol import ModelReply
from toolgen.providers.table import PROVIDERS
from toolgen.runtime.base.suggest import nearest
from toolgen.schema.json_values import is_array, is_mapping, is_object, is_sequence
from toolgen.spec.text import cut
from toolgen.spec.wire_names import wire_name
from toolgen.testing.streams import events_of

if TYPE_CHECKING:
    from toolgen.providers.protocol import Provider, TurnFormat

ModelTurn: TypeAlias = str | ToolRequest | Sequence[ToolRequest] | ModelReply | Mapping[str, Any]
"""What a model answers: a text, a call, several calls, a text with calls, or a response of the API, sent as it is."""

_LISTED: Final = 20
"""Names of tools in an error."""


class ScriptError(AssertionError):
    """A script does not fit the requests: it calls a tool that was not offered, or has no turn left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request that a model got: the messages, the members beside them, and the names of the tools that they offer.

    `number` counts the requests of the model, from 0.
    """

    number: int
    messages: Sequence[Mapping[str, Any]]
    fields: Mapping[str, Any]

    @property
    def offered(self) -> tuple[str, ...]:
        """The names by which the model may call tools."""
        return tuple(_names_in(self.fields))


class ScriptedModel:
    """Plays a script: `conversation.run(ScriptedModel(orders.new_refund_call(order_id="o-1"), "done"), messages)`.

    It takes the place of `ask`, also in `ModelPlanner(ScriptedModel(…))`. Turns are played one after the other; a
    single function instead is called with each `ModelRequest`, and returns the turn. Calls may name tools by ident, as
    the builders of a package do, or by a name that the request offers, such as `invoke_action`. A call of another tool
    raises `ScriptError`, and so does a request after the last turn; a response of the API, as JSON, is not checked.
    `requests` are those that it got. With `stream` it answers with the events of a stream.

    `for_pydantic_ai()`, `for_langchain()` and `for_openai_agents()` are the same script as a model of a framework;
    `messages` of its requests are those of the framework, as JSON.

    Raises ValueError for a provider that is unknown, has no conversations, or no streams that can be read.
    """

    def __init__(
        self,
        *turns: ModelTurn | Callable[[ModelRequest], ModelTurn],
        provider: str = "openai",
        stream: bool = False,
    ) -> None:
        self._provider: Final = provider_named(provider)
        self._streams: Final = stream
        if stream:
            events_of(self._provider, ModelReply())
        self._format: Final = _format_of(self._provider)
        self._turns: Final = turns
        self._calls = 0
        self.requests: list[ModelRequest] = []

    def __call__(self, messages: Sequence[Mapping[str, Any]], request: Mapping[str, Any]) -> Any:
        """Answer one request, as the host's call of an SDK. Raises `ScriptError`."""
        got, turn = self._next(messages, request)
        if is_mapping(turn) and not self._streams:
            return dict(turn)
        reply = self._reply(turn, got)
        return _streamed(events_of(self._provider, reply)) if self._streams else self._format.response(reply)

    def reply(self, messages: Sequence[Mapping[str, Any]], fields: Mapping[str, Any]) -> ModelReply:
        """Answer one request with a reply, for models of frameworks. Raises `ScriptError`."""
        got, turn = self._next(messages, fields)
        return self._reply(turn, got)

    def for_pydantic_ai(self) -> Any:
        """Return a model of pydantic-ai that plays the script."""
        from toolgen.testing.frameworks.pydantic_ai import model_of

        return model_of(self)

    def for_langchain(self) -> Any:
        """Return a chat model of LangChain that plays the script."""
        from toolgen.testing.frameworks.langchain import model_of

        return model_of(self)

    def for_openai_agents(self) -> Any:
        """Return a model of OpenAI Agents that plays the script."""
        from toolgen.testing.frameworks.openai_agents import model_of

        return model_of(self)

    def check(self) -> None:
        """Raise `ScriptError` for turns that no request asked for."""
        left = len(self._turns) - len(self.requests)
        if left > 0 and not self._is_function:
            raise ScriptError(f"{left} of the {len(self._turns)} turns of the script were not asked for")

    @property
    def _is_function(self) -> bool:
        return len(self._turns) == 1 and callable(self._turns[0])

    def _next(self, messages: Sequence[Mapping[str, Any]], fields: Mapping[str, Any]) -> tuple[ModelRequest, ModelTurn]:
        got = ModelRequest(number=len(self.requests), messages=tuple(messages), fields=dict(fields))
        self.requests.append(got)
        return got, self._turn(got)

    def _reply(self, turn: ModelTurn, got: ModelRequest) -> ModelReply:
        return self._provider.read(dict(turn)) if is_mapping(turn) else self._checked(_reply(turn), got)

    def _turn(self, request: ModelRequest) -> ModelTurn:
        if self._is_function:
            play: Any = self._turns[0]
            played: ModelTurn = play(request)
            return played
        if request.number >= len(self._turns):
            raise ScriptError(f"the script has {len(self._turns)} turns, and the model was asked once more")
        turn: Any = self._turns[request.number]
        if callable(turn):
            raise ScriptError("a script is a list of turns, or one function and nothing else")
        return turn  # type: ignore[no-any-return]  # it is no function

    def _checked(self, reply: ModelReply, request: ModelRequest) -> ModelReply:
        """Return a reply whose calls have ids, and names that were offered."""
        offered = request.offered
        calls: list[ToolRequest] = []
        for call in reply.calls:
            self._calls += 1
            call_id = call.tool_call_id or f"call_{self._calls}"
            calls.append(replace(call, name=self._name(call.name, offered), tool_call_id=call_id))
        return replace(reply, calls=tuple(calls))

    def _name(self, name: str, offered: Sequence[str]) -> str:
        for each in (name, wire_name(name, self._provider.grammar)):
            if each in offered:
                return each
        meant = nearest(wire_name(name, self._provider.grammar), offered, count=1)
        question = f"did you mean {meant[0]}? " if meant else ""
        more = f" and {len(offered) - _LISTED} more" if len(offered) > _LISTED else ""
        names = ", ".join(offered[:_LISTED]) or "no tools"
        raise ScriptError(
            f"the script calls {cut(name, 100)!r}, which was not offered; {question}there are {names}{more}"
        )


async def _streamed(events: Sequence[Mapping[str, Any]]) -> AsyncIterator[Mapping[str, Any]]:
    for event in events:
        yield event


def _format_of(provider: Provider) -> TurnFormat:
    if provider.turns is None:
        others = [name for name in PROVIDERS if provider_named(name).turns is not None]
        raise ValueError(f"{provider.name} is not a model API; there are {', '.join(others)}")
    return provider.turns


def _reply(turn: Any) -> ModelReply:
    """Return a turn as a reply. Raises `ScriptError` for what is none."""
    if isinstance(turn, ModelReply):
        return turn
    if isinstance(turn, str):
        return ModelReply(text=turn)
    if isinstance(turn, ToolRequest):
        return ModelReply(calls=(turn,))
    if is_sequence(turn) and all(isinstance(each, ToolRequest) for each in turn):
        return ModelReply(calls=tuple(turn))
    raise ScriptError(f"a turn is a text, calls, a ModelReply or a response, not of type {type(turn).__qualname__}")


def _names_in(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the tools in the members of a request, in the form of each API."""
    config = fields.get("toolConfig")
    tools = fields.get("tools") or (config.get("tools") if is_object(config) else None)
    for tool in tools if is_array(tools) else ():
        if is_array(declared := tool.get("functionDeclarations")):
            yield from (each["name"] for each in declared)
        else:
            yield (tool.get("function") or tool.get("toolSpec") or tool)["name"]
