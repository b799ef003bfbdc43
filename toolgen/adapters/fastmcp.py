"""FastMCP: the tools of a run, mounted into a server of one's own. Needs `toolgen[fastmcp]`."""

from __future__ import annotations

from hashlib import sha256
from json import loads
from typing import TYPE_CHECKING, Any, Final

from pydantic import PrivateAttr

from toolgen.adapters.bridge import Bridge
from toolgen.runtime.policy.approval import decision_of
from toolgen.runtime.policy.permission import Decision
from toolgen.schema.json_values import compact_json, is_object

try:
    from fastmcp.server.dependencies import get_context
    from fastmcp.server.providers.base import Provider
    from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
    from mcp_types import (
        ElicitRequest,
        ElicitRequestFormParams,
        ElicitResult,
        InputRequiredResult,
        ToolAnnotations,
    )
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS
except ImportError as error:
    raise ImportError('tools for FastMCP need it: pip install "toolgen[fastmcp]"') from error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastmcp import Context, FastMCP

    from toolgen.contract.records import ToolCallMeta
    from toolgen.llm.presentations.protocol import Presentation
    from toolgen.providers.messages import OfferedTool
    from toolgen.runtime.calls.pipeline import Runtime
    from toolgen.runtime.policy.permission import PermissionDecision, PermissionRequest
    from toolgen.runtime.runs.run import Run

_KEY: Final = "decision"


def add_tools(
    server: FastMCP[Any],
    runtime: Runtime,
    run: Run,
    *,
    meta: Callable[[Context], ToolCallMeta] | None = None,
    presentation: Presentation | None = None,
) -> None:
    """Add the tools of a run to a FastMCP server, beside its own.

    `meta` returns the user and session of a call by its `Context`; ids that it leaves out are those of the run.
    `presentation` is how the tools are shown (`ToolUse.presentation`). The list is made for each request.

    With `permission=ask_before_call`, the person behind the client is asked: by elicitation, or in the revision
    2026-07-28 by an `input_required` result. A client that can do neither is denied. A failed call is a result with
    `isError`; the value of a successful one is its structured content, if its schema is that of an object.
    """
    server.add_provider(RunTools(Bridge(runtime, run, meta, presentation, provider="mcp")))


class RunTools(Provider):
    """The tools of one run. `add_tools` makes it."""

    def __init__(self, bridge: Bridge[Context]) -> None:
        super().__init__()
        self._bridge = bridge
        self._listed: tuple[object, list[Tool]] = (None, [])

    async def _list_tools(self) -> Sequence[Tool]:
        offered = self._bridge.tools
        if self._listed[0] is not offered:
            self._listed = offered, [RunTool.of(self._bridge, tool) for tool in offered]
        return self._listed[1]


class RunTool(Tool):
    """One tool of a run."""

    _bridge: Bridge[Context] = PrivateAttr()

    @classmethod
    def of(cls, bridge: Bridge[Context], tool: OfferedTool) -> RunTool:
        """Return a tool of the bridge."""
        made = cls(
            name=tool.name,
            title=tool.title or None,
            description=tool.description,
            parameters=dict(tool.args),
            output_schema=dict(tool.result) if _is_object_schema(tool.result) else None,
            annotations=ToolAnnotations(read_only_hint=tool.is_readonly),
        )
        made._bridge = bridge
        return made

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Make a call, after the person was asked where that is necessary."""
        context = get_context()
        call = await self._bridge.read(self.name, compact_json(arguments), "", context)
        decision = None
        if call.question is not None:
            asked = await _asked(context, call.question)
            if isinstance(asked, InputRequiredToolResult):
                return asked
            decision = asked
        outcome = await self._bridge.make(call, decision)
        is_structured = self.output_schema is not None and outcome.result is not None and not outcome.is_error
        value = loads(outcome.result.payload) if is_structured and outcome.result else None
        return ToolResult(content=outcome.text, structured_content=value, is_error=outcome.is_error)


def _is_object_schema(schema: Any) -> bool:
    return is_object(schema) and schema.get("type") == "object"


async def _asked(context: Context, question: PermissionRequest) -> PermissionDecision | InputRequiredToolResult:
    """Ask the person, or return the result that asks; in the latest revision the answer comes with another request."""
    request = context.request_context
    capabilities = None if request is None else request.session.client_capabilities
    if request is None or capabilities is None or capabilities.elicitation is None:
        return decision_of({_KEY: False, "reason": "the client cannot ask a person: it does not support elicitation"})
    form = ElicitRequestFormParams(message=_message(question), requested_schema=_form(question))
    if request.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return _decision(await context.session.elicit_form(form.message, form.requested_schema, context.request_id))
    of_question = sha256(repr((question.tool_name, question.arguments, question.meta.run_id)).encode()).hexdigest()
    if context.request_state == of_question and context.input_responses:
        return _decision(context.input_responses.get(_KEY))
    asks = InputRequiredResult(input_requests={_KEY: ElicitRequest(params=form)}, request_state=of_question)
    return InputRequiredToolResult(asks)


def _decision(answer: Any) -> PermissionDecision:
    if isinstance(answer, ElicitResult) and answer.action == "accept" and answer.content:
        return decision_of(answer.content.get(_KEY))
    return decision_of({_KEY: False, "reason": "the person did not allow it"})


def _message(question: PermissionRequest) -> str:
    return question.confirm or f"{question.tool_name} asks to run with {question.summary}"


def _form(question: PermissionRequest) -> dict[str, Any]:
    choices = [str(each) for each in Decision if question.scope is not None or each is not Decision.ALLOW_FOR_SESSION]
    decision = {"type": "string", "title": "Decision", "enum": choices}
    return {"type": "object", "properties": {_KEY: decision}, "required": [_KEY]}
