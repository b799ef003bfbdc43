"""The output of a command as a result: text, one JSON value, or one JSON result; or an error.

A JSON result is an object with `success`, and optionally `message`, `value`, `content` (a list of `{type, data}` as in
`ContentBlock`), `side_effects` (a list of texts) and `audit` (an object).
"""

from __future__ import annotations

import codecs
import inspect
import re
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.contract.records import NOTHING, ContentBlock, FailureKind, ToolError, ToolResult
from toolgen.runtime.base.errors import CallFailed, MalformedResult
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.calls.result import error_text
from toolgen.runtime.issues.issues import issue
from toolgen.runtime.redact.credentials import redact_text
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import lines_of

if TYPE_CHECKING:
    from toolgen.execute.processes import FinishedProcess, Spool

Keep: TypeAlias = Callable[[bytes, str], str | Awaitable[str]]
"""Stores data that is too large to be shown, given its media type, and returns the ref of the artifact."""

_TEXT: Final = "text/plain; charset=utf-8"
_JSON: Final = "application/json"

_LAST_LINES: Final = 10
_LINE: Final = 200
_ESCAPE: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
"""Terminal colours and cursor movements (ECMA-48), and other control characters."""


def _is_texts(value: Any) -> bool:
    return is_array(value) and all(isinstance(item, str) for item in value)


def _is_content(value: Any) -> bool:
    return is_array(value) and all(
        is_object(block)
        and block.keys() == {"type", "data"}
        and (block["type"] == "json" or (block["type"] in ("text", "artifact_ref") and isinstance(block["data"], str)))
        for block in value
    )


