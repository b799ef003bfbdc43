"""Warnings for the operator of a host: what failed beside a call, and did not fail it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.runtime.redact.secrets import Secrets


def warn(message: str, *args: object, error: BaseException | None = None, secrets: Secrets | None = None) -> None:
    """Log a warning as `toolgen`, with the traceback of an error.

    `secrets` are those of the call that it is about. Where a traceback holds one, or what looks like one, or the call
    may have any, the record has its text without them as `exc_text`, and not the exception as `exc_info`, which others
    would format anew.
    """
    import logging  # slow to import, and hardly ever needed

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
    """The traceback of an error without secrets; None where there are none."""
    from traceback import format_exception

    from toolgen.runtime.redact.call_secrets import hide_text
    from toolgen.runtime.redact.secrets import NO_SECRETS

    text = "".join(format_exception(error)).rstrip("\n")
    shown = hide_text(text, secrets or NO_SECRETS)
    return None if shown == text and not (secrets and secrets.is_watched) else shown
