"""Sent credentials: what a host sends to one peer, redacted wherever the peer repeats it."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.redact.redact import REDACTED
from toolgen.runtime.redact.secret_names import is_secret_key
from toolgen.runtime.redact.secret_values import SecretValues
from toolgen.schema.free_names import free_name
from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.base.errors import CallFailed

_KEPT: Final = 16
"""Credentials that were sent and are looked for: tokens are replaced from time to time, and the last ones count."""

_SHORTEST: Final = 6
"""Characters: a shorter one is not looked for, because it would be found in words."""


class SentCredentials:
    """The credentials of one peer: all that are known in advance (`known`), and the last ones that were sent.

    They belong to the operator, and no model or record has a use for them, so they are also redacted from the value of
    a result, in any of the encodings that `SecretValues` finds. If there are more than that searches for, nothing that
    the peer says is shown.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = dict.fromkeys(text for text in known if len(text) >= _SHORTEST)
        self._sent: list[str] = []
        self._values: SecretValues | None = None

    def add(self, *texts: str) -> None:
        """Note credentials that are sent."""
        for text in texts:
            if len(text) >= _SHORTEST and text not in self._known and text not in self._sent:
                self._sent = [*self._sent[1 - _KEPT :], text]
                self._values = None

    def add_headers(self, headers: Iterable[tuple[str, str]]) -> None:
        """Note the credentials among the headers of a request, by their names."""
        for name, value in headers:
            if is_secret_key(name):
                self.add(*_parts(value))

    def hide(self, text: str) -> str:
        """Return a text without the credentials; the same object if there is none in it."""
        if self._values is None:
            texts = [*self._known, *self._sent]
            self._values = SecretValues(lambda: texts)
        return self._values.hide(text)

    def hide_data(self, data: Any) -> Any:
        """Return JSON without the credentials."""
        return _walked(data, self.hide)

    def hide_failure(self, error: CallFailed) -> CallFailed:
        """Return the failure of a call without the credentials; the same object if there is none in it."""
        message, hint = self.hide(error.message), self.hide(error.hint)
        if (message, hint) == (error.message, error.hint):
            return error
        return type(error)(error.kind, error.code, message, hint)

    def hide_result(self, result: ToolResult[Any]) -> ToolResult[Any]:
        """Return a result, whose value is in its payload alone, without the credentials."""
        changed: dict[str, Any] = {}
        text = result.payload.decode("utf-8", "surrogatepass")
        if self.hide(text) != text:
            value = json.dumps(self.hide_data(json.loads(text)), ensure_ascii=False, separators=(",", ":"))
            changed["payload"] = value.encode("utf-8", "surrogatepass")
        if result.error is not None:
            error = result.error
            changed["error"] = replace(error, message=self.hide(error.message), hint=self.hide(error.hint))
        if result.blocks:
            changed["blocks"] = tuple(replace(block, data=self.hide_data(block.data)) for block in result.blocks)
        if result.metadata:
            changed["metadata"] = self.hide_data(dict(result.metadata))
        return replace(result, **changed) if changed else result


def _parts(value: str) -> Iterable[str]:
    """Yield a header's value, and what is secret in it by itself: a token, or the password of a login."""
    yield value
    scheme, _, rest = value.partition(" ")
    if scheme.lower() == "basic":
        try:
            login = b64decode(rest).decode()
        except ValueError:
            return
        yield from (rest, login, login.partition(":")[2])
    elif rest and " " not in rest:
        yield rest


def _walked(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if is_object(value):
        members: dict[str, Any] = {}
        numbers: dict[str, int] = {}
        for key, item in value.items():
            members[free_name(hide(key), members, numbers, between="+")] = _walked(item, hide)
        return members
    if is_array(value):
        return [_walked(item, hide) for item in value]
    if isinstance(value, int | float):
        written = json.dumps(value)
        return value if hide(written) == written else REDACTED
    return value
