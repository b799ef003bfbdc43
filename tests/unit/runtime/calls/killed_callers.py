"""Script: hosts that call tools and kill themselves, one process each.

`killed_callers.py FOLDER chained|plain WHERE STEP`: there are hosts 0, STEP, 2 STEP, and so on, until one comes to its
end unharmed. Host N makes all calls of `work`, with a store in `N.db`, and is killed by SIGKILL at boundary N. With
`moments`, boundaries are before and after each requested write of the store, when it is durable, around the effects of
a handler, and when a caller has its result; with `statements`, at each statement of the store's database. What is
visible outside of host N is written to `N.txt`, one line each: `did ID` (a write tool changed something), `had ID CODE`
(a caller got a result), `head RUN HEAD` (a head of the chain was exported).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.unit.record.sample import KEY
from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import add, code_of, runtime_of
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.runtime import Catalog
from toolgen.runtime.policy.permission import Decision

if TYPE_CHECKING:
    from collections.abc import Awaitable, Generator

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.events.records import NewEvent, Store
    from toolgen.runtime.policy.permission import PermissionRequest

META = ToolCallMeta(user="ann", run_id="r1")


class World:
    """What is visible outside of a host, and the boundary at which it is killed."""

    def __init__(self, boundary: int, seen: int) -> None:
        self._boundary = boundary
        self._seen = seen
        self._passed = 0

    def moment(self) -> None:
        if self._passed == self._boundary:
            os.kill(os.getpid(), signal.SIGKILL)
        self._passed += 1

    def sees(self, *words: object) -> None:
        os.write(self._seen, f"{' '.join(map(str, words))}\n".encode())


class Killing:
    """A store with boundaries around each of its writes. It exports the head after each result."""

    def __init__(self, store: SqliteStore, path: Path, world: World) -> None:
        self._store = store
        self._reader = SqliteReader(path)
        self._world = world
        self.read, self.page, self.runs, self.follow = store.read, store.page, store.runs, store.follow
        self.close, self.latest_runs = store.close, store.latest_runs

    def append(self, event: NewEvent, /) -> Awaitable[None]:
        self._world.moment()
        waiting = self._store.append(event)
        self._world.moment()
        return _Durable(waiting, self._world.moment)

    def finish(self, event: NewEvent, result: ToolResult[Any], /) -> Awaitable[None]:
        def exported() -> None:
            self._world.moment()
            if self._store._key is not None:
                self._world.sees("head", event.run_id, self._reader.head(event.run_id))

        self._world.moment()
        waiting = self._store.finish(event, result)
        self._world.moment()
        return _Durable(waiting, exported)


class _Durable:
    """A write, and an action after it was awaited."""

    def __init__(self, write: Awaitable[None], then: Any) -> None:
        self._write = write
        self._then = then

    def __await__(self) -> Generator[Any, None, None]:
        yield from self._write.__await__()
        self._then()


def tools(world: World) -> Catalog:
    """Tools that write, read, report and fail, with boundaries inside."""

    def writes(_args: Any, meta: ToolCallMeta) -> str:
        world.moment()
        world.sees("did", meta.tool_call_id)
        world.moment()
        return "written"

    async def reads(_args: Any, meta: ToolCallMeta) -> str:
        world.moment()
        meta.report({"rows": 1})
        await asyncio.sleep(0)
        return "read"

    def fails(args: Any, meta: ToolCallMeta) -> None:
        writes(args, meta)
        raise ValueError("broken")

    async def waits(_args: Any) -> None:
        world.moment()
        await asyncio.sleep(60)

    catalog = Catalog()
    add(catalog, writes, "t.writes")
    add(catalog, reads, "t.reads", permission="readonly")
    add(catalog, fails, "t.fails")
    add(catalog, waits, "t.waits")
    return add(catalog, writes, "t.denied")


async def work(store: Store, world: World, prefix: str = "c") -> None:
    """Make calls of all kinds: sequential and concurrent, in a turn and outside, failing ones and an aborted one."""

    def answer(request: PermissionRequest) -> Decision:
        return Decision.DENY if request.tool_name == "t.denied" else Decision.ALLOW_ONCE

    def request(name: str, payload: str = "{}") -> ToolRequest:
        return ToolRequest(name=f"t.{name}", payload=payload, tool_call_id=f"{prefix}{next(numbers)}")

    def had(*results: ToolResult[Any]) -> None:
        for result in results:
            world.sees("had", result.tool_call_id, code_of(result))
            world.moment()

    async def calls(*requests: ToolRequest) -> None:
        had(*await asyncio.gather(*(runtime.invoke(each, meta=META) for each in requests)))

    numbers = count()
    catalog = tools(world)
    runtime = runtime_of(catalog, store=store, permission=answer)
    run = run_of(catalog)[1]
    vars(run.meta)["run_id"] = "r2"
    await calls(request("writes"))
    await calls(request("writes"), request("reads"), request("writes"))
    await calls(request("denied"))
    await calls(request("writes", "{"), request("nothing"))
    had(await runtime.invoke(request("writes")))
    had(*await runtime.turn([request(name) for name in ("reads", "reads", "writes", "fails", "writes")], run))
    asyncio.get_running_loop().call_later(0.01, run.abort)
    had(*await runtime.turn([request("waits"), request("writes")], run))
    await runtime.end_run(run)


async def host(folder: Path, boundary: int, where: str, *, is_chained: bool) -> None:
    path = folder / f"{boundary}.db"
    with (folder / f"{boundary}.txt").open("ab") as seen:
        world = World(boundary, seen.fileno())
        store = SqliteStore(path, key=KEY if is_chained else None)
        if where == "statements":
            store._opened().set_trace_callback(lambda _statement: world.moment())
            await work(store, World(-1, seen.fileno()))
        else:
            await work(Killing(store, path, world), world)
        await store.close()


def main(folder: Path, chain: str, where: str, step: int) -> None:
    with Path(os.devnull).open("wb") as nobody:
        asyncio.run(work(MemoryStore(), World(-1, nobody.fileno())))  # imported here so that children need not
    for boundary in count(0, step):
        child = os.fork()
        if child == 0:
            asyncio.run(host(folder, boundary, where, is_chained=chain == "chained"))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, f"host {boundary} failed"
            return
        assert os.WTERMSIG(status) == signal.SIGKILL, f"host {boundary} was killed by another signal"


async def call_forever(path: Path) -> None:
    """Make calls until this process is killed, and print what is visible outside."""
    store = SqliteStore(path, key=KEY)
    world = World(-1, 1)
    for number in count():
        await work(store, world, prefix=f"{os.getpid()}.{number}.")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        asyncio.run(call_forever(Path(sys.argv[1])))
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
