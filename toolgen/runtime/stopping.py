"""What stops more than a call: the end of the caller's own task, of its coroutine, or of the process by its user."""

from __future__ import annotations

from typing import TypeGuard


def ends_the_caller(error: BaseException) -> bool:
    """Whether an exception that is no `Exception` is meant for the caller, and not only the failure of a tool.

    A tool may await something that was cancelled, or call `sys.exit`: neither ends the host.
    """
    from asyncio import CancelledError, current_task  # slow to import, and few calls end like this

    if _is_group(error):
        return any(ends_the_caller(inner) for inner in error.exceptions if not isinstance(inner, Exception))
    if isinstance(error, CancelledError):
        task = current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)


def _is_group(error: BaseException) -> TypeGuard[BaseExceptionGroup[BaseException]]:
    return isinstance(error, BaseExceptionGroup)
