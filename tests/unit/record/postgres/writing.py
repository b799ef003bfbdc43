"""Script: a process that writes calls to a run of a Postgres store. `writing.py URL RUN NAME CALLS`.

It prints the id of each call when its end is durable. With 0 CALLS it writes until it is killed.
"""

from __future__ import annotations

import asyncio
import os
import sys
from itertools import count

from tests.unit.record.sample import KEY, one_call
from toolgen.record.postgres import PostgresStore


async def main(url: str, run: str, name: str, calls: int) -> None:
    store = PostgresStore(url, key=KEY)

    async def call(number: int) -> None:
        await one_call(store, f"{name}.{number}", run)
        os.write(1, f"{name}.{number}\n".encode())

    for first in range(0, calls, 5) if calls else count(0, 5):  # alone, and several together
        await call(first)
        await asyncio.gather(*(call(first + further) for further in range(1, 5)))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