_FIELDS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "success": ("true or false", lambda value: isinstance(value, bool)),
    "message": ("a text, or null", lambda value: value is None or isinstance(value, str)),
    "value": ("any JSON", lambda _value: True),
    "content": ("a list of {type, data}, of type text, json or artifact_ref", _is_content),
    "side_effects": ("a list of texts", _is_texts),
    "audit": ("an object", is_object),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How to parse the output of one tool's commands.

    With `as_text` stdout is the value; otherwise it is JSON, and with `as_results` an object with `success` is a
    result. `folders` are names for folders of the host, which replace their paths in errors. `hide` redacts the secrets
    of the call from the last output of a failed command, and from artifacts.
    """

    name: str
    as_text: bool
    as_results: bool
    timeout_ms: int
    folders: Mapping[str, str]
    keep: Keep | None
    hide: Callable[[str], str] = redact_text

    async def result_of(self, finished: FinishedProcess) -> ToolResult[Any]:
        """Return the result of a call. Raises `MalformedResult`, and `CallFailed` for JSON that exceeds all limits."""
        if finished.timed_out or finished.exit_code:
            return await self._failed(finished)
        log = {"log": _decoded(finished.stderr)} if finished.stderr else {}
        result = self._text_result(finished, log) if self.as_text else self._json(finished, log)
        if not finished.stdout_cut or result.error is not None:
            return result
        summary = ContentBlock(type="text", data=_summary(finished))
        kept = await self._artifact(finished.whole_stdout, _TEXT if self.as_text else _JSON)
        return replace(result, blocks=(summary, *kept), metadata={**result.metadata, "truncated": True})

    def _text_result(self, finished: FinishedProcess, metadata: Mapping[str, Any]) -> ToolResult[Any]:
        text = _summary(finished) if finished.stdout_cut else _decoded(finished.stdout)
        return ToolResult(tool_name=self.name, value=text, metadata=metadata)

    def _json(self, finished: FinishedProcess, metadata: Mapping[str, Any]) -> ToolResult[Any]:
        text, whole = finished.stdout, finished.whole_stdout
        if whole is not None:
            if not whole.complete:
                raise CallFailed(
                    FailureKind.MALFORMED_RESULT,
                    "output_too_large",
                    f"the command printed more JSON than fits into {whole.size} bytes",
                    "request less",
                )
            text = whole.read()
        try:
            value = parse(text) if text.strip() else None
        except NotJson as error:
            hint = f"the command must print JSON: {error.hint}" if error.hint else "the command must print JSON"
            raise MalformedResult([issue(error.pointer, "json", "JSON", str(error), hint)]) from None
        if self.as_results and is_object(value) and isinstance(value.get("success"), bool):
            return self._of_result(value, metadata)
        return ToolResult(tool_name=self.name, value=value, metadata=metadata)

    def _of_result(self, given: dict[str, Any], metadata: Mapping[str, Any]) -> ToolResult[Any]:
        _check_fields(given)
        blocks = tuple(ContentBlock(type=block["type"], data=block["data"]) for block in given.get("content", ()))
        message = given.get("message")
        result = ToolResult[Any](
            tool_name=self.name,
            blocks=blocks,
            message=message,
            side_effects=tuple(given.get("side_effects", ())),
            audit=given.get("audit", NOTHING),
            metadata=metadata,
        )
        if not given["success"]:
            text = message or "the command reported a failure"
            error = ToolError(message=text, kind=FailureKind.DOMAIN_REJECTION, code="command_rejected")
            return replace(result, error=error)
        return replace(result, value=given["value"] if "value" in given else _value_of(blocks, message))

    async def _failed(self, finished: FinishedProcess) -> ToolResult[Any]:
        lines = self._last_lines(finished.stderr) or self._last_lines(finished.stdout)
        hint = "its last output:\n" + "\n".join(lines) if lines else "it printed nothing"
        if finished.timed_out:
            kind, code = FailureKind.TIMEOUT, "timeout"
            message = f"the command took longer than {self.timeout_ms} ms"
        elif finished.exit_code < 0:
            kind, code = FailureKind.INTERNAL, "command_killed"
            message = f"the command was ended by {_signal_name(-finished.exit_code)}"
        else:
            kind, code = FailureKind.DOMAIN_REJECTION, "command_failed"
            message = f"the command failed with exit code {finished.exit_code}"
        error = ToolError(message=message, kind=kind, code=code, hint=hint)
        kept = (
            *await self._artifact(finished.whole_stderr, _TEXT),
            *await self._artifact(finished.whole_stdout, _TEXT),
        )
        shown = (ContentBlock(type="text", data=error_text(error)), *kept) if kept else ()
        metadata = {"exit_code": finished.exit_code}
        return ToolResult(tool_name=self.name, error=error, blocks=shown, metadata=metadata)

    async def _artifact(self, whole: Spool | None, media_type: str) -> tuple[ContentBlock, ...]:
        if whole is None or self.keep is None:
            return ()
        kept = self.keep(_hidden(whole.read(), self.hide), media_type)
        reference = await kept if inspect.isawaitable(kept) else kept
        return (ContentBlock(type="artifact_ref", data=reference),)

    def _last_lines(self, output: bytes) -> list[str]:
        text = _decoded(output)
        for path, name in self.folders.items():
            text = re.sub(rf"(?<![\w.-]){re.escape(path)}(?![\w.-])", name, text)
        lines = [line.strip() for line in lines_of(_ESCAPE.sub("", self.hide(text)))]
        return [line[:_LINE] for line in lines if line][-_LAST_LINES:]


def _summary(finished: FinishedProcess) -> str:
    """Return the beginning of a truncated output, with its size."""
    beginning = _decoded(finished.stdout, cut=True)
    whole = finished.whole_stdout
    size = f"the first {len(finished.stdout)} of"
    size += f" {whole.size} bytes" if whole is not None and whole.complete else " very many bytes"
    return f"{beginning}\n[cut: these are {size}]"


def _hidden(data: bytes, hide: Callable[[str], str]) -> bytes:
    """Redact secrets from an output; bytes that are not UTF-8 are unchanged."""
    return hide(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")


def _decoded(data: bytes, *, cut: bool = False) -> str:
    """Decode UTF-8; invalid bytes become U+FFFD. With `cut`, an incomplete character at the end is dropped."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(data, final=not cut)


def _check_fields(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if name not in _FIELDS:
            meant = nearest(name, _FIELDS, count=1)
            hint = f"did you mean {meant[0]!r}?" if meant else f"the fields of a result are {', '.join(_FIELDS)}"
            raise MalformedResult([issue(f"/{name}", "additionalProperties", "a field of a result", name, hint)])
        wanted, fits = _FIELDS[name]
        if not fits(value):
            raise MalformedResult([issue(f"/{name}", "type", wanted, type(value).__name__, f"give {wanted}")])


def _value_of(blocks: tuple[ContentBlock, ...], message: str | None) -> Any:
    """Return the value of a result without `value`: its only JSON block, its text, or its message."""
    found = [block.data for block in blocks if block.type == "json"]
    if found:
        return found[0] if len(found) == 1 else found
    texts = [block.data for block in blocks if block.type == "text"]
    return "\n".join(texts) if texts else message


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
