"""What stops more than a call: the end of the caller's own task, of its coroutine, or of the process by its user."""

from __future__ import annotations

from typing import TypeGuard


def ends_the_caller(error: BaseException) -> bool:
    """Whether an exception that is no `Exception` is meant for the caller, and not only the failure of a tool.

    A tool may await something that was cancelled, call `sys.exit`, or raise GeneratorExit: none of these ends the host.
    To be called in an `except` of the coroutine that caught the error.
    """
    if isinstance(error, GeneratorExit):
        return _is_closed(error)
    if _is_group(error):
        return any(map(_ends_the_task, error.exceptions))
    return _ends_the_task(error)


def _ends_the_task(error: BaseException) -> bool:
    from asyncio import CancelledError, current_task  # slow to import, and few calls end like this

    if isinstance(error, CancelledError):
        task = current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt)


def _is_closed(error: GeneratorExit) -> bool:
    """Whether the coroutine that caught this is being closed.

    Where it is, whatever it awaits was closed before, and the error is raised anew in it (PEP 380): there is no other
    frame in its traceback. One that a tool raised came through those of others.
    """
    return error.__traceback__ is None or error.__traceback__.tb_next is None


def _is_group(error: BaseException) -> TypeGuard[BaseExceptionGroup[BaseException]]:
    return isinstance(error, BaseExceptionGroup)
