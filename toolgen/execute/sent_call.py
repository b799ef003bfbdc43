"""Calls that are sent to a peer: what their failures say of what they may have changed there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import ContentBlock
from toolgen.runtime.base.effects import Effect
from toolgen.runtime.calls.result import error_text

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.base.errors import CallFailed

_SUCCEEDED: Final = "the request succeeded and may have taken effect: do not repeat it"


@dataclass(slots=True)
class SentCall:
    """A call, and what it may have changed at its peer. The one place that tells a model of that.

    `may_repeat` says that a call with the same effect may be made again.
    """

    may_repeat: bool
    _effect: str = ""

    @property
    def may_have_effect(self) -> bool:
        """Whether the peer may have run it."""
        return bool(self._effect)

    def is_sent(self) -> None:
        """Note that the peer may have got it, and may run it."""
        self._effect = Effect.POSSIBLE

    def is_refused(self) -> None:
        """Note that the peer did not run it."""
        self._effect = ""

    def is_answered(self, status: int) -> None:
        """Note the status of the HTTP response: an API that says that the call is wrong did not run it."""
        is_wrong = 400 <= status < 500 and status != 408
        self._effect = "" if is_wrong else _SUCCEEDED if 200 <= status < 300 else Effect.POSSIBLE

    def failure(self, error: CallFailed) -> CallFailed:
        """Return a failure of it with its hint; the same object if that says all."""
        hint = self._hint(error.hint)
        return error if hint == error.hint else type(error)(error.kind, error.code, error.message, hint)

    def result(self, result: ToolResult[Any]) -> ToolResult[Any]:
        """Return a result of it: its error has the hint, and stands before the blocks that the result has."""
        if result.error is None:
            return result
        error = replace(result.error, hint=self._hint(result.error.hint))
        shown = (ContentBlock(type="text", data=error_text(error)), *result.blocks) if result.blocks else ()
        return replace(result, error=error, blocks=shown)

    def _hint(self, said: str) -> str:
        return said if self.may_repeat else "; ".join(filter(None, (self._effect, said)))
