"""Engines: runs of agents that outlive a process. The pipeline knows nothing of them.

`DbosEngine`, `DbosWorker`, `database_url` and `prepare_database` need `toolgen[dbos]`. The modules below are private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.engine.body import Retries as Retries
    from toolgen.engine.calls import call_by_engine as call_by_engine
    from toolgen.engine.calls import run_by_workers as run_by_workers
    from toolgen.engine.children import run_children as run_children
    from toolgen.engine.dbos import DbosEngine as DbosEngine
    from toolgen.engine.dbos import DbosWorker as DbosWorker
    from toolgen.engine.dbos import database_url as database_url
    from toolgen.engine.dbos import prepare_database as prepare_database
    from toolgen.engine.host import EngineHost as EngineHost
    from toolgen.engine.local import LocalEngine as LocalEngine
    from toolgen.engine.protocol import AlreadyAnswered as AlreadyAnswered
    from toolgen.engine.protocol import Approval as Approval
    from toolgen.engine.protocol import ApprovalAnswer as ApprovalAnswer
    from toolgen.engine.protocol import Engine as Engine
    from toolgen.engine.protocol import NeedsOthers as NeedsOthers
    from toolgen.engine.protocol import NotApprover as NotApprover
    from toolgen.engine.protocol import NotAsked as NotAsked
    from toolgen.engine.protocol import NotForkable as NotForkable
    from toolgen.engine.protocol import NotResumable as NotResumable
    from toolgen.engine.protocol import RunCancelled as RunCancelled
    from toolgen.engine.protocol import RunFailed as RunFailed
    from toolgen.engine.protocol import RunInfo as RunInfo
    from toolgen.engine.protocol import RunState as RunState
    from toolgen.engine.protocol import RunStep as RunStep
    from toolgen.engine.protocol import WorkerInfo as WorkerInfo
    from toolgen.engine.requests import RunEnd as RunEnd
    from toolgen.engine.requests import RunRequest as RunRequest
    from toolgen.engine.requests import new_run_id as new_run_id
    from toolgen.engine.schedules import Schedule as Schedule
    from toolgen.engine.schedules import ScheduleInfo as ScheduleInfo
    from toolgen.engine.schedules import ScheduleNotFound as ScheduleNotFound
    from toolgen.engine.signals import NotSignalled as NotSignalled
    from toolgen.engine.signals import RunSignal as RunSignal
    from toolgen.engine.signals import RunSignals as RunSignals
    from toolgen.engine.signals import wait_for_signal as wait_for_signal
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "AlreadyAnswered": ".protocol",
            "Approval": ".protocol",
            "ApprovalAnswer": ".protocol",
            "Engine": ".protocol",
            "NeedsOthers": ".protocol",
            "NotApprover": ".protocol",
            "NotAsked": ".protocol",
            "NotForkable": ".protocol",
            "NotResumable": ".protocol",
            "RunCancelled": ".protocol",
            "RunFailed": ".protocol",
            "RunInfo": ".protocol",
            "RunState": ".protocol",
            "WorkerInfo": ".protocol",
            "RunEnd": ".requests",
            "RunRequest": ".requests",
            "new_run_id": ".requests",
            "EngineHost": ".host",
            "LocalEngine": ".local",
            "run_children": ".children",
            "Retries": ".body",
            "call_by_engine": ".calls",
            "run_by_workers": ".calls",
            "Schedule": ".schedules",
            "ScheduleInfo": ".schedules",
            "ScheduleNotFound": ".schedules",
            "NotSignalled": ".signals",
            "RunSignal": ".signals",
            "RunSignals": ".signals",
            "wait_for_signal": ".signals",
            "RunStep": ".protocol",
            "DbosEngine": ".dbos",
            "DbosWorker": ".dbos",
            "database_url": ".dbos",
            "prepare_database": ".dbos",
        },
    )
