"""LangChain: the tools of a run as `BaseTool`s, chat models as planners. Needs the extra `langchain`.

Approvals need `langgraph`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, cast

from pydantic import PrivateAttr

from toolgen.adapters.bridge import Bridge, typed_result
from toolgen.agents.model_planner import ModelPlanner
from toolgen.contract.extras import MissingExtra
from toolgen.providers.apis import anthropic, bedrock, gemini, openai_chat, openai_responses
from toolgen.providers.apis.response_json import reason_for
from toolgen.runtime.base.background_loop import BackgroundLoop
from toolgen.runtime.base.processes import ForkSafeLock
from toolgen.runtime.policy.approval import decision_of
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.schema.json_values import compact_json, is_object

try:
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import RunnableConfig  # noqa: TC002  # LangChain reads the annotations
    from langchain_core.tools import BaseTool, ToolException
except ImportError as error:
    raise MissingExtra("tools for LangChain need langchain-core", "langchain") from error

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from toolgen.adapters.bridge import AdaptedCall
    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm.presentations.protocol import Presentation
    from toolgen.providers.protocol import Incomplete, OfferedTool
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.runs.run import Run

__all__ = ["planner", "tools", "typed_result"]

KEPT: Final = 1_000
"""Executions of nodes that are known, and nodes whose results are kept in case they are repeated, at most."""

KEPT_BYTES: Final = 2**24
"""Memory for results that are kept in case their nodes are repeated, at most; the oldest go."""

_ENTRY: Final = 1_000
"""Bytes that count for a kept result beside its texts."""

_STATE: Final = f"toolgen_state_{token_hex(8)}"
"""The arg in which a `ToolNode` passes on its state: no tool has it, and no model writes it."""

_PULLED: Final = "__pregel_pull"
"""What the path of a task begins with whose input is the state of its graph."""

_SEND, _CHECKPOINTER = "__pregel_send", "__pregel_checkpointer"
"""Where the configuration of a task has what takes its writes, and what keeps checkpoints."""

_ERROR, _RESUME = "__error__", "__resume__"
"""Where a task writes its failure, and the answers to its interrupts."""

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

    With `permission=ask_before_call`, calls that would ask interrupt the graph, which needs a checkpointer. The value
    of an interrupt has the open `questions`, each with its `id`; `Command(resume={id: decision, …})` answers them, some
    or all: a decision is True, False, a `Decision`, or `{"decision": …, "reason": …}`; a denial may have a `proposal`.
    Where several tasks of a graph ask at once, LangGraph wants such answers by the id of their interrupt. An answer
    that names no open question, and a proposal that does not fit the tool, is refused: the graph is interrupted again,
    and `refused` says why. Outside of a graph such a call is denied. A failure is a `ToolMessage` with
    `status="error"`; the typed value of a result is `typed_result(runtime, message.artifact)`, also after a checkpoint.

    A graph repeats a node that was interrupted. A `ToolNode` makes none of its calls before all of them are answered,
    so none is made twice, in this process or another one. Any other node that makes several calls makes those before
    the question, or before a failure, again, unless this process has their results: those of calls that took effect or
    may have, by the task, the user, the session, the id of the call and the args, until the task has succeeded.

    Sync calls run in one event loop, in a thread of its own, which ends with the tools or the process: they share its
    connections, and may be made where another loop runs.

    Raises ValueError for a presentation whose list of tools changes, because a model is bound to its tools once.
    """
    bridge = Bridge(runtime, run, meta, presentation, lists_once=True)
    calls = _Calls(bridge)
    return [RunTool.of(calls, tool) for tool in bridge.tools]


class RunTool(BaseTool):
    """One tool of a run. `tools` makes it. Sync calls run in one event loop, that of all tools it was made with."""

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True
    _calls: _Calls = PrivateAttr()

    @classmethod
    def of(cls, calls: _Calls, tool: OfferedTool) -> RunTool:
        """Return a tool whose calls are made by `calls`."""
        metadata = {"ident": tool.ident, "permission": tool.permission, "tags": sorted(tool.tags)}
        args: dict[str, Any] = {"properties": {}, **tool.args}
        made_tool = cls(name=tool.name, description=tool.description, args_schema=args, metadata=metadata)
        made_tool._calls = calls
        return made_tool

    @property
    def func(self) -> Callable[..., None] | None:
        """What a `ToolNode` reads to find out that the tool wants its state; None where there is no LangGraph."""
        node = sys.modules.get("langgraph.prebuilt.tool_node")
        if node is None:
            return None

        def wants() -> None: ...

        wants.__annotations__ = {_STATE: node.ToolRuntime}
        return wants

    def _filter_injected_args(self, tool_input: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in super()._filter_injected_args(tool_input).items() if name != _STATE}

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (tool_input, tool_call_id or ""), {}  # the names of args are the tool's own

    def _run(self, tool_input: dict[str, Any], tool_call_id: str, config: RunnableConfig) -> tuple[Any, Any]:
        return self._calls.loop.run(self._arun(tool_input, tool_call_id, config))

    async def _arun(self, tool_input: dict[str, Any], tool_call_id: str, config: RunnableConfig) -> tuple[Any, Any]:
        node = tool_input.get(_STATE)
        is_node = hasattr(node, "tool_call_id")
        args = {name: value for name, value in tool_input.items() if name != _STATE} if is_node else tool_input
        answer = _answer_of_node(node) if is_node else None
        siblings = _calls_of_node(answer, config)
        incomplete = None if answer is None else _incomplete(answer)
        call = _Call(self.name, compact_json(args), tool_call_id)
        outcome = await self._calls.make(call, siblings, config, incomplete)
        if outcome.is_error:
            raise ToolException(outcome.text)
        return outcome.text, outcome.artifact


