"""Engines: runs of agents that outlive a process. The pipeline knows nothing of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.engine.host import EngineHost as EngineHost
    from toolgen.engine.local import LocalEngine as LocalEngine
    from toolgen.engine.protocol import Engine as Engine
    from toolgen.engine.protocol import RunCancelled as RunCancelled
    from toolgen.engine.protocol import RunFailed as RunFailed
    from toolgen.engine.requests import RunEnd as RunEnd
    from toolgen.engine.requests import RunRequest as RunRequest
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Engine": ".protocol",
            "EngineHost": ".host",
            "LocalEngine": ".local",
            "RunCancelled": ".protocol",
            "RunEnd": ".requests",
            "RunFailed": ".protocol",
            "RunRequest": ".requests",
        },
    )
