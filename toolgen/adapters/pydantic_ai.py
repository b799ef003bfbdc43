"""pydantic-ai: the tools of a run as a toolset of an `Agent`, and models as planners. Needs the extra `pydantic-ai`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic_core import SchemaValidator, core_schema

from toolgen.adapters.bridge import Bridge, denial_message, typed_result
from toolgen.agents.model_planner import ModelPlanner
from toolgen.contract.extras import MissingExtra
from toolgen.providers.apis.openai_chat import INCOMPLETE
from toolgen.runtime.policy.approval import decision_of
from toolgen.schema.json_values import compact_json, is_object

try:
    from pydantic_ai.direct import model_request
    from pydantic_ai.exceptions import ApprovalRequired, ModelRetry, ToolFailed
    from pydantic_ai.messages import (
        InstructionPart,
        ModelMessagesTypeAdapter,
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturn,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import AgentDepsT, RunContext, ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
except ImportError as error:
    raise MissingExtra("tools for pydantic-ai need it", "pydantic-ai") from error

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import KnownModelName, Model
    from pydantic_ai.settings import ModelSettings

    from toolgen.adapters.bridge import AdaptedCall
    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm.presentations.protocol import Presentation
    from toolgen.providers.protocol import OfferedTool
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.runs.run import Run

_KeyT = TypeVar("_KeyT")
_ValueT = TypeVar("_ValueT")

__all__ = ["denial_message", "planner", "toolset", "typed_result"]

_ANY_ARGS: Final = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""The runtime validates the args by their schema, and says more about what is wrong."""


KEPT: Final = 1_000
"""Denials that are known to be on record, and questions that are known to be open, at most."""


def toolset(
    runtime: Runtime,
    run: Run,
    *,
    meta: Callable[[RunContext[AgentDepsT]], ToolCallMeta] | None = None,
    presentation: Presentation | None = None,
    id: str | None = None,  # noqa: A002  # the name that pydantic-ai has for it
) -> RunToolset[AgentDepsT]:
    """Return the tools of a run as a toolset: `Agent(model, toolsets=[toolset(runtime, run)])`.

    `meta` returns the user and session of a call by its `RunContext`, such as
    `lambda ctx: ToolCallMeta(user=ctx.deps.user)`; ids that it leaves out are those of the run. `presentation` is how
    the tools are shown (`ToolUse.presentation`); by default every tool of the run is in the list.

    With `permission=ask_before_call`, a call that would ask becomes a deferred one (`ApprovalRequired`): its question
    is in `DeferredToolRequests.metadata`. `ToolApproved` allows it once; metadata of the answer, such as `{"decision":
    "allow_for_session"}` or `{"decision": "deny", "reason": "…"}`, also with a `proposal`, is a decision of its own,
    and `{"question": id}` names the question that it answers. It must do so where the id of the call does not: with
    `override_args`, where a response has two calls of one id, and where another toolset or process asked: only the one
    that asked can tell that the call of the history is still the one that was asked about. An approval of another
    question, and a proposal that does not fit the tool, is refused: the call becomes a deferred one again, and
    `refused` in its metadata says why. A call with `ToolDenied` goes on record before the next request to the model. An
    invalid call is sent back as `ModelRetry`; any other failure is a `ToolFailed`, which uses up no retries. The typed
    value of a result is `typed_result(runtime, part.metadata)` of its `ToolReturnPart`, also of a stored one.
    """
    return RunToolset(Bridge(runtime, run, meta, presentation), id)


