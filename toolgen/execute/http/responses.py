"""Responses: what an API answered, as the result of a call."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from toolgen.contract.records import ContentBlock, FailureKind, ToolError, ToolResult
from toolgen.runtime.base.json_text import LONG_BYTES
from toolgen.runtime.base.received import TooMuch, error_of, json_of, text_of
from toolgen.runtime.calls.misfits import phrase
from toolgen.runtime.issues.service_errors import errors_of_body, is_rejection
from toolgen.schema.json_values import is_array, is_object, number_of
from toolgen.spec.http import essence, is_binary, is_json, is_text

if TYPE_CHECKING:
    from toolgen.execute.command_output import Keep
    from toolgen.execute.http.operation import Operation
    from toolgen.execute.result_texts import ResultTexts

_KINDS: Final = {
    408: FailureKind.TIMEOUT,
    429: FailureKind.RATE_LIMITED,
    504: FailureKind.TIMEOUT,
}
"""Kinds of failures by status; any other 4xx is the API's refusal of the call, any 5xx its failure.

That the API refuses the credentials is its refusal too: `permission_denied` is of the policies and people of this side.
"""

_HINTS: Final = {
    401: "the API does not accept the credentials; someone has to check the variables that `auth` of the spec names",
    403: "the API does not allow this with these credentials",
    407: "the proxy does not accept the credentials; someone has to check them",
}
"""Hints by status, where the spec has none."""

_MESSAGES: Final = ("message", "detail", "error_description", "title", "error", "errors", "description", "reason")
"""Where error bodies have their message: RFC 9457 (`detail`, `title`), RFC 6749, and what most APIs do."""

_KEPT: Final = frozenset({
    *("link", "location", "content-location", "etag", "last-modified", "retry-after", "content-range"),
    *("deprecation", "sunset", "warning", "request-id", "x-request-id", "preference-applied"),
})  # fmt: skip
_KEPT_BEGINNINGS: Final = (
    *("ratelimit", "x-ratelimit", "x-rate-limit"),
    *("x-total", "x-page", "x-per-page", "x-next", "x-prev", "x-pagination", "x-cursor"),
)
"""Headers that reach the metadata of a result: what it is, where more is, and what is left of limits."""
_LONGEST_HEADER: Final = 2000
_LONGEST_LINK: Final = 16_384
_LINK: Final = re.compile(r'<([^<>]*+)>((?:\s*+;\s*+[^\s=;,"<>]++(?:\s*+=\s*+(?:"[^"]*+"|[^\s;,"<>]*+))?)*)')
_LINK_PARAMETER: Final = re.compile(r';\s*+([^\s=;,"]++)\s*+=\s*+(?:"([^"]*+)"|([^\s;,"]*+))')

_READ: Final = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})

_LONGEST_MESSAGE: Final = 1000
_MOST_ERRORS: Final = 5
_SHOWN_BODY: Final = 8192
"""Characters of the body of an error that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response, read up to a bound. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_complete: bool = True

    @property
    def media_type(self) -> str:
        """The media type without parameters, in lower case."""
        return essence(self.headers.get("content-type", ""))

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def is_binary(self) -> bool:
        """Whether the body is neither JSON nor text."""
        return is_binary(self.media_type)

    def retry_after(self) -> float | None:
        """Return the seconds to wait, by `Retry-After` (RFC 9110, section 10.2.3); None where it is not said."""
        text = self.headers.get("retry-after", "").strip()
        if (seconds := number_of(text)) is not None:
            return float(seconds)
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time())
        except (ValueError, OverflowError):
            return None


async def result_of(
    response: Response, operation: Operation, *, keep: Keep | None, hide: Callable[[str], str]
) -> ToolResult[Any]:
    """Return the result of a call.

    The value is the JSON of the body, or its text (`ResultTexts`), or null where there is none; of binary content it is
    the media type, the size in bytes and the reference of the artifact. `hide` removes credentials from the text of an
    error.
    """
    about = {"status": response.status, **_headers(response, hide)}
    if operation.next_header:
        about["next"] = _next(response, operation)
    metadata = {"http": about}
    if not response.is_success:
        return _failed(response, operation, about, hide)
    if not response.is_complete:
        message = f"the response has more than the {len(response.body)} bytes that are read"
        return ToolResult(error=_too_much(message, response, operation), metadata=metadata)
    if response.body and response.is_binary:
        return await _binary(response, keep, metadata)
    try:
        if len(response.body) > LONG_BYTES:
            payload = await asyncio.to_thread(_payload, response, operation.texts)
        else:
            payload = _payload(response, operation.texts)
    except TooMuch as error:
        return ToolResult(error=_too_much(str(error), response, operation), metadata=metadata)
    return ToolResult(payload=payload, metadata=metadata)


def _headers(response: Response, hide: Callable[[str], str]) -> dict[str, Any]:
    """Return the headers that say something about the result, without credentials; nothing if there are none."""
    found = {
        name: text for name, text in response.headers.items() if name in _KEPT or name.startswith(_KEPT_BEGINNINGS)
    }
    if not found:
        return {}
    from toolgen.runtime.redact.redact import redact_text  # many patterns, and many responses have no such header

    return {"headers": {name: redact_text(hide(text))[:_LONGEST_HEADER] for name, text in found.items()}}


