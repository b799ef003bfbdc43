"""LangChain and LangGraph: the tools of a run as `BaseTool`s, and chat models as planners.

Needs `toolgen[langchain]`, and for approvals `langgraph`.
"""

from __future__ import annotations

import asyncio
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import PrivateAttr

from toolgen.adapters.bridge import Bridge, CallOutcome
from toolgen.agents.model_planner import ModelPlanner
from toolgen.runtime.policy.approval import decision_of, question_data
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import compact_json

try:
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import RunnableConfig  # noqa: TC002  # LangChain reads the annotations
    from langchain_core.tools import BaseTool, ToolException
except ImportError as error:
    raise ImportError('tools for LangChain need langchain-core: pip install "toolgen[langchain]"') from error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from langchain_core.language_models import BaseChatModel

    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm.presentations.protocol import Presentation
    from toolgen.providers.messages import OfferedTool
    from toolgen.runtime.calls.pipeline import Runtime
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.runs.run import Run

KEPT: Final = 1_000
"""Results that are kept for nodes that are repeated, at most; the oldest is dropped."""

_NO_GRAPH = PermissionDecision(
    decision=Decision.DENY, reason="it needs an approval, and only a LangGraph graph can ask for one"
)


def tools(
    runtime: Runtime,
    run: Run,
    *,
    meta: Callable[[RunnableConfig], ToolCallMeta] | None = None,
    presentation: Presentation | None = None,
) -> list[BaseTool]:
    """Return the tools of a run: `model.bind_tools(tools(runtime, run))`, `ToolNode(tools(runtime, run))`.

    `meta` returns the user and session of a call by its `RunnableConfig`, such as
    `lambda config: ToolCallMeta(user=config.get("configurable", {})["user"])`; ids that it leaves out are those of the
    run. `presentation` is how the tools are shown (`ToolUse.presentation`): all of them, or `universal-category`.

    With `permission=ask_before_call`, a call that would ask interrupts the graph, which needs a checkpointer:
    `interrupt` has the question, and `Command(resume=…)` the decision: True, False, a `Decision`, or
    `{"decision": …, "reason": …}`. Outside of a graph such a call is denied. A failure is a `ToolMessage` with
    `status="error"`; the typed value of a result is its `artifact`.

    A graph repeats a node that was interrupted. A call of that node that has succeeded before is not made again: its
    result is kept, in this process, by the thread, the task of the graph and the id of the call.

    Raises ValueError for a presentation whose list of tools changes, because a model is bound to its tools once.
    """
    bridge = Bridge(runtime, run, meta, presentation, lists_once=True)
    made: dict[tuple[str, ...], CallOutcome] = {}
    return [RunTool.of(bridge, tool, made) for tool in bridge.tools]


class RunTool(BaseTool):
    """One tool of a run. `tools` makes it. A sync call runs in an event loop of its own."""

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True
    _bridge: Bridge[RunnableConfig] = PrivateAttr()
    _made: dict[tuple[str, ...], CallOutcome] = PrivateAttr()

    @classmethod
    def of(cls, bridge: Bridge[RunnableConfig], tool: OfferedTool, made: dict[tuple[str, ...], CallOutcome]) -> RunTool:
        """Return a tool of the bridge. `made` keeps the results of calls that succeeded."""
        metadata = {"ident": tool.ident, "permission": tool.permission, "tags": sorted(tool.tags)}
        args: dict[str, Any] = {"properties": {}, **tool.args}
        made_tool = cls(name=tool.name, description=tool.description, args_schema=args, metadata=metadata)
        made_tool._bridge, made_tool._made = bridge, made
        return made_tool

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (tool_input, tool_call_id or ""), {}  # the names of args are the tool's own

    def _run(self, tool_input: dict[str, Any], tool_call_id: str, config: RunnableConfig) -> tuple[Any, Any]:
        return asyncio.run(self._arun(tool_input, tool_call_id, config))

    async def _arun(self, tool_input: dict[str, Any], tool_call_id: str, config: RunnableConfig) -> tuple[Any, Any]:
        payload = compact_json(tool_input)
        task = _task_of(config)
        key = (*task, self.name, tool_call_id, payload)
        outcome = self._made.get(key)
        if outcome is None:
            call = await self._bridge.read(self.name, payload, tool_call_id, config)
            outcome = await self._bridge.make(call, None if call.question is None else _asked(call.question))
            if task and tool_call_id and not outcome.is_error:
                self._made[key] = outcome
                if len(self._made) > KEPT:
                    del self._made[next(iter(self._made))]
        if outcome.is_error:
            raise ToolException(outcome.text)
        return outcome.text, outcome.result.value if outcome.result else None


def _task_of(config: RunnableConfig) -> tuple[str, ...]:
    """Return what identifies the task of a graph that makes a call, also when it is repeated; empty outside of one.

    The id of a call does not: some APIs number the calls of each answer from 0.
    """
    configurable = config.get("configurable", {})
    namespace = configurable.get("checkpoint_ns", "")
    return (str(configurable.get("thread_id", "")), namespace) if namespace else ()


def _asked(question: PermissionRequest) -> PermissionDecision:
    """Interrupt the graph with a question; return the decision once it is resumed."""
    try:
        from langgraph.types import interrupt
    except ImportError:
        return _NO_GRAPH
    try:
        answer = interrupt(question_data(question))
    except (KeyError, RuntimeError):  # no graph runs here
        return _NO_GRAPH
    return decision_of(answer)


_OWN: Final = "langchain"
"""The member of a message of the assistant that has it as LangChain does, with thoughts and their signatures."""


def planner(model: BaseChatModel) -> ModelPlanner:
    """Return a planner that asks a chat model, by `bind_tools` and `ainvoke`.

    A LangGraph graph cannot be a planner: it makes the calls itself.
    """

    async def ask(messages: list[dict[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
        offered = request.get("tools", [])
        bound = model.bind_tools(offered) if offered else model
        sent = [AIMessage.model_validate(message[_OWN]) if _OWN in message else message for message in messages]
        return _response_of(await bound.ainvoke(sent))

    return ModelPlanner(ask)


def _response_of(answer: AIMessage) -> dict[str, Any]:
    """Return the answer of a model as a chat completion. Args that are no JSON stay text, which the runtime rejects."""
    for call in (*answer.tool_calls, *answer.invalid_tool_calls):
        call["id"] = call["id"] or f"call_{token_hex(8)}"
    calls = [(call["id"], call["name"], compact_json(call["args"])) for call in answer.tool_calls]
    calls += [(call["id"], call["name"] or "", call["args"] or "") for call in answer.invalid_tool_calls]
    asked = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": args}}
        for call_id, name, args in calls
    ]
    own = answer.model_dump(mode="json", exclude_none=True)
    message = {"role": "assistant", "content": str(answer.text), "tool_calls": asked, _OWN: own}
    used = answer.usage_metadata
    usage = {"prompt_tokens": used["input_tokens"], "completion_tokens": used["output_tokens"]} if used else {}
    return {"choices": [{"message": message}], "usage": usage}