class _Answer(NamedTuple):
    """What a message has of the outcome of a call."""

    text: str
    is_error: bool
    artifact: dict[str, str] | None

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return _ENTRY + sum(map(sys.getsizeof, (self.text, *(self.artifact or {}).values())))


class _Call(NamedTuple):
    """A call as a task of a graph has it. `place` tells it from equal ones of the task, which are numbered from 0."""

    name: str
    payload: str
    call_id: str
    place: int = 0


class _Calls:
    """Makes the calls of the tools of one run."""

    def __init__(self, bridge: Bridge[RunnableConfig]) -> None:
        self._bridge = bridge
        self._names = {tool.name for tool in bridge.tools}
        self.loop = BackgroundLoop()
        self.kept = _KeptAnswers()

    async def make(
        self, call: _Call, siblings: Sequence[_Call], config: RunnableConfig, incomplete: Incomplete | None = None
    ) -> _Answer:
        """Make a call once it and its siblings, the calls that its node makes at the same time, are answered.

        No call of an `incomplete` answer is made.
        """
        execution = _execution_of(config)
        if execution is None or incomplete is not None:
            read = await self._bridge.read(call.name, call.payload, call.call_id, config, incomplete=incomplete)
            return (await self._made(read, None if read.question is None else _NO_GRAPH))[0]
        call = execution.numbered(call)
        together = tuple(each for each in siblings if each.name in self._names)
        read, decision = (await self._answered(execution, together if call in together else (call,), config))[call]
        if not self._bridge.may_call(read):  # not even if it was made before
            return (await self._made(read, decision))[0]
        return await self.kept.once(execution, read.identity, partial(self._made, read, decision))

    async def _made(self, read: AdaptedCall, decision: PermissionDecision | None) -> tuple[_Answer, bool]:
        """Make a call. Returns also whether it may have taken effect."""
        outcome = await self._bridge.make(read, decision)
        return _Answer(outcome.text, outcome.is_error, outcome.artifact), self._bridge.may_have_run(outcome)

    async def _answered(self, execution: _Execution, calls: tuple[_Call, ...], config: RunnableConfig) -> _Answered:
        """Return calls with what was decided about them. The first of them that comes asks about all."""
        asking: Future[_Answered] = _begun()
        known = execution.groups.setdefault((id(self), calls), asking)
        if known is asking:
            try:
                asking.set_result(await self._ask(execution, calls, config))
            except BaseException as error:  # who waits for the same answers gets it too; raised again
                asking.set_exception(error)
                raise
        return await asyncio.wrap_future(known)

    async def _ask(self, execution: _Execution, calls: Sequence[_Call], config: RunnableConfig) -> _Answered:
        read: dict[_Call, AdaptedCall] = {}
        for call in calls:
            scope = f"{execution.scope}:{call.place}"
            call_id = call.call_id or f"call_{sha256(repr((scope, call)).encode()).hexdigest()[:16]}"
            read[call] = await self._bridge.read(call.name, call.payload, call_id, config, scope)
        decisions = execution.ask([each for each in read.values() if each.asks])
        return {call: (each, decisions.get(each.question_id)) for call, each in read.items()}


def _begun() -> Future[Any]:
    """Return a future that who waits for it cannot cancel: others wait for it too."""
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    return future


