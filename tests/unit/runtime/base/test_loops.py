from __future__ import annotations

import asyncio

from toolgen.runtime.base.loops import OfLoop


class Connection:
    """Refers to the loop that made it, as connections do."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()


def test_each_loop_has_a_value_until_it_is_closed() -> None:
    of_loop = OfLoop[Connection]()

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
    of_loop = OfLoop[Connection]()

    async def popped() -> Connection | None:
        return of_loop.pop()

    async def check() -> None:
        made = of_loop.get_or_make(Connection)
        assert await asyncio.to_thread(asyncio.run, popped()) is None
        assert (of_loop.pop(), of_loop.pop()) == (made, None)

    asyncio.run(check())
