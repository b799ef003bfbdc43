"""universal-category: a few wrappers, with which a model lists, describes and invokes all actions by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.actions import ArgsNotMapped, UnknownActionError
from toolgen.contract.records import ContentBlock, FailureKind, MalformedRequest
from toolgen.llm.actions.listing import ARGS_HINT, HINT, action_categories, missing, unknown_action, unmappable
from toolgen.llm.presentations.protocol import (
    RequestedCall,
    ToolListing,
    answer,
    answer_json,
    answer_unknown,
    answered,
    interpreted,
    is_offered,
    malformed,
    not_offered,
    request,
    run_calls,
    text_of,
)
from toolgen.providers.protocol import OfferedTool
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.calls.result import error_text
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.codec_source import CodecSource
from toolgen.runtime.issues.issue_text import described, issue, listed
from toolgen.runtime.redact.call_secrets import hide_issue, secrets_of_call, secrets_of_schema
from toolgen.schema.json_values import compact_json, is_object
from toolgen.spec.builtin import DESCRIBE, LIST, SEARCH

if TYPE_CHECKING:
    from toolgen.contract.records import Issue, ToolError, ToolRequest, ToolResult
    from toolgen.llm.actions.view import ActionEntry, ActionView
    from toolgen.llm.presentations.protocol import PresentationOps, Turn
    from toolgen.providers.protocol import CallAnswer, ModelReply

INVOKE: Final = "invoke_action"
WRAPPERS: Final = (LIST, DESCRIBE, INVOKE, SEARCH)
"""All tools that are ever listed, in this order."""

_OF_NAMES: Final = ("action_name", "category", "query")
"""Arguments of the wrappers by which actions are found."""

_OTHER_HINT: Final = f"Send what the schema of this tool says; {LIST}(category=[...]) needs nothing else."

_SUGGESTED: Final = 5
"""Maximum number of unknown actions of one turn for which similar names are searched."""

_FIELDS: Final = 10
"""Maximum number of fields beside `args` that are named."""

_INVOKE_TOOL: Final = OfferedTool(
    name=INVOKE,
    description="Run one action with args that fit its input schema.",
    args={
        "type": "object",
        "properties": {
            "action_name": {"type": "string", "description": f"A name from {LIST}."},
            "args": {"type": "object", "description": "The args of the action."},
        },
        "required": ["action_name"],
        "additionalProperties": False,
    },
)


class UniversalCategory:
    """Lists only the wrappers: the request does not grow with the catalog."""

    def __init__(
        self,
        view: ActionView,
        discovery: Mapping[str, OfferedTool],
        tier: str = "",
        note: Callable[[str], None] | None = None,
    ) -> None:
        """`discovery` are the wrapped tools, by name; `note` is called with each action that was used."""
        self._view = view
        self._discovery = {name: discovery[name] for name in WRAPPERS if name in discovery}
        self._tier = tier
        self._note_use = note

    def noting(self, note: Callable[[str], None]) -> UniversalCategory:
        """Return the same presentation with a callback for used actions."""
        self.build_presentation()
        other = copy(self)
        other._note_use = note  # noqa: SLF001  # a copy of the same class
        return other

    def build_presentation(self) -> ToolListing:
        """Return the tool listing, which never changes."""
        return self._listing

    @cached_property
    def _listing(self) -> ToolListing:
        offered = dict(self._discovery)
        offered[INVOKE] = _INVOKE_TOOL
        if LIST in offered:
            offered[LIST] = _with_categories(offered[LIST], tuple(self._view.categories))
        if not self._view.can_be_searched:
            offered.pop(SEARCH, None)
        tools = tuple(offered[name] for name in WRAPPERS if name in offered)
        return ToolListing(
            tools=tools,
            dispatchable=self._view.targets | {tool.ident for tool in tools if tool.name != INVOKE},
            prompt=action_categories(self._view, self._tier),
        )

    def interpret(self, reply: ModelReply) -> Turn:
        """Resolve calls of wrappers; the call of an action becomes the call of its target."""
        return interpreted(reply, self._requested)

    async def execute(self, turn: Turn, ops: PresentationOps) -> Turn:
        """Make the calls."""
        done = await run_calls(turn, ops)
        await self._note(done)
        return done

    async def format_feedback(self, turn: Turn) -> Turn:
        """Answer each call with its result; that of an unknown action with similar names."""
        return await answered(turn, partial(self._answer, _Suggestions(self._view)))

    def _requested(self, call: ToolRequest) -> RequestedCall:
        if call.name != INVOKE:
            known = any(tool.name == call.name for tool in self._listing.tools)
            return request(self._discovery[call.name].ident, call) if known else not_offered(call)
        invoked = _invoked(call)
        if invoked.issue is not None and not invoked.name:
            return malformed(call, INVOKE, invoked.issue)
        target = ""
        try:
            target = self._view.rule(invoked.name)[0].target
            if invoked.issue is not None:
                return malformed(call, target, invoked.issue)
            if not is_object(invoked.args):  # which no tool takes: the pipeline says so as of any call
                return request(target, call, compact_json(invoked.args))
            action = self._view.resolve(invoked.name, invoked.args)
        except UnknownActionError:
            return not_offered(call, self._view.target_of(invoked.name) or invoked.name)
        except ArgsNotMapped:  # its text may have secrets, and is for the model
            return malformed(call, target, _NOT_MAPPED)
        return request(action.target_tool_name, call, compact_json(action.target_args))

    async def _note(self, turn: Turn) -> None:
        """Count the used actions that are listed; unlisted ones can be invoked too."""
        if self._note_use is None:
            return
        for call, result in turn.made:
            if call.asked.name == INVOKE and result.success:
                name = _invoked(call.asked).name
                if name in self._view.operations or name in await self._view.resources([self._view.rule(name)[1]]):
                    self._note_use(name)

    async def _answer(self, suggestions: _Suggestions, call: RequestedCall, result: ToolResult[Any]) -> CallAnswer:
        if call.asked.name != INVOKE:
            if not is_offered(call):
                return answer_unknown(call, (tool.name for tool in self._listing.tools))
            if result.error is not None and result.error.kind is FailureKind.INVALID_CALL:
                return answer_json(
                    call, _invalid(result, result.error, self._discovery[call.asked.name]), is_error=True
                )
            return answer(call, result)
        invoked = _invoked(call.asked)
        name, error = invoked.name, result.error
        try:
            if name:
                self._view.rule(name)
        except UnknownActionError as unknown:
            refusal = unknown_action(name, unknown.reason, await suggestions.of(name))
            return answer_json(call, refusal, is_error=True)
        if invoked.issue is not None:
            what = invoked.issue.pointer.removeprefix("/") or "arguments"
            hint = ARGS_HINT if name else HINT if what in _OF_NAMES else _OTHER_HINT
            return answer_json(call, missing(what, invoked.issue.hint, hint), is_error=True)
        if not is_object(invoked.args):
            return answer_json(call, missing("args", text_of(result), ARGS_HINT), is_error=True)
        if isinstance(call.request, MalformedRequest):
            return answer_json(call, unmappable(name, self._why_unmappable(invoked)), is_error=True)
        if error is None or (error.kind is not FailureKind.INVALID_CALL and not error.proposal):
            return answer(call, result)
        entry = await self._view.find(name)
        return answer(call, result if entry.action.schema is None else _as_asked(result, error, invoked.args, entry))

    def _why_unmappable(self, invoked: _Invoked) -> str:
        try:
            self._view.resolve(invoked.name, invoked.args)
        except (ArgsNotMapped, UnknownActionError) as error:
            return str(error)
        return _NOT_MAPPED.hint


def _with_categories(tool: OfferedTool, categories: tuple[str, ...]) -> OfferedTool:
    """Add the categories to the schema of a tool."""
    properties = tool.args["properties"]
    items = {"enum": list(categories)} if categories else {"type": "string"}
    category = {**properties["category"], "items": items}
    return replace(tool, args={**tool.args, "properties": {**properties, "category": category}})


@dataclass(frozen=True, slots=True)
class _Invoked:
    """A call of `invoke_action`: the name of the action, its args, or what is wrong with the call itself.

    Its pointer is that of an argument of `invoke_action`, or empty.
    """

    name: str = ""
    args: Any = None
    issue: Issue | None = None


_NOT_MAPPED: Final = issue(
    "/args", "args", "args that fit the action", "others", "send args that fit the input schema of the action"
)


def _invoked(call: ToolRequest) -> _Invoked:
    """Parse a call of `invoke_action`."""
    try:
        asked = parse(call.payload or "{}")
    except NotJson as error:
        return _Invoked(issue=issue("", "json", "JSON", str(error), f"they are not JSON: {error.advice}"))
    if not is_object(asked):
        hint = "they must be an object with `action_name` and `args`"
        return _Invoked(issue=issue("", "type", "an object", described(asked), hint))
    name = asked.get("action_name")
    if not isinstance(name, str) or not name:
        hint = f"it must be the name of an action from {LIST}"
        return _Invoked(issue=issue("/action_name", "type", "a name", described(name), hint))
    unknown = sorted(asked.keys() - {"action_name", "args"})
    if unknown:
        fields = listed(unknown[:_FIELDS])
        hint = f"{fields}: put the args of the action into `args`"
        return _Invoked(name=name, issue=issue("", "additionalProperties", "`action_name` and `args`", fields, hint))
    return _Invoked(name=name, args=asked.get("args", {}))


def _invalid(result: ToolResult[Any], error: ToolError, tool: OfferedTool) -> dict[str, Any]:
    """Return the error for a call of a wrapper with args that do not fit its schema, in the form of all its errors."""
    fields = (issue.pointer.partition("/")[2].partition("/")[0] for issue in error.issues)
    what = next((name for name in fields if name in tool.args["properties"]), "arguments")
    return missing(what, text_of(result), HINT if what in _OF_NAMES else _OTHER_HINT)


def _as_asked(result: ToolResult[Any], error: ToolError, args: dict[str, Any], entry: ActionEntry) -> ToolResult[Any]:
    """Describe an error in terms of the args of a mapped action instead of those of its target."""
    schema = dict(entry.schema)
    shown = replace(error, prior_input="", example="", proposal="")
    try:
        Codec(lambda: CodecSource(name=entry.name, schema=schema, type=None, foreign=True)).decode(compact_json(args))
    except InvalidPayload as invalid:
        secrets = secrets_of_call(secrets_of_schema(schema), lambda: args)
        shown = replace(shown, issues=tuple(hide_issue(issue, secrets) for issue in invalid.issues))
    return replace(result, blocks=(ContentBlock(type="text", data=error_text(shown)),))


class _Suggestions:
    """Names similar to unknown ones, for the answers of one turn: the host is asked once, for a few names."""

    def __init__(self, view: ActionView) -> None:
        self._view = view
        self._known: list[str] | None = None
        self._left = _SUGGESTED

    async def of(self, name: str) -> tuple[str, ...]:
        if not self._left:
            return ()
        self._left -= 1
        if self._known is None:
            self._known = await self._view.names()
        return await self._view.nearest(name, self._known)