class _KeptAnswers:
    """Answers to calls of tasks that may be repeated, because they are interrupted or fail: no call is made twice.

    Answers to calls that did nothing are not kept. Those of a task go with the first call after its end, or with those
    of the oldest tasks, beyond `KEPT_BYTES`.
    """

    def __init__(self) -> None:
        self.tasks: OrderedDict[str, _Task] = OrderedDict()
        self._lock = ForkSafeLock()

    async def once(
        self, execution: _Execution, call: str, make: Callable[[], Awaitable[tuple[_Answer, bool]]]
    ) -> _Answer:
        """Return the answer to a call of a task; `make` makes it, and returns also whether it may have taken effect."""
        making: Future[_Answer] = _begun()
        with self._lock:
            answers = self._answers_of(execution)
            known = answers.setdefault(call, making)
        if known is not making:
            return await asyncio.wrap_future(known)
        keeps = False
        try:
            answer, keeps = await make()
            making.set_result(answer)
        except BaseException as error:  # who waits for the same call gets it too; raised again
            making.set_exception(error)
            raise
        finally:
            with self._lock:
                if not keeps:
                    del answers[call]
                self._drop_oldest()
        return answer

    def _answers_of(self, execution: _Execution) -> dict[str, Future[_Answer]]:
        """Return the answers of a task, after those of tasks that have ended are dropped."""
        for scope in [scope for scope, task in self.tasks.items() if task.progress.has_ended]:
            del self.tasks[scope]
        task = self.tasks.setdefault(execution.scope, _Task(execution.progress))
        task.progress = execution.progress
        self.tasks.move_to_end(execution.scope)
        return task.answers

    def _drop_oldest(self) -> None:
        left = sum(task.size for task in self.tasks.values())
        while left > KEPT_BYTES or len(self.tasks) > KEPT:
            _, dropped = self.tasks.popitem(last=False)
            left -= dropped.size


@dataclass(slots=True)
class _Task:
    """A task of a graph: how far its last execution is, and answers to its calls."""

    progress: _Progress
    answers: dict[str, Future[_Answer]] = field(default_factory=dict[str, "Future[_Answer]"])

    @property
    def size(self) -> int:
        return sum(each.result().size for each in [*self.answers.values()] if each.done() and not each.exception())


