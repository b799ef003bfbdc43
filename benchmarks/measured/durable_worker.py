"""A worker with the runs of `durable_runs`: `python -m benchmarks.measured.durable_worker SIDE URL CONCURRENCY`.

SIDE is `toolgen` or `plain`. It prints one line when it executes runs. For each line that it reads it prints the
seconds of processor time it has used; at the end of its input it stops.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from dbos import DBOS, DBOSClient

from benchmarks.measured.durable_runs import PLAIN, host, plain_run
from toolgen.engine import DbosWorker
from toolgen.engine.dbos.database import APPLICATION, QUEUE, VERSION, JsonSerializer

POLL: Final = 0.1
"""Seconds between two looks at the queue: what a worker of toolgen has by default."""


@asynccontextmanager
async def toolgen_worker(url: str, concurrency: int) -> AsyncGenerator[None]:
    async with DbosWorker(host(), url, name=str(os.getpid()), concurrency=concurrency, poll=POLL):
        yield


@asynccontextmanager
async def plain_worker(url: str, concurrency: int) -> AsyncGenerator[None]:
    """A worker of DBOS alone, with the settings that a worker of toolgen gives it."""
    DBOS.workflow(name=PLAIN)(plain_run)
    client = DBOSClient(system_database_url=url, serializer=JsonSerializer(), application_name=APPLICATION)
    await client.register_queue_async(
        QUEUE, worker_concurrency=concurrency, polling_interval_sec=POLL, on_conflict="always_update"
    )
    await asyncio.to_thread(client.destroy)
    DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": url,
            "application_version": VERSION,
            "executor_id": str(os.getpid()),
            "serializer": JsonSerializer(),
            "log_level": "WARNING",
            "enable_otlp": False,
            "notification_listener_polling_interval_sec": POLL,
        }
    )
    DBOS.launch()
    yield
    await asyncio.to_thread(DBOS.destroy)


async def main(side: str, url: str, concurrency: int) -> None:
    worker = {"toolgen": toolgen_worker, "plain": plain_worker}[side]
    async with worker(url, concurrency):
        print("executes runs", flush=True)
        while await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
            print(time.process_time(), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
