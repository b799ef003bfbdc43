"""Exceptions of a host as texts: one line, or a traceback, bounded and without secrets.

An exception of the host may be broken itself, and as long as it likes: whatever it does, there is a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, cast

from pydantic_core import ValidationError

from toolgen.runtime.redact.call_secrets import hide_text
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.spec.text import cut, first_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.runtime.redact.secrets import Secrets

Hide = Callable[[str], str]
"""Redacts the secret values of a call in a text."""

LONGEST_LINE: Final = 300
"""Characters of a line that is shown of an exception."""

_PATH: Final = re.compile(r"(?<![\w:/.\\])(?:[A-Za-z]:\\|/)(?:[^\s'\":,;/\\]+[/\\])+")

_SEARCHED: Final = 100_000
"""Characters of a text that are searched for secrets, of which some hundred are shown."""

_EXCEPTIONS: Final = 5
_FRAMES: Final = 20
_NOTES: Final = 3
_LINE: Final = 400
"""Maximum exceptions of one failure in a traceback, frames and notes of an exception, and characters of a line."""

_MOST: Final = 100
"""Exceptions of one failure that are counted."""


def hiding(secrets: Secrets) -> Hide:
    """Return a function that redacts the secret values of a call from a text before it is truncated.

    Of a long text it keeps the start. The cut may be in the middle of a value, whose start is found as a part of it.
    """
    values = secrets.values
    return lambda text: text[:_SEARCHED] if values is None else values.hide(text[:_SEARCHED])


def explanation(error: BaseException, hide: Hide) -> str:
    """Return the first line of the text of an exception, as it can be shown; empty if it has none.

    Exceptions of the host may be broken themselves: one that cannot be described has no text.
    """
    try:
        text = str.__str__(_details(error) or str(error))  # which may be of a class of the host
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # the host raises what it likes
        return ""
    is_cut_traceback = text.startswith("Traceback (") and len(text) > _SEARCHED
    return "" if is_cut_traceback else first_shown_line(hide(text))


def shown_error(error: BaseException, secrets: Secrets = NO_SECRETS) -> str:
    """Return the class and the first line of the text of an exception of code that is not ours, without secrets."""
    text = explanation(error, hiding(secrets))
    return f"{class_name(error)}: {text}" if text else class_name(error)


def class_name(error: BaseException) -> str:
    """Return the name of the class of an exception, whatever its metaclass says."""
    return str.__str__(type.__dict__["__name__"].__get__(type(error)))


def first_shown_line(text: str) -> str:
    """Return the first line of a text, or the last of a traceback, without secrets."""
    lines = text.strip().split("\n")
    return cut(without_secrets(lines[-1] if lines[0].startswith("Traceback (") else lines[0]), LONGEST_LINE)


def without_secrets(line: str) -> str:
    """Return a line without folders, secrets, invalid text and terminal control characters."""
    from toolgen.runtime.redact.redact import redact_text  # many patterns, and most calls succeed

    return visible(redact_text(_PATH.sub("", line.strip())))


def _details(error: BaseException) -> str:
    """Describe the first problem of a pydantic error, whose first line only counts the problems."""
    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"{error.title}: {'.'.join(map(str, first['loc'])) or 'the value'}: {first['msg']}"


def traceback_text(error: BaseException, secrets: Secrets) -> str:
    """Return a traceback: files, lines, functions and messages, bounded and without secrets and lines of source."""
    try:
        return "\n".join(cut(visible(hide_text(line, secrets)), _LINE) for line in _traceback(error, secrets))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # whatever the exception is made of
        return f"{class_name(error)}, which cannot be described"


def _traceback(error: BaseException, secrets: Secrets) -> Iterator[str]:
    """Return the lines of a traceback; what an exception came from is before it."""
    every = _with_origins(error)
    shown, left_out = every, 0
    if len(every) > _EXCEPTIONS:  # the last one is where it began
        shown, left_out = [*every[: _EXCEPTIONS - 1], every[-1]], len(every) - _EXCEPTIONS
    hide = hiding(secrets)
    for number, each in enumerate(reversed(shown)):
        if number == 1 and left_out:
            yield f"{left_out}{'' if len(every) < _MOST else ' or more'} exceptions in between are not shown"
        yield from _frames(each)
        yield shown_error(each, secrets)
        notes: Sequence[object] = getattr(each, "__notes__", ())
        yield from (first_line(hide(str.__str__(note))) for note in list(notes)[:_NOTES] if isinstance(note, str))


def _with_origins(error: BaseException) -> list[BaseException]:
    """Return an exception and all that it came from, each once, the nearest first."""
    found = [error]
    for each in found:  # grows meanwhile
        found += [origin for origin in _origins(each) if not any(origin is other for other in found)]
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def _origins(error: BaseException) -> list[BaseException]:
    group = cast("BaseExceptionGroup[BaseException]", error) if isinstance(error, BaseExceptionGroup) else None
    members = [] if group is None else list(group.exceptions[:_MOST])
    context = error.__context__ if error.__cause__ is None and not error.__suppress_context__ else error.__cause__
    return members if context is None else [*members, context]


def _frames(error: BaseException) -> Iterator[str]:
    from traceback import StackSummary, walk_tb  # few calls fail so

    if error.__traceback__ is not None:
        yield "Traceback (most recent call last):"
    for frame in StackSummary.extract(walk_tb(error.__traceback__), limit=-_FRAMES, lookup_lines=False):
        yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
