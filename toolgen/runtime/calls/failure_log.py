"""The log of failed tools: which call it was, and where the code of the host raised what.

The result of such a call has the message only, because a model sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from toolgen.runtime.calls.result import explanation, hiding
from toolgen.runtime.redact.call_secrets import hide_text
from toolgen.runtime.redact.warning import log_failed
from toolgen.spec.text import cut, shown_name, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.runtime.redact.secrets import Secrets

_EXCEPTIONS: Final = 5
_FRAMES: Final = 20
_LINE: Final = 400
"""Maximum exceptions of one failure, frames of an exception, and characters of a line."""


def log_failure(ident: str, call_id: str, error: BaseException, secrets: Secrets) -> None:
    """Log an exception of a tool, with its traceback: files, lines, functions and messages, without secrets.

    Lines of source are not in it, and no object of the exception, whose variables other handlers might show.
    """
    lines = (cut(visible(hide_text(line, secrets)), _LINE) for line in _traceback(error, secrets))
    shown_id = shown_name(hide_text(call_id, secrets))
    log_failed("the tool %s failed in the call %s", ident, shown_id, traceback="\n".join(lines))


def _traceback(error: BaseException, secrets: Secrets) -> Iterator[str]:
    """Return the lines of a traceback; what an exception came from is before it."""
    found = [error]
    for each in found:  # grows meanwhile
        found += _origins(each)[: _EXCEPTIONS - len(found)]
    for each in reversed(found):
        yield from _frames(each)
        text, name = explanation(each, hiding(secrets)), type(each).__name__
        yield f"{name}: {text}" if text else name


def _origins(error: BaseException) -> list[BaseException]:
    group = cast("BaseExceptionGroup[BaseException]", error) if isinstance(error, BaseExceptionGroup) else None
    members = [] if group is None else list(group.exceptions)
    context = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return members if context is None else [*members, context]


def _frames(error: BaseException) -> Iterator[str]:
    from traceback import StackSummary, walk_tb  # few calls fail so

    if error.__traceback__ is not None:
        yield "Traceback (most recent call last):"
    for frame in StackSummary.extract(walk_tb(error.__traceback__), limit=-_FRAMES, lookup_lines=False):
        yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
