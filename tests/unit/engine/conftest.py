"""The engines, as a fixture."""

from tests.unit.engine.engines import engines

__all__ = ["engines"]
