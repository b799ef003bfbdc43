"""The workers, as a fixture."""

from tests.unit.engine.dbos.workers import workers

__all__ = ["workers"]