_Answered: TypeAlias = "dict[_Call, tuple[AdaptedCall, PermissionDecision | None]]"


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a task is, by what it has written; None where LangGraph does not tell."""

    writes: deque[tuple[str, Any]] | None
    is_resumable: bool

    @classmethod
    def of(cls, configurable: Mapping[str, Any]) -> _Progress:
        """Return the progress of the task with a configuration."""
        writes = getattr(configurable.get(_SEND), "__self__", None)
        is_resumable = configurable.get(_CHECKPOINTER, True) is not None
        return cls(cast("deque[tuple[str, Any]]", writes) if isinstance(writes, deque) else None, is_resumable)

    @property
    def is_over(self) -> bool:
        """Whether the task has written what it ends with: results, that there are none, or its failure."""
        return bool(self._channels - {_RESUME})

    @property
    def has_ended(self) -> bool:
        """Whether nothing repeats the task: it has succeeded, or failed in a graph without checkpoints."""
        return self.is_over and not (self.is_resumable and _ERROR in self._channels)

    @property
    def _channels(self) -> set[str]:
        return {channel for channel, _ in self.writes.copy()} if self.writes else set()


class _Execution:
    """One execution of a task of a graph: what it asks, and which answers it was given.

    LangGraph gives the answers of a task in their order, to whatever asks next. So all are read here, and an answer
    counts for the question that it names.
    """

    def __init__(self, scope: str, progress: _Progress) -> None:
        self.scope = scope
        self.progress = progress
        self.is_interrupted = False
        self.groups: dict[tuple[int, tuple[_Call, ...]], Future[_Answered]] = {}
        self._places: Counter[_Call] = Counter()
        self._asked: set[str] = set()
        self._decisions: dict[str, PermissionDecision] = {}
        self._lock = ForkSafeLock()

    def numbered(self, call: _Call) -> _Call:
        """Return a call with its place among equal ones: each is a call of its own, with a question of its own."""
        with self._lock:
            self._places[call] += 1
            return call._replace(place=self._places[call] - 1)

    def ask(self, calls: Sequence[AdaptedCall]) -> dict[str, PermissionDecision]:
        """Return the decisions about calls, by the ids of their questions; interrupt the graph while one is open."""
        questions = [each.question_data() for each in calls]
        try:
            from langgraph.types import interrupt
        except ImportError:
            return {question["id"]: _NO_GRAPH for question in questions}
        with self._lock:
            self._asked.update(question["id"] for question in questions)
            refused = self._check_proposals(calls)
            while open_ := [question for question in questions if question["id"] not in self._decisions]:
                try:
                    value = interrupt({"questions": open_, **({"refused": refused} if refused else {})})
                except (KeyError, RuntimeError):  # no graph runs here
                    return {question["id"]: _NO_GRAPH for question in questions}
                except Exception:  # the interrupt
                    self.is_interrupted = True
                    raise
                refused = "; ".join(filter(None, (self._take(value), self._check_proposals(calls))))
            return {question["id"]: self._decisions[question["id"]] for question in questions}

    def _check_proposals(self, calls: Sequence[AdaptedCall]) -> str:
        """Forget denials whose proposals do not fit their tools; return why, empty if there are none."""
        refused: list[str] = []
        for call in calls:
            decision = self._decisions.get(call.question_id)
            if decision is not None and (problem := call.proposal_problem(decision)):
                del self._decisions[call.question_id]
                refused.append(f"{call.question_id}: {problem}")
        return "; ".join(refused)

    def _take(self, value: Any) -> str:
        """Keep the decisions of an answer; return why it was refused, empty if it was not.

        The first decision about a question counts. One about a question that no call has asked yet is kept for it: the
        calls of a task may come in another order when it is repeated.
        """
        if not is_object(value) or not value:
            return "an answer is an object of decisions by the ids of their questions, such as {'q_…': True}"
        unknown = [str(key) for key in value if key not in self._asked]
        again = [str(key) for key in value if key in self._decisions]
        for key, answer in value.items():
            self._decisions.setdefault(key, decision_of(answer))
        if unknown:
            return f"no call of this node asks {', '.join(unknown)}: an answer names the id of an open question"
        return f"{', '.join(again)} was answered before, and the first answer counts" if again else ""


_executions: Final[OrderedDict[tuple[object, ...], _Execution]] = OrderedDict()
_executions_lock: Final = ForkSafeLock()


def _execution_of(config: RunnableConfig) -> _Execution | None:
    """Return the execution of the task that makes a call; None outside of a graph.

    The id of a call does not identify it: some APIs number the calls of each answer from 0.
    """
    configurable = config.get("configurable", {})
    namespace = configurable.get("checkpoint_ns", "")
    if not namespace or "langgraph.runtime" not in sys.modules:
        return None
    from langgraph.runtime import get_runtime

    try:
        runtime: Any = get_runtime()
    except (KeyError, RuntimeError):  # no graph runs here
        return None
    info = getattr(runtime, "execution_info", None)
    if info is None:
        return None
    scope = json.dumps([str(configurable.get("thread_id", "")), namespace])
    key = (scope, info.node_first_attempt_time, info.node_attempt)
    with _executions_lock:
        if key not in _executions:
            over = [old for old, each in _executions.items() if each.is_interrupted or each.progress.is_over]
            for old in over:
                del _executions[old]
            _executions[key] = _Execution(scope, _Progress.of(configurable))
            while len(_executions) > KEPT:
                _executions.popitem(last=False)
        return _executions[key]


def _answer_of_node(node: Any) -> AIMessage | None:
    """Return the last answer of the model in the state of a `ToolNode`."""
    state = node.state
    messages = state.get("messages", ()) if is_object(state) else getattr(state, "messages", state)
    return next((each for each in reversed(list(messages)) if isinstance(each, AIMessage)), None)


def _calls_of_node(answer: AIMessage | None, config: RunnableConfig) -> list[_Call]:
    """Return the calls that a `ToolNode` makes at the same time, by the answer; none if that has those of other tasks.

    A task that was sent its calls (`Send`) has the state of the whole graph.
    """
    path = config.get("metadata", {}).get("langgraph_path", ())
    if answer is None or not path or path[0] != _PULLED:
        return []
    found: list[_Call] = []
    for each in answer.tool_calls:
        call = _Call(each["name"], compact_json(each["args"]), each["id"] or "")
        found.append(call._replace(place=sum(other[:3] == call[:3] for other in found)))
    return found


_INCOMPLETE: Final[Mapping[Any, Incomplete]] = {
    **openai_responses.INCOMPLETE,
    **gemini.INCOMPLETE,
    **bedrock.INCOMPLETE,
    **anthropic.INCOMPLETE,
    **openai_chat.INCOMPLETE,
}
"""LangChain leaves the reason for the end of an answer as the API has it."""


def _incomplete(answer: AIMessage) -> Incomplete | None:
    """Return why an answer is incomplete. LangChain completes args that were cut off to JSON, where it can."""
    about: Mapping[str, Any] = answer.response_metadata
    details = about.get("incomplete_details")
    reasons = [about.get(name) for name in ("finish_reason", "stop_reason", "stopReason", "done_reason")]
    reasons.append(details.get("reason") if is_object(details) else None)
    return next((_INCOMPLETE[each] for each in reasons if isinstance(each, str) and each in _INCOMPLETE), None)


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
    incomplete = _incomplete(answer)
    ended = {"finish_reason": reason_for(incomplete, openai_chat.INCOMPLETE)} if incomplete else {}
    return {"choices": [{"message": message, **ended}], "usage": usage}
