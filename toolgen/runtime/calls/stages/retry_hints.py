"""Retry hints: a service's own validation error says which args are wrong, as an error of the schema does."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json, to_jsonable_python

from toolgen.contract.records import FailureKind, ToolError, ToolResult
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.calls.result import is_result
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.issues.example import example_of
from toolgen.runtime.issues.issue_text import MAX_ISSUES, NOTHING, described, issue
from toolgen.runtime.issues.service_errors import errors_of_body, errors_of_exception, is_rejection
from toolgen.runtime.redact.exceptions import without_secrets
from toolgen.schema.json_values import is_array, is_object, number_of, value_of
from toolgen.schema.references import pointer_of

if TYPE_CHECKING:
    from toolgen.contract.records import Issue, ToolCallMeta
    from toolgen.runtime.calls.call import Tool
    from toolgen.runtime.catalog.execution import Execute
    from toolgen.runtime.issues.service_errors import FieldError, Step

_MISSING: Final = object()


def bind(tool: Tool, execute: Execute) -> Execute:
    """Return a function that makes a call, whose error has the issues that the service reports about its args.

    Only for a tool that enables it; for others such an error is like any other.
    """
    if not tool.definition.settings.retry_hints:
        return execute
    hints = _Hints(tool)

    def run(given: Any, meta: ToolCallMeta) -> Any:
        try:
            outcome = execute(given, meta)
        except Exception as error:  # what it means is decided by the tool's hints; else raised again
            hinted = hints.of_exception(error, given)
            if hinted is None:
                raise
            return hinted
        return awaited(outcome, given) if isawaitable(outcome) else hints.of_outcome(outcome, given)

    async def awaited(outcome: Awaitable[Any], given: Any) -> Any:
        try:
            ended = await outcome
        except Exception as error:  # as above
            hinted = hints.of_exception(error, given)
            if hinted is None:
                raise
            return hinted
        return hints.of_outcome(ended, given)

    return run


class _Hints:
    """Adds the issues to errors of one tool."""

    def __init__(self, tool: Tool) -> None:
        self._tool: Final = tool
        self._hidden: Final = frozenset(tool.definition.settings.inject)
        self._arg_of: Final = _args_by_name(tool.definition.settings.http or {})

    def of_exception(self, error: Exception, given: Any) -> ToolResult[Any] | None:
        """Return the error of a call that raised; None if the exception says nothing of the args."""
        issues = () if isinstance(error, CallFailed) else self._issues(errors_of_exception(error), given)
        if not issues:
            return None
        failed = ToolError(message="the service rejected the args", code="rejected_args")
        return ToolResult(error=self._hinted(failed, issues).caused_by(error))

    def of_outcome(self, outcome: Any, given: Any) -> Any:
        """Return what an executor returned; an error whose body says which args are wrong has that."""
        if not is_result(outcome) or outcome.error is None or outcome.error.issues:
            return outcome
        issues = self._issues(errors_of_body(_body(outcome)), given)
        return replace(outcome, error=self._hinted(outcome.error, issues), blocks=()) if issues else outcome

    def _hinted(self, error: ToolError, issues: Sequence[Issue]) -> ToolError:
        definition, check = self._tool.definition, self._tool.args.check
        example = example_of(definition.input_schema, definition.settings.examples, lambda made: not check(made))
        return replace(error, kind=FailureKind.INVALID_CALL, issues=tuple(issues), example=example)

    def _issues(self, errors: Sequence[FieldError], given: Any) -> Sequence[Issue]:
        """Return the errors that a model can act on: not those of fields that the host injects."""
        named = [each._replace(path=self._in_args(each.path)) for each in errors[:MAX_ISSUES]]
        own = [each for each in named if not each.path or each.path[0] not in self._hidden]
        if not own:
            return ()
        args = to_jsonable_python(given, by_alias=True) if self._tool.form is Form.TYPED else from_json(given)
        return [_issue(each, args) for each in own]

    def _in_args(self, path: tuple[Step, ...]) -> tuple[Step, ...]:
        return (self._arg_of.get(path[0], path[0]), *path[1:]) if path else path


def _args_by_name(http: Mapping[str, Any]) -> Mapping[Step, str]:
    """Return the args of an HTTP tool by the names that the API has for them, where these are others."""
    params: dict[Step, str] = {
        param.get("name", arg): arg for arg, param in http.get("params", {}).items() if is_object(param)
    }
    body: Mapping[str, Any] = http.get("body") or {}
    return params | {name: arg for arg, name in body.get("names", {}).items()}


def _issue(error: FieldError, args: Any) -> Issue:
    value = _at(args, error.path)
    found = NOTHING if value is _MISSING else described(value)
    message = without_secrets(error.message)
    return issue(pointer_of(error.path), error.rule, message, found, message)


def _at(value: Any, path: Sequence[Step]) -> Any:
    for step in path:
        if is_object(value) and step in value:
            value = value[str(step)]
        elif is_array(value) and (index := number_of(str(step))) is not None and index < len(value):
            value = value[index]
        else:
            return _MISSING
    return value


def _body(result: ToolResult[Any]) -> Any:
    """Return the JSON of a service's error: the body of an HTTP response, or the content of an MCP result."""
    http, mcp = result.metadata.get("http", {}), result.metadata.get("mcp", {})
    if is_rejection(http.get("status")):
        return http.get("body")
    if "structuredContent" in mcp:
        return mcp["structuredContent"]
    texts = [block["text"] for block in mcp.get("content", ()) if block.get("type") == "text"]
    try:
        return value_of(texts[0]) if len(texts) == 1 else None
    except (ValueError, RecursionError):  # plain text
        return None