class RunToolset(AbstractToolset[AgentDepsT]):
    """The tools of one run. `toolset` makes it."""

    def __init__(self, bridge: Bridge[RunContext[AgentDepsT]], own_id: str | None) -> None:
        self._bridge = bridge
        self._id = own_id
        self._recorded: OrderedDict[tuple[str | None, int, str], None] = OrderedDict()
        self._asked: OrderedDict[tuple[str | None, str, str], str] = OrderedDict()

    @property
    def id(self) -> str | None:
        """The id that the toolset was given; durable execution needs one."""
        return self._id

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> InstructionPart | None:
        """Return what the presentation adds to the system prompt."""
        prompt = self._bridge.prompt
        return InstructionPart(content=prompt, dynamic=True) if prompt else None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools that the next request shows. Calls that were denied since the last one go on record."""
        await self._record_denials(ctx)
        return {
            tool.name: ToolsetTool(
                toolset=self, tool_def=_definition(tool), max_retries=ctx.max_retries, args_validator=_ANY_ARGS
            )
            for tool in self._bridge.tools
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Make a call. Raises `ApprovalRequired`, `ModelRetry` and `ToolFailed`, as pydantic-ai has them."""
        payload = compact_json(tool_args)
        responses = [message for message in ctx.messages if isinstance(message, ModelResponse)]
        scope = f"response {len(responses)}"
        reason = responses[-1].finish_reason if responses else None
        incomplete = INCOMPLETE.get(reason or "")
        call = await self._bridge.read(name, payload, ctx.tool_call_id or "", ctx, scope, incomplete)
        answer = ctx.tool_call_metadata
        is_plain = answer is None or (is_object(answer) and answer.keys() == {"question"})
        decision = decision_of(True if is_plain else answer)
        if call.asks:
            slot = call.meta.user, scope, ctx.tool_call_id or ""
            asked = self._asked.pop(slot, "")
            refused = _refused(call, payload, responses, ctx, asked) if ctx.tool_call_approved else ""
            refused = refused or call.proposal_problem(decision)
            if refused or not ctx.tool_call_approved:
                _keep(self._asked, slot, call.question_id)
                raise ApprovalRequired(metadata={**call.question_data(), **({"refused": refused} if refused else {})})
        outcome = await self._bridge.make(call, decision if ctx.tool_call_approved else None)
        if outcome.is_error:
            raise ModelRetry(outcome.text) if outcome.is_invalid else ToolFailed(outcome.text)
        return ToolReturn(outcome.data, metadata=outcome.artifact)

    async def _record_denials(self, ctx: RunContext[AgentDepsT]) -> None:
        """Record the calls that the last message denies: the framework has answered them itself."""
        names = {tool.name for tool in self._bridge.tools}
        last = ctx.messages[-1] if ctx.messages else None
        parts = last.parts if isinstance(last, ModelRequest) else ()
        denied = [part for part in parts if isinstance(part, ToolReturnPart) and part.outcome == "denied"]
        new = [part for part in denied if part.tool_name in names and self._is_new(part, ctx)]
        if not new:
            return
        calls = {
            part.tool_call_id: part
            for message in ctx.messages
            if isinstance(message, ModelResponse)
            for part in message.parts
            if isinstance(part, ToolCallPart)
        }
        for part in new:
            if call := calls.get(part.tool_call_id):
                args, reason = call.args_as_json_str(), part.model_response_str()
                await self._bridge.record_denial(call.tool_name, args, call.tool_call_id, ctx, reason)

    def _is_new(self, part: ToolReturnPart, ctx: RunContext[AgentDepsT]) -> bool:
        """Whether a denial is not on record yet. Ids of calls may be equal in other runs, and in other responses."""
        key = ctx.run_id, len(ctx.messages), part.tool_call_id
        is_new = key not in self._recorded
        _keep(self._recorded, key, None)
        return is_new


def _refused(
    call: AdaptedCall, payload: str, responses: Sequence[ModelResponse], ctx: RunContext[Any], asked: str
) -> str:
    """Return why an approval is not one of this call; empty if it is.

    `asked` is the last question of this toolset about a call with this id: an approval that names no question is about
    that one, and not about the call that the history of the host has by now.
    """
    answer = ctx.tool_call_metadata
    if is_object(answer) and "question" in answer:
        is_same = answer["question"] == call.question_id
        return "" if is_same else f"{answer['question']!s:.50} is not the question that is open"
    parts = responses[-1].parts if responses else ()
    same = [part for part in parts if isinstance(part, ToolCallPart) and part.tool_call_id == ctx.tool_call_id]
    if len(same) != 1:
        return "the id of the call does not say which call is approved: name the question"
    if compact_json(same[0].args_as_dict()) != payload:
        return "the args are not those that were asked about: name the question about these"
    if not asked:
        return "this toolset has not asked about the call, as after a restart: name the question"
    return "" if asked == call.question_id else "the call is not the one that was asked about: name the question"


