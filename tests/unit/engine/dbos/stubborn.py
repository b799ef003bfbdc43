"""A program whose tool does not end: `toolgen worker tests.unit.engine.dbos.stubborn:host`.

The path of a call says how: `thread` is a thread that does not return, `swallows` ignores that it is cancelled, and
`blocks` blocks the event loop. Then the file of that name is in the folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.unit.engine import app

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.engine import EngineHost
    from toolgen.engine.protocol import Engine


def sleep_long() -> None:
    time.sleep(3600)


def host(engine: Engine) -> EngineHost:
    made = app.host(engine)
    execute = app.Effects.execute

    async def stubborn(self: app.Effects, call: ToolRequest, meta: ToolCallMeta, /) -> Any:
        path = json.loads(call.payload)["path"]
        (Path(os.environ[app.FOLDER]) / path).touch()
        if path == "thread":
            await asyncio.to_thread(sleep_long)
        elif path == "blocks":
            sleep_long()
        elif path == "swallows":
            while True:
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(3600)
        return await execute(self, call, meta)

    app.Effects.execute = stubborn  # type: ignore[method-assign]  # of this process only
    return made
