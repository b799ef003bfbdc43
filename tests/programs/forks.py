"""Processes that a test forks from its own, as a server does from one that has loaded the program."""

from __future__ import annotations

import json
import os
import select
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SECONDS = 30.0


@contextmanager
def forked(work: Callable[[], Any]) -> Iterator[Callable[[], Any]]:
    """Run a function in a child, until the end of the block; give a function that waits for what it returns, as JSON.

    A child that hangs is killed, and fails the test.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _answer(work, writing)
    os.close(writing)

    def answer() -> Any:
        assert select.select([reading], [], [], _SECONDS)[0], "the child hangs"
        with open(reading, closefd=False) as answered:
            return json.loads(answered.read())

    try:
        yield answer
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


def in_child(work: Callable[[], Any]) -> Any:
    """Return what a function returns in a child."""
    with forked(work) as answer:
        return answer()


def _answer(work: Callable[[], Any], writing: int) -> None:
    try:
        answered = work()
    except BaseException as error:  # noqa: BLE001  # the test compares it
        answered = repr(error)
    with open(writing, "w") as answer:
        answer.write(json.dumps(answered))
    os._exit(0)