def _keep(kept: OrderedDict[_KeyT, _ValueT], key: _KeyT, value: _ValueT) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > KEPT:
        kept.popitem(last=False)


def _definition(tool: OfferedTool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=dict(tool.args),
        strict=False,
        sequential=not tool.is_readonly,
        metadata={"ident": tool.ident, "permission": tool.permission, "tags": sorted(tool.tags)},
    )


_OWN: Final = "pydantic_ai"
"""The member of a message of the assistant that has it as pydantic-ai does, with thoughts and their signatures."""


def planner(model: Model | KnownModelName | str, settings: ModelSettings | None = None) -> ModelPlanner:
    """Return a planner that asks a model of pydantic-ai, by `pydantic_ai.direct.model_request`.

    An `Agent` cannot be a planner: it makes the calls itself, and has no step of the model alone.
    """

    async def ask(messages: list[dict[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
        functions = [tool["function"] for tool in request.get("tools", ())]
        offered = [
            ToolDefinition(
                name=function["name"],
                description=function["description"],
                parameters_json_schema=function.get("parameters", {"type": "object", "properties": {}}),
                strict=False,
            )
            for function in functions
        ]
        parameters = ModelRequestParameters(function_tools=offered)
        answer = await model_request(
            model, _history(messages), model_settings=settings, model_request_parameters=parameters
        )
        return _response_of(answer)

    return ModelPlanner(ask)


def _history(messages: Sequence[Mapping[str, Any]]) -> list[ModelMessage]:
    """Return the messages of a chat completion as pydantic-ai has them: all between two responses are one request."""
    history: list[ModelMessage] = []
    names: dict[str, str] = {}
    parts: list[ModelRequestPart] = []
    for message in messages:
        if message["role"] == "assistant":
            history += [ModelRequest(parts=parts), _response(message)]
            names |= {call["id"]: call["function"]["name"] for call in message.get("tool_calls", ())}
            parts = []
        elif message["role"] == "tool":
            call_id = message["tool_call_id"]
            parts.append(ToolReturnPart(tool_name=names[call_id], content=message["content"], tool_call_id=call_id))
        else:
            part_of = SystemPromptPart if message["role"] == "system" else UserPromptPart
            parts.append(part_of(content=message["content"]))
    return [*history, ModelRequest(parts=parts)]


def _response(message: Mapping[str, Any]) -> ModelMessage:
    if _OWN in message:
        return ModelMessagesTypeAdapter.validate_python([message[_OWN]])[0]
    texts = [TextPart(content=message["content"])] if message.get("content") else []
    calls = [
        ToolCallPart(tool_name=call["function"]["name"], args=call["function"]["arguments"], tool_call_id=call["id"])
        for call in message.get("tool_calls", ())
    ]
    return ModelResponse(parts=[*texts, *calls])


def _response_of(answer: ModelResponse) -> dict[str, Any]:
    """Return the answer of a model as a chat completion."""
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in answer.parts
        if isinstance(part, ToolCallPart)
    ]
    text = "".join(part.content for part in answer.parts if isinstance(part, TextPart))
    (own,) = ModelMessagesTypeAdapter.dump_python([answer], mode="json")
    used = answer.usage
    usage = {"prompt_tokens": used.input_tokens, "completion_tokens": used.output_tokens}
    message = {"role": "assistant", "content": text, "tool_calls": calls, _OWN: own}
    return {"choices": [{"message": message, "finish_reason": answer.finish_reason}], "usage": usage}
