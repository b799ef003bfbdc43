"""The first call of one case in this process, including its setup; milliseconds, by case."""

from __future__ import annotations

import asyncio
import json
import sys
import time

from benchmarks.measured.cases import cases


async def main(name: str) -> None:
    make = cases()[name]()
    start = time.perf_counter()
    await make()()
    print(json.dumps({name: (time.perf_counter() - start) * 1000}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
