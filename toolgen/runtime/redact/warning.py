"""Log records for the operator of a host, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger

    from toolgen.runtime.redact.secrets import Secrets


def warn(message: str, *args: object, error: BaseException | None = None, secrets: Secrets | None = None) -> None:
    """Log a failure that did not fail a call as a warning of `toolgen`, with the traceback of an error.

    `secrets` are those of the call in question. If a traceback contains one, or text that looks like one, or the call
    may have any, the log record has the redacted traceback as `exc_text` instead of the exception as `exc_info`, which
    other handlers would format again.
    """
    import logging  # slow to import, and rarely needed

    logger = logging.getLogger("toolgen")
    shown = None if error is None else _without_secrets(error, secrets)
    if shown is None:
        logger.warning(message, *args, exc_info=error)
    else:
        _log(logger, logging.WARNING, message, args, shown)


def log_failed(message: str, *args: object, traceback: str) -> None:
    """Log a failure of a call as an error of `toolgen`. `traceback` has been redacted."""
    import logging

    _log(logging.getLogger("toolgen"), logging.ERROR, message, args, traceback)


def _log(logger: Logger, level: int, message: str, args: tuple[object, ...], traceback: str) -> None:
    """Log for the caller of the calling function, with a traceback that no handler formats again."""
    if logger.isEnabledFor(level):
        place = logger.findCaller(stacklevel=3)[:3]
        record = logger.makeRecord(logger.name, level, place[0], place[1], message, args, None, place[2])
        record.exc_text = traceback
        logger.handle(record)


def _without_secrets(error: BaseException, secrets: Secrets | None) -> str | None:
    """Return the traceback of an error without secrets; None if it has none."""
    from traceback import format_exception

    from toolgen.runtime.redact.call_secrets import hide_text
    from toolgen.runtime.redact.secrets import NO_SECRETS

    text = "".join(format_exception(error)).rstrip("\n")
    shown = hide_text(text, secrets or NO_SECRETS)
    return None if shown == text and not (secrets and secrets.is_watched) else shown
