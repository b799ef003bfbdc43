"""A worker whose clock jumps: `toolgen worker tests.unit.engine.dbos.jumping:host`.

Its time of day is off by the seconds in the file that the environment variable `CLOCK` names. Clocks that only go
forward are those of the system.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread
from time import sleep, time
from typing import TYPE_CHECKING, Final

import time_machine

from tests.unit.engine import app

if TYPE_CHECKING:
    from toolgen.engine import EngineHost
    from toolgen.engine.protocol import Engine

CLOCK: Final = "ENGINE_CLOCK"


def host(engine: Engine) -> EngineHost:
    clock = time_machine.travel(time(), tick=True).start()
    Thread(target=_follow, args=(clock, Path(os.environ[CLOCK])), daemon=True).start()
    return app.host(engine)


def _follow(clock: time_machine.Traveller, file: Path) -> None:
    set_to = 0
    while True:
        seconds = int(file.read_text()) if file.exists() else 0
        if seconds != set_to:
            clock.shift(seconds - set_to)
            set_to = seconds
        sleep(0.05)
