"""Stores of events and results of runs. These are the names that most programs need."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.record.artifacts import Artifacts as Artifacts
    from toolgen.record.chain import ChainKey as ChainKey
    from toolgen.record.memory import MemoryStore as MemoryStore
    from toolgen.record.postgres.store import PostgresStore as PostgresStore
    from toolgen.record.sqlite import SqliteStore as SqliteStore
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Artifacts": ".artifacts",
            "ChainKey": ".chain",
            "MemoryStore": ".memory",
            "PostgresStore": ".postgres.store",
            "SqliteStore": ".sqlite",
        },
    )
