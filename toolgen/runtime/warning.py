"""Warnings for the operator of a host: what failed beside a call, and did not fail it."""

from __future__ import annotations


def warn(message: str, *args: object, error: BaseException | None = None) -> None:
    """Log a warning as `toolgen`, with the traceback of an error."""
    import logging  # slow to import, and hardly ever needed

    logging.getLogger("toolgen").warning(message, *args, exc_info=error)
