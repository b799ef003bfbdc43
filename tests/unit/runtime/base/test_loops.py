from __future__ import annotations

import asyncio
import gc
import socket

import pytest

from tests.programs.forks import in_child
from toolgen.runtime.base.loops import OfLoop


class Connection:
    """Refers to the loop that made it, as connections do."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()


def test_each_loop_has_a_value_until_it_is_closed() -> None:
    of_loop = OfLoop[Connection](abandon=None)

    async def made() -> Connection:
        assert of_loop.get() is None
        made = of_loop.get_or_make(Connection)
        assert of_loop.get() is of_loop.get_or_make(Connection) is made
        return made

    open_loop = asyncio.new_event_loop()
    kept = open_loop.run_until_complete(made())
    for _ in range(3):
        last = asyncio.run(made())
        assert of_loop.values() == [kept, last]
    open_loop.close()
    last = asyncio.run(made())
    assert of_loop.values() == [last]


def test_a_value_is_forgotten_by_its_loop_alone() -> None:
    abandoned: list[Connection] = []
    of_loop = OfLoop[Connection](abandoned.append)

    async def popped() -> Connection | None:
        return of_loop.pop()

    async def check() -> None:
        made = of_loop.get_or_make(Connection)
        assert await asyncio.to_thread(asyncio.run, popped()) is None
        assert (of_loop.pop(), of_loop.pop()) == (made, None)

    asyncio.run(check())
    asyncio.run(popped())
    of_loop.abandon_closed()
    assert abandoned == []


@pytest.mark.slow
def test_a_value_is_abandoned_once_its_loop_is_closed() -> None:
    abandoned: list[Connection] = []
    owned = [OfLoop[Connection](abandoned.append)]

    async def made() -> Connection:
        return owned[0].get_or_make(Connection)

    first = asyncio.run(made())
    assert abandoned == []
    last = asyncio.run(made())
    assert abandoned == [first]
    owned.clear()
    gc.collect()
    assert abandoned == [first, last]


def test_a_value_that_cannot_be_abandoned_is_forgotten() -> None:
    def fail(_: Connection) -> None:
        raise OSError

    of_loop = OfLoop[Connection](fail)

    async def made() -> Connection:
        return of_loop.get_or_make(Connection)

    asyncio.run(made())
    last = asyncio.run(made())
    assert of_loop.values() == [last]


def test_transports_of_a_closed_loop_end_and_wake_no_task() -> None:
    """Their end is scheduled on the loop, which refuses; a task that is woken would run without its loop."""
    woken: list[str] = []
    here, there = socket.socketpair()
    of_loop = OfLoop[asyncio.StreamWriter](lambda writer: writer.close())

    async def leave() -> None:
        reader, writer = await asyncio.open_connection(sock=here)
        of_loop.set(writer)

        async def read() -> None:
            await reader.read()
            woken.append("")

        tasks.append(asyncio.create_task(read()))
        await asyncio.sleep(0)

    tasks: list[asyncio.Task[None]] = []
    loop = asyncio.new_event_loop()
    loop.run_until_complete(leave())
    loop.close()
    of_loop.abandon_closed()
    assert here.fileno() == -1
    assert there.recv(1) == b""
    assert woken == []
    with pytest.raises(RuntimeError, match="Event loop is closed"):
        loop.call_soon(print)
    there.close()


def test_a_value_from_before_a_fork_is_the_parents() -> None:
    abandoned: list[Connection] = []
    of_loop = OfLoop[Connection](abandoned.append)

    async def made() -> Connection:
        return of_loop.get_or_make(Connection)

    def left_in_child() -> list[int]:
        of_loop.abandon_closed()
        return [len(of_loop.values()), len(abandoned)]

    asyncio.run(made())
    assert in_child(left_in_child) == [0, 0]
    of_loop.abandon_closed()
    assert len(abandoned) == 1
