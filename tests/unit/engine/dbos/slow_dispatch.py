"""A program slow to begin the runs that it has taken: `toolgen worker tests.unit.engine.dbos.slow_dispatch:host`.

When it has taken runs, the file `taken` is in the folder.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dbos._queue

from tests.unit.engine import app

if TYPE_CHECKING:
    from toolgen.engine import EngineHost
    from toolgen.engine.protocol import Engine


def host(engine: Engine) -> EngineHost:
    queue: Any = dbos._queue
    begin = queue.execute_dequeued_workflow

    def slow(*args: Any) -> Any:
        (Path(os.environ[app.FOLDER]) / "taken").touch()
        time.sleep(0.5)
        return begin(*args)

    queue.execute_dequeued_workflow = slow  # of this process only
    return app.host(engine)
