"""OpenAI Agents: the tools of a run as tools of an `Agent`, and models as planners. Needs the extra `openai-agents`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.adapters.bridge import Bridge, denial_message
from toolgen.agents.model_planner import ModelPlanner
from toolgen.contract.extras import MissingExtra
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import compact_json

try:
    from agents import FunctionTool, ModelSettings, ModelTracing, RunContextWrapper
except ImportError as error:
    raise MissingExtra("tools for OpenAI Agents need it", "openai-agents") from error

if TYPE_CHECKING:
    from agents import AgentBase, Model
    from agents.tool_context import ToolContext

    from toolgen.adapters.bridge import AdaptedCall
    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm.presentations.protocol import Presentation
    from toolgen.providers.protocol import OfferedTool
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.runs.run import Run

_ALLOWED = PermissionDecision(decision=Decision.ALLOW_ONCE)

Asked: TypeAlias = dict[str, tuple[str, str, str]]
"""Calls that wait for an approval: their tools, args and ids, by the ids of their questions."""

__all__ = ["denial_message", "planner", "tools"]

KEPT: Final = 1_000
"""Calls that wait for an approval and are known, at most; a rejection of an older one is not on record."""

KEPT_CHARACTERS: Final = 2**24
"""Characters of the args of these calls, at most."""


def tools(
    runtime: Runtime,
    run: Run,
    *,
    meta: Callable[[RunContextWrapper[Any]], ToolCallMeta] | None = None,
    presentation: Presentation | None = None,
) -> list[FunctionTool]:
    """Return the tools of a run: `Agent(name=…, tools=tools(runtime, run))`.

    `meta` returns the user and session of a call by its `RunContextWrapper`, such as
    `lambda ctx: ToolCallMeta(user=ctx.context.user)`; ids that it leaves out are those of the run. `presentation` is
    how the tools are shown (`ToolUse.presentation`): all of them, or `universal-category`.

    With `permission=ask_before_call`, a call that would ask is an interruption of the agent's run; `state.approve`
    allows that call once. With `always_approve` it does so where no other call of the tool waits: the SDK does not keep
    which one was approved, and forgets what was rejected, so of several none is made. Nor is a later one, about which
    nobody was asked. A rejection, whose message may be a `denial_message` with a proposal, goes on record with the next
    request to the model, if the same tools asked: those of another process do not know the call. A failure is text for
    the model.

    Raises ValueError for a presentation whose list of tools changes, because an agent lists its tools once.
    """
    bridge = Bridge(runtime, run, meta, presentation, lists_once=True)
    asked: Asked | None = {} if runtime.permission is ask_before_call else None
    return [_function_tool(bridge, tool, asked) for tool in bridge.tools]


def _function_tool(bridge: Bridge[RunContextWrapper[Any]], tool: OfferedTool, asked: Asked | None) -> FunctionTool:
    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=dict(tool.args),
        on_invoke_tool=partial(_invoke, bridge, asked, tool.name),
        strict_json_schema=False,
        needs_approval=False if asked is None else partial(_needs_approval, bridge, asked, tool.name),
        is_enabled=True if asked is None else partial(_record_rejections, bridge, asked),
    )


async def _needs_approval(
    bridge: Bridge[RunContextWrapper[Any]],
    asked: Asked,
    name: str,
    ctx: RunContextWrapper[Any],
    args: dict[str, Any],
    call_id: str,
) -> bool:
    payload = compact_json(args)
    call = await bridge.read(name, payload, call_id, ctx)
    if not call.asks:
        return False
    asked[call.question_id] = (name, payload, call_id)
    while len(asked) > KEPT or sum(len(args) for _, args, _ in asked.values()) > KEPT_CHARACTERS:
        del asked[next(iter(asked))]
    return True


async def _record_rejections(
    bridge: Bridge[RunContextWrapper[Any]], asked: Asked, ctx: RunContextWrapper[Any], _agent: AgentBase[Any]
) -> bool:
    """Record what was rejected since it was asked about. The SDK asks before each request whether a tool is enabled."""
    for question, (name, payload, call_id) in list(asked.items()):
        if ctx.is_tool_approved(name, call_id) is not False:
            continue
        # Another user may have asked about a call with this id, which is still open.
        is_own = (await bridge.read(name, payload, call_id, ctx)).question_id == question
        if is_own and asked.pop(question, None) is not None:
            reason = ctx.get_rejection_message(name, call_id) or "the call was rejected"
            await bridge.record_denial(name, payload, call_id, ctx, reason)
    return True


async def _invoke(
    bridge: Bridge[RunContextWrapper[Any]], asked: Asked | None, name: str, ctx: ToolContext[Any], args: str
) -> str:
    call = await bridge.read(name, args, ctx.tool_call_id, ctx)
    is_allowed = call.question is not None and await _is_allowed(bridge, asked, call, name, ctx)
    return (await bridge.make(call, _ALLOWED if is_allowed else None)).text


async def _is_allowed(
    bridge: Bridge[RunContextWrapper[Any]], asked: Asked | None, call: AdaptedCall, name: str, ctx: ToolContext[Any]
) -> bool:
    """Whether the person was asked about this call, and allowed it.

    The SDK binds an approval to the id and the args of a call. Where another process has asked, that is all that is
    known. An approval of all calls of a tool does not say which one it answers, and takes back earlier rejections: it
    counts for a call that was asked about alone.
    """
    if ctx.is_tool_approved(name, ctx.tool_call_id) is not True:
        return False
    asked = {} if asked is None else asked
    if ctx.is_tool_approved(name, f"no call {token_hex(8)}") is not True:
        asked.pop(call.question_id, None)
        return True
    answered = await _not_rejected(bridge, asked, name, ctx)
    for question in answered:
        asked.pop(question, None)
    return answered == {call.question_id}


async def _not_rejected(
    bridge: Bridge[RunContextWrapper[Any]], asked: Asked, name: str, ctx: ToolContext[Any]
) -> set[str]:
    """Return the questions of a user about calls of a tool, without those that were rejected."""
    of_tool = [(question, args, call_id) for question, (tool, args, call_id) in asked.items() if tool == name]
    return {
        question
        for question, args, call_id in of_tool
        if ctx.is_tool_approved(name, call_id) is not False
        and (await bridge.read(name, args, call_id, ctx)).question_id == question
    }


def planner(model: Model, settings: ModelSettings | None = None) -> ModelPlanner:
    """Return a planner that asks a model of the SDK, such as `OpenAIResponsesModel`, once for each step.

    An `Agent` cannot be a planner: its `Runner` makes the calls itself. Requests are not traced by the SDK.
    """

    async def ask(messages: list[dict[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
        items: Any = messages
        response = await model.get_response(
            request.get("instructions"),
            items,
            ModelSettings() if settings is None else settings,
            [_offered(tool) for tool in request.get("tools", ())],
            None,
            [],
            ModelTracing.DISABLED,
            previous_response_id=None,
            conversation_id=None,
            prompt=None,
        )
        usage = {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
        return {"output": response.to_input_items(), "usage": usage}

    return ModelPlanner(ask, "openai-responses")


def _offered(tool: Mapping[str, Any]) -> FunctionTool:
    return FunctionTool(
        name=tool["name"],
        description=tool["description"],
        params_json_schema=tool["parameters"],
        on_invoke_tool=_not_here,
        strict_json_schema=False,
    )


async def _not_here(ctx: ToolContext[Any], _args: str) -> str:
    raise RuntimeError(f"{ctx.tool_name} is called by the runtime, not by the model's SDK")
