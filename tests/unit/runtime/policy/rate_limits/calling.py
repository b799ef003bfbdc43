"""A process that makes calls of one limited tool: it reads a line of JSON and prints the outcomes."""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import datetime
from typing import Any

from tests.unit.runtime.tools import call, catalog_of, code_of, runtime_of
from toolgen.runtime.policy.rate_limits.postgres import PostgresCounters
from toolgen.runtime.policy.rate_limits.redis import RedisCounters
from toolgen.runtime.policy.rate_limits.sqlite import SqliteCounters


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _opened(uri: str) -> PostgresCounters | RedisCounters | SqliteCounters:
    if uri.startswith("postgresql:"):
        return PostgresCounters(uri, timeout=60)
    return SqliteCounters(uri, timeout=60) if uri.startswith("/") else RedisCounters(uri, timeout=60)


async def main(uri: str, limits: dict[str, float]) -> None:
    async with _opened(uri) as counters:
        say("ready")
        for line in sys.stdin:  # nothing else may run meanwhile
            wanted: dict[str, Any] = json.loads(line)
            at = datetime.fromisoformat(wanted["at"])
            runtime = runtime_of(catalog_of(metadata={"limits": limits}), clock=lambda at=at: at, counters=counters)
            results = await asyncio.gather(*(call(runtime, user=wanted["user"]) for _ in range(wanted["calls"])))
            ends = [(code_of(result), result.error and result.error.retry_after) for result in results]
            say(json.dumps(ends))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
