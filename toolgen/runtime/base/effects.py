"""Effects of calls that end before their tool does: by a timeout, an abort of their run, or a cancellation.

A thread cannot be ended. So code that runs in one asks whether its call still goes on: in long loops, and right before
it has an effect.
"""

from __future__ import annotations

from contextvars import ContextVar
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

ResultT = TypeVar("ResultT")


class Effect(StrEnum):
    """What a call that ended early may have changed. The values are for the model."""

    NONE = "nothing was changed"
    POSSIBLE = "the call may have taken effect: check whether it did before you repeat it"


class CallEnded(RuntimeError):
    """The call that a thread works for has ended. Nobody receives this exception: it ends the work."""


class ThreadCall:
    """A call whose handler runs in a thread.

    A guarded handler calls `begin_effect` right before each effect. Any other one may have an effect once it runs.
    """

    def __init__(self, *, is_guarded: bool) -> None:
        self._is_guarded = is_guarded
        self._lock = Lock()
        self._has_ended = False
        self._effect = Effect.NONE

    def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Run the handler, or a part of its work, in the thread and in a context of its own. Raises `CallEnded`."""
        _current.set(self)
        if not self._is_guarded:
            self.begin_effect()
        return work()

    def end(self) -> Effect:
        """End the call, from another thread: no effect begins after this. Return whether one has begun."""
        with self._lock:
            self._has_ended = True
            return self._effect

    def check(self) -> None:
        """Raise `CallEnded` if the call has ended."""
        if self._has_ended:
            raise CallEnded

    def begin_effect(self) -> None:
        """Begin an effect, unless the call has ended. Raises `CallEnded`."""
        with self._lock:
            self.check()
            self._effect = Effect.POSSIBLE


_current: Final[ContextVar[ThreadCall | None]] = ContextVar("toolgen_thread_call", default=None)


def check_call() -> None:
    """Raise `CallEnded` if this thread works for a call that has ended. For long loops."""
    call = _current.get()
    if call is not None:
        call.check()


def begin_effect() -> None:
    """Begin an effect, if this thread works for a call, and it goes on. Raises `CallEnded`.

    The effect must follow at once: a call that ends in between is reported as one that may have taken effect.
    """
    call = _current.get()
    if call is not None:
        call.begin_effect()


def effect_of(cancelled: BaseException) -> Effect:
    """Return what a cancelled call may have changed: anything, unless what ran it says otherwise in the exception."""
    return next((each for each in cancelled.args if isinstance(each, Effect)), Effect.POSSIBLE)
