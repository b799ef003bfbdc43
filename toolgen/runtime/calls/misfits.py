"""Misfits: values that an executor returned and that do not fit the result schema of the tool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ContentBlock, FailureKind, ToolError
from toolgen.runtime.calls.result import error_text
from toolgen.runtime.redact.call_secrets import hide_other_fields, with_result_values
from toolgen.schema.json_values import is_object
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.contract.records import Issue, ToolResult
    from toolgen.runtime.calls.call import Tool


RESULT_DIFFERS: Final = "result_differs"
"""The kind of the event that a call adds to the record of its run, and the key in the metadata of its result."""

_KEY: Final = "_misfit"
_SHOWN_BODY: Final = 8192
"""Bytes of the body of a misfit that are shown."""


def with_misfit(result: ToolResult[Any], issues: Sequence[Issue]) -> ToolResult[Any]:
    """Mark a result whose value is returned although it does not fit. A copy of it has no mark."""
    result.__dict__[_KEY] = issues
    return result


def misfit_of(result: ToolResult[Any]) -> Sequence[Issue]:
    """Return how the value of a result differs from the schema; empty if it fits."""
    issues: Sequence[Issue] = result.__dict__.get(_KEY, ())
    return issues


def answered(result: ToolResult[Any]) -> str:
    """Return the status that an HTTP API answered with, such as `204 No Content`; empty for other tools."""
    http: Any = result.metadata.get("http")
    return phrase(http["status"]) if is_object(http) and isinstance(http.get("status"), int) else ""


def phrase(status: int) -> str:
    """Return a status with its name."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def answered_otherwise(given: ToolResult[Any], value: Any, issues: Sequence[Issue], tool: Tool) -> ToolResult[Any]:
    """Return the failure of a call that an HTTP API answered with success, but not as declared.

    The call took effect, so status and body are shown: a model that sees neither would repeat a write.
    """
    first = issues[0]
    where = f"{first.pointer or 'the whole value'}: {first.hint}"
    done = "the request succeeded and may have taken effect: do not repeat it, look at the body"
    error = ToolError(
        message=f"the API answered {answered(given)}, but not as its result is declared: {where}",
        kind=FailureKind.MALFORMED_RESULT,
        code="malformed_result",
        issues=tuple(issues),
        hint="the body is below" if tool.entry.permission == "readonly" else done,
    )
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    body = value if len(text) <= _SHOWN_BODY else cut(text, _SHOWN_BODY)
    failed = replace(
        given,
        value=None,
        payload=b"",
        error=error,
        blocks=(ContentBlock(type="text", data=error_text(error)), ContentBlock(type="json", data=body)),
        metadata={**given.metadata, "http": {**given.metadata["http"], "body": body}},
    )
    return hide_other_fields(failed, with_result_values(tool.secrets, value)) if tool.secrets.result else failed
