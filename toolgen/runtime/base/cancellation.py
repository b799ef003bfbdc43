"""Exceptions that end the caller: cancellation of its task, closing of its coroutine, exit of the process."""

from __future__ import annotations

from typing import TypeGuard


def ends_the_caller(error: BaseException) -> bool:
    """Whether a BaseException is meant for the caller, and is not just the failure of a tool.

    A tool may await something that was cancelled, call `sys.exit`, or raise GeneratorExit: none of these ends the host.
    Call it in the `except` clause of the coroutine that caught the error.
    """
    if isinstance(error, GeneratorExit):
        return _is_closed(error)
    if _is_group(error):
        return any(map(_ends_the_task, error.exceptions))
    return _ends_the_task(error)


def _ends_the_task(error: BaseException) -> bool:
    from asyncio import CancelledError, current_task  # slow to import, and rarely needed

    if isinstance(error, CancelledError):
        task = current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt)


def _is_closed(error: GeneratorExit) -> bool:
    """Whether the coroutine that caught the error is being closed.

    If it is, its awaitable was closed before, and the error is raised again in it (PEP 380), so the traceback has no
    other frame. The traceback of an error that a tool raised has further frames.
    """
    return error.__traceback__ is None or error.__traceback__.tb_next is None


def _is_group(error: BaseException) -> TypeGuard[BaseExceptionGroup[BaseException]]:
    return isinstance(error, BaseExceptionGroup)