def _next(response: Response, operation: Operation) -> str | None:
    """Return the cursor of the next page, of the header that has it; None on the last page."""
    text = response.headers.get(operation.next_header.lower(), "").strip()
    if operation.next_header.lower() != "link":
        return text or None
    url = next_link(text)
    fields = parse_qsl(url.partition("#")[0].partition("?")[2], keep_blank_values=True)  # the host may be none
    return next((value for name, value in fields if name == operation.cursor), None)


def next_link(text: str) -> str:
    """Return the URL of a `Link` header (RFC 8288) whose relation is `next`; empty if there is none."""
    for found in _LINK.finditer(text[:_LONGEST_LINK]):
        parameters = {name.lower(): quoted or token for name, quoted, token in _LINK_PARAMETER.findall(found[2])}
        if "next" in parameters.get("rel", "").lower().split():
            return found[1]
    return ""


def _too_much(message: str, response: Response, operation: Operation) -> ToolError:
    hint = "ask for less, such as a smaller page" if operation.method in _READ else ""
    message = f"the API answered {phrase(response.status)}, but {message}"
    return ToolError(message=message, kind=FailureKind.MALFORMED_RESULT, code="response_too_large", hint=hint)


def _payload(response: Response, texts: ResultTexts) -> bytes:
    return _encoded(_value(response, texts))


def _value(response: Response, texts: ResultTexts) -> Any:
    """Read the body: JSON by its media type, or a text as `texts` reads it. No body is null, or the empty text."""
    text = _decoded(response)
    if not is_json(response.media_type):
        is_labelled = is_text(response.media_type)
        if response.body:
            return texts.value(text, is_labelled=is_labelled, parse=json_of)
        return texts.value("", is_labelled=is_labelled, parse=_null) if texts.is_typed else None
    try:
        return json_of(text) if response.body else None
    except ValueError:
        return text


def _null(_text: str) -> None:
    """Return what an answer without a body is as JSON."""


def _decoded(response: Response) -> str:
    return text_of(response.body, response.headers.get("content-type", ""))


async def _binary(response: Response, keep: Keep | None, metadata: Mapping[str, Any]) -> ToolResult[Any]:
    reference = None
    if keep is not None:
        kept = keep(response.body, response.media_type)
        reference = await kept if inspect.isawaitable(kept) else kept
    value = {"media_type": response.media_type, "size": len(response.body), "artifact": reference}
    blocks = () if reference is None else (ContentBlock(type="artifact_ref", data=reference),)
    shown = (ContentBlock(type="json", data=value), *blocks) if blocks else ()
    return ToolResult(payload=_encoded(value), blocks=shown, metadata=metadata)


def _failed(
    response: Response, operation: Operation, about: Mapping[str, Any], hide: Callable[[str], str]
) -> ToolResult[Any]:
    status = response.status
    kind = _KINDS.get(status) or (FailureKind.UNAVAILABLE if status >= 500 else FailureKind.DOMAIN_REJECTION)
    text = "" if response.is_binary else hide(_decoded(response)).strip()
    try:
        body = error_of(text)
    except (ValueError, TooMuch):
        body = None
    said = _said(body, status) or ("" if is_object(body) or is_array(body) or "html" in response.media_type else text)
    error = ToolError(
        message=f"{phrase(status)}: {said[:_LONGEST_MESSAGE]}" if said else phrase(status),
        kind=kind,
        code=f"http_{status}",
        hint=_hint(operation, status),
        retry_after=response.retry_after() if status in (429, 503) else None,
    )
    metadata = {"http": {**about, **({} if body is None else {"body": body})}}
    if not (is_object(body) or is_array(body)) or len(text) > _SHOWN_BODY:
        return ToolResult(error=error, metadata=metadata)
    return ToolResult(error=error, blocks=(ContentBlock(type="json", data=body),), metadata=metadata)


def _hint(operation: Operation, status: int) -> str:
    errors = operation.errors
    said = errors.get(str(status)) or errors.get(f"{status // 100}XX")
    return said or _HINTS.get(status) or errors.get("default", "")


def _said(body: Any, status: int) -> str:
    """Return the message of an error, and which values it says are wrong, as FastAPI's 422 does."""
    errors = errors_of_body(body) if is_rejection(status) else []
    if not errors:
        return _message(body)
    lead = next((body[name] for name in _MESSAGES if isinstance(body.get(name), str)), "")
    listed = [": ".join(filter(None, (".".join(map(str, each.path)), each.message))) for each in errors[:_MOST_ERRORS]]
    return ": ".join(filter(None, (lead, "; ".join(listed))))


def _message(body: Any) -> str:
    """Find the message in the body of an error; empty where there is none."""
    if isinstance(body, str):
        return body
    if is_array(body):
        return "; ".join(filter(None, map(_message, body[:5])))
    if is_object(body):
        return next((text for name in _MESSAGES if name in body and (text := _message(body[name]))), "")
    return ""


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
