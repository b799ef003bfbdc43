"""Log records for the operator of a host, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolgen.runtime.redact.secrets import Secrets


_LONGEST: Final = 50_000
"""Characters of a traceback that is logged as Python writes it."""


def warn(message: str, *args: object, error: BaseException | None = None, secrets: Secrets | None = None) -> None:
    """Log a failure that did not fail a call as a warning of `toolgen`, with the traceback of an error.

    `secrets` are those of the call in question. If a traceback contains one, or text that looks like one, or the call
    may have any, the log record has the redacted traceback as `exc_text` instead of the exception as `exc_info`, which
    other handlers would format again.
    """
    import logging  # slow to import, and rarely needed

    shown = None if error is None else _without_secrets(error, secrets)
    if error is not None and shown is None:
        _log(logging.WARNING, message, args, exc_info=(type(error), error, error.__traceback__))
    else:
        _log(logging.WARNING, message, args, exc_text=shown)


def log_failure(ident: str, call_id: str, error: BaseException, secrets: Secrets) -> None:
    """Log an exception that a tool was not meant to raise, with its traceback, as an error of `toolgen`.

    The result of the call has the message only, because a model sees it. No object of the exception is logged, whose
    variables other handlers might show.
    """
    import logging

    from toolgen.runtime.redact.call_secrets import hide_text
    from toolgen.runtime.redact.exceptions import traceback_text
    from toolgen.spec.text import shown_name

    shown_id = shown_name(hide_text(call_id, secrets))
    text = traceback_text(error, secrets)
    _log(logging.ERROR, "the tool %s failed in the call %s", (ident, shown_id), exc_text=text)


def _log(level: int, message: str, args: tuple[object, ...], **fields: Any) -> None:
    """Log for the caller of the calling function; what the host has added to logging may fail without an effect."""
    import logging

    logger = logging.getLogger("toolgen")
    if not logger.isEnabledFor(level):
        return
    place = logger.findCaller(stacklevel=3)[:3]
    record = logger.makeRecord(logger.name, level, place[0], place[1], message, args, None, place[2])
    record.__dict__.update(fields)
    try:
        logger.handle(record)
    except Exception:  # noqa: BLE001  # a filter of the host; handlers do the same
        logging.Handler().handleError(record)


def _without_secrets(error: BaseException, secrets: Secrets | None) -> str | None:
    """Return the traceback of an error without secrets; None if it has none.

    One that is long, or cannot be written, is bounded.
    """
    from traceback import format_exception

    from toolgen.runtime.redact.call_secrets import hide_text
    from toolgen.runtime.redact.exceptions import traceback_text
    from toolgen.runtime.redact.secrets import NO_SECRETS

    secrets = secrets or NO_SECRETS
    try:
        text = "".join(format_exception(error)).rstrip("\n")
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # whatever an exception of the host is made of
        return traceback_text(error, secrets)
    if len(text) > _LONGEST:
        return traceback_text(error, secrets)
    shown = hide_text(text, secrets)
    return None if shown == text and not secrets.is_watched else shown
