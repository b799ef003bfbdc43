"""Records of runs: stores of events and results, the chain that shows changes, artifacts, and recorded calls.

The protocol of stores and their records are names of `toolgen.runtime`. The modules below are private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.record.artifacts import Artifact as Artifact
    from toolgen.record.artifacts import Artifacts as Artifacts
    from toolgen.record.calls import RecordedCall as RecordedCall
    from toolgen.record.calls import RecordedStage as RecordedStage
    from toolgen.record.calls import calls_of as calls_of
    from toolgen.record.calls import stages_of as stages_of
    from toolgen.record.chain import Chain as Chain
    from toolgen.record.chain import ChainError as ChainError
    from toolgen.record.chain import ChainFinding as ChainFinding
    from toolgen.record.chain import ChainHead as ChainHead
    from toolgen.record.chain import ChainKey as ChainKey
    from toolgen.record.chain import ChainLink as ChainLink
    from toolgen.record.chain import ChainVerdict as ChainVerdict
    from toolgen.record.chain import verify_chain as verify_chain
    from toolgen.record.memory import MemoryStore as MemoryStore
    from toolgen.record.postgres import PostgresStore as PostgresStore
    from toolgen.record.sqlite import SqliteStore as SqliteStore
    from toolgen.record.stores import open_store as open_store
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "MemoryStore": ".memory",
            "SqliteStore": ".sqlite",
            "PostgresStore": ".postgres",
            "open_store": ".stores",
            "Chain": ".chain",
            "ChainError": ".chain",
            "ChainFinding": ".chain",
            "ChainHead": ".chain",
            "ChainKey": ".chain",
            "ChainLink": ".chain",
            "ChainVerdict": ".chain",
            "verify_chain": ".chain",
            "RecordedCall": ".calls",
            "RecordedStage": ".calls",
            "calls_of": ".calls",
            "stages_of": ".calls",
            "Artifact": ".artifacts",
            "Artifacts": ".artifacts",
        },
    )
