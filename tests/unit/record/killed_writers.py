"""Script: writers that kill themselves, one process each. `killed_writers.py FOLDER FIRST LAST`.

Writer N writes calls to `N.db` and is killed by SIGKILL when its store begins statement N. Calls confirmed as durable
are written to `N.txt`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path

from tests.unit.record.sample import KEY, done, ended, one_call, result, started
from toolgen.record.sqlite import SqliteStore


def main(folder: Path, first: int, last: int) -> None:
    for boundary in range(first, last):
        child = os.fork()
        if child == 0:
            asyncio.run(write(folder, boundary))
            os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"writer {boundary} was not killed"
        assert os.WTERMSIG(status) == signal.SIGKILL, f"writer {boundary} was killed by another signal"


async def write(folder: Path, boundary: int) -> None:
    store = SqliteStore(folder / f"{boundary}.db", key=KEY)
    statements = count()

    def begins(_statement: str) -> None:
        if next(statements) == boundary:
            os.kill(os.getpid(), signal.SIGKILL)

    store._opened().set_trace_callback(begins)
    with (folder / f"{boundary}.txt").open("w") as durable:
        for number in count():
            names = [f"c{number}"] if number % 2 == 0 else [f"c{number}.{part}" for part in "abc"]
            await asyncio.gather(*(call(store, name, durable.fileno()) for name in names))


async def call(store: SqliteStore, name: str, durable: int) -> None:
    await done(store.append(started(name)))
    os.write(durable, f"{name} tool_started\n".encode())
    await done(store.finish(ended(call=name), result(name)))
    os.write(durable, f"{name} tool_completed\n".encode())


async def write_on(path: Path) -> None:
    """Write calls until this process is killed, and print which are durable."""
    store = SqliteStore(path, key=KEY)
    for number in count():
        await one_call(store, f"c{number}")
        os.write(1, f"{number}\n".encode())


if __name__ == "__main__":
    if len(sys.argv) == 2:
        asyncio.run(write_on(Path(sys.argv[1])))
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
