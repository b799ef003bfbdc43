"""Encode: validates the executor's return value, and converts it to the typed value and its JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json, to_jsonable_python

from toolgen.contract.records import NOTHING, FailureKind, ToolError, ToolResult
from toolgen.runtime.base.errors import CallFailed, InvalidPayload, MalformedResult
from toolgen.runtime.calls.misfits import answered, answered_otherwise, with_misfit
from toolgen.runtime.calls.result import is_result, succeeded
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.issues.issues import issue
from toolgen.runtime.redact.call_secrets import hide_issue, with_result_values
from toolgen.schema.json_values import is_mapping, value_of

if TYPE_CHECKING:
    from toolgen.contract.records import Issue
    from toolgen.runtime.calls.call import Encode, Tool


# Server data: typed data of a result, for timelines and evidence. It is validated, and never shown to a model.


class ServerData:
    """The server data that one tool declares, by name."""

    def __init__(self, ident: str, declared: Mapping[str, Any]) -> None:
        self._codecs = {name: Codec.of(schema, name=f"{ident} ({name})") for name, schema in declared.items()}

    def check(self, given: Any) -> dict[str, Any]:
        """Return the values as plain JSON. Raises `InvalidPayload` for one that is undeclared or invalid."""
        if not is_mapping(given):
            found = f"a value of {type(given).__name__}"
            raise InvalidPayload([issue("", "type", "values by name", found, "set `server_data` to values by name")])
        return {name: self._checked(name, value) for name, value in given.items()}

    def _checked(self, name: Any, value: Any) -> Any:
        codec = self._codecs.get(name)
        if codec is None:
            expected = f"one of {', '.join(self._codecs) or 'none'}"
            raise InvalidPayload([issue("", "server_data", expected, str(name), "declare it in the spec of the tool")])
        return json.loads(codec.normalize(value)[1])


def bind(tool: Tool) -> Encode:
    """Return a function that encodes return values. It raises `MalformedResult`; `CallFailed` for a malformed error.

    An error created by the executor must still be redacted; see `shown_failure`.
    """
    name, codec = tool.definition.name, tool.result
    model, dump, is_valid = codec.fast_dump
    untyped = _untyped(tool)
    server_data = ServerData(name, tool.definition.settings.server_data)

    def encode(outcome: Any, tool_call_id: str) -> ToolResult[Any]:
        if outcome.__class__ is model:
            try:
                json_value = dump(outcome)
                if is_valid(json_value):
                    return succeeded(name, tool_call_id, outcome, to_json(json_value))
            except ValueError:
                pass  # `settled` explains it
        given = _result_of(outcome, name)
        given = replace(given, tool_name=name, tool_call_id=tool_call_id)
        try:
            return settled(given)
        except InvalidPayload as error:
            issues = _shown_issues(error, given, tool)
            if given.error is None and answered(given):
                return answered_otherwise(given, _json_of(given), issues, tool)
            raise MalformedResult(issues) from error

    def settled(given: ToolResult[Any]) -> ToolResult[Any]:
        if given.server_data is not NOTHING:
            given = replace(given, server_data=server_data.check(given.server_data))
        if given.error is not None:
            return given
        only_text = given.value is None and given.payload
        try:
            value, payload = codec.normalize(codec.decode(given.payload) if only_text else given.value)
        except InvalidPayload as error:
            if untyped is None:
                raise
            value, payload = untyped.normalize(untyped.decode(given.payload) if only_text else given.value)
            return with_misfit(replace(given, value=value, payload=payload), error.issues)
        return replace(given, value=value, payload=payload)

    return encode


def _untyped(tool: Tool) -> Codec[Any] | None:
    """Return what takes any JSON, for a tool whose schema is not certain; the stage `misfits` reports what differs."""
    return None if tool.definition.has_certain_result else Codec.of(True, name=tool.definition.name)


def _json_of(given: ToolResult[Any]) -> Any:
    """Return the value of a result as JSON; the text of one that is no JSON, or too deep for it."""
    if given.value is not None or not given.payload:
        return to_jsonable_python(given.value, fallback=str, by_alias=True)
    try:
        return value_of(given.payload.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return given.payload.decode("utf-8", "replace")


def _shown_issues(error: InvalidPayload, given: ToolResult[Any], tool: Tool) -> Sequence[Issue]:
    """Return the issues of an executor's return value, without its secrets."""
    if not tool.secrets.result:
        return error.issues
    value = to_jsonable_python(given.value, fallback=str, by_alias=True)
    secrets = with_result_values(tool.secrets, value)
    return [hide_issue(issue, secrets) for issue in error.issues]


def _result_of(outcome: Any, name: str) -> ToolResult[Any]:
    """Convert an executor's return value to a result. Raises `MalformedResult`; `CallFailed` for a malformed error."""
    if isinstance(outcome, ToolError):
        return _checked(ToolResult(tool_name=name, error=outcome))
    return _checked(outcome) if is_result(outcome) else ToolResult(tool_name=name, value=outcome)


def _checked(given: ToolResult[Any]) -> ToolResult[Any]:
    """Return a result, after checking that all fields other than its value can be shown and recorded."""
    from toolgen.runtime.calls.result_fields import (  # most tools give a value alone
        issue_in_error,
        issue_in_other_fields,
    )

    wrong = None if given.error is None else issue_in_error(given.error)
    if wrong is not None:
        message = f"the tool failed, and its error is malformed: {wrong.hint} (found {wrong.found})"
        raise CallFailed(FailureKind.INTERNAL, "malformed_error", message, "the tool is at fault, not the call")
    wrong = issue_in_other_fields(given)
    if wrong is not None:
        raise MalformedResult([wrong])
    return given
