"""Warnings for the operator of a host: failures that did not fail a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.runtime.redact.secrets import Secrets


def warn(message: str, *args: object, error: BaseException | None = None, secrets: Secrets | None = None) -> None:
    """Log a warning as `toolgen`, with the traceback of an error.

    `secrets` are those of the call in question. If a traceback contains one, or text that looks like one, or the call
    may have any, the log record has the redacted traceback as `exc_text` instead of the exception as `exc_info`, which
    other handlers would format again.
    """
    import logging  # slow to import, and rarely needed

    logger = logging.getLogger("toolgen")
    shown = None if error is None else _without_secrets(error, secrets)
    if shown is None:
        logger.warning(message, *args, exc_info=error)
    elif logger.isEnabledFor(logging.WARNING):
        place = logger.findCaller(stacklevel=2)[:3]
        record = logger.makeRecord(logger.name, logging.WARNING, place[0], place[1], message, args, None, place[2])
        record.exc_text = shown
        logger.handle(record)


def _without_secrets(error: BaseException, secrets: Secrets | None) -> str | None:
    """Return the traceback of an error without secrets; None if it has none."""
    from traceback import format_exception

    from toolgen.runtime.redact.call_secrets import hide_text
    from toolgen.runtime.redact.secrets import NO_SECRETS

    text = "".join(format_exception(error)).rstrip("\n")
    shown = hide_text(text, secrets or NO_SECRETS)
    return None if shown == text and not (secrets and secrets.is_watched) else shown
